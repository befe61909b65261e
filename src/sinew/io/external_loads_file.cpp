#include "sinew/io/external_loads_file.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/c3d.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/motion_table.h"
#include "sinew/io/settings_json.h"
#include "sinew/io/xml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace sinew {

namespace {

// Objects of a set, whether they stand in <objects> or in it directly.
std::vector<pugi::xml_node> set_objects(const pugi::xml_node& set) {
    const pugi::xml_node holder = set.child("objects") ? set.child("objects") : set;
    std::vector<pugi::xml_node> out;
    for (const pugi::xml_node& node : holder.children()) {
        if (node.type() == pugi::node_element) {
            out.push_back(node);
        }
    }
    return out;
}

// The first element of that name, wherever it stands.
pugi::xml_node find_element(const XmlFile& file, const char* name) {
    if (std::strcmp(file.root().name(), name) == 0) {
        return file.root();
    }
    return file.root().find_node(
        [&](const pugi::xml_node& node) { return std::strcmp(node.name(), name) == 0; });
}

// Text of a child; OpenSim writes "Unassigned" for nothing.
std::string text_or_none(const pugi::xml_node& node, const char* name) {
    const std::string text = trimmed_text(node.child(name));
    return text == "Unassigned" ? std::string() : text;
}

bool is_switched_off(const XmlFile& file, const pugi::xml_node& node) {
    const pugi::xml_node disabled = node.child("isDisabled");
    const pugi::xml_node applies = node.child("appliesForce");
    return (disabled && file.truth(disabled)) || (applies && !file.truth(applies));
}

std::string plain_name(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

LoadsSetup setup_from_xml(const XmlFile& file) {
    const pugi::xml_node set = find_element(file, "ExternalLoads");
    if (!set) {
        file.fail(file.root(), "no <ExternalLoads>", "OpenSim's <ExternalLoads>",
                  "choose the file that names the forces, their bodies and columns");
    }
    LoadsSetup setup;
    setup.data = text_or_none(set, "datafile");
    for (const pugi::xml_node& node : set_objects(set)) {
        if (std::strcmp(node.name(), "ExternalForce") != 0) {
            continue;
        }
        LoadSetup load{.name = node.attribute("name").value()};
        if (is_switched_off(file, node)) {
            setup.notes.push_back(fmt::format("load '{}' is switched off", load.name));
            continue;
        }
        load.body = plain_name(trimmed_text(file.need(node, "applied_to_body")));
        const std::string force_frame = text_or_none(node, "force_expressed_in_body");
        const std::string point_frame = text_or_none(node, "point_expressed_in_body");
        load.force_frame = force_frame.empty() ? "ground" : plain_name(force_frame);
        load.point_frame = point_frame.empty() ? "ground" : plain_name(point_frame);
        load.force = text_or_none(node, "force_identifier");
        load.point = text_or_none(node, "point_identifier");
        load.torque = text_or_none(node, "torque_identifier");
        // Older files name the table with each force.
        const std::string source = text_or_none(node, "data_source_name");
        if (setup.data.empty() && source.find('.') != std::string::npos) {
            setup.data = source;
        }
        setup.loads.push_back(load);
    }
    return setup;
}

Index body_named(const MusculoskeletalModel& model, const std::string& name,
                 const std::string& where) {
    if (name == "ground" || name.empty()) {
        return -1;
    }
    const Index body = find_body(model, name);
    if (body < 0) {
        std::vector<std::string> all;
        for (const RigidBody& b : model.bodies) {
            all.push_back(b.name);
        }
        throw InputError({.where = where,
                          .found = fmt::format("body '{}'{}", name, did_you_mean(name, all)),
                          .needs = "a body of the model",
                          .remedy = "correct the loads' set-up or choose the model it belongs to"});
    }
    return body;
}

// The three columns whose names begin with an identifier.
std::vector<Vec3> three_columns(const MotionTable& table, const std::string& identifier,
                                const std::string& where) {
    if (identifier.empty()) {
        return {};
    }
    std::array<Index, 3> column = {find_column(table, identifier + "x"),
                                   find_column(table, identifier + "y"),
                                   find_column(table, identifier + "z")};
    if (std::min({column[0], column[1], column[2]}) < 0) {
        std::vector<Index> found;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            if (table.columns[c].starts_with(identifier)) {
                found.push_back(static_cast<Index>(c));
            }
        }
        if (found.size() != 3) {
            throw InputError({.where = where,
                              .found = fmt::format("{} columns that begin with '{}' in {}",
                                                   found.size(), identifier, table.name),
                              .needs = "three: x, y and z",
                              .remedy = fmt::format("choose among the table's columns: {}",
                                                    join(table.columns, ", "))});
        }
        std::copy(found.begin(), found.end(), column.begin());
    }
    std::vector<Vec3> out(table.times.size());
    for (std::size_t r = 0; r < out.size(); ++r) {
        for (std::size_t k = 0; k < 3; ++k) {
            out[r][static_cast<Eigen::Index>(k)] = table.at(r, static_cast<std::size_t>(column[k]));
        }
    }
    return out;
}

}  // namespace

