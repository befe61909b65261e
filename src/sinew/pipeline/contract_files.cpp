#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/vtu.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/pipeline/contract.h"
#include "sinew/render/contact_sheet.h"
#include "sinew/render/plot.h"
#include "sinew/render/png.h"
#include "sinew/render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// What a contraction leaves behind: shapes over time (glTF morphs, about thirty), plots, film
// strips.

namespace sinew {

namespace {

/// The surface of each muscle, with the scene's vertex of every point.
struct MuscleSkin {
    TriangleMesh mesh = {};
    std::vector<Index> vertex = {};
};

std::vector<MuscleSkin> muscle_skins(const MuscleScene& scene) {
    const Triangles all = boundary_triangles(scene.volume.mesh.tets);
    std::vector<MuscleSkin> skins(scene.names.size());
    for (std::size_t m = 0; m < skins.size(); ++m) {
        std::vector<Index> rows;
        for (Eigen::Index t = 0; t < all.rows(); ++t) {
            if (all(t, 0) >= scene.first_vertex[m] && all(t, 0) < scene.first_vertex[m + 1]) {
                rows.push_back(static_cast<Index>(t));
            }
        }
        Triangles own(static_cast<Eigen::Index>(rows.size()), 3);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            own.row(static_cast<Eigen::Index>(r)) = all.row(rows[r]);
        }
        Compacted compact = without_unused_points(scene.volume.mesh.points, own);
        skins[m].mesh = {.points = std::move(compact.points),
                         .triangles = std::move(compact.triangles)};
        skins[m].vertex = std::move(compact.old_index);
    }
    return skins;
}

Points points_of(const MuscleSkin& skin, const Points& x) {
    Points p(static_cast<Eigen::Index>(skin.vertex.size()), 3);
    for (std::size_t i = 0; i < skin.vertex.size(); ++i) {
        p.row(static_cast<Eigen::Index>(i)) = x.row(skin.vertex[i]);
    }
    return p;
}

/// Red flesh, pale tendon, per point: linear colours blended by the share of tendon around it.
std::vector<double> flesh_colours(const MuscleScene& scene, const MuscleSkin& skin,
                                  std::size_t muscle, double activation) {
    std::vector<double> tendon(at(scene.volume.mesh.points.rows()), 0.0);
    std::vector<double> weight(tendon.size(), 0.0);
    for (Eigen::Index t = 0; t < scene.volume.mesh.tets.rows(); ++t) {
        if (scene.volume.muscle[at(t)] != static_cast<Index>(muscle)) {
            continue;
        }
        for (int c = 0; c < 4; ++c) {
            const auto v = static_cast<std::size_t>(scene.volume.mesh.tets(t, c));
            tendon[v] += scene.volume.tendon[at(t)];
            weight[v] += 1.0;
        }
    }
    // From relaxed to active flesh, and tendon.
    const Vec3 flesh = Vec3(0.28, 0.055, 0.045) + activation * Vec3(0.42, 0.02, 0.0);
    const Vec3 pale(0.72, 0.66, 0.55);
    std::vector<double> colours;
    for (const Index v : skin.vertex) {
        const auto i = at(v);
        const double s = weight[i] > 0.0 ? tendon[i] / weight[i] : 0.0;
        const Vec3 c = (1.0 - s) * flesh + s * pale;
        colours.insert(colours.end(), {c.x(), c.y(), c.z()});
    }
    return colours;
}

Points moved(const Points& rest, const Eigen::Isometry3d& T) {
    return ((T.linear() * rest.transpose()).colwise() + T.translation()).transpose();
}

Eigen::Isometry3d motion_of(const ContractRun& run, std::size_t frame, Index segment) {
    return segment < 0 ? Eigen::Isometry3d::Identity() : run.motions[frame][at(segment)];
}

void add_bones(const ContractRun& run, GltfScene& glb) {
    GltfAnimation animation{.name = "contract"};
    for (const MuscleScene::Obstacle& o : run.scene.obstacles) {
        const auto node = static_cast<Index>(glb.nodes.size());
        const Eigen::Isometry3d first = motion_of(run, 0, o.frame);
        glb.nodes.push_back({.name = o.name + "_frame",
                             .translation = first.translation(),
                             .rotation = Eigen::Quaterniond(first.linear())});
        GltfPart part{.part = {.name = o.name,
                               .mesh = o.mesh,
                               .kind = "bone",
                               .colour = {0.80f, 0.74f, 0.62f, 1.0f}}};
        part.skin = static_cast<Index>(glb.skins.size());
        part.joints = Joints4::Zero(o.mesh.points.rows(), 4);
        part.weights = Weights4::Zero(o.mesh.points.rows(), 4);
        part.weights.col(0).setOnes();
        glb.skins.push_back(
            {.name = o.name, .joints = {node}, .inverse_bind = {Eigen::Matrix4d::Identity()}});
        glb.parts.push_back(std::move(part));
        GltfTrack shift{.path = GltfPath::Translation, .node = node};
        GltfTrack turn{.path = GltfPath::Rotation, .node = node};
        for (std::size_t f = 0; f < run.frames.size(); ++f) {
            const Eigen::Isometry3d T = motion_of(run, f, o.frame);
            const Eigen::Quaterniond q(T.linear());
            shift.times.push_back(run.frames[f].time);
            turn.times.push_back(run.frames[f].time);
            const Vec3 t = T.translation();
            shift.values.insert(shift.values.end(), {t.x(), t.y(), t.z()});
            turn.values.insert(turn.values.end(), {q.x(), q.y(), q.z(), q.w()});
        }
        animation.tracks.push_back(std::move(shift));
        animation.tracks.push_back(std::move(turn));
    }
    if (!animation.tracks.empty()) {
        glb.animations.push_back(std::move(animation));
    }
}

Scene picture_of(const ContractRun& run, const std::vector<MuscleSkin>& skins, std::size_t frame) {
    Scene scene;
    for (std::size_t m = 0; m < skins.size(); ++m) {
        SceneSurface s{.name = run.scene.names[m], .kind = "muscle", .mesh = skins[m].mesh};
        s.mesh.points = points_of(skins[m], run.positions[frame]);
        s.mesh.point_data.push_back(
            {.name = std::string(kColourAttribute),
             .components = 3,
             .values =
                 flesh_colours(run.scene, skins[m], m, run.frames[frame].muscles[m].activation)});
        scene.surfaces.push_back(std::move(s));
    }
    for (const MuscleScene::Obstacle& o : run.scene.obstacles) {
        SceneSurface s{.name = o.name, .kind = "bone", .mesh = o.mesh};
        s.mesh.points = moved(o.mesh.points, motion_of(run, frame, o.frame));
        scene.surfaces.push_back(std::move(s));
    }
    return scene;
}

/// Bones that reach far beyond the muscles would make these small: only what lies near counts.
std::vector<Vec3> points_of_interest(const ContractRun& run) {
    std::vector<Vec3> points;
    for (const Points& x : run.positions) {
        for (Eigen::Index i = 0; i < x.rows(); i += 7) {
            points.push_back(point(x, i));
        }
    }
    return points;
}

void plot_measure(const std::filesystem::path& path, const ContractRun& run, bool over_activation,
                  const std::string& label,
                  const std::function<double(const MuscleState&)>& value) {
    std::vector<Series> series;
    for (std::size_t m = 0; m < run.scene.names.size(); ++m) {
        Series s{.name = run.scene.names[m]};
        for (const ContractFrame& f : run.frames) {
            s.x.push_back(over_activation ? f.muscles[m].activation : f.time);
            s.y.push_back(value(f.muscles[m]));
        }
        series.push_back(std::move(s));
    }
    write_file_bytes(path,
                     encode_png(plot(series, {.x_label = over_activation ? "activation" : "time, s",
                                              .y_label = label})));
}

}  // namespace

