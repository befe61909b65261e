#include "sinew/pipeline/skin_character.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/timer.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/character_files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mesh_files.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/usda.h"
#include "sinew/meshing/near_points.h"
#include "sinew/pipeline/coarse_skin.h"
#include "sinew/pipeline/skeleton_fit.h"
#include "sinew/pipeline/upsampling_cache.h"
#include "sinew/skinning/blend_skinning.h"
#include "sinew/skinning/shown_skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>

// Characters from files, ready to be moved. Points of a file that coincide (seams of textures) are
// welded for the flesh and parted again when it is shown, so meshes, materials and texture
// coordinates of the file stay as they were. Meshes that a file hangs on single joints are rigid
// and never become flesh.
//
// A run simulates the skin itself or a coarser one with the fine one upsampled from it; the methods
// without simulation (linear blend, dual quaternions) go the same path, so that they can be
// compared.

namespace sinew {
namespace {

// Points nearer than this share of the skin's diagonal are one: files round coordinates.
constexpr double kSamePoint = 1e-5;
// More triangles without a neighbour than this share, and the skin would fall apart.
constexpr double kMostAlone = 0.5;

// Triangles that share no corner with another one.
Eigen::Index alone(const TriangleMesh& skin) {
    std::vector<int> uses(static_cast<std::size_t>(skin.points.rows()), 0);
    for (Eigen::Index i = 0; i < skin.triangles.size(); ++i) {
        ++uses[at(skin.triangles.data()[i])];
    }
    Eigen::Index count = 0;
    for (Eigen::Index t = 0; t < skin.triangles.rows(); ++t) {
        count += uses[at(skin.triangles(t, 0))] == 1 && uses[at(skin.triangles(t, 1))] == 1 &&
                 uses[at(skin.triangles(t, 2))] == 1;
    }
    return count;
}

void require_surface(const TriangleMesh& skin, const std::string& where) {
    const Eigen::Index triangles = skin.triangles.rows();
    const Eigen::Index lonely = alone(skin);
    if (triangles > 1 &&
        static_cast<double>(lonely) > kMostAlone * static_cast<double>(triangles)) {
        throw InputError({.where = where,
                          .found = fmt::format("{} of {} triangles share no corner with another",
                                               lonely, triangles),
                          .needs = "a surface whose triangles share their corners",
                          .remedy = "join near points: sinew repair --weld all --weld-tolerance "
                                    "DISTANCE"});
    }
}

bool is_rigid(const Character& character, std::size_t point) {
    return !character.binding.is_rigid.empty() && character.binding.is_rigid[point] != 0;
}

// Joins coinciding points of the flesh; triangles without area go. The mesh itself stays as it is.
void weld(Character& character, const std::string& where) {
    const TriangleMesh& mesh = character.mesh;
    const double size =
        mesh.points.rows() > 0
            ? (mesh.points.colwise().maxCoeff() - mesh.points.colwise().minCoeff()).norm()
            : 0.0;
    std::vector<Index> flesh;  // points of the mesh
    for (std::size_t i = 0; i < at(mesh.points.rows()); ++i) {
        if (!is_rigid(character, i)) {
            flesh.push_back(static_cast<Index>(i));
        }
    }
    const Points all = mesh.points(flesh, Eigen::all);
    const std::vector<Index> first = first_within(all, kSamePoint * size);
    character.skin_vertex.assign(at(mesh.points.rows()), -1);
    Points& joined = character.skin.points;
    joined.resize(all.rows(), 3);
    Index count = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const bool is_new = first[i] == static_cast<Index>(i);
        if (is_new) {
            joined.row(count) = all.row(first[i]);
        }
        character.skin_vertex[at(flesh[i])] =
            is_new ? count++ : character.skin_vertex[at(flesh[at(first[i])])];
    }
    joined.conservativeResize(count, 3);
    std::vector<Eigen::Matrix<Index, 1, 3>> rows;
    Eigen::Index rigid = 0;  // triangles
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        Eigen::Matrix<Index, 1, 3> row;
        for (int k = 0; k < 3; ++k) {
            row[k] = character.skin_vertex[at(mesh.triangles(t, k))];
        }
        rigid += row[0] < 0 ? 1 : 0;
        if (row[0] >= 0 && row[0] != row[1] && row[1] != row[2] && row[2] != row[0]) {
            rows.push_back(row);
        }
    }
    character.skin.triangles.resize(static_cast<Eigen::Index>(rows.size()), 3);
    for (std::size_t t = 0; t < rows.size(); ++t) {
        character.skin.triangles.row(static_cast<Eigen::Index>(t)) = rows[t];
    }
    if (rows.empty() && mesh.triangles.rows() > rigid) {
        throw InputError(
            {.where = where,
             .found = fmt::format("no triangle larger than {:.3g} m, of a skin {:.3g} m large",
                                  kSamePoint * size, size),
             .needs = "triangles larger than 1/100000 of the skin",
             .remedy = "take out points far away: sinew repair"});
    }
    require_surface(character.skin, where);
    // Collisions ask which side is outside.
    if (enclosed_volume(character.skin) < 0.0) {
        character.skin.triangles.col(1).swap(character.skin.triangles.col(2));
    }
}

