#!/usr/bin/env python3
"""Small files to try Sinew with, made from nothing: a character, its skeleton, a walk, an arm model with a motion, and a scan with
holes.

usage: python3 examples/make_samples.py [FOLDER]      (default: samples)

    character.ply   a simple person, 1.75 m, about 9000 vertices, metres, Y up
    bones.json      its joints
    walk.bvh        two steps of a walk, 2 s at 30 frames/s, in centimetres
    arm.osim        an elbow with three muscles, for OpenSim and Sinew
    flex.mot        the elbow bends and stretches
    scan.obj        the person as a scanner sees it: millimetres, Z up, noise, holes and debris

Needs Python 3 and nothing else. The same files every time.
"""
import json
import math
import os
import random
import sys

# name: parent, position (m, Y up, +Z forward, +X the person's left), radius of the flesh around the bone that ends there (m)
JOINTS = {
    "Hips": (None, (0.0, 0.96, 0.0), 0.13),
    "Spine": ("Hips", (0.0, 1.12, 0.0), 0.125),
    "Chest": ("Spine", (0.0, 1.32, 0.0), 0.135),
    "Neck": ("Chest", (0.0, 1.47, 0.0), 0.07),
    "Head": ("Neck", (0.0, 1.56, 0.01), 0.065),
    "HeadTop": ("Head", (0.0, 1.66, 0.02), 0.095),
}
for side, sign in (("Left", 1.0), ("Right", -1.0)):
    JOINTS.update({
        side + "Arm": ("Chest", (sign * 0.19, 1.41, 0.0), 0.075),
        side + "ForeArm": (side + "Arm", (sign * 0.40, 1.22, 0.0), 0.05),
        side + "Hand": (side + "ForeArm", (sign * 0.58, 1.05, 0.03), 0.038),
        side + "HandTip": (side + "Hand", (sign * 0.68, 0.96, 0.05), 0.033),
        side + "UpLeg": ("Hips", (sign * 0.10, 0.92, 0.0), 0.105),
        side + "Leg": (side + "UpLeg", (sign * 0.12, 0.50, 0.0), 0.068),
        side + "Foot": (side + "Leg", (sign * 0.13, 0.09, -0.02), 0.05),
        side + "Toe": (side + "Foot", (sign * 0.14, 0.05, 0.15), 0.042),
    })


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


# --- the skin: a smooth union of cones around the bones, as a surface between the cells of a grid ----------------------------------

BONES = []  # both ends, radius at each
for parent, position, radius in JOINTS.values():
    if parent:
        BONES.append((JOINTS[parent][1], position, JOINTS[parent][2], radius))
BLEND = 0.03  # m over which bones melt into each other


def distance(p):
    """Below zero inside. -k log sum exp(-d/k) over the bones that are near."""
    total = 0.0
    for a, b, ra, rb in BONES:
        ab = sub(b, a)
        t = max(0.0, min(1.0, dot(sub(p, a), ab) / dot(ab, ab)))
        q = (p[0] - a[0] - t * ab[0], p[1] - a[1] - t * ab[1], p[2] - a[2] - t * ab[2])
        d = math.sqrt(dot(q, q)) - (ra + t * (rb - ra))
        if d < 8.0 * BLEND:
            total += math.exp(-d / BLEND)
    return -BLEND * math.log(total) if total > 0.0 else 8.0 * BLEND


