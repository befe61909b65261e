#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/mjcf_attributes.h"
#include "sinew/io/xml_file.h"

#include <filesystem>
#include <string>

namespace sinew::detail {

/// Weighs the bodies of a MuJoCo model as MuJoCo does: what <inertial> says, else the shapes.
class MjcfScales {
public:
    /// @param folder  that meshes (.stl) are found from; empty: meshes weigh nothing
    MjcfScales(const XmlFile& file, const MjcfAttributes& attributes, std::filesystem::path folder)
        : file_(file), attributes_(attributes), folder_(std::move(folder)) {}

    /// The file and scale of the mesh that a shape shows; empty where it has none.
    std::filesystem::path mesh_of(const pugi::xml_node& geom, const std::string& childclass,
                                  Vec3& scale) const;
    void weigh(const pugi::xml_node& node, const std::string& childclass, RigidBody& body);
    /// Shapes that could not be weighed.
    int unweighed() const {
        return unweighed_;
    }

private:
    struct Piece {
        double mass = 0.0;
        Vec3 com = Vec3::Zero();
        Mat3 inertia = Mat3::Zero();
    };
    std::string compiler_option(const char* name) const;
    void weigh_shapes(const pugi::xml_node& node, const std::string& cls, RigidBody& body);
    bool weigh_mesh(const pugi::xml_node& geom, const std::string& cls, Piece& piece) const;
    void add_geom_masses(const pugi::xml_node& node, const std::string& cls, RigidBody& body);

    const XmlFile& file_;
    const MjcfAttributes& attributes_;
    std::filesystem::path folder_;
    int unweighed_ = 0;
};

}  // namespace sinew::detail