Points mesh_points(const Character& character, const Points& skin, const CharacterPose& pose) {
    Points all(character.mesh.points.rows(), 3);
    for (Eigen::Index i = 0; i < all.rows(); ++i) {
        const Index vertex = character.skin_vertex[at(i)];
        if (vertex >= 0) {
            all.row(i) = skin.row(vertex);
        } else {
            const Eigen::Isometry3d& T = pose[at(character.binding.joints(i, 0))];
            all.row(i) = (T * point(character.mesh.points, i)).transpose();
        }
    }
    return all;
}

// For each row of a skin made from the character's, the point of its mesh that stands next to it.
std::vector<Index> points_beside(const Character& character, const TriangleMesh& skin) {
    std::vector<Index> point_of(at(character.skin.points.rows()), 0);
    for (std::size_t i = character.skin_vertex.size(); i-- > 0;) {
        if (character.skin_vertex[i] >= 0) {
            point_of[at(character.skin_vertex[i])] = static_cast<Index>(i);
        }
    }
    const SurfaceTree tree(character.skin);
    std::vector<Index> beside;
    for (const ClosestPoint& near : tree.closest_points(skin.points)) {
        const auto row = static_cast<Eigen::Index>(beside.size());
        Index best = character.skin.triangles(near.triangle, 0);
        for (int k = 1; k < 3; ++k) {
            const Index other = character.skin.triangles(near.triangle, k);
            const Vec3 p = point(skin.points, row);
            if ((point(character.skin.points, other) - p).squaredNorm() <
                (point(character.skin.points, best) - p).squaredNorm()) {
                best = other;
            }
        }
        beside.push_back(point_of[at(best)]);
    }
    return beside;
}

// Weights of the character's file for each row of a skin; none where it has none.
std::vector<std::vector<BlendSkinning::Weight>> weights_of(const Character& character,
                                                           const TriangleMesh& skin) {
    const PointBinding& binding = character.binding;
    std::vector<std::vector<BlendSkinning::Weight>> weights;
    if (binding.weights.size() == 0 || !(binding.weights.maxCoeff() > 0.0)) {
        return weights;
    }
    for (const Index i : points_beside(character, skin)) {
        std::vector<BlendSkinning::Weight> own;
        for (int k = 0; k < 4; ++k) {
            if (binding.weights(i, k) > 0.0) {
                own.push_back({binding.joints(i, k), binding.weights(i, k)});
            }
        }
        weights.push_back(std::move(own));
    }
    return weights;
}

// Automatic weights, or those of the character's file where it gives some to every vertex.
BlendSkinning blend_of(const Character& character, const TriangleMesh& skin,
                       const ProjectiveSkinning& skinning) {
    auto weights = weights_of(character, skin);
    const bool is_whole =
        std::none_of(weights.begin(), weights.end(), [](const auto& row) { return row.empty(); });
    if (weights.empty() || !is_whole) {
        return BlendSkinning(skinning.flesh(), skinning.bones());
    }
    return BlendSkinning(skin.points, std::move(weights), character.skeleton.size());
}

// Meshes of a file as they are read, with the materials that it gives them. A character's mesh is
// these, one behind the other.
GltfScene looks_of_file(const GltfScene& file, std::vector<MeshPart> parts) {
    GltfScene looks{.looks = file.looks};
    SINEW_ASSERT(parts.size() == file.parts.size(), "{} parts, {} in the file", parts.size(),
                 file.parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const GltfPart& from = file.parts[i];
        looks.parts.push_back({.part = std::move(parts[i]),
                               .metallic = from.metallic,
                               .roughness = from.roughness,
                               .is_double_sided = from.is_double_sided,
                               .material = from.material});
    }
    return looks;
}

