package agent

import (
	"path/filepath"
	"strings"
	"testing"
)

// What no card or code could hold is refused at the start, with what to give instead, and not at the first call.
func TestOptionsRefuse(t *testing.T) {
	good := Options{State: "/tmp/s", Socket: "/tmp/s/a.sock", RelayURL: "https://relay.example.org"}
	if _, err := good.complete(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Options)
		says   string
	}{
		"no state":               {func(o *Options) { o.State = "" }, "--state"},
		"no relay":               {func(o *Options) { o.RelayURL = "" }, "https://relay.example.org"},
		"a relay with a path":    {func(o *Options) { o.RelayURL = "https://relay.example.org/x" }, "https://relay.example.org"},
		"a relay with a user":    {func(o *Options) { o.RelayURL = "https://me@relay.example.org" }, "https://relay.example.org"},
		"another scheme":         {func(o *Options) { o.RelayURL = "ftp://relay.example.org" }, "https://relay.example.org"},
		"a bad app origin":       {func(o *Options) { o.AppOrigin = "app.example.org" }, "https://relay.example.org"},
		"a long name":            {func(o *Options) { o.Name = strings.Repeat("n", 65) }, "--name"},
		"a name that is no text": {func(o *Options) { o.Name = "\xff" }, "--name"},
		"a long host":            {func(o *Options) { o.Host = strings.Repeat("n", 65) }, "host"},
		"a long human":           {func(o *Options) { o.Human = strings.Repeat("n", 257) }, "--human"},
	} {
		o := good
		c.change(&o)
		if _, err := o.complete(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q", name, err, c.says)
		}
	}
}

func TestOptionsComplete(t *testing.T) {
	o, err := Options{State: "s", RelayURL: "https://Relay.Example.org/"}.complete()
	must(t, err)
	if !filepath.IsAbs(o.State) || o.RelayURL != "https://relay.example.org" || o.AppOrigin != o.RelayURL || o.Host == "" || o.Name != o.Host || o.Log == nil || o.Socket == "" {
		t.Errorf("%+v", o)
	}
}

func TestShortHost(t *testing.T) {
	for host, want := range map[string]string{"studio.example.org": "studio", "studio": "studio", strings.Repeat("é", 40): strings.Repeat("é", 32),
		strings.Repeat("x", 63) + "é": strings.Repeat("x", 63)} {
		if got := short(host); got != want {
			t.Errorf("%q is shown as %q, want %q", host, got, want)
		}
	}
}

// Only what certainly is this machine counts as it: a phone that came by a real relay must never be taken for a device for trying out.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:7380": true, "http://127.0.0.1:7380": true, "http://127.8.9.10": true, "http://[::1]:7380": true,
		"https://box.localhost": true, "http://[::ffff:127.0.0.1]": true, "http://localhost.": true,
		"https://127.example.org": false, "https://127.0.0.1.example.org": false, "https://localhost.example.org": false,
		"https://notlocalhost": false, "http://10.0.0.1": false, "http://0.0.0.0": false, "https://relay.example.org": false, "": false, "http://%": false,
	} {
		if got := loopback(address); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
