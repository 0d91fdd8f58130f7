package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long a server may take until it is ready. It takes two seconds on an idle machine.
const readyMax = 2 * time.Minute

// How often somebody looks after the programs.
const tendEach = time.Second

type clusterOptions struct {
	// Arguments for kube-apiserver behind ours, which they override.
	serverArgs []string
	// The controllers kube-controller-manager runs, as its flag names them; empty: it is not
	// started.
	controllers string
}

// realCluster is a control plane on loopback: etcd, kube-apiserver and perhaps
// kube-controller-manager.
type realCluster struct {
	options clusterOptions
	folder  *clusterFolder
	etcdURL string
	url     string
	token   string
	http    *http.Client // trusts the server's certificate

	etcd           *process
	server         *process
	controllers    *process // nil: none
	controllersURL string
}

// startCluster answers when the server is ready.
func startCluster(ctx context.Context, options clusterOptions) (*realCluster, error) {
	// A port that was free may have been taken by the time it is used.
	const triesMax = 3
	var failures []error
	for range triesMax {
		cluster, err := tryCluster(ctx, options)
		if err == nil {
			return cluster, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failures...)
}

func tryCluster(ctx context.Context, options clusterOptions) (*realCluster, error) {
	folder, err := newClusterFolder(folderParent())
	if err != nil {
		return nil, err
	}
	cluster := &realCluster{options: options, folder: folder}
	err = cluster.prepare()
	if err == nil {
		err = cluster.etcd.start()
	}
	if err == nil {
		err = cluster.startServer(ctx)
	}
	if err == nil && cluster.controllers != nil {
		err = cluster.startControllers(ctx)
	}
	if err != nil {
		cluster.end()
		return nil, err
	}
	return cluster, nil
}

// prepare writes everything the programs read, and says how they are started.
func (c *realCluster) prepare() error {
	ports, err := freePorts(4)
	if err != nil {
		return err
	}
	c.etcdURL = loopbackURL("http", ports[0])
	peerURL := loopbackURL("http", ports[1])
	c.url = loopbackURL("https", ports[2])
	c.controllersURL = loopbackURL("https", ports[3])
	if err := c.writeCredentials(); err != nil {
		return err
	}
	in := c.folder.file
	c.etcd = c.program("etcd",
		"--data-dir", in("etcd"),
		"--listen-client-urls", c.etcdURL, "--advertise-client-urls", c.etcdURL,
		"--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
		"--initial-cluster", "default="+peerURL,
		// Nobody wants the data after a power failure.
		"--unsafe-no-fsync",
		"--log-level", "warn")
	c.server = c.program("kube-apiserver", append([]string{
		"--etcd-servers", c.etcdURL,
		"--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(ports[2]),
		"--tls-cert-file", in("server.crt"), "--tls-private-key-file", in("server.key"),
		"--cert-dir", c.folder.path,
		"--client-ca-file", in("ca.crt"), "--token-auth-file", in("tokens"),
		"--authorization-mode", "RBAC",
		"--service-account-issuer", c.url,
		"--service-account-key-file", in("accounts.pub"),
		"--service-account-signing-key-file", in("accounts.key"),
		"--service-cluster-ip-range", "10.0.0.0/24",
		"--endpoint-reconciler-type", "none",
		// Pods of tests name no account, and nobody makes the default one.
		"--disable-admission-plugins", "ServiceAccount",
	}, c.options.serverArgs...)...)
	if c.options.controllers != "" {
		config := in("kube-controller-manager.kubeconfig")
		c.controllers = c.program("kube-controller-manager",
			"--kubeconfig", config, "--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
			"--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(ports[3]),
			"--tls-cert-file", in("server.crt"), "--tls-private-key-file", in("server.key"),
			"--service-account-private-key-file", in("accounts.key"),
			"--root-ca-file", in("ca.crt"),
			// Each controller with the rights it has elsewhere, as an account of its own.
			"--use-service-account-credentials",
			"--leader-elect=false",
			"--controllers", c.options.controllers)
	}
	return nil
}

func (c *realCluster) program(name string, args ...string) *process {
	return &process{name: name, args: args, logPath: c.folder.file(name + ".log")}
}

func (c *realCluster) writeCredentials() error {
	signer, err := newAuthority()
	if err != nil {
		return err
	}
	server, err := signer.server()
	if err != nil {
		return err
	}
	admin := newUser("admin", "system:masters")
	adminCertificate, err := signer.client(admin.name, admin.group)
	if err != nil {
		return err
	}
	manager := newUser("system:kube-controller-manager", "system:authenticated")
	scheduler := newUser("system:kube-scheduler", "system:authenticated")
	private, public, err := signingKeyPair()
	if err != nil {
		return err
	}
	c.token = admin.token
	pool := x509.NewCertPool()
	pool.AddCert(signer.certificate)
	c.http = &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true},
	}
	for name, content := range map[string][]byte{
		"ca.crt":                             signer.pem,
		"server.crt":                         server.certificate,
		"server.key":                         server.key,
		"admin.crt":                          adminCertificate.certificate,
		"admin.key":                          adminCertificate.key,
		"accounts.key":                       private,
		"accounts.pub":                       public,
		"token":                              []byte(admin.token),
		"tokens":                             []byte(admin.tokenLine() + manager.tokenLine() + scheduler.tokenLine()),
		"kubeconfig":                         kubeconfig(c.url, signer.pem, admin),
		"kube-controller-manager.kubeconfig": kubeconfig(c.url, signer.pem, manager),
		"kube-scheduler.kubeconfig":          kubeconfig(c.url, signer.pem, scheduler),
	} {
		if err := c.folder.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// startServer answers when the server is ready. One that runs is left alone.
func (c *realCluster) startServer(ctx context.Context) error {
	if err := c.launchServer(); err != nil {
		return err
	}
	return c.waitFor(ctx, c.server, c.url+"/readyz")
}

func (c *realCluster) startControllers(ctx context.Context) error {
	if err := c.controllers.start(); err != nil {
		return err
	}
	return c.waitFor(ctx, c.controllers, c.controllersURL+"/healthz")
}

// waitFor asks until the address answers that all is well.
func (c *realCluster) waitFor(ctx context.Context, program *process, address string) error {
	late := time.After(readyMax)
	for !c.isWell(address) {
		for _, needed := range []*process{c.etcd, program} {
			if !needed.isRunning() {
				return needed.failure()
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return fmt.Errorf("%v after its start %s is not ready; its last words:\n%s", readyMax, program.name, program.lastWords())
		case <-time.After(25 * time.Millisecond):
		}
	}
	return nil
}

// launchServer waits for nothing.
func (c *realCluster) launchServer() error {
	if c.server.isRunning() {
		return nil
	}
	return c.server.start()
}

func (c *realCluster) isWell(address string) bool {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := c.http.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// health is the error of a program that has ended by itself.
func (c *realCluster) health() error {
	for _, program := range []*process{c.etcd, c.server} {
		if !program.isRunning() {
			return program.failure()
		}
	}
	return nil
}

// tend starts the controllers again that did not survive the loss of their server. They are made to
// end then, and somebody else to start them.
func (c *realCluster) tend() error {
	if c.controllers == nil || c.controllers.isRunning() {
		return nil
	}
	return c.controllers.start()
}

// watch returns when it is told to, or when a program has ended by itself.
func (c *realCluster) watch(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tendEach):
			if err := errors.Join(c.health(), c.tend()); err != nil {
				return err
			}
		}
	}
}

