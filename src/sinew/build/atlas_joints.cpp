#include "sinew/build/atlas_joints.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/body/names.h"
#include "sinew/build/figure_mesh.h"
#include "sinew/build/joint_tree.h"
#include "sinew/build/muscle_course.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/sampling.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/svd3.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sinew {

namespace {

constexpr double kFarthest = std::numeric_limits<double>::infinity();
constexpr Eigen::Index kSamples = 400;
constexpr int kFitRounds = 30;
constexpr double kUsedShare = 0.8;     // of the pairs, the nearest
constexpr double kLongBone = 4.0;      // ratio of variances that makes an axis certain
constexpr double kFigureCell = 0.004;  // m, grid of the figure's bones
constexpr double kPoorFit = 0.15;      // of the size: worth a note

struct Spread {
    Vec3 middle = Vec3::Zero();
    double size = 0.0;          // root of the mean squared distance from the middle
    Vec3 axis = Vec3::UnitY();  // of the largest variance
    double ratio = 1.0;         // largest variance to the next
};

/// Of the whole surface, not of samples: their scatter would show in the size.
Spread spread_of(const TriangleMesh& mesh) {
    const Eigen::VectorXd areas = triangle_areas(mesh);
    const double total = areas.sum();
    Spread s;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            s.middle += areas[t] / (3.0 * total) * point(mesh.points, mesh.triangles(t, k));
        }
    }
    // Second moment of a triangle: A / 12 (sum_k v_k v_k^T + 9 c c^T), c its centroid.
    Mat3 covariance = Mat3::Zero();
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        Vec3 centroid = Vec3::Zero();
        Mat3 corners = Mat3::Zero();
        for (int k = 0; k < 3; ++k) {
            const Vec3 v = point(mesh.points, mesh.triangles(t, k)) - s.middle;
            corners += v * v.transpose();
            centroid += v / 3.0;
        }
        covariance += areas[t] / (12.0 * total) * (corners + 9.0 * centroid * centroid.transpose());
    }
    s.size = std::sqrt(covariance.trace());
    const SymmetricEigen3 eigen = symmetric_eigen(covariance);
    s.axis = eigen.vectors.col(2);
    s.ratio = eigen.values[2] / std::max(eigen.values[1], 1e-12);
    return s;
}

struct Pair {
    Vec3 from, to;
    double distance = 0.0;
};

/// Rotation and shift that bring the pairs together at a fixed scale.
Similarity aligned(std::span<const Pair> pairs, double scale) {
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    for (const Pair& p : pairs) {
        from += p.from;
        to += p.to;
    }
    from /= static_cast<double>(pairs.size());
    to /= static_cast<double>(pairs.size());
    Mat3 product = Mat3::Zero();
    for (const Pair& p : pairs) {
        product += (p.to - to) * (p.from - from).transpose();
    }
    Similarity result;
    result.scale = scale;
    result.R = nearest_rotation(product);
    result.shift = to - scale * (result.R * from);
    return result;
}

/// A bone of the figure with the bones of the atlas that it stands for.
struct MatchedBone {
    std::string name;               // in the figure
    TriangleMesh mesh = {};         // of the figure
    std::vector<Index> bones = {};  // of the atlas
    Index main = -1;                // the largest of them
    Similarity fit = {};
    double poorness = 0.0;
};

/// Atlas bones by every name they have, in the form they are compared by.
std::map<std::string, Index> bones_by_name(std::span<const Bone> bones) {
    std::map<std::string, Index> names;
    for (std::size_t i = 0; i < bones.size(); ++i) {
        names.insert({plain_name(bones[i].name), static_cast<Index>(i)});
    }
    for (std::size_t i = 0; i < bones.size(); ++i) {
        for (const Alias& alias : bones[i].aliases) {
            names.insert({plain_name(alias.name), static_cast<Index>(i)});
        }
    }
    return names;
}

