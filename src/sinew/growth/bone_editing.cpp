#include "sinew/growth/bone_editing.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/body/rest_shape.h"
#include "sinew/geometry/biharmonic_weights.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/growth/frame_maps.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"
#include "sinew/meshing/inversions.h"
#include "sinew/solver/local_global.h"
#include "sinew/tissue/tissue_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

// Bones of other lengths and sizes [Saito2015, section 3.4], in two steps. First the skeleton
// alone, by linear blend of handles at the bone heads,
//
//   v' = sum_j w_j T_j v,    T_j: translation and uniform scale,
//
// with bounded biharmonic weights on the bones' own surfaces [Jacobson2011], so that shafts become
// longer while heads keep their shape and joints stay congruent. Parts are walked from the root:
// where a part begins follows from the part that carries it.
//
// Then the flesh, which follows by corotated elasticity, held by springs at the samples of the
// bones. There is no volume term, as in the paper: a leg that becomes longer gains flesh. Bone
// tetrahedra are as soft as generic tissue here, since it is the bones that change.
//
// Last, the body is lifted back onto the ground, since longer legs push the feet below it.

namespace sinew {

namespace {

constexpr double kHead = 0.12;       // of a long part's length belongs to each head
constexpr double kHeadReach = 0.03;  // m, of a joint's handle in parts that scale as a whole

/// 1 within the head, falls to 0 as the clamped cubic.
// The cubic has slope 0 at both ends, so bones and flesh have no kink where heads end.
double blend(double t) {
    const double c = std::clamp(t, 0.0, 1.0);
    return 1.0 - c * c * (3.0 - 2.0 * c);
}

double along_axis(const Vec3& v, const Vec3& near_end, const Vec3& far_end) {
    const Vec3 axis = far_end - near_end;
    return (v - near_end).dot(axis) / axis.squaredNorm();
}

double weight_in_bar(const Vec3& v, const Vec3& near_end, const Vec3& far_end) {
    return blend((along_axis(v, near_end, far_end) - kHead) / (1.0 - 2.0 * kHead));
}

// What weights can be found on: corners at one place are one, triangles without area are left out.
// Cotangents of flat triangles are infinite and would spoil the biharmonic matrix.
TriangleMesh without_flat_triangles(const TriangleMesh& mesh) {
    const std::vector<Index> first = first_coincident(mesh.points);
    TriangleMesh result{.points = mesh.points, .triangles = Triangles(mesh.triangles.rows(), 3)};
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Index a = first[at(mesh.triangles(t, 0))];
        const Index b = first[at(mesh.triangles(t, 1))];
        const Index c = first[at(mesh.triangles(t, 2))];
        if (!is_degenerate(point(mesh.points, a), point(mesh.points, b), point(mesh.points, c))) {
            result.triangles.row(count++) << a, b, c;
        }
    }
    result.triangles.conservativeResize(count, 3);
    return result;
}

// Bounded biharmonic weights of the near head on one bone; empty where the mesh or its place does
// not allow them.
std::vector<double> weights_on_mesh(const TriangleMesh& mesh, const BodyPart& part) {
    const TriangleMesh sound = without_flat_triangles(mesh);
    const Compacted used = without_unused_points(sound.points, sound.triangles);
    std::vector<Index> handle_of(at(used.points.rows()), -1);
    bool has_head = false;
    for (Eigen::Index i = 0; i < used.points.rows(); ++i) {
        const double t = along_axis(point(used.points, i), part.near_end, part.far_end);
        // A handle is the whole head, not a point: bounded biharmonic weights are 1 on it, hence it
        // moves as one piece and keeps its shape exactly.
        handle_of[at(i)] = t <= kHead ? 0 : t >= 1.0 - kHead ? 1 : -1;
        has_head = has_head || handle_of[at(i)] >= 0;
    }
    if (!has_head) {
        return {};
    }
    Eigen::MatrixXd weights;
    try {
        weights =
            biharmonic_weights({.points = used.points, .triangles = used.triangles}, handle_of, 2);
    } catch (const InputError&) {
        return {};
    }
    std::vector<double> result(at(mesh.points.rows()), -1.0);
    for (std::size_t i = 0; i < used.old_index.size(); ++i) {
        result[at(used.old_index[i])] = weights(static_cast<Eigen::Index>(i), 0);
    }
    // Corners of flat triangles alone take what is nearest.
    if (used.old_index.size() < result.size()) {
        const SurfaceTree tree(used.points, used.triangles);
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (result[i] < 0.0) {
                const ClosestPoint nearest =
                    tree.closest_point(point(mesh.points, static_cast<Eigen::Index>(i)));
                result[i] = 0.0;
                for (int k = 0; k < 3; ++k) {
                    result[i] +=
                        nearest.barycentric[k] * weights(used.triangles(nearest.triangle, k), 0);
                }
            }
        }
    }
    return result;
}

