package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// write makes a self-signed certificate with a serial number.
func write(t *testing.T, cert, key string, serial int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"relay.example.org"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	save(t, cert, "CERTIFICATE", der)
	save(t, key, "EC PRIVATE KEY", secret)
}

func save(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

func serial(t *testing.T, f *files) int64 {
	t.Helper()
	c, err := f.get()
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return leaf.SerialNumber.Int64()
}

func TestARenewedCertificateIsTakenUp(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	f := &files{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), now: func() time.Time { return now }}
	write(t, f.cert, f.key, 1)
	if got := serial(t, f); got != 1 {
		t.Fatalf("serial %d", got)
	}
	write(t, f.cert, f.key, 2)
	os.Chtimes(f.cert, now, now.Add(time.Second))
	if got := serial(t, f); got != 1 {
		t.Errorf("serial %d within the minute", got)
	}
	now = now.Add(lookEvery)
	if got := serial(t, f); got != 2 {
		t.Errorf("serial %d after the minute", got)
	}
}

func TestABrokenRenewalKeepsTheOldOne(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	f := &files{cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), now: func() time.Time { return now }}
	write(t, f.cert, f.key, 1)
	serial(t, f)
	for _, spoil := range []func(){
		func() { os.WriteFile(f.cert, []byte("half"), 0o600); os.Chtimes(f.cert, now, now.Add(time.Hour)) },
		func() { os.Remove(f.cert) },
	} {
		spoil()
		now = now.Add(lookEvery)
		if got := serial(t, f); got != 1 {
			t.Errorf("serial %d", got)
		}
	}
}

func TestBadFilesAreSaidAtTheStart(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := Files(cert, key); err == nil {
		t.Error("missing files were taken")
	}
	write(t, cert, key, 1)
	write(t, filepath.Join(dir, "other.pem"), key, 2)
	if _, err := Files(cert, key); err == nil {
		t.Error("a key of another certificate was taken")
	}
}

func TestFilesServeTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, cert, key, 1)
	config, err := Files(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.NotFoundHandler()}
	go srv.Serve(l)
	defer srv.Close()
	c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("speaks %q", got)
	}
}

func TestAutoServesOneNameOnly(t *testing.T) {
	config, handler := Auto("relay.example.org", t.TempDir(), "")
	if !slices.Contains(config.NextProtos, "acme-tls/1") || slices.Contains(config.NextProtos, "h2") {
		t.Errorf("speaks %q", config.NextProtos)
	}
	if _, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: "other.example.org"}); err == nil {
		t.Error("a certificate for another name was asked for")
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://relay.example.org/p", nil))
	if got := w.Header().Get("Location"); got != "https://relay.example.org/p" {
		t.Errorf("port 80 leads to %q", got)
	}
}
