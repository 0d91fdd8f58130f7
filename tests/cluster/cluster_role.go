package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// cluster is a control plane for people, until Ctrl-C; with --frames one for a test, until stdin
// ends. The first request of a test is answered when the server is ready. README.md lists the
// requests; each is answered with two frames, the cluster's folder and the server's URL.
func runCluster(flags *flag.FlagSet, args []string) error {
	var options clusterOptions
	var isForTest, endsWithParent bool
	flags.StringVar(&options.controllers, "controllers", "",
		"the controllers to run, separated by commas; '*' for all; none when empty")
	flags.Func("server-arg", "an argument for kube-apiserver; may be given several times", func(arg string) error {
		options.serverArgs = append(options.serverArgs, arg)
		return nil
	})
	flags.BoolVar(&isForTest, "frames", false, "answer requests on stdin, and end when it does")
	flags.BoolVar(&endsWithParent, "with-parent", false, "end also when the program that started this one does")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	// What this thread starts ends with it, and it shall not end before the process.
	runtime.LockOSThread()
	if endsWithParent {
		if err := askToEndWithParent(); err != nil {
			return err
		}
	}
	signalled, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if isForTest {
		return serveCluster(signalled, options)
	}
	return showCluster(signalled, options)
}

func askToEndWithParent() error {
	_, _, code := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGTERM), 0)
	if code != 0 {
		return code
	}
	return nil
}

// serveCluster works off the requests one after the other, on the thread the programs live with.
func serveCluster(signalled context.Context, options clusterOptions) error {
	ctx, end := context.WithCancelCause(signalled)
	requests := make(chan []byte)
	go func() {
		for {
			request, err := readFrame(os.Stdin)
			if err != nil {
				end(err)
				return
			}
			requests <- request
		}
	}()
	cluster, failure := startCluster(ctx, options)
	if failure == nil {
		defer cluster.end()
	}
	for {
		var request []byte
		select {
		case <-ctx.Done():
			return endOfCluster(ctx)
		case <-time.After(tendEach):
			if failure == nil {
				if err := cluster.tend(); err != nil {
					return err
				}
			}
			continue
		case request = <-requests:
		}
		answers := []string{"", "", ""}
		err := failure
		if err == nil {
			err = cluster.do(ctx, string(request))
		}
		if err != nil {
			answers[0] = err.Error()
		} else {
			answers[1], answers[2] = cluster.folder.path, cluster.url
		}
		for _, answer := range answers {
			if err := writeFrame(os.Stdout, []byte(answer)); err != nil {
				return err
			}
		}
	}
}

// endOfCluster is no error when we were told to end, by a signal or by the end of stdin.
func endOfCluster(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, io.EOF) || errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// showCluster runs a cluster for people.
func showCluster(ctx context.Context, options clusterOptions) error {
	fmt.Fprintln(os.Stderr, "starting etcd and kube-apiserver")
	cluster, err := startCluster(ctx, options)
	if ctx.Err() != nil {
		err = nil
	}
	if err != nil {
		return err
	}
	if cluster != nil {
		defer cluster.end()
		fmt.Fprintf(os.Stderr, "ready: %s until Ctrl-C; logs and keys are in %s\n", cluster.url, cluster.folder.path)
		fmt.Fprintln(os.Stderr, "the kubeconfig:")
		fmt.Println(cluster.folder.file("kubeconfig"))
		err = cluster.watch(ctx)
	}
	fmt.Fprintln(os.Stderr, "ending; everything of this cluster is removed")
	return err
}
