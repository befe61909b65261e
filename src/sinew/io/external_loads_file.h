#pragma once

#include "sinew/base/fields.h"
#include "sinew/body/external_load.h"
#include "sinew/body/musculoskeletal.h"

#include <concepts>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

/// One force of a loads set-up: which columns of the table are its force, point and torque.
struct LoadSetup {
    std::string name = {};
    std::string body = {};               ///< that it acts on
    std::string force_frame = "ground";  ///< body along whose axes force and torque are given
    std::string point_frame = "ground";  ///< body in whose frame the point is given
    std::string force = {};   ///< what the names of its three columns begin with, "ground_force_v"
    std::string point = {};   ///< the same; empty: the body's origin
    std::string torque = {};  ///< the same; empty: none
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LoadSetup>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the load"});
    v(o.body, Field{.name = "body", .help = "that the load acts on", .is_required = true});
    v(o.force_frame, Field{.name = "force_frame",
                           .help = "body along whose axes force and torque are given, or ground"});
    v(o.point_frame,
      Field{.name = "point_frame", .help = "body in whose frame the point is given, or ground"});
    v(o.force,
      Field{.name = "force", .help = "beginning of the names of the three columns of the force"});
    v(o.point,
      Field{.name = "point", .help = "the same of the point; without it, the body's origin"});
    v(o.torque, Field{.name = "torque", .help = "the same of the free torque"});
}

/// A plain JSON that says what OpenSim's ExternalLoads says.
struct LoadsSetup {
    std::string data = {};  ///< table of the loads
    std::vector<LoadSetup> loads = {};
    std::vector<std::string> notes = {};  ///< what an XML held that was left out
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LoadsSetup>
void visit_fields(Options& o, Visitor&& v) {
    v(o.data, Field{.name = "data", .help = "table of the loads (.mot, .sto)", .is_path = true});
    v(o.loads, Field{.name = "loads", .help = "forces on bodies", .is_required = true});
}

/// OpenSim's ExternalLoads (.xml), or the JSON above. Paths are relative to its folder.
/// @throws InputError
LoadsSetup read_loads_setup(const std::filesystem::path& path);
LoadsSetup parse_loads_setup(std::string text, const std::filesystem::path& path);

/// Loads out of the columns of a table.
/// @throws InputError  for bodies and columns that are not there
ExternalLoads loads_from_table(const MusculoskeletalModel& model, const LoadsSetup& setup,
                               const MotionTable& table);

/// Both at once.
/// @param data  table of the loads; empty: the one that the set-up names
ExternalLoads read_external_loads(const MusculoskeletalModel& model,
                                  const std::filesystem::path& setup,
                                  const std::filesystem::path& data = {});

/// Optimal forces of reserve actuators by coordinate.
struct ReserveActuators {
    std::vector<std::pair<std::string, double>> coordinates = {};  ///< N m or N
    std::vector<std::string> root = {};   ///< residual actuators, which act on a body
    std::vector<std::string> notes = {};  ///< what was left out
};

/// OpenSim's force set of reserve actuators (.xml): CoordinateActuator gives the optimal force of
/// a coordinate; PointActuator and TorqueActuator are those of the root, which takes residuals
/// without a bound anyway.
/// @throws InputError
ReserveActuators read_reserve_actuators(const std::filesystem::path& path);
ReserveActuators parse_reserve_actuators(std::string text, std::string_view file);

}  // namespace sinew
