// What a label key and a label value may look like.
//
// A key is a name of up to 63 bytes, optionally after a DNS subdomain and a slash
// ("example.com/rack"); a value is empty or like a name.
#pragma once

#include <string>
#include <string_view>

namespace berth::api {

bool is_label_key(std::string_view key);
bool is_label_value(std::string_view value);

// What is wrong with it in upstream's words, several faults joined by "; ". Empty for a valid one.
std::string label_key_faults(std::string_view key);
std::string label_value_faults(std::string_view value);

}  // namespace berth::api
