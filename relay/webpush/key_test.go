package webpush

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestKeyIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "vapid.key")
	first, err := Key(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Key(path)
	if err != nil || !again.Equal(first) {
		t.Fatalf("a restart has another key: %v", err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestRelaysThatStartAtOnceShareAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vapid.key")
	var keys [8]*ecdsa.PrivateKey
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			var err error
			if keys[i], err = Key(path); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, k := range keys {
		if k == nil || !k.Equal(keys[0]) {
			t.Fatal("two of them have different keys")
		}
	}
}

func TestKeyThatOthersMayRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vapid.key")
	if _, err := Key(path); err != nil {
		t.Fatal(err)
	}
	for mode := range os.FileMode(0o1000) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := Key(path)
		if open := mode&0o077 != 0; errors.Is(err, ErrKeyOpen) != open || open && !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}

func block(t *testing.T, kind string, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// TestKeyFromElsewhere: a copy, and what openssl makes, is taken; what is no
// such key is refused and stays as it is.
func TestKeyFromElsewhere(t *testing.T) {
	good := newKey(t)
	text := block(t, pemType, good)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	sec1, _ := x509.MarshalECPrivateKey(good)
	path := filepath.Join(t.TempDir(), "vapid.key")
	for name, content := range map[string][]byte{
		"empty": {}, "text": []byte("secret"), "half": text[:len(text)/2], "other type": block(t, "PUBLIC KEY", good), "P-384": block(t, pemType, p384), "Ed25519": block(t, pemType, ed),
		"SEC 1": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}), "two keys": slices.Concat(text, text), "text behind": append(slices.Clone(text), "x"...),
		"with headers": pem.EncodeToMemory(&pem.Block{Type: pemType, Headers: map[string]string{"a": "b"}, Bytes: sec1}), "huge": append(slices.Clone(text), make([]byte, maxKey)...),
	} {
		os.WriteFile(path, content, 0o600)
		if _, err := Key(path); !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(path); string(now) != string(content) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	os.WriteFile(path, append(text, '\n'), 0o600)
	if got, err := Key(path); err != nil || !got.Equal(good) {
		t.Errorf("a copied key: %v", err)
	}
}

func TestKeyWithoutAPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := Key(filepath.Join(file, "vapid.key")); err == nil {
		t.Error("a key below a file")
	}
	if _, err := Key(t.TempDir()); !errors.Is(err, ErrKey) {
		t.Errorf("a folder: %v", err)
	}
}
