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
// 48 px, no finding of axe.
func TestEveryStateCanBeReadAndTouched(t *testing.T) {
	url := gallery(t)
	chromium := browser.NewChromium(t)
	first := tab{t, chromium.Page(t), url}
	first.open("home", "en")
	states := ask[[]string](first, "states")
	if len(states) < 60 {
		t.Fatalf("the gallery has %d states; the test is not looking at it", len(states))
	}
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, state := range states {
		t.Run(state, func(t *testing.T) {
			tb := tab{t, first.page, url}
			tb.looks(state, "en", string(axe))
			tb.size(390, 844)
			tb.media("light")
			tb.open(state, "pt-BR")
			if said := ask[string](tb, "document.documentElement.lang"); said != "pt-BR" {
				t.Errorf("the page speaks %q", said)
			}
			if *shots {
				tb.judge("390 pt-BR", string(axe))
			} else {
				tb.judge("390 pt-BR", "")
			}
			tb.shot(state + "-390-light-pt")
		})
	}
}

type window struct{ width, height int64 }

var windows = []window{{360, 800}, {390, 844}, {768, 1024}, {1280, 800}}

func (tb tab) looks(state, lang, axe string) {
	tb.Helper()
	tb.size(390, 844)
	tb.media("light")
	tb.open(state, lang)
	for _, w := range windows {
		tb.size(w.width, w.height)
		for _, scheme := range []string{"light", "dark"} {
			tb.media(scheme)
			name := fmt.Sprintf("%s-%d-%s", state, w.width, scheme)
			if *shots || w.width == 390 && scheme == "light" || w.width == 1280 && scheme == "dark" {
				tb.judge(name, axe)
			}
			tb.shot(name)
		}
	}
	for _, width := range []int64{320, 344, 480, 620, 899, 900, 1024} {
		tb.size(width, 800)
		tb.fits(fmt.Sprint(width))
	}
	tb.size(390, 844)
	tb.eval("document.documentElement.style.fontSize = '200%'")
	tb.frames()
	tb.fits("390 with large text")
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

func (tb tab) judge(at, axe string) {
	tb.Helper()
	tb.fits(at)
	for _, small := range ask[[]string](tb, touchable) {
		tb.Errorf("%s: too small to tap: %s", at, small)
	}
	if axe == "" {
		return
	}
	width, height := ask[int64](tb, "innerWidth"), ask[int64](tb, "innerHeight")
	tb.size(width, max(height, ask[int64](tb, "document.documentElement.scrollHeight"))) // nothing lies under the bar then
	for _, v := range violations(tb, axe) {
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

func violations(tb tab, axe string) []string {
	tb.Helper()
	if !ask[bool](tb, "typeof axe !== 'undefined'") {
		tb.eval(axe + "; true")
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
