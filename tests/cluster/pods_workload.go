package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// workload is what the pods of one Deployment, StatefulSet or Job have in common.
type workload struct {
	kind      string // of the owner: ReplicaSet, StatefulSet or Job
	app       string
	namespace string
	owner     string
	ownerUID  types.UID
	replicas  int

	labels      map[string]string
	annotations map[string]string
	claims      []string // claim templates, by the name of their volume
	spec        corev1.PodSpec
}

func makeWorkload(d dice, number int) workload {
	w := workload{
		namespace: pick(d, "payments", "search", "identity", "logistics", "media", "analytics", "ml-training", "platform"),
		ownerUID:  d.uid(),
	}
	// The number keeps the names apart.
	w.app = fmt.Sprintf("%s-%d", pick(d, "checkout", "ledger", "catalog", "indexer", "gateway", "session", "router", "encoder",
		"thumbnailer", "billing", "notifier", "recommender", "search-api", "image-store", "mail-worker"), number)
	w.labels = map[string]string{
		"app.kubernetes.io/name":     w.app,
		"app.kubernetes.io/instance": w.app + "-" + pick(d, "prod", "staging", "canary"),
		"tier":                       pick(d, "server", "worker", "database", "cache"),
		"team":                       pick(d, "red", "blue", "green", "core-infra"),
	}
	w.annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": d.past().UTC().Format("2006-01-02T15:04:05Z")}
	if d.chance(60) {
		w.annotations["prometheus.io/scrape"] = "true"
		w.annotations["prometheus.io/port"] = "9090"
	}
	if d.chance(40) {
		w.annotations["checksum/config"] = d.hex(64)
	}

	switch roll := d.IntN(100); {
	case roll < 65:
		hash := d.suffix(10)
		w.kind, w.owner, w.replicas = "ReplicaSet", w.app+"-"+hash, d.between(1, 16)
		w.labels["pod-template-hash"] = hash
	case roll < 85:
		w.kind, w.owner, w.replicas = "StatefulSet", w.app, d.between(1, 9)
		w.labels["controller-revision-hash"] = w.app + "-" + d.suffix(10)
		w.claims = []string{"data", "wal"}[:d.between(1, 2)]
	default:
		w.kind, w.owner, w.replicas = "Job", w.app+"-"+fmt.Sprint(d.between(29_000_000, 29_500_000)), d.between(1, 20)
		w.labels["batch.kubernetes.io/job-name"] = w.owner
		w.labels["batch.kubernetes.io/controller-uid"] = string(w.ownerUID)
	}
	w.spec = makeTemplate(d, &w)
	return w
}

func makeTemplate(d dice, w *workload) corev1.PodSpec {
	spec := corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyAlways,
		TerminationGracePeriodSeconds: new(int64(pick(d, 30, 30, 60, 120))),
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            w.app,
		DeprecatedServiceAccount:      w.app,
		SecurityContext:               &corev1.PodSecurityContext{RunAsNonRoot: new(true), FSGroup: new(int64(2000))},
		SchedulerName:                 "default-scheduler",
		EnableServiceLinks:            new(true),
		PreemptionPolicy:              new(corev1.PreemptLowerPriority),
		Priority:                      new(int32(0)),
		Tolerations:                   makeTolerations(d),
		Volumes:                       makeVolumes(d, w),
		Containers:                    []corev1.Container{makeContainer(d, w, w.app, true)},
	}
	if w.kind == "Job" {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	if d.chance(30) {
		spec.PriorityClassName, spec.Priority = "business-critical", new(int32(100_000))
	}
	if d.chance(25) {
		spec.Containers = append(spec.Containers, makeContainer(d, w, pick(d, "log-shipper", "proxy", "metrics-exporter"), false))
	}
	if d.chance(10) {
		init := makeContainer(d, w, pick(d, "migrate", "fetch-assets"), false)
		init.ReadinessProbe = nil
		if d.chance(40) { // a sidecar is an init container that is restarted
			init.Name, init.RestartPolicy = "mesh-proxy", new(corev1.ContainerRestartPolicyAlways)
		}
		spec.InitContainers = []corev1.Container{init}
	}
	addPlacement(d, w, &spec)
	return spec
}

