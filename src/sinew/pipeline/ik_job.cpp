#include "sinew/pipeline/ik_job.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/c3d.h"
#include "sinew/io/ik_setup_file.h"
#include "sinew/io/trc.h"
#include "sinew/motion/residuals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Markers to coordinates and to a model's size, with set-up files of OpenSim beside our own jobs.
// Where a model has more coordinates than markers can tell, all but the root's are held weakly at
// rest, or they would drift.

namespace sinew {

namespace {

constexpr double kFarMarkers = 0.1;  // m; no skin moves so far
constexpr double kFarStatic = 0.03;  // m; a static pose that is met worse was not met

// The pairs of a set-up as factors per body; bodies that none scales keep their size.
std::vector<Vec3> factors_of_setup(const MusculoskeletalModel& model, const MarkerData& data,
                                   const ScaleSetup& setup, ScaledModel& out) {
    const KinematicTree tree(model);
    const ModelPlacement rest = tree.place(rest_coordinates(model));
    const auto place = [&](const std::string& name) -> Vec3 {
        for (const ModelMarker& m : model.markers) {
            if (m.name == name) {
                return m.body < 0 ? m.position : rest.bodies[at(m.body)] * m.position;
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
                    factors[at(b)][k] = sum / static_cast<double>(count);
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

// More coordinates than markers can tell: those that none tells of would drift, so all but the
// root's are held weakly at rest.
void hold_loose_coordinates(const MusculoskeletalModel& model, const MarkerData& data,
                            IkOptions& options, std::vector<std::string>& notes) {
    constexpr double kHeldAccuracy = 1e-4;
    constexpr double kHold = 1e-4;  // m^2 per rad^2: 10 degrees off cost as much as 2 mm
    const auto common = static_cast<std::size_t>(
        std::count_if(model.markers.begin(), model.markers.end(),
                      [&](const ModelMarker& m) { return find_marker(data, m.name) >= 0; }));
    if (3 * common >= model.coordinates.size() || !options.coordinate_weights.empty()) {
        return;
    }
    const std::vector<Index> root = root_coordinates(model);
    for (std::size_t c = 0; c < model.coordinates.size(); ++c) {
        const Coordinate& q = model.coordinates[c];
        const bool follows =
            std::any_of(model.couplers.begin(), model.couplers.end(),
                        [&](const CoordinateCoupler& k) { return at(k.dependent) == c; });
        if (!q.is_locked && !follows &&
            std::find(root.begin(), root.end(), static_cast<Index>(c)) == root.end()) {
            options.coordinate_weights.emplace_back(q.name, kHold);
        }
    }
    // Directions that only the hold decides converge slowly, and matter to nobody.
    options.accuracy = std::max(options.accuracy, kHeldAccuracy);
    notes.push_back(fmt::format(
        "{} markers cannot tell {} coordinates: all but the root's are held at rest with a weight "
        "of {} (--coordinate-weight sets others)",
        common, model.coordinates.size(), kHold));
}

/// follow_markers whose errors name the file of the measured markers, for model and data meet
/// there.
IkResult follow(const MusculoskeletalModel& model, const MarkerData& data, const IkOptions& options,
                const std::string& file, const Progress& progress) {
    try {
        return follow_markers(model, data, options, progress);
    } catch (const InputError& error) {
        throw error.within(file);
    }
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

void apply_marker_set(const std::filesystem::path& file, MusculoskeletalModel& model) {
    const auto fail = [&](const std::string& marker, std::string found, std::string needs) {
        throw InputError({.where = fmt::format("{}, marker '{}'", file.string(), marker),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "correct the name"});
    };
    const std::vector<ModelMarker> known = model.markers;
    for (const MarkerPlace& place : read_marker_set(file).markers) {
        ModelMarker marker{.name = place.name};
        if (!place.landmark.empty()) {
            const auto it = std::find_if(known.begin(), known.end(), [&](const ModelMarker& m) {
                return m.name == place.landmark;
            });
            if (it == known.end()) {
                std::vector<std::string> names;
                for (const ModelMarker& m : known) {
                    names.push_back(m.name);
                }
                fail(place.name,
                     fmt::format("landmark '{}'{}", place.landmark,
                                 did_you_mean(place.landmark, names)),
                     "a marker or landmark of the model");
            }
            marker.body = it->body;
            marker.position = it->position;
        } else {
            marker.body = place.body == "ground" ? -1 : find_body(model, place.body);
            if (marker.body < 0 && place.body != "ground") {
                std::vector<std::string> names;
                for (const RigidBody& body : model.bodies) {
                    names.push_back(body.name);
                }
                fail(place.name,
                     fmt::format("body '{}'{}", place.body, did_you_mean(place.body, names)),
                     "a body of the model");
            }
            marker.position = Vec3(place.position[0], place.position[1], place.position[2]);
        }
        const auto same = std::find_if(model.markers.begin(), model.markers.end(),
                                       [&](const ModelMarker& m) { return m.name == marker.name; });
        if (same == model.markers.end()) {
            model.markers.push_back(std::move(marker));
        } else {
            *same = std::move(marker);
        }
    }
}

IkResult run_ik(const MusculoskeletalModel& given, const IkJob& job, const Progress& progress) {
    IkOptions options = job.options;
    std::vector<std::string> notes;
    apply_setup(job.trial.weights, options, notes);
    MusculoskeletalModel model = given;
    if (!job.trial.marker_set.empty()) {
        apply_marker_set(job.trial.marker_set, model);
    }
    const MarkerData data = read_markers(job.trial.markers, job.trial.up);
    hold_loose_coordinates(model, data, options, notes);
    IkResult out = follow(model, data, options, job.trial.markers, progress);
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
    if (out.rms > kFarMarkers) {
        out.notes.push_back(
            fmt::format("markers are {:.0f} mm off (RMS): unit, axis that points up, or the place "
                        "of a model that stands fixed do not fit the data",
                        1e3 * out.rms));
    }
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

ScaledModel run_scale(const MusculoskeletalModel& given, const ScaleJob& job,
                      const Progress& progress) {
    MusculoskeletalModel model = given;
    if (!job.trial.marker_set.empty()) {
        apply_marker_set(job.trial.marker_set, model);
    }
    const MarkerData data = read_markers(job.trial.markers, job.trial.up);
    ScaledModel out;
    ScaleSetup setup;
    if (job.setup.empty()) {
        out.factors = factors_from_markers(model, data, out.pairs);
        out.notes.emplace_back(
            "no set-up: each body's factor is that of the pairs of its own markers");
    } else {
        setup = read_scale_setup(job.setup);
        try {
            out.factors = factors_of_setup(model, data, setup, out);
        } catch (const InputError& error) {
            throw error.within(job.setup);
        }
    }
    out.model = scaled_model(model, out.factors, job.mass > 0.0 ? job.mass : setup.mass);
    for (const RigidBody& body : out.model.bodies) {
        out.mass += body.mass;
    }
    // The static pose, then markers where they are worn.
    IkOptions options;
    apply_setup(job.trial.weights, options, out.notes);
    const MarkerData still = mean_frame(data);
    hold_loose_coordinates(out.model, still, options, out.notes);
    const IkResult pose = follow(out.model, still, options, job.trial.markers, progress);
    out.marker_rms = pose.rms;
    if (job.place_markers && pose.rms > kFarStatic) {
        out.notes.push_back(
            fmt::format("the model stands as the person does within {:.0f} mm (RMS) only, and "
                        "markers that move there carry the difference into every trial: look at "
                        "its joints and markers, or keep the markers (--no-place-markers)",
                        1e3 * pose.rms));
    }
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
                marker.position = placed.bodies[at(marker.body)].inverse() *
                                  still.at(0, static_cast<std::size_t>(column));
            }
        }
    }
    return out;
}

}  // namespace sinew
