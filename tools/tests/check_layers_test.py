"""Planted violations of the layer rules are found, and what is allowed passes."""

import unittest

import trees

HEADER = "#pragma once\n"

ALLOWED = {
    "own header": ("src/api/pod.cc", '#include "api/pod.h"\n'),
    "standard header": ("src/api/pod.cc", "#include <vector>\n#include <cstdint>\n"),
    "room below": ("src/api/pod.cc", '#include "base/result.h"\n'),
    "library of the room in a .cc": ("src/api/json.cc", "#include <simdjson.h>\n"),
    "library of the room in an internal header": (
        "src/api/json_internal.h",
        HEADER + "#include <simdjson.h>\n",
    ),
    "library of the room in a folder internal": (
        "src/api/internal/json.h",
        HEADER + "#include <boost/json/value.hpp>\n",
    ),
    "own internal header": ("src/api/json.cc", '#include "api/internal/json.h"\n'),
    "visible library in a header": ("src/base/log.h", HEADER + "#include <fmt/core.h>\n"),
    "gtest in a test": ("src/base/log_test.cc", "#include <gtest/gtest.h>\n"),
    "gtest in a header for tests": (
        "src/base/testing/place.h",
        HEADER + "#include <gtest/gtest.h>\n",
    ),
    "a header for tests in a test": ("src/base/log_test.cc", '#include "base/testing/place.h"\n'),
    "asio in rt/real": ("src/rt/real/loop.cc", "#include <boost/asio/io_context.hpp>\n"),
    "any plugin in app": ("src/app/main.cc", '#include "plugins/volume_binding/plugin.h"\n'),
    "an include in a comment": ("src/base/log.cc", '// #include "api/pod.h"\n'),
}

REFUSED = {
    "room above": ("src/base/log.cc", '#include "api/pod.h"\n', "base/ may not use api/"),
    "another plugin": (
        "src/plugins/one/plugin.cc",
        '#include "plugins/two/plugin.h"\n',
        "plugins/one/ may not use plugins/two/",
    ),
    "rt/real from rt": (
        "src/rt/task.cc",
        '#include "rt/real/loop.h"\n',
        "rt/ may not use rt/real/",
    ),
    "asio outside rt/real": (
        "src/rt/task.cc",
        "#include <boost/asio.hpp>\n",
        "rt/ may not use asio",
    ),
    "simdjson outside api": (
        "src/kube/client.cc",
        "#include <simdjson.h>\n",
        "kube/ may not use simdjson",
    ),
    "command line library outside cli": (
        "src/app/main.cc",
        "#include <CLI/CLI.hpp>\n",
        "app/ may not use cli11",
    ),
    "private library in a public header": (
        "src/api/json.h",
        HEADER + "#include <boost/json.hpp>\n",
        "boost-json stays in .cc files",
    ),
    "internal header of another room": (
        "src/kube/client.cc",
        '#include "api/internal/json.h"\n',
        "internal to api/",
    ),
    "gtest in the product": (
        "src/base/log.cc",
        "#include <gtest/gtest.h>\n",
        "base/ may not use gtest",
    ),
    "a header for tests in the product": (
        "src/base/log.cc",
        '#include "base/testing/place.h"\n',
        "it is for tests only",
    ),
    "files in a pure room": (
        "src/api/yaml.cc",
        "#include <fstream>\n",
        "api/ may not use files",
    ),
    "unknown library": (
        "src/base/log.cc",
        "#include <spdlog/spdlog.h>\n",
        "no library of tools/layers.txt",
    ),
    "short path": ("src/api/pod.cc", '#include "pod.h"\n', "by their path from src/"),
    "unknown room": ("src/helpers/log.cc", "", "not in a room"),
    "header without guard": ("src/base/log.h", "int x();\n", "no #pragma once"),
    "test header without guard": ("tests/builders.h", "int x();\n", "no #pragma once"),
}


class CheckLayers(unittest.TestCase):
    def test_lets_pass_what_is_allowed(self):
        for name, (path, text) in ALLOWED.items():
            with self.subTest(name):
                self.assertEqual(trees.check("check-layers", {path: text}), (0, []))

    def test_refuses_what_is_not(self):
        for name, (path, text, why) in REFUSED.items():
            with self.subTest(name):
                code, lines = trees.check("check-layers", {path: text})
                self.assertEqual((code, len(lines)), (1, 1), lines)
                self.assertTrue(lines[0].startswith(path + ":"), lines)
                self.assertIn(why, lines[0])

    def test_names_the_line(self):
        text = '/* two\n   lines */\n#include "base/log.h"\n\n#include "api/pod.h"\n'
        _, lines = trees.check("check-layers", {"src/base/log.cc": text})
        self.assertEqual(lines, ["src/base/log.cc:5: includes api/pod.h: base/ may not use api/"])


if __name__ == "__main__":
    unittest.main()
