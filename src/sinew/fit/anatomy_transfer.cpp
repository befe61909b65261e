#include "sinew/fit/anatomy_transfer.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/body/muscle_meshes.h"
#include "sinew/body/rest_shape.h"
#include "sinew/fit/bone_transfer.h"
#include "sinew/fit/rest_skin.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/rbf_warp.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/inversions.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

// The whole anatomy in the layers of a person [Komaritzan, eq. 4.15]: a triharmonic warp from M and
// B of the template to those of the person. Centres are the farthest points of the template's
// layers, so one factorisation serves all people. Skin and envelope are set exactly, inverted
// tetrahedra are mended, and strengths follow from volume over fibre length.
//
// Departs: the muscle mass that layers do not give is exchanged for loose tissue in the same
// tetrahedra, within limits, by bisection on one factor.

namespace sinew {

namespace {

constexpr std::size_t kFarPiece = 4096;   // points per piece of parallel work
constexpr double kSameCentre = 1e-4;      // m: centres nearer than this would be one
constexpr double kLeastExchanged = 0.02;  // of a tetrahedron: less loose tissue stays
constexpr double kMostExchanged = 0.8;    // of the loose tissue may become muscle
constexpr double kLeastFactor = 0.7;      // of muscles against loose tissue
constexpr double kMostFactor = 1.6;
constexpr int kFactorSteps = 16;
constexpr double kMuscleReached = 0.01;  // kg
constexpr int kMendingRounds = 6;
constexpr double kSkinRestored = 1e-12;  // m
constexpr int kPartingRounds = 3;
constexpr double kOneLayer = 0.004;  // m: where M is nearer to B, it speaks for both

struct Farthest {
    double distance = -1.0;
    Index point = -1;
};

// Change of each muscle in volume, and in length along its fibres (mean over its volume).
struct MuscleChange {
    double volume_before = 0.0;
    double volume_after = 0.0;
    double stretch = 0.0;  // sum of volume * stretch
    double weight = 0.0;
};

Mat3 edges_of_tet(const Points& x, const Tets& tets, Eigen::Index t) {
    Mat3 D;
    for (int k = 0; k < 3; ++k) {
        D.col(k) = (x.row(tets(t, k + 1)) - x.row(tets(t, 0))).transpose();
    }
    return D;
}

std::vector<MuscleChange> muscle_changes(const Body& before, const Body& body) {
    const Points& after = body.tets.points;
    std::vector<MuscleChange> change(before.muscles.size());
    const Tets& tets = before.tets.tets;
    for (Eigen::Index t = 0; t < tets.rows(); ++t) {
        const Mat3 rest = edges_of_tet(before.tets.points, tets, t);
        const Mat3 now = edges_of_tet(after, tets, t);
        const double volume = rest.determinant() / 6.0;
        for (Index e = before.shares.start[at(t)]; e < before.shares.start[at(t) + 1]; ++e) {
            const Tissue tissue = before.materials[at(before.shares.material[at(e)])].tissue;
            if (tissue != Tissue::Muscle) {
                continue;
            }
            MuscleChange& c = change[at(before.shares.part[at(e)])];
            c.volume_before += before.shares.fraction[at(e)] * volume;
            c.volume_after += body.shares.fraction[at(e)] * now.determinant() / 6.0;
        }
        if (before.fibres.start.size() != at(tets.rows()) + 1) {
            continue;
        }
        for (Index e = before.fibres.start[at(t)]; e < before.fibres.start[at(t) + 1]; ++e) {
            MuscleChange& c = change[at(before.fibres.muscle[at(e)])];
            const Vec3 d = point(before.fibres.direction, e);
            c.stretch += volume * (now * rest.inverse() * d).norm();
            c.weight += volume;
        }
    }
    return change;
}

void update_strengths(const Body& before, Body& body) {
    const std::vector<MuscleChange> changes = muscle_changes(before, body);
    for (std::size_t m = 0; m < changes.size(); ++m) {
        const MuscleChange& c = changes[m];
        if (c.volume_before > 0.0 && c.weight > 0.0 && c.stretch > 0.0) {
            body.muscles[m].fmax *= c.volume_after / c.volume_before / (c.stretch / c.weight);
        }
    }
}

void update_fat_map(Body& body) {
    Attribute* fat = find_attribute(body.maps, "fat_thickness");
    if (fat == nullptr) {
        return;
    }
    fat->values.clear();
    for (const ClosestPoint& c :
         SurfaceTree(body.envelope.mesh).closest_points(body.skin.mesh.points)) {
        fat->values.push_back(c.distance);
    }
}

double muscle_mass(const Body& body, const Eigen::VectorXd& volumes,
                   const std::vector<double>& fraction) {
    double mass = 0.0;
    for (Eigen::Index t = 0; t < volumes.size(); ++t) {
        for (Index e = body.shares.start[at(t)]; e < body.shares.start[at(t) + 1]; ++e) {
            const TissueMaterial& material = body.materials[at(body.shares.material[at(e)])];
            if (material.tissue == Tissue::Muscle || material.tissue == Tissue::Tendon) {
                mass += fraction[at(e)] * volumes[t] * material.density;
            }
        }
    }
    return mass;
}

// Fractions of muscles times a factor, where there is loose tissue to give way or to fill in.
std::vector<double> exchanged(const Body& body, double factor) {
    const TissueShares& s = body.shares;
    std::vector<double> result = s.fraction;
    const auto tissue = [&](Index e) { return body.materials[at(s.material[at(e)])].tissue; };
    for (std::size_t t = 0; t + 1 < s.start.size(); ++t) {
        double loose = 0.0;
        double more = 0.0;
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            loose += tissue(e) == Tissue::Generic ? s.fraction[at(e)] : 0.0;
            more += tissue(e) == Tissue::Muscle ? s.fraction[at(e)] * (factor - 1.0) : 0.0;
        }
        if (loose < kLeastExchanged) {
            continue;
        }
        const double part = more > 0.0 ? std::min(1.0, kMostExchanged * loose / more) : 1.0;
        for (Index e = s.start[t]; e < s.start[t + 1]; ++e) {
            if (tissue(e) == Tissue::Muscle) {
                result[at(e)] *= 1.0 + part * (factor - 1.0);
            } else if (tissue(e) == Tissue::Generic) {
                result[at(e)] *= 1.0 - part * more / loose;
            }
        }
    }
    return result;
}

// The factor whose muscle mass is nearest to the one asked for, by bisection.
double exchange_loose_tissue(Body& body, double muscle_kg) {
    const Eigen::VectorXd volumes = tet_volumes(body.tets);
    double low = kLeastFactor;
    double high = kMostFactor;
    double factor = 1.0;
    for (int step = 0; step < kFactorSteps; ++step) {
        const double mass = muscle_mass(body, volumes, exchanged(body, factor));
        if (std::abs(mass - muscle_kg) < kMuscleReached) {
            break;
        }
        (mass < muscle_kg ? low : high) = factor;
        factor = 0.5 * (low + high);
    }
    body.shares.fraction = exchanged(body, factor);
    return factor;
}

// Mends; where that is not enough, what is around the rest first moves as its neighbours do.
MendedInversions mended_fully(const Body& body, const Points& x) {
    MendedInversions mended = mend_inversions(body.tets, x, {}, body.skin.tet_vertex);
    const Eigen::Index before = mended.before;
    const Tets& tets = body.tets.tets;
    for (int round = 0; round < kMendingRounds && mended.after > 0; ++round) {
        const Eigen::VectorXd volumes = tet_volumes(mended.x, tets);
        std::vector<char> is_near(at(x.rows()), 0);
        for (int ring = 0; ring <= round; ++ring) {
            const std::vector<char> last = is_near;
            for (Eigen::Index t = 0; t < tets.rows(); ++t) {
                bool is_bad = ring == 0 && volumes[t] <= 0.0;
                for (int k = 0; k < 4; ++k) {
                    is_bad = is_bad || last[at(tets(t, k))] != 0;
                }
                for (int k = 0; k < 4 && is_bad; ++k) {
                    is_near[at(tets(t, k))] = 1;
                }
            }
        }
        for (const Index v : body.skin.tet_vertex) {
            is_near[at(v)] = 0;
        }
        const Lists around = neighbours_of_vertices(tets, x.rows());
        const Points motion = mended.x - body.tets.points;
        Points smooth = mended.x;
        for (std::size_t v = 0; v < is_near.size(); ++v) {
            if (is_near[v] != 0) {
                Eigen::RowVector3d mean = Eigen::RowVector3d::Zero();
                for (const Index w : around[v]) {
                    mean += motion.row(w) / static_cast<double>(around[v].size());
                }
                const auto row = static_cast<Eigen::Index>(v);
                smooth.row(row) = body.tets.points.row(row) + mean;
            }
        }
        mended = mend_inversions(body.tets, smooth, {}, body.skin.tet_vertex);
    }
    if (mended.after == 0) {
        // What is still flat, as in ears, is opened by moving skin as well, by the least it takes.
        mended = mend_inversions(body.tets, mended.x);
    }
    mended.before = before;
    return mended;
}

// Mending may push skin through skin, and parting skin may turn tetrahedra: a few rounds.
// @param crossing  pairs of skin triangles that cross at the end
MendedInversions mended_and_apart(const Body& body, const Points& x, Eigen::Index& crossing) {
    MendedInversions mended = mended_fully(body, x);
    const Eigen::Index before = mended.before;
    for (int round = 0;; ++round) {
        const UncrossedSkin apart =
            uncrossed_skin(positions_of(body.skin, mended.x), body.skin.mesh.triangles);
        crossing = static_cast<Eigen::Index>(apart.crossing_before);
        if (crossing == 0 || round == kPartingRounds) {
            break;
        }
        Points moved = mended.x;
        for (std::size_t i = 0; i < body.skin.tet_vertex.size(); ++i) {
            moved.row(body.skin.tet_vertex[i]) = apart.x.row(static_cast<Eigen::Index>(i));
        }
        mended = mended_fully(body, moved);
    }
    mended.before = before;
    return mended;
}

void require_same_count(const Points& points, Eigen::Index count, const char* name) {
    if (points.rows() != count || !points.allFinite()) {
        throw InputError({.where = fmt::format("{} of the person", name),
                          .found = fmt::format("{} points", points.rows()),
                          .needs = fmt::format("{} finite ones, as the template has", count),
                          .remedy = "register the scan to this template"});
    }
}

}  // namespace

