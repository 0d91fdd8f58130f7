package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// process is one program of a cluster. It is this same executable in another role, ends with us
// even when we are killed, and writes what it has to say to a file.
type process struct {
	name    string
	args    []string
	logPath string

	command *exec.Cmd
	ended   chan struct{} // closed when the program has ended and was waited for
}

// start must be called by a goroutine that stays on its thread: the kernel ends the program with
// the thread that started it.
func (p *process) start() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	// Appended to, so that what a program said before it was killed can still be read.
	log, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(executable, append([]string{p.name}, p.args...)...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		// Ctrl-C is for us alone; we end the others.
		Setpgid: true,
	}
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	p.command, p.ended = command, ended
	return nil
}

func (p *process) isRunning() bool {
	if p.command == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill gives the program no chance to tidy up, and returns when it is gone. One that has ended, or
// was never started, is gone already.
func (p *process) kill() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Signal(syscall.SIGKILL)
	<-p.ended
}

func (p *process) signal(signal syscall.Signal) error {
	if !p.isRunning() {
		return fmt.Errorf("%s is not running", p.name)
	}
	return p.command.Process.Signal(signal)
}

// failure says why a program that should be running is not.
func (p *process) failure() error {
	return fmt.Errorf("%s has ended; its last words:\n%s", p.name, p.lastWords())
}

func (p *process) lastWords() string {
	const linesMax = 15
	log, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-linesMax):], "\n")
}
