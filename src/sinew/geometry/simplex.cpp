#include "sinew/geometry/simplex.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew {

namespace {

/// Keeps the nearer of what is there and the point nearest to p on the edge from a to b.
void try_edge(const Vec3& p, const Vec3& a, const Vec3& b, int ia, int ib, OnTriangle& best) {
    const Vec3 ab = b - a;
    const double length2 = ab.squaredNorm();
    const double s = length2 > 0.0 ? std::clamp(ab.dot(p - a) / length2, 0.0, 1.0) : 0.0;
    const Vec3 q = s < 0.5 ? (a + s * ab).eval() : (b - (1.0 - s) * ab).eval();
    const double d2 = (p - q).squaredNorm();
    if (d2 < best.squared_distance) {
        best.point = q;
        best.barycentric.setZero();
        best.barycentric[ia] = 1.0 - s;
        best.barycentric[ib] = s;
        best.squared_distance = d2;
    }
}

}  // namespace

OnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    // p projected to the plane: coordinates are ratios of areas seen along the normal n.
    const Vec3 n = (b - a).cross(c - a);
    const double n2 = n.squaredNorm();
    const Vec3 pa = a - p;
    const Vec3 pb = b - p;
    const Vec3 pc = c - p;
    if (n2 > 0.0) {
        const Vec3 w = Vec3(n.dot(pb.cross(pc)), n.dot(pc.cross(pa)), n.dot(pa.cross(pb))) / n2;
        if (w.minCoeff() >= 0.0) {
            const Vec3 coordinates = w / w.sum();
            const Vec3 offset = coordinates[0] * pa + coordinates[1] * pb + coordinates[2] * pc;
            return {p + offset, coordinates, offset.squaredNorm()};
        }
    }
    // Otherwise the nearest point lies on an edge; this also covers triangles without area.
    OnTriangle best{a, Vec3::UnitX(), pa.squaredNorm()};
    try_edge(p, a, b, 0, 1, best);
    try_edge(p, b, c, 1, 2, best);
    try_edge(p, c, a, 2, 0, best);
    return best;
}

Vec4 tet_barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    // Each coordinate is the volume with p in place of that corner over the whole volume. All four
    // are computed (and not the last as 1 minus the rest), so a point near a face keeps its digits.
    const Vec3 pa = a - p;
    const Vec3 pb = b - p;
    const Vec3 pc = c - p;
    const Vec3 pd = d - p;
    const Vec4 v(pb.dot(pc.cross(pd)), -pa.dot(pc.cross(pd)), pa.dot(pb.cross(pd)),
                 -pa.dot(pb.cross(pc)));
    return v / v.sum();
}

OnTet closest_on_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec4 inside = tet_barycentric(p, a, b, c, d);
    if (inside.minCoeff() >= 0.0 && inside.allFinite()) {
        return {p, inside, 0.0};
    }
    static constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const Vec3 corner[4] = {a, b, c, d};
    OnTet best{a, Vec4::UnitX(), (p - a).squaredNorm()};
    for (const auto& face : kFaces) {
        const OnTriangle on =
            closest_on_triangle(p, corner[face[0]], corner[face[1]], corner[face[2]]);
        if (on.squared_distance < best.squared_distance) {
            best.point = on.point;
            best.squared_distance = on.squared_distance;
            best.barycentric.setZero();
            for (int k = 0; k < 3; ++k) {
                best.barycentric[face[k]] = on.barycentric[k];
            }
        }
    }
    return best;
}

double solid_angle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    // tan(omega / 2) = det(a, b, c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
    //                                                                 [VanOosterom1983]
    const Vec3 u = a - p;
    const Vec3 v = b - p;
    const Vec3 w = c - p;
    const double lu = u.norm();
    const double lv = v.norm();
    const double lw = w.norm();
    const double det = u.dot(v.cross(w));
    if (det == 0.0) {
        return 0.0;
    }
    return 2.0 * std::atan2(det, lu * lv * lw + u.dot(v) * lw + v.dot(w) * lu + w.dot(u) * lv);
}

}  // namespace sinew
