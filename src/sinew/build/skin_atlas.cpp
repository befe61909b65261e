#include "sinew/build/skin_atlas.h"

#include "sinew/base/error.h"
#include "sinew/body/names.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/geometry/uv_atlas.h"
#include "sinew/mesh/connectivity.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

// Which triangle of the skin belongs to which chart. The nearest bone names the region; small
// islands of a region in another are given to that one. Head and trunk are split where the skin is
// widest from front to back, hands and feet by the side that their skin faces. Arms and legs stay
// whole: what opens them is a cut along their inner side, where cutting is cheap.

namespace sinew {

namespace {

enum Region {
    Head,
    Trunk,
    ArmLeft,
    ArmRight,
    HandLeft,
    HandRight,
    LegLeft,
    LegRight,
    FootLeft,
    FootRight
};

Region sided(Region left, const std::string& name) {
    return split_side(name).side == Side::Right ? static_cast<Region>(left + 1) : left;
}

Region region_of(const std::string& bone) {
    const auto has = [&](std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
            return bone.find(word) != std::string::npos;
        });
    };
    if (has({"toe", "metatarsal", "talus", "calcaneus", "foot", "cuboid", "cuneiform"})) {
        return sided(FootLeft, bone);
    }
    if (has({"finger", "thumb", "metacarpal", "capitate", "hamate", "scaphoid", "lunate",
             "triquetr", "pisiform", "trapezi", "trapezoid", "hand"})) {
        return sided(HandLeft, bone);
    }
    if (has({"femur", "tibia", "fibula", "patella"})) {
        return sided(LegLeft, bone);
    }
    if (has({"humerus", "radius", "ulna"})) {
        return sided(ArmLeft, bone);
    }
    if (has({"skull", "mandible", "vertebra_c1", "vertebra_c2", "vertebra_c3", "vertebra_c4",
             "tooth", "teeth", "hyoid", "thyroid"})) {
        return Head;
    }
    return Trunk;
}

/// The region of each triangle, by the bone nearest to its middle.
std::vector<Index> nearest_regions(const Template& figure) {
    TriangleMesh all;
    std::vector<Index> region;
    Eigen::Index points = 0;
    Eigen::Index triangles = 0;
    for (const Bone& bone : figure.bones) {
        points += bone.mesh.points.rows();
        triangles += bone.mesh.triangles.rows();
    }
    all.points.resize(points, 3);
    all.triangles.resize(triangles, 3);
    points = 0;
    triangles = 0;
    for (const Bone& bone : figure.bones) {
        all.points.middleRows(points, bone.mesh.points.rows()) = bone.mesh.points;
        all.triangles.middleRows(triangles, bone.mesh.triangles.rows()) =
            bone.mesh.triangles.array() + static_cast<Index>(points);
        region.insert(region.end(), at(bone.mesh.triangles.rows()), region_of(bone.name));
        points += bone.mesh.points.rows();
        triangles += bone.mesh.triangles.rows();
    }
    const SurfaceTree tree(all);
    Points middles(figure.skin.triangles.rows(), 3);
    for (Eigen::Index t = 0; t < middles.rows(); ++t) {
        middles.row(t) = (figure.skin.points.row(figure.skin.triangles(t, 0)) +
                          figure.skin.points.row(figure.skin.triangles(t, 1)) +
                          figure.skin.points.row(figure.skin.triangles(t, 2))) /
                         3.0;
    }
    std::vector<Index> found;
    for (const ClosestPoint& c : tree.closest_points(middles)) {
        found.push_back(region[at(c.triangle)]);
    }
    return found;
}

/// Pieces of one label, by triangle, and their sizes.
struct Pieces {
    std::vector<Index> of;
    std::vector<Index> size;
};

Pieces pieces_of(const Triangles& across, const std::vector<Index>& label) {
    Pieces pieces{std::vector<Index>(label.size(), -1), {}};
    std::vector<Index> stack;
    for (std::size_t first = 0; first < label.size(); ++first) {
        if (pieces.of[first] >= 0) {
            continue;
        }
        const auto number = static_cast<Index>(pieces.size.size());
        pieces.size.push_back(0);
        pieces.of[first] = number;
        stack.push_back(static_cast<Index>(first));
        while (!stack.empty()) {
            const Index t = stack.back();
            stack.pop_back();
            ++pieces.size.back();
            for (int k = 0; k < 3; ++k) {
                const Index o = across(t, k);
                if (o >= 0 && pieces.of[at(o)] < 0 && label[at(o)] == label[at(t)]) {
                    pieces.of[at(o)] = number;
                    stack.push_back(o);
                }
            }
        }
    }
    return pieces;
}

