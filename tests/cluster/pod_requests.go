package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// pod-requests is the second opinion on what a pod asks of its node: each request is a pod as JSON,
// its one answer frame a JSON object of resources and quantities, as the scheduler counts them.
func runPodRequests(flags *flag.FlagSet, args []string) error {
	useStatus := flags.Bool("use-status", true, "count what the status says about a resize")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	return serveFrames(os.Stdin, os.Stdout, 1, func(request []byte) ([][]byte, error) {
		return podRequests(request, *useStatus)
	})
}

func podRequests(request []byte, useStatus bool) ([][]byte, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(request, &pod); err != nil {
		return nil, fmt.Errorf("reading a pod: %w", err)
	}
	requests := resourcehelper.PodRequests(&pod, resourcehelper.PodResourcesOptions{
		UseStatusResources: useStatus,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
	})
	answer, err := json.Marshal(requests)
	if err != nil {
		return nil, err
	}
	return [][]byte{answer}, nil
}
