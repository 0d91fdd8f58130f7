# Tests that need Go and the published Kubernetes modules, most of them a real API server.

# The Go program of tests/cluster: second opinions, and a real control plane.
add_library(peers STATIC
  peers/child.cc peers/cluster_client.cc peers/controlplane.cc peers/real_cluster.cc)
target_include_directories(peers PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(peers PUBLIC berth_kube PRIVATE berth_flags)

# The questions of the behaviour suite to a real kube-apiserver.
berth_test(behaviour_real_test REAL WHOLE
  SOURCES behaviour/real_server.cc
  USES behaviour_cases peers)
target_compile_definitions(behaviour_real_test PRIVATE BERTH_BIND_REQUESTS="${bind_requests}")

# The binder as a process.
berth_test(real_binder_test REAL WHOLE LONG
  SOURCES binder/real_binder_test.cc binder/yard.cc
  USES peers)
add_dependencies(real_binder_test berth)
target_compile_definitions(real_binder_test PRIVATE
  BERTH_BIND_REQUESTS="${bind_requests}" BERTH_PROGRAM="$<TARGET_FILE:berth>")

# The PV controller beside kube-controller-manager's.
berth_test(real_actors_test REAL WHOLE
  SOURCES actors/real_actors_test.cc
  USES berth_actors peers nlohmann_json::nlohmann_json)

# Objects of every kind, judged by Kubernetes' own definitions and code.
find_package(Protobuf REQUIRED)
berth_test(published_test REAL
  SOURCES objects/published_test.cc
  USES random_object protobuf::libprotobuf nlohmann_json::nlohmann_json)
target_compile_definitions(published_test PRIVATE
  BERTH_LEFT_OUT="${CMAKE_CURRENT_SOURCE_DIR}/objects/left_out.txt")

berth_test(peers_test REAL
  SOURCES peers/controlplane_test.cc peers/real_cluster_test.cc
  USES peers)
berth_test(go_pod_requests_test REAL
  SOURCES peers/pod_requests_test.cc
  USES berth_api berth_boost_json peers)
berth_test(go_codec_test REAL SOURCES objects/go_codec_test.cc USES random_object peers)
berth_test(go_yaml_test REAL
  SOURCES objects/go_yaml_test.cc
  USES berth_api peers nlohmann_json::nlohmann_json)
berth_test(real_objects_test REAL WHOLE
  SOURCES objects/real_objects_test.cc
  USES berth_boost_json peers)
target_compile_definitions(real_objects_test PRIVATE
  BERTH_BIND_REQUESTS="${bind_requests}"
  BERTH_RICH_OBJECTS="${CMAKE_CURRENT_SOURCE_DIR}/objects/rich.yaml")

# Informers while everything breaks.
berth_test(storm_test REAL WHOLE LONG
  SOURCES storm/cutting_proxy.cc storm/storm_test.cc storm/writers.cc
  USES peers)
target_compile_definitions(storm_test PRIVATE BERTH_BIND_REQUESTS="${bind_requests}")
# It takes what the machine has; beside it others would wait too long.
set_tests_properties(storm_test PROPERTIES RUN_SERIAL TRUE)
