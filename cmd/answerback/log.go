package main

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

func (a *app) logCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "log",
		Short: "read the log of calls and answers",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.logShowCommand())
	return c
}

// mostRecords is what the agent sends at most in one answer.
const mostRecords = 10_000

func (a *app) logShowCommand() *cobra.Command {
	n, asJSON := 20, false
	c := &cobra.Command{
		Use:   "show [-n N]",
		Short: "show the last records",
		Long:  "Shows the last records, oldest first: when, who asked, for what, how it ended\nand by whom. The times are in this machine's zone.",
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if n < 1 || n > mostRecords {
				return voice.Fail(voice.WrongUse, "-n takes from 1 to %d records, and %d is outside", mostRecords, n)
			}
			list, err := a.records(c.Context(), n)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.printRecords(list)
			}
			return a.listRecords(list)
		},
	}
	c.Flags().IntVarP(&n, "number", "n", n, "how many records")
	c.Flags().BoolVar(&asJSON, "json", false, "print one object a line: {\"index\", \"record\"}")
	return c
}

// printRecords keeps each record's own bytes, so that a checker can hash them.
func (a *app) printRecords(list []control.Record) error {
	for _, r := range list {
		object := struct {
			Index  uint64          `json:"index"`
			Record json.RawMessage `json:"record"`
		}{r.Index, json.RawMessage(r.JSON)}
		if err := a.JSON(object); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listRecords(list []control.Record) error {
	t := voice.Table{Columns: []voice.Column{{Head: "NO", Right: true}, {Head: "TIME"}, {Head: "CALLER", Most: 12},
		{Head: "HOW", Most: 14}, {Head: "BY", Most: 14}, {Head: "WHAT"}}}
	asked := map[string]record{}
	for _, raw := range list {
		r, err := parseRecord(raw)
		if err != nil {
			r = record{Type: "unreadable"}
		}
		call := r
		if r.Type == "asked" {
			asked[r.RequestID] = r
		} else if first, known := asked[r.RequestID]; known {
			call = first // an outcome names its call by id only
		}
		t.Rows = append(t.Rows, []string{strconv.FormatUint(raw.Index, 10), a.At(r.Time), visible(r.Caller), visible(how(r)), who(r), visible(what(call))})
	}
	if len(list) == 0 {
		a.Say("the log is empty")
		return nil
	}
	a.PrintTable(t)
	return nil
}

// how is the outcome, or what else the record tells.
func how(r record) string {
	words := map[string]string{"allow": "allowed", "deny": "denied", "answered": "answered", "hand_back": "handed back", "none": "no opinion"}
	if word := words[r.Decision]; word != "" && r.Type == "outcome" {
		return word
	}
	return strings.ReplaceAll(r.Type, "_", " ")
}

// what is one line about the call, or about the device: a shell's command says more than the shell's name.
func what(r record) string {
	if command := r.Params["command"]; command != "" {
		return command
	}
	detail := strings.Join(r.Targets, " ")
	if detail == "" {
		detail = r.Reason
	}
	return strings.TrimSpace(cmp.Or(r.Name, r.DeviceName) + "  " + detail)
}
