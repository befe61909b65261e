#include "sinew/io/usda.h"

#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/part_looks.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/uv_seams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace sinew {

namespace {

std::string quoted_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out + "\"";
}

void append_single(std::string& out, double value) {
    append_number(out, static_cast<float>(value));
}

/// "[(x, y, z), ...]" from rows of `stride` numbers, of which three are written.
void append_triples(std::string& out, const double* values, std::size_t rows, std::size_t stride) {
    out += '[';
    for (std::size_t i = 0; i < rows; ++i) {
        out += i == 0 ? "(" : ", (";
        for (std::size_t k = 0; k < 3; ++k) {
            out += k == 0 ? "" : ", ";
            append_single(out, values[i * stride + k]);
        }
        out += ')';
    }
    out += ']';
}

void append_indices(std::string& out, const Triangles& triangles) {
    out += '[';
    for (Eigen::Index i = 0; i < triangles.size(); ++i) {
        out += i == 0 ? "" : ", ";
        append_integer(out, triangles.data()[i]);
    }
    out += ']';
}

// Texture coordinates, one pair per corner.
void append_texture_coordinates(std::string& out, const TriangleMesh& mesh) {
    const Attribute* uv = find_attribute(mesh.triangle_data, kCornerUv);
    if (uv == nullptr || uv->components != 6) {
        return;
    }
    out += "        texCoord2f[] primvars:st = [";
    for (std::size_t i = 0; i < uv->values.size(); i += 2) {
        out += i == 0 ? "(" : ", (";
        append_single(out, uv->values[i]);
        out += ", ";
        append_single(out, uv->values[i + 1]);
        out += ')';
    }
    out += "] (\n            interpolation = \"faceVarying\"\n        )\n";
}

void append_colours(std::string& out, const MeshPart& part) {
    append_texture_coordinates(out, part.mesh);
    const Attribute* colour = find_attribute(part.mesh.point_data, kColourAttribute);
    if (colour != nullptr && (colour->components == 3 || colour->components == 4)) {
        out += "        color3f[] primvars:displayColor = ";
        append_triples(out, colour->values.data(), colour->count(),
                       static_cast<std::size_t>(colour->components));
        out += " (\n            interpolation = \"vertex\"\n        )\n";
    } else {
        const double rgb[3] = {part.colour[0], part.colour[1], part.colour[2]};
        out += "        color3f[] primvars:displayColor = ";
        append_triples(out, rgb, 1, 3);
        out += '\n';
    }
    if (part.colour[3] < 1.0f) {
        out += "        float[] primvars:displayOpacity = [";
        append_single(out, part.colour[3]);
        out += "]\n";
    }
}

constexpr double kTimeCodesPerSecond = 24.0;

// Parts of one look share a material, named after their kind, or else the first.
struct Looks {
    std::string scope;                 // prim that holds them
    std::vector<std::size_t> of = {};  // per part, into names
    std::vector<std::string> names = {};
    std::vector<const MeshPart*> first = {};
};

bool has_vertex_colours(const MeshPart& part) {
    const Attribute* colour = find_attribute(part.mesh.point_data, kColourAttribute);
    return colour != nullptr && (colour->components == 3 || colour->components == 4);
}

Looks looks_of(std::span<const MeshPart> parts, const std::vector<std::string>& prims) {
    Looks looks{.scope = "Looks"};
    while (std::find(prims.begin(), prims.end(), looks.scope) != prims.end()) {
        looks.scope += "_";
    }
    std::vector<MeshPart> named;
    for (const MeshPart& part : parts) {
        std::size_t k = 0;
        while (k < looks.first.size() &&
               (looks.first[k]->colour != part.colour || looks.first[k]->kind != part.kind ||
                has_vertex_colours(*looks.first[k]) != has_vertex_colours(part))) {
            ++k;
        }
        if (k == looks.first.size()) {
            looks.first.push_back(&part);
            named.push_back({.name = part.kind.empty() ? part.name : part.kind, .mesh = {}});
        }
        looks.of.push_back(k);
    }
    looks.names = usd_prim_names(named);
    return looks;
}

