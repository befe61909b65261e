#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/xml_file.h"

#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::detail {

/// What the parts of the OpenSim reader share while they fill a model.
struct OsimReader {
    const XmlFile& file;
    pugi::xml_node defaults;  ///< values of properties that objects leave out
    MusculoskeletalModel model = {};
    std::map<std::string, Index> bodies = {};
    std::map<std::string, Index> coordinates = {};
    std::map<std::string, Index> wraps = {};
    mutable std::map<std::string, int> left_out = {};  ///< what -> how many
    std::map<std::string, int> kept = {};              ///< the same of parts that are carried along

    /// A property of an object, or of the default object of its class.
    pugi::xml_node property(const pugi::xml_node& node, const char* name) const;
    double number_or(const pugi::xml_node& node, const char* name, double fallback) const;
    bool truth_or(const pugi::xml_node& node, const char* name, bool fallback) const;
    /// The body that a path such as "/bodyset/femur" or a plain name means; -1 = ground.
    Index body(const pugi::xml_node& node) const;
    /// The same where the path may mean an offset frame, of a joint, a body or the model.
    /// @param offset  where the frame lies in the body
    Index body_of_frame(const pugi::xml_node& node, Placement& offset) const;
    /// The body that carries an offset frame.
    Index body_of_offset(const pugi::xml_node& frame, Placement& offset) const;
    std::multimap<std::string, pugi::xml_node> frames = {};  ///< offset frames by name
    Index coordinate(const pugi::xml_node& node) const;
    /// The function among a node's children, or inside its <function>.
    ScalarFunction function(const pugi::xml_node& node) const;
    /// False where the node is no function.
    bool function_element(const pugi::xml_node& node, ScalarFunction& f) const;
};

/// An object's name; OpenSim lets files leave it out, and it is then KIND_NUMBER, counted from 1.
std::string name_or(const pugi::xml_node& node, std::string_view kind, std::size_t number);

/// The part of a path behind its last slash.
std::string last_name(const std::string& path);

/// What connects an object to another: <socket_NAME>, or as versions between 3 and 4 wrote it,
/// <socket_NAME_connectee_name> and <connectors>.
pugi::xml_node socket_of(const pugi::xml_node& node, const std::string& name);
/// The same. @throws InputError when there is none
pugi::xml_node need_socket(const XmlFile& file, const pugi::xml_node& node,
                           const std::string& name);

/// Objects of one of the model's sets, and those among the model's <components> whose class ends
/// with one of `endings`: programs that add components to a model leave its sets empty.
std::vector<pugi::xml_node> objects_of(const pugi::xml_node& model, const char* set,
                                       std::initializer_list<std::string_view> endings);

/// Brings a document of version 1 into the layout of version 2.
/// @throws InputError for joints of version 1.5 and before
void update_osim_layout(const XmlFile& file, pugi::xml_node model);
/// Exchanges parent and child of a joint, so that its coordinates keep their meaning. A joint that
/// turns and shifts becomes two, with a body of 0.1 g between them.
/// @param joint  none of the reader's own
void reverse_osim_joint(OsimReader& reader, const pugi::xml_node& node, ModelJoint& joint);
/// Reverses joints whose children lie nearer to the ground than their parents.
/// @param nodes  of the joints, for errors
void orient_osim_joints(OsimReader& reader, const std::vector<pugi::xml_node>& nodes);

/// Joints of format 4, from <JointSet>, or of format 3, from inside the bodies.
void read_osim_joints(OsimReader& reader, const pugi::xml_node& model);
/// A property of a Millard2012 curve and where it is kept.
struct ShapeProperty {
    const char* curve;
    const char* name;
    double MillardShape::*value;
};
extern const std::array<ShapeProperty, 18> kShapeProperties;

/// Muscles and passive forces from <ForceSet>.
void read_osim_forces(OsimReader& reader, const pugi::xml_node& model);
/// Points and surfaces of the <GeometryPath> in a force.
void read_osim_path(OsimReader& reader, const pugi::xml_node& force, std::vector<PathPoint>& points,
                    std::vector<PathWrap>& wraps);
/// A ligament, limit, spring or bushing. False where the node is none of them.
bool read_osim_passive(OsimReader& reader, const pugi::xml_node& node);

/// The socket of format 4, or the element that stood in its place.
pugi::xml_node socket_or(const pugi::xml_node& node, const std::string& socket, const char* name);
/// The body, ground or offset frame that a node is written in.
pugi::xml_node owner_frame(const pugi::xml_node& node);

/// Meshes of bodies, by reference.
void read_osim_shapes(OsimReader& reader, const pugi::xml_node& model);

/// Carries a part along as it stands, where a file of format 4 can hold it unchanged and what it
/// refers to is written again under the same path; else counts it as left out.
/// @param set   of format 4 that it belongs to
/// @param kind  in words, such as "probe"
void keep_osim_part(OsimReader& reader, const pugi::xml_node& node, const char* set,
                    std::string_view kind);
/// Contact geometry, probes, controllers, and constraints that couple no coordinates.
void read_osim_kept(OsimReader& reader, const pugi::xml_node& model);

}  // namespace sinew::detail
