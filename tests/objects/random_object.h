// Random objects of any kind, made by walking the field tables.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "api/table.h"
#include "api/type.h"

namespace berth::tests {

// The same seed makes the same objects. Every member is present now and then, also with its default
// value inside an optional; texts hold quotes, control characters and more than one byte a letter.
class RandomObjects {
 public:
  explicit RandomObjects(std::uint64_t seed) : random_(seed) {}

  // `object` is default constructed. `density` is the chance of a member to be set.
  void fill(const api::Table& table, void* object, double density);

  std::string text();

 private:
  void fill_member(const api::Type& type, void* place, double density);
  void fill_value(const api::Type& type, void* place, double density);
  void fill_scalar(const api::Type& type, void* place);

  std::int64_t number(std::int64_t low, std::int64_t high);
  bool chance(double probability);
  std::string quantity_text();
  // Without white space and with plain numbers, so that any JSON library writes it the same.
  std::string json(int depth_left);

  std::mt19937_64 random_;
};

}  // namespace berth::tests
