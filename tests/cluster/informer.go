package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// informerReport is one line: the first when the pods were listed, the second when so many changes
// were seen since. Whoever writes the changes waits for the first.
type informerReport struct {
	Phase        string  `json:"phase"`
	Objects      int     `json:"objects"`
	Events       int64   `json:"events"`
	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
}

func runInformer(flags *flag.FlagSet, args []string) error {
	kubeconfig := flags.String("kubeconfig", "", "whom to ask, and as whom")
	eventsMin := flags.Int64("events", 10000, "how many changes to follow after the list")
	patience := flags.Duration("patience", 10*time.Minute, "how long either may take")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if *kubeconfig == "" || *eventsMin < 0 {
		return errors.New("--kubeconfig and a number of --events are needed")
	}
	config, err := clientConfig(*kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	follower := &follower{eventsMin: *eventsMin, done: make(chan struct{})}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	if _, err := pods.AddEventHandler(follower.handlers()); err != nil {
		return err
	}

	phase := beginPhase()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return errors.New("the list did not come")
	}
	if err := phase.report("list", len(pods.GetStore().ListKeys()), 0); err != nil {
		return err
	}
	phase = beginPhase()
	if *eventsMin > 0 {
		select {
		case <-follower.done:
		case <-ctx.Done():
			return errors.New("fewer changes came than were asked for")
		}
	}
	return phase.report("follow", len(pods.GetStore().ListKeys()), follower.events.Load())
}

// follower counts what is not part of the list.
type follower struct {
	eventsMin int64
	events    atomic.Int64
	done      chan struct{}
}

func (f *follower) handlers() cache.ResourceEventHandlerDetailedFuncs {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInList bool) {
			if _, isPod := object.(*corev1.Pod); isPod && !isInList {
				f.count()
			}
		},
		UpdateFunc: func(_, _ any) { f.count() },
		DeleteFunc: func(any) { f.count() },
	}
}

func (f *follower) count() {
	if f.events.Add(1) == f.eventsMin {
		close(f.done)
	}
}

// phase is a stretch of time and what it cost.
type phase struct {
	start time.Time
	cpu   time.Duration
}

func beginPhase() phase { return phase{start: time.Now(), cpu: processCPU()} }

func (p phase) report(name string, objects int, events int64) error {
	seconds, cpu := time.Since(p.start).Seconds(), processCPU()-p.cpu
	peak, err := statusBytes("VmHWM:")
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(informerReport{
		Phase: name, Objects: objects, Events: events, Seconds: seconds, CPUSeconds: cpu.Seconds(), PeakRSSBytes: peak,
	})
}
