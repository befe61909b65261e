#!/usr/bin/env python3
"""Runs the test programs of a build folder and counts their tests.

A program is started once, not once for each of its tests: what its tests share (a body, say) is made once, and a
thousand starts are saved, which under the sanitizers take a tenth of a second each. The programs come from the file
that CMake writes, tests/programs.txt: "unit PATH", or "whole PATH" for those that make whole humans. Each suite of the
latter is started by itself, before all others, so that no core is left with the longest at the end.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

TIMEOUT_S = 1200


def suites_of(program):
    listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return [line.split("#")[0].strip() for line in listing.splitlines() if line and not line.startswith(" ")]


def jobs_of(build, kinds, excluded):
    """(program, filter) for all that is to run, the longest first."""
    jobs = {"whole": [], "unit": []}
    for line in (build / "tests" / "programs.txt").read_text().splitlines():
        kind, program = line.split(" ", 1)
        if kind in kinds:
            jobs[kind] += [(program, suite + "*") for suite in suites_of(program)] if kind == "whole" else [(program, "*")]
    without = "-" + ":".join(excluded) if excluded else ""
    return [(program, chosen + without) for program, chosen in jobs["whole"] + jobs["unit"]]


def without_successes(output):
    """What failed tests printed; of a program that crashed, also the test it was in."""
    kept, block = [], []
    for line in output.splitlines():
        if line.startswith("[ RUN "):
            block = []
        block.append(line)
        if line.startswith("[       OK ]"):
            block = []
        elif line.startswith("[  FAILED  ]"):
            kept += block
            block = []
    return "\n".join(kept + block)


def run(job):
    """Passed, skipped, the names of failed tests, what the program printed, and how long each test took."""
    program, chosen = job
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        command = [program, "--gtest_filter=" + chosen, f"--gtest_output=json:{results}"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  timeout=TIMEOUT_S, errors="replace", text=True)
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, code = f"{(late.stdout or b'').decode(errors='replace')}\nstopped after {TIMEOUT_S} s\n", -1
        passed, skipped, failed, times = 0, 0, [], []
        try:
            suites = json.loads(results.read_text())["testsuites"]
        except (OSError, ValueError):
            suites = []
        for suite in suites:
            for test in suite["testsuite"]:
                if test.get("status") != "RUN":
                    continue
                name = f"{suite['name']}.{test['name']}"
                times.append((float(test["time"].rstrip("s")), name))
                if test.get("failures"):
                    failed.append(name)
                elif test.get("result") == "SKIPPED":
                    skipped += 1
                else:
                    passed += 1
        if code != 0 and not failed:
            failed.append(f"{pathlib.Path(program).name} ended with {code} ({chosen})")
        return passed, skipped, failed, output, times


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path, help="build folder, as build/release")
    arguments.add_argument("--jobs", type=int, default=2, help="programs at the same time")
    arguments.add_argument("--kinds", nargs="*", default=["whole", "unit"], help="of programs.txt")
    arguments.add_argument("--exclude", nargs="*", default=[], help="tests to leave out, as patterns of GoogleTest")
    settings = arguments.parse_args()
    passed = skipped = 0
    failed, times = [], []
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        for good, left_out, bad, output, took in pool.map(run, jobs_of(settings.build, settings.kinds, settings.exclude)):
            passed += good
            skipped += left_out
            failed += bad
            times += took
            if bad:
                print(without_successes(output), flush=True)
    for seconds, name in sorted(times, reverse=True)[:20]:
        print(f"{seconds:6.1f} s {name}")
    for name in failed:
        print("FAILED", name)
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
