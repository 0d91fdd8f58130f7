#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <streambuf>
#include <vector>

namespace berth::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CommandLine : public testing::Test {
 protected:
  int run_with(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "berth");
    return run(static_cast<int>(arguments.size()), arguments.data(), in_, out_, err_);
  }

  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(CommandLine, RunsTheCommandWithItsOptions) {
  in_.str("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
  EXPECT_EQ(run_with({"read", "-f", "-", "-o", "json"}), 0);
  EXPECT_EQ(out_.str(),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})"
            "\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(CommandLine, CommandThatFailsEndsWithOne) {
  EXPECT_EQ(run_with({"read", "-f", "-"}), 1);
  EXPECT_EQ(err_.str(), "error: standard input: holds no object\n");
}

TEST_F(CommandLine, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(run_with({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("read"));
  EXPECT_EQ(run_with({"--version"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("\nberth 0."));
  EXPECT_EQ(run_with({"read", "--help"}), 0);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(CommandLine, ChecksAndPrintsConfigurations) {
  EXPECT_EQ(run_with({"config", "default"}), 0);
  in_.str(out_.str());
  EXPECT_EQ(run_with({"config", "check", "-f", "-"}), 0);
  EXPECT_EQ(run_with({"config", "check"}), 1);
  EXPECT_EQ(run_with({"config"}), 1);
  EXPECT_EQ(run_with({"config", "check", "--help"}), 0);
}

TEST_F(CommandLine, NamesTheCommandThatDoesNotExist) {
  EXPECT_EQ(run_with({"foo\n", "-f", "x"}), 1);
  EXPECT_EQ(err_.str(), "error: there is no command 'foo\\n'; berth --help lists them\n");
}

TEST_F(CommandLine, WrongUsageIsAnError) {
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{},
                                                {"read"},
                                                {"read", "-f"},
                                                {"read", "-f", "-", "-o", "xml"},
                                                {"read", "-f", "-", "--nonsense"}}) {
    err_.str("");
    EXPECT_EQ(run_with(wrong), 1);
    EXPECT_THAT(err_.str(), HasSubstr("Run with --help")) << wrong.size();
  }
}

// A disk that is full.
class FullBuffer : public std::streambuf {
 public:
  int overflow(int) override { return traits_type::eof(); }
};

TEST_F(CommandLine, LostOutputIsAnError) {
  FullBuffer full;
  std::ostream out(&full);
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"berth", "read", "-f", "-"}, {"berth", "--help"}}) {
    std::istringstream in("apiVersion: v1\nkind: Namespace\n");
    std::ostringstream err;
    out.clear();
    EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data(), in, out, err), 1);
    EXPECT_EQ(err.str(), "error: not everything could be written to standard output\n");
  }
}

// A disk that is found to be full when the buffer is written out.
class FullWhenFlushed : public std::stringbuf {
 public:
  int sync() override { return -1; }
};

TEST_F(CommandLine, OutputLostInTheLastMomentIsAnError) {
  FullWhenFlushed full;
  std::ostream out(&full);
  const std::vector<const char*> arguments{"berth", "--version"};
  EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data(), in_, out, err_), 1);
  EXPECT_THAT(err_.str(), StartsWith("error: not everything could be written"));
}

}  // namespace
}  // namespace berth::cli
