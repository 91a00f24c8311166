package relayserver

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// app serves the phone app from memory: it is read once, and every file has an
// ETag of its content.
type app struct {
	files map[string]asset // by URL path
	build string
}

type asset struct {
	body  []byte
	kind  string // Content-Type
	tag   string // ETag
	cache string // Cache-Control
}

// Files below assets/ carry a hash of their content in their name. All others,
// index.html and the service worker first, must be asked for each time: a
// browser that keeps an old one keeps an old app.
const (
	hashed   = "assets/"
	forEver  = "public, max-age=31536000, immutable"
	askAgain = "no-cache"
)

// missing is what a relay without the app serves.
const missing = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Answerback relay</title>
<h1>This relay works, but it serves no phone app</h1>
<p>This program was built without the app. Agents and terminals can use the relay as it is. To pair a phone, build
with <code>make web build</code>, or install a release, which has the app in it.</p>
</html>
`

// newApp reads the app's files. A file that cannot be read is not served.
func newApp(files fs.FS) *app {
	a := &app{files: map[string]asset{}}
	if files == nil {
		a.add("index.html", []byte(missing))
		a.entrances()
		return a
	}
	all := sha256.New()
	fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if body, err := fs.ReadFile(files, name); err == nil {
			a.add(name, body)
			all.Write([]byte(name + "\x00" + a.files["/"+name].tag))
		}
		return nil
	})
	a.entrances()
	a.build = buildOf(files, all.Sum(nil))
	return a
}

// buildOf is the id that the app was built with, which it shows to its user,
// or else a hash over what is served.
func buildOf(files fs.FS, sum []byte) string {
	if id, err := fs.ReadFile(files, "build.txt"); err == nil {
		return strings.TrimSpace(string(id))
	}
	return hex.EncodeToString(sum[:8])
}

func (a *app) add(name string, body []byte) {
	sum := sha256.Sum256(body)
	f := asset{body: body, kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:12]) + `"`, cache: askAgain}
	if strings.HasPrefix(name, hashed) {
		f.cache = forEver
	}
	a.files["/"+name] = f
}

// entrances: a scanned code opens /P (QR's letters are upper-case), a pasted
// link /p, and both are the app.
func (a *app) entrances() {
	index, ok := a.files["/index.html"]
	if !ok {
		return
	}
	for _, p := range []string{"/", "/p", "/P"} {
		a.files[p] = index
	}
}

// kindOf does not ask the machine's own table first, which differs from one
// machine to the next: with nosniff a wrong type is a broken app.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".png":
		return "image/png"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// ServeHTTP implements http.Handler.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := a.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", f.tag)
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(f.body)
}
