# generated/crds.h: the text of deploy/crds/, so that the program can print it wherever it runs.
file(GLOB crd_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/deploy/crds/*.yaml)
set(crds "")
foreach(file ${crd_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND crds "---\n${text}")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/generated/crds.h @ONLY CONTENT [[
// Made from deploy/crds/ when the build is configured.
#pragma once

#include <string_view>

namespace berth::generated {

inline constexpr std::string_view kCrds = R"yaml(@crds@)yaml";

}  // namespace berth::generated
]])