/// x -> to + scale (x - from)
struct Handle {
    Vec3 from = Vec3::Zero();
    Vec3 to = Vec3::Zero();
    double scale = 1.0;

    Vec3 operator()(const Vec3& x) const {
        return to + scale * (x - from);
    }
};

/// How one part moves.
struct PartMotion {
    bool is_long = false;
    Handle near_head;           // long
    Handle far_head;            // long
    Handle whole;               // others
    std::vector<Handle> heads;  // others: joints that scale differently

    // A place on a bone of a long part, by its weight.
    Vec3 between_heads(const Vec3& v, double w) const {
        return w * near_head(v) + (1.0 - w) * far_head(v);
    }
    // Elsewhere, as in a bar.
    // Parts that scale as a whole go over to a joint's handle near it, first come first served
    // where two handles are near.
    Vec3 operator()(const Vec3& v) const {
        if (is_long) {
            return between_heads(v, weight_in_bar(v, near_head.from, far_head.from));
        }
        double rest = 1.0;
        Vec3 sum = Vec3::Zero();
        for (const Handle& head : heads) {
            const double w =
                std::min(rest, blend(((v - head.from).norm() - kHeadReach) / (2.0 * kHeadReach)));
            sum += w * head(v);
            rest -= w;
        }
        return sum + rest * whole(v);
    }
};

// Parts in an order in which each comes after the one that carries it.
std::vector<std::size_t> from_the_root(const Body& body, std::span<const BodyPart> parts) {
    const std::vector<std::size_t> part_of = parts_of_segments(body.skeleton, parts);
    std::vector<std::size_t> order;
    std::set<std::size_t> done;
    for (const Joint& joint : body.skeleton.joints) {
        const std::size_t p = part_of[at(joint.child)];
        if (done.insert(p).second) {
            order.push_back(p);
        }
    }
    return order;
}

// Both parts at a joint must scale its neighbourhood alike, or the joint would open. A long part
// only changes its length and its heads take the scale of the other part; between two parts that
// scale as a whole the geometric mean is as fair to both.
std::vector<PartMotion> motions_of(const Body& body, std::span<const BodyPart> parts,
                                   std::span<const double> scale, std::vector<Vec3>& joints) {
    const Skeleton& skeleton = body.skeleton;
    const std::vector<std::size_t> part_of = parts_of_segments(body.skeleton, parts);
    // A joint's handle scales with the part that is scaled as a whole; between two, by the mean.
    const auto handle_scale = [&](const Joint& joint) {
        const auto whole = [&](std::size_t p) { return parts[p].is_long ? 1.0 : scale[p]; };
        const std::size_t child = part_of[at(joint.child)];
        const std::size_t parent = joint.parent >= 0 ? part_of[at(joint.parent)] : child;
        if (parts[child].is_long || parts[parent].is_long) {
            return whole(child) * whole(parent);
        }
        return std::sqrt(whole(child) * whole(parent));
    };
    joints.clear();
    for (const Joint& joint : skeleton.joints) {
        joints.push_back(joint.centre);
    }
    std::vector<PartMotion> motions(parts.size());
    for (const std::size_t p : from_the_root(body, parts)) {
        const BodyPart& part = parts[p];
        PartMotion& motion = motions[p];
        const Index q = part.proximal;
        const Vec3 from = part.near_end;
        const Vec3 to = q >= 0 ? joints[at(q)] : from;
        motion.is_long = part.is_long;
        motion.near_head = {from, to, q >= 0 ? handle_scale(skeleton.joints[at(q)]) : 1.0};
        motion.far_head = {part.far_end, to + scale[p] * (part.far_end - from),
                           part.distal >= 0 ? handle_scale(skeleton.joints[at(part.distal)]) : 1.0};
        motion.whole = {from, to, scale[p]};
        for (std::size_t j = 0; j < joints.size() && !part.is_long; ++j) {
            const Joint& joint = skeleton.joints[j];
            const bool touches = part_of[at(joint.child)] == p ||
                                 (joint.parent >= 0 && part_of[at(joint.parent)] == p);
            const double s = handle_scale(joint);
            if (touches && std::abs(s - scale[p]) > 1e-12) {
                const Vec3 centre = static_cast<Index>(j) == q ? to : motion.whole(joint.centre);
                motion.heads.push_back({joint.centre, centre, s});
            }
        }
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Joint& joint = skeleton.joints[j];
            if (joint.parent >= 0 && part_of[at(joint.parent)] == p) {
                joints[j] = motion(joint.centre);
            }
        }
    }
    return motions;
}

}  // namespace

