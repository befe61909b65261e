#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What pages send (docs/studio-protocol.md), checked and taken apart. Nothing here knows a body.
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

/// What a field of a command may hold.
enum class FieldKind {
    Text,
    Number,
    Truth,
    Object,
    Numbers,       ///< a list
    Indices,       ///< a list of whole numbers from 0
    NamedNumbers,  ///< {NAME: number}
    NamedTriples,  ///< {NAME: [number, number, number]}
    Changes,       ///< [{target, value}], value: a number, null, or true and false for `gravity`
    Layers,        ///< a list of names of layers
};

/// One field of a command. Where it is not needed, null means that it is not there.
struct CommandField {
    std::string name;
    FieldKind kind = FieldKind::Text;
    bool is_needed = false;
    /// Of its numbers.
    double low = std::numeric_limits<double>::lowest();
    double high = std::numeric_limits<double>::max();
};

/// The one check of what comes from outside. Fields that are not named here are ignored.
/// @throws InputError  naming the field
void check_fields(const std::vector<CommandField>& fields, const Json& message);

// One field. They throw InputError where it holds something else.
std::string text_field(const Json& message, const char* name);
std::string optional_text(const Json& message, const char* name);
bool truth_field(const Json& message, const char* name, bool otherwise);

// Of commands whose fields have been checked:

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
    double amount = 2.0;              ///< factor of the fat where a value is 1
    bool ends = true;
};
/// @param count  vertices of the skin
/// @throws InputError  for lists of two lengths and for vertices of another skin
PaintCommand read_paint(const Json& message, std::size_t count);

/// Of `view`: numbers of meshes.
std::set<int> read_layers(const Json& message);

/// Of `pose`: three angles per joint, degrees.
std::map<std::string, std::array<double, 3>> read_pose(const Json& message);

/// Of `contract`: within [0, 1] per muscle or group.
std::map<std::string, double> read_activations(const Json& message);

}  // namespace sinew::studio