WrittenLayer layer_of(const Character& character) {
    WrittenLayer layer{.name = "skin", .looks = character.looks};
    for (const GltfPart& part : character.looks.parts) {
        layer.parts.push_back(part.part);
    }
    if (layer.parts.empty()) {
        layer.parts = {{.name = character.name, .mesh = character.mesh, .kind = "skin"}};
    }
    return layer;
}

void require_valid_run(const SkinRunOptions& options) {
    if (!(options.rate > 0.0) || options.frames < 0 || options.settle < 0 ||
        options.simulate_vertices < 0) {
        throw InputError(
            {.where = "skinning",
             .found = fmt::format("{} frames at {} per second", options.frames, options.rate),
             .needs = "frames, settle and vertices >= 0, a rate > 0",
             .remedy = "correct the settings"});
    }
}

// Stiffness grows with the length of what is stiff, weights of contacts and masses do not by
// themselves. They are meant for people in metres: what is far larger or smaller has another unit,
// and moves like a person of its shape.
ProjectiveSkinningOptions in_its_own_unit(const Points& skin, ProjectiveSkinningOptions options) {
    constexpr double kPerson = 1.75;  // m
    constexpr double kSmallestPerson = 0.3;
    constexpr double kLargestPerson = 4.0;
    const double size = (skin.colwise().maxCoeff() - skin.colwise().minCoeff()).maxCoeff();
    if (size > 0.0 && std::isfinite(size) && (size < kSmallestPerson || size > kLargestPerson)) {
        options.contact_weight *= size / kPerson;
        options.mass *= size / kPerson;
    }
    return options;
}

void keep(SkinRun& run, const SkinFrameSink& sink, Points frame) {
    if (sink) {
        sink(std::move(frame));
    } else {
        run.frames.push_back(std::move(frame));
    }
}

// A character without flesh: all of its meshes hang on joints.
void move_rigid(const Character& character, const CharacterMotion& motion, SkinRun& run,
                const SkinFrameSink& sink) {
    for (const double time : run.times) {
        const CharacterPose pose =
            pose_of(character.skeleton, sample(motion, motion.times.front() + time));
        keep(run, sink, mesh_points(character, Points(0, 3), pose));
    }
}

// A frame by linear blend or dual quaternion skinning; s.
double place_blended(ProjectiveSkinning& skinning, const BlendSkinning& blend, SkinMethod method,
                     const CharacterPose& pose) {
    const Timer timer;
    const Points x = blend.posed(
        pose, method == SkinMethod::Linear ? BlendMethod::Linear : BlendMethod::DualQuaternions);
    const double seconds = timer.seconds();
    skinning.place(pose, x);
    return seconds;
}

}  // namespace

// Simulations know no files: what they find wrong with "skin" or "skeleton" is in one.
ProjectiveSkinning skinning_of(const Character& character, const TriangleMesh& skin,
                               const ProjectiveSkinningOptions& options) {
    try {
        return ProjectiveSkinning(skin, character.skeleton, options, weights_of(character, skin));
    } catch (const InputError& error) {
        const std::string& where = error.parts().where;
        if (where == "skeleton" && !character.skeleton_file.empty()) {
            throw error.within(character.skeleton_file);
        }
        // Whether a skin has flesh depends on the skeleton too.
        if ((where == "skin" || where.starts_with("skin,")) && !character.mesh_file.empty()) {
            throw error.within(
                character.mesh_file == character.skeleton_file
                    ? character.mesh_file
                    : fmt::format("{} with {}", character.mesh_file, character.skeleton_file));
        }
        throw;
    }
}

std::vector<double> skin_frame_times(const CharacterMotion& motion, const SkinRunOptions& options) {
    require_valid_run(options);
    return frame_times(motion.times.back() - motion.times.front(), options.rate, options.frames);
}

