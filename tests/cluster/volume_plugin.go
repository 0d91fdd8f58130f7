package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// What is on in the version whose rules ours follow, and off in this one.
const volumeGates = "StorageCapacityScoring=true,VolumeLimitScaling=true"

// volumeScheduler is the real plugin over informer caches that are filled by hand: nobody is asked.
type volumeScheduler struct {
	plugin       *volumebinding.VolumeBinding
	factory      informers.SharedInformerFactory
	nodes        []fwk.NodeInfo
	nodeNumbers  map[string]int
	parallelizer parallelize.Parallelizer
	version      int
}

func newVolumeScheduler(ctx context.Context, world *volumeWorld) (*volumeScheduler, error) {
	metrics.Register()
	if err := utilfeature.DefaultMutableFeatureGate.Set(volumeGates); err != nil {
		return nil, err
	}
	// Never used: the informers are not started and nothing is written.
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "127.0.0.1:1"})
	if err != nil {
		return nil, err
	}
	s := &volumeScheduler{
		factory:      informers.NewSharedInformerFactory(client, 0),
		nodeNumbers:  map[string]int{},
		parallelizer: parallelize.NewParallelizer(parallelize.DefaultParallelism),
	}
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil,
		frameworkruntime.WithClientSet(client), frameworkruntime.WithInformerFactory(s.factory))
	if err != nil {
		return nil, err
	}
	if s.plugin, err = newVolumePlugin(ctx, handle); err != nil {
		return nil, err
	}
	return s, s.fill(world)
}

// newVolumePlugin makes the plugin with the arguments and gates a scheduler would give it.
func newVolumePlugin(ctx context.Context, handle fwk.Handle) (*volumebinding.VolumeBinding, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	for _, arguments := range defaults.Profiles[0].PluginConfig {
		if arguments.Name != volumebinding.Name {
			continue
		}
		gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
		plugin, err := volumebinding.New(ctx, arguments.Args, handle, gates)
		if err != nil {
			return nil, err
		}
		return plugin.(*volumebinding.VolumeBinding), nil
	}
	return nil, errors.New("the plugin has no default arguments")
}

func (s *volumeScheduler) fill(world *volumeWorld) error {
	core, storage := s.factory.Core().V1(), s.factory.Storage().V1()
	errs := []error{storage.StorageClasses().Informer().GetStore().Add(world.class)}
	for _, node := range world.nodes {
		errs = append(errs, core.Nodes().Informer().GetStore().Add(node))
		info := framework.NewNodeInfo()
		info.SetNode(node)
		s.nodeNumbers[node.Name] = len(s.nodes)
		s.nodes = append(s.nodes, info)
	}
	for _, volume := range world.volumes {
		errs = append(errs, core.PersistentVolumes().Informer().GetStore().Add(volume))
	}
	for _, claim := range world.claims {
		errs = append(errs, core.PersistentVolumeClaims().Informer().GetStore().Add(claim))
	}
	return errors.Join(errs...)
}

// apply brings the changes that precede a pod, each as a new version of its object.
func (s *volumeScheduler) apply(step volumeStep) error {
	core := s.factory.Core().V1()
	volume, node := step.volume.DeepCopy(), step.node.DeepCopy()
	for _, object := range []metav1.Object{volume, node} {
		s.version++
		object.SetResourceVersion(strconv.Itoa(2_000_000_000 + s.version))
	}
	number, known := s.nodeNumbers[node.Name]
	if !known {
		return fmt.Errorf("unknown node %s", node.Name)
	}
	// A scheduler updates its copy of a node in place too, between two pods.
	s.nodes[number].(*framework.NodeInfo).SetNode(node)
	return errors.Join(
		core.PersistentVolumes().Informer().GetStore().Update(volume),
		core.Nodes().Informer().GetStore().Update(node),
		core.PersistentVolumeClaims().Informer().GetStore().Add(step.claim))
}

// forget removes the claim again, so that the world stays as large as it is.
func (s *volumeScheduler) forget(step volumeStep) error {
	return s.factory.Core().V1().PersistentVolumeClaims().Informer().GetStore().Delete(step.claim)
}

func (s *volumeScheduler) preFilter(ctx context.Context, pod *corev1.Pod) (fwk.CycleState, error) {
	state := framework.NewCycleState()
	_, status := s.plugin.PreFilter(ctx, state, pod, s.nodes)
	return state, status.AsError()
}

// filter says whether the pod's volumes can be had on this node.
func (s *volumeScheduler) filter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, number int) (bool, error) {
	status := s.plugin.Filter(ctx, state, pod, s.nodes[number])
	if status.IsSuccess() {
		return true, nil
	}
	if status.Code() != fwk.UnschedulableAndUnresolvable {
		return false, status.AsError()
	}
	return false, nil
}

// filterAll counts the nodes on which the pod's volumes can be had, one node after the other.
func (s *volumeScheduler) filterAll(ctx context.Context, pod *corev1.Pod) (feasible int, err error) {
	state, err := s.preFilter(ctx, pod)
	if err != nil {
		return 0, err
	}
	for number := range s.nodes {
		fits, err := s.filter(ctx, state, pod, number)
		if err != nil {
			return 0, err
		}
		if fits {
			feasible++
		}
	}
	return feasible, nil
}

// filterParallel does the same with as many nodes at a time as a scheduler takes.
func (s *volumeScheduler) filterParallel(ctx context.Context, pod *corev1.Pod) (int, error) {
	state, err := s.preFilter(ctx, pod)
	if err != nil {
		return 0, err
	}
	var feasible, failed atomic.Int64
	s.parallelizer.Until(ctx, len(s.nodes), func(number int) {
		fits, err := s.filter(ctx, state, pod, number)
		if err != nil {
			failed.Add(1)
		} else if fits {
			feasible.Add(1)
		}
	}, "Filter")
	if failed.Load() > 0 {
		return 0, fmt.Errorf("%d nodes failed", failed.Load())
	}
	return int(feasible.Load()), nil
}
