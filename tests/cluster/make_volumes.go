package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// make-volumes writes a generated world of nodes and local volumes, for the benchmarks of both sides:
// an object a line; then an empty line; then four lines for each timed pod: the volume and the node
// that have changed before it, its claim, and the pod. The same flags give the same bytes.
func runMakeVolumes(flags *flag.FlagSet, args []string) error {
	nodes := flags.Int("nodes", 100, "number of nodes")
	volumes := flags.Int("volumes", 300, "number of volumes, spread evenly over the nodes")
	pods := flags.Int("pods", 64, "number of timed pods, an even one")
	seed := flags.Uint64("seed", 1, "seed of everything random")
	path := flags.String("output", "", "file to write")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if *path == "" {
		return errors.New("--output is required")
	}
	if *nodes < 1 || *volumes < 1 || *pods < 0 || *pods%2 != 0 {
		return errors.New("--nodes and --volumes must be at least 1, --pods even")
	}
	file, err := os.Create(*path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	err = errors.Join(makeVolumeWorld(*nodes, *volumes, *pods, *seed).write(out), out.Flush())
	return errors.Join(err, file.Close())
}

func (w *volumeWorld) write(out io.Writer) error {
	objects := []any{w.class}
	for _, node := range w.nodes {
		objects = append(objects, node)
	}
	for _, volume := range w.volumes {
		objects = append(objects, volume)
	}
	for _, claim := range w.claims {
		objects = append(objects, claim)
	}
	encoder := json.NewEncoder(out)
	for _, object := range objects {
		if err := encoder.Encode(object); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, "\n"); err != nil {
		return err
	}
	for _, step := range w.steps {
		for _, object := range []any{step.volume, step.node, step.claim, step.pod} {
			if err := encoder.Encode(object); err != nil {
				return err
			}
		}
	}
	return nil
}

// No line is as long as this: the objects have two kilobytes.
const volumeLineMax = 1 << 20

func readVolumeWorld(in io.Reader) (*volumeWorld, error) {
	world := &volumeWorld{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, volumeLineMax)
	for lines.Scan() && len(lines.Bytes()) > 0 {
		object, err := readVolumeLine(lines.Bytes())
		if err != nil {
			return nil, err
		}
		switch object := object.(type) {
		case *storagev1.StorageClass:
			world.class = object
		case *corev1.Node:
			world.nodes = append(world.nodes, object)
		case *corev1.PersistentVolume:
			world.volumes = append(world.volumes, object)
		case *corev1.PersistentVolumeClaim:
			world.claims = append(world.claims, object)
		default:
			return nil, fmt.Errorf("%T before the empty line", object)
		}
	}
	for lines.Scan() {
		object, err := readVolumeLine(lines.Bytes())
		if err != nil {
			return nil, err
		}
		if err := world.addToSteps(object); err != nil {
			return nil, err
		}
	}
	if world.class == nil || len(world.nodes) == 0 || len(world.volumes) == 0 {
		return nil, errors.Join(errors.New("a class, a node or a volume is missing"), lines.Err())
	}
	return world, lines.Err()
}

// addToSteps takes the four objects of a step in their order.
func (w *volumeWorld) addToSteps(object metav1.Object) error {
	if volume, begins := object.(*corev1.PersistentVolume); begins {
		w.steps = append(w.steps, volumeStep{volume: volume})
		return nil
	}
	if len(w.steps) == 0 {
		return fmt.Errorf("a step begins with %T", object)
	}
	step := &w.steps[len(w.steps)-1]
	switch object := object.(type) {
	case *corev1.Node:
		step.node = object
	case *corev1.PersistentVolumeClaim:
		step.claim = object
	case *corev1.Pod:
		if step.node == nil || step.claim == nil {
			return errors.New("a step without a node or a claim")
		}
		step.pod = object
	default:
		return fmt.Errorf("%T in a step", object)
	}
	return nil
}

func readVolumeLine(line []byte) (metav1.Object, error) {
	var named metav1.TypeMeta
	if err := json.Unmarshal(line, &named); err != nil {
		return nil, err
	}
	var object metav1.Object
	switch named.Kind {
	case "StorageClass":
		object = &storagev1.StorageClass{}
	case "Node":
		object = &corev1.Node{}
	case "PersistentVolume":
		object = &corev1.PersistentVolume{}
	case "PersistentVolumeClaim":
		object = &corev1.PersistentVolumeClaim{}
	case "Pod":
		object = &corev1.Pod{}
	default:
		return nil, fmt.Errorf("unexpected kind %q", named.Kind)
	}
	return object, json.NewDecoder(bytes.NewReader(line)).Decode(object)
}
