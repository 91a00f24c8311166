// Package unit keeps answerback running for one user: a systemd user unit on Linux, a launchd agent on macOS. Both texts are ours, whole, and
// carry a mark by which a later run knows that it may replace them.
package unit

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Mark stands in every file that this package writes. A file without it is somebody else's and is left alone.
const Mark = "written by: answerback service install"

// Label is the service's name on launchd; on systemd it is answerback.service.
const Label = "answerback.agent"

// Service is what is to run.
type Service struct {
	// Program is the absolute path of this executable, Args what follows it.
	Program string
	Args    []string
	// Log is the file for launchd's stdout and stderr; systemd has its journal.
	Log string
}

// Systemd writes the user unit. It restarts after a failure only: a second `up` ends with 0 when one runs already.
func Systemd(s Service) (string, error) {
	words := append([]string{s.Program}, s.Args...)
	for i, word := range words {
		quoted, err := systemdWord(word)
		if err != nil {
			return "", err
		}
		words[i] = quoted
	}
	return fmt.Sprintf(`# %s
[Unit]
Description=Answerback: carries permission prompts to your phone
StartLimitIntervalSec=0

[Service]
ExecStart=%s
Restart=on-failure
RestartSec=2
UMask=0077

[Install]
WantedBy=default.target
`, Mark, strings.Join(words, " ")), nil
}

// systemdWord quotes one word of ExecStart (systemd.service(5), COMMAND LINES): quotes and backslashes escaped, % and $ doubled.
func systemdWord(word string) (string, error) {
	if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("unit: write ExecStart: %q holds a control character; move it to a plain path", word)
	}
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word)
	return `"` + escaped + `"`, nil
}

// Launchd writes the property list.
func Launchd(s Service) (string, error) {
	var args strings.Builder
	for _, word := range append([]string{s.Program}, s.Args...) {
		fmt.Fprintf(&args, "    <string>%s</string>\n", escapeXML(word))
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>%s</string>
  <key>ProgramArguments</key>
  <array>
%s  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>2</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>%s</string>
</dict>
</plist>
`, Mark, Label, args.String(), escapeXML(s.Log)), nil
}

func escapeXML(text string) string {
	var b strings.Builder
	// A strings.Builder does not fail.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}
