package install

// maxDepth is how deep a configuration may be nested. The parser recurses, and a stack that is used up ends the process.
const maxDepth = 512

// deeper says whether brackets are nested deeper than a bound. It looks past strings and comments, and takes no other view of the syntax.
func deeper(b []byte, bound int) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '[', '{':
			if depth++; depth > bound {
				return true
			}
		case ']', '}':
			depth--
		case '"', '/':
			i = skip(b, i)
		}
	}
	return false
}

// skip returns where the string or comment that begins at i ends; i itself where none does.
func skip(b []byte, i int) int {
	switch {
	case b[i] == '"':
		for i++; i < len(b) && b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
	case i+1 < len(b) && b[i+1] == '/':
		for i < len(b) && b[i] != '\n' {
			i++
		}
	case i+1 < len(b) && b[i+1] == '*':
		for i += 3; i < len(b) && (b[i] != '/' || b[i-1] != '*'); i++ {
		}
	}
	return i
}
