// Package web tests the phone app's code in real browsers: the shared vectors on the browser's own WebCrypto, and the core
// against a real relay.
package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"answerback/test/browser"
)

// chromium is the one that all tests share: every test has its own relay, so its own origin and its own storage.
var chromium *browser.Chromium

// bundle is the folder with the test bundles, app the one with the app itself; both are built once.
var bundle, app string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "answerback-web-")
	if err == nil {
		defer os.RemoveAll(dir)
		bundle, app = filepath.Join(dir, "test"), filepath.Join(dir, "app")
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		return 1
	}
	c, stop, err := browser.StartChromium(filepath.Join(bundle, "..", "profile"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		return 1
	}
	defer stop()
	chromium = c
	return m.Run()
}

// build makes the app and the test bundles with the app's own build.
func build() error {
	source := filepath.Join("..", "..", "mobile-web")
	if _, err := os.Stat(filepath.Join(source, "node_modules", "esbuild")); err != nil {
		if err := command(source, "npm", "ci", "--no-audit", "--no-fund", "--silent"); err != nil {
			return err
		}
	}
	if err := command(source, "node", "build.mjs", "--test", bundle); err != nil {
		return err
	}
	return command(source, "node", "build.mjs", "--out", app)
}

func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// policy is the content policy that the relay serves the app with: the tests run under it too.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types answerback"

// page serves one test bundle as a page of its own origin, and the given files beside it.
func page(t *testing.T, script string, files map[string]string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>test</title><script type="module" src="/bundle/%s"></script></html>`, script)
	})
	mux.Handle("/bundle/", http.StripPrefix("/bundle/", http.FileServer(http.Dir(bundle))))
	for path, file := range files {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}