std::vector<MatchedBone> match_bones(std::span<const Bone> bones, const FigureTable& figure) {
    const std::map<std::string, Index> by_name = bones_by_name(bones);
    std::vector<bool> is_taken(bones.size(), false);
    std::vector<MatchedBone> matched;
    const auto add = [&](const FigurePart& part, bool is_right) {
        MatchedBone bone{.name = is_right ? right_name(part.name) : part.name};
        std::vector<std::string> names = {bone.name};
        for (const std::string& covered : part.covers) {
            names.push_back(is_right ? mirrored_name(covered) : covered);
        }
        for (const Alias& alias : is_right ? part.right_aliases : part.aliases) {
            names.push_back(alias.name);
        }
        for (const std::string& name : names) {
            const auto found = by_name.find(plain_name(name));
            if (found != by_name.end() && !is_taken[static_cast<std::size_t>(found->second)]) {
                is_taken[static_cast<std::size_t>(found->second)] = true;
                bone.bones.push_back(found->second);
            }
        }
        if (!bone.bones.empty()) {
            matched.push_back(std::move(bone));
        }
    };
    for (const FigurePart& part : figure.parts) {
        if (is_rigid(part.kind)) {
            add(part, false);
            if (part.mirror) {
                add(part, true);
            }
        }
    }
    return matched;
}

/// The atlas's bones of one match as one surface.
TriangleMesh surface_of(const MatchedBone& match, std::span<const Bone> bones) {
    TriangleMesh all;
    for (const Index b : match.bones) {
        const TriangleMesh& mesh = bones[static_cast<std::size_t>(b)].mesh;
        const Eigen::Index points = all.points.rows(), triangles = all.triangles.rows();
        all.points.conservativeResize(points + mesh.points.rows(), 3);
        all.points.bottomRows(mesh.points.rows()) = mesh.points;
        all.triangles.conservativeResize(triangles + mesh.triangles.rows(), 3);
        all.triangles.bottomRows(mesh.triangles.rows()) =
            mesh.triangles.array() + static_cast<Index>(points);
    }
    return all;
}

void fit_bones(std::span<const Bone> bones, const FigureTable& figure, const Progress& progress,
               std::vector<MatchedBone>& matched) {
    std::map<std::string, const FigurePart*> parts;
    for (const FigurePart& part : figure.parts) {
        parts[part.name] = &part;
    }
    auto stage = progress.stage("fit joints", matched.size());
    parallel_for(matched.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            MatchedBone& match = matched[i];
            const auto own = parts.find(match.name);
            const bool is_right = own == parts.end();
            const FigurePart& part = is_right ? *parts.at(mirrored_name(match.name)) : *own->second;
            match.mesh = mesh_part(part, {.cell = kFigureCell, .smallest_cell = 0.0015});
            if (is_right) {
                match.mesh = reflected(match.mesh);
            }
            const TriangleMesh target = surface_of(match, bones);
            double distance = 0.0;
            match.fit = fit_surface(match.mesh, target, distance);
            match.poorness = distance / std::max(bounds(target.points).diagonal(), 1e-6);
            double largest = -kFarthest;
            for (const Index b : match.bones) {
                const double volume = enclosed_volume(bones[static_cast<std::size_t>(b)].mesh);
                if (volume > largest) {
                    largest = volume;
                    match.main = b;
                }
            }
        }
    });
    stage.advance(matched.size());
}

/// Bones that nobody has joined yet hang fixed on the nearest that is joined.
void hang_loose_bones(std::span<const Bone> bones, AtlasJoints& result) {
    std::set<std::string> joined = {result.root};
    for (const BoneJoint& joint : result.joints) {
        joined.insert(joint.child);
    }
    std::vector<const TriangleMesh*> meshes;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < bones.size(); ++i) {
        if (joined.contains(bones[i].name)) {
            meshes.push_back(&bones[i].mesh);
            index.push_back(i);
        }
    }
    const BoneSurface surface(meshes);
    std::vector<std::string> hung;
    for (const Bone& bone : bones) {
        if (joined.contains(bone.name)) {
            continue;
        }
        BoneSurface::Near best;
        best.distance = kFarthest;
        const Eigen::Index step = std::max<Eigen::Index>(1, bone.mesh.points.rows() / 200);
        for (Eigen::Index v = 0; v < bone.mesh.points.rows(); v += step) {
            const auto near = surface.nearest(point(bone.mesh.points, v), best.distance);
            if (near.bone >= 0 && near.distance < best.distance) {
                best = near;
            }
        }
        const std::string& parent = bones[index[static_cast<std::size_t>(best.bone)]].name;
        BoneJoint joint{.parent = parent, .child = bone.name};
        joint.joint.name = "fixed_" + bone.name;
        result.joints.push_back(std::move(joint));
        hung.push_back(fmt::format("{} on {}", bone.name, parent));
    }
    if (!hung.empty()) {
        result.notes.push_back(
            fmt::format("{} bones without a joint move with the nearest bone: {}", hung.size(),
                        join(hung, ", ")));
    }
}