/// Only the largest piece of a label keeps it; others take the label that most of their edges
/// border on.
void keep_largest_pieces(const Triangles& across, std::vector<Index>& label) {
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
        const Pieces pieces = pieces_of(across, label);
        std::map<Index, Index> largest;  // piece by label
        for (std::size_t t = 0; t < label.size(); ++t) {
            const auto [it, is_new] = largest.try_emplace(label[t], pieces.of[t]);
            if (pieces.size[at(pieces.of[t])] > pieces.size[at(it->second)]) {
                it->second = pieces.of[t];
            }
        }
        std::map<Index, std::map<Index, int>> borders;  // of small pieces: edges by label
        for (std::size_t t = 0; t < label.size(); ++t) {
            if (largest.at(label[t]) == pieces.of[t]) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                const Index o = across(static_cast<Eigen::Index>(t), k);
                if (o >= 0 && label[at(o)] != label[t]) {
                    ++borders[pieces.of[t]][label[at(o)]];
                }
            }
        }
        if (borders.empty()) {
            return;
        }
        for (std::size_t t = 0; t < label.size(); ++t) {
            if (const auto found = borders.find(pieces.of[t]); found != borders.end()) {
                label[t] = std::max_element(
                               found->second.begin(), found->second.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; })
                               ->first;
            }
        }
    }
}

Vec3 middle_of(const TriangleMesh& skin, Eigen::Index t) {
    return (point(skin.points, skin.triangles(t, 0)) + point(skin.points, skin.triangles(t, 1)) +
            point(skin.points, skin.triangles(t, 2))) /
           3.0;
}

Vec3 normal_of(const TriangleMesh& skin, Eigen::Index t) {
    const Vec3 a = point(skin.points, skin.triangles(t, 0));
    return (point(skin.points, skin.triangles(t, 1)) - a)
        .cross(point(skin.points, skin.triangles(t, 2)) - a)
        .normalized();
}

/// Halfway between the front and the back of a region at each height, smooth from slice to slice.
class HalfwayDepth {
public:
    HalfwayDepth(const TriangleMesh& skin, const std::vector<Index>& region, Index of) {
        for (std::size_t t = 0; t < region.size(); ++t) {
            if (region[t] == of) {
                const Vec3 p = middle_of(skin, static_cast<Eigen::Index>(t));
                low_ = std::min(low_, p.y());
                high_ = std::max(high_, p.y());
            }
        }
        std::array<double, kSlices> least;
        std::array<double, kSlices> most;
        least.fill(1e9);
        most.fill(-1e9);
        for (std::size_t t = 0; t < region.size(); ++t) {
            if (region[t] == of) {
                const Vec3 p = middle_of(skin, static_cast<Eigen::Index>(t));
                least[slice(p.y())] = std::min(least[slice(p.y())], p.z());
                most[slice(p.y())] = std::max(most[slice(p.y())], p.z());
            }
        }
        for (std::size_t i = 0; i < kSlices; ++i) {
            depth_[i] = least[i] < most[i] ? 0.5 * (least[i] + most[i]) : depth_[i > 0 ? i - 1 : 0];
        }
        for (int round = 0; round < 4; ++round) {
            std::array<double, kSlices> smooth = depth_;
            for (std::size_t i = 1; i + 1 < kSlices; ++i) {
                smooth[i] = 0.25 * depth_[i - 1] + 0.5 * depth_[i] + 0.25 * depth_[i + 1];
            }
            depth_ = smooth;
        }
    }
    double at_height(double y) const {
        const double s = std::clamp((y - low_) / (high_ - low_), 0.0, 1.0) *
                         (static_cast<double>(kSlices) - 1.0);
        const auto i = std::min(static_cast<std::size_t>(s), kSlices - 2);
        const double f = s - static_cast<double>(i);
        return (1.0 - f) * depth_[i] + f * depth_[i + 1];
    }

private:
    static constexpr std::size_t kSlices = 24;
    std::size_t slice(double y) const {
        const double s = (y - low_) / (high_ - low_) * (static_cast<double>(kSlices) - 1.0);
        return static_cast<std::size_t>(
            std::lround(std::clamp(s, 0.0, static_cast<double>(kSlices) - 1.0)));
    }
    double low_ = 1e9;
    double high_ = -1e9;
    std::array<double, kSlices> depth_ = {};
};

