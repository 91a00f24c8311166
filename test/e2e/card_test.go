package e2e

import (
	"strings"
	"time"
)

// card opens the card of the only call that waits, as a person does who reads before answering.
func (p *phone) card() {
	p.Helper()
	p.holds(`document.querySelectorAll(".cards article [data-guard], .cards article .pair, .cards article .send").length === 1`)
	name := ask[string](p, `[...document.querySelectorAll(".cards article")].find((e) => e.querySelector(".pair, .send")).querySelector("h2").innerText.trim()`)
	p.tapIn(".cards article:has(.pair, .send) h2", name)
	p.holds(`document.querySelector(".bar, [id^=no-]") !== null && document.querySelector("#main h1.ask") !== null`)
}

// slip is what the card shows of the call: each line, each hidden character between ⟦ and ⟧ as the terminal shows it too.
func (p *phone) slip() string {
	p.Helper()
	return ask[string](p, `(() => {
		const text = (e) => [...e.childNodes].map((n) => n.nodeType === 3 ? n.data : n.matches?.("b.hid") ? "⟦" + n.textContent + "⟧" : n.matches?.("i, .vh") ? "" : text(n)).join("");
		return [...document.querySelectorAll("#main .slip .ln code")].map(text).map((s) => s === " " ? "" : s).join("\n");
	})()`)
}

// fields are the call's other fields below the command, name and value each.
func (p *phone) fields() []string {
	p.Helper()
	return ask[[]string](p, `(() => {
		const text = (e) => [...e.childNodes].map((n) => n.nodeType === 3 ? n.data : n.matches?.("b.hid") ? "⟦" + n.textContent + "⟧" : text(n)).join("");
		return [...document.querySelectorAll("#main .slip .flds > div")].map(text);
	})()`)
}

// offersAllow reports whether an Allow stands there that listens.
func (p *phone) offersAllow() bool {
	p.Helper()
	return ask[bool](p, `[...document.querySelectorAll("button")].some((b) => b.checkVisibility() && b.innerText.startsWith("Allow") && b.getAttribute("aria-disabled") !== "true")`)
}

// hasAllow reports whether there is an Allow at all, be it shut.
func (p *phone) hasAllow() bool {
	p.Helper()
	return ask[bool](p, `[...document.querySelectorAll("button")].some((b) => b.checkVisibility() && b.innerText.startsWith("Allow"))`)
}

// stamp is the receipt's print, "" while there is none.
func (p *phone) stamp() string {
	p.Helper()
	return ask[string](p, `document.querySelector("#main .stamp:not(.none)")?.innerText.replace(/\s+/g, " ") ?? ""`)
}

// never holds the phone to not showing a text for a while.
func (p *phone) never(text string, span time.Duration) {
	p.Helper()
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if s := p.screen(); strings.Contains(s, text) {
			p.Fatalf("the page says %q too early: %s", text, s)
		}
	}
}
