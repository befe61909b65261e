#pragma once

#include "sinew/body/musculoskeletal.h"

#include <string>

namespace sinew::support {

/// Two legs under a trunk of two bodies, x to the left, y up, z forward, standing. Hips and ankles
/// are balls, knees hinges about x from 0 to 2.3 rad, as in the MASS model. Each leg has a hip
/// flexor, a hamstring and a vastus with waypoints that follow two bodies, and a soleus.
inline MusculoskeletalModel walker_model() {
    MusculoskeletalModel model;
    model.name = "walker";
    const auto add = [&](const std::string& name, Index parent, const Vec3& origin,
                         const Vec3& offset, JointKind kind, double mass) {
        const Index child = static_cast<Index>(model.bodies.size());
        const auto first = static_cast<Index>(model.coordinates.size());
        model.bodies.push_back({.name = name,
                                .mass = mass,
                                .com = offset,
                                .inertia = Vec3(0.02, 0.01, 0.02).asDiagonal() * mass});
        ModelJoint joint{.name = name, .kind = kind, .parent = parent, .child = child};
        joint.parent_frame.position = origin;
        if (kind == JointKind::Hinge) {
            joint.kind = JointKind::Custom;
            joint.axes = standard_axes(JointKind::Ball, -1);
            for (JointAxis& axis : joint.axes) {
                axis.coordinate = -1;
                axis.function = {};
            }
            joint.axes[0].coordinate = first;
            joint.axes[0].function = {.kind = ScalarFunction::Kind::Linear,
                                      .coefficients = {1.0, 0.0}};
            model.coordinates.push_back(
                {.name = name, .joint = child, .low = 0.0, .high = 2.3, .is_clamped = true});
        } else {
            joint.axes = standard_axes(kind, first);
            const char* suffix[] = {"_rx", "_ry", "_rz", "_tx", "_ty", "_tz"};
            for (int k = 0; k < coordinate_count(kind); ++k) {
                model.coordinates.push_back({.name = name + suffix[k],
                                             .joint = child,
                                             .is_rotation = k < 3,
                                             .low = -1.5,
                                             .high = 1.5});
            }
        }
        model.joints.push_back(joint);
        return child;
    };
    const Index pelvis =
        add("Pelvis", -1, Vec3(0.0, 1.0, 0.0), Vec3::Zero(), JointKind::Free, 12.0);
    add("Torso", pelvis, Vec3(0.0, 0.1, 0.0), Vec3(0.0, 0.2, 0.0), JointKind::Ball, 30.0);
    for (const double side : {1.0, -1.0}) {
        const std::string s = side > 0.0 ? "L" : "R";
        const Index femur = add("Femur" + s, pelvis, Vec3(0.09 * side, -0.05, 0.0),
                                Vec3(0.0, -0.18, 0.0), JointKind::Ball, 8.0);
        const Index tibia = add("Tibia" + s, femur, Vec3(0.0, -0.42, 0.0), Vec3(0.0, -0.18, 0.0),
                                JointKind::Hinge, 4.0);
        const Index talus = add("Talus" + s, tibia, Vec3(0.0, -0.4, 0.0), Vec3(0.0, -0.04, 0.05),
                                JointKind::Ball, 1.0);
        using Anchors = std::vector<PathPoint::Anchor>;
        const auto muscle = [&](const std::string& name, const std::vector<Anchors>& points) {
            MuscleUnit unit{.name = s + "_" + name, .fmax = 1000.0, .fibre = 0.2, .tendon = 0.1};
            for (std::size_t k = 0; k < points.size(); ++k) {
                unit.points.push_back({.name = name + std::to_string(k), .anchors = points[k]});
            }
            model.muscles.push_back(unit);
        };
        muscle("iliacus", {{{pelvis, Vec3(0.08 * side, 0.06, 0.0)}},
                           {{pelvis, Vec3(0.08 * side, -0.04, 0.05), 0.5},
                            {femur, Vec3(-0.01 * side, 0.01, 0.05), 0.5}},
                           {{femur, Vec3(0.0, -0.07, 0.0)}}});
        muscle("hamstring",
               {{{pelvis, Vec3(0.06 * side, -0.1, -0.05)}},
                {{femur, Vec3(0.0, -0.38, -0.045), 0.6}, {tibia, Vec3(0.0, 0.04, -0.045), 0.4}},
                {{tibia, Vec3(0.0, -0.05, -0.03)}}});
        muscle("vastus",
               {{{femur, Vec3(0.0, -0.12, 0.02)}},
                {{femur, Vec3(0.0, -0.4, 0.05), 0.5}, {tibia, Vec3(0.0, 0.02, 0.05), 0.5}},
                {{tibia, Vec3(0.0, -0.06, 0.035)}}});
        muscle("soleus", {{{tibia, Vec3(0.0, -0.1, -0.02)}}, {{talus, Vec3(0.0, -0.03, -0.05)}}});
    }
    return model;
}

}  // namespace sinew::support
