package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	mobileweb "answerback/mobile-web"
)

// version is set by the release: -ldflags "-X main.version=1.2.3".
var version = "0.1.0-dev"

// build is what the program knows of itself.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	System  string `json:"system"`
	App     string `json:"app"` // build id of the phone app inside; empty when it was not built
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, App: mobileweb.Build()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				b.Commit = s.Value[:12]
			}
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "say what this program was built from",
		Args:  nothing,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return a.JSON(b)
			}
			a.Print("answerback %s  %s", b.Version, b.Commit)
			a.Print("%s  %s", b.Go, b.System)
			if b.App == "" {
				a.Print("phone app  not built into this program; run: make web build")
			} else {
				a.Print("phone app  %s", b.App)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one object")
	return c
}
