#!/usr/bin/env python3
"""Classic problems of elasticity for `sinew solve`, with their closed forms or published values.

    python3 examples/solve_benchmarks.py build/release/sinew          # all of them, a table
    python3 examples/solve_benchmarks.py build/release/sinew torsion  # one, coarse: add --coarse

Writes meshes and scenes to the folder given by --folder (default: benchmarks), which can be run one
by one: `sinew solve benchmarks/torsion.json -o torsion.vtu`. Needs nothing but Python.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys


# ---------------------------------------------------------------- meshes

def grid(n, place):
    """Cells of a grid, six tetrahedra each, with corners moved by place(u, v, w), all in [0, 1]."""
    nx, ny, nz = n
    index = lambda i, j, k: (i * (ny + 1) + j) * (nz + 1) + k
    points = [place(i / nx, j / ny, k / nz)
              for i in range(nx + 1) for j in range(ny + 1) for k in range(nz + 1)]
    tets = []
    paths = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                for number, path in enumerate(paths):
                    corner = [i, j, k]
                    tet = [index(*corner)]
                    for axis in path:
                        corner[axis] += 1
                        tet.append(index(*corner))
                    tets.append(tet if number < 3 else [tet[0], tet[2], tet[1], tet[3]])
    return points, tets


def volume(points, tet):
    a, b, c, d = (points[v] for v in tet)
    e = [[q[i] - a[i] for i in range(3)] for q in (b, c, d)]
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1])
            - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0])
            + e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) / 6


def write_mesh(path, points, tets):
    """Merges equal points, drops flat tetrahedra, turns those inside out, writes Medit's format."""
    seen, new, number = {}, [], []
    for p in points:
        key = tuple(round(c, 12) for c in p)
        if key not in seen:
            seen[key] = len(new)
            new.append(p)
        number.append(seen[key])
    size = sum(abs(volume(points, t)) for t in tets) / len(tets)
    kept = []
    for t in tets:
        t = [number[v] for v in t]
        v = volume(new, t)
        if abs(v) > 1e-9 * size:
            kept.append(t if v > 0 else [t[0], t[2], t[1], t[3]])
    with open(path, "w") as f:
        f.write("MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(new))
        f.writelines("%.15g %.15g %.15g 0\n" % tuple(p) for p in new)
        f.write("Tetrahedra\n%d\n" % len(kept))
        f.writelines("%d %d %d %d 1\n" % tuple(v + 1 for v in t) for t in kept)
        f.write("End\n")
    return len(kept)


def disk(u, v):
    """The square [0, 1]^2 to the unit disk, gently [Shirley and Chiu 1997]."""
    a, b = 2 * u - 1, 2 * v - 1
    if a == 0 and b == 0:
        return 0.0, 0.0
    if abs(a) > abs(b):
        r, phi = a, math.pi / 4 * b / a
    else:
        r, phi = b, math.pi / 2 - math.pi / 4 * a / b
    return r * math.cos(phi), r * math.sin(phi)


BOX = lambda low, high: [list(low), list(high)]
FAR = 1e3


# ---------------------------------------------------------------- problems
# Each writes its mesh, and returns the scene and a function from the report to rows
# (quantity, found, expected).

def bulk(mu, nu):
    return 2 * mu * (1 + nu) / (3 * (1 - 2 * nu))


def torsion(folder, coarse):
    """A cylinder, R = 1, L = 2, twisted by 0.5 rad per length between ends that keep their distance:
    M = pi mu psi R^4 / 2, N = -pi mu psi^2 R^4 / 4, W = pi mu psi^2 R^4 L / 4 (incompressible)."""
    n = 8 if coarse else 12
    psi, mu, nu, L = 0.5, 1000.0, 0.49, 2.0
    # The section is a polygon of 4 n sides; it is given the area of the circle.
    wide = math.sqrt(math.pi / (2 * n) / math.sin(math.pi / (2 * n)))
    points, tets = grid((n, n, n), lambda u, v, w: (*(wide * c for c in disk(u, v)), L * w))
    count = write_mesh(folder / "torsion.mesh", points, tets)
    scene = {
        "mesh": "torsion.mesh", "order": 2, "steps": 2,
        "materials": [{"law": "isochoric_neo_hookean", "young_modulus": 2 * mu * (1 + nu),
                       "poisson_ratio": nu}],
        "fixed": [{"box": BOX((-2, -2, -1e-9), (2, 2, 1e-9))}],
        "prescribed": [{"box": BOX((-2, -2, L - 1e-9), (2, 2, L + 1e-9)),
                        "rotation": [0, 0, psi * L]}]}
    # The ends are turned as rigid disks, which the closed form has too: plane sections stay plane.

    def rows(report):
        return [("energy, J", report["energy_j"], math.pi * mu * psi ** 2 * L / 4),
                ("axial force, N", report["reactions"][1]["force_n"][2],
                 -math.pi * mu * psi ** 2 / 4),
                ("torque, N m", report["reactions"][1]["moment_nm"][2], math.pi * mu * psi / 2)]
    return scene, count, rows


def radial_pressure(mu, kappa, a, b, inner, dimension):
    """Pressure inside a thick tube (dimension 1, no axial strain) or sphere (2) of the isochoric
    neo-Hookean law whose inner surface stretches by `inner`: the boundary value problem along the
    radius, by shooting with Runge-Kutta steps."""
    def stress(hoop, radial):
        # first Piola-Kirchhoff, radial and hoop, by principal stretches
        s = [radial, hoop, hoop if dimension == 2 else 1.0]
        J = s[0] * s[1] * s[2]
        I1 = s[0] ** 2 + s[1] ** 2 + s[2] ** 2
        P = lambda i: (mu * J ** (-2 / 3) * (s[i] - I1 / (3 * s[i]))
                       + kappa / 2 * (J - 1 / J) * J / s[i])
        return P(0), P(1)

    def radial_of(hoop, target, guess):
        for _ in range(60):  # Newton for the radial stretch of a given radial stress
            f = stress(hoop, guess)[0] - target
            d = (stress(hoop, guess + 1e-7)[0] - stress(hoop, guess - 1e-7)[0]) / 2e-7
            guess -= f / d
            if abs(f) < 1e-12 * mu:
                break
        return guess

    def outer(p):
        n, r, radial = 400, inner * a, 1 / inner ** dimension
        P = -p * inner ** dimension  # Cauchy pressure on the deformed area
        h = (b - a) / n
        for i in range(n):
            R = a + i * h

            def rate(R, r, P, radial=radial):
                g = radial_of(r / R, P, radial)
                hoop = stress(r / R, g)[1]
                return g, dimension * (hoop - P) / R
            k1 = rate(R, r, P)
            k2 = rate(R + h / 2, r + h / 2 * k1[0], P + h / 2 * k1[1])
            k3 = rate(R + h / 2, r + h / 2 * k2[0], P + h / 2 * k2[1])
            k4 = rate(R + h, r + h * k3[0], P + h * k3[1])
            r += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
            P += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
            radial = k4[0]
        return P
    low, high = 0.0, 3 * mu
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if outer(middle) > 0 else (low, middle)
    return low


def pressed(folder, coarse, name, dimension):
    """Pressure in a thick shell, radii 1 and 2: asked for the inner stretch of the radial problem."""
    mu, nu, inner = 1000.0, 0.49, 1.5
    kappa = bulk(mu, nu)
    p = radial_pressure(mu, kappa, 1.0, 2.0, inner, dimension)
    if dimension == 2:
        n, layers = (6, 4) if coarse else (9, 5)

        def place(u, v, w):
            x, y, z = 1 - u, u * (1 - v), u * v  # a triangle, of which one side falls together
            length = math.sqrt(x * x + y * y + z * z)
            r = 2 ** w
            return r * x / length, r * y / length, r * z / length
        points, tets = grid((n, n, layers), place)
    else:
        n, layers = (8, 6) if coarse else (16, 12)
        points, tets = grid((n, layers, 2), lambda u, v, w: (
            2 ** v * math.cos(math.pi / 2 * u), 2 ** v * math.sin(math.pi / 2 * u), 0.25 * w))
    count = write_mesh(folder / (name + ".mesh"), points, tets)
    planes = [{"box": BOX((-1e-9, -FAR, -FAR), (1e-9, FAR, FAR)), "axes": "x"},
              {"box": BOX((-FAR, -1e-9, -FAR), (FAR, 1e-9, FAR)), "axes": "y"}]
    planes.append({"box": BOX((-FAR, -FAR, -1e-9), (FAR, FAR, 1e-9 if dimension == 2 else FAR)),
                   "axes": "z"})
    scene = {
        "mesh": name + ".mesh", "order": 2, "steps": 4,
        "materials": [{"law": "isochoric_neo_hookean", "young_modulus": 2 * mu * (1 + nu),
                       "poisson_ratio": nu}],
        "fixed": planes,
        "pressures": [{"facing": [0, 0, 0.125 if dimension == 1 else 0], "angle": 40,
                       "pressure": p}]}

    def rows(report):
        stretch = max(r for r in report["radii"] if r[0] < 1.01)[1]
        return [("inner stretch - 1 at %.1f Pa" % p, stretch - 1, inner - 1)]
    return scene, count, rows


def sphere(folder, coarse):
    """A thick sphere under pressure, nu = 0.49."""
    return pressed(folder, coarse, "sphere", 2)


def tube(folder, coarse):
    """A thick tube under pressure without axial strain, nu = 0.49."""
    return pressed(folder, coarse, "tube", 1)


def elastica_tip(k):
    """Tip (x, y) of a cantilever of length 1 with P L^2 / (E I) = k, load of constant direction:
    theta'' = -k cos(theta), by shooting."""
    def shoot(bend):
        n, theta, rate, x, y = 2000, 0.0, bend, 0.0, 0.0
        h = 1.0 / n
        for _ in range(n):
            f = lambda t: -k * math.cos(t)
            k1 = (rate, f(theta))
            k2 = (rate + h / 2 * k1[1], f(theta + h / 2 * k1[0]))
            k3 = (rate + h / 2 * k2[1], f(theta + h / 2 * k2[0]))
            k4 = (rate + h * k3[1], f(theta + h * k3[0]))
            middle = theta + h / 2 * k2[0]
            x += h * (math.cos(theta) + 4 * math.cos(middle)) / 6
            y += h * (math.sin(theta) + 4 * math.sin(middle)) / 6
            theta += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
            rate += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
            x += h * math.cos(theta) / 6
            y += h * math.sin(theta) / 6
        return rate, x, y
    low, high = 0.0, 2 * k
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if shoot(middle)[0] < 0 else (low, middle)
    return shoot(low)[1:]


def elastica(folder, coarse):
    """A slender cantilever, 1 x 0.02 x 0.02 m, nu = 0, under a tip load of P L^2 / (E I) = 5."""
    n, thick, E, k = (20 if coarse else 40), 0.02, 1e6, 5.0
    points, tets = grid((n, 1, 1), lambda u, v, w: (u, thick * (v - 0.5), thick * (w - 0.5)))
    count = write_mesh(folder / "elastica.mesh", points, tets)
    force = k * E * thick ** 4 / 12
    scene = {
        "mesh": "elastica.mesh", "order": 2, "steps": 8,
        "materials": [{"law": "stable_neo_hookean", "young_modulus": E, "poisson_ratio": 0}],
        "fixed": [{"box": BOX((-1e-9, -1, -1), (1e-9, 1, 1))}],
        "tractions": [{"box": BOX((1 - 1e-9, -1, -1), (1 + 1e-9, 1, 1)),
                       "traction": [0, force / thick ** 2, 0]}]}
    x, y = elastica_tip(k)

    def rows(report):
        tip = report["tip"]
        return [("tip, along the load, m", tip[1], y), ("tip, along the beam, m", tip[0] - 1, x - 1)]
    return scene, count, rows


def cook(folder, coarse):
    """Cook's membrane, 1 mm thick, plane strain, isochoric neo-Hookean with nu = 0.3 and 1 N: the
    middle of the loaded edge goes up by 14.74 mm (quadratic elements of another program: 14.733)."""
    n = 8 if coarse else 16
    mu, nu = 422.5e3, 0.3
    points, tets = grid((n, n, 1), lambda u, v, w: (
        0.048 * u, 1e-3 * (44 * u + (44 - 28 * u) * v), 1e-3 * w))
    count = write_mesh(folder / "cook.mesh", points, tets)
    scene = {
        "mesh": "cook.mesh", "order": 2, "steps": 4,
        "materials": [{"law": "isochoric_neo_hookean", "young_modulus": 2 * mu * (1 + nu),
                       "poisson_ratio": nu}],
        "fixed": [{"box": BOX((-1e-9, -1, -1), (1e-9, 1, 1))},
                  {"box": BOX((-1, -1, -1), (1, 1, 1)), "axes": "z"}],
        "tractions": [{"box": BOX((0.048 - 1e-9, -1, -1), (0.048 + 1e-9, 1, 1)),
                       "traction": [0, 1 / (0.016 * 0.001), 0]}]}

    def rows(report):
        return [("middle of the edge, mm", 1e3 * report["middle"], 14.74)]
    return scene, count, rows


def land(folder, coarse):
    """Land and others 2015, problem 1: a beam 10 x 1 x 1 mm of Guccione's law (C = 2 kPa, bf = 8,
    bt = 2, bfs = 4, fibres along it), a pressure of 4 Pa on its lower side, following it. The
    groups' tip at (10, 0.5, 1) mm rises to between 4.0 and 4.2 mm; the middle of that is 4.1."""
    n = (12, 2, 2) if coarse else (30, 3, 3)
    points, tets = grid(n, lambda u, v, w: (10e-3 * u, 1e-3 * v, 1e-3 * w))
    count = write_mesh(folder / "land1.mesh", points, tets)
    scene = {
        "mesh": "land1.mesh", "order": 2, "steps": 8,
        "materials": [{"law": "guccione", "C": 2000, "bf": 8, "bt": 2, "bfs": 4, "K": 1e6,
                       "fibre": [1, 0, 0]}],
        "fixed": [{"box": BOX((-1e-9, -1, -1), (1e-9, 1, 1))}],
        "pressures": [{"normal": [0, 0, -1], "angle": 10, "pressure": 4.0}]}

    def rows(report):
        return [("tip, mm", 1e3 * report["top"], 4.1)]
    return scene, count, rows


PROBLEMS = {"torsion": torsion, "sphere": sphere, "tube": tube, "elastica": elastica, "cook": cook,
            "land1": land}


# ---------------------------------------------------------------- running

def numbers_after(text, word):
    """Coordinates of the vertices of a Medit file."""
    lines = iter(text.split("\n"))
    for line in lines:
        if line.strip() == word:
            return [[float(x) for x in next(lines).split()[:3]] for _ in range(int(next(lines)))]
    raise ValueError("no " + word)


def measure(report, before, after):
    """Places that the problems ask for, from the vertices of both meshes."""
    norm = lambda p: math.sqrt(sum(c * c for c in p))
    flat = lambda p: math.hypot(p[0], p[1])
    size = flat if max(p[2] for p in before) < 0.3 else norm
    report["radii"] = [(size(p), size(q) / size(p)) for p, q in zip(before, after) if size(p) > 0]
    end = [q for p, q in zip(before, after) if abs(p[0] - 1) < 1e-9]
    report["tip"] = [sum(q[i] for q in end) / len(end) for i in range(3)] if end else None
    report["middle"] = next((q[1] - p[1] for p, q in zip(before, after)
                             if abs(p[0] - 0.048) < 1e-9 and abs(p[1] - 0.052) < 1e-9), None)
    at_end = [q[2] for p, q in zip(before, after)
              if abs(p[0] - 10e-3) < 1e-9 and abs(p[2] - 1e-3) < 1e-9]
    report["top"] = sum(at_end) / len(at_end) if at_end else None


def run(sinew, name, folder, coarse):
    scene, count, rows = PROBLEMS[name](folder, coarse)
    path = folder / (name + ".json")
    path.write_text(json.dumps({"version": 1, **scene}, indent=1))
    result = folder / (name + "_solved.mesh")
    done = subprocess.run([sinew, "solve", str(path), "-o", str(result), "--json"],
                          capture_output=True, text=True)
    if not done.stdout.strip():
        sys.exit("%s: %s" % (name, done.stderr))
    report = json.loads(done.stdout)
    if "error" in report:
        sys.exit("%s: %s" % (name, report["error"]))
    measure(report, numbers_after((folder / scene["mesh"]).read_text(), "Vertices"),
            numbers_after(result.read_text(), "Vertices"))
    state = "" if report["converged"] else " NOT CONVERGED"
    for quantity, found, expected in rows(report):
        print("| %s | %d | %s | %.5g | %.5g | %+.2f %%%s |" % (
            name, count, quantity, found, expected, 100 * (found / expected - 1), state), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sinew", help="the program")
    parser.add_argument("problems", nargs="*", metavar="PROBLEM",
                        help="one or more of: " + ", ".join(PROBLEMS) + "; none: all")
    parser.add_argument("--coarse", action="store_true", help="small meshes, for a quick look")
    parser.add_argument("--folder", default="benchmarks", help="for meshes, scenes and results")
    given = parser.parse_args()
    unknown = [p for p in given.problems if p not in PROBLEMS]
    if unknown:
        parser.error("unknown problem '%s'; known: %s" % (unknown[0], ", ".join(PROBLEMS)))
    folder = pathlib.Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    print("| problem | tetrahedra | quantity | found | expected | difference |\n|---|---|---|---|---|---|")
    for name in given.problems or PROBLEMS:
        run(given.sinew, name, folder, given.coarse)


if __name__ == "__main__":
    main()