std::vector<Index> farthest_points(const Points& points, Eigen::Index count) {
    std::vector<Index> chosen;
    if (points.rows() == 0 || count <= 0) {
        return chosen;
    }
    const Eigen::RowVector3d centre = points.colwise().mean();
    Eigen::Index next = 0;
    (points.rowwise() - centre).rowwise().squaredNorm().minCoeff(&next);
    std::vector<double> distance(at(points.rows()), std::numeric_limits<double>::infinity());
    while (static_cast<Eigen::Index>(chosen.size()) < count) {
        chosen.push_back(static_cast<Index>(next));
        const Vec3 from = point(points, next);
        const Farthest far = parallel_reduce(
            distance.size(), kFarPiece, Farthest{},
            [&](std::size_t begin, std::size_t end) {
                Farthest best;
                for (std::size_t i = begin; i < end; ++i) {
                    const double d =
                        (point(points, static_cast<Eigen::Index>(i)) - from).squaredNorm();
                    distance[i] = std::min(distance[i], d);
                    if (distance[i] > best.distance) {
                        best = {distance[i], static_cast<Index>(i)};
                    }
                }
                return best;
            },
            [](Farthest a, Farthest b) { return b.distance > a.distance ? b : a; });
        if (far.distance < kSameCentre * kSameCentre) {
            break;
        }
        next = far.point;
    }
    return chosen;
}