// The materials of all parts, as viewers with a renderer take them; displayColor is for the others.
void append_looks(std::string& out, const Looks& looks) {
    out += fmt::format("\n    def Scope \"{}\"\n    {{", looks.scope);
    for (std::size_t k = 0; k < looks.names.size(); ++k) {
        const MeshPart& part = *looks.first[k];
        const std::string path = fmt::format("/World/{}/{}", looks.scope, looks.names[k]);
        out += fmt::format(
            "\n    def Material \"{}\"\n    {{\n        token outputs:surface.connect = "
            "<{}/surface.outputs:surface>\n\n        def Shader \"surface\"\n        {{\n"
            "            uniform token info:id = \"UsdPreviewSurface\"\n"
            "            color3f inputs:diffuseColor",
            looks.names[k], path);
        if (has_vertex_colours(part)) {
            out += fmt::format(".connect = <{}/colour.outputs:result>\n", path);
        } else {
            const double rgb[3] = {part.colour[0], part.colour[1], part.colour[2]};
            std::string colour;
            append_triples(colour, rgb, 1, 3);
            out += " = " + colour.substr(1, colour.size() - 2) + "\n";
        }
        out += "            float inputs:roughness = 0.6\n";
        if (part.colour[3] < 1.0f) {
            out += "            float inputs:opacity = ";
            append_single(out, part.colour[3]);
            out += '\n';
        }
        out += "            token outputs:surface\n        }\n";
        if (has_vertex_colours(part)) {
            out +=
                "\n        def Shader \"colour\"\n        {\n"
                "            uniform token info:id = \"UsdPrimvarReader_float3\"\n"
                "            string inputs:varname = \"displayColor\"\n"
                "            float3 outputs:result\n        }\n";
        }
        out += "    }\n";
    }
    out += "    }\n";
}

// All of a part that comes before its points.
void append_shape(std::string& out, const MeshPart& part, const std::string& prim,
                  const std::string& material) {
    const TriangleMesh& mesh = part.mesh;
    const auto points = static_cast<std::size_t>(mesh.points.rows());
    out += fmt::format(
        "\n    def Mesh \"{}\" (\n        displayName = {}\n"
        "        prepend apiSchemas = [\"MaterialBindingAPI\"]\n",
        prim, quoted_text(part.name));
    if (!part.kind.empty()) {
        out += fmt::format("        kind = {}\n", quoted_text("component"));
        out += fmt::format("        customData = {{\n            string tissue = {}\n        }}\n",
                           quoted_text(part.kind));
    }
    out += "    )\n    {\n        uniform token subdivisionScheme = \"none\"\n";
    out += fmt::format("        rel material:binding = <{}>\n", material);
    if (points > 0) {
        const Eigen::RowVector3d low = mesh.points.colwise().minCoeff();
        const Eigen::RowVector3d high = mesh.points.colwise().maxCoeff();
        double extent[6] = {low[0], low[1], low[2], high[0], high[1], high[2]};
        out += "        float3[] extent = ";
        append_triples(out, extent, 2, 3);
        out += '\n';
    }
    out += "        int[] faceVertexCounts = [";
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        out += t == 0 ? "3" : ", 3";
    }
    out += "]\n        int[] faceVertexIndices = ";
    append_indices(out, mesh.triangles);
    out += '\n';
}

std::string material_path(const Looks& looks, std::size_t part) {
    return fmt::format("/World/{}/{}", looks.scope, looks.names[looks.of[part]]);
}

void append_part(std::string& out, const MeshPart& part, const std::string& prim,
                 const std::string& material) {
    append_shape(out, part, prim, material);
    out += "        point3f[] points = ";
    append_triples(out, part.mesh.points.data(), static_cast<std::size_t>(part.mesh.points.rows()),
                   3);
    out += '\n';
    append_colours(out, part);
    out += "    }\n";
}

/// What opens and closes the groups around each part.
struct Brackets {
    std::string before = {};
    std::string after = {};
};
std::vector<Brackets> group_brackets(std::span<const MeshPart> parts,
                                     const std::vector<std::string>& prims) {
    const std::vector<std::string> groups = part_groups(parts);
    std::vector<Brackets> brackets(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (groups[i].empty()) {
            continue;
        }
        if (i == 0 || groups[i - 1] != groups[i]) {
            std::string name =
                usd_prim_names(std::vector<MeshPart>{{.name = groups[i], .mesh = {}}})[0];
            while (std::find(prims.begin(), prims.end(), name) != prims.end()) {
                name += "_";
            }
            brackets[i].before = fmt::format("\n    def Xform \"{}\"\n    {{", name);
        }
        if (i + 1 == parts.size() || groups[i + 1] != groups[i]) {
            brackets[i].after = "    }\n";
        }
    }
    return brackets;
}

/// Muscles coloured by belly and tendon.
std::vector<MeshPart> coloured(std::span<const MeshPart> parts) {
    std::vector<MeshPart> all(parts.begin(), parts.end());
    for (MeshPart& part : all) {
        colour_by_tendon(part.mesh);
    }
    return all;
}

}  // namespace

std::vector<std::string> usd_prim_names(std::span<const MeshPart> parts) {
    std::vector<std::string> names;
    std::set<std::string> used;
    std::map<std::string, int> next;
    for (const MeshPart& part : parts) {
        std::string name;
        for (const char c : part.name) {
            const bool is_allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 &&
                                    static_cast<unsigned char>(c) < 0x80;
            name += is_allowed ? c : '_';
        }
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
            name.insert(0, "part_");
        }
        std::string unique = name;
        while (!used.insert(unique).second) {
            unique = fmt::format("{}_{}", name, 2 + next[name]++);
        }
        names.push_back(std::move(unique));
    }
    return names;
}

