"""Planted forbidden calls are found; the same words elsewhere are not."""

import unittest

import trees

REFUSED = [
    "int x = rand();",
    "int x = std::rand();",
    "srand(1);",
    "std::random_device device;",
    "::sleep(1);",
    "usleep(10);",
    "std::this_thread::sleep_for(delay);",
    "auto now = std::chrono::system_clock::now();",
    "auto now = steady_clock::now();",
    "auto now = time(nullptr);",
    "auto now = std::time( nullptr );",
    "gettimeofday(&now, nullptr);",
    "auto later = std::async(work);",
    "std::thread worker(work);",
    "worker.detach();",
    "assert(is_bound);",
    "using namespace std;",
    'throw std::runtime_error("no");',
    "// TODO tidy up",
    "// FIXME: tidy up",
]

ALLOWED = [
    "auto spread = operand(x);",
    "co_await runtime.sleep(delay);",
    "auto t = bind_time(nullptr);",
    "auto t = runtime.time(nullptr);",
    "using namespace std::chrono_literals;",
    "static_assert(sizeof(int) == 4);",
    'BERTH_ASSERT(ok, "cannot be");',
    "// a comment may say rand() and throw",
    "/* std::thread\n   assert(x) */",
    'log("rand() and // throw");',
    'auto text = R"(throw " assert(x))";',
    "char quote = '\"'; int throws = 1'000'000;",
    "// TODO(#12) tidy up",
]


class CheckCalls(unittest.TestCase):
    def test_refuses_each_planted_call(self):
        for line in REFUSED:
            with self.subTest(line):
                code, lines = trees.check("check-calls", {"src/api/pod.cc": "\n" + line + "\n"})
                self.assertEqual((code, len(lines)), (1, 1), lines)
                self.assertTrue(lines[0].startswith("src/api/pod.cc:2: "), lines)

    def test_lets_pass_what_only_looks_alike(self):
        for line in ALLOWED:
            with self.subTest(line):
                self.assertEqual(trees.check("check-calls", {"src/api/pod.cc": line}), (0, []))

    def test_lets_the_real_runtime_read_clocks_and_nobody_else(self):
        text = "auto now = std::chrono::steady_clock::now();\n"
        for path, code in (("src/rt/real/clock.cc", 0), ("src/rt/clock.cc", 1), ("tests/a.cc", 1)):
            with self.subTest(path):
                self.assertEqual(trees.check("check-calls", {path: text})[0], code)

    def test_a_literal_does_not_hide_the_code_behind_it(self):
        text = 'log("a \\" quote"); throw 1;\n'
        self.assertEqual(trees.check("check-calls", {"src/api/pod.cc": text})[0], 1)

    def test_a_long_file_is_no_failure(self):
        self.assertEqual(trees.check("check-calls", {"src/api/pod.cc": "\n" * 700}), (0, []))


if __name__ == "__main__":
    unittest.main()
