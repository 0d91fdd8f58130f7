package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// volumeWorld is a cluster with local volumes, and what happens in it: one step for each pod that is
// timed.
type volumeWorld struct {
	class   *storagev1.StorageClass
	nodes   []*corev1.Node
	volumes []*corev1.PersistentVolume
	claims  []*corev1.PersistentVolumeClaim // of the volumes that are in use
	steps   []volumeStep
}

// volumeStep is what comes between two pods: a volume and a node have changed, and a pod has come
// with a claim of its own. Of two steps the second takes back what the first changed, so that after
// the last one the world is as it was and the steps can be walked again.
type volumeStep struct {
	volume *corev1.PersistentVolume
	node   *corev1.Node
	claim  *corev1.PersistentVolumeClaim
	pod    *corev1.Pod
}

const (
	localClass      = "local-storage"
	volumeNamespace = "shop"
	// One volume of three is in use.
	usedVolumesPercent = 33
)

func makeVolumeWorld(nodes, volumes, steps int, seed uint64) *volumeWorld {
	d := newDice(seed)
	world := &volumeWorld{class: makeLocalClass(d)}
	for number := range nodes {
		world.nodes = append(world.nodes, makeLocalNode(d, number))
	}
	for number := range volumes {
		// Node by node in turn: every node has as many, or one more.
		volume := makeLocalVolume(d, world.nodes[number%nodes].Name, number)
		if d.chance(usedVolumesPercent) {
			claim := makeLocalClaim(d, fmt.Sprintf("data-%05d", number), volume.Spec.Capacity[corev1.ResourceStorage])
			useVolume(d, volume, claim)
			claim.Spec.VolumeName, claim.Status.Phase = volume.Name, corev1.ClaimBound
			claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
			world.claims = append(world.claims, claim)
		}
		world.volumes = append(world.volumes, volume)
	}
	for number := 0; number < steps; number += 2 {
		world.addSteps(d, number)
	}
	return world
}

// addSteps adds two: somebody else gets a free volume and gives it back, and a node is marked and
// unmarked.
func (w *volumeWorld) addSteps(d dice, number int) {
	node := pick(d, w.nodes...)
	marked := node.DeepCopy()
	marked.Labels["example.com/maintenance"] = "true"
	volume := pick(d, w.volumes...)
	for tries := 0; volume.Spec.ClaimRef != nil && tries < 100; tries++ {
		volume = pick(d, w.volumes...)
	}
	used := volume.DeepCopy()
	useVolume(d, used, makeLocalClaim(d, fmt.Sprintf("other-%03d", number), resource.MustParse("1Gi")))
	for i, step := range []volumeStep{{volume: used, node: marked}, {volume: volume, node: node}} {
		step.claim = makeLocalClaim(d, fmt.Sprintf("timed-%03d", number+i), resource.MustParse(pick(d, "50Gi", "150Gi", "300Gi", "500Gi")))
		step.pod = makeClaimingPod(d, step.claim)
		w.steps = append(w.steps, step)
	}
}

func makeLocalClass(d dice) *storagev1.StorageClass {
	mode, policy := storagev1.VolumeBindingWaitForFirstConsumer, corev1.PersistentVolumeReclaimDelete
	return &storagev1.StorageClass{
		TypeMeta:          metav1.TypeMeta{Kind: "StorageClass", APIVersion: "storage.k8s.io/v1"},
		ObjectMeta:        volumeMeta(d, "", localClass),
		Provisioner:       "kubernetes.io/no-provisioner",
		VolumeBindingMode: &mode,
		ReclaimPolicy:     &policy,
	}
}

func makeLocalNode(d dice, number int) *corev1.Node {
	meta := volumeMeta(d, "", fmt.Sprintf("node-%04d", number))
	zone := pick(d, "a", "b", "c")
	meta.Labels = map[string]string{
		"beta.kubernetes.io/arch":          "amd64",
		"beta.kubernetes.io/os":            "linux",
		"example.com/pool":                 pick(d, "general", "memory", "storage"),
		"example.com/rack":                 fmt.Sprintf("r%03d", number/20),
		"kubernetes.io/arch":               "amd64",
		"kubernetes.io/hostname":           meta.Name,
		"kubernetes.io/os":                 "linux",
		"node.kubernetes.io/instance-type": pick(d, "i4.large", "i4.xlarge", "i4.2xlarge"),
		"topology.kubernetes.io/region":    "eu-1",
		"topology.kubernetes.io/zone":      "eu-1" + zone,
	}
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{Kind: "Node", APIVersion: "v1"},
		ObjectMeta: meta,
		Spec:       corev1.NodeSpec{ProviderID: "example://" + meta.Name},
		Status: corev1.NodeStatus{
			Capacity:    nodeResources("16", "64Gi"),
			Allocatable: nodeResources("15800m", "61Gi"),
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: d.past(), LastTransitionTime: d.past(),
			}},
		},
	}
}

func nodeResources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
}

func makeLocalVolume(d dice, node string, number int) *corev1.PersistentVolume {
	meta := volumeMeta(d, "", fmt.Sprintf("local-pv-%05d", number))
	meta.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": "local-volume-provisioner-" + node}
	mode := corev1.PersistentVolumeFilesystem
	hostname := corev1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	return &corev1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{Kind: "PersistentVolume", APIVersion: "v1"},
		ObjectMeta: meta,
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(pick(d, "100Gi", "200Gi", "375Gi", "750Gi"))},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: fmt.Sprintf("/mnt/disks/vol%d", number)}},
			StorageClassName:              localClass,
			VolumeMode:                    &mode,
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{hostname}}},
			}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
}

func useVolume(d dice, volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) {
	volume.Spec.ClaimRef = &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name,
		UID: claim.UID, ResourceVersion: d.resourceVersion(),
	}
	volume.Annotations["pv.kubernetes.io/bound-by-controller"] = "yes"
	volume.Status.Phase = corev1.VolumeBound
}

func makeLocalClaim(d dice, name string, request resource.Quantity) *corev1.PersistentVolumeClaim {
	class, mode := localClass, corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{Kind: "PersistentVolumeClaim", APIVersion: "v1"},
		ObjectMeta: volumeMeta(d, volumeNamespace, name),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: request}},
			StorageClassName: &class,
			VolumeMode:       &mode,
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}

func makeClaimingPod(d dice, claim *corev1.PersistentVolumeClaim) *corev1.Pod {
	source := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}}
	settings := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}}
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: volumeMeta(d, volumeNamespace, claim.Name),
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: "example.com/shop/main:1"}},
			Volumes:    []corev1.Volume{{Name: "settings", VolumeSource: settings}, {Name: "data", VolumeSource: source}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func volumeMeta(d dice, namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: d.uid(), ResourceVersion: d.resourceVersion(), CreationTimestamp: d.past(),
	}
}
