package main

import (
	"crypto/ecdsa"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"answerback/cmd/answerback/internal/voice"
	"answerback/relay/webpush"
)

// pushFlags are what `relay` and `up` have in common about pushes.
type pushFlags struct {
	contact string
	hosts   []string
}

func (f *pushFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.contact, "contact", "", "`MAIL` for push services and the certificate authority")
	flags.StringArrayVar(&f.hosts, "push-host", nil, "further push service `HOST[:PORT]`, your own or a test's")
}

// vapidKey is the file in the state folder with the key that pushes are signed with.
const vapidKey = "vapid.key"

// pusher makes the part of a relay that sends pushes. names are those under which the relay is reached from outside: the first that can
// be asked about a push stands in for a contact that was not given.
func (a *app) pusher(f pushFlags, names []string, log *slog.Logger) (*webpush.Sender, error) {
	subject, err := f.subject(names)
	if err != nil {
		return nil, err
	}
	key, err := a.pushKey()
	if err != nil {
		return nil, err
	}
	s, err := webpush.New(webpush.Options{Key: key, Subject: subject, Hosts: f.hosts, Log: log})
	if err != nil {
		return nil, voice.Fail(voice.WrongUse, "--push-host: %w", err)
	}
	return s, nil
}

// pushKey reads the key, or makes it at the first start.
func (a *app) pushKey() (*ecdsa.PrivateKey, error) {
	p, err := a.place()
	if err != nil {
		return nil, err
	}
	key, err := webpush.Key(filepath.Join(p.State, vapidKey))
	switch {
	case errors.Is(err, webpush.ErrKeyOpen), errors.Is(err, webpush.ErrKey):
		return nil, voice.Fail(voice.Refused, "%w", err)
	case err != nil:
		return nil, voice.Fail(voice.Failed, "the key for pushes cannot be kept (%w); give --state DIR with a folder of the relay's own", err)
	}
	return key, nil
}

// subject is what push services are told, empty where there is nothing that they could use.
func (f *pushFlags) subject(names []string) (string, error) {
	if f.contact != "" {
		subject, err := webpush.Subject(f.contact)
		if err != nil {
			return "", voice.Fail(voice.WrongUse, "--contact: %w", err)
		}
		return subject, nil
	}
	for _, name := range names {
		if subject, err := webpush.Subject("https://" + name); err == nil {
			return subject, nil
		}
	}
	return "", nil
}

// mail is the contact as the certificate authority takes it: an address, or nothing.
func (f *pushFlags) mail() string {
	if strings.Contains(f.contact, "://") {
		return ""
	}
	return strings.TrimPrefix(f.contact, "mailto:")
}
