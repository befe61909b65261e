#include "sinew/body/girths.h"

#include "sinew/base/units.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace sinew {

namespace {

double cross(const Vec2& o, const Vec2& a, const Vec2& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

// Perimeter of the convex hull, by the monotone chain.
double hull_length(std::vector<Vec2> p) {
    std::sort(p.begin(), p.end(), [](const Vec2& a, const Vec2& b) {
        return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
    });
    std::vector<Vec2> hull;
    for (const bool is_upper : {false, true}) {
        const std::size_t base = hull.size();
        for (std::size_t k = 0; k < p.size(); ++k) {
            const Vec2& next = is_upper ? p[p.size() - 1 - k] : p[k];
            while (hull.size() >= base + 2 &&
                   cross(hull[hull.size() - 2], hull.back(), next) <= 0.0) {
                hull.pop_back();
            }
            hull.push_back(next);
        }
        hull.pop_back();
    }
    double length = 0.0;
    for (std::size_t k = 0; k < hull.size(); ++k) {
        length += (hull[(k + 1) % hull.size()] - hull[k]).norm();
    }
    return length;
}

// Turns of the loop about the origin.
double winding(const std::vector<Vec2>& loop) {
    double angle = 0.0;
    for (std::size_t k = 0; k < loop.size(); ++k) {
        const Vec2& a = loop[k];
        const Vec2& b = loop[(k + 1) % loop.size()];
        angle += std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
    }
    return std::abs(angle) / (2.0 * kPi);
}

std::uint64_t edge_key(Index a, Index b) {
    const auto low = static_cast<std::uint64_t>(std::min(a, b));
    const auto high = static_cast<std::uint64_t>(std::max(a, b));
    return (low << 32) | high;
}

/// Coordinates in a plane.
struct PlaneAxes {
    Vec3 u, v;

    explicit PlaneAxes(const Vec3& normal)
        : u(normal.normalized().unitOrthogonal()), v(normal.normalized().cross(u)) {}
    Vec2 operator()(const Vec3& p) const {
        return {p.dot(u), p.dot(v)};
    }
};

const Joint* find_joint(const Body& body, const std::string& name) {
    for (const Joint& joint : body.skeleton.joints) {
        if (joint.name == name) {
            return &joint;
        }
    }
    return nullptr;
}

}  // namespace

std::vector<std::vector<Vec3>> section_loops(const Points& skin, const Triangles& triangles,
                                             const Vec3& centre, const Vec3& normal) {
    const Eigen::VectorXd height = (skin.rowwise() - centre.transpose()) * normal.normalized();
    // Each triangle that the plane cuts leads from one cut edge to another.
    struct Cut {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
    };
    std::vector<Cut> cuts;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        const bool is_below = height[triangles(t, 0)] < 0.0;
        if ((height[triangles(t, 1)] < 0.0) == is_below &&
            (height[triangles(t, 2)] < 0.0) == is_below) {
            continue;
        }
        Cut& cut = cuts.emplace_back();
        for (int k = 0; k < 3; ++k) {
            const Index a = triangles(t, k);
            const Index b = triangles(t, (k + 1) % 3);
            if ((height[a] < 0.0) != (height[b] < 0.0)) {
                (height[a] < 0.0 ? cut.from : cut.to) = edge_key(a, b);
            }
        }
    }
    std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
        return a.from < b.from || (a.from == b.from && a.to < b.to);
    });
    const auto place = [&](std::uint64_t edge) -> Vec3 {
        const auto a = static_cast<Index>(edge >> 32);
        const auto b = static_cast<Index>(edge & 0xffffffffU);
        return point(skin, a) +
               height[a] / (height[a] - height[b]) * (point(skin, b) - point(skin, a));
    };
    std::vector<std::vector<Vec3>> loops;
    std::vector<char> is_used(cuts.size(), 0);
    for (std::size_t first = 0; first < cuts.size(); ++first) {
        if (is_used[first] != 0) {
            continue;
        }
        std::vector<Vec3>& loop = loops.emplace_back();
        for (std::size_t k = first; k < cuts.size() && is_used[k] == 0;) {
            is_used[k] = 1;
            loop.push_back(place(cuts[k].from));
            const auto next = std::lower_bound(
                cuts.begin(), cuts.end(), cuts[k].to,
                [](const Cut& cut, std::uint64_t edge) { return cut.from < edge; });
            if (next == cuts.end() || next->from != cuts[k].to) {
                break;
            }
            k = static_cast<std::size_t>(next - cuts.begin());
        }
    }
    return loops;
}

