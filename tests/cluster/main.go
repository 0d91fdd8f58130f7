// Command controlplane is every part of the tests and benchmarks that must be the real Go code: one
// program, one role a run. README.md describes the roles.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

type role struct {
	name    string
	summary string
	run     func(flags *flag.FlagSet, args []string) error
}

var roles = []role{
	{"canonical", "re-encode objects with the real Go types (frames on stdin and stdout)", runCanonical},
	{"cluster", "run a control plane on loopback, for people or (frames on stdin and stdout) for a test", runCluster},
	{"decode-bench", "measure Go's decoders on a pod list", runDecodeBench},
	{"informer", "list and follow pods as client-go does, and say what it cost", runInformer},
	{"load", "write many small objects as client-go does, and say what it cost", runLoad},
	{"make-pods", "write a list of realistic pods as protobuf and JSON", runMakePods},
	{"make-volumes", "write a world of nodes and local volumes, and pods that claim one", runMakeVolumes},
	{"pod-requests", "compute what pods ask of their node (frames on stdin and stdout)", runPodRequests},
	{"volume-filter", "measure the real VolumeBinding plugin on such a world", runVolumeFilter},
	{"yaml", "convert YAML to JSON as Kubernetes does (frames on stdin and stdout)", runYAML},
}

func printUsage(out io.Writer) {
	fmt.Fprintln(out, "usage: controlplane ROLE [flags]")
	fmt.Fprintln(out)
	fmt.Fprintln(out, "roles:")
	for _, r := range roles {
		fmt.Fprintf(out, "  %-13s %s\n", r.name, r.summary)
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, "programs of Kubernetes, with the flags they always have:")
	for _, c := range components {
		fmt.Fprintf(out, "  %-23s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, "controlplane ROLE --help lists the flags of a role.")
}

func run(args []string) error {
	if len(args) == 0 {
		printUsage(os.Stderr)
		return errors.New("no role given")
	}
	if args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
		printUsage(os.Stdout)
		return nil
	}
	runComponent(args)
	for _, r := range roles {
		if r.name != args[0] {
			continue
		}
		flags := flag.NewFlagSet("controlplane "+r.name, flag.ContinueOnError)
		err := r.run(flags, args[1:])
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		return nil
	}
	return fmt.Errorf("unknown role %q; controlplane --help lists the roles", args[0])
}

// parseFlags also refuses what is not a flag: no role takes other arguments.
func parseFlags(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}