def make_skin(step=0.016):
    """Naive surface nets (Gibson 1998): a point in every cell that the surface crosses, a square around every such edge."""
    low = (-0.78, -0.05, -0.22)
    count = (int(1.56 / step) + 2, int(1.90 / step) + 2, int(0.50 / step) + 2)
    place = lambda i, j, k: (low[0] + i * step, low[1] + j * step, low[2] + k * step)
    value = {}
    # The distance grows by at most one per metre: far cells are not asked one by one.
    coarse = 4
    for i in range(0, count[0], coarse):
        for j in range(0, count[1], coarse):
            for k in range(0, count[2], coarse):
                middle = place(i + 0.5 * coarse, j + 0.5 * coarse, k + 0.5 * coarse)
                if abs(distance(middle)) > step * coarse * 1.5 + BLEND:
                    continue
                for a in range(i, i + coarse + 2):
                    for b in range(j, j + coarse + 2):
                        for c in range(k, k + coarse + 2):
                            if (a, b, c) not in value:
                                value[a, b, c] = distance(place(a, b, c))
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    edges = [(a, b) for a in range(8) for b in range(a + 1, 8)
             if sum(u != v for u, v in zip(corners[a], corners[b])) == 1]
    points, number = [], {}
    for cell in sorted(value):
        at = [(cell[0] + x, cell[1] + y, cell[2] + z) for x, y, z in corners]
        if any(c not in value for c in at):
            continue
        v = [value[c] for c in at]
        if min(v) >= 0.0 or max(v) < 0.0:
            continue
        crossings = []
        for a, b in edges:
            if (v[a] < 0.0) != (v[b] < 0.0):
                t = v[a] / (v[a] - v[b])
                crossings.append(tuple(at[a][d] + t * (at[b][d] - at[a][d]) for d in range(3)))
        mean = [sum(c[d] for c in crossings) / len(crossings) for d in range(3)]
        number[cell] = len(points)
        points.append(place(*mean))
    triangles = []
    for cell in sorted(value):
        for axis in range(3):
            ahead = tuple(cell[d] + (d == axis) for d in range(3))
            if ahead not in value or (value[cell] < 0.0) == (value[ahead] < 0.0):
                continue
            u, w = (axis + 1) % 3, (axis + 2) % 3
            around = []
            for du, dw in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
                c = list(cell)
                c[u] += du
                c[w] += dw
                around.append(number.get(tuple(c)))
            if None in around:
                continue
            if value[cell] >= 0.0:
                around.reverse()
            triangles.append((around[0], around[1], around[2]))
            triangles.append((around[0], around[2], around[3]))
    return points, triangles


# --- files ---------------------------------------------------------------------------------------------------------------------------


