"""Rows of a catalogue that no test names are found, and only those."""

import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "coverage-rows"

HEAD = "# tests: src/volumes tests\n"
ROWS = HEAD + "A01 | engine | first\nA02 | engine | second\nB01 | deferred: later | third\n"


def run(files, rows=ROWS, catalogue="tests/catalogue/volume_rows.txt", arguments=()):
    """(exit code, lines printed) for a tree with this catalogue and these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {catalogue: rows, **files}.items():
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = subprocess.run(
            [TOOL, "--root", folder, *(str(pathlib.Path(folder, each)) for each in arguments)],
            capture_output=True,
            text=True,
        )
    return done.returncode, (done.stdout + done.stderr).splitlines()


class CoverageRows(unittest.TestCase):
    def test_a_row_that_no_test_names_is_missing(self):
        code, lines = run({"src/volumes/a_test.cc": "TEST(CatalogueA, A01_First) {}\n"})
        self.assertEqual(code, 1)
        self.assertIn("  A02 second", lines)
        self.assertEqual(lines[-1], "covered 1 missing 1 deferred 1")

    def test_a_number_counts_in_a_name_and_in_a_comment(self):
        files = {
            "src/volumes/a_test.cc": "TEST_F(CatalogueA,\n       A01_First) {}\n",
            "tests/volumes/b.cc": "// A02: said elsewhere.\n",
        }
        self.assertEqual(run(files)[0], 0)

    def test_a_number_in_code_or_in_another_word_does_not(self):
        for text in ('auto a = "A02";\n', "auto A02 = 1;\n", "// 0xA02\n", "// A021\n", "// XA02\n"):
            with self.subTest(text):
                files = {"src/volumes/a_test.cc": "TEST(CatalogueA, A01_First) {}\n" + text}
                self.assertEqual(run(files)[0], 1)

    def test_only_tests_are_looked_at(self):
        files = {"src/volumes/a.cc": "// A01 A02\n", "src/other/a_test.cc": "// A01 A02\n"}
        self.assertEqual(run(files)[1][-1], "covered 0 missing 2 deferred 1")

    def test_a_deferred_row_may_be_covered(self):
        lines = run({"tests/a.yaml": "# A01 A02 B01\n"})[1]
        self.assertEqual(lines[-1], "covered 3 missing 0 deferred 0")

    def test_a_catalogue_with_other_numbers_can_be_named(self):
        code, lines = run(
            {"src/framework/a_test.cc": "TEST(Framework, SF_001_First) {}  // and SF-002\n"},
            "# tests: src/framework\nSF-001 | engine | a\nSF-002 | engine | b\n",
            "tests/catalogue/framework_rows.txt",
            ["tests/catalogue/framework_rows.txt"],
        )
        self.assertEqual((code, lines[-1]), (0, "covered 2 missing 0 deferred 0"))

    def test_what_is_not_a_row_is_refused(self):
        for line in ("A03 engine third", "A01 | engine | twice", "A03 | deferred: | no reason"):
            with self.subTest(line):
                code, lines = run({}, ROWS + line + "\n")
                self.assertEqual(code, 1)
                self.assertIn("not a row", lines[-1])


class TheCatalogue(unittest.TestCase):
    def test_has_every_row(self):
        text = (TOOL.parents[1] / "tests/catalogue/volume_rows.txt").read_text()
        ids = [line.split(" ")[0] for line in text.splitlines() if line and line[0] != "#"]
        lengths = {letter: sum(one[0] == letter for one in ids) for letter in "ABCDEFGHIJKLMNOPQ"}
        self.assertEqual(
            list(lengths.values()), [34, 28, 46, 22, 24, 16, 13, 33, 19, 29, 20, 21, 22, 16, 16, 22, 15]
        )


if __name__ == "__main__":
    unittest.main()
