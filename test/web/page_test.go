package web

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"answerback/test/browser"
)

// appFS is the core's test page, laid out as the app is.
func appFS(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{"index.html": {Data: []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>core</title>` +
		`<script type="module" src="/core.js"></script></html>`)}}
	err := fs.WalkDir(os.DirFS(bundle), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(os.DirFS(bundle), name)
		files[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// openCore loads the core's page and waits until it has read its storage.
func openCore(t *testing.T, p browser.Page, url string) {
	t.Helper()
	browser.Open(t, p, url+"/")
	browser.Eval[bool](t, p, `new Promise((r) => { const i = setInterval(() => { if (globalThis.ready) { clearInterval(i); r(true); } }, 5); })`)
}
