package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

var bindRequests = schema.GroupVersionResource{Group: "scheduling.run.ai", Version: "v1alpha2", Resource: "bindrequests"}

// loadReport is what a load cost this process; the server's part is measured from outside.
type loadReport struct {
	Work            string  `json:"work"`
	Items           int     `json:"items"`
	Requests        int     `json:"requests"`
	InFlight        int     `json:"in_flight"`
	Seconds         float64 `json:"seconds"`
	ItemsPerSecond  float64 `json:"items_per_second"`
	CPUSeconds      float64 `json:"cpu_seconds"`
	CPUUsPerRequest float64 `json:"cpu_us_per_request"`
	// This program holds all of Kubernetes: before it does anything it has this much.
	StartRSSBytes   int64   `json:"start_rss_bytes"`
	PeakRSSBytes    int64   `json:"peak_rss_bytes"`
	PreparedSeconds float64 `json:"prepared_seconds"`
}

// work is one kind of small writes, item by item.
type work struct {
	requests int // of one item
	prepare  func(l *load, ctx context.Context, item int) error
	do       func(l *load, ctx context.Context, item int) error
}

var works = map[string]work{
	"configmaps": {1, nil, (*load).createConfigMap},
	"events":     {1, nil, (*load).createEvent},
	"pods":       {1, (*load).generatePod, (*load).createGeneratedPod},
	"bindings":   {1, (*load).createPod, (*load).bind},
	"bind":       {2, (*load).createPodAndBindRequest, (*load).bindAndReport},
}

func runLoad(flags *flag.FlagSet, args []string) error {
	kubeconfig := flags.String("kubeconfig", "", "whom to ask, and as whom")
	name := flags.String("work", "configmaps",
		"configmaps, events, pods (create them), bindings (of pods made before), bind (a binding and the status of a BindRequest)")
	items := flags.Int("count", 10000, "how many items")
	inFlight := flags.Int("in-flight", 64, "how many at once")
	namespace := flags.String("namespace", "default", "where")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	chosen, isKnown := works[*name]
	if !isKnown || *items < 1 || *inFlight < 1 || *kubeconfig == "" {
		return errors.New("--kubeconfig, a --work there is, and a positive --count and --in-flight are needed")
	}
	startRSS, err := statusBytes("VmRSS:")
	if err != nil {
		return err
	}
	load, err := newLoad(*kubeconfig, *namespace, *items)
	if err != nil {
		return err
	}
	ctx := context.Background()
	prepared := time.Now()
	if chosen.prepare != nil {
		if err := load.each(ctx, *items, *inFlight, chosen.prepare); err != nil {
			return fmt.Errorf("preparing: %w", err)
		}
	}
	start, cpu := time.Now(), processCPU()
	if err := load.each(ctx, *items, *inFlight, chosen.do); err != nil {
		return err
	}
	seconds, spent := time.Since(start).Seconds(), processCPU()-cpu
	peak, err := statusBytes("VmHWM:")
	if err != nil {
		return err
	}
	requests := *items * chosen.requests
	return json.NewEncoder(os.Stdout).Encode(loadReport{
		Work:            *name,
		Items:           *items,
		Requests:        requests,
		InFlight:        *inFlight,
		Seconds:         seconds,
		ItemsPerSecond:  float64(*items) / seconds,
		CPUSeconds:      spent.Seconds(),
		CPUUsPerRequest: float64(spent.Microseconds()) / float64(requests),
		StartRSSBytes:   startRSS,
		PeakRSSBytes:    peak,
		PreparedSeconds: start.Sub(prepared).Seconds(),
	})
}

// load writes objects named after a number of its own, so that two loads do not meet.
type load struct {
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	namespace string
	prefix    string
	items     int
	// What a guarded write names, by item: of the pod, and of the BindRequest as it was created.
	podUIDs   []types.UID
	requests  []metav1.ObjectMeta
	generate  sync.Once
	generated []corev1.Pod
}

