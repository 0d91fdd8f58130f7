package main

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// decode-bench measures Go's decoders on one pod list given in both encodings: the list as a whole,
// as a LIST request gets it, and each pod as a document of its own, as a watch gets it (without the
// event around it). "client" is the path a typed client-go client takes, from the codec factory
// down; "unmarshal" and "encoding-json" are the bare decoders below and beside it. The garbage
// collector runs as it does in production. A mode holds its own input and what it makes of it,
// nothing else, so that none rests on the heap of another.
func runDecodeBench(flags *flag.FlagSet, args []string) error {
	pbPath := flags.String("pods", "", "file with a PodList in Kubernetes protobuf")
	jsonPath := flags.String("json", "", "file with the same PodList as JSON")
	rounds := flags.Int("rounds", 9, "timed rounds a mode, at least")
	seconds := flags.Float64("seconds", 0, "seconds a mode, at least")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if *pbPath == "" || *jsonPath == "" {
		return errors.New("--pods and --json are required")
	}
	if *rounds < 1 {
		return errors.New("--rounds must be at least 1")
	}
	decoders, err := podDecoders(*pbPath, *jsonPath)
	if err != nil {
		return err
	}
	report := decodeReport{Go: goruntime.Version(), GOMAXPROCS: goruntime.GOMAXPROCS(0)}
	least := time.Duration(*seconds * float64(time.Second))
	for _, decoder := range decoders {
		for _, each := range []bool{false, true} {
			mode, err := report.measure(decoder, each, *rounds, least)
			if err != nil {
				return fmt.Errorf("%s: %w", decoder.path, err)
			}
			report.Modes = append(report.Modes, mode)
		}
	}
	return stdjson.NewEncoder(os.Stdout).Encode(report)
}

type decodeReport struct {
	Go         string       `json:"go"`
	GOMAXPROCS int          `json:"gomaxprocs"`
	Pods       int          `json:"pods"`
	Modes      []decodeMode `json:"modes"`
}

type decodeMode struct {
	Mode             string  `json:"mode"`
	InputBytesPerPod float64 `json:"input_bytes_per_pod"`
	measurement
}

// measure runs one mode: the list as one document or, with `each`, every pod as its own.
func (r *decodeReport) measure(d podDecoder, each bool, rounds int, least time.Duration) (decodeMode, error) {
	mode := decodeMode{Mode: d.encoding + "-list-" + d.name}
	target := func() runtime.Object { return &corev1.PodList{} }
	if each {
		mode.Mode = d.encoding + "-each-" + d.name
		target = func() runtime.Object { return &corev1.Pod{} }
	}
	documents, pods, err := d.documents(each)
	if err != nil {
		return mode, err
	}
	if r.Pods != 0 && r.Pods != pods {
		return mode, fmt.Errorf("holds %d pods, the other list %d", pods, r.Pods)
	}
	r.Pods = pods
	for _, document := range documents {
		mode.InputBytesPerPod += float64(len(document)) / float64(pods)
	}
	kept := make([]runtime.Object, len(documents))
	mode.measurement, err = measure(pods, rounds, least, func() error {
		for i, document := range documents {
			kept[i] = target()
			if err := d.decode(document, kept[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return mode, err
}

type podDecoder struct {
	name     string
	encoding string
	path     string
	codec    runtime.Codec // reads the file and writes the single pods
	decode   func(document []byte, into runtime.Object) error
	// Cuts a document down to what `decode` reads of it.
	content func(document []byte) ([]byte, error)
}

// documents reads the file and returns the list as it stands or, with `each`, every pod of it as a
// document of its own; and how many pods there are.
func (d podDecoder) documents(each bool) (documents [][]byte, pods int, err error) {
	file, err := os.ReadFile(d.path)
	if err != nil {
		return nil, 0, err
	}
	var list corev1.PodList
	if err := runtime.DecodeInto(d.codec, file, &list); err != nil {
		return nil, 0, err
	}
	if len(list.Items) == 0 {
		return nil, 0, errors.New("the list is empty")
	}
	documents = [][]byte{file}
	if each {
		documents = make([][]byte, len(list.Items))
		for i := range list.Items {
			if documents[i], err = runtime.Encode(d.codec, &list.Items[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	for i := range documents {
		if documents[i], err = d.content(documents[i]); err != nil {
			return nil, 0, err
		}
	}
	return documents, len(list.Items), nil
}

func podDecoders(pbPath, jsonPath string) ([]podDecoder, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	factory := serializer.NewCodecFactory(scheme).WithoutConversion()
	version := corev1.SchemeGroupVersion
	client := func(encoding, media, path string) (podDecoder, error) {
		info, found := runtime.SerializerInfoForMediaType(factory.SupportedMediaTypes(), media)
		if !found {
			return podDecoder{}, fmt.Errorf("no serializer for %s", media)
		}
		decoder := factory.DecoderToVersion(info.Serializer, version)
		return podDecoder{
			name: "client", encoding: encoding, path: path,
			codec: runtime.NewCodec(factory.EncoderForVersion(info.Serializer, version), decoder),
			decode: func(document []byte, into runtime.Object) error {
				_, _, err := decoder.Decode(document, nil, into)
				return err
			},
			content: func(document []byte) ([]byte, error) { return document, nil },
		}, nil
	}
	protobufClient, err := client("protobuf", runtime.ContentTypeProtobuf, pbPath)
	if err != nil {
		return nil, err
	}
	jsonClient, err := client("json", runtime.ContentTypeJSON, jsonPath)
	if err != nil {
		return nil, err
	}

	protobufBare, jsonBare := protobufClient, jsonClient
	protobufBare.name, protobufBare.decode, protobufBare.content = "unmarshal", unmarshal, openEnvelope
	jsonBare.name = "encoding-json"
	jsonBare.decode = func(document []byte, into runtime.Object) error { return stdjson.Unmarshal(document, into) }
	return []podDecoder{protobufClient, protobufBare, jsonClient, jsonBare}, nil
}

// unmarshal is the method generated from the .proto file.
func unmarshal(document []byte, into runtime.Object) error {
	return into.(interface{ Unmarshal([]byte) error }).Unmarshal(document)
}

// openEnvelope returns the message inside the four magic bytes and runtime.Unknown.
func openEnvelope(document []byte) ([]byte, error) {
	body, found := bytes.CutPrefix(document, protobufMagic)
	if !found {
		return nil, errors.New("not Kubernetes protobuf")
	}
	var envelope runtime.Unknown
	err := envelope.Unmarshal(body)
	return envelope.Raw, err
}
