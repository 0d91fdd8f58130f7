package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cluster is where the pods run.
type cluster struct{ nodes int }

// The name is replaced in every pod, as the ServiceAccount admission plugin gives each its own.
const tokenVolume = "kube-api-access"

func makeVolumes(d dice, w *workload) []corev1.Volume {
	mode := new(int32(0o644))
	volumes := []corev1.Volume{
		{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: w.app + "-config"}, DefaultMode: mode}}},
		{Name: tokenVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			DefaultMode: mode,
			Sources: []corev1.VolumeProjection{
				{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
				{ConfigMap: &corev1.ConfigMapProjection{
					LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
					Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
				{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
					Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
			}}}},
	}
	if d.chance(40) {
		volumes = append(volumes, corev1.Volume{Name: "scratch",
			VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	}
	return volumes
}

func makePod(d dice, c cluster, w workload, ordinal int) corev1.Pod {
	created := d.past()
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         w.namespace,
			UID:               d.uid(),
			ResourceVersion:   d.resourceVersion(),
			Generation:        1,
			CreationTimestamp: created,
			Labels:            map[string]string{},
			Annotations:       w.annotations,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: w.kind, Name: w.owner, UID: w.ownerUID,
				Controller: new(true), BlockOwnerDeletion: new(true)}},
		},
		Spec: *w.spec.DeepCopy(),
	}
	for key, value := range w.labels {
		pod.Labels[key] = value
	}
	switch w.kind {
	case "StatefulSet":
		pod.Name = fmt.Sprintf("%s-%d", w.owner, ordinal)
		pod.Labels["statefulset.kubernetes.io/pod-name"] = pod.Name
		pod.Labels["apps.kubernetes.io/pod-index"] = fmt.Sprint(ordinal)
		pod.Spec.Hostname, pod.Spec.Subdomain = pod.Name, w.owner
	case "Job":
		pod.OwnerReferences[0].APIVersion = "batch/v1"
		fallthrough
	default:
		pod.GenerateName = w.owner + "-"
		pod.Name = pod.GenerateName + d.suffix(5)
	}
	nameToken(&pod.Spec, tokenVolume+"-"+d.suffix(5))
	for _, claim := range w.claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim + "-" + pod.Name}}})
	}
	addStatus(d, c, &pod, w.kind == "Job" && d.chance(50))
	addManagedFields(&pod)
	return pod
}

func nameToken(spec *corev1.PodSpec, name string) {
	for i := range spec.Volumes {
		if spec.Volumes[i].Name == tokenVolume {
			spec.Volumes[i].Name = name
		}
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].VolumeMounts[0].Name = name
		}
	}
}

// addStatus makes most pods run; some wait for a node, and jobs may be over.
func addStatus(d dice, c cluster, pod *corev1.Pod, isOver bool) {
	status := &pod.Status
	status.QOSClass = qosClass(&pod.Spec)
	condition := func(kind corev1.PodConditionType, value corev1.ConditionStatus, seconds int, reason string) {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: value, Reason: reason,
			LastTransitionTime: after(pod.CreationTimestamp, seconds)})
	}
	if d.chance(4) {
		status.Phase = corev1.PodPending
		condition(corev1.PodScheduled, corev1.ConditionFalse, 1, corev1.PodReasonUnschedulable)
		status.Conditions[0].Message = fmt.Sprintf("0/%d nodes are available: %d Insufficient cpu.", c.nodes, c.nodes)
		return
	}
	node := d.IntN(c.nodes)
	pod.Spec.NodeName = fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", node>>12&15, node>>6&63, node&63)
	status.Phase = corev1.PodRunning
	status.HostIP = fmt.Sprintf("10.%d.%d.%d", node>>12&15, node>>6&63, node&63)
	status.HostIPs = []corev1.HostIP{{IP: status.HostIP}}
	status.PodIP = fmt.Sprintf("100.%d.%d.%d", d.between(64, 127), d.IntN(256), d.between(1, 254))
	status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	status.StartTime = &pod.CreationTimestamp

	ready, reason := corev1.ConditionTrue, ""
	if isOver {
		status.Phase, ready, reason = corev1.PodSucceeded, corev1.ConditionFalse, "PodCompleted"
	}
	condition(corev1.PodReadyToStartContainers, ready, 3, "")
	condition(corev1.PodInitialized, corev1.ConditionTrue, 4, reason)
	condition(corev1.PodReady, ready, 9, reason)
	condition(corev1.ContainersReady, ready, 9, reason)
	condition(corev1.PodScheduled, corev1.ConditionTrue, 1, "")
	status.ObservedGeneration = pod.Generation
	for _, container := range pod.Spec.InitContainers {
		status.InitContainerStatuses = append(status.InitContainerStatuses,
			makeContainerStatus(d, pod, container, isOver || container.RestartPolicy == nil))
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, makeContainerStatus(d, pod, container, isOver))
	}
}

func makeContainerStatus(d dice, pod *corev1.Pod, container corev1.Container, isOver bool) corev1.ContainerStatus {
	status := corev1.ContainerStatus{
		Name:        container.Name,
		Image:       container.Image,
		ImageID:     "registry.example.com/" + pod.Namespace + "/" + container.Name + "@sha256:" + d.hex(64),
		ContainerID: "containerd://" + d.hex(64),
		Ready:       !isOver,
		Started:     new(!isOver),
	}
	started := after(pod.CreationTimestamp, 5)
	if isOver {
		status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: started,
			FinishedAt: after(started, d.between(30, 7200)), ContainerID: status.ContainerID}
		return status
	}
	status.State.Running = &corev1.ContainerStateRunning{StartedAt: started}
	if d.chance(8) {
		status.RestartCount = int32(d.between(1, 20))
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled",
			StartedAt: pod.CreationTimestamp, FinishedAt: started, ContainerID: "containerd://" + d.hex(64)}
	}
	return status
}

// qosClass follows the rule of the API server for pods whose containers name the resources above.
func qosClass(spec *corev1.PodSpec) corev1.PodQOSClass {
	isGuaranteed, isBestEffort := true, true
	for _, container := range append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...) {
		isBestEffort = isBestEffort && len(container.Resources.Requests)+len(container.Resources.Limits) == 0
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			limit, limited := container.Resources.Limits[name]
			request := container.Resources.Requests[name]
			isGuaranteed = isGuaranteed && limited && limit.Cmp(request) == 0
		}
	}
	switch {
	case isBestEffort:
		return corev1.PodQOSBestEffort
	case isGuaranteed:
		return corev1.PodQOSGuaranteed
	default:
		return corev1.PodQOSBurstable
	}
}
