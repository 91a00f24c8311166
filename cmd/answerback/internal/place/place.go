// Package place finds the state folder and the agent's socket of a run: by --state and --socket, else where the XDG base directory
// specification and the hook look.
package place

import (
	"fmt"
	"path/filepath"
)

// Place is where an agent lives.
type Place struct {
	// State is the folder that holds keys, devices and the log.
	State string
	// Socket is the path that hooks and commands connect to.
	Socket string
}

// longestSocket is what both ends accept: sun_path holds 104 bytes on macOS and 108 on Linux.
const longestSocket = 100

// Wanted is what the person and the system say.
type Wanted struct {
	// State and Socket are the flags; empty means the default. With a State the socket lies in it.
	State, Socket string
	// StateHome is $XDG_STATE_HOME, Home the person's folder.
	StateHome, Home string
	// DefaultSocket is the path that hook and agent compute from the uid alone.
	DefaultSocket string
}

// Find works out the place. Its errors are sentences for a person who gave a wrong flag.
func Find(w Wanted) (Place, error) {
	state, err := stateFolder(w)
	if err != nil {
		return Place{}, err
	}
	p := Place{State: state, Socket: w.DefaultSocket}
	if w.State != "" {
		p.Socket = filepath.Join(state, "agent.sock")
	}
	if w.Socket != "" {
		if p.Socket, err = filepath.Abs(w.Socket); err != nil {
			return Place{}, fmt.Errorf("the folder of --socket %s is not known: %w", w.Socket, err)
		}
	}
	if n := len(p.Socket); n > longestSocket {
		return Place{}, fmt.Errorf("the socket path has %d bytes and the system takes %d; give --socket a shorter one: %s", n, longestSocket, p.Socket)
	}
	return p, nil
}

func stateFolder(w Wanted) (string, error) {
	switch {
	case w.State != "":
		state, err := filepath.Abs(w.State)
		if err != nil {
			return "", fmt.Errorf("the folder of --state %s is not known: %w", w.State, err)
		}
		return state, nil
	case filepath.IsAbs(w.StateHome): // the specification: a relative path is ignored
		return filepath.Join(w.StateHome, "answerback"), nil
	case filepath.IsAbs(w.Home):
		return filepath.Join(w.Home, ".local", "state", "answerback"), nil
	default:
		return "", fmt.Errorf("no home folder is set, so there is no place for the state; give --state DIR")
	}
}
