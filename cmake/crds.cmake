# What cli/crds_text.h declares, from deploy/crds/.
file(GLOB crd_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/deploy/crds/*.yaml)
set(crds "")
foreach(file ${crd_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND crds "---\n${text}")
endforeach()
set(crds_source ${CMAKE_BINARY_DIR}/generated/crds_text.cc)
file(CONFIGURE OUTPUT ${crds_source} @ONLY CONTENT [[
#include "cli/crds_text.h"

#include <string_view>

namespace berth::cli {

std::string_view crds_text() {
  return R"yaml(@crds@)yaml";
}

}  // namespace berth::cli
]])
target_sources(berth_cli PRIVATE ${crds_source})
