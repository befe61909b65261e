#include "sinew/pipeline/ik_job.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/c3d.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/io/trc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// The pairs of a set-up as factors per body; bodies that none scales keep their size.
std::vector<Vec3> factors_of_setup(const MusculoskeletalModel& model, const MarkerData& data,
                                   const ScaleSetup& setup, ScaledModel& out) {
    const KinematicTree tree(model);
    const ModelPlacement rest = tree.place(rest_coordinates(model));
    const auto place = [&](const std::string& name) -> Vec3 {
        for (const ModelMarker& m : model.markers) {
            if (m.name == name) {
                return m.body < 0 ? m.position
                                  : rest.bodies[static_cast<std::size_t>(m.body)] * m.position;
            }
        }
        throw InputError({.where = fmt::format("measurement with '{}'", name),
                          .found = "no such marker of the model",
                          .needs = "markers that model and data share",
                          .remedy = "correct the set-up"});
    };
    std::vector<Vec3> factors(model.bodies.size(), Vec3::Ones());
    for (const ScaleMeasurement& m : setup.measurements) {
        double sum = 0.0;
        std::size_t count = 0;
        for (const std::vector<std::string>& pair : m.pairs) {
            if (pair.size() != 2) {
                throw InputError({.where = fmt::format("measurement '{}'", m.name),
                                  .found = fmt::format("a pair of {} markers", pair.size()),
                                  .needs = "two markers per pair",
                                  .remedy = "correct the set-up"});
            }
            const double apart = (place(pair[0]) - place(pair[1])).norm();
            const double measured = marker_distance(data, pair[0], pair[1]);
            if (measured == 0.0 || apart == 0.0) {
                out.notes.push_back(
                    fmt::format("{}: the data lack '{}' or '{}'", m.name, pair[0], pair[1]));
                continue;
            }
            out.pairs.push_back({m.name, pair[0], pair[1], measured, apart});
            sum += measured / apart;
            ++count;
        }
        for (const std::string& name : m.bodies) {
            const Index b = find_body(model, name);
            if (b < 0) {
                out.notes.push_back(fmt::format("{}: no body '{}'", m.name, name));
                continue;
            }
            for (int k = 0; count > 0 && k < 3; ++k) {
                if (m.axes.find("xyz"[k]) != std::string::npos) {
                    factors[static_cast<std::size_t>(b)][k] = sum / static_cast<double>(count);
                }
            }
        }
    }
    return factors;
}

// All frames as one: the mean place of every marker.
MarkerData mean_frame(const MarkerData& data) {
    MarkerData out{.names = data.names, .times = {0.0}};
    for (std::size_t m = 0; m < data.names.size(); ++m) {
        Vec3 sum = Vec3::Zero();
        double count = 0.0;
        for (std::size_t f = 0; f < data.times.size(); ++f) {
            if (data.at(f, m).allFinite()) {
                sum += data.at(f, m);
                count += 1.0;
            }
        }
        out.positions.push_back(sum / count);  // NaN where it was never seen
    }
    return out;
}

void apply_setup(const std::string& file, IkOptions& options, std::vector<std::string>& notes) {
    if (file.empty()) {
        return;
    }
    IkSetup setup = read_ik_setup(file);
    // Flags override the file.
    setup.markers.insert(setup.markers.end(), options.weights.begin(), options.weights.end());
    setup.coordinates.insert(setup.coordinates.end(), options.coordinate_weights.begin(),
                             options.coordinate_weights.end());
    options.weights = std::move(setup.markers);
    options.coordinate_weights = std::move(setup.coordinates);
    options.weight *= setup.weight;
    notes.insert(notes.end(), setup.notes.begin(), setup.notes.end());
}

}  // namespace

MarkerData read_markers(const std::filesystem::path& path, MarkerUp up) {
    const std::string ending = lower(path.extension().string());
    if (ending == ".c3d") {
        const std::optional<char> axis = up == MarkerUp::AsFile
                                             ? std::optional<char>()
                                             : std::optional<char>(up == MarkerUp::Z ? 'z' : 'y');
        return read_c3d(path, axis).markers;
    }
    if (ending != ".trc") {
        throw InputError({.where = path.string(),
                          .found = fmt::format("the ending '{}'", ending),
                          .needs = "marker trajectories: .trc or .c3d",
                          .remedy = "export the markers as one of these"});
    }
    MarkerData data = read_trc(path);
    if (up == MarkerUp::Z) {
        for (Vec3& p : data.positions) {
            p = Vec3(p.x(), p.z(), -p.y());
        }
        data.notes.emplace_back("z up in the file; turned to y up");
    }
    return data;
}

IkResult run_ik(const MusculoskeletalModel& model, const IkJob& job, const Progress& progress) {
    IkOptions options = job.options;
    std::vector<std::string> notes;
    apply_setup(job.weights, options, notes);
    IkResult out = follow_markers(model, read_markers(job.markers, job.up), options, progress);
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
    return out;
}

MotionTable table_of_errors(const IkResult& result) {
    MotionTable out{.name = "Marker Errors",
                    .columns = {"marker_error_RMS", "marker_error_max"},
                    .times = result.motion.times};
    for (std::size_t f = 0; f < result.frame_rms.size(); ++f) {
        out.values.push_back(result.frame_rms[f]);
        out.values.push_back(result.frame_largest[f]);
    }
    return out;
}

ScaledModel run_scale(const MusculoskeletalModel& model, const ScaleJob& job,
                      const Progress& progress) {
    const MarkerData data = read_markers(job.markers, job.up);
    ScaledModel out;
    ScaleSetup setup;
    if (job.setup.empty()) {
        out.factors = factors_from_markers(model, data, out.pairs);
        out.notes.emplace_back(
            "no set-up: each body's factor is that of the pairs of its own markers");
    } else {
        setup = read_scale_setup(job.setup);
        out.factors = factors_of_setup(model, data, setup, out);
    }
    out.model = scaled_model(model, out.factors, job.mass > 0.0 ? job.mass : setup.mass);
    for (const RigidBody& body : out.model.bodies) {
        out.mass += body.mass;
    }
    // The static pose, then markers where they are worn.
    IkOptions options;
    apply_setup(job.weights, options, out.notes);
    const MarkerData still = mean_frame(data);
    const IkResult pose = follow_markers(out.model, still, options, progress);
    out.marker_rms = pose.rms;
    if (job.place_markers) {
        std::vector<double> q(out.model.coordinates.size());
        for (std::size_t c = 0; c < q.size(); ++c) {
            q[c] = pose.motion.at(0, c) * (out.model.coordinates[c].is_rotation ? kDegree : 1.0);
        }
        const ModelPlacement placed = KinematicTree(out.model).place(q);
        for (ModelMarker& marker : out.model.markers) {
            const Index column = find_marker(still, marker.name);
            if (column >= 0 && marker.body >= 0 &&
                still.at(0, static_cast<std::size_t>(column)).allFinite()) {
                marker.position = placed.bodies[static_cast<std::size_t>(marker.body)].inverse() *
                                  still.at(0, static_cast<std::size_t>(column));
            }
        }
    }
    return out;
}

}  // namespace sinew
