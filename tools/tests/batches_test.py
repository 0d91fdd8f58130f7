"""Files that can be compiled as one go together; those whose private names clash stay apart."""

import pathlib
import subprocess
import tempfile
import unittest

import trees


def private(text):
    return use("namespace {\n\n" + text + "\n}  // namespace\n")


def use(text):
    return "namespace berth {\n\n" + text + "\n}  // namespace berth\n"


TOGETHER = {
    "different private names": (
        private("int one() {\n  return 1;\n}\n"),
        private("int two() {\n  return 2;\n}\n"),
    ),
    "no private names": (
        use("int one() {\n  return 1;\n}\n"),
        use("int two() {\n  return 2;\n}\n"),
    ),
    "a private name in a comment": (
        private("struct Item {};\n"),
        use("// An Item is what it is.\nint two() {\n  return 2;\n}\n"),
    ),
    "a private name in a text": (
        private("struct Item {};\n"),
        use('const char* two() {\n  return "Item";\n}\n'),
    ),
    "a member of the name of a private function": (
        private("int size() {\n  return 1;\n}\n"),
        use("int two(const Text& text) {\n  return text.size();\n}\n"),
    ),
}

APART = {
    "both declare the function": (
        private("int count() {\n  return 1;\n}\n"),
        private("int count() {\n  return 2;\n}\n"),
    ),
    "both declare the function, after another": (
        private("int one() {\n  return 1;\n}\n\nint count() {\n  return 1;\n}\n"),
        private("int two() {\n  return 2;\n}\n\nint count() {\n  return 2;\n}\n"),
    ),
    "both declare the type": (private("struct Item {};\n"), private("class Item {};\n")),
    "both declare the constant": (
        private("constexpr int kMost = 1;\n"),
        private("constexpr int kMost = 2;\n"),
    ),
    "the other uses a type of the name": (
        private("struct Item {};\n"),
        use("int two(const Item& item);\n"),
    ),
    "the other calls a function of the name": (
        private("int count() {\n  return 1;\n}\n"),
        use("int two() {\n  return count();\n}\n"),
    ),
    "one names a type of elsewhere so": (
        private("using testing::Item;\n"),
        private("struct Item {};\n"),
    ),
}


def numbers(size, *texts):
    """The number of the batch of each file."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, text in enumerate(texts):
            path = pathlib.Path(folder, f"file_{number}.cc")
            path.write_text(text)
            paths.append(str(path))
        done = subprocess.run(
            [trees.TOOLS / "batches", str(size), *paths], capture_output=True, text=True, check=True
        )
    found = dict(reversed(line.split(" ", 1)) for line in done.stdout.splitlines())
    return [int(found[path]) for path in paths]


class BatchesTest(unittest.TestCase):
    def test_files_that_do_not_clash_go_together(self):
        for name, (one, other) in TOGETHER.items():
            with self.subTest(name):
                self.assertEqual(numbers(8, one, other), [0, 0])
                self.assertEqual(numbers(8, other, one), [0, 0])

    def test_files_whose_private_names_clash_stay_apart(self):
        for name, (one, other) in APART.items():
            with self.subTest(name):
                self.assertEqual(numbers(8, one, other), [0, 1])
                self.assertEqual(numbers(8, other, one), [0, 1])

    def test_a_batch_is_no_larger_than_asked_for(self):
        texts = [private(f"int f{number}() {{\n  return 1;\n}}\n") for number in range(5)]
        self.assertEqual(numbers(2, *texts), [0, 0, 1, 1, 2])

    def test_a_file_that_clashes_with_one_of_a_batch_goes_to_the_next(self):
        clash = private("int f0() {\n  return 2;\n}\n")
        texts = [private(f"int f{number}() {{\n  return 1;\n}}\n") for number in range(2)]
        self.assertEqual(numbers(8, *texts, clash), [0, 0, 1])


if __name__ == "__main__":
    unittest.main()