LoadsSetup parse_loads_setup(std::string text, const std::filesystem::path& path) {
    if (const std::size_t first = text.find_first_not_of(" \t\r\n");
        first != std::string::npos && text[first] == '{') {
        return settings_from_json<LoadsSetup>(text, path.string());
    }
    return setup_from_xml(XmlFile(std::move(text), path.string()));
}

LoadsSetup read_loads_setup(const std::filesystem::path& path) {
    LoadsSetup setup = parse_loads_setup(read_file_bytes(path), path);
    if (!setup.data.empty()) {
        setup.data = (path.parent_path() / setup.data).string();
    }
    return setup;
}

ExternalLoads loads_from_table(const MusculoskeletalModel& model, const LoadsSetup& setup,
                               const MotionTable& table) {
    for (std::size_t i = 1; i < table.times.size(); ++i) {
        if (!(table.times[i] > table.times[i - 1])) {
            throw InputError(
                {.where = fmt::format("loads '{}', row {}", table.name, i + 1),
                 .found = fmt::format("time {} after {}", table.times[i], table.times[i - 1]),
                 .needs = "times that rise",
                 .remedy = "sort the rows and drop doubles"});
        }
    }
    ExternalLoads out{.notes = setup.notes};
    for (const LoadSetup& load : setup.loads) {
        const std::string where = fmt::format("load '{}'", load.name);
        ExternalLoad made{.name = load.name, .times = table.times};
        made.body = body_named(model, load.body, where);
        made.force_frame = body_named(model, load.force_frame, where);
        made.point_frame = body_named(model, load.point_frame, where);
        made.force = three_columns(table, load.force, where + ", force");
        made.point = three_columns(table, load.point, where + ", point");
        made.torque = three_columns(table, load.torque, where + ", torque");
        if (made.body < 0 || (made.force.empty() && made.torque.empty())) {
            throw InputError({.where = where,
                              .found = made.body < 0 ? "a load on the ground" : "no force columns",
                              .needs = "a body, and the columns of a force or a torque",
                              .remedy = "complete the loads' set-up"});
        }
        out.loads.push_back(std::move(made));
    }
    if (out.loads.empty()) {
        out.notes.emplace_back("the loads' set-up has no load that is switched on");
    }
    return out;
}

ExternalLoads read_external_loads(const MusculoskeletalModel& model,
                                  const std::filesystem::path& setup,
                                  const std::filesystem::path& data) {
    const LoadsSetup read = read_loads_setup(setup);
    const std::filesystem::path file = data.empty() ? std::filesystem::path(read.data) : data;
    if (file.empty()) {
        throw InputError({.where = setup.string(),
                          .found = "no data file",
                          .needs = "the table of the loads",
                          .remedy = "name it with --loads"});
    }
    const auto loads_of = [&](const MotionTable& table) {
        try {
            return loads_from_table(model, read, table);
        } catch (const InputError& error) {
            throw error.within(setup.string());
        }
    };
    if (lower(file.extension().string()) == ".c3d") {
        const C3dData plates = read_c3d(file);
        MotionTable table = table_of_plates(plates);
        table.name = file.filename().string();
        ExternalLoads loads = loads_of(table);
        loads.notes.insert(loads.notes.end(), plates.notes.begin(), plates.notes.end());
        return loads;
    }
    MotionTable table = read_motion_table(file);
    table.name = file.filename().string();
    return loads_of(table);
}

ReserveActuators parse_reserve_actuators(std::string text, std::string_view name) {
    const XmlFile file(std::move(text), std::string(name));
    const pugi::xml_node set = find_element(file, "ForceSet");
    if (!set) {
        file.fail(file.root(), "no <ForceSet>", "OpenSim's <ForceSet> of actuators",
                  "choose the file of reserve actuators");
    }
    ReserveActuators out;
    for (const pugi::xml_node& node : set_objects(set)) {
        const std::string_view type = node.name();
        if (type == "groups" || is_switched_off(file, node)) {
            continue;
        }
        if (type == "PointActuator" || type == "TorqueActuator" || type == "BodyActuator") {
            out.root.emplace_back(node.attribute("name").value());
            continue;
        }
        if (type != "CoordinateActuator") {
            out.notes.push_back(
                fmt::format("left out: {} '{}'", type, node.attribute("name").value()));
            continue;
        }
        const pugi::xml_node force = file.need(node, "optimal_force");
        const double optimal = file.number(force);
        if (!(optimal > 0.0)) {
            file.fail(force, fmt::format("{}", optimal), "a force > 0");
        }
        out.coordinates.emplace_back(plain_name(trimmed_text(file.need(node, "coordinate"))),
                                     optimal);
    }
    return out;
}

ReserveActuators read_reserve_actuators(const std::filesystem::path& path) {
    return parse_reserve_actuators(read_file_bytes(path), path.string());
}

}  // namespace sinew
