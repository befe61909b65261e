#pragma once

#include "sinew/body/musculoskeletal.h"

namespace sinew::support {

/// A planar person: a pelvis that is free in the plane, one thigh, one shank with a foot's point,
/// hinges about z, y up, x forward. Masses 40, 8 and 4 kg; both limbs 0.4 m long, hanging down. A
/// muscle in front of the knee and one behind it.
inline MusculoskeletalModel leg_model() {
    MusculoskeletalModel model;
    model.name = "leg";
    const auto body = [&](const char* name, double mass, const Vec3& com) {
        RigidBody b{.name = name, .mass = mass, .com = com};
        b.inertia = 0.02 * mass * Mat3::Identity();
        model.bodies.push_back(b);
    };
    body("pelvis", 40.0, Vec3(0.0, 0.2, 0.0));
    body("femur", 8.0, Vec3(0.0, -0.17, 0.0));
    body("foot", 4.0, Vec3(0.0, -0.17, 0.0));
    ModelJoint root{.name = "root", .kind = JointKind::Planar, .parent = -1, .child = 0};
    root.axes = standard_axes(JointKind::Planar, 0);
    model.joints.push_back(root);
    ModelJoint hip{.name = "hip", .kind = JointKind::Hinge, .parent = 0, .child = 1};
    hip.axes = standard_axes(JointKind::Hinge, 3);
    model.joints.push_back(hip);
    ModelJoint knee{.name = "knee", .kind = JointKind::Hinge, .parent = 1, .child = 2};
    knee.parent_frame.position = Vec3(0.0, -0.4, 0.0);
    knee.axes = standard_axes(JointKind::Hinge, 4);
    model.joints.push_back(knee);
    const auto coordinate = [&](const char* name, Index joint, bool turns, double low,
                                double high) {
        model.coordinates.push_back(
            {.name = name, .joint = joint, .is_rotation = turns, .low = low, .high = high});
    };
    coordinate("tilt", 0, true, -1.6, 1.6);
    coordinate("tx", 0, false, -5.0, 5.0);
    coordinate("ty", 0, false, -5.0, 5.0);
    coordinate("hip_flexion", 1, true, -2.0, 2.0);
    coordinate("knee_angle", 2, true, -2.1, 0.2);
    const auto muscle = [&](const char* name, double x) {
        MuscleUnit m{.name = name, .fmax = 3000.0, .fibre = 0.1, .tendon = 0.22};
        m.points = {{.name = "a", .anchors = {{.body = 1, .position = Vec3(x, -0.15, 0.0)}}},
                    {.name = "b", .anchors = {{.body = 2, .position = Vec3(x, -0.07, 0.0)}}}};
        model.muscles.push_back(m);
    };
    muscle("extensor", 0.04);
    muscle("flexor", -0.04);
    const auto marker = [&](const char* name, Index b, const Vec3& p) {
        model.markers.push_back({name, b, p});
    };
    marker("ASIS", 0, Vec3(0.1, 0.1, 0.0));
    marker("SACR", 0, Vec3(-0.1, 0.1, 0.0));
    marker("THI", 1, Vec3(0.06, -0.2, 0.0));
    marker("KNE", 1, Vec3(0.0, -0.4, 0.05));
    marker("SHA", 2, Vec3(0.05, -0.2, 0.0));
    marker("TOE", 2, Vec3(0.15, -0.4, 0.0));
    return model;
}

/// Coordinates that swing smoothly, `rows` of them at 100 per second.
inline MotionTable leg_motion(std::size_t rows) {
    MotionTable table{.name = "swing",
                      .columns = {"tilt", "tx", "ty", "hip_flexion", "knee_angle"}};
    for (std::size_t r = 0; r < rows; ++r) {
        const double t = 0.01 * static_cast<double>(r);
        table.times.push_back(t);
        table.values.insert(table.values.end(),
                            {0.1 * std::sin(3.0 * t), 0.2 * t, 0.8 + 0.02 * std::sin(5.0 * t),
                             0.4 * std::sin(4.0 * t), -0.5 - 0.4 * std::cos(4.0 * t)});
    }
    return table;
}

}  // namespace sinew::support
