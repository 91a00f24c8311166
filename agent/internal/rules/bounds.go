package rules

// Bounds of one call's walk. Beyond them the call is "too large".
const (
	maxDepth  = 8        // scripts within scripts
	maxNested = 64 << 10 // bytes of all nested scripts together
	maxValues = 4        // values kept of one variable
	maxWork   = 3 << 19  // units of work of one command over all dialects, see spend
)

// tooMuch is the panic that ends a walk whose work exceeds its bound.
type tooMuch struct{}

// spend counts work, in units of about the time that it takes to copy a few
// bytes. A text can be short and still ask for endless work: values that double
// each other, scripts in scripts. What was found before the end counts.
func (w *walk) spend(units int) {
	if w.work += units; w.work > maxWork {
		panic(tooMuch{})
	}
}

// bounded runs a walk to its end or to the bound.
func (w *walk) bounded(run func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooMuch:
			w.out.add("too-large", w.whole)
		default:
			panic(r)
		}
	}()
	run()
}
