// A conversation with the Go program of tests/cluster: the second opinion on what our codecs read
// and write.
//
//   auto go = ControlPlane::start(canonical_role());
//   auto answer = (*go)->exchange(pod_as_json);   // {as Go writes JSON, as Go writes protobuf}
//
// The framing is described in tests/cluster/frames.go.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::tests {

// What the program is asked to be, and how many frames it answers with.
struct Role {
  std::vector<std::string> arguments;
  std::size_t answers = 0;
};

// An object in either encoding -> {as JSON, as protobuf}.
inline Role canonical_role() {
  return {{"canonical"}, 2};
}
// One YAML document -> {as JSON}.
inline Role yaml_role() {
  return {{"yaml"}, 1};
}

// One running program. It ends with this object, whatever state it is in, and is waited for. Not
// for several threads at once.
class ControlPlane {
 public:
  using Patience = std::chrono::milliseconds;
  static constexpr Patience kPatience = std::chrono::seconds(30);
  // As in tests/cluster/frames.go.
  static constexpr std::size_t kFrameLenMax = std::size_t{64} << 20;

  // Starts the program that BERTH_CONTROLPLANE names (tests/cluster/build prints its path);
  // kNotFound when the variable is not set or names nothing that runs.
  static Result<std::unique_ptr<ControlPlane>> start(const Role& role,
                                                     Patience patience = kPatience);
  // Starts another program that speaks the same frames.
  static Result<std::unique_ptr<ControlPlane>> start_program(const std::string& program,
                                                             const Role& role,
                                                             Patience patience = kPatience);

  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;
  ~ControlPlane();

  // Asks one question and waits for the whole answer, as long as `patience` allows. kInvalid is
  // the program's own refusal, with its words, and the conversation goes on. kLimit: the request
  // is too long and was not sent. kUnavailable: the program is gone, late or not speaking in
  // frames; every later call fails the same way.
  Result<std::vector<std::string>> exchange(std::string_view request);

 private:
  ControlPlane(pid_t pid, int socket, int timer, std::size_t answers, Patience patience);

  Result<std::vector<std::string>> converse(std::string_view request);
  Result<void> send_all(std::string_view bytes);
  Result<std::string> receive(std::size_t length);
  Result<std::string> receive_frame();
  Result<void> wait_for(short events);
  void start_timer();

  const pid_t pid_;
  const int socket_;  // the program's stdin and stdout
  const int timer_;   // readable when patience is at its end
  const std::size_t answers_;
  const Patience patience_;
  bool is_broken_ = false;
};

}  // namespace berth::tests
