package hook

// Big endian fields, by hand: encoding/binary brings reflect along, and the
// hook starts faster without it.

func put16(b []byte, n uint16) []byte { return append(b, byte(n>>8), byte(n)) }

func put32(b []byte, n uint32) []byte {
	return append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func putString(b []byte, s string) []byte { return append(put16(b, uint16(len(s))), s...) }

func putBytes(b, field []byte) []byte { return append(put32(b, uint32(len(field))), field...) }

func get32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// cursor reads fields from the front of a body. After the first field that is
// not there it gives zero values, and done says false.
type cursor struct {
	rest  []byte
	short bool
}

func (c *cursor) take(n uint32) []byte {
	if c.short || uint64(n) > uint64(len(c.rest)) {
		c.short = true
		return nil
	}
	field := c.rest[:n:n]
	c.rest = c.rest[n:]
	return field
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return get32(b)
	}
	return 0
}

func (c *cursor) string() string {
	b := c.take(2)
	if b == nil {
		return ""
	}
	return string(c.take(uint32(b[0])<<8 | uint32(b[1])))
}

func (c *cursor) bytes() []byte { return c.take(c.uint32()) }

// done says whether every field was there and nothing is left over.
func (c *cursor) done() bool { return !c.short && len(c.rest) == 0 }

// decimal writes n in base ten (strconv would do; this is all that is needed).
func decimal(n uint64) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}
