#include "sinew/growth/muscle_sizing.h"

#include "sinew/base/error.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/rest_shape.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/loose_tissue.h"
#include "sinew/growth/skin_separation.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/inversions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Muscles as large as people have them, in a body that keeps its skin. The built-in anatomy has
// the relations of one specimen, slim muscles in loose tissue; tables give the volume of each
// muscle for a person's sex, stature and mass (body/muscle_sizes.h).
//
// 1. Bellies take the loose tissue that shares their tetrahedra (loose_tissue.h).
// 2. What is missing then grows: alpha = sqrt(wanted / present), as growth is across fibres only.
// 3. Growth has pushed the skin out. It goes back, and the fat under it gives way, as far as there
//    is any; where there is none the skin rises gently.
// 4. What that took from bellies is given back within tetrahedra, as in 1.
//
// Departs from plain growth in step 3: a person of this size has these girths already, and only
// what is under the skin was another person's.

namespace sinew {

namespace {

constexpr double kLeastAlpha = 0.6;
constexpr double kMostAlpha = 2.0;
constexpr int kSizingIterations = 60;
constexpr double kLeastLayer = 0.3;       // of its thickness, that fat keeps under the skin
constexpr double kThinnestLayer = 8e-4;   // m, as the envelope leaves it
constexpr double kGivenByGeneric = 0.32;  // of what muscles gain, by generic tissue in the end
constexpr double kGivenFirst = 0.2;       // of it, before growth: the first guess
constexpr double kGivenTolerance = 0.01;  // of what muscles gain: a tenth of a per cent of fat
constexpr int kMostGivenRounds = 3;
constexpr double kRise = 0.03;       // m, over which skin rises to where it has to be outside
constexpr double kLeastRise = 1e-4;  // m, below which the skin is where it was

double density_of(const Body& body, Tissue tissue) {
    double density = 0.0;
    for (const TissueMaterial& material : body.materials) {
        density = material.tissue == tissue ? material.density : density;
    }
    return density;
}

// How far the skin has to stay outside of where it was, along the columns of fat, so that these
// keep a thickness. Around such places it rises gently: the least surface above them that is the
// mean of its neighbours elsewhere, as far as kRise reaches.
std::vector<double> rises(const Body& rest, const Points& grown, const Points& up) {
    const TriangleMesh& skin = rest.skin.mesh;
    std::vector<double> needed(rest.skin.tet_vertex.size());
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const Vec3 was = point(rest.tets.points, rest.skin.tet_vertex[i]);
        const double thick = (was - point(rest.tets.points, rest.envelope.tet_vertex[i])).norm();
        const double least = std::min(thick, std::max(kLeastLayer * thick, kThinnestLayer));
        const double now = (was - point(grown, rest.envelope.tet_vertex[i]))
                               .dot(point(up, static_cast<Eigen::Index>(i)));
        needed[i] = std::max(0.0, least - now);
    }
    const Lists around = neighbours_of_vertices(skin.triangles, skin.points.rows());
    const double edge = std::sqrt(triangle_areas(skin).mean());
    const int rounds = 1 + static_cast<int>(kRise * kRise / (edge * edge));
    std::vector<double> rise = needed;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<double> old = rise;
        for (std::size_t i = 0; i < rise.size(); ++i) {
            double sum = 0.0;
            for (const Index w : around[i]) {
                sum += old[at(w)];
            }
            rise[i] = std::max(needed[i], sum / static_cast<double>(around[i].size()));
        }
    }
    return rise;
}

// The skin where it was before growth, or as near as the fat can be thin.
Points with_skin_back(const Body& rest, const Points& grown) {
    Points up(static_cast<Eigen::Index>(rest.skin.tet_vertex.size()), 3);
    for (Eigen::Index i = 0; i < up.rows(); ++i) {
        up.row(i) = (rest.tets.points.row(rest.skin.tet_vertex[at(i)]) -
                     rest.tets.points.row(rest.envelope.tet_vertex[at(i)]))
                        .normalized();
    }
    const std::vector<double> rise = rises(rest, grown, up);
    Points x = grown;
    for (Eigen::Index i = 0; i < up.rows(); ++i) {
        const Index v = rest.skin.tet_vertex[at(i)];
        x.row(v) = rest.tets.points.row(v);
        if (rise[at(i)] > kLeastRise) {
            x.row(v) += rise[at(i)] * up.row(i);
        }
    }
    MendedInversions mended = mend_inversions(rest.tets, x, {}, rest.skin.tet_vertex);
    SeparatedSkin apart = separate_skin(rest, mended.x);
    return apart.crossing_before > 0 ? mend_inversions(rest.tets, apart.x).x : std::move(mended.x);
}

