//go:build !unix

package install

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, fs.FileInfo) {}
