package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// canonical is the second opinion on our codecs: each request is an object as JSON or, recognised by
// its first four bytes, as Kubernetes protobuf. It is decoded into the real Go type of the kind it
// names and answered with two frames: the object as Go writes it in JSON and in protobuf.
//
// JSON is read strictly: an unknown or repeated field is an error, since our writers must not
// produce one.
func runCanonical(flags *flag.FlagSet, args []string) error {
	kind := flags.String("kind", "", "kind of objects that do not name theirs")
	apiVersion := flags.String("api-version", "", "apiVersion of objects that do not name theirs")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if (*kind == "") != (*apiVersion == "") {
		return fmt.Errorf("--kind and --api-version go together")
	}
	codec, err := newCanonicalCodec(*apiVersion, *kind)
	if err != nil {
		return err
	}
	return serveFrames(os.Stdin, os.Stdout, 2, codec.answer)
}

var protobufMagic = []byte("k8s\x00")

type canonicalCodec struct {
	json     runtime.Serializer
	protobuf runtime.Serializer
	fallback *schema.GroupVersionKind // nil: every object names its kind
}

func newCanonicalCodec(apiVersion, kind string) (*canonicalCodec, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	codec := &canonicalCodec{
		json: json.NewSerializerWithOptions(
			json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: true}),
		protobuf: protobuf.NewSerializer(scheme, scheme),
	}
	if kind != "" {
		fallback := schema.FromAPIVersionAndKind(apiVersion, kind)
		codec.fallback = &fallback
	}
	return codec, nil
}

func (c *canonicalCodec) answer(request []byte) ([][]byte, error) {
	decoder := c.json
	if bytes.HasPrefix(request, protobufMagic) {
		decoder = c.protobuf
	}
	object, kind, err := decoder.Decode(request, c.fallback, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)

	var asJSON, asProtobuf bytes.Buffer
	if err := c.json.Encode(object, &asJSON); err != nil {
		return nil, fmt.Errorf("encoding as JSON: %w", err)
	}
	if err := c.protobuf.Encode(object, &asProtobuf); err != nil {
		return nil, fmt.Errorf("encoding as protobuf: %w", err)
	}
	return [][]byte{asJSON.Bytes(), asProtobuf.Bytes()}, nil
}
