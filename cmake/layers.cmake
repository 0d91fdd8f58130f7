# The build fails when a room includes what tools/layers.txt does not allow. To be included after
# the rooms.
set(layers_stamp ${CMAKE_BINARY_DIR}/layers.passed)
file(GLOB_RECURSE layered_files CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/src/*.cc)
add_custom_command(OUTPUT ${layers_stamp}
  COMMAND ${CMAKE_SOURCE_DIR}/tools/check-layers
  COMMAND ${CMAKE_COMMAND} -E touch ${layers_stamp}
  DEPENDS ${layered_files} ${CMAKE_SOURCE_DIR}/tools/check-layers ${CMAKE_SOURCE_DIR}/tools/layers.txt
  COMMENT "checking layers")
add_custom_target(layers DEPENDS ${layers_stamp})
# Every room and every program needs base, so nothing is built without the check.
add_dependencies(berth_base layers)

# The repository's own rules as tests, and tests of the tools that enforce them. They have nothing
# to do with how the product is compiled, so they run in one preset.
if(BERTH_TESTS AND NOT BERTH_SANITIZE)
  add_test(NAME tools.check-calls COMMAND ${CMAKE_SOURCE_DIR}/tools/check-calls)
  file(GLOB tool_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/tests/*_test.py)
  set(names tools.check-calls)
  foreach(file ${tool_tests})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME tools.${name} COMMAND python3 -B ${file})
    list(APPEND names tools.${name})
  endforeach()
  # The rows of the catalogues that a test must carry.
  add_test(NAME tools.coverage-rows COMMAND ${CMAKE_SOURCE_DIR}/tools/coverage-rows)
  add_test(NAME tools.coverage-rows-framework
    COMMAND ${CMAKE_SOURCE_DIR}/tools/coverage-rows
      ${CMAKE_SOURCE_DIR}/tests/catalogue/framework_rows.txt)
  list(APPEND names tools.coverage-rows tools.coverage-rows-framework)
  set_tests_properties(${names} PROPERTIES LABELS lint TIMEOUT 120)
endif()
