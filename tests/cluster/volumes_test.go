package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
)

func TestVolumesAreTheSameForTheSameSeed(t *testing.T) {
	write := func(seed uint64) string {
		var out bytes.Buffer
		if err := makeVolumeWorld(20, 60, 8, seed).write(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if write(1) != write(1) {
		t.Error("the same seed gave another world")
	}
	if write(1) == write(2) {
		t.Error("another seed gave the same world")
	}
}

func TestAWorldOfVolumesIsReadAsItWasWritten(t *testing.T) {
	var first, second bytes.Buffer
	if err := makeVolumeWorld(5, 17, 4, 3).write(&first); err != nil {
		t.Fatal(err)
	}
	world, err := readVolumeWorld(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(world.nodes) != 5 || len(world.volumes) != 17 || len(world.steps) != 4 {
		t.Fatalf("%d nodes, %d volumes, %d steps", len(world.nodes), len(world.volumes), len(world.steps))
	}
	if err := world.write(&second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("written again it is another world")
	}
}

// The plugin's answer must be the one that can be seen with the eye: a free volume on the node that
// is large enough.
func TestTheRealPluginFindsTheNodesWithAFreeVolume(t *testing.T) {
	world := makeVolumeWorld(30, 90, 16, 5)
	scheduler, err := newVolumeScheduler(context.Background(), world)
	if err != nil {
		t.Fatal(err)
	}
	current := map[string]int{}
	for i, volume := range world.volumes {
		current[volume.Name] = i
	}
	for _, step := range world.steps {
		if err := scheduler.apply(step); err != nil {
			t.Fatal(err)
		}
		world.volumes[current[step.volume.Name]] = step.volume
		request := step.claim.Spec.Resources.Requests["storage"]
		want := map[string]bool{}
		for _, volume := range world.volumes {
			capacity := volume.Spec.Capacity["storage"]
			if volume.Spec.ClaimRef == nil && capacity.Cmp(request) >= 0 {
				want[volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]] = true
			}
		}
		got, err := scheduler.filterAll(context.Background(), step.pod)
		if err != nil {
			t.Fatal(err)
		}
		if got != len(want) {
			t.Errorf("%s: %d nodes instead of %d", step.pod.Name, got, len(want))
		}
		if err := scheduler.forget(step); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVolumeFilterReportsWhatAPodTakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world")
	if err := run([]string{"make-volumes", "--nodes", "10", "--volumes", "30", "--output", path}); err != nil {
		t.Fatal(err)
	}
	var got volumeReport
	if err := json.Unmarshal(runCaptured(t, "volume-filter", "--world", path, "--pods", "2"), &got); err != nil {
		t.Fatal(err)
	}
	if !got.IsFinished || got.Pods != 2 || got.CPUNsPerPod.Mean <= 0 || got.ParallelWallNsPerPod.Mean <= 0 || len(got.Feasible) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestVolumeFilterLeavesOutWhatTakesTooLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world")
	if err := run([]string{"make-volumes", "--nodes", "200", "--volumes", "2000", "--output", path}); err != nil {
		t.Fatal(err)
	}
	var got volumeReport
	if err := json.Unmarshal(runCaptured(t, "volume-filter", "--world", path, "--patience", "1ns"), &got); err != nil {
		t.Fatal(err)
	}
	if got.IsFinished || got.Pods != 0 {
		t.Errorf("%+v", got)
	}
}
