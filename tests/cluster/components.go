package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// component is a program of Kubernetes, run as its own main function runs it: it reads os.Args,
// prints what it likes and ends the process.
type component struct {
	name    string
	summary string
	run     func()
}

var components = []component{
	{"etcd", "the store of a control plane", func() { etcdmain.Main(os.Args) }},
	{"kube-apiserver", "the API server", func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) }},
	{"kube-controller-manager", "the controllers", func() { os.Exit(cli.Run(controllermanager.NewControllerManagerCommand())) }},
	{"kube-scheduler", "the scheduler", func() { os.Exit(cli.Run(scheduler.NewSchedulerCommand())) }},
	{"kubectl", "the command line client", runKubectl},
}

// runKubectl prints its errors by itself, where they belong.
func runKubectl() {
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
	os.Exit(0)
}

// runComponent does not return when there is a component of that name.
func runComponent(args []string) {
	for _, c := range components {
		if c.name == args[0] {
			os.Args = args
			c.run()
		}
	}
}
