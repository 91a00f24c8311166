// Package browser drives real browsers in tests: headless Chromium over the DevTools protocol, headless Firefox over
// WebDriver BiDi. Both talk to loopback only, start with an empty profile, and are gone when the test ends.
package browser

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Page is one tab.
type Page interface {
	// Navigate loads a URL and returns once it has loaded.
	Navigate(url string) error
	// Eval runs a JavaScript expression in the page, waits for its promise, and returns its value as JSON. An exception is an
	// error with its text.
	Eval(expression string) (json.RawMessage, error)
}

// Eval runs an expression in the page and reads its value; it fails the test on any error.
func Eval[T any](t testing.TB, p Page, expression string) T {
	t.Helper()
	var out T
	raw, err := p.Eval(expression)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatalf("in the page: %v\n%s", err, expression)
	}
	return out
}

// Open loads a URL or fails the test.
func Open(t testing.TB, p Page, url string) {
	t.Helper()
	if err := p.Navigate(url); err != nil {
		t.Fatal(fmt.Errorf("browser: open %s: %w", url, err))
	}
}