struct AnatomyTransfer::Data {
    const Body* body = nullptr;
    std::vector<Index> centres;  // rows of [M; B]
    Eigen::Index vertices = 0;
    std::optional<RbfSystem> system;
    std::vector<Index> inside;  // points of the tets that are neither skin nor envelope
    std::optional<BoneTransfer> bones;

    Points rows_of(const Points& muscle, const Points& bone) const {
        Points rows(static_cast<Eigen::Index>(centres.size()), 3);
        for (std::size_t i = 0; i < centres.size(); ++i) {
            const Index c = centres[i];
            rows.row(static_cast<Eigen::Index>(i)) =
                c < vertices ? muscle.row(c) : bone.row(c - vertices);
        }
        return rows;
    }
    void find_points();
};

void AnatomyTransfer::Data::find_points() {
    std::vector<char> is_surface(at(body->tets.points.rows()), 0);
    for (const TetSurface* surface : {&body->skin, &body->envelope}) {
        for (const Index v : surface->tet_vertex) {
            is_surface[at(v)] = 1;
        }
    }
    for (std::size_t v = 0; v < is_surface.size(); ++v) {
        if (is_surface[v] == 0) {
            inside.push_back(static_cast<Index>(v));
        }
    }
}

AnatomyTransfer::AnatomyTransfer(const Body& body, const LayeredTemplate& layers,
                                 const TransferOptions& options, const Progress& progress)
    : data_(std::make_unique<Data>()) {
    check_ranges(options, "options of the transfer");
    Data& d = *data_;
    d.body = &body;
    d.vertices = layers.skin.rows();
    require_same_count(layers.skin, body.skin.mesh.points.rows(), "skin");
    // Layers that nearly touch count once: told apart, a little more between them in the person
    // would be a steep slope of the warp. B is M in kept regions.
    std::vector<Index> candidates;
    for (Eigen::Index i = 0; i < 2 * d.vertices; ++i) {
        const Eigen::Index v = i % d.vertices;
        if (i < d.vertices || (layers.muscle.row(v) - layers.bone.row(v)).norm() > kOneLayer) {
            candidates.push_back(static_cast<Index>(i));
        }
    }
    d.centres = candidates;
    const Points rest = d.rows_of(layers.muscle, layers.bone);
    d.centres.clear();
    for (const Index c : farthest_points(rest, options.centres)) {
        d.centres.push_back(candidates[at(c)]);
    }
    d.system.emplace(d.rows_of(layers.muscle, layers.bone), RbfOptions{}, progress);
    d.find_points();
    d.bones.emplace(body, layers, options.bone_centres, progress);
}

