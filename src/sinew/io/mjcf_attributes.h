#pragma once

#include "sinew/body/musculoskeletal.h"
#include "sinew/io/xml_file.h"

#include <map>
#include <string>
#include <string_view>

namespace sinew::detail {

/// XML with a blank between attributes that have none (`a="1"b="2"`): MuJoCo's parser reads such
/// files, and people's models have them.
std::string with_blanks_between_attributes(std::string_view xml);

/// Attributes of a MuJoCo model's elements as they count: with the defaults of their classes, and
/// in the units that its <compiler> names. `childclass` is the class of elements that name none.
class MjcfAttributes {
public:
    /// @throws InputError  when defaults are nested too deep
    explicit MjcfAttributes(const XmlFile& file);

    /// The attribute, or that of the element's class, or "".
    std::string get(const pugi::xml_node& node, const char* attribute,
                    const std::string& childclass) const;
    /// @throws InputError  when there is none
    Vec3 vec(const pugi::xml_node& node, const char* attribute) const;
    Vec3 vec_or(const pugi::xml_node& node, const char* attribute, const std::string& childclass,
                const Vec3& usual) const;
    /// v / |v|. @throws InputError  when |v| is 0
    Vec3 unit(const pugi::xml_node& node, const Vec3& v) const;
    /// rad
    double angle(double written) const;
    /// From pos, and quat, axisangle, euler, zaxis or xyaxes.
    Placement placement_of(const pugi::xml_node& node, const std::string& childclass) const;

private:
    using Values = std::map<std::string, std::map<std::string, std::string>>;  // by element
    void collect_defaults(const pugi::xml_node& node, const std::string& outer, int depth);

    const XmlFile& file_;
    bool is_in_degrees_ = true;
    std::map<std::string, Values> defaults_ = {};  // by class; inner classes over outer ones
};

}  // namespace sinew::detail
