"""Tests of tools/batches."""

import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "batches"


def source(private, public=""):
    return f"namespace berth {{\nnamespace {{\n\n{private}\n}}  // namespace\n\n{public}\n}}  // namespace berth\n"


class Batches(unittest.TestCase):
    def batches(self, *texts, size=12):
        """The batch of each file, in order."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, text in enumerate(texts):
                paths.append(pathlib.Path(folder) / f"{number}.cc")
                paths[-1].write_text(text)
            done = subprocess.run([TOOL, str(size), *paths], capture_output=True, text=True, check=True)
        found = dict(reversed(line.split(" ", 1)) for line in done.stdout.splitlines())
        return [int(found[str(path)]) for path in paths]

    def test_files_that_share_nothing_go_together(self):
        one = source("int one() {\n  return 1;\n}\n")
        two = source("int two() {\n  return 2;\n}\n")
        self.assertEqual(self.batches(one, two), [0, 0])

    def test_the_same_private_function_keeps_files_apart_wherever_it_stands(self):
        one = source("int one() {\n  return 1;\n}\n\nint both() {\n  return 1;\n}\n")
        two = source("int two() {\n  return 2;\n}\n\nint both() {\n  return 2;\n}\n")
        self.assertEqual(self.batches(one, two), [0, 1])

    def test_a_private_function_that_another_file_calls_keeps_them_apart(self):
        one = source("int size_of(int value) {\n  return value;\n}\n")
        two = source("", "long use(long value) {\n  return size_of(value);\n}\n")
        self.assertEqual(self.batches(one, two), [0, 1])

    def test_a_private_type_that_another_file_names_keeps_them_apart(self):
        one = source("struct Wrong {\n  int x;\n};\n")
        two = source("", "bool is(const Wrong& wrong) {\n  return true;\n}\n")
        self.assertEqual(self.batches(one, two), [0, 1])

    def test_a_batch_has_so_many_files_at_most(self):
        files = [source(f"int f{i}() {{\n  return 1;\n}}\n") for i in range(5)]
        self.assertEqual(self.batches(*files, size=2), [0, 0, 1, 1, 2])


if __name__ == "__main__":
    unittest.main()
