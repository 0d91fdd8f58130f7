package main

import (
	"bytes"
	"errors"
	"flag"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// make-pods writes one list of generated pods in both encodings, for tests and benchmarks. The same
// count and seed give the same bytes.
func runMakePods(flags *flag.FlagSet, args []string) error {
	count := flags.Int("count", 5000, "number of pods")
	seed := flags.Uint64("seed", 1, "seed of everything random")
	pbPath := flags.String("pb", "", "file to write as Kubernetes protobuf")
	jsonPath := flags.String("json", "", "file to write as JSON")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if *pbPath == "" || *jsonPath == "" {
		return errors.New("--pb and --json are required")
	}
	if *count < 1 {
		return errors.New("--count must be at least 1")
	}
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	list := makePodList(*count, *seed)
	if err := writeObject(*pbPath, protobuf.NewSerializer(scheme, scheme), list); err != nil {
		return err
	}
	return writeObject(*jsonPath,
		json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{}), list)
}

func writeObject(path string, encoder runtime.Encoder, object runtime.Object) error {
	var encoded bytes.Buffer
	if err := encoder.Encode(object, &encoded); err != nil {
		return err
	}
	return os.WriteFile(path, encoded.Bytes(), 0o644)
}

// makePodList makes workloads one after the other until their pods are enough.
func makePodList(count int, seed uint64) *corev1.PodList {
	d := newDice(seed)
	cluster := cluster{nodes: count/30 + 3}
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: d.resourceVersion()},
	}
	for number := 1; len(list.Items) < count; number++ {
		w := makeWorkload(d, number)
		for i := 0; i < w.replicas && len(list.Items) < count; i++ {
			list.Items = append(list.Items, makePod(d, cluster, w, i))
		}
	}
	return list
}
