#include "sinew/io/off.h"

#include "sinew/io/mesh_parts.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew {

namespace {

class OffReader {
public:
    OffReader(std::string_view bytes, std::string_view file)
        : cursor_(bytes, file, {.comment = '#'}) {}

    TriangleMesh read() {
        read_keyword();
        const std::size_t vertices = cursor_.count("the number of vertices", 6);
        // Faces are listed behind the vertices, so their count is checked by the same measure.
        const std::size_t faces = cursor_.count("the number of faces", 8);
        if (!cursor_.at_line_end()) {
            cursor_.integer("the number of edges");
        }
        if (vertices == 0) {
            cursor_.fail("no vertices", "at least one");
        }
        read_vertices(vertices);
        read_faces(faces);
        mesh_.triangles = triangulated(mesh_.points, polygons_);
        return std::move(mesh_);
    }

private:
    // "OFF" with letters in front for what follows each position. It may be missing altogether.
    void read_keyword() {
        TextCursor ahead = cursor_;
        std::string_view word = ahead.word();
        double number = 0;
        if (parse_number(word, number)) {
            return;
        }
        const std::size_t length = word.find("OFF");
        const std::string_view prefix = word.substr(0, length);
        has_texture_ = prefix.starts_with("ST");
        const std::string_view letters = has_texture_ ? prefix.substr(2) : prefix;
        has_colour_ = letters.starts_with("C");
        has_normal_ = letters.substr(has_colour_ ? 1 : 0).starts_with("N");
        const std::size_t known = (has_colour_ ? 1U : 0U) + (has_normal_ ? 1U : 0U);
        if (length == std::string_view::npos || known != letters.size()) {
            cursor_.fail(word.empty() ? "an empty file" : quoted(word),
                         "OFF, COFF, NOFF or CNOFF in three dimensions");
        }
        // Some files lack the line end behind the keyword: "OFF8 6 12".
        const std::size_t keyword_end = ahead.offset() - (word.size() - length - 3);
        cursor_.at_end();
        cursor_.skip_to(keyword_end);
        if (ahead.word_on_line() == "BINARY") {
            cursor_.fail("binary OFF", "the text form of OFF");
        }
    }

    void read_vertices(std::size_t count) {
        mesh_.points.resize(static_cast<Eigen::Index>(count), 3);
        for (std::size_t i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k) {
                mesh_.points(static_cast<Eigen::Index>(i), k) = cursor_.number("a coordinate");
            }
            for (int k = 0; has_normal_ && k < 3; ++k) {
                normals_.push_back(cursor_.number("a normal"));
            }
            read_rest_of_vertex(i);
        }
        finish_colours(count);
        if (has_normal_) {
            mesh_.point_data.push_back(
                {.name = "normal", .components = 3, .values = std::move(normals_)});
        }
    }

    // Colours are what remains of the line, apart from two texture coordinates.
    void read_rest_of_vertex(std::size_t i) {
        rest_.clear();
        while (rest_.size() < 7 && !cursor_.at_line_end()) {
            rest_.push_back(cursor_.number("a colour"));
        }
        const std::size_t texture = has_texture_ ? 2 : 0;
        const std::size_t n = rest_.size() < texture ? 99 : rest_.size() - texture;
        if (i == 0) {
            components_ = n;
        }
        if ((n != 0 && n != 3 && n != 4) || n != components_ || (has_colour_ && n == 0)) {
            cursor_.fail(fmt::format("{} numbers behind a position", rest_.size()),
                         "as many for each vertex: none, r g b or r g b a");
        }
        colours_.insert(colours_.end(), rest_.begin(),
                        rest_.begin() + static_cast<std::ptrdiff_t>(n));
    }

    void finish_colours(std::size_t count) {
        if (components_ == 0 || count == 0) {
            return;
        }
        const bool are_bytes = *std::max_element(colours_.begin(), colours_.end()) > 2.0;
        for (double& c : colours_) {
            c = std::clamp(are_bytes ? c / 255.0 : c, 0.0, 1.0);
        }
        mesh_.point_data.push_back({.name = std::string(kColourAttribute),
                                    .components = static_cast<int>(components_),
                                    .values = std::move(colours_)});
    }

    void read_faces(std::size_t count) {
        const std::int64_t vertices = mesh_.points.rows();
        polygons_.start.reserve(count + 1);
        polygons_.corners.reserve(3 * count);
        std::vector<Index> corners;
        for (std::size_t f = 0; f < count; ++f) {
            const std::size_t n = cursor_.count("the number of a face's corners", 2);
            if (n < 3) {
                cursor_.fail(fmt::format("a face with {} corners", n), "three corners or more");
            }
            corners.clear();
            for (std::size_t k = 0; k < n; ++k) {
                const std::int64_t index = cursor_.integer("a corner of a face");
                if (index < 0 || index >= vertices) {
                    cursor_.fail(fmt::format("vertex {} of {} vertices", index, vertices),
                                 fmt::format("a number from 0 to {}", vertices - 1));
                }
                corners.push_back(static_cast<Index>(index));
            }
            polygons_.add(corners);
            cursor_.skip_line();
        }
    }

    TextCursor cursor_;
    bool has_colour_ = false;
    bool has_normal_ = false;
    bool has_texture_ = false;
    std::size_t components_ = 0;  // of the colours
    TriangleMesh mesh_;
    PolygonList polygons_;
    std::vector<double> normals_;
    std::vector<double> colours_;
    std::vector<double> rest_;
};

}  // namespace

std::vector<MeshPart> parse_off(std::string_view bytes, std::string_view file) {
    return single_part(OffReader(bytes, file).read(), file);
}

std::string format_off(std::span<const MeshPart> parts) {
    require_writable(parts, "OFF");
    const TriangleMesh mesh = merged(parts);
    const Attribute* colour = find_attribute(mesh.point_data, kColourAttribute);
    const int components = colour == nullptr ? 0 : colour->components;
    const bool has_colour = components == 3 || components == 4;
    std::string out = fmt::format("{}OFF\n{} {} 0\n", has_colour ? "C" : "", mesh.points.rows(),
                                  mesh.triangles.rows());
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            append_number(out, mesh.points(i, k));
            out += ' ';
        }
        for (int k = 0; has_colour && k < components; ++k) {
            append_number(out, colour->values[at(i * components + k)]);
            out += ' ';
        }
        out.back() = '\n';
    }
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        out += '3';
        for (int k = 0; k < 3; ++k) {
            out += ' ';
            append_integer(out, mesh.triangles(t, k));
        }
        out += '\n';
    }
    return out;
}

}  // namespace sinew