// forget makes the store forget every state but the present one. Servers keep some history of their
// own, which ends when they are killed.
func (c *realCluster) forget(ctx context.Context) error {
	var now struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	// Whatever is read, the answer says how new it is.
	if err := c.askStore(ctx, "range", map[string]any{"key": []byte("any")}, &now); err != nil {
		return err
	}
	err := c.askStore(ctx, "compaction", map[string]any{"revision": now.Header.Revision}, &struct{}{})
	if err != nil && strings.Contains(err.Error(), "has been compacted") {
		return nil // nothing was written since the last time
	}
	return err
}

// askStore calls a method of etcd's through its gateway, in JSON.
func (c *realCluster) askStore(ctx context.Context, method string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.etcdURL+"/v3/kv/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("etcd: %s: %s", response.Status, text)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// do is how tests disturb a cluster.
func (c *realCluster) do(ctx context.Context, command string) error {
	switch command {
	case "status":
		return c.health()
	case "kill":
		c.server.kill()
		return nil
	case "launch":
		return c.launchServer()
	case "start":
		return c.startServer(ctx)
	case "pause":
		return c.server.signal(syscall.SIGSTOP)
	case "resume":
		return c.server.signal(syscall.SIGCONT)
	case "forget":
		return c.forget(ctx)
	default:
		return fmt.Errorf("unknown command %q", command)
	}
}

// end leaves nothing behind: no program, no file.
func (c *realCluster) end() {
	for _, program := range []*process{c.controllers, c.server, c.etcd} {
		if program != nil {
			program.kill()
		}
	}
	_ = c.folder.remove()
}

// freePorts are taken below those the kernel gives to outgoing connections, so that a server which
// is killed and started again finds its own still free.
func freePorts(count int) ([]int, error) {
	const first, last, triesMax = 20000, 32000, 1000
	var ports []int
	var holders []net.Listener
	defer func() {
		for _, holder := range holders {
			_ = holder.Close()
		}
	}()
	for range triesMax {
		port := first + rand.IntN(last-first)
		holder, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		holders = append(holders, holder)
		ports = append(ports, port)
		if len(ports) == count {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d on 127.0.0.1", count, first, last)
}

func loopbackURL(scheme string, port int) string {
	return scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
