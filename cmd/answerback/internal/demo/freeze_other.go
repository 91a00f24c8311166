//go:build !unix

package demo

// freeze and thaw need Unix, as the agent does.
func (p *process) freeze() {}
func (p *process) thaw()   {}
