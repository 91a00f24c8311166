package card

import (
	"fmt"
	"strconv"
)

// object is a member that is an object itself.
func object(f *fields, name string, walk func(*fields)) {
	if f.writing {
		f.name(name)
		f.body(walk)
		return
	}
	if v, ok := f.take(name, shapeObject); ok {
		f.within(name, v, walk)
	}
}

func (f *fields) within(name string, v value, walk func(*fields)) {
	if err := read(v, walk); err != nil && f.err == nil {
		f.err = fmt.Errorf("in %q: %w", name, err)
	}
}

// pointer is an object that is left out when p is nil.
func pointer[T any](f *fields, name string, p **T, walk func(*T, *fields)) {
	if !f.has(name, *p != nil) {
		return
	}
	if *p == nil {
		*p = new(T)
	}
	object(f, name, func(inner *fields) { walk(*p, inner) })
}

// list is a list of at most max objects. An empty one reads as nil.
func list[T any](f *fields, name string, items *[]T, max int, walk func(*T, *fields)) {
	each(f, name, items, max, shapeObject, func(item *T, v value) {
		if f.writing {
			f.body(func(inner *fields) { walk(item, inner) })
			return
		}
		f.within(name, v, func(inner *fields) { walk(item, inner) })
	})
}

// texts is a list of at most max strings, each of at most size bytes.
func texts(f *fields, name string, items *[]string, max, size int) {
	each(f, name, items, max, shapeString, func(item *string, v value) {
		if !f.writing {
			*item = v.text
		}
		f.bound(name, *item, 0, size)
		if f.writing {
			f.out = appendString(f.out, *item)
		}
	})
}

// numbers is a list of at most max whole numbers.
func numbers(f *fields, name string, items *[]uint64, max int) {
	each(f, name, items, max, shapeNumber, func(item *uint64, v value) {
		if !f.writing {
			f.parseNumber(name, v.text, item)
		}
		f.check(*item <= MaxNumber, name, "is out of range")
		if f.writing {
			f.out = strconv.AppendUint(f.out, *item, 10)
		}
	})
}

// each writes or reads a list, one call per item.
func each[T any](f *fields, name string, items *[]T, max int, want shape, one func(*T, value)) {
	var values []value
	if !f.writing {
		v, _ := f.take(name, shapeList)
		values = v.items
		f.check(len(values) <= max, name, fmt.Sprintf("has more than %d items", max))
		if f.err != nil || len(values) == 0 {
			*items = nil
			return
		}
		*items = make([]T, len(values))
	}
	f.check(len(*items) <= max, name, fmt.Sprintf("has more than %d items", max))
	f.open(name)
	for i := range *items {
		var v value
		if !f.writing {
			v = values[i]
			f.check(v.shape == want, name, "holds an item of another type")
		} else if i > 0 {
			f.out = append(f.out, ',')
		}
		if f.err != nil {
			return
		}
		one(&(*items)[i], v)
	}
	if f.writing {
		f.out = append(f.out, ']')
	}
}

func (f *fields) open(name string) {
	if f.writing {
		f.name(name)
		f.out = append(f.out, '[')
	}
}
