#include "tests/support/model_faults.h"

#include "sinew/base/random.h"

#include <cmath>
#include <functional>

namespace sinew::support {

namespace {

constexpr double kVisible = 0.025;  // m

using Harm = std::function<bool(MusculoskeletalModel&, std::size_t, Random&)>;

// Changes all points (or the last) along one axis of their bodies' frames.
Harm mirrored(Eigen::Index axis, bool last_only) {
    return [axis, last_only](MusculoskeletalModel& model, std::size_t m, Random&) {
        double moved = 0.0;
        auto& points = model.muscles[m].points;
        for (std::size_t k = last_only ? points.size() - 1 : 0; k < points.size(); ++k) {
            double& x = points[k].anchors[0].position[axis];
            moved = std::max(moved, points[k].is_moving() ? 0.0 : 2.0 * std::abs(x));
            x = -x;
        }
        return moved > kVisible;
    };
}

Harm shifted(double distance) {
    return [distance](MusculoskeletalModel& model, std::size_t m, Random& random) {
        auto& points = model.muscles[m].points;
        PathPoint& point = random.uniform() < 0.5 ? points.front() : points.back();
        Vec3 d(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5);
        point.anchors[0].position += distance * d.normalized();
        return !point.is_moving();
    };
}

bool to_wrong_body(MusculoskeletalModel& model, std::size_t m, Random& random) {
    auto& points = model.muscles[m].points;
    const bool is_first = random.uniform() < 0.5;
    PathPoint& point = is_first ? points.front() : points.back();
    const Index other = (is_first ? points.back() : points.front()).anchors[0].body;
    const auto count = static_cast<double>(model.bodies.size());
    Index body = point.anchors[0].body;
    for (int tries = 0; tries < 20 && (body == point.anchors[0].body || body == other); ++tries) {
        body = static_cast<Index>(random.uniform() * count);
    }
    const bool is_changed = body != point.anchors[0].body && body != other;
    point.anchors[0].body = body;
    return is_changed && !point.is_moving();
}

bool in_millimetres(MusculoskeletalModel& model, std::size_t m, Random&) {
    for (PathPoint& p : model.muscles[m].points) {
        p.anchors[0].position *= 1000.0;
    }
    return true;
}

bool swapped(MusculoskeletalModel& model, std::size_t m, Random&) {
    auto& points = model.muscles[m].points;
    if (points.size() < 3 || !model.muscles[m].wraps.empty()) {
        return false;
    }
    const bool differ =
        points[0].anchors[0].body != points[1].anchors[0].body ||
        (points[0].anchors[0].position - points[1].anchors[0].position).norm() > kVisible;
    std::swap(points[0], points[1]);
    return differ && !points[0].is_moving() && !points[1].is_moving() && points[0].condition < 0 &&
           points[1].condition < 0;
}

bool wrap_enlarged(MusculoskeletalModel& model, std::size_t m, Random&) {
    const MuscleUnit& unit = model.muscles[m];
    if (unit.wraps.empty()) {
        return false;
    }
    model.wraps[static_cast<std::size_t>(unit.wraps[0].object)].size *= 5.0;
    return model.wraps[static_cast<std::size_t>(unit.wraps[0].object)].is_active;
}

Harm scaled(double MuscleUnit::*member, double factor) {
    return [member, factor](MusculoskeletalModel& model, std::size_t m, Random&) {
        model.muscles[m].*member *= factor;
        return model.muscles[m].has_known_lengths && model.muscles[m].*member > 0.0;
    };
}

Harm tendon_longer(double factor) {
    return [factor](MusculoskeletalModel& model, std::size_t m, Random&) {
        MuscleUnit& unit = model.muscles[m];
        const double more = (factor - 1.0) * unit.tendon;
        unit.tendon *= factor;
        return unit.has_known_lengths && more > unit.fibre * 0.8;  // else within what fibres bear
    };
}

std::vector<std::pair<std::string, Harm>> muscle_harms() {
    return {{"mirrored", mirrored(2, false)},
            {"last point mirrored", mirrored(2, true)},
            {"front to back", mirrored(0, false)},
            {"5 cm off", shifted(0.05)},
            {"30 cm off", shifted(0.3)},
            {"wrong body", to_wrong_body},
            {"in mm", in_millimetres},
            {"points swapped", swapped},
            {"wrap x 5", wrap_enlarged},
            {"force x 100", scaled(&MuscleUnit::fmax, 100.0)},
            {"fibre x 30", scaled(&MuscleUnit::fibre, 30.0)},
            {"fibre x 3", scaled(&MuscleUnit::fibre, 3.0)},
            {"fibre / 3", scaled(&MuscleUnit::fibre, 1.0 / 3.0)},
            {"tendon x 5", tendon_longer(5.0)},
            {"tendon x 1.2", tendon_longer(1.2)},
            {"velocity 0.1", scaled(&MuscleUnit::velocity, 0.01)},
            {"pennation 1.5", [](MusculoskeletalModel& model, std::size_t m, Random&) {
                 model.muscles[m].pennation = 1.5;
                 return true;
             }}};
}

std::vector<std::pair<std::string, Harm>> body_harms() {
    return {{"mass x 10",
             [](MusculoskeletalModel& model, std::size_t b, Random&) {
                 model.bodies[b].mass *= 10.0;
                 return true;
             }},
            {"mass 0",
             [](MusculoskeletalModel& model, std::size_t b, Random&) {
                 model.bodies[b].mass = 0.0;
                 return true;
             }},
            {"inertia x 100",
             [](MusculoskeletalModel& model, std::size_t b, Random&) {
                 model.bodies[b].inertia(0, 0) *= 100.0;
                 return true;
             }},
            {"centre of mass 5 m off", [](MusculoskeletalModel& model, std::size_t b, Random&) {
                 model.bodies[b].com.y() += 5.0;
                 return true;
             }}};
}

// Whether a body is one that muscles pull on and that moves: others' masses matter to nobody.
bool is_pulled(const MusculoskeletalModel& model, std::size_t b) {
    for (const MuscleUnit& unit : model.muscles) {
        for (const PathPoint& p : unit.points) {
            if (p.anchors[0].body == static_cast<Index>(b)) {
                return model.bodies[b].mass > 0.0;
            }
        }
    }
    return false;
}

}  // namespace

std::vector<FaultyModel> plant_faults(const MusculoskeletalModel& healthy, std::size_t every) {
    std::vector<FaultyModel> out;
    Random random(Seed{23});
    const auto plant = [&](const std::string& fault, const std::string& part, const Harm& harm,
                           std::size_t number) {
        FaultyModel faulty{fault, part, healthy};
        if (harm(faulty.model, number, random)) {
            out.push_back(std::move(faulty));
        }
    };
    std::size_t turn = 0;
    for (const auto& [fault, harm] : muscle_harms()) {
        for (std::size_t m = turn++ % every; m < healthy.muscles.size(); m += every) {
            plant(fault, healthy.muscles[m].name, harm, m);
        }
    }
    for (const auto& [fault, harm] : body_harms()) {
        for (std::size_t b = 0; b < healthy.bodies.size(); b += 1 + every / 4) {
            if (is_pulled(healthy, b)) {
                plant(fault, healthy.bodies[b].name, harm, b);
            }
        }
    }
    plant(
        "gravity upwards", "gravity",
        [](MusculoskeletalModel& model, std::size_t, Random&) {
            model.gravity = -model.gravity;
            return !model.gravity.isZero();
        },
        0);
    for (std::size_t c = 0; c < healthy.coordinates.size(); c += 1 + every / 2) {
        if (std::isfinite(healthy.coordinates[c].low) && !healthy.coordinates[c].is_locked &&
            healthy.coordinates[c].low < healthy.coordinates[c].high) {
            plant(
                "range reversed", healthy.coordinates[c].name,
                [](MusculoskeletalModel& model, std::size_t k, Random&) {
                    std::swap(model.coordinates[k].low, model.coordinates[k].high);
                    return true;
                },
                c);
        }
    }
    return out;
}

}  // namespace sinew::support
