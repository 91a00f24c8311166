package rules

import "slices"

// MaxFiles bounds how many files of one call are named.
const MaxFiles = 64

// Files names the script files that a call would run, as absolute paths, in the order of the walk: what sh, source, an interpreter, or the
// name itself runs. Programs of the system are not among them, nor is what the call itself writes first. The caller of Files hashes them,
// so that an Allow for one script is none for another. No input makes it panic.
func Files(in Input) (files []string) {
	out := new(findings)
	defer func() {
		if recover() != nil { // Classify makes such a call sensitive
			files = nil
		}
	}()
	classifyTool(&in, out)
	return out.ran
}

// runs notes a file that the call runs.
func (f *findings) runs(path string) {
	if path != "" && path[0] == '/' && !programFolder(path) && len(f.ran) < MaxFiles && !slices.Contains(f.ran, path) {
		f.ran = append(f.ran, path)
	}
}
