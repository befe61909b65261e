#include "sinew/pipeline/retarget_body.h"

#include "sinew/base/error.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/summary.h"
#include "sinew/build/segment_masses.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/skeleton_following.h"
#include "sinew/meshing/intersections.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <map>

// Motion's proportions joined with growth's flesh: the maps of a model's rigid bodies [Ryu2021,
// 3.2] move the bones of the body that the model was made from, and the flesh follows the bones.

namespace sinew {

namespace {

// Everything that a rigid body's map does to what is fixed to it, in the world at rest.
struct BoneMaps {
    ModelPlacement before;
    ModelPlacement after;
    ProportionedBodies bodies;
    std::vector<Index> rigid_of_segment;

    Vec3 moved(Index rigid, const Vec3& p) const {
        return after.bodies[at(rigid)] *
               bodies.warps[at(rigid)](before.bodies[at(rigid)].inverse() * p);
    }
    // How directions and lengths beside p change.
    Mat3 map(Index rigid, const Vec3& p) const {
        const Mat3& from = before.bodies[at(rigid)].rotation;
        const Vec3 local = before.bodies[at(rigid)].inverse() * p;
        const BodyWarp& warp = bodies.warps[at(rigid)];
        return after.bodies[at(rigid)].rotation * warp.turn(local) * warp.stretch(local) *
               from.transpose();
    }
};

BoneMaps bone_maps(const Body& body, const MusculoskeletalModel& model,
                   const MusculoskeletalModel& warped, const BodyProportions& proportions) {
    return {.before = KinematicTree(model).place(rest_coordinates(model)),
            .after = KinematicTree(warped).place(rest_coordinates(warped)),
            .bodies = proportioned_bodies(model, proportions),
            .rigid_of_segment = rigid_bodies_of_segments(body)};
}

// Bones, the samples that hold the flesh, and joints, where the maps take them.
EditedSkeleton moved_skeleton(const Body& body, const BoneMaps& maps, std::vector<Mat3>& beside) {
    const auto rigid_of = [&](std::size_t bone) {
        return maps.rigid_of_segment[at(body.bones[bone].segment)];
    };
    EditedSkeleton out;
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        Points points = body.bones[b].mesh.points;
        for (Eigen::Index i = 0; i < points.rows(); ++i) {
            points.row(i) = maps.moved(rigid_of(b), point(points, i)).transpose();
        }
        out.bones.push_back(std::move(points));
    }
    out.attachments = positions_of(body.attachments.points, body.tets.points, body.tets.tets);
    for (std::size_t s = 0; s < body.attachments.bone.size(); ++s) {
        const Index rigid = rigid_of(at(body.attachments.bone[s]));
        const auto row = static_cast<Eigen::Index>(s);
        const Vec3 p = point(out.attachments, row);
        beside.push_back(maps.map(rigid, p));
        out.attachments.row(row) = maps.moved(rigid, p).transpose();
    }
    for (const Joint& joint : body.skeleton.joints) {
        const Index carrier = joint.parent >= 0 ? joint.parent : joint.child;
        out.joints.push_back(maps.moved(maps.rigid_of_segment[at(carrier)], joint.centre));
    }
    return out;
}

// Axes are fixed to the parent, and the model's joint has turned with it.
void turn_axes(const MusculoskeletalModel& model, const MusculoskeletalModel& warped,
               const BoneMaps& maps, Skeleton& skeleton) {
    std::map<Index, std::size_t> joint_of;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        joint_of[model.joints[j].child] = j;
    }
    for (Joint& joint : skeleton.joints) {
        if (joint.parent < 0 || joint.type == JointType::Fixed) {
            continue;
        }
        const std::size_t j = joint_of.at(maps.rigid_of_segment[at(joint.child)]);
        const Index parent = model.joints[j].parent;
        const Mat3 from =
            maps.before.bodies[at(parent)].rotation * model.joints[j].parent_frame.rotation;
        const Mat3 to =
            maps.after.bodies[at(parent)].rotation * warped.joints[j].parent_frame.rotation;
        for (Vec3& axis : joint.axes) {
            axis = (to * (from.transpose() * axis)).normalized();
        }
    }
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

PathState rest_lengths(const MusculoskeletalModel& model) {
    const KinematicTree tree(model);
    return MusclePaths(model, tree).evaluate(tree.place(rest_coordinates(model)));
}

}  // namespace