Character read_character(const std::filesystem::path& mesh, const std::filesystem::path& skeleton,
                         const ReadOptions& options,
                         const std::optional<ReadOptions>& skeleton_options) {
    if (skeleton.empty() && !is_scene_file(mesh)) {
        throw InputError(
            {.where = mesh.string(),
             .found = "no skeleton",
             .needs = "a .glb, .gltf or .fbx file with joints, or a skeleton beside it",
             .remedy = "give one with --skeleton"});
    }
    Character character;
    character.name = mesh.stem().string();
    character.mesh_file = mesh.string();
    character.skeleton_file = skeleton.empty() ? mesh.string() : skeleton.string();
    ReadOptions as_bound = options;
    as_bound.as_bound = true;
    std::vector<MeshPart> parts = read_surface(mesh, as_bound);
    character.mesh = merged(parts);
    if (is_scene_file(mesh)) {
        const GltfScene file = read_scene(mesh);
        if (skeleton.empty()) {
            character.binding = point_binding(file);
        }
        character.looks = looks_of_file(file, std::move(parts));
    }
    weld(character, mesh.string());
    const ReadOptions joints = skeleton_options.value_or(options);
    character.skeleton = read_character_skeleton(skeleton.empty() ? mesh : skeleton, joints);
    const std::optional<std::string> other =
        reading_that_fits(character.mesh.points, character.skeleton,
                          {.skin = options,
                           .skeleton = joints,
                           .is_skin_open = !is_scene_file(mesh),
                           .is_skeleton_open = !skeleton.empty() && !is_scene_file(skeleton)});
    if (other) {
        throw InputError(
            {.where = skeleton.empty() ? mesh.string() : skeleton.string(),
             .found = "joints beside the skin, in another unit or with another axis up",
             .needs = "a skeleton in its skin",
             .remedy = "read them with " + *other});
    }
    return character;
}

SkinRun run_skinning(const Character& character, const CharacterMotion& motion,
                     const SkinRunOptions& options, const Progress& progress,
                     const SkinFrameSink& sink) {
    require_valid_run(options);
    SkinRun run;
    run.times = skin_frame_times(motion, options);
    if (character.skin.triangles.rows() == 0 && !character.binding.is_rigid.empty()) {
        move_rigid(character, motion, run, sink);
        return run;
    }
    const Timer prepare;
    const bool is_coarse =
        options.simulate_vertices > 0 && options.simulate_vertices < character.skin.points.rows();
    const TriangleMesh skin = is_coarse ? coarse_skin(character.skin, character.skeleton,
                                                      options.simulate_vertices, progress)
                                        : without_holes(character.skin);
    ProjectiveSkinning skinning =
        skinning_of(character, skin, in_its_own_unit(character.skin.points, options.skinning));
    run.preprocess_s = prepare.seconds();
    std::optional<ShownSkin> shown;
    if (is_coarse) {
        const Timer timer;
        // Rows that close holes are behind those of the character's skin.
        const TriangleMesh closed = without_holes(character.skin);
        shown.emplace(cached_upsampling(skin, closed, options.cache, progress),
                      skinning.skin_on_joints(), closed,
                      options.method == SkinMethod::Projective &&
                          options.skinning.collisions == SkinCollisions::Global);
        run.upsampling_s = timer.seconds();
    }
    run.simulated_vertices = skinning.simulated_vertices();
    run.tets = skinning.flesh().tets.rows();

    const auto pose_at = [&](double time) {
        return pose_of(character.skeleton, sample(motion, time));
    };
    std::optional<BlendSkinning> blend;
    if (options.method != SkinMethod::Projective) {
        blend.emplace(blend_of(character, skin, skinning));
    } else {
        skinning.reset(pose_at(motion.times.front()), options.settle);
    }
    RunTotals totals;
    auto stage = progress.stage("skinning", run.times.size());
    for (const double time : run.times) {
        const CharacterPose pose = pose_at(motion.times.front() + time);
        const double seconds = blend ? place_blended(skinning, *blend, options.method, pose)
                                     : skinning.step(pose).seconds;
        const Timer timer;
        const Points& frame = shown ? shown->show(skinning.skin(), pose) : skinning.skin();
        const double seconds_shown = shown ? timer.seconds() : 0.0;
        totals.add(seconds, seconds_shown, skinning.volume_ratio(),
                   shown ? shown->penetration() : skinning.penetration());
        keep(run, sink, mesh_points(character, frame, pose));
        stage.advance();
    }
    totals.write_to(run);
    return run;
}

