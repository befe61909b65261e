#pragma once

#include "sinew/base/fields.h"

#include <array>
#include <concepts>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

/// Weights of markers and coordinates for inverse kinematics.
struct IkSetup {
    std::vector<std::pair<std::string, double>> markers = {};
    std::vector<std::pair<std::string, double>> coordinates = {};
    double weight = 1.0;                  ///< of markers that are not named
    std::vector<std::string> notes = {};  ///< what an XML held that was left out
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, IkSetup>
void visit_fields(Options& o, Visitor&& v) {
    v(o.markers, Field{.name = "markers", .help = "weights by name; 0: not followed", .min = 0.0});
    v(o.coordinates, Field{.name = "coordinates",
                           .help = "weights that hold coordinates at their default value",
                           .min = 0.0});
    v(o.weight, Field{.name = "weight", .help = "of markers that are not named", .min = 0.0});
}

/// OpenSim's IKTaskSet (.xml), alone or in the set-up of its inverse kinematics tool, where markers
/// without a task have no weight; or the JSON above.
/// @throws InputError
IkSetup read_ik_setup(const std::filesystem::path& path);
IkSetup parse_ik_setup(std::string text, const std::string& file);

/// Where a marker sits: on a body of the model, or where a landmark of the body is.
struct MarkerPlace {
    std::string name = {};
    std::string body = {};
    std::array<double, 3> position = {0.0, 0.0, 0.0};  ///< in the body, m
    std::string landmark = {};  ///< in place of body and position: a marker that the model has
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MarkerPlace>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "as the marker data have it", .is_required = true});
    v(o.body, Field{.name = "body", .help = "that carries it"});
    v(o.position, Field{.name = "position", .help = "in the body", .unit = "m"});
    v(o.landmark, Field{.name = "landmark",
                        .help = "in place of both: a marker or landmark that the model has"});
}

struct MarkerSetFile {
    std::vector<MarkerPlace> markers = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, MarkerSetFile>
void visit_fields(Options& o, Visitor&& v) {
    v(o.markers, Field{.name = "markers", .help = "names and places", .is_required = true});
}

/// OpenSim's MarkerSet (.xml), of version 3 or 4; or the JSON above.
/// @throws InputError
MarkerSetFile read_marker_set(const std::filesystem::path& path);
MarkerSetFile parse_marker_set(std::string text, const std::string& file);

/// One scale factor: along axes of bodies, the mean over pairs of markers of their measured
/// distance over the model's.
struct ScaleMeasurement {
    std::string name = {};
    std::vector<std::vector<std::string>> pairs = {};  ///< two markers each
    std::vector<std::string> bodies = {};
    std::string axes = "xyz";  ///< of the bodies, those that it scales
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ScaleMeasurement>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the measurement"});
    v(o.pairs, Field{.name = "pairs", .help = "two markers each", .is_required = true});
    v(o.bodies, Field{.name = "bodies", .help = "that it scales", .is_required = true});
    v(o.axes, Field{.name = "axes", .help = "of these bodies: x, y, z or several"});
}

struct ScaleSetup {
    double mass = 0.0;  ///< kg; 0: not said
    std::vector<ScaleMeasurement> measurements = {};
    std::vector<std::string> notes = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ScaleSetup>
void visit_fields(Options& o, Visitor&& v) {
    v(o.mass, Field{.name = "mass", .help = "of the person", .unit = "kg", .min = 0.0});
    v(o.measurements, Field{.name = "measurements",
                            .help = "pairs of markers and the bodies "
                                    "that they scale"});
}

/// OpenSim's MeasurementSet (.xml), alone or in the set-up of its scale tool; or the JSON above.
/// @throws InputError
ScaleSetup read_scale_setup(const std::filesystem::path& path);
ScaleSetup parse_scale_setup(std::string text, const std::string& file);

}  // namespace sinew
