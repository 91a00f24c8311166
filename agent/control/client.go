package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"answerback/hook"
)

// ErrNotRunning says that no agent listens on the socket.
var ErrNotRunning = errors.New("the agent is not running; start it with: answerback up")

// MaxLine bounds one line either way: a card of 256 KiB, escaped.
const MaxLine = 1 << 20

// Conn is one conversation with the agent.
type Conn struct {
	c    net.Conn
	r    *bufio.Reader
	free func() bool // of the context's watch
}

// Dial opens the socket and sends the request. It checks socket, folder and peer as the hook does.
func Dial(ctx context.Context, socket string, req Request) (*Conn, error) {
	c, err := connect(socket)
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", ErrNotRunning, err)
	}
	req.Version = Version
	body, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("control: write request: %w", err)
	}
	if err := hook.WriteControl(c, body); err != nil {
		c.Close()
		return nil, fmt.Errorf("control: write request: %w", err)
	}
	free := context.AfterFunc(ctx, func() { c.Close() })
	return &Conn{c: c, r: bufio.NewReaderSize(c, 4096), free: free}, nil
}

// Next returns the next line. io.EOF follows Done; an error line is returned as *Error.
func (c *Conn) Next() (Reply, error) {
	line, err := readLine(c.r)
	if err != nil {
		return Reply{}, fmt.Errorf("control: the agent ended the connection: %w", noEOF(err))
	}
	var reply Reply
	if err := json.Unmarshal(line, &reply); err != nil {
		return Reply{}, fmt.Errorf("control: read reply: %w", err)
	}
	if reply.Error != nil {
		return Reply{}, reply.Error
	}
	if reply.Done {
		return Reply{}, io.EOF
	}
	return reply, nil
}

// noEOF keeps a cut conversation from looking like a finished one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Say sends a line of a pairing.
func (c *Conn) Say(in PairInput) error {
	line, err := json.Marshal(in)
	if err != nil {
		return err
	}
	_, err = c.c.Write(append(line, '\n'))
	return err
}

// Close ends the conversation.
func (c *Conn) Close() error {
	c.free()
	return c.c.Close()
}

// Ask runs one verb to its end and hands each line to each.
func Ask(ctx context.Context, socket string, req Request, each func(Reply)) error {
	conn, err := Dial(ctx, socket, req)
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		reply, err := conn.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(reply)
	}
}

// readLine reads one line of at most MaxLine bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, fmt.Errorf("a line is longer than %d bytes", MaxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
