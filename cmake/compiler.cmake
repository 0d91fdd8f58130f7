# One compiler, one standard, warnings as errors.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "Berth needs clang++ 19 (Debian 12 package clang-19); found ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}. g++ 12 silently miscompiles ordinary coroutine expressions "
    "(double frees and hangs), so it is refused. Use the presets: cmake --preset dev")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -gline-tables-only")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

set(BERTH_SANITIZE "" CACHE STRING "comma separated list for -fsanitize=")

add_library(berth_flags INTERFACE)
target_compile_options(berth_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Wthread-safety -Werror
  # Objects are built by naming the members that matter; the rest keep their defaults.
  -Wno-missing-designated-field-initializers)
target_link_options(berth_flags INTERFACE -fuse-ld=mold)

if(BERTH_SANITIZE)
  # Half the time to compile, and the sanitizers see what is written rather than what is left of it.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -gline-tables-only")
  target_compile_options(berth_flags INTERFACE
    -fsanitize=${BERTH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE})
else()
  # NDEBUG is about the assertions of libraries, which cost time where we have checked already; the
  # sanitizer builds leave them on. BERTH_ASSERT does not look at it.
  target_compile_options(berth_flags INTERFACE
    -DNDEBUG -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong)
endif()
