#include "sinew/motion/ground_contact.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/motion/rigid_dynamics.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Ground reactions from the motion alone. What the root would have to carry is what the ground must
// give: force and moment are known exactly from the accelerations. Unknown is only how feet share
// it. A foot stands where it is low and moves with the ground (a treadmill's belt is found by the
// median velocity of the lower foot); two standing feet share as a beam across them would; each leg
// pushes towards the centre of mass.
//
// The sum is exact by construction and leaves no residual, which is why the note says that it is no
// measurement. The division between feet is a model, authored here.

namespace sinew {

namespace {

constexpr double kLeastForce = 1.0;  // N upwards; less is flight
constexpr double kTreadmill = 0.3;   // m/s of feet that stand

// A foot with the points that may touch: of the body and of all bodies beyond it.
struct Foot {
    struct Point {
        Index body = 0;
        Vec3 position = Vec3::Zero();
    };
    Index body = 0;
    std::vector<Point> points = {};
};

bool is_below(const KinematicTree& tree, Index body, Index ancestor) {
    while (body >= 0 && body != ancestor) {
        body = tree.parent(body);
    }
    return body == ancestor && body >= 0;
}

// Corners of boxes where there are any, else whatever is fixed to the foot: joints, markers, ends
// of muscles.
Foot foot_of(const MusculoskeletalModel& model, const KinematicTree& tree, Index body) {
    Foot foot{.body = body};
    const auto add = [&](Index b, const Vec3& p) {
        if (b >= 0 && is_below(tree, b, body)) {
            foot.points.push_back({b, p});
        }
    };
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const RigidBody& part = model.bodies[b];
        add(static_cast<Index>(b), Vec3::Zero());
        for (int corner = 0; !part.box.isZero() && corner < 8; ++corner) {
            const Vec3 sign((corner & 1) != 0 ? 0.5 : -0.5, (corner & 2) != 0 ? 0.5 : -0.5,
                            (corner & 4) != 0 ? 0.5 : -0.5);
            add(static_cast<Index>(b), part.box_placement * Vec3(sign.cwiseProduct(part.box)));
        }
    }
    for (const ModelMarker& marker : model.markers) {
        add(marker.body, marker.position);
    }
    for (const MuscleUnit& muscle : model.muscles) {
        for (const PathPoint& point : muscle.points) {
            if (point.anchors.size() == 1 && !point.is_moving()) {
                add(point.anchors[0].body, point.anchors[0].position);
            }
        }
    }
    return foot;
}

// Where a foot is in one frame: its lowest point, and the line from its one end to the other.
struct FootFrame {
    double height = 0.0;
    std::size_t lowest = 0;
    std::vector<Vec3> points = {};
    Vec3 heel = Vec3::Zero();
    Vec3 toe = Vec3::Zero();
    double contact = 0.0;
};

FootFrame look_at(const Foot& foot, const ModelPlacement& placement, const Vec3& up) {
    FootFrame out;
    out.height = std::numeric_limits<double>::infinity();
    std::vector<Vec3> level;
    for (const Foot::Point& p : foot.points) {
        const Vec3 x = placement.bodies[at(p.body)] * p.position;
        if (x.dot(up) < out.height) {
            out.height = x.dot(up);
            out.lowest = out.points.size();
        }
        out.points.push_back(x);
        level.push_back(x - x.dot(up) * up);
    }
    double longest = -1.0;
    for (const Vec3& a : level) {
        for (const Vec3& b : level) {
            if ((a - b).squaredNorm() > longest) {
                longest = (a - b).squaredNorm();
                out.heel = a;
                out.toe = b;
            }
        }
    }
    return out;
}

Vec3 nearest_on_foot(const FootFrame& foot, const Vec3& p) {
    const Vec3 along = foot.toe - foot.heel;
    const double length = along.squaredNorm();
    const double t = length > 0.0 ? std::clamp((p - foot.heel).dot(along) / length, 0.0, 1.0) : 0.0;
    return foot.heel + t * along;
}

// 1 below the limit's half, 0 beyond the limit, smooth between.
double fades(double x, double limit) {
    const double t = std::clamp((limit - x) / (0.5 * limit), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// How much of the force each foot carries: of two that stand, as a beam across them would share it.
// `reach` keeps the division finite while feet stand on the same spot.
// Two feet at equal distance from the centre of pressure carry half each; a foot right above it
// carries all.
std::vector<double> shares_of(const std::vector<FootFrame>& feet, const std::vector<Vec3>& point,
                              const Vec3& centre, double reach) {
    std::vector<double> share(feet.size(), 0.0);
    double sum = 0.0;
    for (std::size_t f = 0; f < feet.size(); ++f) {
        // Others pull it towards themselves: the product over them of the place between the two.
        double place = 1.0;
        for (std::size_t other = 0; other < feet.size(); ++other) {
            const Vec3 apart = point[f] - point[other];
            if (other != f && feet[other].contact > 0.0) {
                place *= std::clamp(
                    (centre - point[other]).dot(apart) / (apart.squaredNorm() + reach * reach), 0.0,
                    1.0);
            }
        }
        share[f] = feet[f].contact * (place + 1e-6);
        sum += share[f];
    }
    for (double& s : share) {
        s = sum > 0.0 ? s / sum : 0.0;
    }
    return share;
}

// The load of the ground at one moment, shared by feet.
void share_out(const JointLoad& total, const std::vector<FootFrame>& feet, const Vec3& com,
               const Vec3& up, double ground, double reach, std::vector<ExternalLoad>& loads) {
    const double vertical = total.force.dot(up);
    const Vec3 base = ground * up;
    Vec3 centre = base;
    std::vector<double> share(feet.size(), 0.0);
    std::vector<Vec3> point(feet.size(), base);
    if (vertical > kLeastForce) {
        // Moment about a point of the ground; the centre of pressure is up x M / F_up from there.
        centre = base + up.cross(total.moment - base.cross(total.force)) / vertical;
        for (std::size_t f = 0; f < feet.size(); ++f) {
            point[f] = nearest_on_foot(feet[f], centre - base) + base;
        }
        share = shares_of(feet, point, centre, reach);
    }
    Vec3 mean = Vec3::Zero();
    double sum = 0.0;
    for (std::size_t f = 0; f < feet.size(); ++f) {
        mean += share[f] * point[f];
        sum += share[f];
    }
    // Legs that stand apart push towards the centre of mass, against each other; the shared rest
    // makes the sum right again.
    const double height = std::max((com - base).dot(up), 0.1);
    std::vector<Vec3> force(feet.size(), Vec3::Zero());
    Vec3 rest = sum > 0.0 ? total.force : Vec3(Vec3::Zero());
    for (std::size_t f = 0; f < feet.size(); ++f) {
        point[f] += sum > 0.0 ? Vec3(centre - mean) : Vec3(Vec3::Zero());
        force[f] = share[f] * vertical * (com - point[f]) / height;
        rest -= force[f];
    }
    Vec3 free = total.moment;
    for (std::size_t f = 0; f < feet.size(); ++f) {
        force[f] += share[f] * rest;
        free -= point[f].cross(force[f]);
    }
    for (std::size_t f = 0; f < feet.size(); ++f) {
        loads[f].force.push_back(force[f]);
        loads[f].point.push_back(point[f]);
        loads[f].torque.push_back(share[f] * free.dot(up) * up);
    }
}

// Velocity of a foot's lowest point, by its neighbours in time.
Vec3 lowest_velocity(const std::vector<std::vector<FootFrame>>& frames,
                     const std::vector<double>& times, std::size_t r, std::size_t f) {
    const std::size_t before = r > 0 ? r - 1 : r;
    const std::size_t after = r + 1 < frames.size() ? r + 1 : r;
    const double dt = times[after] - times[before];
    const std::size_t p = frames[r][f].lowest;
    return dt > 0.0 ? Vec3((frames[after][f].points[p] - frames[before][f].points[p]) / dt)
                    : Vec3(Vec3::Zero());
}

// How the ground itself moves: a treadmill's belt carries the lower foot along. The median over
// the frames, per axis.
Vec3 belt_velocity(const std::vector<std::vector<FootFrame>>& frames,
                   const std::vector<double>& times) {
    std::array<std::vector<double>, 3> seen;
    for (std::size_t r = 0; r < frames.size(); ++r) {
        const auto lower_foot = std::min_element(
            frames[r].begin(), frames[r].end(),
            [](const FootFrame& a, const FootFrame& b) { return a.height < b.height; });
        const Vec3 v = lowest_velocity(frames, times, r,
                                       static_cast<std::size_t>(lower_foot - frames[r].begin()));
        for (std::size_t k = 0; k < 3; ++k) {
            seen[k].push_back(v[static_cast<Eigen::Index>(k)]);
        }
    }
    Vec3 out = Vec3::Zero();
    for (std::size_t k = 0; k < 3 && !frames.empty(); ++k) {
        const auto middle = seen[k].begin() + static_cast<std::ptrdiff_t>(seen[k].size() / 2);
        std::nth_element(seen[k].begin(), middle, seen[k].end());
        out[static_cast<Eigen::Index>(k)] = *middle;
    }
    return out;
}

}  // namespace

std::vector<Index> find_feet(const MusculoskeletalModel& model,
                             std::span<const std::string> names) {
    std::vector<Index> feet;
    const KinematicTree tree(model);
    const auto add = [&](Index body) {
        const bool is_known = std::any_of(feet.begin(), feet.end(),
                                          [&](Index other) { return is_below(tree, body, other); });
        if (!is_known) {
            feet.push_back(body);
        }
    };
    for (const std::string& name : names) {
        const Index body = find_body(model, name);
        if (body < 0) {
            std::vector<std::string> all;
            for (const RigidBody& b : model.bodies) {
                all.push_back(b.name);
            }
            throw InputError({.where = fmt::format("foot '{}'", name),
                              .found = "no such body" + did_you_mean(name, all),
                              .needs = "the name of a body",
                              .remedy = "name bodies of the model"});
        }
        add(body);
    }
    if (!names.empty()) {
        return feet;
    }
    // From the root on, so that a heel comes before its toes.
    constexpr std::array<std::string_view, 5> kFeet = {"talus", "calcn", "calcaneus", "foot",
                                                       "hindfoot"};
    for (const Index body : tree.order()) {
        const std::string name = lower(model.bodies[at(body)].name);
        if (std::any_of(kFeet.begin(), kFeet.end(), [&](std::string_view part) {
                return name.find(part) != std::string::npos;
            })) {
            add(body);
        }
    }
    return feet;
}

ExternalLoads estimate_ground_loads(const MusculoskeletalModel& model,
                                    const CoordinateMotion& motion,
                                    const GroundContactOptions& options) {
    const KinematicTree tree(model);
    const RigidDynamics dynamics(model, tree);
    const Vec3 up = model.gravity.norm() > 0.0 ? Vec3(-model.gravity.normalized()) : Vec3::UnitY();
    std::vector<Foot> feet;
    ExternalLoads out;
    for (const Index body : find_feet(model, options.feet)) {
        feet.push_back(foot_of(model, tree, body));
        out.loads.push_back(
            {.name = model.bodies[at(body)].name, .body = body, .times = motion.times});
    }
    if (feet.empty()) {
        throw InputError({.where = fmt::format("model '{}'", model.name),
                          .found = "no body named after a foot (talus, calcn, foot)",
                          .needs = "feet to estimate the ground reaction",
                          .remedy = "name them with --feet"});
    }
    // Where feet are in every frame, and the lowest height that any reaches: the ground.
    const std::size_t n = model.coordinates.size();
    const std::size_t rows = motion.times.size();
    std::vector<std::vector<FootFrame>> frames(rows);
    std::vector<JointLoad> totals(rows);
    std::vector<Vec3> coms(rows, Vec3::Zero());
    const double mass = dynamics.total_mass();
    double ground = std::numeric_limits<double>::infinity();
    ModelPlacement placement;
    for (std::size_t r = 0; r < rows; ++r) {
        tree.place(std::span(motion.q).subspan(r * n, n), placement);
        const auto passed =
            dynamics.joint_loads(placement, std::span(motion.speed).subspan(r * n, n),
                                 std::span(motion.acceleration).subspan(r * n, n));
        for (const Index body : tree.order()) {
            if (tree.parent(body) < 0) {
                totals[r].force += passed[at(body)].force;
                totals[r].moment += passed[at(body)].moment;
            }
        }
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            coms[r] += model.bodies[b].mass / mass * (placement.bodies[b] * model.bodies[b].com);
        }
        for (const Foot& foot : feet) {
            frames[r].push_back(look_at(foot, placement, up));
            ground = std::min(ground, frames[r].back().height);
        }
    }
    // A foot stands that is low and moves with the ground.
    // On a treadmill standing feet move backwards; contact is judged against the belt.
    const Vec3 belt = belt_velocity(frames, motion.times);
    const Vec3 belt_along = belt - belt.dot(up) * up;
    if (belt_along.norm() > kTreadmill) {
        out.notes.push_back(fmt::format("standing feet move at {:.2f} m/s: taken as a treadmill",
                                        belt_along.norm()));
    }
    std::size_t flights = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        double most = 0.0;
        for (std::size_t f = 0; f < feet.size(); ++f) {
            FootFrame& foot = frames[r][f];
            const double speed = (lowest_velocity(frames, motion.times, r, f) - belt_along).norm();
            foot.contact =
                fades(foot.height - ground, options.height) * fades(speed, options.speed);
            most = std::max(most, foot.contact);
        }
        flights += most > 0.0 ? 0 : 1;
        share_out(totals[r], frames[r], coms[r], up, ground, options.reach, out.loads);
    }
    out.notes.push_back(fmt::format(
        "the ground reaction is an estimate from the motion ({} feet on a ground at {:.3f} m); it "
        "leaves no residuals by construction and is not a measurement",
        feet.size(), ground));
    if (flights > 0) {
        out.notes.push_back(
            fmt::format("no foot stands in {} of {} frames; these have no load", flights, rows));
    }
    return out;
}

}  // namespace sinew
