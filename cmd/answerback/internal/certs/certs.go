// Package certs gives a relay its certificate: its own, from Let's Encrypt or another ACME server (RFC 8555), or the operator's files, read anew
// when they change.
package certs

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// The relay speaks HTTP/1.1: a WebSocket upgrade does not exist in HTTP/2 as browsers use it here.
var protocols = []string{"http/1.1"}

// Auto gets a certificate for one name and renews it; dir (0700) keeps it. The challenges are answered on the TLS port itself (RFC 8737)
// and, where port 80 is ours, by the handler.
func Auto(domain, dir, contact string) (*tls.Config, http.Handler) {
	m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(domain), Cache: autocert.DirCache(dir), Email: contact}
	config := m.TLSConfig()
	config.NextProtos = append(append([]string{}, protocols...), acme.ALPNProto)
	config.MinVersion = tls.VersionTLS12
	return config, m.HTTPHandler(nil)
}

// lookEvery is how often the files are looked at for a renewed certificate.
const lookEvery = time.Minute

// files is a certificate on disk.
type files struct {
	cert, key string
	now       func() time.Time

	mu      sync.Mutex
	loaded  *tls.Certificate
	changed time.Time // of the certificate's file, as loaded
	looked  time.Time
}

// Files serves the certificate in two PEM files. A renewed one is taken up within a minute; one that cannot be read is not: the old one stays.
func Files(cert, key string) (*tls.Config, error) {
	f := &files{cert: cert, key: key, now: time.Now}
	if _, err := f.get(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: protocols,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.get() },
	}, nil
}

func (f *files) get() (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.loaded != nil && now.Sub(f.looked) < lookEvery {
		return f.loaded, nil
	}
	f.looked = now
	if err := f.load(); err != nil && f.loaded == nil {
		return nil, err
	}
	return f.loaded, nil
}

func (f *files) load() error {
	info, err := os.Stat(f.cert)
	if err != nil {
		return fmt.Errorf("certs: read certificate: %w", err)
	}
	if f.loaded != nil && info.ModTime().Equal(f.changed) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certs: read certificate: %w", err)
	}
	f.loaded, f.changed = &pair, info.ModTime()
	return nil
}
