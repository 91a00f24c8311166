// Package mobileweb hands out the built phone app: the files of dist/ as they were when this program was compiled.
// The app itself is TypeScript under src/; `make web` builds it, and a placeholder stands in dist/ until then so that
// `go build` always works.
package mobileweb

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Files returns the app's files, with index.html, sw.js and manifest.webmanifest at the root, hashed names below
// assets/ (these never change under one name, so they may be cached for ever), and true. It returns nil and false when
// the program was compiled before the app was built.
func Files() (fs.FS, bool) {
	app, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	if _, err := fs.Stat(app, "index.html"); err != nil {
		return nil, false
	}
	return app, true
}

// Build returns the app's build id: 16 hex digits, the start of the SHA-256 over every file served. Settings shows the
// same id on the phone, so that a person can compare what the phone runs with what this relay carries. It is empty when
// the app was not built.
func Build() string {
	id, err := dist.ReadFile("dist/build.txt")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
