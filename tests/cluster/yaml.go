package main

import (
	"flag"
	"os"

	"sigs.k8s.io/yaml"
)

// yaml is the second opinion on our YAML reader: each request is the text of one YAML document, its
// one answer frame the JSON Kubernetes tools make of it. Of several documents in a request only the
// first is read.
func runYAML(flags *flag.FlagSet, args []string) error {
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	return serveFrames(os.Stdin, os.Stdout, 1, yamlToJSON)
}

func yamlToJSON(text []byte) ([][]byte, error) {
	json, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return [][]byte{json}, nil
}
