package main

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fields is the trie of field names that managedFields carries as JSON: "f:" before a field, "k:"
// before the key of a list item, "." for the thing itself.
type fields map[string]fields

// addManagedFields says who wrote what, as a pod made by a controller and run by a kubelet has it.
func addManagedFields(pod *corev1.Pod) {
	pod.ManagedFields = []metav1.ManagedFieldsEntry{
		managedBy("kube-controller-manager", "", pod.CreationTimestamp, controllerFields(pod)),
	}
	if pod.Spec.NodeName == "" {
		pod.ManagedFields = append(pod.ManagedFields,
			managedBy("kube-scheduler", "status", after(pod.CreationTimestamp, 1), statusFields(pod)))
		return
	}
	pod.ManagedFields = append(pod.ManagedFields,
		managedBy("kubelet", "status", after(pod.CreationTimestamp, 10), statusFields(pod)))
}

func managedBy(manager, subresource string, moment metav1.Time, set fields) metav1.ManagedFieldsEntry {
	// Cannot fail: maps with string keys all the way down.
	encoded, _ := json.Marshal(set)
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1", Time: &moment, FieldsType: "FieldsV1", Subresource: subresource,
		FieldsV1: metav1.NewFieldsV1(string(encoded))}
}

func named(names ...string) fields {
	set := fields{}
	for _, name := range names {
		set["f:"+name] = fields{}
	}
	return set
}

func keysOf(values map[string]string) fields {
	set := fields{".": {}}
	for key := range values {
		set["f:"+key] = fields{}
	}
	return set
}

func controllerFields(pod *corev1.Pod) fields {
	containers := fields{}
	for _, container := range pod.Spec.Containers {
		containers[fmt.Sprintf("k:{%q:%q}", "name", container.Name)] = named("image", "name")
	}
	spec := named("restartPolicy", "serviceAccountName")
	spec["f:containers"] = containers
	return fields{
		"f:metadata": {"f:labels": keysOf(pod.Labels), "f:ownerReferences": {}},
		"f:spec":     spec,
	}
}

func statusFields(pod *corev1.Pod) fields {
	conditions := fields{}
	for _, condition := range pod.Status.Conditions {
		conditions[fmt.Sprintf("k:{%q:%q}", "type", condition.Type)] = named("status")
	}
	status := fields{"f:conditions": conditions}
	if pod.Spec.NodeName != "" {
		status["f:phase"] = fields{}
		status["f:podIPs"] = fields{fmt.Sprintf("k:{%q:%q}", "ip", pod.Status.PodIP): named("ip")}
	}
	return fields{"f:status": status}
}