def write_ply(path, points, triangles):
    with open(path, "w") as out:
        out.write("ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                  "element face %d\nproperty list uchar int vertex_indices\nend_header\n" % (len(points), len(triangles)))
        for p in points:
            out.write("%.5f %.5f %.5f\n" % p)
        for t in triangles:
            out.write("3 %d %d %d\n" % t)


def write_skeleton(path):
    joints = [{"name": name, "parent": parent, "position": list(position)} for name, (parent, position, _) in JOINTS.items()]
    with open(path, "w") as out:
        json.dump({"joints": joints}, out, indent=1)
        out.write("\n")


def write_walk(path, frames=60, rate=30.0):
    """Legs and arms swing against each other, knees bend while the leg swings: sines, no recording."""
    order = []

    def write_joint(out, name, depth):
        parent, position, _ = JOINTS[name]
        from_parent = position if parent is None else sub(position, JOINTS[parent][1])
        pad = "  " * depth
        children = [n for n, (p, _, _) in JOINTS.items() if p == name]
        if not children:
            out.write("%sEnd Site\n%s{\n%s  OFFSET %.3f %.3f %.3f\n%s}\n" % ((pad, pad, pad) + tuple(100 * x for x in from_parent) + (pad,)))
            return
        order.append(name)
        out.write("%s%s %s\n%s{\n" % (pad, "JOINT" if parent else "ROOT", name, pad))
        out.write("%s  OFFSET %.3f %.3f %.3f\n" % ((pad,) + tuple(100 * x for x in from_parent)))
        out.write("%s  CHANNELS %s\n" % (pad, "3 Zrotation Xrotation Yrotation" if parent else
                                         "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"))
        for child in children:
            write_joint(out, child, depth + 1)
        out.write("%s}\n" % pad)

    def angles(name, phase):
        """About Z, X, Y in degrees; a leg forward is a negative rotation about X."""
        sign = 1.0 if name.startswith("Left") else -1.0
        swing = sign * math.sin(phase)
        if name.endswith("UpLeg"):
            return (0.0, -24.0 * swing, 0.0)
        if name.endswith("Leg"):
            return (0.0, 8.0 + 42.0 * max(0.0, sign * math.cos(phase)), 0.0)
        if name.endswith("Foot"):
            return (0.0, -4.0 + 6.0 * swing, 0.0)
        if name.endswith("ForeArm"):
            return (0.0, -18.0 + 10.0 * swing, 0.0)
        if name.endswith("Arm"):
            return (-25.0 * sign, 20.0 * swing, 0.0)
        if name == "Chest":
            return (0.0, 2.0, -5.0 * math.sin(phase))
        return (0.0, 0.0, 0.0)

    with open(path, "w") as out:
        out.write("HIERARCHY\n")
        write_joint(out, "Hips", 0)
        out.write("MOTION\nFrames: %d\nFrame Time: %.6f\n" % (frames, 1.0 / rate))
        hips = JOINTS["Hips"][1]
        for f in range(frames):
            phase = 2.0 * math.pi * f / frames * 2.0
            row = [0.0, 100.0 * hips[1] + 1.5 * math.cos(2.0 * phase), 100.0 * 1.3 * f / rate]
            for name in order:
                row += angles(name, phase)
            out.write(" ".join("%.4f" % x for x in row) + "\n")


ARM_MUSCLES = (
    # name, force (N), fibre (m), tendon (m), path: body and position (m)
    ("biceps", 620.0, 0.13, 0.20, (("humerus", 0.01, 0.00, 0.00), ("humerus", 0.02, -0.20, 0.0), ("forearm", 0.015, -0.045, 0.0))),
    ("brachialis", 980.0, 0.09, 0.05, (("humerus", 0.01, -0.17, 0.00), ("forearm", 0.010, -0.025, 0.0))),
    ("triceps", 1270.0, 0.12, 0.17, (("humerus", -0.015, -0.03, 0.0), ("humerus", -0.022, -0.26, 0.0), ("forearm", -0.022, 0.012, 0.0))),
)


def write_arm(path):
    """An upper arm that hangs from the ground, an elbow, a forearm with a hand. X forward, Y up, as in OpenSim."""
    body = ('   <Body name="%s"><mass>%s</mass><mass_center>%s</mass_center><inertia>%s 0 0 0</inertia></Body>\n')
    muscle = []
    for name, force, fibre, tendon, points in ARM_MUSCLES:
        rows = "".join('<PathPoint name="%s_%d"><socket_parent_frame>/bodyset/%s</socket_parent_frame><location>%s %s %s</location></PathPoint>'
                       % (name, i + 1, p[0], p[1], p[2], p[3]) for i, p in enumerate(points))
        muscle.append('   <Thelen2003Muscle name="%s"><GeometryPath><PathPointSet><objects>%s</objects></PathPointSet></GeometryPath>'
                      '<max_isometric_force>%s</max_isometric_force><optimal_fiber_length>%s</optimal_fiber_length>'
                      '<tendon_slack_length>%s</tendon_slack_length><pennation_angle_at_optimal>0</pennation_angle_at_optimal>'
                      '</Thelen2003Muscle>\n' % (name, rows, force, fibre, tendon))
    offset = '<PhysicalOffsetFrame name="%s"><socket_parent>%s</socket_parent><translation>%s</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame>'
    with open(path, "w") as out:
        out.write('<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000">\n <Model name="sample_arm">\n'
                  '  <Ground name="ground"/>\n  <gravity>0 -9.80665 0</gravity>\n  <BodySet><objects>\n')
        out.write(body % ("humerus", "1.9", "0 -0.15 0", "0.014 0.003 0.014"))
        out.write(body % ("forearm", "1.5", "0 -0.17 0", "0.019 0.002 0.019"))
        out.write('  </objects></BodySet>\n  <JointSet><objects>\n')
        out.write('   <WeldJoint name="shoulder"><socket_parent_frame>ground_offset</socket_parent_frame>'
                  '<socket_child_frame>humerus_offset</socket_child_frame><frames>%s%s</frames></WeldJoint>\n'
                  % (offset % ("ground_offset", "/ground", "0 1.4 0"), offset % ("humerus_offset", "/bodyset/humerus", "0 0 0")))
        out.write('   <PinJoint name="elbow"><socket_parent_frame>humerus_end</socket_parent_frame>'
                  '<socket_child_frame>forearm_offset</socket_child_frame><coordinates><Coordinate name="elbow_flexion">'
                  '<default_value>0.2</default_value><range>0 2.5</range></Coordinate></coordinates><frames>%s%s</frames></PinJoint>\n'
                  % (offset % ("humerus_end", "/bodyset/humerus", "0 -0.29 0"), offset % ("forearm_offset", "/bodyset/forearm", "0 0 0")))
        out.write('  </objects></JointSet>\n  <ForceSet><objects>\n%s  </objects></ForceSet>\n </Model>\n</OpenSimDocument>\n' % "".join(muscle))


def write_flexion(path, rows=81, seconds=2.0):
    with open(path, "w") as out:
        out.write("flexion\nversion=1\nnRows=%d\nnColumns=2\ninDegrees=yes\nendheader\ntime\telbow_flexion\n" % rows)
        for r in range(rows):
            t = seconds * r / (rows - 1)
            out.write("%.5f\t%.5f\n" % (t, 10.0 + 50.0 * (1.0 - math.cos(2.0 * math.pi * t / seconds))))


def write_scan(path, points, triangles):
    """Noise of 0.3 mm, holes where a scanner does not look, and a few triangles that float beside the person."""
    rand = random.Random(7)
    holes = [((0.0, 1.76, 0.02), 0.05), ((0.15, 1.31, 0.0), 0.035), ((-0.15, 1.31, 0.0), 0.035), ((0.0, 0.82, 0.0), 0.05),
             ((0.14, 0.0, 0.05), 0.06), ((-0.14, 0.0, 0.05), 0.06), ((0.69, 0.95, 0.05), 0.02)]

    def is_lost(t):
        middle = tuple(sum(points[v][d] for v in t) / 3.0 for d in range(3))
        return any(dot(sub(middle, at), sub(middle, at)) < r * r for at, r in holes)

    with open(path, "w") as out:
        out.write("# a made-up scan: millimetres, Z up\n")
        for p in points:
            x, y, z = (1000.0 * c + rand.gauss(0.0, 0.3) for c in p)
            out.write("v %.3f %.3f %.3f\n" % (x, -z, y))
        for i in range(6):
            out.write("v %.3f %.3f %.3f\n" % (600 + 9 * (i % 3), 300 + 9 * (i // 3), 500 + 7 * (i % 2)))
        for t in triangles:
            if not is_lost(t):
                out.write("f %d %d %d\n" % tuple(v + 1 for v in t))
        n = len(points)
        out.write("f %d %d %d\nf %d %d %d\n" % (n + 1, n + 2, n + 4, n + 2, n + 3, n + 5))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "samples"
    if folder.startswith("-"):
        print(__doc__)
        return
    os.makedirs(folder, exist_ok=True)
    points, triangles = make_skin()
    write_ply(os.path.join(folder, "character.ply"), points, triangles)
    write_skeleton(os.path.join(folder, "bones.json"))
    write_walk(os.path.join(folder, "walk.bvh"))
    write_arm(os.path.join(folder, "arm.osim"))
    write_flexion(os.path.join(folder, "flex.mot"))
    write_scan(os.path.join(folder, "scan.obj"), points, triangles)
    print("%s: a character of %d vertices, bones, walk, arm, flexion, scan" % (folder, len(points)))


if __name__ == "__main__":
    main()