BoneWeights compute_bone_weights(const Body& body, std::span<const BodyPart> parts) {
    const std::vector<std::size_t> part_of = parts_of_segments(body.skeleton, parts);
    const Points samples = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    std::vector<std::vector<Index>> samples_of(body.bones.size());
    for (std::size_t i = 0; i < body.attachments.bone.size(); ++i) {
        samples_of[at(body.attachments.bone[i])].push_back(static_cast<Index>(i));
    }
    BoneWeights result;
    result.bones.resize(body.bones.size());
    result.attachments.assign(at(samples.rows()), 0.0);
    std::vector<char> is_bar(body.bones.size(), 0);
    // One bone at a time: the active-set solves differ much in cost.
    parallel_for(body.bones.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const TriangleMesh& mesh = body.bones[b].mesh;
            const BodyPart& part = parts[part_of[at(body.bones[b].segment)]];
            if (!part.is_long || mesh.triangles.rows() == 0) {
                continue;
            }
            std::vector<double>& weights = result.bones[b];
            weights = weights_on_mesh(mesh, part);
            is_bar[b] = weights.empty() ? 1 : 0;
            for (Eigen::Index i = 0; weights.size() < at(mesh.points.rows()); ++i) {
                weights.push_back(
                    weight_in_bar(point(mesh.points, i), part.near_end, part.far_end));
            }
            const SurfaceTree tree(mesh);
            for (const Index i : samples_of[b]) {
                const ClosestPoint nearest = tree.closest_point(point(samples, i));
                double& sum = result.attachments[at(i)];
                for (int k = 0; k < 3; ++k) {
                    sum +=
                        nearest.barycentric[k] * weights[at(mesh.triangles(nearest.triangle, k))];
                }
            }
        }
    });
    for (std::size_t b = 0; b < is_bar.size(); ++b) {
        if (is_bar[b] != 0) {
            result.bars.push_back(body.bones[b].name);
        }
    }
    return result;
}

EditedSkeleton edit_skeleton(const Body& body, std::span<const BodyPart> parts,
                             const BoneWeights& weights, std::span<const double> scale) {
    SINEW_ASSERT(parts.size() == scale.size(), "{} parts, {} scales", parts.size(), scale.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!(scale[p] >= kLeastBoneScale && scale[p] <= kMostBoneScale)) {
            throw InputError(
                {.where = fmt::format("bone scale of '{}'", parts[p].name),
                 .found = fmt::format("{}", scale[p]),
                 .needs = fmt::format("a number from {} to {}", kLeastBoneScale, kMostBoneScale),
                 .remedy = "1 leaves it as it is"});
        }
    }
    EditedSkeleton edited;
    const std::vector<PartMotion> motions = motions_of(body, parts, scale, edited.joints);
    const std::vector<std::size_t> part_of = parts_of_segments(body.skeleton, parts);
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        const PartMotion& motion = motions[part_of[at(body.bones[b].segment)]];
        const std::vector<double>& w = weights.bones[b];
        Points points = body.bones[b].mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            const Vec3 v = point(points, i);
            points.row(i) = (w.empty() ? motion(v) : motion.between_heads(v, w[at(i)])).transpose();
        }
        edited.bones.push_back(std::move(points));
    }
    edited.attachments = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    for (std::size_t i = 0; i < body.attachments.bone.size(); ++i) {
        const auto b = at(body.attachments.bone[i]);
        const PartMotion& motion = motions[part_of[at(body.bones[b].segment)]];
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 v = point(edited.attachments, row);
        edited.attachments.row(row) =
            (weights.bones[b].empty() ? motion(v) : motion.between_heads(v, weights.attachments[i]))
                .transpose();
    }
    return edited;
}

struct BoneEditor::Data {
    Body rest;
    std::vector<BodyPart> parts;
    BoneWeights weights;
    EditedSkeleton skeleton;
    std::shared_ptr<Pins> springs;
    std::unique_ptr<LocalGlobal> solver;
    Points x;
    int iterations = 0;
    bool is_settled = true;

    // What brings the feet back to the ground.
    Eigen::RowVector3d lift(const Points& points) const {
        if (rest.skin.tet_vertex.empty()) {
            return Eigen::RowVector3d::Zero();
        }
        double lowest = 1e300;
        for (const Index v : rest.skin.tet_vertex) {
            lowest = std::min(lowest, points(v, 1));
        }
        return {0.0, rest.skin.mesh.points.col(1).minCoeff() - lowest, 0.0};
    }
};

