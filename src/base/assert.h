// Checks of our own invariants. Never for anything a user or a server can cause; that is a Result.
//
//   BERTH_ASSERT        stays on in release builds: a process that has lost track of itself must
//                       not go on writing to a cluster
//   BERTH_DEBUG_ASSERT  off where NDEBUG is defined; only where the check was measured to be hot
//   BERTH_BUG           something that cannot be, but that the code after it survives: reported
//                       with its stack and counted in the product, fatal everywhere else
//
// Each takes the condition that must hold and `why`, a literal that says why it must.
#pragma once

#include <cstdint>

namespace berth {

[[noreturn, gnu::cold]] void assertion_failed(const char* condition,
                                              const char* why,
                                              const char* file,
                                              int line);

// Aborts, unless survive_bugs() was called: tests and fuzzers get the strict form for nothing.
[[gnu::cold]] void bug_found(const char* condition, const char* why, const char* file, int line);

// Called once by the product's main: from now on a failed BERTH_BUG does not end the process.
void survive_bugs();

// How many BERTH_BUGs failed in this process.
std::uint64_t bug_count();

// Bugs beyond this many are counted and no longer reported, so that one in a loop cannot fill a
// disk.
inline constexpr std::uint64_t kBugReportsMax = 100;

}  // namespace berth

#define BERTH_ASSERT(condition, why)  \
  ((condition) ? static_cast<void>(0) \
               : ::berth::assertion_failed(#condition, why, __FILE__, __LINE__))

#ifdef NDEBUG
// Compiled, so that it cannot rot, and not evaluated.
#define BERTH_DEBUG_ASSERT(condition, why) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define BERTH_DEBUG_ASSERT(condition, why) BERTH_ASSERT(condition, why)
#endif

#define BERTH_BUG(condition, why) \
  ((condition) ? static_cast<void>(0) : ::berth::bug_found(#condition, why, __FILE__, __LINE__))
