#!/usr/bin/env python3
"""A checkerboard on the texture coordinates of the skin in a .glb file of Sinew, as a coloured mesh for `sinew render`.

texture_checker.py figure.glb checker.ply [squares]     # docs/pictures/skin_checker.png is made of it
"""
import json
import struct
import sys


def read_glb(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def values(document, binary, accessor):
    a = document["accessors"][accessor]
    kind = {5126: "f", 5125: "I", 5123: "H"}[a["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[a["type"]]
    begin = document["bufferViews"][a["bufferView"]]["byteOffset"]
    return struct.unpack_from(f"<{a['count'] * width}{kind}", binary, begin)


def main(glb, ply, squares=64):
    document, binary = read_glb(glb)
    skin = next(n for n in document["nodes"] if n["name"] == "skin" and "mesh" in n)
    primitive = document["meshes"][skin["mesh"]]["primitives"][0]
    points = values(document, binary, primitive["attributes"]["POSITION"])
    uv = values(document, binary, primitive["attributes"]["TEXCOORD_0"])
    corners = values(document, binary, primitive["indices"])
    vertices, faces = bytearray(), bytearray()
    for k in range(0, len(corners), 3):
        triangle = corners[k : k + 3]
        u = sum(uv[2 * i] for i in triangle) / 3
        v = sum(uv[2 * i + 1] for i in triangle) / 3
        is_light = (int(u * squares) + int(v * squares)) % 2
        colour = (235, 225, 205) if is_light else (int(40 + 180 * u), 70, int(220 - 180 * v))
        for i in triangle:
            vertices += struct.pack("<fff3B", *points[3 * i : 3 * i + 3], *colour)
        faces += struct.pack("<B3i", 3, k, k + 1, k + 2)
    names = "".join(f"property float {n}\n" for n in "xyz") + "".join(f"property uchar {n}\n" for n in ("red", "green", "blue"))
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(corners)}\n{names}"
        f"element face {len(corners) // 3}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    with open(ply, "wb") as file:
        file.write(head.encode() + vertices + faces)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 64)
