#include "sinew/growth/fat_growth.h"

#include "sinew/base/error.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/skin_room.h"
#include "sinew/meshing/inversions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

// Fat of given volumes. FatLayer says what shape the layer takes under a pressure or at a ratio of
// volumes; here the pressures and ratios are found with which each region has the volume asked for.
// The order: transfer from another body, regions that gain, regions that lose, then the total for a
// weight or a body fat. Every stage starts from the body that the last one left.
//
// Gaining is Saito's fluid [Saito2015, eqs. 7-9] or Komaritzan's scaling [Komaritzan, eqs.
// 4.16-4.18]; losing is always scaling, because a pressure below zero would draw the skin through
// the envelope.
//
// Root finding: regions overlap, so all unknowns are improved together, each by its own measured
// gain (a fixed-point iteration with a diagonal model). The paper lets an artist choose gamma; a
// volume is what a person can ask for.

namespace sinew {

namespace {

constexpr int kMostRootRounds = 20;   // of root finding
constexpr double kRoomSlack = 0.02;   // of the room, beyond which a vertex is held back further
constexpr double kTolerance = 0.002;  // of volumes, relative
constexpr double kAtRest = 0.002;     // of the pressure's forces that may be left
constexpr double kMostGamma = 60.0;   // beyond this the skin would fold

/// One unknown of root finding: the volume gained rises with the strength.
struct Unknown {
    std::vector<double> map;      // per skin vertex
    std::vector<double> where;    // it changes, per tetrahedron
    std::vector<double> weights;  // with which its volume counts, per tetrahedron
    double before = 0.0;
    double wanted = 0.0;    // volume, m^3
    double strength = 0.0;  // gamma
    double last_strength = 0.0;
    double last_gain = 0.0;

    // Towards the strength that gains what is wanted: the first step by the square law of small
    // growth, then by the power law through the last two points.
    // A skin that bulges gains volume like a power of the pressure, about 2 while it is nearly flat
    // and less once it is round and tight; the exponent is measured from the last two rounds. At
    // most 16 times the gain is asked for where nothing was gained yet.
    void improve(double gain) {
        const double aim = wanted - before;
        double power = 2.0;
        if (last_strength > 0.0 && last_gain > 0.0 && gain > 0.0 &&
            std::abs(strength / last_strength - 1.0) > 1e-4) {
            power = std::clamp(std::log(gain / last_gain) / std::log(strength / last_strength), 0.3,
                               3.0);
        }
        last_strength = strength;
        last_gain = gain;
        const double ratio = gain > 0.0 ? aim / gain : 16.0;
        strength = std::clamp(strength * std::pow(ratio, 1.0 / power), 1e-3, kMostGamma);
    }
};

/// Keeps skin from growing into skin that faces it: where it would move further than there is room,
/// its share of the pressure, or of the volume gained, goes down from round to round.
// Skin that faces skin is not simulated as contact here: a solve would need new constraints in
// every round. Room is measured once, on the body as it was, and what would go further gets a
// smaller part of the pressure. Both sides may use 45 % of the air (skin_room.h), so they cannot
// meet.
class RoomToGrow {
public:
    explicit RoomToGrow(const TetSurface& skin)
        : skin_(skin),
          normals_(vertex_normals(skin.mesh)),
          room_(outward_room(skin.mesh)),
          share_(room_.size(), 1.0) {}

    const std::vector<double>& share() const {
        return share_;
    }

    /// @param x  points of all tets
    /// @returns  whether every vertex kept to its room
    bool hold_back(const Points& x) {
        bool is_kept = true;
        for (std::size_t i = 0; i < room_.size(); ++i) {
            const double way = outward(x, i);
            if (way > (1.0 + kRoomSlack) * room_[i]) {
                is_kept = false;
                share_[i] *= std::max(0.3, room_[i] / way);
            }
        }
        return is_kept;
    }