func makeContainer(d dice, w *workload, name string, isMain bool) corev1.Container {
	c := corev1.Container{
		Name:                     name,
		Image:                    fmt.Sprintf("registry.example.com/%s/%s:v%d.%d.%d", w.namespace, name, d.IntN(5), d.IntN(30), d.IntN(20)),
		ImagePullPolicy:          corev1.PullIfNotPresent,
		TerminationMessagePath:   "/dev/termination-log",
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		Resources:                makeResources(d, isMain),
		VolumeMounts: []corev1.VolumeMount{
			{Name: tokenVolume, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"},
		},
	}
	if !isMain {
		c.Args = []string{"--config=/etc/" + name + "/config.yaml", "--log-level=info"}
		c.ReadinessProbe = makeProbe("/ready", 15020, 5)
		return c
	}
	c.Args = []string{"--listen=:8080", "--config=/etc/app/config.yaml", "--shards=" + fmt.Sprint(d.between(1, 64))}
	c.Ports = []corev1.ContainerPort{
		{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP},
		{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
	}
	c.Env = makeEnv(d, w)
	if d.chance(30) {
		c.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: w.app + "-env"}}}}
	}
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "config", ReadOnly: true, MountPath: "/etc/app"})
	for _, claim := range w.claims {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: claim, MountPath: "/var/lib/" + claim})
	}
	if w.kind != "Job" {
		c.ReadinessProbe = makeProbe("/ready", 8080, 5)
		if d.chance(50) {
			c.LivenessProbe = makeProbe("/healthz", 8080, 20)
		}
	}
	c.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	return c
}

func makeEnv(d dice, w *workload) []corev1.EnvVar {
	fromField := func(name, path string) corev1.EnvVar {
		return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
	}
	env := []corev1.EnvVar{
		fromField("POD_NAME", "metadata.name"),
		{Name: "LOG_LEVEL", Value: pick(d, "info", "debug", "warn")},
	}
	extra := []corev1.EnvVar{
		{Name: "DATABASE_HOST", Value: fmt.Sprintf("%s-db.%s.svc.cluster.local", w.app, w.namespace)},
		{Name: "MAX_CONNECTIONS", Value: fmt.Sprint(d.between(10, 500))},
		{Name: "DATABASE_PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: w.app + "-db"}, Key: "password"}}},
	}
	return append(env, extra[:d.between(0, len(extra))]...)
}

func makeProbe(path string, port int32, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt32(port), Scheme: corev1.URISchemeHTTP}},
		InitialDelaySeconds: 5, TimeoutSeconds: 1, PeriodSeconds: period, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

func makeResources(d dice, isMain bool) corev1.ResourceRequirements {
	if !isMain {
		return corev1.ResourceRequirements{Requests: resources("50m", "64Mi")}
	}
	switch roll := d.IntN(100); {
	case roll < 15: // best effort unless a sidecar asks for something
		return corev1.ResourceRequirements{}
	case roll < 35: // guaranteed
		size := resources(pick(d, "500m", "1", "4"), pick(d, "512Mi", "2Gi", "8Gi"))
		return corev1.ResourceRequirements{Requests: size, Limits: size}
	default:
		return corev1.ResourceRequirements{
			Requests: resources(pick(d, "100m", "250m", "750m", "1500m"), pick(d, "128Mi", "256Mi", "1536Mi")),
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(pick(d, "2Gi", "4Gi"))},
		}
	}
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse(memory),
	}
}

func makeTolerations(d dice) []corev1.Toleration {
	always := func(key string) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}
	}
	tolerations := []corev1.Toleration{always("node.kubernetes.io/not-ready"), always("node.kubernetes.io/unreachable")}
	if d.chance(25) {
		tolerations = append(tolerations, corev1.Toleration{Key: "dedicated",
			Operator: corev1.TolerationOpEqual, Value: pick(d, "batch", "database"), Effect: corev1.TaintEffectNoSchedule})
	}
	return tolerations
}

func addPlacement(d dice, w *workload, spec *corev1.PodSpec) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": w.app}}
	if d.chance(30) {
		spec.NodeSelector = map[string]string{"kubernetes.io/os": "linux", "node-pool": pick(d, "general", "memory", "spot")}
	}
	if d.chance(40) {
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone,
			WhenUnsatisfiable: pick(d, corev1.DoNotSchedule, corev1.ScheduleAnyway), LabelSelector: selector}}
	}
	var affinity corev1.Affinity
	if d.chance(30) {
		affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn,
				Values: []string{"eu-west-1a", "eu-west-1b"}}}}}}}
	}
	if d.chance(50) {
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100,
				PodAffinityTerm: corev1.PodAffinityTerm{LabelSelector: selector, TopologyKey: corev1.LabelHostname}}}}
	}
	if affinity.NodeAffinity != nil || affinity.PodAntiAffinity != nil {
		spec.Affinity = &affinity
	}
}
