package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// clusterFolder holds everything a cluster has: its certificates and tokens, the store of etcd and
// what its programs say. Nothing of a cluster is anywhere else.
//
//	kubeconfig            for the administrator
//	ca.crt, token         the same for who wants no kubeconfig
//	admin.crt, admin.key  a certificate with the same rights
//	server.crt, …         of the server
//	NAME.kubeconfig       for a program of the control plane
//	NAME.log              what the program NAME said
//	etcd/                 the store
//	owner                 locked while the cluster lives
type clusterFolder struct {
	path  string
	owner *os.File
}

const folderPrefix = "berth-cluster-"

// folderParent is a memory disk where there is one: etcd writes to the disk at each change.
func folderParent() string {
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err == nil && info.IsDir() && syscall.Access(memory, 2) == nil {
		return memory
	}
	return os.TempDir()
}

func newClusterFolder(parent string) (*clusterFolder, error) {
	sweepFolders(parent)
	path, err := os.MkdirTemp(parent, folderPrefix)
	if err != nil {
		return nil, err
	}
	owner, err := os.OpenFile(filepath.Join(path, "owner"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		// Held by this descriptor, so given up by the kernel however we end.
		err = syscall.Flock(int(owner.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		_ = os.RemoveAll(path)
		return nil, err
	}
	return &clusterFolder{path: path, owner: owner}, nil
}

// sweepFolders removes what clusters left behind that were killed. A folder without the file is
// only just being made.
func sweepFolders(parent string) {
	owners, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*", "owner"))
	for _, path := range owners {
		owner, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue // somebody else's, or gone meanwhile
		}
		if syscall.Flock(int(owner.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		_ = owner.Close()
	}
}

func (f *clusterFolder) file(name string) string { return filepath.Join(f.path, name) }

func (f *clusterFolder) write(name string, content []byte) error {
	return os.WriteFile(f.file(name), content, 0o600)
}

func (f *clusterFolder) remove() error {
	return errors.Join(os.RemoveAll(f.path), f.owner.Close())
}

// user is somebody the server knows by a token.
type user struct {
	name  string
	group string
	token string
}

func newUser(name, group string) user {
	var random [16]byte
	_, _ = rand.Read(random[:]) // does not fail
	return user{name: name, group: group, token: hex.EncodeToString(random[:])}
}

// tokenLine is a line of the file --token-auth-file names: token, user, uid, groups.
func (u user) tokenLine() string {
	return strings.Join([]string{u.token, u.name, u.name, u.group}, ",") + "\n"
}

func kubeconfig(server string, authority []byte, who user) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: %s
  user:
    token: %s
contexts:
- name: test
  context:
    cluster: test
    user: %s
current-context: test
`, server, base64.StdEncoding.EncodeToString(authority), who.name, who.token, who.name)
}
