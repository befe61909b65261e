#include "sinew/pipeline/muscle_scene.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/build/muscle_ends.h"
#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/static_optimisation.h"
#include "sinew/muscle/muscle_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Muscles of a body as volumes between moving bones. The number of tetrahedra that is asked for is
// met by choosing the edge and trying again, for thin parts need short edges whatever is asked. Key
// frames become activations by static optimisation of the body's line muscles [Teran2003, section
// 7].

namespace sinew {

namespace {

/// Volume of a tetrahedron over the cube of the longest edge asked for, as TetGen's come out:
/// muscles have tendons and thin edges, where they are smaller.
constexpr double kTetShape = 0.075;

/// @param of_line  that of the body's line muscle, 0 without
double greatest_force(const Muscle& muscle, double of_line) {
    if (of_line > 0.0) {
        return of_line;
    }
    if (muscle.fmax > 0.0) {
        return muscle.fmax;
    }
    // Fibres along the whole muscle: PCSA = volume / length.
    const double length = bounds(muscle.mesh.points).diagonal();
    return muscle_constants().fibre.peak_stress *
           enclosed_volume(muscle.mesh.points, muscle.mesh.triangles) / length;
}

/// The bone nearest to the end of a muscle that names none.
Index nearest_bone(const Body& body, const Vec3& at) {
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < body.bones.size(); ++b) {
        const Points& p = body.bones[b].mesh.points;
        if (p.rows() == 0) {
            continue;
        }
        const double d = (p.rowwise() - at.transpose()).rowwise().squaredNorm().minCoeff();
        if (d < least) {
            least = d;
            best = static_cast<Index>(b);
        }
    }
    return best;
}

Index frame_of_end(const Body& body, Index bone, const MuscleVolume& volume,
                   const std::vector<Index>& vertices) {
    if (bone < 0) {
        Vec3 middle = Vec3::Zero();
        for (const Index v : vertices) {
            middle += point(volume.mesh.points, v) / static_cast<double>(vertices.size());
        }
        bone = nearest_bone(body, middle);
    }
    return bone < 0 ? -1 : body.bones[static_cast<std::size_t>(bone)].segment;
}

MuscleVolume filled(const Muscle& muscle, const std::vector<Bone>& bones, double fmax,
                    const MuscleVolumeOptions& options) {
    MuscleShape shape{.mesh = muscle.mesh};
    shape.share = muscle_shares(muscle, bones);
    shape.tendon = muscle_tendon(muscle, shape.share);
    shape.fmax = fmax;
    try {
        return fill_muscle(shape, options);
    } catch (const InputError& e) {
        throw InputError({.where = muscle.name,
                          .found = e.what(),
                          .needs = "a surface that can be filled with tetrahedra",
                          .remedy = "leave the muscle out, or ask for more tetrahedra"});
    }
}

bool overlaps(const Bounds& a, const Bounds& b, double reach) {
    return ((a.low.array() - reach) <= b.high.array()).all() &&
           ((b.low.array() - reach) <= a.high.array()).all();
}

void add_bones(const Body& body, MuscleScene& scene) {
    constexpr double kReach = 0.04;
    std::vector<Bounds> boxes(scene.names.size());
    for (std::size_t m = 0; m < boxes.size(); ++m) {
        for (Index v = scene.first_vertex[m]; v < scene.first_vertex[m + 1]; ++v) {
            boxes[m].add(point(scene.volume.mesh.points, v));
        }
    }
    for (const Bone& bone : body.bones) {
        const Bounds box = bounds(bone.mesh.points);
        const bool is_near = std::any_of(boxes.begin(), boxes.end(),
                                         [&](const Bounds& m) { return overlaps(m, box, kReach); });
        if (is_near && bone.mesh.triangles.rows() > 0) {
            scene.obstacles.push_back(
                {bone.name,
                 {.points = bone.mesh.points, .triangles = bone.mesh.triangles},
                 bone.segment});
        }
    }
}

/// Where each named coordinate stands in a pose; -1 where the skeleton has none of that name.
Index coordinate_index(const Skeleton& skeleton, const std::string& name) {
    const std::vector<Index> start = coordinate_starts(skeleton);
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        Index next = start[j];
        if (joint.type == JointType::Free) {
            for (const char axis : {'x', 'y', 'z'}) {
                if (name == joint.name + "_t" + axis) {
                    return next;
                }
                ++next;
            }
        }
        for (int k = 0; k < angle_count(joint.type); ++k, ++next) {
            const std::string& motion = joint.motions[static_cast<std::size_t>(k)];
            if (name == joint.name + "_" + (motion.empty() ? std::to_string(k) : motion)) {
                return next;
            }
        }
    }
    return -1;
}

