package crypto

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// relayWords are the three labels that live in relay.
var relayWords = []string{"box", "r", "w"}

// declaredWords reads the words out of label.go, so that none can be forgotten.
func declaredWords(t *testing.T) (words []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "label.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Word") {
			word, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			words = append(words, word)
		}
		return true
	})
	if len(words) < 30 {
		t.Fatalf("only %d words found in label.go", len(words))
	}
	return words
}

func TestNoLabelBeginsAnother(t *testing.T) {
	words := append(declaredWords(t), relayWords...)
	for i, a := range words {
		if strings.ContainsRune(a, 0) || a == "" {
			t.Errorf("%q cannot be a word", a)
		}
		for j, b := range words {
			if i != j && bytes.HasPrefix(Label(a), Label(b)) {
				t.Errorf("label %q begins with label %q", a, b)
			}
		}
	}
}

// Everything that an Ed25519 key of ours signs, by the bytes that it begins
// with. The checkpoint is the log's: a note whose first line is text.
func TestNothingSignedCanBeReadAsAnythingElseSigned(t *testing.T) {
	signed := map[string][]byte{
		"answer":      Answer{Decision: Allow, Via: ViaApp}.Bytes(),
		"message":     SignedMessageBytes(testAgent, testDevice, TypeAdmin, 1, []byte("{}")),
		"msg1":        append(Label(WordPair), bytes.Repeat([]byte{0xff}, 40)...),
		"msg2":        append(Label(WordConfirm), bytes.Repeat([]byte{0xff}, 40)...),
		"checkpoint":  []byte("answerback/1 checkpoint " + testAgent.String() + "\n1\nAAAA\n"),
		"tree leaf":   {0},
		"tree node":   {1},
		"VAPID token": []byte("eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9."),
	}
	const first = len("answerback/1 ") + 4
	for a, bytesA := range signed {
		for b, bytesB := range signed {
			n := min(first, len(bytesA), len(bytesB))
			if a != b && bytes.Equal(bytesA[:n], bytesB[:n]) {
				t.Errorf("%s and %s begin alike", a, b)
			}
		}
	}
}

// A word that is used somewhere in the tree without standing in label.go would
// escape the two tests above.
func TestEveryWordUsedIsDeclared(t *testing.T) {
	words := declaredWords(t)
	for _, file := range goFiles(t, "..") {
		ast.Inspect(file, func(n ast.Node) bool {
			if word, ok := wordArgument(n); ok && !slices.Contains(words, word) {
				t.Errorf("%s: label %q is not in crypto/label.go", file.Name.Name, word)
			}
			return true
		})
	}
}

func goFiles(t *testing.T, root string) (files []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil {
			files = append(files, file)
		}
		return nil // a file that does not parse fails its own build
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wordArgument returns the literal word in abcrypto.Label, Hash or Expand.
func wordArgument(n ast.Node) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	if pkg, ok := fun.X.(*ast.Ident); !ok || pkg.Name != "abcrypto" {
		return "", false
	}
	index := map[string]int{"Label": 0, "Hash": 0, "Expand": 1}
	i, ok := index[fun.Sel.Name]
	if !ok || i >= len(call.Args) {
		return "", false
	}
	lit, ok := call.Args[i].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	word, err := strconv.Unquote(lit.Value)
	return word, err == nil
}
