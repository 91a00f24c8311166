package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"answerback/agent/card"
	"answerback/hook"
)

// Options say how an agent runs. The zero value is refused: State and RelayURL must be set.
type Options struct {
	// State is the folder that holds keys, devices and the log. It is made 0700.
	State string
	// Socket is the path that hooks and commands connect to; empty means the path that package hook computes from the uid.
	Socket string
	// Name is what devices call this agent; empty means the host's name.
	Name string
	// Host is this machine's name as cards show it; empty means the host's name.
	Host string
	// RelayURL is the relay's base address, http or https. With none the agent makes no outbound request at all, so none is an error here.
	RelayURL string
	// RelayToken is the access token of a private relay; it is sent in the Authorization header and never to a device.
	RelayToken string
	// AppOrigin is where the phone app is served from; empty means the relay's own origin.
	AppOrigin string
	// Human is whom calls are asked for, as `install --human` wrote it. Empty: cards say nothing of it.
	Human string
	// Version is the program's, for state messages and doctor.
	Version string
	// Log takes the agent's own lines; never the text of a call. Nil means none.
	Log *slog.Logger
}

// complete fills in defaults and refuses what cannot work.
func (o Options) complete() (Options, error) {
	if o.State == "" {
		return o, errors.New("agent: no state folder was named; give --state DIR")
	}
	state, err := filepath.Abs(o.State)
	if err != nil {
		return o, fmt.Errorf("agent: find state folder: %w", err)
	}
	o.State = state
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "this machine"
	}
	o.Host = firstOf(o.Host, short(host))
	o.Name = firstOf(o.Name, o.Host)
	o.Socket = firstOf(o.Socket, hook.Socket(os.Getuid()))
	if err := o.checkNames(); err != nil {
		return o, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	origin, err := originOf(o.RelayURL)
	if err != nil {
		return o, err
	}
	o.RelayURL = origin
	if o.AppOrigin == "" {
		o.AppOrigin = origin
	} else if o.AppOrigin, err = originOf(o.AppOrigin); err != nil {
		return o, err
	}
	return o, nil
}

// checkNames refuses what no card could hold: every call would fail later, and its caller ask its own user, without anybody knowing why.
func (o Options) checkNames() error {
	for _, c := range []struct {
		name, text, flag string
		max              int
	}{{"host's name", o.Host, "the host a shorter one", maxName}, {"agent's name", o.Name, "--name a shorter one", maxName}, {"name of the human", o.Human, "--human a shorter one", card.MaxWord}} {
		if len(c.text) > c.max || !utf8.ValidString(c.text) {
			return fmt.Errorf("agent: the %s has %d bytes, and %d bytes of UTF-8 are the most; give %s", c.name, len(c.text), c.max, c.flag)
		}
	}
	return nil
}

// originOf reduces an address to scheme, host and port; it is what QR codes, bundles and Origin headers hold.
func originOf(address string) (string, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" {
		return "", fmt.Errorf("agent: %q is no relay address; give one like https://relay.example.org", address)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// loopback reports whether an address can only be reached from this machine, so that whatever pairs through it is on this machine too.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") // RFC 6761 section 6.3
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// short cuts a host's domain off: cards and rosters show the name that a person uses.
func short(host string) string {
	name, _, _ := strings.Cut(host, ".")
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return name
}

// maxName bounds agent, host and device names, in bytes (protocol: names at most 64 bytes).
const maxName = 64