BoneEditor::BoneEditor(const Body& body, std::span<const BodyPart> parts)
    : data_(std::make_unique<Data>()) {
    Data& d = *data_;
    d.rest = body;
    d.parts.assign(parts.begin(), parts.end());
    // Weights of the paper with w_vol = 0.
    TissueStiffness stiffness;
    stiffness.volume = 0.0;
    stiffness.bone = stiffness.generic;  // bones change their shape here
    stiffness.tendon = stiffness.generic;
    d.springs = make_attachment_term(body, stiffness);
    d.solver = std::make_unique<LocalGlobal>(
        body.tets.points.rows(), EnergyTerms{make_tet_term(body, stiffness), d.springs});
    d.x = body.tets.points;
    d.weights = compute_bone_weights(body, parts);
    set_scale(std::vector<double>(d.parts.size(), 1.0));
}

BoneEditor::~BoneEditor() = default;
BoneEditor::BoneEditor(BoneEditor&&) noexcept = default;
BoneEditor& BoneEditor::operator=(BoneEditor&&) noexcept = default;

const std::vector<BodyPart>& BoneEditor::parts() const {
    return data_->parts;
}

void BoneEditor::set_scale(std::span<const double> scale) {
    data_->skeleton = edit_skeleton(data_->rest, data_->parts, data_->weights, scale);
    data_->springs->set_targets(data_->skeleton.attachments);
    data_->iterations = 0;
}

bool BoneEditor::iterate(int iterations, const Progress& progress,
                         const IterationCallback& callback) {
    Data& d = *data_;
    const LocalGlobalReport solved =
        d.solver->minimise(d.x, {.max_iterations = iterations, .tolerance = 1e-4}, progress,
                           [&](int iteration, const Points& x) {
                               if (callback) {
                                   Points standing = x;
                                   standing.rowwise() += d.lift(x);
                                   callback(iteration, standing);
                               }
                           });
    d.iterations += solved.iterations;
    d.is_settled = solved.status == LocalGlobalStatus::Converged;
    return d.is_settled;
}

void BoneEditor::restart() {
    data_->x = data_->rest.tets.points;
}

Points BoneEditor::positions() const {
    Points standing = data_->x;
    standing.rowwise() += data_->lift(data_->x);
    return standing;
}

EditedBody BoneEditor::body() const {
    const Data& d = *data_;
    const Body& rest = d.rest;
    EditedSkeleton edited = d.skeleton;
    Points x = mend_inversions(rest.tets, d.x).x;
    const Eigen::RowVector3d lift = d.lift(x);
    x.rowwise() += lift;
    edited.attachments.rowwise() += lift;
    for (Points& bone : edited.bones) {
        bone.rowwise() += lift;
    }
    for (Vec3& centre : edited.joints) {
        centre += lift.transpose();
    }
    EditedBody result;
    result.report.iterations = d.iterations;
    result.report.is_converged = d.is_settled;
    result.report.bars = d.weights.bars;
    result.report.inverted_tets = (tet_volumes(x, rest.tets.tets).array() <= 0.0).count();
    if (edited.attachments.rows() > 0) {
        result.report.largest_gap =
            (positions_of(rest.attachments.points, x, rest.tets.tets) - edited.attachments)
                .rowwise()
                .norm()
                .maxCoeff();
    }
    result.body = with_rest_shape(rest, x,
                                  {.bones = std::move(edited.bones),
                                   .attachments = std::move(edited.attachments),
                                   .joints = std::move(edited.joints)});
    return result;
}

EditedBody edit_bones(const Body& body, std::span<const BodyPart> parts,
                      std::span<const double> scale, const Progress& progress) {
    constexpr int kMostIterations = 150;
    BoneEditor editor(body, parts);
    editor.set_scale(scale);
    editor.iterate(kMostIterations, progress);
    return editor.body();
}

// Geometric similarity: lengths by s, areas and so forces by s^2, volumes and masses by s^3,
// moments of inertia by s^5.
Body scaled_body(const Body& body, double factor) {
    if (!(factor >= 0.3 && factor <= 3.0)) {
        throw InputError({.where = "size of the body",
                          .found = fmt::format("a factor of {}", factor),
                          .needs = "a number from 0.3 to 3",
                          .remedy = "ask for a stature that is nearer"});
    }
    Body result = body;
    result.tets.points *= factor;
    result.skin.mesh.points *= factor;
    result.envelope.mesh.points *= factor;
    result.display_skin.points *= factor;
    for (Bone& bone : result.bones) {
        bone.mesh.points *= factor;
    }
    for (Muscle& muscle : result.muscles) {
        muscle.mesh.points *= factor;
        muscle.volume *= factor * factor * factor;
        muscle.fmax *= factor * factor;
    }
    for (Joint& joint : result.skeleton.joints) {
        joint.centre *= factor;
    }
    for (Segment& segment : result.skeleton.segments) {
        segment.mass *= factor * factor * factor;
        segment.com *= factor;
        segment.inertia *= factor * factor * factor * factor * factor;
    }
    for (Landmark& landmark : result.landmarks) {
        landmark.position *= factor;
    }
    return result;
}

}  // namespace sinew