double tape_length(const std::vector<Vec3>& points, const Vec3& normal) {
    const PlaneAxes axes(normal);
    std::vector<Vec2> flat;
    for (const Vec3& p : points) {
        flat.push_back(axes(p));
    }
    return flat.size() >= 3 ? hull_length(std::move(flat)) : 0.0;
}

std::vector<Vec3> loop_around(const Points& skin, const Triangles& triangles, const Vec3& centre,
                              const Vec3& normal) {
    const PlaneAxes axes(normal);
    std::vector<Vec3> nearest_loop;
    double best = std::numeric_limits<double>::infinity();
    for (std::vector<Vec3>& loop : section_loops(skin, triangles, centre, normal)) {
        std::vector<Vec2> flat;
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3& p : loop) {
            flat.push_back(axes(p - centre));
            nearest = std::min(nearest, flat.back().norm());
        }
        const double distance = winding(flat) > 0.5 ? 0.0 : nearest;
        if (loop.size() >= 3 && distance < best) {
            best = distance;
            nearest_loop = std::move(loop);
        }
    }
    return nearest_loop;
}

double tape_girth(const Points& skin, const Triangles& triangles, const Vec3& centre,
                  const Vec3& normal) {
    return tape_length(loop_around(skin, triangles, centre, normal), normal);
}

std::vector<std::pair<std::string, double>> girths(const Body& body) {
    std::vector<std::pair<std::string, double>> result;
    const auto add = [&](const std::string& name, const std::optional<Vec3>& from,
                         const std::optional<Vec3>& to, double share, bool is_level) {
        if (!from || !to) {
            return;
        }
        const Vec3 centre = *from + share * (*to - *from);
        const Vec3 normal = is_level ? Vec3(0.0, 1.0, 0.0) : Vec3(*to - *from);
        const double girth =
            tape_girth(body.skin.mesh.points, body.skin.mesh.triangles, centre, normal);
        if (girth > 0.0) {
            result.emplace_back(name, girth);
        }
    };
    const auto centre = [&](const std::string& name) -> std::optional<Vec3> {
        const Joint* joint = find_joint(body, name);
        return joint != nullptr ? std::optional<Vec3>(joint->centre) : std::nullopt;
    };
    const auto level = [&](const char* name, const char* joint) {
        add(name, centre(joint), centre(joint), 0.0, true);
    };
    level("neck", "neck_c4_c5");
    level("chest", "thoracic_t8_t9");
    level("waist", "lumbar_l3_l4");
    // The hips are measured at the height of their joints, in the middle.
    if (const auto left = centre("hip_l"), right = centre("hip_r"); left && right) {
        add("hips", 0.5 * (*left + *right), 0.5 * (*left + *right), 0.0, true);
    }
    // Shares of the way along a limb where it is thickest.
    constexpr double kUpperArm = 0.55;
    constexpr double kThigh = 0.3;
    constexpr double kCalf = 0.3;
    for (const std::string side : {"_l", "_r"}) {
        add("upper_arm" + side, centre("shoulder" + side), centre("elbow" + side), kUpperArm,
            false);
        add("thigh" + side, centre("hip" + side), centre("knee" + side), kThigh, false);
        add("calf" + side, centre("knee" + side), centre("ankle" + side), kCalf, false);
    }
    return result;
}

}  // namespace sinew
