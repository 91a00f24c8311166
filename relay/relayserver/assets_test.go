package relayserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"answerback/relay/relayserver"
)

func respond(s *relayserver.Server, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, "http://localhost"+path, nil))
	return w
}

var builtApp = fstest.MapFS{
	"index.html":              {Data: []byte("<!doctype html><title>app</title>")},
	"sw.js":                   {Data: []byte("self")},
	"manifest.webmanifest":    {Data: []byte("{}")},
	"assets/app-T73SBS7R.js":  {Data: []byte("run()")},
	"assets/app-MMLLGUY3.css": {Data: []byte("body{}")},
	"icons/icon-192.png":      {Data: []byte("png")},
	"build.txt":               {Data: []byte("0123456789abcdef\n")},
}

func TestAppFiles(t *testing.T) {
	s := relayserver.New(relayserver.Options{App: builtApp})
	for _, tc := range []struct{ path, kind, cache, body string }{
		{"/", "text/html; charset=utf-8", "no-cache", "<!doctype html><title>app</title>"},
		{"/p", "text/html; charset=utf-8", "no-cache", "<!doctype html><title>app</title>"},
		{"/P", "text/html; charset=utf-8", "no-cache", "<!doctype html><title>app</title>"},
		{"/index.html", "text/html; charset=utf-8", "no-cache", "<!doctype html><title>app</title>"},
		{"/sw.js", "text/javascript; charset=utf-8", "no-cache", "self"},
		{"/manifest.webmanifest", "application/manifest+json", "no-cache", "{}"},
		{"/icons/icon-192.png", "image/png", "no-cache", "png"},
		{"/assets/app-T73SBS7R.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "run()"},
		{"/assets/app-MMLLGUY3.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable", "body{}"},
	} {
		w := respond(s, "GET", tc.path)
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Type") != tc.kind || h.Get("Cache-Control") != tc.cache || w.Body.String() != tc.body {
			t.Errorf("%s: %d %v %q", tc.path, w.Code, h, w.Body)
		}
		again := httptest.NewRequest("GET", "http://localhost"+tc.path, nil)
		again.Header.Set("If-None-Match", h.Get("ETag"))
		w = httptest.NewRecorder()
		if s.ServeHTTP(w, again); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("%s with its ETag: %d", tc.path, w.Code)
		}
	}
}

func TestNoSuchFile(t *testing.T) {
	s := relayserver.New(relayserver.Options{App: builtApp})
	for _, path := range []string{"/nothing", "/assets/", "/assets", "/p/", "/../secret", "/assets/../index.html", "/%2e%2e/x", "/v1/", "/v1/other", "//p"} {
		if w := respond(s, "GET", path); w.Code == 200 {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "TRACE"} {
		if w := respond(s, method, "/"); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s /: %d", method, w.Code)
		}
	}
}

func TestWithoutApp(t *testing.T) {
	w := respond(relayserver.New(relayserver.Options{}), "GET", "/p")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "built without the app") || strings.Contains(w.Body.String(), "<script") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestStrictHeaders: on every answer, whatever the path and the status, the app
// is held to its own origin.
func TestStrictHeaders(t *testing.T) {
	s := relayserver.New(relayserver.Options{App: builtApp})
	for _, path := range []string{"/", "/p", "/assets/app-T73SBS7R.js", "/sw.js", "/nothing", "/v1/info", "/healthz", "/v1/ws"} {
		h := respond(s, "GET", path).Header()
		policy := strings.Split(h.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'",
			"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types answerback"} {
			if !slices.Contains(policy, want) {
				t.Errorf("%s: the policy lacks %q", path, want)
			}
		}
		for _, never := range []string{"unsafe", "*", "http:", "https:", "data:", "blob:", "nonce"} {
			if strings.Contains(h.Get("Content-Security-Policy"), never) {
				t.Errorf("%s: the policy has %q", path, never)
			}
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if !strings.Contains(h.Get("Permissions-Policy"), "camera=(self)") {
			t.Errorf("%s: %q", path, h.Get("Permissions-Policy"))
		}
	}
}

func TestInfo(t *testing.T) {
	for name, tc := range map[string]struct {
		opt  relayserver.Options
		want string
	}{
		"bare": {relayserver.Options{Version: "1.2.3"}, `{"version":"1.2.3","protocol":[1],"vapid":"","limits":{"frame":270336,"boxes":64,"listeners":4,"wait":20,` +
			`"push_body":2800,"push_ttl":900,"box_burst":64,"box_bytes":33554432},"app":""}` + "\n"},
		"with an app and pushes": {relayserver.Options{App: builtApp, Push: &pusher{}}, `{"version":"","protocol":[1],"vapid":"the VAPID key","limits":{"frame":270336,"boxes":64,"listeners":4,"wait":20,` +
			`"push_body":2800,"push_ttl":900,"box_burst":64,"box_bytes":33554432},"app":"0123456789abcdef"}` + "\n"},
	} {
		if w := respond(relayserver.New(tc.opt), "GET", "/v1/info"); w.Body.String() != tc.want {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

// TestBuildWithoutBuildFile: then the id is a hash over every file.
func TestBuildWithoutBuildFile(t *testing.T) {
	build := func(files fstest.MapFS) string {
		var info relayserver.Info
		json.Unmarshal(respond(relayserver.New(relayserver.Options{App: files}), "GET", "/v1/info").Body.Bytes(), &info)
		return info.App
	}
	one := build(fstest.MapFS{"index.html": {Data: []byte("a")}})
	if len(one) != 16 || one == build(fstest.MapFS{"index.html": {Data: []byte("b")}}) || one == build(fstest.MapFS{"index.htm": {Data: []byte("a")}}) ||
		one != build(fstest.MapFS{"index.html": {Data: []byte("a")}}) {
		t.Errorf("the id %q does not follow the files", one)
	}
}
