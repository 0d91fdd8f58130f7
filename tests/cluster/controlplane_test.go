package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// exchange sends the requests through serveFrames and returns all frames of the answers.
func exchange(t *testing.T, count int, answer func([]byte) ([][]byte, error), requests ...string) []string {
	t.Helper()
	var in, out bytes.Buffer
	for _, request := range requests {
		if err := writeFrame(&in, []byte(request)); err != nil {
			t.Fatal(err)
		}
	}
	if err := serveFrames(&in, &out, count, answer); err != nil {
		t.Fatal(err)
	}
	var frames []string
	for out.Len() > 0 {
		frame, err := readFrame(&out)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, string(frame))
	}
	return frames
}

func TestYAMLIsAnsweredInOrderAndAnErrorDoesNotEndTheConversation(t *testing.T) {
	got := exchange(t, 1, yamlToJSON, "a: 1\nb: [x, yes]", "a: [", "c: 0o17")
	if len(got) != 6 {
		t.Fatalf("6 frames expected, got %q", got)
	}
	if got[0] != "" || got[1] != `{"a":1,"b":["x",true]}` {
		t.Errorf("first answer: %q", got[:2])
	}
	if got[2] == "" || got[3] != "" {
		t.Errorf("broken YAML was answered with %q", got[2:4])
	}
	if got[4] != "" || got[5] == "" {
		t.Errorf("third answer: %q", got[4:])
	}
}

func TestInputThatEndsInsideAFrameIsAnError(t *testing.T) {
	for _, input := range []string{"\x00\x00", "\x00\x00\x00\x05abc", "\xff\xff\xff\xff"} {
		if err := serveFrames(strings.NewReader(input), &bytes.Buffer{}, 1, yamlToJSON); err == nil {
			t.Errorf("no error for %q", input)
		}
	}
}

func TestCanonicalAnswersTheSameFromEitherEncoding(t *testing.T) {
	codec, err := newCanonicalCodec("", "")
	if err != nil {
		t.Fatal(err)
	}
	pods := makePodList(20, 7)
	for i := range pods.Items {
		pod := &pods.Items[i]
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		var text bytes.Buffer
		if err := codec.json.Encode(pod, &text); err != nil {
			t.Fatal(err)
		}
		fromJSON := exchange(t, 2, codec.answer, text.String())
		if fromJSON[0] != "" || fromJSON[1] != text.String() {
			t.Fatalf("%s from JSON: error %q, or another text", pod.Name, fromJSON[0])
		}
		fromProtobuf := exchange(t, 2, codec.answer, fromJSON[2])
		if !slices.Equal(fromJSON, fromProtobuf) {
			t.Fatalf("%s: protobuf and JSON give different answers", pod.Name)
		}
	}
}

func TestCanonicalRefusesWhatItCannotVouchFor(t *testing.T) {
	codec, err := newCanonicalCodec("", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{
		"",
		`{"metadata":{"name":"a"}}`,
		`{"kind":"Unheard","apiVersion":"v1"}`,
		`{"kind":"Pod","apiVersion":"v1","spec":{"nodName":"misspelt"}}`,
		`{"kind":"Pod","apiVersion":"v1","kind":"Pod"}`,
		"k8s\x00\xff\xff",
	} {
		got := exchange(t, 2, codec.answer, request)
		if len(got) != 3 || got[0] == "" || got[1] != "" || got[2] != "" {
			t.Errorf("%q was answered with %q", request, got)
		}
	}
}

func TestCanonicalTakesTheGivenKindForObjectsThatNameNone(t *testing.T) {
	codec, err := newCanonicalCodec("storage.k8s.io/v1", "StorageClass")
	if err != nil {
		t.Fatal(err)
	}
	got := exchange(t, 2, codec.answer, `{"provisioner":"p"}`, `{"kind":"Node","apiVersion":"v1"}`)
	if got[0] != "" || !strings.HasPrefix(got[1], `{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1"`) {
		t.Errorf("unnamed object: %q", got[:2])
	}
	if got[3] != "" || !strings.HasPrefix(got[4], `{"kind":"Node","apiVersion":"v1"`) {
		t.Errorf("the object's own kind comes first: %q", got[3:5])
	}
}

func TestPodsAreTheSameForTheSameSeedAndDistinctFromEachOther(t *testing.T) {
	first, second, other := makePodList(3000, 1), makePodList(3000, 1), makePodList(3000, 2)
	encode := func(list *corev1.PodList) []byte {
		encoded, err := list.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	if !bytes.Equal(encode(first), encode(second)) {
		t.Error("the same seed gave different pods")
	}
	if bytes.Equal(encode(first), encode(other)) {
		t.Error("another seed gave the same pods")
	}
	seen := map[string]bool{}
	for _, pod := range first.Items {
		key := pod.Namespace + "/" + pod.Name
		if seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
	}
}

func TestBenchReportsEveryMode(t *testing.T) {
	folder := t.TempDir()
	pb, text := filepath.Join(folder, "pods.pb"), filepath.Join(folder, "pods.json")
	if err := run([]string{"make-pods", "--count", "50", "--pb", pb, "--json", text}); err != nil {
		t.Fatal(err)
	}
	report := runCaptured(t, "decode-bench", "--pods", pb, "--json", text, "--rounds", "2")
	var got decodeReport
	if err := json.Unmarshal(report, &got); err != nil {
		t.Fatalf("%v in %s", err, report)
	}
	if got.Pods != 50 || len(got.Modes) != 8 {
		t.Fatalf("%d pods, %d modes", got.Pods, len(got.Modes))
	}
	for _, mode := range got.Modes {
		if mode.Rounds != 2 || mode.CPUNsPerPod.Median <= 0 || mode.WallNsPerPod.Best <= 0 ||
			mode.AllocatedBytesPerPod < mode.InputBytesPerPod/4 {
			t.Errorf("%+v", mode)
		}
	}
}

func TestUnknownRolesAndFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"unheard"}, {"yaml", "extra"}, {"canonical", "--kind", "Pod"},
		{"decode-bench"}, {"make-pods", "--pb", "x", "--json", "y", "--count", "0"},
		{"make-volumes", "--output", "x", "--pods", "3"}, {"volume-filter"}} {
		if err := run(args); err == nil {
			t.Errorf("no error for %q", args)
		}
	}
}

func runCaptured(t *testing.T, args ...string) []byte {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	err = run(args)
	os.Stdout = stdout
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content
}