func newLoad(kubeconfig, namespace string, items int) (*load, error) {
	config, err := clientConfig(kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	custom, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &load{
		client:    client,
		dynamic:   custom,
		namespace: namespace,
		prefix:    fmt.Sprintf("load-%d-%d", os.Getpid(), time.Now().UnixMilli()),
		items:     items,
		podUIDs:   make([]types.UID, items),
		requests:  make([]metav1.ObjectMeta, items),
	}, nil
}

func (l *load) name(item int) string { return fmt.Sprintf("%s-%d", l.prefix, item) }

// each does the items, `inFlight` of them at a time, and stops at the first that fails.
func (l *load) each(ctx context.Context, items, inFlight int, do func(*load, context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for ctx.Err() == nil {
				item := int(next.Add(1)) - 1
				if item >= items {
					return
				}
				if err := do(l, ctx, item); err != nil {
					cancel(fmt.Errorf("item %d: %w", item, err))
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func (l *load) createConfigMap(ctx context.Context, item int) error {
	_, err := l.client.CoreV1().ConfigMaps(l.namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: l.name(item)},
		Data:       map[string]string{"number": fmt.Sprint(item)},
	}, metav1.CreateOptions{})
	return err
}

func (l *load) createEvent(ctx context.Context, item int) error {
	now := metav1.Now()
	_, err := l.client.CoreV1().Events(l.namespace).Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: l.name(item)},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: l.namespace, Name: l.name(item)},
		Reason:         "Bound",
		Message:        "the pod was bound to a node",
		Type:           corev1.EventTypeNormal,
		Source:         corev1.EventSource{Component: "load"},
		FirstTimestamp: now,
		LastTimestamp:  now,
		Count:          1,
	}, metav1.CreateOptions{})
	return err
}

func (l *load) createPod(ctx context.Context, item int) error {
	pod, err := l.client.CoreV1().Pods(l.namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: l.name(item), Labels: map[string]string{"app": "load"}},
		Spec: corev1.PodSpec{
			SchedulerName: "load",
			Containers:    []corev1.Container{{Name: "main", Image: "example.com/main:1"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	l.podUIDs[item] = pod.UID
	return nil
}

// generatePod makes the pods of make-pods ready, all of them with the first.
func (l *load) generatePod(context.Context, int) error {
	l.generate.Do(func() { l.generated = makePodList(l.items, 1).Items })
	return nil
}

// createGeneratedPod leaves out what a server decides itself or, like a priority class, wants to know.
func (l *load) createGeneratedPod(ctx context.Context, item int) error {
	pod := l.generated[item].DeepCopy()
	pod.ObjectMeta = metav1.ObjectMeta{
		Name: l.name(item), Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
	}
	pod.Spec.PriorityClassName, pod.Spec.Priority, pod.Spec.PreemptionPolicy = "", nil, nil
	pod.Status = corev1.PodStatus{}
	_, err := l.client.CoreV1().Pods(l.namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

// bind names the pod's UID, as Berth does: another pod of the name would not be bound.
func (l *load) bind(ctx context.Context, item int) error {
	return l.client.CoreV1().Pods(l.namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{
			Name: l.name(item), UID: l.podUIDs[item], Annotations: map[string]string{"received-resource-type": "Regular"},
		},
		Target: corev1.ObjectReference{Kind: "Node", Name: fmt.Sprintf("node-%d", item%100)},
	}, metav1.CreateOptions{})
}

func (l *load) createPodAndBindRequest(ctx context.Context, item int) error {
	if err := l.createPod(ctx, item); err != nil {
		return err
	}
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": bindRequests.GroupVersion().String(),
		"kind":       "BindRequest",
		"metadata":   map[string]any{"name": l.name(item)},
		"spec":       map[string]any{"podName": l.name(item), "selectedNode": fmt.Sprintf("node-%d", item%100)},
	}}
	created, err := l.dynamic.Resource(bindRequests).Namespace(l.namespace).Create(ctx, request, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	l.requests[item] = metav1.ObjectMeta{UID: created.GetUID(), ResourceVersion: created.GetResourceVersion()}
	return nil
}

// bindAndReport writes what Berth writes, with the same guards: the binding with the pod's UID, the
// status with the BindRequest's UID and resourceVersion.
func (l *load) bindAndReport(ctx context.Context, item int) error {
	if err := l.bind(ctx, item); err != nil {
		return err
	}
	guard := l.requests[item]
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": guard.UID, "resourceVersion": guard.ResourceVersion},
		"status":   map[string]any{"phase": "Succeeded"},
	})
	if err != nil {
		return err
	}
	_, err = l.dynamic.Resource(bindRequests).Namespace(l.namespace).Patch(
		ctx, l.name(item), types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
