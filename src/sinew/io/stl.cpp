#include "sinew/io/stl.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/weld.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr std::size_t kHeaderBytes = 80;
constexpr std::size_t kTriangleBytes = 50;  // normal, three corners, two bytes of no fixed meaning

MeshPart welded_part(const Welder& welder, const std::vector<Index>& corners, std::string name) {
    MeshPart part;
    part.name = std::move(name);
    part.mesh.points = welder.points();
    part.mesh.triangles = Eigen::Map<const Triangles>(
        corners.data(), static_cast<Eigen::Index>(corners.size() / 3), 3);
    return part;
}

std::uint64_t announced_triangles(std::string_view bytes) {
    return load_number<std::uint32_t>(bytes.data() + kHeaderBytes, false);
}

// Text starts with "solid", but so do the headers of some binary files: those have exactly the size
// that their count asks for.
bool is_binary(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes + 4) {
        return false;
    }
    if (bytes.size() == kHeaderBytes + 4 + kTriangleBytes * announced_triangles(bytes)) {
        return true;
    }
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos || lower(bytes.substr(start, 5)) != "solid";
}

std::vector<MeshPart> parse_binary(std::string_view bytes, std::string_view file) {
    ByteReader reader(bytes, file, false, kHeaderBytes);
    const auto count = reader.get<std::uint32_t>("the number of triangles");
    reader.need_items(count, kTriangleBytes, "triangles");
    if (count == 0) {
        reader.fail("no triangles", "at least one");
    }
    Welder welder(3 * std::size_t{count});
    std::vector<Index> corners;
    corners.reserve(3 * std::size_t{count});
    for (std::uint32_t t = 0; t < count; ++t) {
        reader.skip(3 * sizeof(float), "a normal");
        for (int k = 0; k < 3; ++k) {
            const float x = reader.get<float>("a corner");
            const float y = reader.get<float>("a corner");
            const float z = reader.get<float>("a corner");
            if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) {
                reader.fail(fmt::format("corner ({}, {}, {}) of triangle {}", x, y, z, t),
                            "finite numbers");
            }
            corners.push_back(welder.add({x, y, z}));
        }
        reader.skip(2, "the end of a triangle");
    }
    return {welded_part(welder, corners, part_name_from_file(file))};
}

class TextReader {
public:
    TextReader(std::string_view bytes, std::string_view file)
        : cursor_(bytes, file, {}), file_(file), bytes_(bytes.size()) {}

    std::vector<MeshPart> read() {
        std::vector<MeshPart> parts;
        while (!cursor_.at_end()) {
            expect("solid");
            MeshPart part = read_solid();
            if (part.mesh.triangles.rows() > 0) {
                parts.push_back(std::move(part));
            }
        }
        if (parts.empty()) {
            cursor_.fail("no triangles", "lines such as 'facet normal 0 0 1'");
        }
        return parts;
    }

private:
    void expect(std::string_view keyword) {
        const std::string_view word = cursor_.word();
        if (lower(word) != keyword) {
            cursor_.fail(word.empty() ? "the end of the file" : sinew::quoted(word),
                         fmt::format("'{}'", keyword));
        }
    }

    MeshPart read_solid() {
        const std::string_view named = cursor_.rest_of_line();
        const std::string name = named.empty() ? part_name_from_file(file_) : std::string(named);
        // A facet takes some 150 characters.
        Welder welder(bytes_ / 50);
        bytes_ = 0;
        std::vector<Index> corners;
        for (;;) {
            const std::string word = lower(cursor_.word());
            if (word == "facet") {
                read_facet(welder, corners);
            } else if (word == "endsolid") {
                cursor_.skip_line();
                return welded_part(welder, corners, name);
            } else {
                cursor_.fail(word.empty() ? "the end of the file" : sinew::quoted(word),
                             "'facet' or 'endsolid'");
            }
        }
    }

    void read_facet(Welder& welder, std::vector<Index>& corners) {
        // Degenerate triangles have normals such as "nan": they are not looked at.
        cursor_.skip_line();
        expect("outer");
        expect("loop");
        for (int k = 0; k < 3; ++k) {
            expect("vertex");
            const double x = cursor_.number("a coordinate");
            const double y = cursor_.number("a coordinate");
            const double z = cursor_.number("a coordinate");
            corners.push_back(welder.add({x, y, z}));
        }
        expect("endloop");
        expect("endfacet");
    }

    TextCursor cursor_;
    std::string_view file_;
    std::size_t bytes_;
};

Vec3 unit_normal(const TriangleMesh& mesh, Eigen::Index t) {
    const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
    const Vec3 b = point(mesh.points, mesh.triangles(t, 1));
    const Vec3 c = point(mesh.points, mesh.triangles(t, 2));
    const Vec3 normal = (b - a).cross(c - a);
    const double length = normal.norm();
    return length > 0 && std::isfinite(length) ? Vec3(normal / length) : Vec3::Zero();
}

void append_vector(std::string& out, const Vec3& v) {
    for (int k = 0; k < 3; ++k) {
        out += ' ';
        append_number(out, v[k]);
    }
    out += '\n';
}

std::string format_text(std::span<const MeshPart> parts) {
    const std::vector<std::string> names = names_for_writing(parts);
    std::string out;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const TriangleMesh& mesh = parts[p].mesh;
        out += fmt::format("solid {}\n", names[p]);
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            out += "facet normal";
            append_vector(out, unit_normal(mesh, t));
            out += "outer loop\n";
            for (int k = 0; k < 3; ++k) {
                out += "vertex";
                append_vector(out, point(mesh.points, mesh.triangles(t, k)));
            }
            out += "endloop\nendfacet\n";
        }
        out += fmt::format("endsolid {}\n", names[p]);
    }
    return out;
}

void require_floats(const TriangleMesh& mesh) {
    const double most = mesh.points.size() == 0 ? 0.0 : mesh.points.cwiseAbs().maxCoeff();
    if (most > static_cast<double>(std::numeric_limits<float>::max())) {
        throw InputError({.where = "mesh to be written as binary STL",
                          .found = fmt::format("a coordinate of {:g}", most),
                          .needs = "single-precision numbers",
                          .remedy = "scale the mesh, or choose another format"});
    }
}

std::string format_binary(const TriangleMesh& mesh) {
    require_floats(mesh);
    const auto count = static_cast<std::uint32_t>(mesh.triangles.rows());
    std::string out = "binary STL, metres, Y up";
    out.resize(kHeaderBytes, ' ');
    out.reserve(kHeaderBytes + 4 + kTriangleBytes * std::size_t{count});
    append_bytes(out, count);
    const auto append_floats = [&](const Vec3& v) {
        for (int k = 0; k < 3; ++k) {
            append_bytes(out, static_cast<float>(v[k]));
        }
    };
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        append_floats(unit_normal(mesh, t));
        for (int k = 0; k < 3; ++k) {
            append_floats(point(mesh.points, mesh.triangles(t, k)));
        }
        append_bytes(out, std::uint16_t{0});
    }
    return out;
}

}  // namespace

std::vector<MeshPart> parse_stl(std::string_view bytes, std::string_view file) {
    return is_binary(bytes) ? parse_binary(bytes, file) : TextReader(bytes, file).read();
}

std::string format_stl(std::span<const MeshPart> parts, const StlOptions& options) {
    require_writable(parts, "STL");
    return options.is_ascii ? format_text(parts) : format_binary(merged(parts));
}

}  // namespace sinew
