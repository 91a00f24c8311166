package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Errors of [Key]. Both come wrapped in a sentence that says what to do.
var (
	ErrKeyOpen = errors.New("webpush: read key: others may read it")
	ErrKey     = errors.New("webpush: read key: it is no key of this relay")
)

const (
	pemType = "PRIVATE KEY" // PKCS #8, RFC 5958
	maxKey  = 4 << 10       // bytes of the file
)

// Key reads the relay's key from a file: PEM of PKCS #8, a P-256 key, mode 0600
// or less. A file that is not there is made, with its folder (0700). Two relays
// that start at once on one folder get the same key.
//
// Relays that stand for one another have copies of the file. A lost one cannot
// be made again: each phone has to subscribe anew, with the new key.
func Key(path string) (*ecdsa.PrivateKey, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("webpush: make key: %w", err)
	}
	return readKey(path)
}

func readKey(path string) (*ecdsa.PrivateKey, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("webpush: read key: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxKey:
		return nil, fmt.Errorf("%w: %s is not a small file", ErrKey, path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", ErrKeyOpen, path, info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("webpush: read key: %w", err)
	}
	key, ok := parseKey(text)
	if !ok {
		return nil, fmt.Errorf("%w: %s holds no P-256 key in PEM (PKCS #8); bring the right file back, or remove it for a new key, with which each phone has to subscribe again", ErrKey, path)
	}
	return key, nil
}

// parseKey accepts one PEM block and nothing else.
func parseKey(text []byte) (*ecdsa.PrivateKey, bool) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != pemType || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil, false
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, _ := any.(*ecdsa.PrivateKey)
	return key, err == nil && isP256(key)
}

// makeKey writes a new key beside its place and then links it there, so that
// the file is never half written and an older one is never replaced.
func makeKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(pem.Encode(f, &pem.Block{Type: pemType, Bytes: der}), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