    /// What is still too far is put back, for the rounds may have ended.
    void clamp(Points& x) const {
        for (std::size_t i = 0; i < room_.size(); ++i) {
            const double way = outward(x, i);
            if (way > room_[i]) {
                x.row(skin_.tet_vertex[i]) -=
                    (way - room_[i]) * normals_.row(static_cast<Eigen::Index>(i));
            }
        }
    }

private:
    double outward(const Points& x, std::size_t i) const {
        const auto row = static_cast<Eigen::Index>(i);
        return (x.row(skin_.tet_vertex[i]) - skin_.mesh.points.row(row)).dot(normals_.row(row));
    }

    const TetSurface& skin_;
    Points normals_;
    std::vector<double> room_;
    std::vector<double> share_;
};

// g_i = sum over regions of gamma times f_i, less where there is no room.
FatShape inflate(const FatLayer& layer, std::vector<Unknown>& unknowns, const TetSurface& skin,
                 const Progress& progress) {
    RoomToGrow room(skin);
    const std::size_t skin_vertices = skin.tet_vertex.size();
    FatShape shape;
    for (int round = 0; round < kMostRootRounds; ++round) {
        std::vector<double> gamma(skin_vertices, 0.0);
        for (const Unknown& u : unknowns) {
            for (std::size_t i = 0; i < skin_vertices; ++i) {
                gamma[i] += room.share()[i] * u.strength * u.map[i];
            }
        }
        // From where the last pressure left the skin: fine skins need more iterations than one
        // round has, and rounds come ever nearer to each other.
        const Points last = std::move(shape.points);
        shape = layer.inflated(gamma, progress, round > 0 ? &last : nullptr);
        const Points& x = shape.points;
        bool is_met = room.hold_back(x) && shape.report.last_residual() < kAtRest;
        for (Unknown& u : unknowns) {
            const double now = layer.volume(x, u.weights);
            is_met = is_met && std::abs(now / u.wanted - 1.0) < kTolerance;
        }
        if (is_met) {
            break;
        }
        for (Unknown& u : unknowns) {
            u.improve(layer.volume(x, u.weights) - u.before);
        }
    }
    room.clamp(shape.points);
    return shape;
}

// Ratios 1 + strength * weight whose volumes are met; strength may be negative.
// A region's ratio is 1 + strength * f; overlapping regions multiply. A tetrahedron keeps `floor`
// of its volume at least, and a region whose tetrahedra are all there cannot lose more:
// is_at_floor. Steps are bounded by a factor of two, since the gain is nearly linear in the
// strength.
FatShape scale(FatLayer& layer, std::vector<Unknown>& unknowns, const Body& body, double floor,
               const Progress& progress, bool& is_at_floor) {
    std::vector<double> ratio;
    for (Unknown& u : unknowns) {
        u.strength = u.wanted / u.before - 1.0;
    }
    // Only what gains can meet other skin.
    std::optional<RoomToGrow> room;
    if (std::any_of(unknowns.begin(), unknowns.end(),
                    [](const Unknown& u) { return u.wanted > u.before; })) {
        room.emplace(body.skin);
    }
    // Room is known on the skin and volumes in tetrahedra: on_tets() carries the one to the other,
    // and the value of 1 everywhere normalises it at the edge of the layer.
    const std::vector<double> all =
        layer.on_tets(std::vector<double>(body.skin.tet_vertex.size(), 1.0));
    std::vector<double> share(all.size(), 1.0);
    FatShape shape = {.points = body.tets.points};
    for (int round = 0; round < kMostRootRounds; ++round) {
        ratio.assign(unknowns.front().weights.size(), 1.0);
        for (const Unknown& u : unknowns) {
            for (std::size_t t = 0; t < ratio.size(); ++t) {
                const double part = u.strength > 0.0 ? share[t] : 1.0;
                ratio[t] *= std::max(floor, 1.0 + u.strength * part * u.where[t]);
            }
        }
        shape = layer.scaled(ratio, progress);
        const Points& x = shape.points;
        bool is_met = true;
        if (room && !room->hold_back(x)) {
            is_met = false;
            const std::vector<double> held = layer.on_tets(room->share());
            for (std::size_t t = 0; t < share.size(); ++t) {
                share[t] = all[t] > 0.0 ? held[t] / all[t] : 1.0;
            }
        }
        for (Unknown& u : unknowns) {
            const double gain = layer.volume(x, u.weights) / u.before - 1.0;
            const double aim = u.wanted / u.before - 1.0;
            if (std::abs(gain - aim) < kTolerance) {
                continue;
            }
            is_met = false;
            const double step = std::abs(gain) > 1e-4 ? std::clamp(aim / gain, 0.5, 2.0) : 2.0;
            const double next = u.strength * step;
            is_at_floor = is_at_floor || (next < floor - 1.0 && aim < gain);
            u.strength = std::max(next, 2.0 * (floor - 1.0));
        }
        if (is_met) {
            is_at_floor = false;
            break;
        }
    }
    if (room) {
        room->clamp(shape.points);
    }
    return shape;
}

void check_fat_plan(const Body& body, const FatPlan& plan) {
    const std::size_t vertices = at(body.skin.mesh.points.rows());
    for (const FatRegion& region : plan.regions) {
        if (!(region.factor >= kLeastFatFactor && region.factor <= kMostFatFactor)) {
            throw InputError(
                {.where = fmt::format("fat of '{}'", region.name),
                 .found = fmt::format("{}", region.factor),
                 .needs = fmt::format("a factor from {} to {}", kLeastFatFactor, kMostFatFactor),
                 .remedy = "1 leaves it as it is, 2 doubles it"});
        }
        if (region.map.size() != vertices) {
            throw InputError({.where = fmt::format("fat map '{}'", region.name),
                              .found = fmt::format("{} values", region.map.size()),
                              .needs = fmt::format("one for each of {} skin vertices", vertices),
                              .remedy = "use a map that belongs to this body"});
        }
    }
}

}  // namespace

FattenedBody grow_fat(const Body& body, const FatPlan& plan, const FatGrowthOptions& options,
                      const Progress& progress) {
    check_fat_plan(body, plan);
    const std::size_t vertices = at(body.skin.mesh.points.rows());
    FattenedBody result{.body = body, .report = {}};
    FatReport& report = result.report;

    const auto unknown = [&](const FatLayer& layer, const std::vector<double>& map) {
        Unknown u;
        u.map = map;
        u.where = u.weights = layer.on_tets(map);
        u.before = layer.volume(result.body.tets.points, u.weights);
        u.strength = 5.0;
        return u;
    };
    // The largest residual of all solves that the result consists of is what a caller can judge.
    const auto note_solve = [&](const FatShape& shape) {
        report.residual = std::max(report.residual, shape.report.last_residual());
    };
    const auto apply = [&](FatLayer& layer, std::vector<Unknown>& unknowns, bool by_pressure) {
        if (unknowns.empty()) {
            return;
        }
        const FatShape shape = by_pressure ? inflate(layer, unknowns, result.body.skin, progress)
                                           : scale(layer, unknowns, result.body, options.floor,
                                                   progress, report.is_at_floor);
        note_solve(shape);
        const MendedInversions smoothed = mend_inversions(result.body.tets, shape.points);
        report.smoothed_tets += smoothed.before - smoothed.after;
        result.body = with_rest_shape(result.body, smoothed.x);
    };

    // A slider asks again every few milliseconds: what is made anew here takes longer than that.
    {
        const FatLayer layer(body, options);
        report.before = layer.volume(body.tets.points);
        progress.check_cancelled();
    }
    if (!plan.transfer.empty()) {
        FatLayer layer(result.body, options);
        std::vector<double> ratio = layer.on_tets(plan.transfer);
        const FatShape shape = layer.scaled(ratio, progress);
        note_solve(shape);
        result.body =
            with_rest_shape(result.body, mend_inversions(result.body.tets, shape.points).x);
    }
    // Regions that gain, then regions that lose.
    for (const bool gains : {true, false}) {
        FatLayer layer(result.body, options);
        progress.check_cancelled();
        std::vector<Unknown> unknowns;
        std::vector<std::size_t> which;
        for (std::size_t r = 0; r < plan.regions.size(); ++r) {
            const FatRegion& region = plan.regions[r];
            if (region.factor != 1.0 && (region.factor > 1.0) == gains) {
                Unknown u = unknown(layer, region.map);
                u.wanted = region.factor * u.before;
                unknowns.push_back(std::move(u));
                which.push_back(r);
            }
        }
        const bool by_pressure = gains && plan.model == FatModel::Pressure;
        apply(layer, unknowns, by_pressure);
        for (std::size_t k = 0; k < which.size(); ++k) {
            const FatRegion& region = plan.regions[which[k]];
            const double now = layer.volume(result.body.tets.points, unknowns[k].weights);
            report.regions.push_back({region.name, region.factor, now / unknowns[k].before,
                                      by_pressure ? unknowns[k].strength : 0.0});
        }
    }
    if (plan.total) {
        FatLayer layer(result.body, options);
        // The total counts what regions have left.
        const double present = layer.volume(result.body.tets.points);
        const bool gains = *plan.total > present;
        std::vector<double> map = gains ? plan.spread : plan.loss;
        map.resize(map.empty() ? vertices : map.size(), 1.0);
        Unknown u = unknown(layer, map);
        // All fat counts, not only that under the map.
        u.weights.assign(u.weights.size(), 1.0);
        u.before = present;
        u.wanted = *plan.total;
        if (std::abs(u.wanted / u.before - 1.0) > 1e-4) {
            std::vector<Unknown> one = {std::move(u)};
            apply(layer, one, gains && plan.model == FatModel::Pressure);
        }
    }
    const FatLayer layer(result.body, options);
    report.after = layer.volume(result.body.tets.points);
    report.inverted_tets = (tet_volumes(result.body.tets).array() <= 0.0).count();
    return result;
}

namespace {

/// Mass of all but subcutaneous fat, the subcutaneous fat's density, and its volume.
struct Composition {
    double lean = 0.0;           // kg, tets that are not of the layer
    double fat_inside = 0.0;     // kg, fat among those
    double volume = 0.0;         // m^3 of the layer
    double density = 900.0;      // kg/m^3 of the layer, all tissues
    double fat_density = 900.0;  // kg of fat per m^3 of the layer
};

// Only the layer changes, so the body's mass is linear in the layer's volume, m = lean + density V,
// with the layer's mean density now. The targets below are the roots of such lines.
Composition composition_of(const Body& body) {
    const FatLayer layer(body);
    std::vector<char> is_layer(at(body.tets.tets.rows()), 0);
    for (const Index t : layer.tets()) {
        is_layer[at(t)] = 1;
    }
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    Composition c;
    double mass = 0.0;
    double fat = 0.0;
    for (std::size_t t = 0; t < is_layer.size(); ++t) {
        const double volume = volumes[static_cast<Eigen::Index>(t)];
        c.volume += is_layer[t] != 0 ? volume : 0.0;
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            const TissueMaterial& material = body.materials[at(body.shares.material[at(e)])];
            const double m = body.shares.fraction[at(e)] * volume * material.density;
            const bool is_fat = material.tissue == Tissue::Fat;
            (is_layer[t] != 0 ? mass : c.lean) += m;
            if (is_fat) {
                (is_layer[t] != 0 ? fat : c.fat_inside) += m;
            }
        }
    }
    c.density = mass / c.volume;
    c.fat_density = fat / c.volume;
    return c;
}

double require_fat(double volume, const Composition& c, const std::string& found) {
    if (!(volume > 0.0)) {
        throw InputError(
            {.where = "fat of the body",
             .found = found,
             .needs = fmt::format("more than the {:.1f} kg it has without fat", c.lean),
             .remedy = "ask for more, or let muscles lose volume first"});
    }
    return volume;
}

}  // namespace

double fat_volume_for_mass(const Body& body, double mass) {
    const Composition c = composition_of(body);
    return require_fat((mass - c.lean) / c.density, c, fmt::format("a mass of {:.1f} kg", mass));
}

double fat_volume_for_share(const Body& body, double body_fat) {
    // (inside + f V) / (lean + d V) = share
    const Composition c = composition_of(body);
    const double below = c.fat_density - body_fat * c.density;
    return require_fat(below > 0.0 ? (body_fat * c.lean - c.fat_inside) / below : -1.0, c,
                       fmt::format("a body fat of {:.1f} %", 100.0 * body_fat));
}

}  // namespace sinew