std::string largest_bone(std::span<const Bone> bones) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < bones.size(); ++i) {
        if (enclosed_volume(bones[i].mesh) > enclosed_volume(bones[largest].mesh)) {
            largest = i;
        }
    }
    return bones[largest].name;
}

/// The figure's joints between bones that the atlas has; where it lacks one, its children hang on
/// the next bone above.
void carry_joints(std::span<const Bone> bones, const FigureTable& figure,
                  const std::vector<MatchedBone>& matched, AtlasJoints& result) {
    const std::vector<BoneJoint> joints = joints_of(figure);
    std::map<std::string, const MatchedBone*> by_name;
    std::map<std::string, std::string> parent_of;
    for (const MatchedBone& match : matched) {
        by_name[match.name] = &match;
    }
    for (const BoneJoint& joint : joints) {
        parent_of[joint.child] = joint.parent;
    }
    const auto bone_name = [&](Index b) { return bones[static_cast<std::size_t>(b)].name; };
    const auto find_above = [&](std::string bone) -> const MatchedBone* {
        for (;;) {
            if (const auto found = by_name.find(bone); found != by_name.end()) {
                return found->second;
            }
            const auto up = parent_of.find(bone);
            if (up == parent_of.end()) {
                return nullptr;
            }
            bone = up->second;
        }
    };
    const MatchedBone* root = find_above(figure.root);
    for (const BoneJoint& from : joints) {
        const auto found = by_name.find(from.child);
        if (found == by_name.end()) {
            continue;
        }
        const MatchedBone& child = *found->second;
        const MatchedBone* parent = find_above(from.parent);
        if (parent == nullptr) {
            parent = root == nullptr ? &child : root;
            root = parent;
        }
        if (parent == &child) {
            continue;  // the first of the tree
        }
        BoneJoint joint = from;
        joint.parent = bone_name(parent->main);
        joint.child = bone_name(child.main);
        joint.segment = from.child;
        joint.joint.centre = 0.5 * (parent->fit(from.joint.centre) + child.fit(from.joint.centre));
        for (int k = 0; k < angle_count(joint.joint.type); ++k) {
            Vec3& axis = joint.joint.axes[static_cast<std::size_t>(k)];
            axis = (parent->fit.R * axis).normalized();
        }
        result.joints.push_back(std::move(joint));
    }
    result.root = bone_name((root == nullptr ? &matched.front() : root)->main);
    // The rest of a bone that the atlas has in pieces.
    for (const MatchedBone& match : matched) {
        for (const Index b : match.bones) {
            if (b != match.main) {
                BoneJoint joint{.parent = bone_name(match.main), .child = bone_name(b)};
                joint.joint.name = "fixed_" + joint.child;
                result.joints.push_back(std::move(joint));
            }
        }
    }
}

/// Landmarks of both sides go with the bone of the figure that is nearest to them.
void carry_landmarks(const FigureTable& figure, const std::vector<MatchedBone>& matched,
                     AtlasJoints& result) {
    std::vector<const TriangleMesh*> meshes;
    for (const MatchedBone& match : matched) {
        meshes.push_back(&match.mesh);
    }
    const BoneSurface surface(meshes);
    const auto add = [&](const std::string& name, const Vec3& at) {
        const auto near = surface.nearest(at, kFarthest);
        result.landmarks.push_back(
            {.name = name, .position = matched[static_cast<std::size_t>(near.bone)].fit(at)});
    };
    for (const Landmark& landmark : figure.landmarks) {
        add(landmark.name, landmark.position);
        if (const SidedName sided = split_side(landmark.name); sided.side == Side::Left) {
            add(with_side(sided.stem, Side::Right),
                Vec3(-landmark.position.x(), landmark.position.y(), landmark.position.z()));
        }
    }
}

}  // namespace

