#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/body/body_surfaces.h"
#include "sinew/body/names.h"
#include "sinew/energy/finite_volume.h"
#include "sinew/growth/muscle_growth.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/motion/body_model.h"
#include "sinew/pipeline/contract.h"
#include "sinew/pipeline/growth_recipe.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/png.h"
#include "sinew/render/render.h"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

// The whole body with some muscles active, by growth tensors that keep volume [Kadlecek2022, eq.
// 4.15]: the quick model, beside the volumetric muscles of contract.cpp. Fibres are measured where
// the belly fills its tetrahedra, since slivers stretch as what surrounds them.

namespace sinew {

namespace {

/// Skin, muscles and bones of a body whose tets have these positions; bones stand.
std::vector<MeshPart> parts_at(const Body& body, const Points& x) {
    constexpr std::array kLayers = {DisplayLayer::Skin, DisplayLayer::Muscles, DisplayLayer::Bones};
    return surfaces_at(body, {.positions = x}, kLayers);
}

/// Share of a tetrahedron that is belly of a muscle.
double belly_share(const Body& body, std::size_t t, Index muscle) {
    const TissueShares& s = body.shares;
    double share = 0.0;
    for (auto e = static_cast<std::size_t>(s.start[t]);
         e < static_cast<std::size_t>(s.start[t + 1]); ++e) {
        const auto material = static_cast<std::size_t>(s.material[e]);
        if (s.part[e] == muscle && body.materials[material].tissue == Tissue::Muscle) {
            share += s.fraction[e];
        }
    }
    return share;
}

}  // namespace

std::vector<BodyFibres> measure_body_fibres(const Body& body, const Points& positions,
                                            std::span<const double> activation) {
    const MuscleConstants c = muscle_constants();
    std::vector<BodyFibres> all(body.muscles.size(), BodyFibres{.stretch = 0.0});
    std::vector<double> volume(all.size(), 0.0);
    std::vector<double> fullest(all.size(), 0.0);
    constexpr double kMostlyBelly = 0.5;
    for (std::size_t t = 0; t + 1 < body.fibres.start.size(); ++t) {
        const auto row = static_cast<Eigen::Index>(t);
        const Mat3 rest = edge_matrix(body.tets.points, body.tets.tets, row);
        const Mat3 F = edge_matrix(positions, body.tets.tets, row) * rest.inverse();
        for (Index e = body.fibres.start[t]; e < body.fibres.start[t + 1]; ++e) {
            const auto m = static_cast<std::size_t>(body.fibres.muscle[at(e)]);
            const double share = belly_share(body, t, static_cast<Index>(m));
            const MuscleStress now =
                muscle_stress(c, F, point(body.fibres.direction, e), activation[m]);
            const double V = share * rest.determinant() / 6.0;
            volume[m] += V;
            all[m].stretch += V * now.stretch;
            all[m].tension +=
                V * c.fibre.at(now.stretch, activation[m]).tension / c.fibre.peak_stress;
            // Slivers of a belly are as stretched as what surrounds them: only the fullest count.
            if (share > std::min(fullest[m], kMostlyBelly)) {
                all[m].max_stress =
                    std::max(fullest[m] < kMostlyBelly ? 0.0 : all[m].max_stress, now.fibre_stress);
                fullest[m] = share;
            }
        }
    }
    for (std::size_t m = 0; m < all.size(); ++m) {
        if (volume[m] > 0.0) {
            all[m].stretch /= volume[m];
            all[m].tension /= volume[m];
        } else {
            all[m] = {.tension = activation[m]};
        }
    }
    return all;
}

BodyContraction contract_body(const ContractJob& job, const Progress& progress) {
    BodyContraction done;
    done.rest = read_body_with_tets(job.body);
    const Timer preparing;
    MuscleGrowth growth(done.rest);
    done.seconds_prepare = preparing.seconds();
    std::vector<double> beta(done.rest.muscles.size(), 1.0);
    std::vector<Index> chosen;
    for (const std::string& word : job.muscles) {
        for (const Index m : find_muscles(done.rest.muscles, word, "--muscles")) {
            beta[at(m)] = contraction_of(job.activation.to);
            chosen.push_back(m);
        }
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    const Timer solving;
    growth.set_contraction(beta);
    const MuscleGrowthReport report = growth.settle(progress);
    done.iterations = report.iterations;
    done.seconds_per_iteration = solving.seconds() / std::max(1, report.iterations);
    done.inverted_tets = report.inverted_tets;
    done.positions = growth.positions();
    const std::vector<MuscleMeasure> measures = growth.measures();
    const MusculoskeletalModel model = model_from_body(done.rest);
    std::vector<double> activation(beta.size(), 0.0);
    for (const Index m : chosen) {
        activation[at(m)] = job.activation.to;
    }
    const std::vector<BodyFibres> fibres =
        measure_body_fibres(done.rest, done.positions, activation);
    for (const Index m : chosen) {
        const auto k = static_cast<std::size_t>(m);
        BodyContraction::Muscle muscle{.name = measures[k].name, .activation = job.activation.to};
        muscle.volume_change =
            measures[k].before > 0.0 ? measures[k].after / measures[k].before - 1.0 : 0.0;
        for (const MuscleUnit& unit : model.muscles) {
            if (unit.name == muscle.name) {
                muscle.force = fibres[k].tension * unit.fmax;
                muscle.length = fibres[k].stretch * unit.fibre + unit.tendon;
            }
        }
        muscle.max_fibre_stress = fibres[k].max_stress;
        muscle.fibre_stretch = fibres[k].stretch;
        done.muscles.push_back(std::move(muscle));
    }
    for (const Index v : done.rest.skin.tet_vertex) {
        done.largest_skin_move = std::max(
            done.largest_skin_move, (done.positions.row(v) - done.rest.tets.points.row(v)).norm());
    }
    return done;
}

void write_body_contraction(const std::filesystem::path& path, const BodyContraction& done) {
    const std::vector<MeshPart> rest = parts_at(done.rest, done.rest.tets.points);
    const std::vector<MeshPart> now = parts_at(done.rest, done.positions);
    GltfScene scene = scene_of(rest);
    for (std::size_t p = 0; p < rest.size(); ++p) {
        if (rest[p].mesh.points != now[p].mesh.points) {
            scene.parts[p].morphs.push_back(
                {.name = "contracted",
                 .displacement = now[p].mesh.points - rest[p].mesh.points,
                 .weight = 1.0});
        }
    }
    write_glb(path, scene);
}

void write_body_strip(const std::filesystem::path& path, const BodyContraction& done,
                      const Progress& progress) {
    std::vector<SheetPicture> pictures;
    RenderOptions options{
        .width = 420, .height = 760, .ground = false, .backdrop = Backdrop::White};
    std::vector<Vec3> interest;
    for (const BodyContraction::Muscle& m : done.muscles) {
        for (const Muscle& muscle : done.rest.muscles) {
            if (muscle.name == m.name) {
                for (Eigen::Index v = 0; v < muscle.mesh.points.rows(); v += 5) {
                    interest.push_back(point(muscle.mesh.points, v));
                }
            }
        }
    }
    if (!interest.empty()) {
        options.camera = fit_camera(interest, {.azimuth = 0.3, .elevation = 0.0}, 0.24,
                                    static_cast<double>(options.width) / options.height, 0.1);
    }
    for (const char* layers : {"skin", "muscles,bones"}) {
        options.layers = layers;
        for (const bool is_rest : {true, false}) {
            const std::vector<MeshPart> parts =
                parts_at(done.rest, is_rest ? done.rest.tets.points : done.positions);
            pictures.push_back({render(scene_from_parts(parts), options, progress),
                                is_rest ? "relaxed" : "contracted"});
        }
    }
    write_file_bytes(path, encode_png(contact_sheet(pictures, {.columns = 4})));
}

}  // namespace sinew