std::vector<MuscleVolume> filled_all(const Body& body, std::span<const Index> muscles,
                                     const std::vector<double>& fmax,
                                     const MuscleVolumeOptions& fill, const Progress& progress) {
    std::vector<MuscleVolume> volumes(muscles.size());
    parallel_for(muscles.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            progress.check_cancelled();
            const Muscle& muscle = body.muscles[static_cast<std::size_t>(muscles[i])];
            volumes[i] = filled(muscle, body.bones, fmax[i], fill);
        }
    });
    return volumes;
}

/// About as many tetrahedra as asked for. Thin parts need many more than their volume says: where
/// they are too many, again with longer edges everywhere, thin parts included.
std::vector<MuscleVolume> filled_within(const Body& body, std::span<const Index> muscles,
                                        const std::vector<double>& fmax, MuscleVolumeOptions fill,
                                        const MuscleSceneOptions& options,
                                        const Progress& progress) {
    constexpr double kTooMany = 1.5;
    constexpr int kTries = 3;
    constexpr double kLongest = 0.02;  // m
    std::vector<MuscleVolume> best;
    double least = 0.0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        std::vector<MuscleVolume> volumes = filled_all(body, muscles, fmax, fill, progress);
        double count = 0.0;
        for (const MuscleVolume& v : volumes) {
            count += static_cast<double>(v.mesh.tets.rows());
        }
        if (best.empty() || count < least) {
            best = std::move(volumes);
            least = count;
        }
        if (options.edge > 0.0 || count <= kTooMany * options.tets || fill.edge >= kLongest) {
            break;
        }
        // Surfaces of even triangles: their number falls with the square of the edges.
        const double longer = std::clamp(std::sqrt(count / options.tets), 1.2, 2.0);
        fill.edge = std::min(kLongest, longer * fill.edge);
        fill.least_edge *= longer;
    }
    return best;
}

}  // namespace

MuscleScene muscle_scene_from_body(const Body& body, std::span<const Index> muscles,
                                   const MuscleSceneOptions& options, const Progress& progress) {
    if (muscles.empty()) {
        throw InputError({.where = "muscles to contract",
                          .found = "none",
                          .needs = "at least one muscle",
                          .remedy = "name muscles or groups, as in biceps_l"});
    }
    double total = 0.0;
    for (const Index m : muscles) {
        const TriangleMesh& mesh = body.muscles[static_cast<std::size_t>(m)].mesh;
        total += std::abs(enclosed_volume(mesh.points, mesh.triangles));
    }
    MuscleVolumeOptions fill;
    fill.edge = options.edge > 0.0
                    ? options.edge
                    : std::clamp(std::cbrt(total / (kTetShape * options.tets)), 0.0015, 0.02);
    // Tendons and edges of sheets are thin whatever the element size.
    fill.least_edge = std::min(0.35 * fill.edge, 0.0013);

    MuscleScene scene;
    scene.frames = static_cast<int>(body.skeleton.segments.size());
    const std::vector<double> of_lines = options.uses_model
                                             ? greatest_muscle_forces(body)
                                             : std::vector<double>(body.muscles.size(), 0.0);
    for (const Index m : muscles) {
        scene.fmax.push_back(greatest_force(body.muscles[at(m)], of_lines[at(m)]));
    }
    auto stage = progress.stage("fill muscles", muscles.size());
    const std::vector<MuscleVolume> volumes =
        filled_within(body, muscles, scene.fmax, fill, options, progress);
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        const Muscle& muscle = body.muscles[static_cast<std::size_t>(muscles[i])];
        const MuscleVolume& v = volumes[i];
        progress.info(fmt::format("{}: {} tetrahedra", muscle.name, v.mesh.tets.rows()));
        scene.names.push_back(muscle.name);
        scene.origin_frame.push_back(frame_of_end(body, muscle.origin, v, v.origin));
        scene.insertion_frame.push_back(frame_of_end(body, muscle.insertion, v, v.insertion));
        stage.advance();
    }
    scene.volume = join_muscles(volumes, scene.first_vertex);
    if (options.has_bones) {
        add_bones(body, scene);
    }
    return scene;
}

