// The one place where fmt is compiled: Debian packages no static library of it, and its header-only
// form takes three seconds of every file that formats something.
#include <fmt/format-inl.h>

// What the headers declare to be instantiated elsewhere. Wide characters are not used here.
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
