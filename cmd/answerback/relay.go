package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"answerback/cmd/answerback/internal/certs"
	"answerback/cmd/answerback/internal/ports"
	"answerback/cmd/answerback/internal/voice"
	mobileweb "answerback/mobile-web"
	"answerback/relay/relayserver"
)

const relayAbout = `Runs a relay: it moves sealed bytes between mailboxes, reads nothing and keeps
nothing. It also serves the phone app. A phone needs https to use it, because
browsers give keys, camera and notifications to safe pages only. Three ways:

  a server with a name   answerback relay --domain relay.example.org
                         (ports 443 and 80; it gets its own certificate)
  behind a proxy         answerback relay --host relay.example.org
                         (Caddy, nginx or a tunnel adds https and passes on to
                         localhost:7380)
  your own certificate   answerback relay --listen :443 --cert FILE --key FILE

Then, on the machine where your tools run:
                         answerback up --relay https://relay.example.org

Whoever serves the phone app can sign with your key, and by default the relay
serves it: so run it yourself. Another host name is a new origin, and every
phone pairs again.`

// relayFlags are the command line of a relay.
type relayFlags struct {
	pushFlags
	listen, domain, cert, key, tokenFile string
	appOrigins, names, proxies           []string
}

func (a *app) relayCommand() *cobra.Command {
	var f relayFlags
	c := &cobra.Command{
		Use:   "relay [--domain NAME]",
		Short: "run a relay; help relay says what a phone needs",
		Long:  relayAbout,
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c.Flags().Changed("listen")); err != nil {
				return err
			}
			return a.relay(c.Context(), f)
		},
	}
	l := c.Flags()
	l.StringVar(&f.listen, "listen", "localhost:7380", "`ADDR` to listen on (with --domain: :443)")
	l.StringVar(&f.domain, "domain", "", "`NAME` of this relay; it gets a certificate for it by ACME")
	l.StringVar(&f.cert, "cert", "", "`FILE` with a certificate chain (PEM)")
	l.StringVar(&f.key, "key", "", "`FILE` with its key (PEM)")
	l.StringVar(&f.tokenFile, "token-file", "", "`FILE` with an access token: the relay serves its holders only")
	f.pushFlags.add(l)
	l.StringArrayVar(&f.appOrigins, "app-origin", nil, "further `ORIGIN` whose phone app may use this relay")
	l.StringArrayVar(&f.names, "host", nil, "`NAME` under which a proxy on this machine passes on")
	l.StringArrayVar(&f.proxies, "trusted-proxy", nil, "`NET` whose X-Forwarded-For is believed, like 10.0.0.0/8")
	return c
}

// check refuses what cannot go together, and fills in what follows from the rest.
func (f *relayFlags) check(listen bool) error {
	switch {
	case f.domain != "" && f.cert+f.key != "":
		return voice.Fail(voice.WrongUse, "--domain gets its own certificate; leave out --cert and --key, or --domain")
	case (f.cert == "") != (f.key == ""):
		return voice.Fail(voice.WrongUse, "--cert and --key go together; give both")
	case f.domain != "" && (strings.ContainsAny(f.domain, "/: ") || !strings.Contains(f.domain, ".")):
		return voice.Fail(voice.WrongUse, "--domain takes a name like relay.example.org, and %q is none", f.domain)
	}
	if _, err := f.subject(nil); err != nil {
		return err
	}
	for _, origin := range f.appOrigins {
		if !strings.HasPrefix(origin, "https://") || strings.Count(origin, "/") != 2 {
			return voice.Fail(voice.WrongUse, "--app-origin takes an origin like https://app.example.org, and %q is none", origin)
		}
	}
	if f.domain != "" && !listen {
		f.listen = ":443"
	}
	return nil
}

func (a *app) relay(ctx context.Context, f relayFlags) error {
	o, err := a.relayOptions(f)
	if err != nil {
		return err
	}
	config, port80, err := a.certificate(f)
	if err != nil {
		return err
	}
	listeners, err := ports.Listen(f.listen)
	if err != nil {
		return portTrouble(ctx, f.listen, err)
	}
	a.Print("relay   %s     reads nothing, keeps nothing", relayURL(f, config, listeners))
	a.remarks(f, o.App != nil, config != nil, ports.Loopback(listeners))
	if port80 != nil {
		go a.redirect(ctx, port80)
	}
	if config != nil {
		for i, l := range listeners {
			listeners[i] = tls.NewListener(l, config)
		}
	}
	return relayserver.New(o).Serve(ctx, listeners...)
}

// remarks say what a relay that was started like this cannot do.
func (a *app) remarks(f relayFlags, phoneApp, https, loopback bool) {
	if subject, err := f.subject(f.outside()); err == nil && subject == "" {
		a.Say("without --contact no iPhone is notified through this relay: Apple takes no push without a mail or https address to ask about it")
	}
	if !phoneApp {
		a.Say("this program was built without the phone app, so the relay serves none; run: make web build")
	}
	if !https && !loopback {
		a.Say("a phone needs https, and this relay speaks http: put a proxy in front, or: answerback help relay")
	}
}

func (a *app) relayOptions(f relayFlags) (relayserver.Options, error) {
	o := relayserver.Options{AppOrigins: f.appOrigins, Hosts: f.names, Version: version, Log: logTo(a.Err)}
	o.App, _ = mobileweb.Files()
	push, err := a.pusher(f.pushFlags, f.outside(), o.Log)
	if err != nil {
		return o, err
	}
	o.Push = push
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile)
		if err != nil {
			return o, err
		}
		o.Token = token
	}
	for _, text := range f.proxies {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return o, voice.Fail(voice.WrongUse, "--trusted-proxy takes a network like 10.0.0.0/8, and %q is none", text)
		}
		o.TrustedProxies = append(o.TrustedProxies, network)
	}
	return o, nil
}

// outside are the names that the relay has outside this machine, the best first.
func (f *relayFlags) outside() []string {
	if f.domain != "" {
		return []string{f.domain}
	}
	return f.names
}

// certificate is nil where the relay speaks http. The handler answers port 80 for an own name.
func (a *app) certificate(f relayFlags) (*tls.Config, http.Handler, error) {
	switch {
	case f.domain != "":
		p, err := a.place()
		if err != nil {
			return nil, nil, err
		}
		config, port80 := certs.Auto(f.domain, filepath.Join(p.State, "certs"), f.mail())
		return config, port80, nil
	case f.cert != "":
		config, err := certs.Files(f.cert, f.key)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			err = voice.Fail(voice.Failed, "the certificate cannot be read: %w", err)
		}
		return config, nil, err
	}
	return nil, nil, nil
}

func relayURL(f relayFlags, config *tls.Config, listeners []net.Listener) string {
	switch {
	case f.domain != "":
		return "https://" + f.domain
	case len(f.names) > 0:
		return "https://" + f.names[0]
	case config != nil:
		return strings.Replace(ports.URL(f.listen, listeners), "http://", "https://", 1)
	}
	return ports.URL(f.listen, listeners)
}

// redirect serves port 80 as long as it can be had: it answers ACME's challenge and leads everybody else to https. The certificate comes
// without it too, over port 443.
func (a *app) redirect(ctx context.Context, handler http.Handler) {
	l, err := net.Listen("tcp", ":80")
	if err != nil {
		a.Say("port 80 is not ours, so nobody is led from http to https; the certificate comes over port 443")
		return
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 8 << 10}
	context.AfterFunc(ctx, func() { srv.Close() })
	srv.Serve(l)
}
