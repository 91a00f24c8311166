package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	browsercdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// rung is a paired page whose service worker takes pushes, delivered by the browser's own tools: no push service is asked.
type rung struct {
	*agent
	p     browser.Page
	relay *relaytest.Relay

	mu            sync.Mutex
	registrations map[string]serviceworker.RegistrationID // by scope
}

// ring pairs a page of Chromium and chooses what its lock screen may show.
func ring(t *testing.T, lock card.LockScreen, opt relayserver.Options) *rung {
	t.Helper()
	opt.App = appFS(t)
	r := &rung{p: chromium.Page(t), relay: relaytest.New(t, opt), registrations: map[string]serviceworker.RegistrationID{}}
	r.permit(t)
	openCore(t, r.p, r.relay.URL)
	r.agent = newAgent(t, r.relay.URL)
	r.agent.lock = lock
	r.pair(r.p)
	browser.Eval[any](t, r.p, `navigator.serviceWorker.ready.then(() => true)`)
	browser.Eval[any](t, r.p, fmt.Sprintf(`until(() => core.machines()[0]?.lockScreen, (l) => l === %q)`, lock))
	return r
}

// permit lets the page show notifications, and follows its registrations.
func (r *rung) permit(t *testing.T) {
	t.Helper()
	ctx := browser.Context(r.p)
	permission := browsercdp.SetPermissionParams{Permission: &browsercdp.PermissionDescriptor{Name: "notifications"}, Setting: browsercdp.PermissionSettingGranted, Origin: r.relay.URL}
	if _, err := chromedp.CallBrowser(ctx, browsercdp.SetPermission, permission); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*serviceworker.EventWorkerRegistrationUpdated); ok {
			r.mu.Lock()
			defer r.mu.Unlock()
			for _, g := range e.Registrations {
				r.registrations[g.ScopeURL] = g.RegistrationID
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, serviceworker.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
}

func (r *rung) registration() serviceworker.RegistrationID {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		id, ok := r.registrations[r.relay.URL+"/"]
		r.mu.Unlock()
		if ok {
			return id
		}
	}
	r.t.Fatal("the worker was never registered")
	return ""
}

// deliver hands the worker one push: text as it is, or hex of a payload.
func (r *rung) deliver(data string) {
	r.t.Helper()
	push := serviceworker.DeliverPushMessageParams{Origin: r.relay.URL, RegistrationID: r.registration(), Data: data}
	if _, err := chromedp.Call(browser.Context(r.p), serviceworker.DeliverPushMessage, push); err != nil {
		r.t.Fatal(err)
	}
}

// payload is a push's plaintext: device_id(16) || message.
func (a *agent) payload(typ byte, body []byte) []byte {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, nowMS(), abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return append(slices.Clone(a.paired.Device[:]), sealed...)
}

func (r *rung) push(typ byte, m interface{ Marshal() ([]byte, error) }) {
	r.t.Helper()
	body, err := m.Marshal()
	if err != nil {
		r.t.Fatal(err)
	}
	r.deliver(hex.EncodeToString(r.payload(typ, body)))
}

// pushCard makes a card and pushes it; nothing of it goes over the socket.
func (r *rung) pushCard(input string, change func(*card.Card)) card.Written {
	r.t.Helper()
	w := r.write(input, time.Minute, change)
	r.deliver(hex.EncodeToString(r.payload(abcrypto.TypeCard, w.Body)))
	return w
}

// write makes a card of the machine's and holds it open, without sending it.
func (a *agent) write(input string, life time.Duration, change func(*card.Card)) card.Written {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.size++
	c := card.Card{Kind: card.KindCall, Caller: "claude", Session: "s", Host: "studio", Folder: "/home/dev/project", Tool: "Bash", Input: input, Class: card.Routine,
		Needs: card.Needs{Via: card.NeedTap, Quorum: 1}, Made: nowMS(), Expires: nowMS() + uint64(life.Milliseconds()), RosterHash: a.roster,
		Log: card.Log{Size: a.size, Root: [32]byte{byte(a.size)}}, Human: "you@example.com"}
	if change != nil {
		change(&c)
	}
	w, err := card.New(c, rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.open = append(a.open, w)
	return w
}

// notice is one notification as the page's registration lists it.
type notice struct {
	Tag, Title, Body string
	Actions, Labels  []string
	Silent           bool
}

func (n notice) does(action string) bool { return slices.Contains(n.Actions, action) }

// notices are all that are up.
func (r *rung) notices() []notice {
	r.t.Helper()
	return askWorker[[]notice](r, `{list: true}`)
}

// waitNotice waits until one with this tag is up of which check is true.
func (r *rung) waitNotice(tag, what string, check func(notice) bool) notice {
	r.t.Helper()
	var all []notice
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		all = r.notices()
		if i := slices.IndexFunc(all, func(n notice) bool { return n.Tag == tag && check(n) }); i >= 0 {
			return all[i]
		}
	}
	r.t.Fatalf("no notification %.8s that is %s; there are %+v", tag, what, all)
	return notice{}
}

// shows waits for the notification of a card.
func (r *rung) shows(w card.Written) notice {
	r.t.Helper()
	return r.waitNotice(id(w), "there", func(notice) bool { return true })
}

// says waits until the notification of a card says something.
func (r *rung) says(w card.Written, title string) notice {
	r.t.Helper()
	return r.waitNotice(id(w), "titled "+title, func(n notice) bool { return strings.HasPrefix(n.Title, title) })
}

// ask sends the test's worker something and gives its answer.
func askWorker[T any](r *rung, what string) T {
	r.t.Helper()
	return browser.Eval[T](r.t, r.p, `navigator.serviceWorker.ready.then((r) => new Promise((resolve, reject) => { const c = new MessageChannel();
		c.port1.onmessage = (e) => e.data.error ? reject(new Error(e.data.error)) : resolve(e.data.value); r.active.postMessage(`+what+`, [c.port2]); }))`)
}

// tap taps a notification's button, or its body, and waits until the worker has done with it.
func (r *rung) tap(tag, action string) {
	r.t.Helper()
	if !askWorker[bool](r, fmt.Sprintf(`{tap: %q, action: %q}`, tag, action)) {
		r.t.Error("the handler asked for no time to work in")
	}
}

// waitSeen waits until the device has said that it has a push.
func (a *agent) waitSeen(w card.RequestID) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		a.mu.Lock()
		ok := slices.ContainsFunc(a.seen, func(s card.Seen) bool { return s.Request == w && !s.Visible })
		a.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	a.t.Fatal("the push was not confirmed")
}
