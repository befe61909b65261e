#include "sinew/pipeline/any_model.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/kinematics.h"
#include "sinew/io/archive.h"
#include "sinew/io/model_files.h"
#include "sinew/io/model_meshes.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/side_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

// Models from any file: OpenSim, MuJoCo, MASS, or a body, whose muscles become lines and whose
// landmarks become markers. Joints without inertia or damping get a little when a model is written
// for a simulator, and it is said how many.

namespace sinew {

namespace {

constexpr double kUsualArmature = 0.01;  // kg m^2, of joints that have none
constexpr double kUsualDamping = 0.1;    // N m s/rad

// Without any inertia and damping of their joints, a foot's bones are thrown about by what pulls on
// them. Returns how many were given some.
int steady_joints(MusculoskeletalModel& model) {
    int count = 0;
    for (Coordinate& c : model.coordinates) {
        if (c.armature <= 0.0 && c.damping <= 0.0 && c.is_rotation &&
            model.joints[at(c.joint)].parent >= 0) {
            c.armature = kUsualArmature;
            c.damping = kUsualDamping;
            ++count;
        }
    }
    return count;
}

// Landmarks of the skin become markers of the bone that lies nearest.
void add_landmark_markers(const Body& body, MusculoskeletalModel& model) {
    const std::vector<TriangleMesh> bones = bone_surfaces(body);
    const ModelPlacement rest = KinematicTree(model).place(rest_coordinates(model));
    for (const Landmark& landmark : body.landmarks) {
        const bool is_known =
            std::any_of(model.markers.begin(), model.markers.end(),
                        [&](const ModelMarker& m) { return m.name == landmark.name; });
        ModelMarker marker{.name = landmark.name};
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t b = 0; b < bones.size() && b < rest.bodies.size(); ++b) {
            const Vec3 local = rest.bodies[b].inverse() * landmark.position;
            for (Eigen::Index v = 0; v < bones[b].points.rows(); ++v) {
                const double d = (bones[b].points.row(v).transpose() - local).squaredNorm();
                if (d < nearest) {
                    nearest = d;
                    marker.body = static_cast<Index>(b);
                    marker.position = local;
                }
            }
        }
        if (marker.body >= 0 && !is_known) {
            model.markers.push_back(std::move(marker));
        }
    }
}

// Meshes that no file holds are written, so that OpenSim finds them.
void name_own_meshes(const std::filesystem::path& folder, const std::string& stem,
                     MusculoskeletalModel& model) {
    MusculoskeletalModel own;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < model.shapes.size(); ++k) {
        if (model.shapes[k].file.empty() && model.shapes[k].mesh) {
            own.shapes.push_back(model.shapes[k]);
            own.shapes.back().name = stem + "_" + model.shapes[k].name;
            numbers.push_back(k);
        }
    }
    write_shapes(folder, own);
    for (std::size_t k = 0; k < own.shapes.size(); ++k) {
        model.shapes[numbers[k]] = own.shapes[k];
    }
}

}  // namespace

bool is_body_file(const std::filesystem::path& file) {
    return lower(file.extension().string()) == ".sinew";
}

MusculoskeletalModel model_with_markers(const Body& body) {
    MusculoskeletalModel model = model_from_body(body);
    add_landmark_markers(body, model);
    return model;
}

MusculoskeletalModel model_with_bones(const Body& body) {
    MusculoskeletalModel model = model_with_markers(body);
    const std::vector<TriangleMesh> bones = bone_surfaces(body);
    for (std::size_t b = 0; b < bones.size() && b < model.bodies.size(); ++b) {
        if (bones[b].triangles.rows() > 0) {
            model.shapes.push_back({.name = model.bodies[b].name,
                                    .body = static_cast<Index>(b),
                                    .mesh = std::make_shared<TriangleMesh>(bones[b])});
        }
    }
    return model;
}

MusculoskeletalModel read_any_model(const std::filesystem::path& file,
                                    const std::filesystem::path& muscles) {
    if (!is_body_file(file)) {
        return read_model(file, muscles);
    }
    if (!muscles.empty()) {
        throw InputError({.where = file.string(),
                          .found = fmt::format("muscles of another file, '{}'", muscles.string()),
                          .needs = "none: a body has its own",
                          .remedy = "leave out the muscles"});
    }
    return model_with_markers(read_archive(file));
}

MusculoskeletalModel read_model_with_shapes(const std::filesystem::path& file,
                                            const std::filesystem::path& muscles,
                                            const std::filesystem::path& geometry,
                                            std::vector<std::string>& notes) {
    if (is_body_file(file)) {
        return model_with_bones(read_archive(file));
    }
    MusculoskeletalModel model = read_any_model(file, muscles);
    std::vector<std::filesystem::path> folders = {file.parent_path()};
    if (!geometry.empty()) {
        folders.push_back(geometry);
    }
    const std::vector<std::string> missing = load_shapes(model, folders);
    notes.insert(notes.end(), missing.begin(), missing.end());
    return model;
}

std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model,
                                         const ModelWriting& options) {
    if (lower(path.extension().string()) != ".xml") {
        MusculoskeletalModel named = model;
        if (options.has_meshes) {
            name_own_meshes(path.parent_path() / "Geometry", path.stem().string(), named);
        }
        return write_model(path, named);
    }
    const OneSidedPoints points = with_one_sided_points(model);
    MusculoskeletalModel ready = with_side_points(points.model);
    const int steadied = steady_joints(ready);
    MjcfOptions mjcf{.up = options.up};
    if (options.has_meshes) {
        mjcf.meshes = path.stem().string() + "_meshes";
        write_shapes(path.parent_path() / mjcf.meshes, ready);
    }
    std::vector<std::string> notes = write_mjcf(path, ready, mjcf);
    if (points.one_sided + points.kept + points.left_out > 0) {
        notes.push_back(
            fmt::format("of the conditional points {} became small spheres that paths pass on one "
                        "side, {} are always there, {} are left out",
                        points.one_sided, points.kept, points.left_out));
    }
    const auto ellipsoids =
        std::count_if(model.wraps.begin(), model.wraps.end(),
                      [](const WrapObject& w) { return w.kind == WrapKind::Ellipsoid; }) -
        std::count_if(ready.wraps.begin(), ready.wraps.end(),
                      [](const WrapObject& w) { return w.kind == WrapKind::Ellipsoid; });
    if (ellipsoids > 0) {
        notes.push_back(fmt::format("{} ellipsoids became cylinders or spheres", ellipsoids));
    }
    if (steadied > 0) {
        notes.push_back(
            fmt::format("{} coordinates were given {} kg m^2 and {} N m s/rad of their "
                        "own, so that steps of 2 ms hold",
                        steadied, kUsualArmature, kUsualDamping));
    }
    return notes;
}

}  // namespace sinew
