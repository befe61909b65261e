#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/xml_file.h"

#include <map>
#include <string>

namespace sinew::detail {

/// What the parts of the OpenSim reader share while they fill a model.
struct OsimReader {
    const XmlFile& file;
    pugi::xml_node defaults;  ///< values of properties that objects leave out
    MusculoskeletalModel model = {};
    std::map<std::string, Index> bodies = {};
    std::map<std::string, Index> coordinates = {};
    std::map<std::string, Index> wraps = {};
    std::map<std::string, int> left_out = {};  ///< class -> how many

    /// A property of an object, or of the default object of its class.
    pugi::xml_node property(const pugi::xml_node& node, const char* name) const;
    double number_or(const pugi::xml_node& node, const char* name, double fallback) const;
    bool truth_or(const pugi::xml_node& node, const char* name, bool fallback) const;
    /// The body that a path such as "/bodyset/femur" or a plain name means; -1 = ground.
    Index body(const pugi::xml_node& node) const;
    /// The same where the path may mean an offset frame, of a joint, a body or the model.
    /// @param offset  where the frame lies in the body
    Index body_of_frame(const pugi::xml_node& node, Placement& offset) const;
    std::map<std::string, pugi::xml_node> frames = {};  ///< offset frames by name
    Index coordinate(const pugi::xml_node& node) const;
    /// The function among a node's children, or inside its <function>.
    ScalarFunction function(const pugi::xml_node& node) const;
    /// False where the node is no function.
    bool function_element(const pugi::xml_node& node, ScalarFunction& f) const;
};

/// The part of a path behind its last slash.
std::string last_name(const std::string& path);

/// Joints of format 4, from <JointSet>, or of format 3, from inside the bodies.
void read_osim_joints(OsimReader& reader, const pugi::xml_node& model);
/// Muscles from <ForceSet>.
void read_osim_forces(OsimReader& reader, const pugi::xml_node& model);

}  // namespace sinew::detail
