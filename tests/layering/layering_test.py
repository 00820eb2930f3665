"""Plants one breach at a time in a small tree; layering.py must name it."""

import pathlib
import tempfile
import unittest

import layering

SOUND = {
    "src/CMakeLists.txt":
        "foreach(module\n    core scan cli)  # lowest first\nendforeach()\n",
    "src/core/CMakeLists.txt": "trainsight_module(core SOURCES a.cc)\n",
    "src/core/a.cc": '#include "trainsight/core/a.h"\n#include "core/in.h"\n',
    "src/core/in.h": "// std::cout in a comment prints nothing\n",
    "src/scan/CMakeLists.txt":
        "trainsight_module(scan SOURCES s.cc DEPS core LIBS ts::simdjson)\n",
    "src/scan/s.cc": '#include <simdjson.h>\n#include "trainsight/core/a.h"\n',
    "src/cli/CMakeLists.txt":
        "trainsight_module(cli\n  SOURCES c.cc\n  DEPS scan\n"
        "  LIBS ts::cli11)\n",
    "src/cli/c.cc":
        '#include <CLI/CLI.hpp>\n#include "trainsight/core/a.h"\n'
        '#include "trainsight/scan/s.h"\nint main() { std::printf("x"); }\n',
    "include/trainsight/core/a.h": "/// Not a CLI::App.\n",
    "include/trainsight/scan/s.h": '#include "trainsight/core/a.h"\n',
}


def check(changes):
    """The breaches of the sound tree with these files replaced or added."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**SOUND, **changes}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found, count = layering.breaches(root)
        assert count >= 3
        return [f"{p.relative_to(root)}:{n}: {what}" for p, n, what in found]


class Layering(unittest.TestCase):
    def test_a_sound_tree_has_no_breach(self):
        self.assertEqual(check({}), [])

    def test_an_include_upward_is_found(self):
        self.assertEqual(
            check({"src/core/a.cc": '\n#include "trainsight/scan/s.h"\n'}),
            ["src/core/a.cc:2: core includes trainsight/scan/s.h without "
             "scan in its DEPS"])

    def test_an_include_upward_in_a_header_is_found(self):
        self.assertEqual(
            check({"include/trainsight/core/a.h":
                   '#include "trainsight/scan/s.h"\n'}),
            ["include/trainsight/core/a.h:1: core includes "
             "trainsight/scan/s.h without scan in its DEPS"])

    def test_a_declared_dependency_upward_is_found(self):
        self.assertEqual(
            check({"src/core/CMakeLists.txt":
                   "trainsight_module(core SOURCES a.cc DEPS scan)\n"}),
            ["src/core/CMakeLists.txt:1: core depends upward on scan"])

    def test_an_undeclared_include_downward_is_found(self):
        self.assertEqual(
            check({"src/scan/CMakeLists.txt":
                   "trainsight_module(scan SOURCES s.cc)\n",
                   "src/cli/c.cc": ""}),
            ["src/scan/s.cc:2: scan includes trainsight/core/a.h without "
             "core in its DEPS",
             "include/trainsight/scan/s.h:1: scan includes "
             "trainsight/core/a.h without core in its DEPS"])

    def test_a_dependency_without_a_module_is_found(self):
        self.assertEqual(
            check({"src/core/CMakeLists.txt":
                   "trainsight_module(core SOURCES a.cc DEPS base)\n"}),
            ["src/core/CMakeLists.txt:1: DEPS names no module: base"])

    def test_a_module_missing_in_the_order_is_found(self):
        self.assertEqual(
            check({"src/new/CMakeLists.txt":
                   "trainsight_module(new SOURCES n.cc)\n"}),
            ["src/new/CMakeLists.txt:1: module new is not in "
             "src/CMakeLists.txt's list"])

    def test_another_modules_internal_header_is_found(self):
        self.assertEqual(
            check({"src/scan/s.cc": '#include "core/in.h"\n'}),
            ["src/scan/s.cc:1: core/in.h is internal to core"])

    def test_a_library_outside_its_modules_is_found(self):
        self.assertEqual(
            check({"src/core/a.cc": "#include <simdjson.h>\n",
                   "src/scan/CMakeLists.txt":
                   "trainsight_module(scan SOURCES s.cc DEPS core "
                   "LIBS ts::cli11)\n"}),
            ["src/scan/CMakeLists.txt:1: scan may not link CLI11",
             "src/core/a.cc:1: core may not use simdjson"])

    def test_a_librarys_type_in_a_public_header_is_found(self):
        self.assertEqual(
            check({"include/trainsight/scan/s.h":
                   "simdjson::dom::element f();\n"}),
            ["include/trainsight/scan/s.h:1: simdjson does not belong in a "
             "header below include/"])

    def test_printing_in_a_pure_module_is_found(self):
        self.assertEqual(
            check({"src/core/a.cc": "/* one\n */ std::cout << 1;\n"}),
            ["src/core/a.cc:2: core is pure but prints"])

    def test_a_part_of_pulse_may_use_what_pulse_may(self):
        self.assertEqual(
            check({"src/CMakeLists.txt":
                   "foreach(module core scan pulse/serve cli)\n",
                   "src/pulse/serve/CMakeLists.txt":
                   "trainsight_module(pulse_serve SOURCES p.cc DEPS core)\n",
                   "src/pulse/serve/p.cc":
                   '#include <httplib.h>\n#include "trainsight/core/a.h"\n'
                   '#include "trainsight/scan/s.h"\n'}),
            ["src/pulse/serve/p.cc:3: pulse_serve includes "
             "trainsight/scan/s.h without scan in its DEPS"])


if __name__ == "__main__":
    unittest.main()
