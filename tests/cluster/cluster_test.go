package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A cluster starts this executable again in other roles, which here is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	os.Exit(m.Run())
}

// clusterUnderTest is the program as a test of another language has it: a pipe in, a pipe out.
type clusterUnderTest struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
	folder  string
	url     string
}

func startClusterUnderTest(t *testing.T, args ...string) *clusterUnderTest {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &clusterUnderTest{t: t, command: exec.Command(executable, append([]string{"cluster", "--frames"}, args...)...)}
	c.command.Stderr = os.Stderr
	if c.in, err = c.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if c.out, err = c.command.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.in.Close()
		_ = c.command.Wait()
	})
	c.folder, c.url = c.ask("status")
	return c
}

func (c *clusterUnderTest) ask(request string) (folder, url string) {
	c.t.Helper()
	if err := writeFrame(c.in, []byte(request)); err != nil {
		c.t.Fatal(err)
	}
	var frames []string
	for range 3 {
		frame, err := readFrame(c.out)
		if err != nil {
			c.t.Fatal(err)
		}
		frames = append(frames, string(frame))
	}
	if frames[0] != "" {
		c.t.Fatalf("%s: %s", request, frames[0])
	}
	return frames[1], frames[2]
}

func (c *clusterUnderTest) run(args ...string) string {
	c.t.Helper()
	command := exec.Command(c.command.Path, append(args, "--kubeconfig", filepath.Join(c.folder, "kubeconfig"))...)
	command.Env = append(os.Environ(), "HOME="+c.folder)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		c.t.Fatalf("%q: %v: %s", args, err, complaints.String())
	}
	return string(output)
}

// programs are the processes that were started with the cluster's folder.
func (c *clusterUnderTest) programs() []string {
	c.t.Helper()
	var found []string
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, path := range commands {
		line, _ := os.ReadFile(path) // processes come and go
		if bytes.Contains(line, []byte(c.folder)) {
			words := bytes.Split(line, []byte{0})
			found = append(found, string(words[1]))
		}
	}
	return found
}

func (c *clusterUnderTest) expectNoPrograms() {
	c.t.Helper()
	// Killed with their parent, but not waited for by it.
	for range 200 {
		if len(c.programs()) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Errorf("%q still run", c.programs())
}

func TestAClusterServesIsDisturbedAndLeavesNothing(t *testing.T) {
	c := startClusterUnderTest(t, "--controllers", "persistentvolume-binder-controller",
		"--server-arg", "--event-ttl=10m")
	if got := c.programs(); len(got) != 3 {
		t.Errorf("etcd, a server and a controller manager were expected, not %q", got)
	}
	c.run("kubectl", "create", "configmap", "kept", "--from-literal=a=1")
	c.ask("kill")
	c.ask("forget")
	c.ask("forget") // there is nothing left to forget
	if got := c.programs(); slices.Contains(got, "kube-apiserver") {
		t.Errorf("without the server: %q", got)
	}
	_, url := c.ask("start")
	if url != c.url {
		t.Errorf("the server moved from %s to %s", c.url, url)
	}
	if got := c.run("kubectl", "get", "configmap", "kept", "-o", "jsonpath={.data.a}"); got != "1" {
		t.Errorf("what was written before the server was killed: %q", got)
	}
	c.ask("pause")
	c.ask("resume")
	c.run("kubectl", "get", "--raw", "/readyz")

	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	c.expectNoPrograms()
	if _, err := os.Stat(c.folder); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

func TestAClusterThatIsKilledTakesItsProgramsWithIt(t *testing.T) {
	c := startClusterUnderTest(t)
	if err := c.command.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.command.Wait()
	c.expectNoPrograms()
	// The next cluster finds that nobody owns the folder any more.
	if _, err := os.Stat(c.folder); err != nil {
		t.Fatal(err)
	}
	sweepFolders(filepath.Dir(c.folder))
	if _, err := os.Stat(c.folder); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

func TestAFolderThatIsOwnedIsNotSwept(t *testing.T) {
	parent := t.TempDir()
	folder, err := newClusterFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	sweepFolders(parent)
	if _, err := os.Stat(folder.path); err != nil {
		t.Error(err)
	}
	if err := folder.remove(); err != nil {
		t.Error(err)
	}
}

func TestAServerThatDoesNotStartSaysWhy(t *testing.T) {
	_, err := tryCluster(t.Context(), clusterOptions{serverArgs: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("%v", err)
	}
}

func TestLoadReportsWhatItDid(t *testing.T) {
	c := startClusterUnderTest(t)
	const definitions = "../../deploy/crds/scheduling.run.ai_bindrequests.yaml"
	c.run("kubectl", "create", "-f", definitions)
	c.run("kubectl", "wait", "--for", "condition=established", "--timeout", "60s", "-f", definitions)
	for work, requests := range map[string]int{"configmaps": 20, "events": 20, "pods": 20, "bindings": 20, "bind": 40} {
		var report loadReport
		output := c.run("load", "--work", work, "--count", "20", "--in-flight", "4")
		if err := json.Unmarshal([]byte(output), &report); err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		if report.Work != work || report.Requests != requests || report.ItemsPerSecond <= 0 || report.CPUUsPerRequest <= 0 {
			t.Errorf("%+v", report)
		}
	}
	// The generated pods have nodes of their own.
	bound := c.run("kubectl", "get", "pods", "-l", "app=load", "-o", "jsonpath={.items[*].spec.nodeName}")
	if got := len(strings.Fields(bound)); got != 40 {
		t.Errorf("%d pods are bound", got)
	}
	phases := c.run("kubectl", "get", "bindrequests", "-o", "jsonpath={.items[*].status.phase}")
	if got := strings.Fields(phases); len(got) != 20 || got[0] != "Succeeded" {
		t.Errorf("phases %q", got)
	}
}

func TestInformerReportsListAndChanges(t *testing.T) {
	c := startClusterUnderTest(t)
	c.run("load", "--work", "bindings", "--count", "20", "--in-flight", "4")
	command := exec.Command(c.command.Path, "informer", "--events", "60", "--kubeconfig", filepath.Join(c.folder, "kubeconfig"))
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	reports := json.NewDecoder(output)
	var list, follow informerReport
	if err := reports.Decode(&list); err != nil {
		t.Fatal(err)
	}
	// Each pod is created and bound: two changes.
	c.run("load", "--work", "bindings", "--count", "30", "--in-flight", "4")
	if err := reports.Decode(&follow); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if list.Phase != "list" || list.Objects != 20 || list.PeakRSSBytes < list.StartRSSBytes || list.StartRSSBytes <= 0 {
		t.Errorf("%+v", list)
	}
	if follow.Phase != "follow" || follow.Objects != 50 || follow.Events < 60 || follow.CPUSeconds <= 0 {
		t.Errorf("%+v", follow)
	}
}