void require_skin_output(const std::filesystem::path& path) {
    const std::string ending = lower(path.extension().string());
    if (ending == ".glb" || ending == ".usda" || ending == ".pc2" || ending == ".mdd") {
        require_writable_place(path);
    } else if (!ending.empty() && !std::filesystem::is_directory(path)) {
        throw InputError({.where = path.string(),
                          .found = fmt::format("the ending '{}'", ending),
                          .needs = ".glb, .usda, .pc2, .mdd, or a folder",
                          .remedy = "choose one of these"});
    } else {
        std::error_code error;
        std::filesystem::create_directories(path, error);
        if (error) {
            throw InputError({.where = path.string(),
                              .found = "a folder that cannot be made: " + error.message(),
                              .needs = "a place that can be written to",
                              .remedy = "choose another folder or change its permissions"});
        }
        require_writable_place(path / "rest.obj");
    }
}

struct SkinRunWriter::Data {
    std::filesystem::path path;
    std::string sequence;
    std::vector<WrittenLayer> layers;
    std::unique_ptr<FrameWriter> file = {};  // none: a folder
    std::size_t count = 0;

    // A folder of its own for each of several layers.
    std::filesystem::path place_of(const WrittenLayer& layer, const std::string& name) const {
        return (layers.size() > 1 ? path / layer.name : path) / (name + "." + sequence);
    }
};

SkinRunWriter::SkinRunWriter(const std::filesystem::path& path, const Character& character,
                             std::vector<double> times, const std::string& sequence)
    : SkinRunWriter(path, std::vector{layer_of(character)}, std::move(times), sequence) {}

SkinRunWriter::SkinRunWriter(const std::filesystem::path& path, std::vector<WrittenLayer> layers,
                             std::vector<double> times, const std::string& sequence) {
    require_skin_output(path);
    data_ = std::make_unique<Data>(
        Data{.path = path, .sequence = sequence, .layers = std::move(layers)});
    Data& d = *data_;
    std::vector<MeshPart> all;
    Eigen::Index points = 0;
    for (WrittenLayer& layer : d.layers) {
        std::erase_if(layer.parts, [](const MeshPart& p) { return p.mesh.points.rows() == 0; });
        for (const MeshPart& part : layer.parts) {
            all.push_back(part);
            points += part.mesh.points.rows();
        }
    }
    const std::string ending = lower(path.extension().string());
    if (ending == ".glb") {
        const bool has_looks = d.layers.size() == 1 && !d.layers[0].looks.parts.empty();
        d.file = std::make_unique<GlbFrameWriter>(
            path, has_looks ? std::move(d.layers[0].looks) : scene_of(all), std::move(times));
    } else if (ending == ".usda") {
        d.file = std::make_unique<UsdaFrameWriter>(path, all, std::move(times));
    } else if (ending == ".pc2" || ending == ".mdd") {
        if (d.layers.size() != 1) {
            throw InputError({.where = path.string(),
                              .found = fmt::format("{} layers", d.layers.size()),
                              .needs = "one layer: a point cache is laid over one mesh",
                              .remedy = "write one file for each layer, or a .glb or .usda"});
        }
        d.file = std::make_unique<PointCacheWriter>(path, times, points);
    } else {
        for (const WrittenLayer& layer : d.layers) {
            const std::filesystem::path rest = d.place_of(layer, "rest");
            std::filesystem::create_directories(rest.parent_path());
            write_surface(rest, layer.parts);
        }
    }
}
SkinRunWriter::~SkinRunWriter() = default;

void SkinRunWriter::add(Points frame) {
    Data& d = *data_;
    if (d.file) {
        d.file->add(frame);
    } else {
        Eigen::Index first = 0;
        for (WrittenLayer& layer : d.layers) {
            for (MeshPart& part : layer.parts) {
                const Eigen::Index rows = part.mesh.points.rows();
                part.mesh.points = frame.middleRows(first, rows);
                first += rows;
            }
            write_surface(d.place_of(layer, fmt::format("frame_{:04}", d.count)), layer.parts);
        }
    }
    ++d.count;
}

void SkinRunWriter::commit() {
    if (data_->file) {
        data_->file->commit();
    }
}

std::string SkinRunWriter::kept() const {
    const Data& d = *data_;
    if (d.file || d.count == 0) {
        return "";
    }
    return fmt::format("{} frames are complete in '{}': frame_0000.{} to frame_{:04}.{}", d.count,
                       d.path.string(), d.sequence, d.count - 1, d.sequence);
}

void write_skin_run(const std::filesystem::path& path, const Character& character,
                    const SkinRun& run, const std::string& sequence) {
    SkinRunWriter writer(path, character, run.times, sequence);
    for (const Points& frame : run.frames) {
        writer.add(frame);
    }
    writer.commit();
}

}  // namespace sinew
