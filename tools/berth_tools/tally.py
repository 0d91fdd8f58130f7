"""Counts of tests, and how to read them from what ctest and GoogleTest write."""

import dataclasses
import json
import re
import xml.etree.ElementTree

# What ctest says of a test that decided itself not to run. Any other reason for not running (no
# program, a failed fixture) is a failure.
SKIPPED_BY_ITSELF = ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE=")


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)  # names
    skipped: list = dataclasses.field(default_factory=list)  # names

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def line(self):
        """The last line of every runner; scripts read it."""
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def from_ctest(junit_text, prefix, must_not_skip=frozenset()):
    """The tally of `ctest --output-junit`. Skips of `must_not_skip` tests count as failures."""
    tally = Tally()
    for case in xml.etree.ElementTree.fromstring(junit_text).iter("testcase"):
        name = f"{prefix}: {case.get('name')}"
        status = case.get("status")
        if status == "run":
            tally.passed += 1
        elif status == "disabled":
            tally.skipped.append(f"{name}: disabled")
        elif _skipped_itself(case) and case.get("name") in must_not_skip:
            tally.failed.append(f"{name}: skipped, which CI does not allow: {_reason(case)}")
        elif _skipped_itself(case):
            tally.skipped.append(f"{name}: {_reason(case)}")
        else:
            tally.failed.append(name)
    if tally == Tally():
        tally.failed.append(f"{prefix}: there are no tests")
    return tally


def failure_outputs(junit_text, lines_max):
    """(test name, end of its output) of each failed test."""
    for case in xml.etree.ElementTree.fromstring(junit_text).iter("testcase"):
        if case.get("status") == "fail":
            output = (case.findtext("system-out") or "").splitlines()
            yield case.get("name"), "\n".join(output[-lines_max:])


def _skipped_itself(case):
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith(SKIPPED_BY_ITSELF)


def _reason(case):
    """What GTEST_SKIP() << ... said."""
    match = re.search(r": Skipped\n(.*)", case.findtext("system-out") or "")
    return match[1] if match else "no reason given"


def labelled(ctest_json_text, label):
    """The names of the tests with a label, from `ctest --show-only=json-v1`."""
    names = set()
    for test in json.loads(ctest_json_text)["tests"]:
        for item in test.get("properties", []):
            if item["name"] == "LABELS" and label in item["value"]:
                names.add(test["name"])
    return names


def from_gtest(json_text, prefix):
    """The tally of a GoogleTest program's --gtest_output=json."""
    tally = Tally()
    for suite in json.loads(json_text)["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{prefix}: {suite['name']}.{case['name']}"
            if case.get("failures"):
                tally.failed.append(name)
            elif case["result"] == "COMPLETED":
                tally.passed += 1
            else:
                tally.skipped.append(name)
    return tally


def traces_of(log):
    """The hash of all traces of a simulation, which stands in its log; None if it does not."""
    found = re.search(r"^traces ([0-9a-f]{16})$", log, re.MULTILINE)
    return found[1] if found else None
