package mobileweb_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"answerback/test/browser"
)

// Every state, at every width, in both schemes, with large text and in both languages: no sideways scroll, nothing to tap lower than
// 48 px, no finding of axe. With -short one state of each kind is looked at, and axe only where it is cheapest; with -shots axe looks
// at everything.
func TestEveryStateCanBeReadAndTouched(t *testing.T) {
	url := gallery(t) // installs axe, too, where it is missing
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	page := browser.NewChromium(t).Page(t)
	first := tab{t, page, url}
	first.open("home", "en")
	states := ask[[]string](first, "states")
	if len(states) < 60 {
		t.Fatalf("the gallery has %d states; the test is not looking at it", len(states))
	}
	for _, state := range kinds(states) {
		t.Run(state, func(t *testing.T) {
			tb := looker{tab{t, page, url}, string(axe)}
			tb.looks(state)
			tb.portuguese(state)
		})
	}
}

// kinds leaves one of the states that differ in a sentence only, when the test has to be short.
func kinds(states []string) []string {
	if !testing.Short() {
		return states
	}
	var out []string
	seen := map[string]bool{}
	for _, state := range states {
		kind := state
		for _, family := range []string{"end-", "no-allow-", "pair-stopped-"} {
			if strings.HasPrefix(state, family) {
				kind = family
			}
		}
		if !seen[kind] {
			out = append(out, state)
		}
		seen[kind] = true
	}
	return out
}

type window struct{ width, height int64 }

var windows = []window{{390, 844}, {360, 800}, {768, 1024}, {1280, 800}}

// looker is a tab with axe.
type looker struct {
	tab
	axe string
}

func (tb looker) looks(state string) {
	tb.Helper()
	tb.size(390, 844)
	tb.media("light")
	tb.open(state, "en")
	for _, w := range windows {
		tb.size(w.width, w.height)
		for _, scheme := range []string{"light", "dark"} {
			if *shots || scheme == map[int64]string{390: "light", 1280: "dark"}[w.width] {
				tb.media(scheme)
				tb.judge(fmt.Sprintf("%d %s", w.width, scheme), *shots || w.width == 390 || !testing.Short())
				tb.shot(fmt.Sprintf("%s-%d-%s", state, w.width, scheme))
			}
		}
	}
	for _, width := range []int64{320, 360, 480, 620, 768, 899, 900, 1024} {
		tb.size(width, 800)
		tb.fits(fmt.Sprint(width))
	}
	tb.size(390, 844)
	tb.eval("document.documentElement.style.fontSize = '200%'")
	tb.fits("390 with large text")
}

func (tb looker) portuguese(state string) {
	tb.Helper()
	tb.media("light")
	tb.open(state, "pt-BR")
	if said := ask[string](tb.tab, "document.documentElement.lang"); said != "pt-BR" {
		tb.Errorf("the page speaks %q", said)
	}
	tb.judge("390 pt-BR", *shots)
	tb.shot(state + "-390-light-pt")
	tb.eval("document.documentElement.style.fontSize = '200%'")
	tb.fits("390 pt-BR with large text")
}

// fits checks that nothing is wider than the window.
func (tb tab) fits(at string) {
	tb.Helper()
	const wide = `(() => {
		const most = document.documentElement.clientWidth, over = document.documentElement.scrollWidth - most;
		return over <= 0 ? "" : over + " px: " + [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > most + 1).slice(0, 3).map((e) => e.tagName + "." + e.className).join(" ");
	})()`
	if over := ask[string](tb, wide); over != "" {
		tb.Errorf("%s: the page scrolls sideways by %s", at, over)
	}
}

// touchable lists what takes a tap and is lower than 48 px. A box inside its label counts as the label.
const touchable = `[...document.querySelectorAll("button, a[href], input, select, textarea, summary, label.choice")]
	.filter((e) => !e.matches(".skip") && !(e.matches("input") && e.closest("label")) && e.checkVisibility())
	.map((e) => [e, e.getBoundingClientRect()]).filter(([, r]) => r.height < 47.9 || r.width < 47.9).map(([e, r]) => e.tagName + " " + e.textContent.slice(0, 30) + " " + r.width + "x" + r.height)`

func (tb looker) judge(at string, withAxe bool) {
	tb.Helper()
	tb.fits(at)
	for _, small := range ask[[]string](tb.tab, touchable) {
		tb.Errorf("%s: too small to tap: %s", at, small)
	}
	if !withAxe {
		return
	}
	width, height := ask[int64](tb.tab, "innerWidth"), ask[int64](tb.tab, "innerHeight")
	tb.size(width, max(height, ask[int64](tb.tab, "document.documentElement.scrollHeight"))) // nothing lies under the bar then
	for _, v := range tb.violations() {
		tb.Errorf("%s: axe: %s", at, v)
	}
	tb.size(width, height)
}

type violation struct {
	ID    string `json:"id"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

func (tb looker) violations() []string {
	tb.Helper()
	if !ask[bool](tb.tab, "typeof axe !== 'undefined'") {
		tb.eval(tb.axe + "; true")
	}
	var found []violation
	raw := tb.eval(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then((r) => r.violations)`)
	if err := json.Unmarshal(raw, &found); err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, v := range found {
		for _, n := range v.Nodes {
			out = append(out, v.ID+": "+strings.Join(strings.Fields(n.HTML+" "+n.Summary), " "))
		}
	}
	return out
}
