package web

import (
	"io/fs"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

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

// opened are the origins that a test has opened.
var opened sync.Map

// forget empties an origin before a test first opens it: the kernel gives a port again, and with it what an earlier test stored there.
func forget(t *testing.T, p browser.Page, url string) {
	t.Helper()
	if _, again := opened.LoadOrStore(t.Name()+" "+url, true); again || !browser.Eval[bool](t, p, `navigator.userAgent.includes("Chrome")`) {
		return // every Firefox has a profile of its own
	}
	if _, err := chromedp.Call(browser.Context(p), storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: url, StorageTypes: "all"}); err != nil {
		t.Fatal(err)
	}
}

// openCore loads the core's page and waits until it has read its storage.
func openCore(t *testing.T, p browser.Page, url string) {
	t.Helper()
	forget(t, p, url)
	browser.Open(t, p, url+"/")
	browser.Eval[bool](t, p, `new Promise((r) => { const i = setInterval(() => { if (globalThis.ready) { clearInterval(i); r(true); } }, 5); })`)
}
