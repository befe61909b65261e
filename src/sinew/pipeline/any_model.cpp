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
    const Body body = read_archive(file);
    MusculoskeletalModel model = model_from_body(body);
    add_landmark_markers(body, model);
    return model;
}

std::vector<std::string> write_any_model(const std::filesystem::path& path,
                                         const MusculoskeletalModel& model, UpAxis up) {
    if (lower(path.extension().string()) != ".xml") {
        return write_model(path, model);
    }
    return write_mjcf(path, with_side_points(model), {.up = up});
}

}  // namespace sinew
