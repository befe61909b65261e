#include "sinew/io/ik_setup_file.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/settings_json.h"
#include "sinew/io/xml_file.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>

namespace sinew {

namespace {

bool is_json_text(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

pugi::xml_node find_set(const XmlFile& file, const char* name) {
    pugi::xml_node found = file.root();
    if (std::strcmp(found.name(), name) != 0) {
        found = found.find_node(
            [&](const pugi::xml_node& node) { return std::strcmp(node.name(), name) == 0; });
    }
    if (!found) {
        file.fail(file.root(), fmt::format("no <{}>", name), fmt::format("OpenSim's <{}>", name),
                  "choose the set-up of the tool");
    }
    return found;
}

// Truth of a child that may be absent or empty.
bool is_on(const XmlFile& file, const pugi::xml_node& node, const char* name) {
    const pugi::xml_node child = node.child(name);
    return !child || trimmed_text(child).empty() || file.truth(child);
}

std::vector<std::string> words_of(const pugi::xml_node& node) {
    std::istringstream in(trimmed_text(node));
    std::vector<std::string> out;
    for (std::string word; in >> word;) {
        out.push_back(word);
    }
    return out;
}

}  // namespace

IkSetup parse_ik_setup(std::string text, const std::string& file) {
    if (is_json_text(text)) {
        return settings_from_json<IkSetup>(text, file);
    }
    const XmlFile xml(std::move(text), file);
    IkSetup out{.weight = 0.0};
    const pugi::xml_node set = find_set(xml, "IKTaskSet");
    for (const pugi::xml_node& node :
         (set.child("objects") ? set.child("objects") : set).children()) {
        const std::string_view type = node.name();
        if (type != "IKMarkerTask" && type != "IKCoordinateTask") {
            continue;
        }
        const std::string name = xml.need_attribute(node, "name");
        const pugi::xml_node weight = node.child("weight");
        double value = weight ? xml.number(weight) : 1.0;
        if (!(value >= 0.0)) {
            xml.fail(weight, fmt::format("{}", value), "a weight >= 0");
        }
        value = is_on(xml, node, "apply") ? value : 0.0;
        if (type == "IKMarkerTask") {
            out.markers.emplace_back(name, value);
        } else if (value > 0.0) {
            out.coordinates.emplace_back(name, value);
            if (trimmed_text(node.child("value_type")) == "from_file") {
                out.notes.push_back(fmt::format(
                    "the task of '{}' takes values from a file: held at its default instead",
                    name));
            }
        }
    }
    return out;
}

IkSetup read_ik_setup(const std::filesystem::path& path) {
    return parse_ik_setup(read_file_bytes(path), path.string());
}

MarkerSetFile parse_marker_set(std::string text, const std::string& file) {
    if (is_json_text(text)) {
        MarkerSetFile out = settings_from_json<MarkerSetFile>(text, file);
        for (const MarkerPlace& m : out.markers) {
            if (m.body.empty() == m.landmark.empty()) {
                throw InputError({.where = fmt::format("{}, marker '{}'", file, m.name),
                                  .found = m.body.empty() ? "neither body nor landmark"
                                                          : "a body and a landmark",
                                  .needs = "one of them",
                                  .remedy = "correct the file"});
            }
        }
        return out;
    }
    const XmlFile xml(std::move(text), file);
    MarkerSetFile out;
    const pugi::xml_node set = find_set(xml, "MarkerSet");
    for (const pugi::xml_node& node :
         (set.child("objects") ? set.child("objects") : set).children("Marker")) {
        MarkerPlace m{.name = xml.need_attribute(node, "name")};
        for (const char* name :
             {"socket_parent_frame", "socket_parent_frame_connectee_name", "body"}) {
            if (m.body.empty()) {
                m.body = trimmed_text(node.child(name));
            }
        }
        m.body = m.body.substr(m.body.find_last_of('/') + 1);
        if (m.body.empty()) {
            xml.fail(node, "no <socket_parent_frame>", "the body that carries the marker");
        }
        const Vec3 at = xml.vector(xml.need(node, "location"));
        m.position = {at.x(), at.y(), at.z()};
        out.markers.push_back(std::move(m));
    }
    if (out.markers.empty()) {
        xml.fail(set, "no <Marker>", "markers with bodies and locations");
    }
    return out;
}

MarkerSetFile read_marker_set(const std::filesystem::path& path) {
    return parse_marker_set(read_file_bytes(path), path.string());
}

ScaleSetup parse_scale_setup(std::string text, const std::string& file) {
    if (is_json_text(text)) {
        return settings_from_json<ScaleSetup>(text, file);
    }
    const XmlFile xml(std::move(text), file);
    ScaleSetup out;
    if (const pugi::xml_node mass = xml.root()
                                        .find_node([](const pugi::xml_node& node) {
                                            return std::strcmp(node.name(), "ScaleTool") == 0;
                                        })
                                        .child("mass")) {
        out.mass = std::max(0.0, xml.number(mass));
    }
    const pugi::xml_node set = find_set(xml, "MeasurementSet");
    for (const pugi::xml_node& node :
         (set.child("objects") ? set.child("objects") : set).children("Measurement")) {
        if (!is_on(xml, node, "apply")) {
            continue;
        }
        const std::string name = node.attribute("name").value();
        ScaleMeasurement m{.name = name};
        for (const pugi::xml_node& pair :
             node.child("MarkerPairSet").child("objects").children("MarkerPair")) {
            m.pairs.push_back(words_of(xml.need(pair, "markers")));
            if (m.pairs.back().size() != 2) {
                xml.fail(pair, fmt::format("{} markers", m.pairs.back().size()), "two");
            }
        }
        // Bodies of one measurement may be scaled along different axes.
        for (const pugi::xml_node& scale :
             node.child("BodyScaleSet").child("objects").children("BodyScale")) {
            m.bodies = {xml.need_attribute(scale, "name")};
            m.axes.clear();
            for (const std::string& axis : words_of(scale.child("axes"))) {
                m.axes += lower(axis);
            }
            m.axes = m.axes.empty() ? "xyz" : m.axes;
            out.measurements.push_back(m);
        }
    }
    return out;
}

ScaleSetup read_scale_setup(const std::filesystem::path& path) {
    return parse_scale_setup(read_file_bytes(path), path.string());
}

}  // namespace sinew
