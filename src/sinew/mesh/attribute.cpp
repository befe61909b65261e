#include "sinew/mesh/attribute.h"

#include <algorithm>

namespace sinew {

const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
    const auto it = std::find_if(attributes.begin(), attributes.end(),
                                 [&](const Attribute& a) { return a.name == name; });
    return it == attributes.end() ? nullptr : &*it;
}

Attribute* find_attribute(std::vector<Attribute>& attributes, std::string_view name) {
    const std::vector<Attribute>& read_only = attributes;
    return const_cast<Attribute*>(find_attribute(read_only, name));
}

}  // namespace sinew
