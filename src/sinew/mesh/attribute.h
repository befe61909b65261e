#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Named data carried by points or elements: `components` numbers each, one item after another.
struct Attribute {
    std::string name;
    int components = 1;
    std::vector<double> values;
    std::string unit = {};

    std::size_t count() const {
        return values.size() / static_cast<std::size_t>(components);
    }
};

/// Vertex colours are the attribute of this name with 3 or 4 components in [0, 1] (linear RGB,
/// alpha).
inline constexpr std::string_view kColourAttribute = "colour";

/// The attribute of that name, or nullptr.
const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);
Attribute* find_attribute(std::vector<Attribute>& attributes, std::string_view name);

}  // namespace sinew
