package law

import (
	"go/ast"
	"strings"
	"testing"
)

// TestOnePlaceMakesAnAllow: outside of the dialects, which turn a verdict into bytes, one function names the Allow, and only Decide calls it.
func TestOnePlaceMakesAnAllow(t *testing.T) {
	makers := map[string]int{}
	callers := map[string]int{}
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
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "verdictOf" {
						callers[f.dir+"."+fn.Name.Name]++
					}
				}
				return true
			})
		}
	}
	if len(makers) != 1 || makers["agent.verdictOf"] != 1 {
		t.Errorf("an Allow is made in %v; the one place is agent.verdictOf", makers)
	}
	if len(callers) != 1 || callers["agent.Decide"] != 1 {
		t.Errorf("verdictOf is called in %v; only agent.Decide may", callers)
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
