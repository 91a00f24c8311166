package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// model is a small model on loopback that speaks Anthropic's messages API as far as Claude Code needs it: it asks for one tool call, and ends
// when the result is there.
type model struct {
	url    string
	server *http.Server

	mu      sync.Mutex
	tool    string
	input   any
	results []string // of the tool call, as the program gave them to the model
}

func newModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: m}
	go m.server.Serve(l)
	return m, nil
}

// asks sets the call that the next conversation makes.
func (m *model) asks(tool string, input any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tool, m.input, m.results = tool, input, nil
}

// result is what the model was told of its call.
func (m *model) result() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.results, "\n")
}

// message is what we read of a request.
type message struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// results are the tool results in a conversation.
func (r message) results() (list []string) {
	for _, one := range r.Messages {
		var parts []struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(one.Content, &parts) != nil {
			continue // a text
		}
		for _, p := range parts {
			if p.Type == "tool_result" {
				list = append(list, string(p.Content))
			}
		}
	}
	return list
}

// ServeHTTP answers one request.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/messages") {
		json.NewEncoder(w).Encode(map[string]any{"input_tokens": 10, "data": []any{}})
		return
	}
	var req message
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	block := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": "done"}
	stop := "end_turn"
	if got := req.results(); len(got) > 0 {
		m.results = got
	} else if len(req.Tools) > 0 && m.tool != "" {
		input, _ := json.Marshal(m.input)
		block = map[string]any{"type": "tool_use", "id": "toolu_1", "name": m.tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		stop = "tool_use"
	}
	if req.Stream {
		stream(w, req.Model, block, delta, stop)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": req.Model, "stop_reason": "end_turn",
		"content": []any{map[string]any{"type": "text", "text": "done"}}, "usage": map[string]int{"input_tokens": 10, "output_tokens": 5}})
}

// stream sends one content block as server-sent events.
func stream(w http.ResponseWriter, name string, block, delta map[string]any, stop string) {
	usage := map[string]int{"input_tokens": 10, "output_tokens": 5}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range []map[string]any{
		{"type": "message_start", "message": map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": name, "content": []any{}, "stop_reason": nil, "usage": usage}},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]int{"output_tokens": 5}},
		{"type": "message_stop"},
	} {
		text, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], text)
	}
}
