# Every third-party library of the product, one target each; docs/dependencies.md says why each is
# here. Headers of these libraries are system headers: their warnings are not ours.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3 REQUIRED)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)

# Debian's default Boost is 1.74, which lacks unordered_flat_map and Boost.JSON.
find_package(Boost 1.81 REQUIRED)

# Boost.JSON, compiled once from its own sources, so that no shared library is needed at run time.
add_library(berth_boost_json STATIC cmake/boost_json.cc)
target_link_libraries(berth_boost_json PUBLIC Boost::headers)

# fmt likewise.
add_library(berth_fmt STATIC cmake/fmt.cc)
target_include_directories(berth_fmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)

# Asio, compiled once (src/rt/real/asio.cc): whoever includes it declares only.
add_library(berth_asio INTERFACE)
target_compile_definitions(berth_asio INTERFACE BOOST_ASIO_SEPARATE_COMPILATION)
target_link_libraries(berth_asio INTERFACE Boost::headers Threads::Threads)

# Programs that ship take their memory from mimalloc; sanitizers bring their own.
add_library(berth_malloc INTERFACE)
if(NOT BERTH_SANITIZE)
  find_package(mimalloc 2.0 REQUIRED)
  target_link_libraries(berth_malloc INTERFACE
    -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
endif()
