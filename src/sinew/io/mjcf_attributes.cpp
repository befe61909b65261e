#include "sinew/io/mjcf_attributes.h"

#include "sinew/base/units.h"
#include "sinew/linalg/dense.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace sinew::detail {

std::string with_blanks_between_attributes(std::string_view xml) {
    std::string out;
    out.reserve(xml.size());
    bool is_in_tag = false;
    for (std::size_t k = 0; k < xml.size();) {
        if (!is_in_tag && xml.substr(k, 4) == "<!--") {
            const std::size_t end = std::min(xml.find("-->", k + 4), xml.size());
            out += xml.substr(k, end - k);
            k = end;
            continue;
        }
        const char c = xml[k];
        if (!is_in_tag || (c != '"' && c != '\'')) {
            is_in_tag = c == '<' || (is_in_tag && c != '>');
            out += c;
            ++k;
            continue;
        }
        const std::size_t close = std::min(xml.find(c, k + 1), xml.size() - 1);
        out += xml.substr(k, close + 1 - k);
        k = close + 1;
        const bool is_name =
            k < xml.size() &&
            (std::isalpha(static_cast<unsigned char>(xml[k])) != 0 || xml[k] == '_');
        out += is_name ? " " : "";
    }
    return out;
}

MjcfAttributes::MjcfAttributes(const XmlFile& file) : file_(file) {
    for (const pugi::xml_node& node : file_.root().children("compiler")) {
        if (node.attribute("angle")) {
            is_in_degrees_ = std::strcmp(node.attribute("angle").value(), "radian") != 0;
        }
    }
    for (const pugi::xml_node& node : file_.root().children("default")) {
        collect_defaults(node, "", 0);
    }
}

void MjcfAttributes::collect_defaults(const pugi::xml_node& node, const std::string& outer,
                                      int depth) {
    const std::string name = depth == 0 ? "" : node.attribute("class").value();
    Values values = defaults_[depth == 0 ? "" : outer];  // several roots add up
    for (const pugi::xml_node& child : node.children()) {
        for (const pugi::xml_attribute& a : child.attributes()) {
            values[child.name()][a.name()] = a.value();
        }
    }
    defaults_[name] = values;
    if (depth == 0 && node.attribute("class")) {
        defaults_[node.attribute("class").value()] = values;
    }
    for (const pugi::xml_node& child : node.children("default")) {
        collect_defaults(child, name, depth + 1);
    }
}

std::string MjcfAttributes::get(const pugi::xml_node& node, const char* attribute,
                                const std::string& childclass) const {
    if (node.attribute(attribute)) {
        return node.attribute(attribute).value();
    }
    const std::string name = node.attribute("class") ? node.attribute("class").value() : childclass;
    const auto it = defaults_.find(name);
    if (it == defaults_.end()) {
        return "";
    }
    const auto element = it->second.find(node.name());
    if (element == it->second.end()) {
        return "";
    }
    const auto value = element->second.find(attribute);
    return value == element->second.end() ? "" : value->second;
}

Vec3 MjcfAttributes::vec(const pugi::xml_node& node, const char* attribute) const {
    const std::vector<double> x = file_.numbers(node, file_.need_attribute(node, attribute), 3);
    return {x[0], x[1], x[2]};
}

Vec3 MjcfAttributes::vec_or(const pugi::xml_node& node, const char* attribute,
                            const std::string& cls, const Vec3& usual) const {
    const std::string text = get(node, attribute, cls);
    if (text.empty()) {
        return usual;
    }
    const std::vector<double> x = file_.numbers(node, text, 3);
    return {x[0], x[1], x[2]};
}

Vec3 MjcfAttributes::unit(const pugi::xml_node& node, const Vec3& v) const {
    if (!(v.norm() > 1e-10)) {
        file_.fail(node, "a direction of length 0", "a direction");
    }
    return v.normalized();
}

double MjcfAttributes::angle(double x) const {
    return is_in_degrees_ ? x * kPi / 180.0 : x;
}

Placement MjcfAttributes::placement_of(const pugi::xml_node& node, const std::string& cls) const {
    Placement T;
    T.position = vec_or(node, "pos", cls, Vec3::Zero());
    if (const std::string text = get(node, "quat", cls); !text.empty()) {
        const std::vector<double> q = file_.numbers(node, text, 4);
        const Eigen::Quaterniond turn(q[0], q[1], q[2], q[3]);
        if (!(turn.norm() > 1e-10)) {
            file_.fail(node, "a quaternion of length 0", "a turn");
        }
        T.rotation = turn.normalized().toRotationMatrix();
    } else if (const std::string aa = get(node, "axisangle", cls); !aa.empty()) {
        const std::vector<double> x = file_.numbers(node, aa, 4);
        T.rotation =
            Eigen::AngleAxisd(angle(x[3]), unit(node, Vec3(x[0], x[1], x[2]))).toRotationMatrix();
    } else if (const std::string euler = get(node, "euler", cls); !euler.empty()) {
        const std::vector<double> x = file_.numbers(node, euler, 3);
        T.rotation = rotation_from_xyz(Vec3(angle(x[0]), angle(x[1]), angle(x[2])));
    } else if (const std::string z = get(node, "zaxis", cls); !z.empty()) {
        const std::vector<double> x = file_.numbers(node, z, 3);
        T.rotation = turn_between(Vec3::UnitZ(), unit(node, Vec3(x[0], x[1], x[2])));
    } else if (const std::string xy = get(node, "xyaxes", cls); !xy.empty()) {
        const std::vector<double> x = file_.numbers(node, xy, 6);
        const Vec3 a = unit(node, Vec3(x[0], x[1], x[2]));
        const Vec3 b(x[3], x[4], x[5]);
        const Vec3 c = unit(node, a.cross(b));
        T.rotation.col(0) = a;
        T.rotation.col(1) = c.cross(a);
        T.rotation.col(2) = c;
    }
    return T;
}

}  // namespace sinew::detail
