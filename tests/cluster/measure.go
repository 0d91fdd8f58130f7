package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// spread is one figure over all rounds. The mean carries the garbage collector's whole bill, which
// falls due in some rounds and not in others.
type spread struct {
	Median float64 `json:"median"`
	Best   float64 `json:"best"`
	Mean   float64 `json:"mean"`
}

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	sum := 0.0
	for _, value := range sorted {
		sum += value
	}
	middle := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		middle = (middle + sorted[len(sorted)/2-1]) / 2
	}
	return spread{Median: middle, Best: sorted[0], Mean: sum / float64(len(sorted))}
}

// measurement is what one piece of work cost, per item of it.
type measurement struct {
	Rounds int `json:"rounds"`
	// CPU of the whole process, all threads, the garbage collector's among them.
	CPUNsPerPod          spread  `json:"cpu_ns_per_pod"`
	WallNsPerPod         spread  `json:"wall_ns_per_pod"`
	AllocatedBytesPerPod float64 `json:"allocated_bytes_per_pod"`
	AllocationsPerPod    float64 `json:"allocations_per_pod"`
	// Of the first round alone, from a heap that holds nothing but the input.
	PeakRSSGrowthBytes int64 `json:"peak_rss_growth_bytes"`
}

// measure runs `work`, which handles `items` items and keeps what it makes, first once for the
// memory and to warm up, then for at least `rounds` rounds and at least `least` altogether.
func measure(items, rounds int, least time.Duration, work func() error) (measurement, error) {
	var result measurement
	growth, err := peakRSSGrowth(work)
	if err != nil {
		return result, err
	}
	result.PeakRSSGrowthBytes = growth

	var cpu, wall []float64
	perItem := func(spent time.Duration) float64 { return float64(spent.Nanoseconds()) / float64(items) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for len(wall) < rounds || time.Since(start) < least {
		cpuStart, wallStart := processCPU(), time.Now()
		if err := work(); err != nil {
			return result, err
		}
		wall = append(wall, perItem(time.Since(wallStart)))
		cpu = append(cpu, perItem(processCPU()-cpuStart))
	}
	runtime.ReadMemStats(&after)

	result.Rounds = len(wall)
	result.CPUNsPerPod = spreadOf(cpu)
	result.WallNsPerPod = spreadOf(wall)
	handled := float64(items * len(wall))
	result.AllocatedBytesPerPod = float64(after.TotalAlloc-before.TotalAlloc) / handled
	result.AllocationsPerPod = float64(after.Mallocs-before.Mallocs) / handled
	return result, nil
}

func processCPU() time.Duration {
	var usage syscall.Rusage
	// Cannot fail: the arguments are constant and valid.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakRSSGrowth says by how much `work` raised the resident memory at its highest.
func peakRSSGrowth(work func() error) (int64, error) {
	debug.FreeOSMemory()
	// "5" sets the high-water mark back to the present size (proc(5)).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	before, err := statusBytes("VmRSS:")
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	peak, err := statusBytes("VmHWM:")
	return peak - before, err
}

// statusBytes reads a line such as "VmRSS:   1234 kB" of the process's status.
func statusBytes(name string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) >= 2 && string(fields[0]) == name {
			kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/self/status", name)
}
