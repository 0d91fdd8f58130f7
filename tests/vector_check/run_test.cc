#include "run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace berth::vector_check {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kOne =
    R"({"id": "one", "kind": "parse", "in": "1", "ok": true, "canonical": "1",)"
    R"( "format": "DecimalSI", "value": 1, "milliValue": 1000, "sign": 1,)"
    R"( "isZero": false, "asInt64": 1})"
    "\n";
const std::string kTwo =
    R"({"id": "two", "kind": "parse", "in": "2", "ok": true, "canonical": "2",)"
    R"( "format": "DecimalSI", "value": 2, "milliValue": 2000, "sign": 1,)"
    R"( "isZero": false, "asInt64": 2})"
    "\n";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

class VectorCheck : public testing::Test {
 public:
  VectorCheck() { std::filesystem::create_directory(folder_); }
  ~VectorCheck() override { std::filesystem::remove_all(folder_); }
  VectorCheck(const VectorCheck&) = delete;
  VectorCheck& operator=(const VectorCheck&) = delete;

 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string plain(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string zipped(const std::string& name, const std::string& bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path(name);
  }

  std::string bytes_of(const std::string& file) const {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
  }

  int run_with(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return run(arguments, out_, err_);
  }

  std::ostringstream out_;
  std::ostringstream err_;

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("vector_check_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(VectorCheck, CountsAgreeingRowsOfZippedAndPlainFiles) {
  EXPECT_EQ(run_with({zipped("a.jsonl.gz", kOne + kTwo), plain("b.jsonl", "\n" + kOne)}), 0);
  EXPECT_EQ(out_.str(), "agree 3 differ 0\n");
  EXPECT_THAT(err_.str(), IsEmpty());
}

TEST_F(VectorCheck, LastLineNeedsNoEnd) {
  EXPECT_EQ(run_with({"--strict-upstream", plain("a.jsonl", kOne.substr(0, kOne.size() - 1))}), 0);
  EXPECT_EQ(out_.str(), "agree 1 differ 0\n");
}

TEST_F(VectorCheck, ReportsExactlyTheRowThatDiffers) {
  const std::string altered = replaced(kTwo, R"("canonical": "2")", R"("canonical": "3")");
  EXPECT_EQ(run_with({zipped("a.jsonl.gz", kOne + altered + kOne)}), 1);
  EXPECT_EQ(out_.str(), "two canonical expected \"3\" got \"2\"\nagree 2 differ 1\n");
}

TEST_F(VectorCheck, RowWithTwoDifferencesCountsOnce) {
  const std::string altered =
      replaced(replaced(kTwo, R"("value": 2)", R"("value": 3)"), R"("sign": 1)", R"("sign": 0)");
  EXPECT_EQ(run_with({plain("a.jsonl", altered)}), 1);
  EXPECT_EQ(out_.str(),
            "two value expected 3 got 2\ntwo sign expected 0 got 1\nagree 0 differ 1\n");
}

TEST_F(VectorCheck, MissingFileIsAnError) {
  EXPECT_EQ(run_with({path("none.jsonl.gz")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("none.jsonl.gz: cannot be opened: No such file"));
}

TEST_F(VectorCheck, FileCutShortIsAnError) {
  const std::string whole = bytes_of(zipped("a.jsonl.gz", kOne + kTwo));
  EXPECT_EQ(run_with({plain("cut.jsonl.gz", whole.substr(0, whole.size() - 12))}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("cut.jsonl.gz: damaged"));
}

TEST_F(VectorCheck, DamagedFileIsAnError) {
  std::string bytes = bytes_of(zipped("a.jsonl.gz", kOne + kTwo));
  bytes[bytes.size() - 6] ^= 1;  // in the check sum
  EXPECT_EQ(run_with({plain("bad.jsonl.gz", bytes)}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("bad.jsonl.gz: damaged"));
}

TEST_F(VectorCheck, FolderIsAnError) {
  EXPECT_EQ(run_with({path(".")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("damaged"));
}

TEST_F(VectorCheck, LineThatIsNoObjectIsAnErrorWithItsNumber) {
  EXPECT_EQ(run_with({plain("a.jsonl", kOne + "{\"id\": \n")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("a.jsonl: line 2: "));
  EXPECT_EQ(run_with({plain("a.jsonl", "[]\n")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("line 1: not a JSON object"));
}

TEST_F(VectorCheck, RowOfNoKnownSetIsAnError) {
  EXPECT_EQ(run_with({plain("a.jsonl", kOne + R"({"id": "three", "kind": "guess"})")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("row three: of no known set (kind \"guess\")"));
}

TEST_F(VectorCheck, MalformedRowIsAnError) {
  EXPECT_EQ(run_with({plain("a.jsonl", R"({"id": "three", "kind": "parse"})")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("row three: malformed"));
  EXPECT_EQ(run_with({plain("a.jsonl", R"({"kind": "parse"})")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("a row without id"));
}

TEST_F(VectorCheck, MalformedRowCountsAsDifferingAndHidesNoOther) {
  const std::string malformed = R"({"id": "three", "kind": "parse"})"
                                "\n"
                                R"({"kind": "parse"})"
                                "\n";
  EXPECT_EQ(run_with({plain("a.jsonl", kOne + malformed + kTwo)}), 1);
  EXPECT_EQ(out_.str(), "agree 2 differ 2\n");
}

TEST_F(VectorCheck, FileThatCannotBeReadCountsAsDifferingAndHidesNoOther) {
  EXPECT_EQ(run_with({path("none.jsonl"),
                      plain("line.jsonl", kOne + "{\n"),
                      plain("empty.jsonl", ""),
                      plain("b.jsonl", kTwo)}),
            1);
  EXPECT_EQ(out_.str(), "agree 2 differ 3\n");
}

TEST_F(VectorCheck, FileWithoutRowsIsAnError) {
  EXPECT_EQ(run_with({zipped("empty.jsonl.gz", "\n")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("empty.jsonl.gz: no rows"));
}

TEST_F(VectorCheck, WrongUsageIsAnErrorAndHelpIsNot) {
  EXPECT_EQ(run_with({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("usage:"));
  EXPECT_EQ(run_with({"--strict"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("unknown option --strict"));
  EXPECT_EQ(run_with({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("agree N differ M"));
}

}  // namespace

}  // namespace berth::vector_check