double volume_of(const Body& body, Tissue tissue) {
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    double sum = 0.0;
    for (std::size_t t = 0; t + 1 < body.shares.start.size(); ++t) {
        for (Index e = body.shares.start[t]; e < body.shares.start[t + 1]; ++e) {
            const bool is_it = body.materials[at(body.shares.material[at(e)])].tissue == tissue;
            sum +=
                is_it ? body.shares.fraction[at(e)] * volumes[static_cast<Eigen::Index>(t)] : 0.0;
        }
    }
    return sum;
}

// Bellies of given volumes in tetrahedra that stay.
void take_loose_tissue(Body& body, std::span<const double> wanted) {
    body.shares =
        with_loose_tissue(body, body.shares.fraction, tet_volumes(body.tets), wanted).shares;
}

// Bellies take loose tissue, on the way to the volumes wanted.
// @param share  of what they are to gain, that generic tissue gives at most
Body with_filled_bellies(const Body& body, std::span<const double> bellies,
                         std::span<const double> wanted, double share) {
    Body filled = body;
    take_loose_tissue(filled, wanted);
    double gained = 0.0;
    for (std::size_t m = 0; m < wanted.size(); ++m) {
        gained += wanted[m] - bellies[m];
    }
    const double given = volume_of(body, Tissue::Generic) - volume_of(filled, Tissue::Generic);
    const double most = share * std::max(0.0, gained);
    if (given > most) {
        std::vector<double> nearer(bellies.begin(), bellies.end());
        for (std::size_t m = 0; m < nearer.size(); ++m) {
            nearer[m] += most / given * (wanted[m] - bellies[m]);
        }
        filled.shares = body.shares;
        take_loose_tissue(filled, nearer);
    }
    return filled;
}

// The four steps, with what generic tissue gives in the first.
SizedMuscles sized(const Body& body, const MuscleSizes& sizes, double share,
                   const Progress& progress) {
    const double stature = summarise(body).stature;
    const double density = density_of(body, Tissue::Muscle);
    const std::vector<double> before = belly_volumes(body);
    const auto wanted_at = [&](double mass) {
        return expected_bellies(sizes, body.muscles, before, body.sex, stature, mass, density);
    };
    const Body filled = with_filled_bellies(body, before, wanted_at(summarise(body).mass), share);

    // Muscle is denser than the fat that it will take the place of.
    const std::vector<double> bellies = belly_volumes(filled);
    double mass = summarise(filled).mass;
    std::vector<double> wanted = wanted_at(mass);
    double more = 0.0;
    for (std::size_t m = 0; m < wanted.size(); ++m) {
        more += wanted[m] - bellies[m];
    }
    mass += more * (density - density_of(body, Tissue::Fat));
    wanted = wanted_at(mass);
    std::vector<double> alpha(bellies.size(), 1.0);
    for (std::size_t m = 0; m < alpha.size(); ++m) {
        if (bellies[m] > 0.0) {
            alpha[m] = std::clamp(std::sqrt(wanted[m] / bellies[m]), kLeastAlpha, kMostAlpha);
        }
    }
    SizedMuscles result;
    Body grown;
    {
        MuscleGrowth growth(filled);
        growth.set_growth(alpha);
        result.report = growth.iterate(kSizingIterations, progress);
        grown = growth.body();
        result.muscles = growth.measures();
    }
    result.body = with_rest_shape(body, with_skin_back(body, grown.tets.points));
    result.body.shares = std::move(grown.shares);
    take_loose_tissue(result.body, wanted_at(summarise(result.body).mass));
    // Greatest forces that the table has are published ones, of people's muscles: they stay.
    fit_muscle_meshes(body, result.body);
    measure_after(result.body, result.muscles);
    result.mass = summarise(result.body).mass;
    return result;
}

}  // namespace

SizedMuscles with_muscles_of_people(const Body& body, const MuscleSizes& sizes,
                                    const Progress& progress) {
    if (body.sex == Sex::Unknown) {
        throw InputError({.where = fmt::format("body '{}'", body.name),
                          .found = "no sex",
                          .needs = "a woman or a man, whose muscles are known",
                          .remedy = "keep the muscles as they are: --muscles specimen"});
    }
    // Coarse tetrahedra hold more loose tissue beside muscle than fine ones, and all steps take of
    // it. The first gives as much less as the others take more, so that in the end generic tissue
    // has given the same at every resolution, and fat the rest.
    const double generic = volume_of(body, Tissue::Generic);
    const double muscle = volume_of(body, Tissue::Muscle);
    double share = kGivenFirst;
    for (int round = 1;; ++round) {
        SizedMuscles result = sized(body, sizes, share, progress);
        const double gained = volume_of(result.body, Tissue::Muscle) - muscle;
        const double given = generic - volume_of(result.body, Tissue::Generic);
        const double miss = gained > 0.0 ? given / gained - kGivenByGeneric : 0.0;
        if (std::abs(miss) <= kGivenTolerance || round == kMostGivenRounds ||
            (share <= 0.0 && miss > 0.0)) {
            return result;
        }
        share = std::clamp(share - miss, 0.0, 1.0);
    }
}

}  // namespace sinew
