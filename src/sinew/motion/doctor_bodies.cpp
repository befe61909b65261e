#include "sinew/base/text.h"
#include "sinew/linalg/dense.h"
#include "sinew/motion/doctor_exam.h"
#include "sinew/motion/known_muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Faults of bodies and coordinates: gravity that points up, masses that are missing or out of
// proportion to those of other segments [deLeva1996], inertias that no body can have (triangle
// inequality, density of the ellipsoid with the same moments), centres of mass far from everything,
// ranges that cannot be.

namespace sinew {

namespace {

constexpr double kWidestGyration = 0.6;  // m
// The same of what moves but for trunks: that of a rod of 1.2 m. Clean models have at most 0.15.
constexpr double kWidestOfLimb = 0.35;    // m
constexpr double kHeaviestLimb = 15.0;    // kg
constexpr double kGreatestDensity = 1e5;  // kg/m^3; tissue has 1000, thin rods seem far denser
constexpr double kTokenMass = 2e-3;       // kg
constexpr double kFarCentre = 0.5;        // m from all joints and muscles of a body

std::string body_text(const RigidBody& body) {
    return fmt::format("body '{}'", body.name);
}

void examine_gravity(ModelExam& exam) {
    const Vec3& g = exam.model.gravity;
    Eigen::Index axis = 0;
    const double most = g.cwiseAbs().maxCoeff(&axis);
    if (most > 0.0 && g[axis] > 0.0) {
        exam.add({.what = fmt::format("gravity that points upwards, along +{}", "xyz"[axis]),
                  .where = "the model's gravity",
                  .value = g[axis],
                  .low = -kGravity,
                  .high = 0.0,
                  .unit = "m/s^2",
                  .source = "formats count height upwards",
                  .remedy = "change the sign of gravity"});
    } else if (most > 0.0 && axis == 0) {
        exam.add({.what = "gravity that points sideways, along -x",
                  .where = "the model's gravity",
                  .value = g[axis],
                  .low = 0.0,
                  .high = 0.0,
                  .unit = "m/s^2",
                  .source = "formats count height along y or z",
                  .remedy = "give it along -y (.osim) or -z (MuJoCo)"});
    } else if (most > 0.0 && std::abs(g.norm() - kGravity) > 0.5) {
        exam.add({.what = "gravity that is not the Earth's",
                  .where = "the model's gravity",
                  .value = g.norm(),
                  .low = kGravity - 0.5,
                  .high = kGravity + 0.5,
                  .unit = "m/s^2",
                  .source = "the Earth",
                  .remedy = "",
                  .is_error = false});
    }
}

// Everything fixed to a body but its centre of mass: joints and muscles.
std::vector<std::vector<Vec3>> fixed_points(const MusculoskeletalModel& model) {
    std::vector<std::vector<Vec3>> out(model.bodies.size());
    for (const ModelJoint& joint : model.joints) {
        out[at(joint.child)].push_back(joint.child_frame.position);
        if (joint.parent >= 0) {
            out[at(joint.parent)].push_back(joint.parent_frame.position);
        }
    }
    for (const MuscleUnit& unit : model.muscles) {
        for (const PathPoint& point : unit.points) {
            if (point.anchors[0].body >= 0 && !point.is_moving()) {
                out[at(point.anchors[0].body)].push_back(point.anchors[0].position);
            }
        }
    }
    return out;
}

// The ellipsoid of even density with the same mass and moments: kg/m^3, or 0 where there is none.
double density(const RigidBody& body, const Vec3& I) {
    double volume = 4.0 / 3.0 * kPi;
    for (int k = 0; k < 3; ++k) {
        const double square = 2.5 / body.mass * (I.sum() - 2.0 * I[k]);
        if (square <= 1e-12) {
            return 0.0;
        }
        volume *= std::sqrt(square);
    }
    return body.mass / volume;
}

void examine_inertia(ModelExam& exam, const RigidBody& body, bool is_moved) {
    const Vec3 I = symmetric_eigen(body.inertia).values;
    ModelFinding finding{.where = body_text(body), .unit = "kg m^2", .source = "mechanics"};
    if (I[0] < 0.0 || (body.inertia - body.inertia.transpose()).norm() > 1e-9) {
        finding.what = "an inertia that is negative or not symmetric";
        finding.value = I[0];
        finding.high = I[2];
        finding.remedy = "give six moments about the centre of mass, the diagonal positive";
        exam.add(finding);
    } else if (I[2] > (I[0] + I[1]) * (1.0 + 1e-3)) {
        finding.what =
            "principal inertias that no solid body has: the largest exceeds the sum of the others";
        finding.value = I[2];
        finding.high = I[0] + I[1];
        finding.source = "triangle inequality";
        finding.remedy = "look for a moment with a wrong power of ten";
        // Models that move in a plane give one moment only.
        finding.is_error = I[1] > 0.0;
        exam.add(finding);
    }
    const double radius = std::sqrt(std::max(I[2], 0.0) / body.mass);
    // What stands still may be a whole skeleton that is only looked at.
    const double widest = is_moved && body.mass < kHeaviestLimb ? kWidestOfLimb : kWidestGyration;
    if (radius > widest) {
        exam.add({.what = "a radius of gyration larger than a body part has: its mass is too small "
                          "for its inertia, or its inertia too large",
                  .where = body_text(body),
                  .value = radius,
                  .low = 0.005,
                  .high = widest,
                  .unit = "m",
                  .source = "deLeva1996",
                  .remedy = "compare mass and inertia with a body part of that size",
                  // Frames between joints get a token mass and an inertia for numerics' sake.
                  .is_error = body.mass > kTokenMass});
    }
    if (const double rho = density(body, I); rho > kGreatestDensity) {
        exam.add({.what = "a mass too large for its inertia: the solid of these moments would be "
                          "denser than any metal",
                  .where = body_text(body),
                  .value = rho,
                  .low = 10.0,
                  .high = kGreatestDensity,
                  .unit = "kg/m^3",
                  .source = "tissue has 900 to 1900",
                  .remedy = "look for a mass with a wrong power of ten"});
    }
}

// Parts of the whole mass [deLeva1996, men; the torso with the head, without the pelvis].
struct KnownSegment {
    const char* name;
    double share;
    bool is_lumped;  // models make it carry what they have no bodies for
};
constexpr std::array<KnownSegment, 5> kSegments = {{{"femur", 0.1416, false},
                                                    {"tibia", 0.0433, false},
                                                    {"humerus", 0.0271, false},
                                                    {"pelvis", 0.1117, true},
                                                    {"torso", 0.35, true}}};
constexpr std::size_t kFewestSegments = 3;
constexpr double kSegmentFactor = 4.0;  // models differ by 1.8
constexpr double kWholeFactor = 1.2;    // of the whole mass, that one body may have

const KnownSegment* segment_of(const RigidBody& body) {
    const std::string name = lower(body.name);
    for (const KnownSegment& segment : kSegments) {
        if (body.mass > 0.0 && name.find(segment.name) != std::string::npos) {
            return &segment;
        }
    }
    return nullptr;
}

bool has_counterpart(const ModelExam& exam, const RigidBody& body) {
    const std::vector<std::string> others = names_of_other_side(body.name);
    return std::any_of(exam.model.bodies.begin(), exam.model.bodies.end(), [&](const RigidBody& b) {
        return b.mass > 0.0 && std::find(others.begin(), others.end(), b.name) != others.end();
    });
}

// Every segment gives a mass of the whole; one that gives quite another has a wrong mass. Those
// that have a counterpart are compared with it (examine_sides).
void examine_masses(ModelExam& exam) {
    std::vector<double> wholes;
    for (const RigidBody& body : exam.model.bodies) {
        if (const KnownSegment* segment = segment_of(body)) {
            wholes.push_back(body.mass / segment->share);
        }
    }
    if (wholes.size() < kFewestSegments) {
        return;
    }
    const auto middle = wholes.begin() + static_cast<std::ptrdiff_t>(wholes.size() / 2);
    std::nth_element(wholes.begin(), middle, wholes.end());
    for (const RigidBody& body : exam.model.bodies) {
        const KnownSegment* segment = segment_of(body);
        if (segment == nullptr || has_counterpart(exam, body)) {
            continue;
        }
        const double usual = *middle * segment->share;
        const double low = segment->is_lumped ? 0.0 : usual / kSegmentFactor;
        const double high = segment->is_lumped ? kWholeFactor * *middle : kSegmentFactor * usual;
        if (body.mass < low || body.mass > high) {
            exam.add({.what = "a mass far from what the other segments let expect",
                      .where = body_text(body),
                      .value = body.mass,
                      .low = low,
                      .high = high,
                      .unit = "kg",
                      .source = "deLeva1996",
                      .remedy = "look for a mass with a wrong power of ten"});
        }
    }
}

}  // namespace

void examine_bodies(ModelExam& exam) {
    examine_masses(exam);
    examine_gravity(exam);
    const std::vector<std::vector<Vec3>> points = fixed_points(exam.model);
    const bool has_masses = std::any_of(exam.model.bodies.begin(), exam.model.bodies.end(),
                                        [](const RigidBody& b) { return b.mass > 0.0; });
    for (std::size_t b = 0; b < exam.model.bodies.size(); ++b) {
        const RigidBody& body = exam.model.bodies[b];
        const bool is_moved = !exam.tree.chain(static_cast<Index>(b)).empty();
        if (body.mass <= 0.0) {
            // Where muscles pull on it, a body among others with mass has been forgotten; helpers
            // between two axes carry nothing.
            const bool carries = std::any_of(
                exam.model.muscles.begin(), exam.model.muscles.end(), [&](const MuscleUnit& unit) {
                    return std::any_of(unit.points.begin(), unit.points.end(),
                                       [&](const PathPoint& p) {
                                           return p.anchors[0].body == static_cast<Index>(b);
                                       });
                });
            if (is_moved) {
                exam.add({.what = "a moving body without mass",
                          .where = body_text(body),
                          .value = body.mass,
                          .low = 1e-3,
                          .high = 100.0,
                          .unit = "kg",
                          .source = "mechanics",
                          .remedy = "give it the mass of its segment",
                          .is_error = has_masses && carries});
            }
            continue;
        }
        examine_inertia(exam, body, is_moved);
        double nearest = points[b].empty() ? 0.0 : 1e9;
        for (const Vec3& p : points[b]) {
            nearest = std::min(nearest, (p - body.com).norm());
        }
        if (nearest > kFarCentre) {
            exam.add({.what = "a centre of mass far from everything that is fixed to the body",
                      .where = body_text(body),
                      .value = nearest,
                      .low = 0.0,
                      .high = kFarCentre,
                      .unit = "m",
                      .source = "deLeva1996",
                      .remedy = "give it in the body's own frame, in metres"});
        }
    }
}

void examine_coordinates(ModelExam& exam) {
    for (const Coordinate& c : exam.model.coordinates) {
        ModelFinding finding{.where = fmt::format("coordinate '{}'", c.name),
                             .low = std::min(c.low, c.high),
                             .high = std::max(c.low, c.high),
                             .unit = c.is_rotation ? "rad" : "m",
                             .source = "the model itself"};
        if (!(c.low < c.high) && !c.is_locked) {
            finding.what = c.low == c.high ? "a range of one value, though it is not locked"
                                           : "a range whose lower end lies above its upper end";
            finding.value = c.low;
            finding.is_error = c.low > c.high;
            finding.remedy = "exchange the two ends";
            exam.add(finding);
        } else if (c.rest < c.low - 1e-6 || c.rest > c.high + 1e-6) {
            finding.what = "a default value outside its own range";
            finding.value = c.rest;
            finding.remedy = "look for degrees given as radians";
            finding.is_error =
                c.is_clamped || std::max(c.low - c.rest, c.rest - c.high) > 0.5 * (c.high - c.low);
            exam.add(finding);
        }
    }
}

}  // namespace sinew