/// Middle and principal axes of the skin of a region, the shortest first.
struct Axes {
    Vec3 middle = Vec3::Zero();
    Mat3 axes = Mat3::Identity();
};

Axes axes_of(const TriangleMesh& skin, const std::vector<Index>& region, Index of) {
    Axes result;
    Mat3 second = Mat3::Zero();
    double count = 0.0;
    for (std::size_t t = 0; t < region.size(); ++t) {
        if (region[t] == of) {
            const Vec3 p = middle_of(skin, static_cast<Eigen::Index>(t));
            result.middle += p;
            second += p * p.transpose();
            count += 1.0;
        }
    }
    if (count > 0.0) {
        result.middle /= count;
        const Eigen::SelfAdjointEigenSolver<Mat3> solver(second / count -
                                                         result.middle * result.middle.transpose());
        result.axes = solver.eigenvectors();
    }
    return result;
}

/// 2 r or 2 r + 1: the region and its half. Arms and legs have one.
std::vector<Index> halves(const TriangleMesh& skin, const std::vector<Index>& region) {
    const HalfwayDepth head(skin, region, Head);
    const HalfwayDepth trunk(skin, region, Trunk);
    const Axes hand[2] = {axes_of(skin, region, HandLeft), axes_of(skin, region, HandRight)};
    std::vector<Index> label(region.size());
    for (std::size_t t = 0; t < region.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const Vec3 p = middle_of(skin, row);
        bool is_second = false;
        switch (region[t]) {
            case Head:
                is_second = p.z() < head.at_height(p.y());
                break;
            case Trunk:
                is_second = p.z() < trunk.at_height(p.y());
                break;
            case HandLeft:
            case HandRight: {
                const Axes& a = hand[region[t] - HandLeft];
                is_second = normal_of(skin, row).dot(a.axes.col(0)) < 0.0;
                break;
            }
            case FootLeft:
            case FootRight:
                is_second = normal_of(skin, row).y() < -0.3;
                break;
            default:
                break;
        }
        label[t] = 2 * region[t] + (is_second ? 1 : 0);
    }
    return label;
}

/// Cheap at the inner sides of arms (below, where they are held out) and legs.
std::vector<double> cut_costs(const TriangleMesh& skin, const std::vector<Index>& region) {
    std::vector<double> cost(at(skin.points.rows()), 1.0);
    for (const Region limb : {ArmLeft, ArmRight, LegLeft, LegRight}) {
        const Axes a = axes_of(skin, region, limb);
        const Vec3 along = a.axes.col(2);
        const bool is_arm = limb == ArmLeft || limb == ArmRight;
        Vec3 inner = is_arm ? Vec3(0.0, -1.0, 0.0) : Vec3(limb == LegLeft ? -1.0 : 1.0, 0.0, 0.0);
        inner = (inner - along.dot(inner) * along).normalized();
        for (std::size_t t = 0; t < region.size(); ++t) {
            if (region[t] != limb) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                const Index v = skin.triangles(static_cast<Eigen::Index>(t), k);
                Vec3 r = point(skin.points, v) - a.middle;
                r -= along.dot(r) * along;
                cost[at(v)] = 1.0 - inner.dot(r) / std::max(r.norm(), 1e-9);
            }
        }
    }
    return cost;
}

}  // namespace

Attribute skin_texture_coordinates(const Template& figure) {
    if (figure.bones.empty() || figure.skin.triangles.rows() == 0) {
        throw InputError({.where = "texture coordinates of a figure",
                          .found = "no bones or no skin",
                          .needs = "both",
                          .remedy = "make the whole figure"});
    }
    const Triangles across = triangle_neighbours(figure.skin.triangles);
    std::vector<Index> region = nearest_regions(figure);
    keep_largest_pieces(across, region);
    std::vector<Index> label = halves(figure.skin, region);
    keep_largest_pieces(across, label);
    for (std::size_t t = 0; t < region.size(); ++t) {
        region[t] = label[t] / 2;
    }
    return build_uv_atlas(figure.skin.points, figure.skin.triangles, label,
                          cut_costs(figure.skin, region))
        .uv;
}

}  // namespace sinew
