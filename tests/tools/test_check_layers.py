#!/usr/bin/env python3
"""tools/check_layers.py finds includes that point up and functions that are too long, and nothing else."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAYERS = 'base = []\nmesh = []\nsolver = ["mesh"]\ndoors.apps = ["mesh", "studio"]\ndoors.studio = ["mesh"]\ndoors.bench = ["solver"]\n'


def body(lines):
    return "".join(f"    step({i});  // }} {{\n" for i in range(lines))


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/check_layers.py", self.root / "tools")
        self.write("layers.toml", LAYERS)
        for folder in ("src/sinew/base", "src/sinew/mesh", "src/sinew/solver", "apps", "studio/server", "bench"):
            self.write(f"{folder}/a.h", "#pragma once\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        done = subprocess.run([sys.executable, str(self.root / "tools/check_layers.py"), "--all"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_a_tree_within_the_rules_passes(self):
        self.write("src/sinew/solver/b.cpp", '#include "sinew/mesh/a.h"\n')
        self.write("apps/cli/b.cpp", '#include "sinew/mesh/a.h"\n#include "cli/verb.h"\n#include "studio/server/a.h"\n')
        self.assertEqual((0, ""), (self.check()[0], self.check()[1].strip()))

    def test_an_include_that_points_up_fails(self):
        self.write("src/sinew/mesh/b.cpp", '#include "sinew/solver/a.h"\n')
        code, said = self.check()
        self.assertEqual(1, code)
        self.assertIn("mesh may not include solver", said)

    def test_doors_are_checked_too(self):
        self.write("apps/cli/b.cpp", '#include "sinew/solver/a.h"\n')
        self.write("studio/server/b.cpp", '#include "bench/a.h"\n')
        code, said = self.check()
        self.assertEqual(1, code)
        self.assertIn("apps may not include solver", said)
        self.assertIn("studio may not include bench", said)

    def test_types_of_one_name_in_two_headers_fail(self):
        self.write("src/sinew/mesh/b.h", "namespace sinew {\n\nstruct Plan {\n};\n\n}  // namespace sinew\n")
        self.write("bench/b.h", "namespace sinew::bench {\n\nstruct Plan {\n};\n\n}  // namespace sinew::bench\n")
        self.assertEqual(0, self.check()[0])
        self.write("src/sinew/solver/b.h", "namespace sinew {\n\nclass Plan final : public Base {\n};\n\n}  // namespace sinew\n")
        code, said = self.check()
        self.assertEqual(1, code)
        self.assertIn("src/sinew/solver/b.h: sinew::Plan is a type of src/sinew/mesh/b.h too", said)

    def test_functions_above_60_lines_warn_and_above_120_fail(self):
        # 58 lines and the two of the head and the end make 60.
        self.write("bench/b.cpp", f"namespace a {{\n\nint fits(int x) {{\n{body(58)}}}\n\n}}  // namespace a\n")
        self.assertEqual((0, ""), (self.check()[0], self.check()[1].strip()))
        self.write("bench/b.cpp", f"int grown(int x) {{\n{body(59)}}}\n")
        self.assertEqual(0, self.check()[0])
        self.assertIn("bench/b.cpp:1: grown has 61 lines", self.check()[1])
        self.write("bench/b.cpp", f"int x;\n\nvoid Kind::too_long() const {{\n{body(119)}}}\n")
        self.assertEqual(1, self.check()[0])
        self.assertIn("bench/b.cpp:3: Kind::too_long has 121 lines", self.check()[1])

    def test_classes_tables_and_lambdas_are_no_functions_of_their_own(self):
        self.write("bench/b.h", f"class Wide {{\npublic:\n    void one() {{\n{body(50)}    }}\n    void two() {{\n{body(50)}    }}\n"
                                f"    void three() {{\n{body(50)}    }}\n}};\n")
        self.write("bench/c.cpp", "const int table[] = {\n" + "    1,\n" * 200 + "};\n")
        self.assertEqual((0, ""), (self.check()[0], self.check()[1].strip()))
        self.write("bench/c.cpp", f"void f() {{\n    each([&](int i) {{\n{body(130)}    }});\n}}\n")
        self.assertIn("f has 134 lines", self.check()[1])

    def test_text_that_looks_like_code_is_not_counted(self):
        self.write("bench/b.cpp", 'const char* a = "{ // ";\nconst char* b = R"x({{{)x";\nconst char c = \'{\';\n#define OPEN {\n'
                                  f"/* {{ */\nint n = 1'000'000;\nvoid f() {{\n{body(119)}}}\n")
        self.assertIn("bench/b.cpp:7: f has 121 lines", self.check()[1])


unittest.main()