RetargetedBody retarget_body(const Body& body, const MusculoskeletalModel& model,
                             const BodyProportions& proportions, const Progress& progress) {
    const MusculoskeletalModel warped = proportioned_model(model, proportions);
    const BoneMaps maps = bone_maps(body, model, warped, proportions);
    std::vector<Mat3> beside;
    const EditedSkeleton skeleton = moved_skeleton(body, maps, beside);
    EditedBody followed = follow_skeleton(body, skeleton, beside, progress);

    RetargetedBody out;
    out.body = std::move(followed.body);
    turn_axes(model, warped, maps, out.body.skeleton);
    fit_muscle_meshes(body, out.body);
    out.body.skeleton.segments = weigh_segments(out.body);
    // By volume over fibre length, as the model of either body has it.
    const std::vector<double> before = greatest_muscle_forces(body);
    const std::vector<double> after = greatest_muscle_forces(out.body);
    std::map<std::string, double> force_of;
    for (std::size_t m = 0; m < before.size(); ++m) {
        if (before[m] > 0.0) {
            out.body.muscles[m].fmax *= after[m] / before[m];
            force_of[body.muscles[m].name] = after[m];
        }
    }
    for (const MuscleUnit& unit : model.muscles) {
        const auto it = force_of.find(unit.name);
        out.forces.push_back(proportions.strength *
                             (it == force_of.end() ? unit.fmax : it->second));
    }
    out.lift = out.body.skeleton.joints.empty()
                   ? 0.0
                   : out.body.skeleton.joints[0].centre.y() - skeleton.joints[0].y();
    out.inverted_tets = followed.report.inverted_tets;
    out.largest_gap = followed.report.largest_gap;
    out.crossing_before = static_cast<long>(find_self_intersections(body.skin.mesh).pairs.size());
    out.crossing = static_cast<long>(find_self_intersections(out.body.skin.mesh).pairs.size());
    const BodySummary summary = summarise(out.body);
    out.stature = summary.stature;
    out.mass = summary.mass;
    return out;
}

void stand_in_flesh(MusculoskeletalModel& model, const RetargetedBody& flesh,
                    const MusculoskeletalModel& made) {
    for (ModelJoint& joint : model.joints) {
        if (joint.parent < 0) {
            joint.parent_frame.position.y() += flesh.lift;
        }
    }
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    const ModelPlacement rest_made = KinematicTree(made).place(rest_coordinates(made));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Index other = find_body(made, model.bodies[b].name);
        if (other < 0) {
            continue;
        }
        // The frames of the two models differ by what torsion and bend turn.
        const Placement T = rest.bodies[b].inverse() * rest_made.bodies[at(other)];
        const RigidBody& source = made.bodies[at(other)];
        model.bodies[b].mass = source.mass;
        model.bodies[b].com = T * source.com;
        model.bodies[b].inertia = T.rotation * source.inertia * T.rotation.transpose();
    }
}

LinesComparison compare_lines(const MusculoskeletalModel& retargeted,
                              const MusculoskeletalModel& own) {
    LinesComparison out;
    const ModelPlacement a = KinematicTree(retargeted).place(rest_coordinates(retargeted));
    const ModelPlacement b = KinematicTree(own).place(rest_coordinates(own));
    for (std::size_t k = 0; k < retargeted.bodies.size(); ++k) {
        const Index other = find_body(own, retargeted.bodies[k].name);
        if (other >= 0) {
            out.joint_centres = std::max(
                out.joint_centres, (a.bodies[k].position - b.bodies[at(other)].position).norm());
        }
    }
    const PathState lengths = rest_lengths(retargeted);
    const PathState lengths_own = rest_lengths(own);
    std::map<std::string, std::size_t> number;
    for (std::size_t m = 0; m < own.muscles.size(); ++m) {
        number[own.muscles[m].name] = m;
    }
    std::vector<double> length;
    std::vector<double> fibre;
    for (std::size_t m = 0; m < retargeted.muscles.size(); ++m) {
        const MuscleUnit& unit = retargeted.muscles[m];
        const auto it = number.find(unit.name);
        if (it == number.end()) {
            continue;
        }
        const MuscleUnit& other = own.muscles[it->second];
        const auto difference = [](double x, double y) {
            return y > 0.0 ? std::abs(x / y - 1.0) : 0.0;
        };
        ++out.muscles;
        out.force = std::max(out.force, difference(unit.fmax, other.fmax));
        fibre.push_back(difference(unit.fibre, other.fibre));
        length.push_back(difference(lengths.length[m], lengths_own.length[it->second]));
        if (length.back() > out.worst_length) {
            out.worst_length = length.back();
            out.worst_length_muscle = unit.name;
        }
    }
    out.length = median(std::move(length));
    out.fibre = median(std::move(fibre));
    return out;
}

}  // namespace sinew
