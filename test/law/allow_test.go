package law

import (
	"go/ast"
	"strings"
	"testing"
)

// TestOnePlaceMakesAnAllow: outside of the dialects, which turn a verdict into bytes, one function names the Allow, and Decide alone leads to it.
func TestOnePlaceMakesAnAllow(t *testing.T) {
	makers := map[string]int{}
	chain := map[string]string{"verdictOf": "conclusion", "conclusion": "Decide"} // each is called by the other, and by nobody else
	calls := map[string]int{}
	for _, f := range files(t) {
		if f.test || within(f.dir, "hook/caller") || !within(f.dir, "agent") && !within(f.dir, "cmd") && !within(f.dir, "hook") {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "caller" && n.Sel.Name == "Allow" {
						makers[f.dir+"."+fn.Name.Name]++
					}
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && chain[sel.Sel.Name] != "" {
						calls[sel.Sel.Name]++
						if f.dir != "agent" || fn.Name.Name != chain[sel.Sel.Name] {
							t.Errorf("%s calls %s; only %s may", f.path, sel.Sel.Name, chain[sel.Sel.Name])
						}
					}
				}
				return true
			})
		}
	}
	if len(makers) != 1 || makers["agent.verdictOf"] != 1 {
		t.Errorf("an Allow is made in %v; the one place is agent.verdictOf", makers)
	}
	for name := range chain {
		if calls[name] != 1 {
			t.Errorf("%s is called %d times, want once", name, calls[name])
		}
	}
}

// TestOnlyVerifyAnswerMakesAVerified: nobody outside of the card package can build one, and in it one function does.
func TestOnlyVerifyAnswerMakesAVerified(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if ok && len(lit.Elts) > 0 && strings.HasSuffix(typeName(lit.Type), "Verified") && fn.Name.Name != "VerifyAnswer" {
					t.Errorf("%s: %s makes a Verified; only card.VerifyAnswer may", f.path, fn.Name.Name)
				}
				return true
			})
		}
	}
}

// typeName is the last name of a type in a composite literal.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
