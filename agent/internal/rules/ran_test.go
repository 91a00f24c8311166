package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	for command, want := range map[string]string{
		"ls": "", "go test ./...": "", "/bin/ls": "", "cat run.sh": "", "bash -c 'ls'": "", "npm test": "",
		"./run.sh":                           "/home/dev/project/run.sh",
		"bash run.sh a b":                    "/home/dev/project/run.sh",
		"bash -eu -o pipefail run.sh":        "/home/dev/project/run.sh",
		"sh -c './run.sh x'":                 "/home/dev/project/run.sh",
		"source ~/env.sh":                    "/home/dev/env.sh",
		"python3 -u tools/gen.py":            "/home/dev/project/tools/gen.py",
		"node a.js && ./b.sh && node a.js":   "/home/dev/project/a.js /home/dev/project/b.sh",
		"cd tools && ./run.sh":               "/home/dev/project/tools/run.sh",
		"sudo env X=1 timeout 5 ./run.sh":    "/home/dev/project/run.sh",
		"find . -name x -exec ./run.sh {} +": "/home/dev/project/run.sh",
		"echo ls > new.sh && sh new.sh":      "",
		"bash < run.sh":                      "/home/dev/project/run.sh", "cat run.sh | sh": "/home/dev/project/run.sh", "python3 - < a.py": "/home/dev/project/a.py",
		"X=run.sh; bash ./$X":                    "/home/dev/project/run.sh",
		`bash "$SCRIPT"`:                         "",
		"bash -c 'if ./a.sh; then ./b.sh; fi'":   "/home/dev/project/a.sh /home/dev/project/b.sh",
		"$(./a.sh) x; echo `./b.sh`; cat <(./c)": "/home/dev/project/a.sh /home/dev/project/b.sh /home/dev/project/c",
	} {
		if got := strings.Join(Files(shellCall(command)), " "); got != want {
			t.Errorf("%q runs %q, want %q", command, got, want)
		}
	}
}

func TestFilesAreBounded(t *testing.T) {
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, "./run%d.sh\n", i)
	}
	files := Files(shellCall(many.String()))
	if len(files) != MaxFiles || slices.Contains(files, "") {
		t.Errorf("%d files", len(files))
	}
}