void write_contraction_glb(const std::filesystem::path& path, const ContractRun& run) {
    GltfScene glb;
    const std::vector<MuscleSkin> skins = muscle_skins(run.scene);
    // Morphs are whole shapes: some thirty of them show a motion well and keep the file small.
    constexpr std::size_t kMostShapes = 31;
    const std::size_t stride = (run.frames.size() + kMostShapes - 1) / kMostShapes;
    std::vector<double> times;
    std::vector<std::size_t> kept;
    for (std::size_t f = 0; f < run.frames.size(); f += std::max<std::size_t>(1, stride)) {
        kept.push_back(f);
        times.push_back(run.frames[f].time);
    }
    add_bones(run, glb);
    for (std::size_t m = 0; m < skins.size(); ++m) {
        GltfPart part{.part = {.name = run.scene.names[m],
                               .mesh = skins[m].mesh,
                               .kind = "muscle",
                               .colour = {1.0f, 1.0f, 1.0f, 1.0f}}};
        part.part.mesh.points = points_of(skins[m], run.positions[0]);
        part.part.mesh.point_data.push_back({.name = std::string(kColourAttribute),
                                             .components = 3,
                                             .values = flesh_colours(run.scene, skins[m], m, 0.4)});
        glb.parts.push_back(std::move(part));
        std::vector<Points> shapes;
        for (const std::size_t f : kept) {
            shapes.push_back(points_of(skins[m], run.positions[f]));
        }
        add_vertex_animation(glb, static_cast<Index>(glb.parts.size()) - 1, times, shapes);
    }
    write_glb(path, glb);
}

