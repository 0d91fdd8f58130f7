#include "cli/read.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/expected.h"
#include "api/codec/json.h"
#include "api/kinds.h"
#include "api/object_reader.h"
#include "api/rules/quoted.h"
#include "app/input.h"
#include "base/error.h"
#include "cli/exit_code.h"
#include "cli/summary.h"

namespace berth::cli {
namespace {

class Reader {
 public:
  Reader(const ReadOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err) {}

  void read(const std::string& name, std::string_view text) { reader_.read(name, text); }

  void fail(const std::string& where, const Error& error) {
    tell(fmt::format("error: {}: {}", where, error.text()));
    is_good_ = false;
  }

  ExitCode finish() {
    if (!rows_.empty()) {
      print_table(rows_, out_);
    } else if (is_good_ && !has_objects_) {
      tell("there is no object to show");
    }
    return is_good_ ? ExitCode::kDone : ExitCode::kError;
  }

 private:
  void leave_out(const std::string& where, const api::codec::Expected& names) {
    if (is_table()) {
      rows_.push_back({.kind = names.kind,
                       .name = "-",
                       .details = fmt::format("not a kind Berth reads ({})", names.api_version)});
      return;
    }
    has_objects_ = true;
    tell(fmt::format(
        "left out: {}: {} is not a kind Berth reads ({})", where, names.kind, names.api_version));
  }

  void show(const api::KindEntry& kind, const void* object) {
    has_objects_ = true;
    if (is_table()) {
      rows_.push_back(summarise(kind, object));
    } else {
      out_ << api::codec::write_json(api::names_of(kind), kind.table(), object) << "\n";
    }
  }

  // One line for people: what it quotes from a file cannot make it two, or colour a terminal.
  void tell(std::string_view line) { err_ << api::printable(line) << "\n"; }

  bool is_table() const { return options_.output == "table"; }

  const ReadOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  const api::ObjectTaker taker_{
      .take = [this](const std::string&,
                     const api::KindEntry& kind,
                     const std::shared_ptr<void>& object) { show(kind, object.get()); },
      .leave_out = [this](const std::string& where,
                          const api::codec::Expected& names) { leave_out(where, names); },
      .fail = [this](const std::string& where, const Error& error) { fail(where, error); },
  };
  api::ObjectReader reader_{taker_};
  std::vector<Row> rows_;
  bool has_objects_ = false;
  bool is_good_ = true;
};

}  // namespace

ExitCode read_files(const ReadOptions& options,
                    std::istream& in,
                    std::ostream& out,
                    std::ostream& err) {
  Reader reader(options, out, err);
  for (const std::string& file : options.files) {
    const std::string name = app::input_name(file);
    const auto text = app::read_input(file, in);
    if (!text) {
      reader.fail(name, text.error());
      continue;
    }
    reader.read(name, *text);
  }
  return reader.finish();
}

}  // namespace berth::cli
