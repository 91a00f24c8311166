package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// ownCertificate writes a self-signed certificate for 127.0.0.1, and returns a pool that trusts it.
func ownCertificate(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600)
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust = x509.NewCertPool()
	trust.AddCert(leaf)
	return cert, key, trust
}

func TestRelayWithItsOwnCertificate(t *testing.T) {
	cert, key, trust := ownCertificate(t)
	s := onTerminal(t, nil, "relay", "--listen", "127.0.0.1:0", "--cert", cert, "--key", key)
	url := s.see(`relay   (https://127\.0\.0\.1:\d+) +reads nothing, keeps nothing`)[1]
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}, Timeout: 10 * time.Second}
	for path, want := range map[string]int{"/healthz": http.StatusNoContent, "/v1/info": http.StatusOK, "/P": http.StatusOK} {
		resp, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s answers %d", path, resp.StatusCode)
		}
	}
	client.CloseIdleConnections()
	s.enter("\x03")
	s.ends(0)
}

func TestIsRelay(t *testing.T) {
	status := http.StatusNoContent
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}
	go srv.Serve(l)
	defer srv.Close()
	url := "http://" + l.Addr().String()
	for code, want := range map[int]bool{http.StatusNoContent: true, http.StatusServiceUnavailable: true, http.StatusOK: false, http.StatusNotFound: false} {
		status = code
		if got := isRelay(context.Background(), url, time.Second); got != want {
			t.Errorf("status %d is a relay: %v", code, got)
		}
	}
	if isRelay(context.Background(), "http://127.0.0.1:1", time.Second) || isRelay(context.Background(), "://", time.Second) {
		t.Error("nobody is taken for a relay")
	}
}
