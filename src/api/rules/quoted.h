// Texts from outside, made fit to be printed for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// As it is, but with escapes for control characters, bytes that are not UTF-8 and characters that
// do not print: one line that cannot move a cursor, colour a terminal or pretend to be another
// line.
std::string printable(std::string_view text);

// The same for the midst of a message: cut at a character near the 80th byte, "..." behind it.
std::string shown(std::string_view text);

// Texts the way Go prints them in error messages: Kubernetes' validation errors quote what they
// complain about, and ours read the same.
//
// As the verb %q: in double quotes, with escapes for quotes, control characters, bytes that are not
// UTF-8 and characters that do not print. Whether a character prints is decided by ranges of
// spaces, format characters and private use; code points that no Unicode version has assigned are
// taken to print, which Go denies.
std::string quoted(std::string_view text);

// As encoding/json: quoted() with JSON's escapes, and "<", ">" and "&" escaped for HTML.
std::string json_quoted(std::string_view text);
// A JSON list; null if it is empty, as Go's nil list prints.
std::string json_quoted(const std::vector<std::string>& texts);

}  // namespace berth::api
