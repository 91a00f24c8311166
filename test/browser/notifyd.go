package browser

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// Notifyd is the notification service of a desktop that only this test has: it keeps what browsers show and presses their buttons. To
// a browser it is the real thing (https://specifications.freedesktop.org/notification-spec/), so what a press brings about is a trusted
// event. It has a session bus of its own; a browser joins it by Env.
type Notifyd struct {
	t       testing.TB
	address string
	conn    *dbus.Conn

	mu     sync.Mutex
	last   uint32
	open   []Notification
	shown  []Notification // in order, not yet taken by Next
	ended  []uint32
	change chan struct{} // closed at the next change
}

// Notification is one that was shown, or shown anew in the place of an older one.
type Notification struct {
	ID       uint32
	Replaces uint32 // the id that the browser asked to replace, 0 for none
	App      string
	Title    string
	Body     string
	Actions  []Action
	Urgency  byte // 0 low, 1 normal, 2 critical
}

// Action is a button, or with the key "default" a click on the notification itself.
type Action struct{ Key, Label string }

// Labels are what the buttons say, the click on the whole left out.
func (n Notification) Labels() []string {
	var out []string
	for _, a := range n.Actions {
		if a.Key != "default" && a.Key != "settings" {
			out = append(out, a.Label)
		}
	}
	return out
}

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = dbus.ObjectPath("/org/freedesktop/Notifications")
	notifyWait = 30 * time.Second

	closedByPerson  = 2
	closedByProgram = 3
)

// NewNotifyd starts a bus with a notification service for the time of the test.
func NewNotifyd(t testing.TB) *Notifyd {
	t.Helper()
	n := &Notifyd{t: t, address: startBus(t), change: make(chan struct{})}
	conn, err := dbus.Connect(n.address)
	if err != nil {
		t.Fatalf("browser: join the bus: %v", err)
	}
	t.Cleanup(func() { conn.Close() })
	n.conn = conn
	if err := conn.Export(desktop{n}, notifyPath, notifyName); err != nil {
		t.Fatalf("browser: export notifications: %v", err)
	}
	if reply, err := conn.RequestName(notifyName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("browser: own the name of notifications: %v, %v", reply, err)
	}
	return n
}

// busConfig lets everybody on the bus say everything, and starts no service by itself.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
`

// startBus runs a session bus and returns its address.
func startBus(t testing.TB) string {
	t.Helper()
	path, err := find([]string{"dbus-daemon"})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "bus") // short: a socket's path has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	config := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, filepath.Join(dir, "socket")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("browser: start a bus: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("browser: the bus does not say its address: %v", err)
	}
	go io.Copy(io.Discard, out)
	return strings.TrimSpace(line)
}

// Env makes a program join this desktop.
func (n *Notifyd) Env() []string { return []string{"DBUS_SESSION_BUS_ADDRESS=" + n.address} }

// Next returns the next notification in the order in which they came, or fails the test after 30 s.
func (n *Notifyd) Next() Notification {
	n.t.Helper()
	var next Notification
	n.until("a notification", func() bool {
		if len(n.shown) == 0 {
			return false
		}
		next, n.shown = n.shown[0], n.shown[1:]
		return true
	})
	return next
}

// Open are the notifications on the screen, the oldest first.
func (n *Notifyd) Open() []Notification {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.open)
}

// WaitClosed waits until a notification is off the screen, or fails the test.
func (n *Notifyd) WaitClosed(id uint32) {
	n.t.Helper()
	n.until(fmt.Sprintf("the end of notification %d", id), func() bool { return slices.Contains(n.ended, id) })
}

func (n *Notifyd) until(what string, ok func() bool) {
	n.t.Helper()
	end := time.NewTimer(notifyWait)
	defer end.Stop()
	for {
		n.mu.Lock()
		done, change := ok(), n.change
		n.mu.Unlock()
		if done {
			return
		}
		select {
		case <-change:
		case <-end.C:
			n.t.Fatalf("browser: no %s came; on the screen: %+v", what, n.Open())
		}
	}
}

// Press presses the button with that label. The desktop closes the notification then, as desktops do.
func (n *Notifyd) Press(shown Notification, label string) {
	n.t.Helper()
	for _, a := range shown.Actions {
		if a.Label == label && a.Key != "default" {
			n.invoke(shown.ID, a.Key)
			return
		}
	}
	n.t.Fatalf("browser: notification %q has no button %q: %+v", shown.Title, label, shown.Actions)
}

// Click clicks on the notification itself.
func (n *Notifyd) Click(shown Notification) {
	n.t.Helper()
	n.invoke(shown.ID, "default")
}

// Dismiss sweeps a notification away, as a person does who does not answer.
func (n *Notifyd) Dismiss(shown Notification) {
	n.t.Helper()
	n.close(shown.ID, closedByPerson)
}

func (n *Notifyd) invoke(id uint32, key string) {
	n.t.Helper()
	if err := n.conn.Emit(notifyPath, notifyName+".ActionInvoked", id, key); err != nil {
		n.t.Fatalf("browser: press %q: %v", key, err)
	}
	n.close(id, closedByPerson)
}

// close takes a notification off the screen and says so on the bus.
func (n *Notifyd) close(id uint32, reason uint32) {
	n.mu.Lock()
	before := len(n.open)
	n.open = slices.DeleteFunc(n.open, func(o Notification) bool { return o.ID == id })
	was := len(n.open) < before
	if was {
		n.ended = append(n.ended, id)
		n.changed()
	}
	n.mu.Unlock()
	if was {
		n.conn.Emit(notifyPath, notifyName+".NotificationClosed", id, reason)
	}
}

// changed wakes whoever waits. The caller holds the lock.
func (n *Notifyd) changed() {
	close(n.change)
	n.change = make(chan struct{})
}

// desktop is what the bus sees.
type desktop struct{ n *Notifyd }

// GetCapabilities is of the notification specification.
func (d desktop) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "actions", "persistence"}, nil
}

// GetServerInformation returns name, vendor, version and the specification's version.
func (d desktop) GetServerInformation() (string, string, string, string, *dbus.Error) {
	return "test desktop", "answerback", "1", "1.2", nil
}

// Notify shows a notification.
func (d desktop) Notify(app string, replaces uint32, _, title, body string, actions []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	n := d.n
	n.mu.Lock()
	defer n.mu.Unlock()
	shown := Notification{ID: replaces, Replaces: replaces, App: app, Title: title, Body: body, Urgency: 1}
	if shown.ID == 0 {
		n.last++
		shown.ID = n.last
	}
	for pair := range slices.Chunk(actions, 2) {
		if len(pair) == 2 {
			shown.Actions = append(shown.Actions, Action{Key: pair[0], Label: pair[1]})
		}
	}
	if u, ok := hints["urgency"]; ok {
		shown.Urgency, _ = u.Value().(byte)
	}
	n.open = append(slices.DeleteFunc(n.open, func(o Notification) bool { return o.ID == shown.ID }), shown)
	n.shown = append(n.shown, shown)
	n.changed()
	return shown.ID, nil
}

// CloseNotification is a program's wish to take its notification back.
func (d desktop) CloseNotification(id uint32) *dbus.Error {
	d.n.close(id, closedByProgram)
	return nil
}
