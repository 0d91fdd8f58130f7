// Names and identities of objects.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rt/random.h"
#include "world/kind_rules.h"

namespace berth::world {

// kInvalid, in words that name the rule, unless the kind may have an object of that name.
Result<void> check_name(const KindRules& rules, std::string_view name);

// `prefix` and five characters that spell no word.
std::string generated_name(std::string_view prefix, rt::Random& random);

// A version 4 UUID.
std::string new_uid(rt::Random& random);

}  // namespace berth::world
