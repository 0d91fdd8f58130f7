# Headers that nearly every file reads, read once. Lint does without: a file must name what it uses,
# and there it has to.
option(BERTH_PRECOMPILE "precompile the headers that nearly every file uses" ON)
set(common_headers
  <algorithm> <chrono> <cstdint> <functional> <memory> <optional> <string> <string_view> <utility>
  <variant> <vector> <fmt/format.h>)

# berth_precompile(TARGET FAMILY header...): the first target of a family compiles the headers, the
# others use the result.
function(berth_precompile target family)
  if(NOT BERTH_PRECOMPILE)
    return()
  endif()
  # Without it the cache would take every new compilation of the headers for a change of them.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  get_property(host GLOBAL PROPERTY berth_headers_of_${family})
  if(host)
    target_precompile_headers(${target} REUSE_FROM ${host})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY berth_headers_of_${family} ${target})
  endif()
endfunction()

# Several files in one go: what they all include is read once. For the builds that start from
# nothing; daily work compiles the one file that changed. tools/batches says which files can do
# with each other.
option(BERTH_TOGETHER "compile files in batches" OFF)
set(batch_size 12)
function(berth_batch target)
  if(NOT BERTH_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  execute_process(
    COMMAND ${CMAKE_SOURCE_DIR}/tools/batches ${batch_size} ${sources}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE batches
    OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  foreach(line ${batches})
    string(REPLACE " " ";" words "${line}")
    list(GET words 0 batch)
    list(GET words 1 source)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# berth_room(NAME [PROGRAM program] USES target...)
#
# Makes src/NAME one static library `berth_NAME` from every .cc below it, and its *_test.cc files
# one test program `NAME_test`. A room that is a program has a main.cc, which stays out of the
# library and becomes the executable. USES names rooms by their folder and third-party libraries by
# their target.
function(berth_room name)
  cmake_parse_arguments(ROOM "" "PROGRAM" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  set(libraries)
  foreach(used ${ROOM_USES})
    if(TARGET berth_${used})
      list(APPEND libraries berth_${used})
    else()
      list(APPEND libraries ${used})
    endif()
  endforeach()

  if(ROOM_PROGRAM)
    list(FILTER sources EXCLUDE REGEX "/src/${name}/main\\.cc$")
    add_executable(${ROOM_PROGRAM} ${CMAKE_SOURCE_DIR}/src/${name}/main.cc)
    target_link_libraries(${ROOM_PROGRAM} PRIVATE berth_malloc berth_${name} berth_flags)
    set_target_properties(${ROOM_PROGRAM} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  endif()

  add_library(berth_${name} STATIC ${sources})
  target_include_directories(berth_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(berth_${name} PUBLIC ${libraries} PRIVATE berth_flags)
  berth_precompile(berth_${name} rooms ${common_headers})
  berth_batch(berth_${name})
  if(ROOM_PROGRAM)
    target_compile_definitions(berth_${name} PRIVATE BERTH_VERSION="${PROJECT_VERSION}")
  endif()

  if(BERTH_TESTS AND tests)
    berth_test(${name}_test UNIT SOURCES ${tests} USES berth_${name})
  endif()
endfunction()

# berth_test(NAME [UNIT|REAL] [WHOLE] [LONG] [PREFIX text] SOURCES file... USES target...
#            [ENVIRONMENT var=value...])
#
# A GoogleTest program whose tests ctest knows one by one; WHOLE: as one, because what they share is
# slow to start. Any of them that skips then counts as the whole. LONG ones take minutes and run in one
# preset only. UNIT tests are the inner loop: they use
# no sockets, no clock and nothing outside the build folder. REAL tests need Go and the published
# Kubernetes modules; where those cannot be had they skip, which is a failure in CI. PREFIX tells the
# same tests in two programs apart.
function(berth_test name)
  cmake_parse_arguments(TEST "UNIT;REAL;WHOLE;LONG" "PREFIX" "SOURCES;USES;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_USES} GTest::gmock GTest::gtest_main berth_flags)
  # What is tested is optimised as ever; the tests themselves would take three times as long to
  # compile, and no less to run.
  target_compile_options(${name} PRIVATE -O0)
  berth_precompile(${name} tests ${common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  berth_batch(${name})
  set(label other)
  if(TEST_UNIT)
    set(label unit)
  elseif(TEST_REAL)
    set(label real)
  endif()
  if(TEST_LONG)
    list(APPEND label long)
  endif()
  if(TEST_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES
      LABELS "${label}" TIMEOUT 900 ENVIRONMENT "${TEST_ENVIRONMENT}"
      SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  else()
    gtest_discover_tests(${name}
      DISCOVERY_TIMEOUT 60
      TEST_PREFIX "${TEST_PREFIX}"
      PROPERTIES LABELS "${label}" TIMEOUT 600 ENVIRONMENT "${TEST_ENVIRONMENT}")
  endif()

  # `check` runs a unit-test program again only when it was linked anew. The result of its last
  # run stays beside the stamp, where tools/check counts it; a crash leaves none.
  if(TEST_UNIT)
    set(stamp ${CMAKE_BINARY_DIR}/check/${name}.passed)
    set(result ${CMAKE_BINARY_DIR}/check/${name}.json)
    add_custom_command(OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} -E rm -f ${result}
      COMMAND $<TARGET_FILE:${name}> --gtest_brief=1 --gtest_output=json:${result}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${name}
      COMMENT "checking ${name}")
    add_custom_target(check_${name} DEPENDS ${stamp})
    if(NOT TARGET check)
      add_custom_target(check)
    endif()
    add_dependencies(check check_${name})
  endif()
endfunction()
