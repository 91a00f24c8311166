package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Firefox is one headless Firefox, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
type Firefox struct {
	conn *websocket.Conn

	mu      sync.Mutex
	last    int
	waiting map[int]chan bidiReply
}

type bidiReply struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"` // success, error, event
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
}

type firefoxPage struct {
	f  *Firefox
	id string
}

// firefoxTimeout bounds one command.
const firefoxTimeout = time.Minute

// firefoxPrefs keep the browser from asking anything of anybody.
const firefoxPrefs = `user_pref("app.update.auto", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "http://127.0.0.1:9/");
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
`

// FirefoxOptions change how Firefox starts. The zero value reaches no push server and shows no notifications.
type FirefoxOptions struct {
	Prefs map[string]any // further preferences, as of Autopush.Prefs
	Env   []string       // further environment, as of Notifyd.Env
	On    *Display       // nil: headless, and notifications are shown nowhere
}

// NewFirefox starts Firefox with an empty profile.
func NewFirefox(t testing.TB) *Firefox {
	t.Helper()
	return NewFirefoxWith(t, FirefoxOptions{})
}

// NewFirefoxWith starts Firefox with an empty profile and with options.
func NewFirefoxWith(t testing.TB, o FirefoxOptions) *Firefox {
	t.Helper()
	path, err := find([]string{"firefox-esr", "firefox"})
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxPrefs+userPrefs(o.Prefs)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--no-remote", "--remote-debugging-port", "0", "--profile", profile, "about:blank"}
	if o.On == nil {
		args = append([]string{"--headless"}, args...)
	} else {
		o.Env = append(o.On.Env(), o.Env...)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(append(os.Environ(), "MOZ_CRASHREPORTER_DISABLE=1", "HOME="+profile), o.Env...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("browser: start firefox: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	f, err := connectFirefox(stderr)
	if err != nil {
		t.Fatalf("browser: connect to firefox: %v", err)
	}
	t.Cleanup(f.close)
	return f
}

// userPrefs are lines of user.js; a pref that JSON cannot say is a mistake of the test.
func userPrefs(prefs map[string]any) string {
	var out strings.Builder
	for name, value := range prefs {
		text, err := json.Marshal(value)
		if err != nil {
			panic("browser: a preference that is no JSON: " + err.Error())
		}
		fmt.Fprintf(&out, "user_pref(%q, %s);\n", name, text)
	}
	return out.String()
}

// connectFirefox reads where the browser listens, and begins a session.
func connectFirefox(stderr io.Reader) (*Firefox, error) {
	address, err := listeningAt(stderr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), firefoxTimeout)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address+"/session", nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(64 << 20)
	f := &Firefox{conn: conn, waiting: map[int]chan bidiReply{}}
	go f.read()
	_, err = f.call("session.new", map[string]any{"capabilities": map[string]any{}})
	return f, err
}

func listeningAt(stderr io.Reader) (string, error) {
	const mark = "WebDriver BiDi listening on "
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), mark); ok {
			go io.Copy(io.Discard, stderr)
			return strings.TrimSpace(address), nil
		}
	}
	return "", fmt.Errorf("it never said %q", mark)
}

func (f *Firefox) close() {
	f.call("browser.close", map[string]any{})
	f.conn.CloseNow()
}

func (f *Firefox) read() {
	for {
		_, data, err := f.conn.Read(context.Background())
		if err != nil {
			f.lose(err)
			return
		}
		var r bidiReply
		if json.Unmarshal(data, &r) == nil && r.Type != "event" {
			f.deliver(r)
		}
	}
}

func (f *Firefox) deliver(r bidiReply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ch, ok := f.waiting[r.ID]; ok {
		ch <- r
		delete(f.waiting, r.ID)
	}
}

func (f *Firefox) lose(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, ch := range f.waiting {
		ch <- bidiReply{Type: "error", Error: "connection lost", Message: err.Error()}
		delete(f.waiting, id)
	}
}

// call sends one command and waits for its reply.
func (f *Firefox) call(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), firefoxTimeout)
	defer cancel()
	f.mu.Lock()
	f.last++
	id, ch := f.last, make(chan bidiReply, 1)
	f.waiting[id] = ch
	f.mu.Unlock()
	body, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err == nil {
		err = f.conn.Write(ctx, websocket.MessageText, body)
	}
	if err != nil {
		return nil, err
	}
	select {
	case r := <-ch:
		if r.Type == "error" {
			return nil, fmt.Errorf("%s: %s: %s", method, r.Error, r.Message)
		}
		return r.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// Page opens a tab.
func (f *Firefox) Page(t testing.TB) Page {
	t.Helper()
	raw, err := f.call("browsingContext.create", map[string]any{"type": "tab"})
	var made struct{ Context string }
	if err == nil {
		err = json.Unmarshal(raw, &made)
	}
	if err != nil {
		t.Fatalf("browser: open a tab: %v", err)
	}
	return firefoxPage{f: f, id: made.Context}
}

func (p firefoxPage) Navigate(url string) error {
	_, err := p.f.call("browsingContext.navigate", map[string]any{"context": p.id, "url": url, "wait": "complete"})
	return err
}

func (p firefoxPage) Eval(expression string) (json.RawMessage, error) {
	// The value travels as JSON text: BiDi's own form of values is another one.
	raw, err := p.f.call("script.evaluate", map[string]any{
		"expression": "Promise.resolve(" + expression + ").then((v) => JSON.stringify(v === undefined ? null : v))",
		"target":     map[string]any{"context": p.id}, "awaitPromise": true,
	})
	if err != nil {
		return nil, err
	}
	var got struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, err
	}
	if got.Type != "success" {
		return nil, fmt.Errorf("exception: %s", got.ExceptionDetails.Text)
	}
	return json.RawMessage(got.Result.Value), nil
}
