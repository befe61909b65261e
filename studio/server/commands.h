#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What pages send (docs/studio-protocol.md), taken apart. Nothing here knows a body. All readers
// throw InputError, naming the field, for what is not as the protocol has it.
namespace sinew::studio {

using Json = nlohmann::json;

/// One wish: a target of the protocol and its value; nothing unsets it. `gravity` is 1 or 0.
struct Change {
    std::string target;
    std::optional<double> value = {};
};

/// A command. Nothing for a text that is no JSON object, or that is nested deeper than commands
/// are.
std::optional<Json> parse_command(std::string_view text);
/// Its number, to answer by; null for anything but a number or a short text.
Json id_of(const Json& message);

std::string text_field(const Json& message, const char* name);
std::string optional_text(const Json& message, const char* name);
bool truth_field(const Json& message, const char* name, bool otherwise);
double number_field(const Json& message, const char* name);

/// Of `edit`.
struct EditCommand {
    std::vector<Change> changes = {};
    bool drags = false;
};
EditCommand read_edit(const Json& message);

/// Of `paint`.
struct PaintCommand {
    std::vector<std::uint32_t> vertices = {};
    std::vector<double> values = {};  ///< as many
    std::optional<double> amount = {};
    bool ends = true;
};
/// @param count  vertices of the skin
PaintCommand read_paint(const Json& message, std::size_t count);

/// Of `view`: numbers of meshes.
std::set<int> read_layers(const Json& message);

/// Of `pose`: three angles per joint, degrees.
std::map<std::string, std::array<double, 3>> read_pose(const Json& message);

/// Of `contract`: within [0, 1] per muscle or group.
std::map<std::string, double> read_activations(const Json& message);

}  // namespace sinew::studio