void write_contraction_plots(const std::filesystem::path& folder, const ContractRun& run,
                             bool over_activation) {
    plot_measure(folder / "force.png", run, over_activation, "force, N",
                 [](const MuscleState& s) { return s.force; });
    plot_measure(folder / "length.png", run, over_activation, "length, mm",
                 [](const MuscleState& s) { return 1e3 * s.length; });
    plot_measure(folder / "volume.png", run, over_activation, "change of volume, %",
                 [](const MuscleState& s) { return 1e2 * s.volume_change; });
    plot_measure(folder / "section.png", run, over_activation, "largest section, cm^2",
                 [](const MuscleState& s) { return 1e4 * s.belly_section; });
    MotionTable table;
    table.name = "muscles";
    for (const std::string& name : run.scene.names) {
        for (const char* what : {"activation", "force_n", "length_m", "volume_change",
                                 "fibre_stretch", "tendon_stretch", "section_m2"}) {
            table.columns.push_back(name + "/" + what);
        }
    }
    for (const ContractFrame& f : run.frames) {
        table.times.push_back(f.time);
        for (const MuscleState& s : f.muscles) {
            table.values.insert(table.values.end(),
                                {s.activation, s.force, s.length, s.volume_change,
                                 s.mean_fibre_stretch, s.mean_tendon_stretch, s.belly_section});
        }
    }
    write_motion_table(folder / "measures.sto", table);
}

void write_film_strip(const std::filesystem::path& path, const ContractRun& run, double view_turn,
                      const Progress& progress) {
    const std::vector<MuscleSkin> skins = muscle_skins(run.scene);
    const std::vector<Vec3> interest = points_of_interest(run);
    constexpr std::size_t kPictures = 6;
    const std::size_t count = std::min(kPictures, run.frames.size());
    RenderOptions options{
        .width = 360, .height = 560, .ground = false, .backdrop = Backdrop::White};
    options.camera = fit_camera(interest, {.azimuth = view_turn * kDegree, .elevation = 0.0},
                                14.0 * kDegree, 360.0 / 560.0, 0.08);
    std::vector<SheetPicture> pictures;
    auto stage = progress.stage("film strip", count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t f = count == 1 ? 0 : i * (run.frames.size() - 1) / (count - 1);
        double strongest = 0.0;
        for (const MuscleState& s : run.frames[f].muscles) {
            strongest = std::max(strongest, s.activation);
        }
        pictures.push_back({render(picture_of(run, skins, f), options),
                            fmt::format("{:.2f} s, a {:.2f}", run.frames[f].time, strongest)});
        stage.advance();
    }
    write_file_bytes(path,
                     encode_png(contact_sheet(pictures, {.columns = static_cast<int>(count)})));
}

TorusRun write_torus(const std::filesystem::path& folder, const ContractJob& job,
                     const Progress& progress) {
    TorusRun run = bounce_torus({.duration = job.duration, .rate = job.rate}, progress);
    const Triangles surface = boundary_triangles(run.mesh.tets);
    std::vector<Vec3> interest;
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
        TetMesh frame{.points = run.frames[f], .tets = run.mesh.tets};
        write_vtu(folder / fmt::format("frame_{:04}.vtu", f), frame);
        for (Eigen::Index i = 0; i < frame.points.rows(); i += 5) {
            interest.push_back(point(frame.points, i));
        }
    }
    RenderOptions options{.width = 360, .height = 420, .backdrop = Backdrop::White};
    options.camera =
        fit_camera(interest, {.azimuth = 0.5, .elevation = 0.2}, 14.0 * kDegree, 360.0 / 420, 0.05);
    std::vector<SheetPicture> pictures;
    constexpr std::size_t kPictures = 8;
    for (std::size_t i = 0; i < kPictures; ++i) {
        const std::size_t f = i * (run.frames.size() - 1) / (kPictures - 1);
        Scene scene;
        scene.surfaces.push_back({.name = "torus",
                                  .mesh = {.points = run.frames[f], .triangles = surface},
                                  .colour = colour_from_hex(0x3f78b5)});
        pictures.push_back({render(scene, options), fmt::format("{:.2f} s", run.times[f])});
    }
    write_file_bytes(folder / "film.png", encode_png(contact_sheet(pictures, {.columns = 4})));
    return run;
}

}  // namespace sinew