AnatomyTransfer::~AnatomyTransfer() = default;
AnatomyTransfer::AnatomyTransfer(AnatomyTransfer&&) noexcept = default;
AnatomyTransfer& AnatomyTransfer::operator=(AnatomyTransfer&&) noexcept = default;

TransferredBody AnatomyTransfer::to(const PersonLayers& person,
                                    std::optional<double> muscle_kg) const {
    const Data& d = *data_;
    const Body& body = *d.body;
    const Timer timer;
    require_same_count(person.skin, d.vertices, "skin");
    require_same_count(person.muscle, d.vertices, "muscle surface");
    require_same_count(person.bone, d.vertices, "skeleton surface");
    const RbfWarp warp = d.system->to(d.rows_of(person.muscle, person.bone));

    Points x = body.tets.points;
    Points inside(static_cast<Eigen::Index>(d.inside.size()), 3);
    for (std::size_t i = 0; i < d.inside.size(); ++i) {
        inside.row(static_cast<Eigen::Index>(i)) = x.row(d.inside[i]);
    }
    inside = warp.apply(inside);
    for (std::size_t i = 0; i < d.inside.size(); ++i) {
        x.row(d.inside[i]) = inside.row(static_cast<Eigen::Index>(i));
    }
    for (std::size_t i = 0; i < at(d.vertices); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        x.row(body.skin.tet_vertex[i]) = person.skin.row(row);
        x.row(body.envelope.tet_vertex[i]) = person.muscle.row(row);
    }
    TransferredBody result;
    TransferReport& report = result.report;
    report.centres = static_cast<Eigen::Index>(d.centres.size());
    const MendedInversions mended = mended_and_apart(body, x, report.skin_crossings);
    report.inverted_before = mended.before;
    report.inverted_tets = mended.after;
    const Points skin_now = positions_of(body.skin, mended.x);
    report.skin_moved = (skin_now - person.skin).rowwise().norm().maxCoeff();
    if (report.skin_moved < kSkinRestored) {
        report.skin_moved = 0.0;
    }
    BoneTransfer::Moved moved = d.bones->to(person.bone, mended.x);
    report.bones_drawn_in = moved.drawn_in;
    result.body = with_rest_shape(body, mended.x, moved.bones);
    smooth_display_skin(body, result.body);
    if (muscle_kg) {
        report.muscle_factor = exchange_loose_tissue(result.body, *muscle_kg);
    }
    fit_muscle_meshes(body, result.body);
    update_strengths(body, result.body);
    update_fat_map(result.body);
    report.seconds = timer.seconds();
    return result;
}

}  // namespace sinew