std::string format_usda(std::span<const MeshPart> plain) {
    require_writable(plain, "USD");
    const std::vector<MeshPart> parts = coloured(plain);
    const std::vector<std::string> prims = usd_prim_names(parts);
    const std::vector<Brackets> brackets = group_brackets(parts, prims);
    std::string out =
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    upAxis = "
        "\"Y\"\n)\n\n"
        "def Xform \"World\"\n{";
    const Looks looks = looks_of(parts, prims);
    append_looks(out, looks);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        out += brackets[i].before;
        append_part(out, parts[i], prims[i], material_path(looks, i));
        out += brackets[i].after;
    }
    return out + "}\n";
}

void write_usda(const std::filesystem::path& path, std::span<const MeshPart> parts) {
    write_file_bytes(path, format_usda(parts));
}

struct UsdaFrameWriter::Data {
    std::filesystem::path path;
    AtomicStream file;
    AtomicStream shapes;  // frame after frame, in single precision; never gets a name
    std::vector<double> times;
    std::vector<Eigen::Index> points;  // of each part
    Eigen::Index all_points;
    std::vector<std::string> head;  // of each part, before its frames
    std::vector<std::string> tail;  // and after them
    std::size_t count = 0;
};

UsdaFrameWriter::UsdaFrameWriter(const std::filesystem::path& path, std::span<const MeshPart> plain,
                                 std::vector<double> times) {
    require_writable(plain, "USD");
    const std::vector<MeshPart> parts = coloured(plain);
    require_frame_times(path, times);
    data_.reset(new Data{.path = path,
                         .file = AtomicStream(path),
                         .shapes = AtomicStream(path),
                         .times = std::move(times),
                         .points = {},
                         .all_points = 0,
                         .head = {},
                         .tail = {}});
    Data& d = *data_;
    d.file.write(fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n"
        "    timeCodesPerSecond = {}\n    startTimeCode = {}\n    endTimeCode = {}\n)\n\n"
        "def Xform \"World\"\n{{",
        kTimeCodesPerSecond, kTimeCodesPerSecond * d.times.front(),
        kTimeCodesPerSecond * d.times.back()));
    const std::vector<std::string> prims = usd_prim_names(parts);
    const std::vector<Brackets> brackets = group_brackets(parts, prims);
    const Looks looks = looks_of(parts, prims);
    std::string materials;
    append_looks(materials, looks);
    d.file.write(materials);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        append_shape(d.head.emplace_back(brackets[p].before), parts[p], prims[p],
                     material_path(looks, p));
        append_colours(d.tail.emplace_back(), parts[p]);
        d.tail.back() += "    }\n" + brackets[p].after;
        d.points.push_back(parts[p].mesh.points.rows());
        d.all_points += d.points.back();
    }
}
UsdaFrameWriter::~UsdaFrameWriter() = default;

void UsdaFrameWriter::add(const Points& frame) {
    Data& d = *data_;
    require_frame(d.path, frame, d.all_points, d.times.size() - d.count);
    const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> single = frame.cast<float>();
    d.shapes.write({reinterpret_cast<const char*>(single.data()),
                    static_cast<std::size_t>(single.size()) * sizeof(float)});
    ++d.count;
}

// Frames come part after part in the file, and all parts at once from the simulation.
void UsdaFrameWriter::commit() {
    Data& d = *data_;
    require_no_frames_left(d.path, d.times.size() - d.count);
    const auto row_bytes = 3 * sizeof(float);
    std::size_t first = 0;
    std::string text;
    for (std::size_t p = 0; p < d.points.size(); ++p) {
        const auto rows = static_cast<std::size_t>(d.points[p]);
        std::vector<float> single(3 * rows);
        d.file.write(d.head[p]);
        d.file.write("        point3f[] points.timeSamples = {\n");
        for (std::size_t f = 0; f < d.times.size(); ++f) {
            const std::size_t begin = f * static_cast<std::size_t>(d.all_points) + first;
            d.shapes.read(begin * row_bytes,
                          {reinterpret_cast<char*>(single.data()), single.size() * sizeof(float)});
            const std::vector<double> values(single.begin(), single.end());
            text = "            ";
            append_number(text, kTimeCodesPerSecond * d.times[f]);
            text += ": ";
            append_triples(text, values.data(), rows, 3);
            text += ",\n";
            d.file.write(text);
        }
        d.file.write("        }\n" + d.tail[p]);
        first += rows;
    }
    d.file.write("}\n");
    d.file.commit();
}

void write_usda(const std::filesystem::path& path, const MeshPart& part,
                std::span<const double> times, std::span<const Points> frames) {
    UsdaFrameWriter writer(path, part, {times.begin(), times.end()});
    for (const Points& frame : frames) {
        writer.add(frame);
    }
    writer.commit();
}

}  // namespace sinew
