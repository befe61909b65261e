#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/osim_parts.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace sinew::detail {

namespace {

constexpr int kFormat4 = 40000;

Vec3 vector_or(const OsimReader& r, const pugi::xml_node& node, const char* name, const Vec3& v) {
    const pugi::xml_node found = node.child(name);
    return found && !trimmed_text(found).empty() ? r.file.vector(found) : v;
}

// "rx ry rz tx ty tz" of format 3.
Placement transform_of(const OsimReader& r, const pugi::xml_node& node) {
    Placement out;
    if (const pugi::xml_node found = node.child("transform")) {
        const std::vector<double> v = r.file.numbers(found, found.child_value(), 6);
        out.rotation = rotation_from_xyz(Vec3(v[0], v[1], v[2]));
        out.position = Vec3(v[3], v[4], v[5]);
    }
    return out;
}

// The body that carries a drawn thing, and where its frame lies in it. False: none does.
bool find_carrier(const OsimReader& r, const pugi::xml_node& node, Index& body, Placement& frame) {
    const pugi::xml_node owner = owner_frame(node);
    const std::string_view type = owner.name();
    const std::string name = owner.attribute("name").value();
    if (type == "PhysicalOffsetFrame") {
        body = r.body_of_offset(owner, frame);
        return true;
    }
    const auto it = r.bodies.find(name);
    body = it == r.bodies.end() ? -1 : it->second;
    return type == "Ground" || type == "Body";
}

void set_colour(const OsimReader& r, const pugi::xml_node& node, BodyShape& shape) {
    const Vec3 colour = vector_or(r, node, "color", Vec3::Constant(-1.0));
    if (colour.minCoeff() >= 0.0 && colour.maxCoeff() <= 1.0) {
        for (int k = 0; k < 3; ++k) {
            shape.colour[at(k)] = static_cast<float>(colour[k]);
        }
    }
}

void add_mesh(OsimReader& r, const pugi::xml_node& node) {
    BodyShape shape{.name = node.attribute("name").value()};
    shape.file = trimmed_text(node.child("mesh_file"));
    if (!find_carrier(r, node, shape.body, shape.placement) || shape.file.empty()) {
        ++r.left_out["meshes without a body or a file"];
        return;
    }
    shape.scale = vector_or(r, node, "scale_factors", Vec3::Ones());
    set_colour(r, node.child("Appearance"), shape);
    r.model.shapes.push_back(std::move(shape));
}

// Format 3: <DisplayGeometry> in the <VisibleObject> of a body; early files list names alone.
void add_display(OsimReader& r, const pugi::xml_node& visible) {
    BodyShape base;
    if (!find_carrier(r, visible, base.body, base.placement)) {
        return;
    }
    base.placement = base.placement * transform_of(r, visible);
    base.scale = vector_or(r, visible, "scale_factors", Vec3::Ones());
    for (const pugi::xml_node& node :
         visible.child("GeometrySet").child("objects").children("DisplayGeometry")) {
        BodyShape shape = base;
        shape.name = node.attribute("name").value();
        shape.file = trimmed_text(node.child("geometry_file"));
        shape.placement = base.placement * transform_of(r, node);
        shape.scale = base.scale.cwiseProduct(vector_or(r, node, "scale_factors", Vec3::Ones()));
        set_colour(r, node, shape);
        if (!shape.file.empty()) {
            r.model.shapes.push_back(std::move(shape));
        }
    }
    std::istringstream names(trimmed_text(visible.child("geometry_files")));
    for (std::string name; names >> name;) {
        BodyShape shape = base;
        shape.file = name;
        r.model.shapes.push_back(std::move(shape));
    }
}

void find_shapes(OsimReader& r, const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children()) {
        const std::string_view type = child.name();
        if (type == "defaults" || type == "ContactMesh") {
            continue;
        }
        if (type == "Mesh") {
            add_mesh(r, child);
        } else if (type == "VisibleObject" && std::strcmp(node.name(), "Body") == 0) {
            add_display(r, child);
        } else if (std::strcmp(node.name(), "attached_geometry") == 0 && type != "Mesh" &&
                   child.type() == pugi::node_element) {
            ++r.left_out[fmt::format("{} to look at", type)];
        } else {
            find_shapes(r, child);
        }
    }
}

// Whether what a path means is written again under the same path.
bool stays(const OsimReader& r, const std::string& path) {
    if (!path.starts_with('/')) {
        // Frames of its own, and names of things in the same set.
        return !path.starts_with("..");
    }
    const std::string name = last_name(path);
    const auto slashes = std::count(path.begin(), path.end(), '/');
    if (path.starts_with("/bodyset/")) {
        return slashes == 2 && r.bodies.contains(name);
    }
    if (path.starts_with("/jointset/")) {
        return slashes == 2 || r.coordinates.contains(name);
    }
    return slashes <= 2;
}

// Whether contact geometry of that name is carried along.
bool has_geometry(const OsimReader& r, const std::string& name) {
    return std::any_of(r.model.kept.begin(), r.model.kept.end(), [&](const KeptPart& part) {
        return part.set == "ContactGeometrySet" &&
               part.text.find(fmt::format("name=\"{}\"", name)) != std::string::npos;
    });
}

bool can_stay(const OsimReader& r, const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children()) {
        const std::string_view type = child.name();
        if (type.starts_with("socket_") && !stays(r, trimmed_text(child))) {
            return false;
        }
        if (type == "geometry") {
            std::istringstream names(trimmed_text(child));
            for (std::string name; names >> name;) {
                if (!has_geometry(r, last_name(name))) {
                    return false;
                }
            }
        }
        if (!can_stay(r, child)) {
            return false;
        }
    }
    return true;
}

}  // namespace

void read_osim_shapes(OsimReader& reader, const pugi::xml_node& model) {
    find_shapes(reader, model);
}

void keep_osim_part(OsimReader& reader, const pugi::xml_node& node, const char* set,
                    std::string_view kind) {
    const std::string what = fmt::format("{} ({})", node.name(), kind);
    if (reader.model.osim_version < kFormat4 || !can_stay(reader, node)) {
        ++reader.left_out[what];
        return;
    }
    std::ostringstream text;
    node.print(text, "\t", pugi::format_default, pugi::encoding_utf8);
    reader.model.kept.push_back({set, text.str()});
    ++reader.kept[what];
}

void read_osim_kept(OsimReader& reader, const pugi::xml_node& model) {
    struct Set {
        const char* name;
        const char* kind;
    };
    for (const Set& set : {Set{"ContactGeometrySet", "contact geometry"}, Set{"ProbeSet", "probe"},
                           Set{"ControllerSet", "controller"}}) {
        for (const pugi::xml_node& node : model.child(set.name).child("objects").children()) {
            if (node.type() == pugi::node_element) {
                keep_osim_part(reader, node, set.name, set.kind);
            }
        }
    }
    for (const pugi::xml_node& node : model.child("components").children()) {
        const std::string_view type = node.name();
        if (type.ends_with("Probe") || type.ends_with("Controller") ||
            type.starts_with("Contact")) {
            ++reader.left_out[std::string(type)];
        }
    }
}

}  // namespace sinew::detail