Similarity fit_surface(const TriangleMesh& from, const TriangleMesh& to, double& mean_distance) {
    const Points a = sample_surface(from, kSamples, Seed{11}).points;
    const Points b = sample_surface(to, kSamples, Seed{12}).points;
    const Spread spread_a = spread_of(from), spread_b = spread_of(to);
    Similarity fit;
    fit.scale = spread_b.size / spread_a.size;
    if (spread_a.ratio > kLongBone && spread_b.ratio > kLongBone) {
        const double sign = spread_a.axis.dot(spread_b.axis) < 0.0 ? -1.0 : 1.0;
        fit.R = turn_between(spread_a.axis, sign * spread_b.axis);
    }
    fit.shift = spread_b.middle - fit.scale * (fit.R * spread_a.middle);
    const SurfaceTree tree_a(from), tree_b(to);
    std::vector<Pair> pairs(static_cast<std::size_t>(2 * kSamples));
    const auto used = static_cast<std::size_t>(kUsedShare * static_cast<double>(pairs.size()));
    for (int round = 0; round < kFitRounds; ++round) {
        for (Eigen::Index i = 0; i < kSamples; ++i) {
            const Vec3 p = point(a, i), q = point(b, i);
            const ClosestPoint there = tree_b.closest_point(fit(p));
            pairs[static_cast<std::size_t>(i)] = {p, there.point, there.distance};
            const Vec3 back = fit.R.transpose() * (q - fit.shift) / fit.scale;
            const ClosestPoint here = tree_a.closest_point(back);
            pairs[static_cast<std::size_t>(kSamples + i)] = {here.point, q,
                                                             fit.scale * here.distance};
        }
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const Pair& x, const Pair& y) { return x.distance < y.distance; });
        mean_distance = 0.0;
        for (std::size_t i = 0; i < used; ++i) {
            mean_distance += pairs[i].distance / static_cast<double>(used);
        }
        fit = aligned(std::span(pairs.data(), used), fit.scale);
    }
    return fit;
}

AtlasJoints estimate_joints(std::span<const Bone> bones, const FigureTable& figure,
                            const Progress& progress) {
    AtlasJoints result;
    std::vector<MatchedBone> matched = match_bones(bones, figure);
    if (matched.empty()) {
        result.root = largest_bone(bones);
        result.notes.push_back(
            "no bone has a name that the built-in figure knows: all bones are one rigid piece "
            "(give joints in the manifest, or anatomical names)");
        hang_loose_bones(bones, result);
        return result;
    }
    fit_bones(bones, figure, progress, matched);
    carry_joints(bones, figure, matched, result);
    result.notes.push_back(
        fmt::format("{} joints estimated by laying the built-in figure's bones onto {} bones",
                    result.joints.size(), matched.size()));
    std::vector<std::string> poor;
    for (const MatchedBone& match : matched) {
        if (match.poorness > kPoorFit) {
            poor.push_back(match.name);
        }
    }
    if (!poor.empty()) {
        result.notes.push_back(
            "bones of another shape than the figure's, joints near them are uncertain: " +
            join(poor, ", "));
    }
    hang_loose_bones(bones, result);
    carry_landmarks(figure, matched, result);
    return result;
}

AtlasJoints complete_joints(std::span<const Bone> bones, std::span<const BoneJoint> joints,
                            const std::string& root, const std::string& where) {
    AtlasJoints result;
    const auto look_up = [&](const std::string& word, const std::string& place) {
        return bones[static_cast<std::size_t>(find_bone(bones, word, place))].name;
    };
    std::set<std::string> children;
    std::vector<std::string> parents;
    for (const BoneJoint& from : joints) {
        const std::string place = fmt::format("{}, joint '{}'", where, from.joint.name);
        BoneJoint joint = from;
        joint.parent = look_up(from.parent, place + ", parent");
        joint.child = look_up(from.child, place + ", child");
        children.insert(joint.child);
        parents.push_back(joint.parent);
        result.joints.push_back(std::move(joint));
    }
    std::set<std::string> roots;
    if (root.empty()) {
        std::copy_if(parents.begin(), parents.end(), std::inserter(roots, roots.end()),
                     [&](const std::string& bone) { return !children.contains(bone); });
    } else {
        roots = {look_up(root, where + ", root")};
    }
    if (roots.size() != 1) {
        const std::vector<std::string> names(roots.begin(), roots.end());
        throw InputError(
            {.where = where + ", joints",
             .found = names.empty()
                          ? "no bone that is a parent and no child: parents in a circle"
                          : "several bones without a joint above them: " + join(names, ", "),
             .needs = "one root for the tree of joints",
             .remedy = "join them, or name the \"root\""});
    }
    result.root = *roots.begin();
    hang_loose_bones(bones, result);
    return result;
}

}  // namespace sinew
