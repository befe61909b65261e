#!/usr/bin/env python3
"""Makes people of known composition by growth, and a table of them for the regressors of 'sinew fit'.

    scripts/fit_cohort.py man.sinew DIR [--shapes 20] [--seed 1] [--sinew PROGRAM]

Muscle sizes and weights are spread evenly over their ranges with a seeded shift, so the same seed
makes the same people. Every shape is one growth; statures are ratios that the trainer applies, for
growth scales people with their stature as a whole. DIR/table.csv names the bodies, one row per
shape. Bodies that exist are kept, so an interrupted run goes on.
"""
import argparse
import csv
import json
import pathlib
import random
import subprocess

MUSCLE = [0.88, 1.0, 1.12, 1.25]  # across the fibres
LEAST_BMI, MOST_BMI = 18.0, 40.0


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def stature_of(program, body):
    _, out, _ = run(program, "info", str(body), "--json")
    return json.loads(out)["stature_m"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("body")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shapes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sinew", default="sinew")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(options.seed)
    stature = stature_of(options.sinew, options.body)
    bases = []
    for k, alpha in enumerate(MUSCLE):
        base = options.folder / f"base_{k}.sinew"
        if alpha == 1.0:
            base = pathlib.Path(options.body)
        elif not base.exists():
            code, _, err = run(options.sinew, "grow", options.body, "--muscle", f"all={alpha}", "-q", "-o", str(base))
            if code == 2:
                raise SystemExit(err)
        bases.append(base)
    rows = []
    per_base = max(1, options.shapes // len(bases))
    weights = {(k, i): LEAST_BMI + (MOST_BMI - LEAST_BMI) * (i + draw.random()) / per_base
               for k in range(len(bases)) for i in range(per_base)}
    # All muscle sizes at one weight before the next: a run that is stopped has some of each.
    for i in range(per_base):
        for k, base in enumerate(bases):
            bmi = weights[k, i]
            body = options.folder / f"shape_{k}_{i}.sinew"
            if not body.exists():
                code, _, err = run(options.sinew, "grow", str(base), "--weight", f"{bmi * stature ** 2:.1f}", "-q", "-o", str(body))
                if not body.exists():
                    reason = err.strip().splitlines()[0] if err.strip() else f"exit code {code}"
                    print(f"left out: muscle {MUSCLE[k]}, BMI {bmi:.1f}: {reason}")
                    continue
            rows.append((body.name, len(rows)))
    with open(options.folder / "table.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["body", "shape"])
        out.writerows(rows)
    print(f"{len(rows)} shapes in {options.folder / 'table.csv'}")


if __name__ == "__main__":
    main()
