// Package install writes the hook into a caller's own configuration, and takes it out again. It plans first: a [Plan] holds the file as it is and
// as it would be, and nothing is written before [Plan.Apply]. What it cannot read it refuses and leaves as it is; other keys, their order,
// comments, links, modes, a byte order mark and line ends stay.
package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"answerback/hook/caller"
)

// Options say where things lie.
type Options struct {
	Hook   string              // full path of answerback-hook
	Socket string              // full path of the agent's socket
	UID    int                 // whom the socket has to belong to
	Home   string              // the person's home folder
	Folder string              // the project, for the scopes local and project
	Getenv func(string) string // for CLAUDE_CONFIG_DIR, CODEX_HOME and COPILOT_HOME
}

// Plan is one change of one file.
type Plan struct {
	Caller string
	Path   string // links followed
	Before []byte // nil: there is no such file
	After  []byte // nil: the file goes
	Note   string // what the person has to know or do, "" for nothing

	backup string // where the file as it was before the first change is kept
	adds   bool   // an entry comes, so the backup is made
	held   bool   // an entry of ours stands in Before, so a backup that is there is of the time before it
	drop   bool   // the backup has served
}

// Changed reports whether there is something to do.
func (p Plan) Changed() bool {
	return (p.Before == nil) != (p.After == nil) || string(p.Before) != string(p.After)
}

// Diff is the change in the unified form, "" for none.
func (p Plan) Diff() string {
	if !p.Changed() {
		return ""
	}
	return udiff.Unified(p.Path, p.Path, string(p.Before), string(p.After))
}

// ErrScope says that the caller has no file of that scope.
var ErrScope = errors.New("scope")

// Add plans the hook's entry in a caller's file. Planned twice it changes nothing; an entry of ours with another path or socket is replaced, and
// a second one removed, since a call seen twice is one card and its second hook gets no Allow.
func Add(name string, scope Scope, o Options) (Plan, error) {
	p, t, err := begin(name, scope, o)
	if err != nil {
		return Plan{}, err
	}
	p.Note, p.adds = t.note, true
	entry, err := t.entry(o)
	if err != nil {
		return Plan{}, err
	}
	handlers, err := t.handlers(p.Before)
	if err == nil {
		p.held = len(handlers) > 0
		p.After, err = withEntry(p.Before, t, entry)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("%s: %w; it was left as it is", p.Path, err)
	}
	return p, nil
}

// Remove plans the end of every entry of ours in a caller's file. Where nothing else has changed since, the file comes back byte for byte.
func Remove(name string, scope Scope, o Options) (Plan, error) {
	p, t, err := begin(name, scope, o)
	if err != nil || p.Before == nil {
		return p, err
	}
	if was, ok := p.untouched(t, o); ok {
		p.After, p.drop = was, true
		return p, nil
	}
	was, err := read(p.backup)
	if err != nil {
		was = nil
	}
	if p.After, err = withoutEntry(p.Before, t, was); err != nil {
		return Plan{}, fmt.Errorf("%s: %w; it was left as it is", p.Path, err)
	}
	return p, nil
}

// untouched returns the file as it was before the entry came, if it holds just that and the entry.
func (p Plan) untouched(t target, o Options) ([]byte, bool) {
	was, err := read(p.backup)
	if err != nil {
		return nil, false
	}
	entry, err := t.entry(o)
	if err != nil {
		return nil, false
	}
	after, err := withEntry(was, t, entry)
	if err != nil || string(after) != string(p.Before) {
		return nil, false
	}
	return was, true
}

// begin finds and reads the file.
func begin(name string, scope Scope, o Options) (Plan, target, error) {
	t, ok := targets[name]
	if !ok {
		return Plan{}, t, fmt.Errorf("there is no installer for %s; there is one for %s", name, strings.Join(Callers(), ", "))
	}
	path, err := t.path(scope, o)
	if err != nil {
		return Plan{}, t, err
	}
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		path = followed
	} else if info, gone := os.Lstat(path); gone == nil && info.Mode()&os.ModeSymlink != 0 {
		return Plan{}, t, fmt.Errorf("%s is a link to nothing; make its file, or remove the link", path)
	}
	before, err := read(path)
	if errors.Is(err, os.ErrNotExist) {
		before, err = nil, nil
	}
	return Plan{Caller: name, Path: path, Before: before, backup: path + ".before-answerback"}, t, err
}

// Callers lists the callers that have an installer, in alphabetical order.
func Callers() []string {
	var names []string
	for _, name := range caller.Names() {
		if _, ok := targets[name]; ok {
			names = append(names, name)
		}
	}
	return names
}
