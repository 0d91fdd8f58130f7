// A real control plane for one test program: etcd, kube-apiserver and, where asked for,
// kube-controller-manager, on loopback with ports of their own.
//
//   auto cluster = RealCluster::start({});
//   (*cluster)->kubectl({"apply", "-f", "-"}, pod_as_yaml);
//   (*cluster)->kill_server();
//
// It ends with this object, and also when the test is killed: the program that holds it together
// (tests/cluster, role `cluster`) ends when nobody speaks with it any more. What it has on disk is
// in one folder, which goes with it.
//
// Calls block; nothing else of the test runs meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "peers/controlplane.h"

namespace berth::tests {

class RealCluster {
 public:
  struct Options {
    // As kube-controller-manager's flag names them ("*": all); empty: it is not started.
    std::string controllers;
    // For kube-apiserver; they override those it is started with otherwise.
    std::vector<std::string> server_arguments;
  };

  // Answers when the server is ready. kNotFound when there is no program to start, as
  // ControlPlane::start.
  static Result<std::unique_ptr<RealCluster>> start(const Options& options);

  const std::string& url() const { return url_; }  // "https://127.0.0.1:23456"
  std::string host() const { return "127.0.0.1"; }
  std::uint16_t port() const { return port_; }
  std::string kubeconfig() const { return folder_ + "/kubeconfig"; }
  const std::string& folder() const { return folder_; }
  // Who may do everything, and whom to believe that it is the server.
  const Secret& token() const { return token_; }
  const std::string& authorities_pem() const { return authorities_pem_; }

  // kill -9. Connections break, requests under way are lost.
  Result<void> kill_server() { return command("kill"); }
  // On the same port. start_server waits until it is ready, launch_server for nothing.
  Result<void> start_server() { return command("start"); }
  Result<void> launch_server() { return command("launch"); }
  // SIGSTOP and SIGCONT: the server holds its connections and says nothing.
  Result<void> pause_server() { return command("pause"); }
  Result<void> resume_server() { return command("resume"); }
  // etcd forgets every state but the present one. The server still remembers some of it until it is
  // killed.
  Result<void> compact() { return command("forget"); }

  // What kubectl printed, as the administrator; kInvalid with its complaints when it failed.
  Result<std::string> kubectl(const std::vector<std::string>& arguments,
                              std::string_view input = "");
  // Creates the resource definitions of a file and waits until they are served.
  Result<void> define(const std::string& path);

 private:
  RealCluster(std::unique_ptr<ControlPlane> program, std::string folder, std::string url);

  Result<void> command(std::string_view name);

  std::unique_ptr<ControlPlane> program_;
  std::string folder_;
  std::string url_;
  std::uint16_t port_ = 0;
  Secret token_;
  std::string authorities_pem_;
};

}  // namespace berth::tests