double value_at(const MotionTable& table, std::size_t column, double time) {
    const auto next = std::upper_bound(table.times.begin(), table.times.end(), time);
    if (next == table.times.begin()) {
        return table.at(0, column);
    }
    const auto row = static_cast<std::size_t>(next - table.times.begin());
    if (row == table.times.size()) {
        return table.at(row - 1, column);
    }
    const double s = (time - table.times[row - 1]) / (table.times[row] - table.times[row - 1]);
    return table.at(row - 1, column) + s * (table.at(row, column) - table.at(row - 1, column));
}

Pose pose_at(const Skeleton& skeleton, const KeyFrames& keys, double time) {
    Pose pose = rest_pose(skeleton);
    const MotionTable& k = keys.coordinates;
    for (std::size_t c = 0; c < k.columns.size(); ++c) {
        const Index at = coordinate_index(skeleton, k.columns[c]);
        if (at < 0) {
            throw InputError({.where = "key frames",
                              .found = fmt::format("coordinate '{}'", k.columns[c]),
                              .needs = "coordinates as in elbow_l_flexion",
                              .remedy = "see the coordinates of `sinew muscles BODY --json`"});
        }
        const auto next = std::upper_bound(k.times.begin(), k.times.end(), time);
        const auto row = static_cast<std::size_t>(next - k.times.begin());
        double value = value_at(k, c, time);
        if (row > 0 && row < k.times.size()) {
            // Cubic with the slopes of the neighbours' chords.
            const auto slope = [&](std::size_t i) {
                return i == 0 || i + 1 >= k.times.size()
                           ? 0.0
                           : (k.at(i + 1, c) - k.at(i - 1, c)) / (k.times[i + 1] - k.times[i - 1]);
            };
            const double h = k.times[row] - k.times[row - 1];
            const double s = (time - k.times[row - 1]) / h;
            const double a = k.at(row - 1, c);
            const double b = k.at(row, c);
            value = a * (1 + 2 * s) * (1 - s) * (1 - s) + b * s * s * (3 - 2 * s) +
                    h * s * (1 - s) * ((1 - s) * slope(row - 1) - s * slope(row));
        }
        pose.coordinates[static_cast<std::size_t>(at)] = value;
    }
    return pose;
}

MotionTable key_frame_activations(const MusculoskeletalModel& model, const KeyFrames& keys,
                                  bool is_linear, const Progress& progress) {
    const MotionTable& k = keys.coordinates;
    MotionTable out;
    out.name = "key frame activations";
    out.times = k.times;
    for (std::size_t r = 0; r < k.times.size(); ++r) {
        // The same pose over and over: no velocity, no acceleration.
        MotionTable held;
        held.columns = k.columns;
        constexpr int kRows = 5;
        for (int i = 0; i < kRows; ++i) {
            held.times.push_back(0.1 * i);
            for (std::size_t c = 0; c < k.columns.size(); ++c) {
                held.values.push_back(k.at(r, c));
            }
        }
        const StaticOptimisation shared = optimise_motion(
            model, held,
            {.strength = is_linear ? MuscleStrength::Constant : MuscleStrength::RigidTendon,
             .filter = 0.0},
            progress);
        out.columns = shared.activations.columns;
        for (std::size_t c = 0; c < out.columns.size(); ++c) {
            out.values.push_back(std::clamp(shared.activations.at(kRows / 2, c), kTone, 1.0));
        }
    }
    return out;
}

}  // namespace sinew
