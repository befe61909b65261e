#include "sinew/motion/residuals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// What the root must carry beside external loads. Nothing holds a person there, so these forces
// measure how badly motion, masses and loads fit each other [Hicks2015]. Reported as a part of body
// weight; moments as that of a weight at one metre.

namespace sinew {

namespace {

// Whether a body is the ground itself, or fixed to it.
bool is_fixed(const MusculoskeletalModel& model, Index body) {
    while (body >= 0) {
        const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                        [&](const ModelJoint& j) { return j.child == body; });
        if (joint == model.joints.end() || joint->kind != JointKind::Weld) {
            return false;
        }
        body = joint->parent;
    }
    return true;
}

}  // namespace

std::vector<Index> root_coordinates(const MusculoskeletalModel& model) {
    std::vector<Index> out;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        if (!is_fixed(model, model.joints[j].parent)) {
            continue;
        }
        std::vector<Index> own;
        bool shifts = false;
        for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
            if (model.coordinates[c].joint == static_cast<Index>(j)) {
                own.push_back(static_cast<Index>(c));
                shifts = shifts || !model.coordinates[c].is_rotation;
            }
        }
        if (shifts) {
            out.insert(out.end(), own.begin(), own.end());
        }
    }
    return out;
}

std::vector<Residual> find_residuals(const MusculoskeletalModel& model,
                                     const MotionTable& moments) {
    double mass = 0.0;
    for (const RigidBody& body : model.bodies) {
        mass += body.mass;
    }
    const double weight = mass * (model.gravity.norm() > 0.0 ? model.gravity.norm() : kGravity);
    std::vector<Residual> out;
    for (const Index c : root_coordinates(model)) {
        const Coordinate& coordinate = model.coordinates[at(c)];
        Residual r{.coordinate = coordinate.name, .is_rotation = coordinate.is_rotation};
        double sum = 0.0;
        for (std::size_t t = 0; t < moments.times.size(); ++t) {
            const double value = std::abs(moments.at(t, static_cast<std::size_t>(c)));
            sum += value * value;
            if (value > r.peak) {
                r.peak = value;
                r.when = moments.times[t];
            }
        }
        r.rms = moments.times.empty() ? 0.0
                                      : std::sqrt(sum / static_cast<double>(moments.times.size()));
        r.share = weight > 0.0 ? r.peak / weight : 0.0;
        out.push_back(r);
    }
    return out;
}

std::vector<std::string> residual_warnings(const std::vector<Residual>& residuals, bool has_loads) {
    std::vector<std::string> out;
    for (const Residual& r : residuals) {
        if (r.share <= kTolerableResidual) {
            continue;
        }
        out.push_back(fmt::format(
            "residual {} of {}: {:.1f} {} at {:.3f} s, {:.0f} % of body weight{} (RMS {:.1f}); {}",
            r.is_rotation ? "moment" : "force", r.coordinate, r.peak, r.is_rotation ? "N m" : "N",
            r.when, 100.0 * r.share, r.is_rotation ? " x 1 m" : "", r.rms,
            has_loads ? "motion, masses and loads do not fit each other"
                      : "nothing real exerts it: give the ground reaction (--loads) or have it "
                        "estimated (--contact)"));
    }
    return out;
}

}  // namespace sinew
