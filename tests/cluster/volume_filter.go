package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	"k8s.io/klog/v2"
)

// volume-filter measures what the real VolumeBinding plugin needs to find the nodes for one pod:
// PreFilter and Filter on all nodes, for one pod after the other, each with a claim of its own and
// after a volume and a node have changed.
func runVolumeFilter(flags *flag.FlagSet, args []string) error {
	path := flags.String("world", "", "file of make-volumes")
	pods := flags.Int("pods", 3, "timed pods, at least; 0: only say how long one would take")
	seconds := flags.Float64("seconds", 0, "seconds for all, at least")
	patience := flags.Duration("patience", time.Minute, "leave a world out in which a pod takes longer")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if *path == "" || *pods < 0 {
		return errors.New("--world and a number of --pods are needed")
	}
	file, err := os.Open(*path)
	if err != nil {
		return err
	}
	world, err := readVolumeWorld(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", *path, err)
	}
	if len(world.steps) == 0 {
		return fmt.Errorf("%s: no pods", *path)
	}
	ctx := klog.NewContext(context.Background(), klog.Background())
	scheduler, err := newVolumeScheduler(ctx, world)
	if err != nil {
		return err
	}
	report := volumeReport{
		Go: goruntime.Version(), GOMAXPROCS: goruntime.GOMAXPROCS(0),
		Nodes: len(world.nodes), Volumes: len(world.volumes),
	}
	if report.EstimatedNsPerPod, err = scheduler.estimate(ctx, world.steps[0]); err != nil {
		return err
	}
	report.IsFinished = report.EstimatedNsPerPod <= float64(patience.Nanoseconds())
	if report.IsFinished && *pods > 0 {
		if err := report.measure(ctx, scheduler, world.steps, *pods, time.Duration(*seconds*float64(time.Second))); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

type volumeReport struct {
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Nodes      int    `json:"nodes"`
	Volumes    int    `json:"volumes"`
	// From a sample of the nodes.
	EstimatedNsPerPod float64 `json:"estimated_ns_per_pod"`
	// Whether a pod takes no longer than one has patience for; else nothing follows.
	IsFinished bool `json:"is_finished"`
	Pods       int  `json:"pods"`
	// CPU of the whole process, the garbage collector's among it; one node after the other.
	CPUNsPerPod spread `json:"cpu_ns_per_pod"`
	// By the clock, 16 nodes at a time, as a scheduler does it.
	ParallelWallNsPerPod spread `json:"parallel_wall_ns_per_pod"`
	// How many nodes were found for each of the first pods: who compares can check.
	Feasible []int `json:"feasible"`
}

// Nodes of the sample, spread over all of them: half a second of the largest world.
const estimateNodes = 10

// estimate says what a pod will take, from a few nodes.
func (s *volumeScheduler) estimate(ctx context.Context, step volumeStep) (float64, error) {
	if err := s.apply(step); err != nil {
		return 0, err
	}
	state, err := s.preFilter(ctx, step.pod)
	if err != nil {
		return 0, err
	}
	count := min(estimateNodes, len(s.nodes))
	start := processCPU()
	for i := range count {
		if _, err := s.filter(ctx, state, step.pod, i*len(s.nodes)/count); err != nil {
			return 0, err
		}
	}
	spent := processCPU() - start
	return float64(spent.Nanoseconds()) * float64(len(s.nodes)) / float64(count), s.forget(step)
}

func (r *volumeReport) measure(ctx context.Context, s *volumeScheduler, steps []volumeStep, pods int, least time.Duration) error {
	var cpu, wall []float64
	for begin := time.Now(); len(cpu) < pods || time.Since(begin) < least; {
		step := steps[len(cpu)%len(steps)]
		if err := s.apply(step); err != nil {
			return err
		}
		cpuStart := processCPU()
		feasible, err := s.filterAll(ctx, step.pod)
		if err != nil {
			return err
		}
		cpu = append(cpu, float64((processCPU() - cpuStart).Nanoseconds()))

		wallStart := time.Now()
		again, err := s.filterParallel(ctx, step.pod)
		if err != nil {
			return err
		}
		wall = append(wall, float64(time.Since(wallStart).Nanoseconds()))
		if again != feasible {
			return fmt.Errorf("%s: %d nodes one by one, %d in parallel", step.pod.Name, feasible, again)
		}
		if len(r.Feasible) < len(steps) {
			r.Feasible = append(r.Feasible, feasible)
		}
		if err := s.forget(step); err != nil {
			return err
		}
	}
	r.Pods, r.CPUNsPerPod, r.ParallelWallNsPerPod = len(cpu), spreadOf(cpu), spreadOf(wall)
	return nil
}
