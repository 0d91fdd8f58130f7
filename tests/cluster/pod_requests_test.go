package main

import "testing"

func TestPodRequestsAddContainersAndOverheadAndTheStatusOnDemand(t *testing.T) {
	pod := `{"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}}],
	                  "overhead": {"cpu": "250m"}},
	         "status": {"containerStatuses": [
	             {"name": "a", "resources": {"requests": {"cpu": "2"}}}]}}`
	for useStatus, expected := range map[bool]string{false: `{"cpu":"1250m"}`, true: `{"cpu":"2250m"}`} {
		answer := func(request []byte) ([][]byte, error) { return podRequests(request, useStatus) }
		got := exchange(t, 1, answer, pod, "not JSON")
		if len(got) != 4 || got[0] != "" || got[1] != expected {
			t.Errorf("use-status %v: %q", useStatus, got)
		}
		if got[2] == "" {
			t.Errorf("a text that is no pod was answered with %q", got[3])
		}
	}
}
