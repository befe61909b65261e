#include "sinew/pipeline/any_model.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/kinematics.h"
#include "sinew/io/archive.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/side_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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
            model.joints[static_cast<std::size_t>(c.joint)].parent >= 0) {
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

}  // namespace

bool is_body_file(const std::filesystem::path& file) {
    return lower(file.extension().string()) == ".sinew";
}

MusculoskeletalModel model_with_markers(const Body& body) {
    MusculoskeletalModel model = model_from_body(body);
    add_landmark_markers(body, model);
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

std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model, UpAxis up) {
    if (lower(path.extension().string()) != ".xml") {
        return write_model(path, model);
    }
    MusculoskeletalModel ready = with_side_points(model);
    const int steadied = steady_joints(ready);
    std::vector<std::string> notes = write_mjcf(path, ready, {.up = up});
    if (steadied > 0) {
        notes.push_back(
            fmt::format("{} coordinates were given {} kg m^2 and {} N m s/rad of their "
                        "own, so that steps of 2 ms hold",
                        steadied, kUsualArmature, kUsualDamping));
    }
    return notes;
}

}  // namespace sinew
