"""What counts as passed, failed and skipped."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from berth_tools import tally  # noqa: E402

PASSED = '<testcase name="A.Passes" status="run"/>'
FAILED = '<testcase name="A.Fails" status="fail"><failure/><system-out>why</system-out></testcase>'
SKIPPED = """<testcase name="A.Skips" status="notrun">
  <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
  <system-out>a_test.cc:3: Skipped
no Go here
</system-out></testcase>"""
NOT_BUILT = """<testcase name="a_NOT_BUILT" status="notrun">
  <skipped message="Unable to find executable"/></testcase>"""
DISABLED = '<testcase name="A.Disabled" status="disabled"/>'


def ctest(*cases, **arguments):
    return tally.from_ctest(f"<testsuite>{''.join(cases)}</testsuite>", "dev", **arguments)


class FromCtest(unittest.TestCase):
    def test_counts_each_kind(self):
        total = ctest(PASSED, FAILED, SKIPPED, DISABLED, PASSED)
        self.assertEqual(total.line(), "2 passed, 1 failed, 2 skipped")
        self.assertEqual(total.failed, ["dev: A.Fails"])

    def test_a_skip_gives_its_reason(self):
        self.assertEqual(ctest(SKIPPED).skipped, ["dev: A.Skips: no Go here"])

    def test_a_skip_that_is_not_allowed_is_a_failure(self):
        total = ctest(SKIPPED, must_not_skip={"A.Skips"})
        self.assertEqual(total.line(), "0 passed, 1 failed, 0 skipped")

    def test_a_test_that_was_not_built_is_a_failure(self):
        self.assertEqual(ctest(PASSED, NOT_BUILT).line(), "1 passed, 1 failed, 0 skipped")

    def test_no_tests_at_all_is_a_failure(self):
        self.assertEqual(ctest().line(), "0 passed, 1 failed, 0 skipped")

    def test_shows_the_end_of_what_a_failed_test_said(self):
        shown = tally.failure_outputs(f"<testsuite>{PASSED}{FAILED}</testsuite>", 10)
        self.assertEqual(list(shown), [("A.Fails", "why")])


class Labelled(unittest.TestCase):
    def test_finds_the_tests_with_a_label(self):
        listing = {
            "tests": [
                {"name": "a", "properties": [{"name": "LABELS", "value": ["unit", "real"]}]},
                {"name": "b", "properties": [{"name": "LABELS", "value": ["unit"]}]},
                {"name": "c"},
            ]
        }
        self.assertEqual(tally.labelled(json.dumps(listing), "real"), {"a"})


class FromGtest(unittest.TestCase):
    def test_counts_each_kind(self):
        cases = [
            {"name": "Passes", "status": "RUN", "result": "COMPLETED"},
            {"name": "Fails", "status": "RUN", "result": "COMPLETED", "failures": [{}]},
            {"name": "Skips", "status": "RUN", "result": "SKIPPED"},
            {"name": "DISABLED_One", "status": "NOTRUN", "result": "SUPPRESSED"},
        ]
        text = json.dumps({"testsuites": [{"name": "A", "testsuite": cases}]})
        total = tally.from_gtest(text, "base_test")
        self.assertEqual(total.line(), "1 passed, 1 failed, 2 skipped")
        self.assertEqual(total.failed, ["base_test: A.Fails"])


class TracesOf(unittest.TestCase):
    def test_finds_the_line_of_its_own(self):
        log = "crash 3\ntraces 00ff00ff00ff00ff\nseeds 2 violations 0\n"
        self.assertEqual(tally.traces_of(log), "00ff00ff00ff00ff")

    def test_of_a_log_that_ends_before_is_none(self):
        self.assertIsNone(tally.traces_of("traces of nothing\n"))


if __name__ == "__main__":
    unittest.main()
