#include "sinew/io/obj.h"

#include "sinew/base/error.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/uv_seams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string>

namespace sinew {

namespace {

constexpr double kNoColour = -1.0;  // becomes white where other vertices of the part have one
constexpr std::size_t kMostVertices = std::numeric_limits<Index>::max();

// Keywords that say nothing about the shape of polygon meshes.
constexpr std::array<std::string_view, 41> kPassedOver = {
    "vt",     "vn",     "vp",        "s",        "usemtl",   "mtllib", "l",
    "p",      "mg",     "bevel",     "c_interp", "d_interp", "lod",    "shadow_obj",
    "usemap", "maplib", "trace_obj", "cstype",   "deg",      "bmat",   "step",
    "curv",   "curv2",  "surf",      "parm",     "trim",     "hole",   "scrv",
    "sp",     "end",    "con",       "ctech",    "stech",    "call",   "csh",
    "cdc",    "cdp",    "bzp",       "bsp",      "res",      "vc"};

// What follows an `o` or `g` line: the vertices and faces up to the next one.
struct Section {
    std::string_view object;
    std::string_view group;
    std::size_t first_vertex = 0;
    std::size_t first_face = 0;
};

class ObjReader {
public:
    ObjReader(std::string_view bytes, std::string_view file)
        : file_(file), cursor_(bytes, file, {.comment = '#', .joins_backslash = true}) {
        sections_.push_back({});
        // Lines of a usual file have 30 characters, a third of them vertices.
        positions_.reserve(bytes.size() / 32);
        polygons_.corners.reserve(bytes.size() / 16);
    }

    std::vector<MeshPart> read() {
        while (!cursor_.at_end()) {
            read_line();
        }
        if (positions_.empty()) {
            cursor_.fail("no vertices in the whole file", "lines such as 'v 0 0 0'");
        }
        check_faces();
        scale_colours();
        return split();
    }

private:
    std::size_t vertex_count() const {
        return positions_.size() / 3;
    }

    void read_line() {
        const std::string_view key = cursor_.word_on_line();
        if (key == "v") {
            read_vertex();
        } else if (key == "f" || key == "fo") {
            read_face();
        } else if (key == "o" || key == "g") {
            begin_section(key, cursor_.rest_of_line());
        } else if (std::find(kPassedOver.begin(), kPassedOver.end(), key) == kPassedOver.end()) {
            cursor_.fail(fmt::format("a line that starts with {}", quoted(key)),
                         "an OBJ keyword such as v, f, o, g or a comment (#)");
        }
        cursor_.skip_line();
    }

    void read_vertex() {
        std::array<double, 7> numbers{};
        std::size_t n = 0;
        while (!cursor_.at_line_end()) {
            const double value = cursor_.number("a vertex coordinate or colour");
            if (n == numbers.size()) {
                cursor_.fail("more than 7 numbers", "x y z, then maybe w or r g b a");
            }
            numbers[n++] = value;
        }
        if (n < 3 || n == 5) {
            cursor_.fail(fmt::format("{} numbers for a vertex", n), "x y z, then maybe r g b");
        }
        if (vertex_count() == kMostVertices) {
            cursor_.fail("too many vertices", fmt::format("at most {}", kMostVertices));
        }
        if (n >= 6) {
            colours_.resize(4 * vertex_count(), kNoColour);
            for (std::size_t k = 3; k < 7; ++k) {
                colours_.push_back(k < n ? std::max(numbers[k], 0.0) : kNoColour);
            }
            has_alpha_ = has_alpha_ || n == 7;
        }
        positions_.insert(positions_.end(), numbers.begin(), numbers.begin() + 3);
    }

    void read_face() {
        corners_.clear();
        while (!cursor_.at_line_end()) {
            corners_.push_back(read_corner(cursor_.word_on_line()));
        }
        if (corners_.size() < 3) {
            cursor_.fail(fmt::format("a face with {} corners", corners_.size()),
                         "three corners or more");
        }
        polygons_.add(corners_);
        face_lines_.push_back(cursor_.line());
    }

    // "7", "7/2", "7/2/3" or "7//3"; negative numbers count back from the last vertex.
    Index read_corner(std::string_view word) {
        std::int64_t number = 0;
        const std::string_view vertex = word.substr(0, word.find('/'));
        const std::string_view rest = word.substr(vertex.size());
        if (!parse_integer(vertex, number) ||
            rest.find_first_not_of("/-+0123456789") != std::string_view::npos) {
            cursor_.fail(fmt::format("{} as a corner of a face", quoted(word)),
                         "numbers such as 7, 7/2 or 7/2/3");
        }
        const auto count = static_cast<std::int64_t>(vertex_count());
        const std::int64_t index = number < 0 ? count + number : number - 1;
        if (number == 0 || index < 0 || index >= static_cast<std::int64_t>(kMostVertices)) {
            cursor_.fail(fmt::format("vertex {} where {} are known", number, count),
                         "a vertex that exists, counted from 1, or back from -1");
        }
        return static_cast<Index>(index);
    }

    void begin_section(std::string_view key, std::string_view name) {
        Section section = sections_.back();
        (key == "o" ? section.object : section.group) = name;
        has_objects_ = has_objects_ || key == "o";
        section.first_vertex = vertex_count();
        section.first_face = polygons_.size();
        if (section.first_vertex == sections_.back().first_vertex &&
            section.first_face == sections_.back().first_face) {
            sections_.back() = section;
        } else {
            sections_.push_back(section);
        }
    }

    // A face may name vertices that follow it, so this waits for the end.
    void check_faces() const {
        for (std::size_t f = 0; f < polygons_.size(); ++f) {
            for (const Index corner : polygons_[f]) {
                if (static_cast<std::size_t>(corner) >= vertex_count()) {
                    cursor_.fail_at(face_lines_[f],
                                    fmt::format("vertex {} of {} vertices",
                                                std::int64_t{corner} + 1, vertex_count()),
                                    fmt::format("a number from 1 to {}", vertex_count()));
                }
            }
        }
    }

    // Colours above 2 can only be bytes; below, what exceeds 1 is rounding or glare.
    void scale_colours() {
        if (colours_.empty()) {
            return;
        }
        colours_.resize(4 * vertex_count(), kNoColour);
        const double most = *std::max_element(colours_.begin(), colours_.end());
        for (double& c : colours_) {
            if (c != kNoColour) {
                c = std::min(most > 2.0 ? c / 255.0 : c, 1.0);
            }
        }
    }

    std::size_t end_of(std::size_t section, std::size_t Section::*first, std::size_t all) const {
        return section + 1 < sections_.size() ? sections_[section + 1].*first : all;
    }

    std::vector<MeshPart> split() {
        // Sections of the same name are one part, parts in the order of their first appearance.
        std::map<std::string_view, std::size_t> part_of_name;
        std::vector<std::vector<std::size_t>> sections_of_part;
        std::vector<std::string_view> names;
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            const bool is_empty =
                sections_[s].first_vertex == end_of(s, &Section::first_vertex, vertex_count()) &&
                sections_[s].first_face == end_of(s, &Section::first_face, polygons_.size());
            if (is_empty) {
                continue;
            }
            const std::string_view name = has_objects_ ? sections_[s].object : sections_[s].group;
            const auto [it, is_new] = part_of_name.try_emplace(name, names.size());
            if (is_new) {
                names.push_back(name);
                sections_of_part.emplace_back();
            }
            sections_of_part[it->second].push_back(s);
        }
        const Points all = Eigen::Map<const Points>(positions_.data(),
                                                    static_cast<Eigen::Index>(vertex_count()), 3);
        std::vector<double>().swap(positions_);
        vertices_ = static_cast<std::size_t>(all.rows());
        if (names.size() == 1) {
            return {whole_file(all, names[0])};
        }
        return split_parts(all, names, sections_of_part);
    }

    std::string name_or_file(std::string_view name) const {
        return name.empty() ? part_name_from_file(file_) : std::string(name);
    }

    MeshPart whole_file(const Points& all, std::string_view name) const {
        MeshPart part;
        part.name = name_or_file(name);
        part.mesh.points = all;
        part.mesh.triangles = triangulated(all, polygons_);
        if (!colours_.empty()) {
            std::vector<Index> vertices(vertices_);
            for (std::size_t v = 0; v < vertices_; ++v) {
                vertices[v] = static_cast<Index>(v);
            }
            add_colours(vertices, part.mesh);
        }
        return part;
    }

    std::vector<MeshPart> split_parts(const Points& all, const std::vector<std::string_view>& names,
                                      const std::vector<std::vector<std::size_t>>& of_part) const {
        std::vector<bool> is_used(vertices_, false);
        for (const Index corner : polygons_.corners) {
            is_used[at(corner)] = true;
        }
        std::vector<MeshPart> parts;
        std::vector<Index> place(vertices_, -1);
        for (std::size_t p = 0; p < names.size(); ++p) {
            MeshPart part = build_part(all, of_part[p], is_used, place);
            part.name = name_or_file(names[p]);
            // Vertices ahead of the first name serve the parts that use them; alone they are none.
            const bool is_part = part.mesh.points.rows() > 0 &&
                                 (part.mesh.triangles.rows() > 0 || !names[p].empty());
            if (is_part) {
                parts.push_back(std::move(part));
            }
        }
        return parts;
    }

    MeshPart build_part(const Points& all, const std::vector<std::size_t>& sections,
                        const std::vector<bool>& is_used, std::vector<Index>& place) const {
        PolygonList polygons;
        std::vector<Index> vertices;
        const auto take = [&](std::size_t v) {
            if (place[v] < 0) {
                place[v] = 0;
                vertices.push_back(static_cast<Index>(v));
            }
        };
        for (const std::size_t s : sections) {
            const std::size_t last_vertex = end_of(s, &Section::first_vertex, vertices_);
            for (std::size_t v = sections_[s].first_vertex; v < last_vertex; ++v) {
                if (!is_used[v]) {
                    take(v);
                }
            }
            const std::size_t last_face = end_of(s, &Section::first_face, polygons_.size());
            for (std::size_t f = sections_[s].first_face; f < last_face; ++f) {
                polygons.add(polygons_[f]);
                for (const Index corner : polygons_[f]) {
                    take(static_cast<std::size_t>(corner));
                }
            }
        }
        std::sort(vertices.begin(), vertices.end());
        MeshPart part;
        part.mesh.points.resize(static_cast<Eigen::Index>(vertices.size()), 3);
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            place[at(vertices[i])] = static_cast<Index>(i);
            part.mesh.points.row(static_cast<Eigen::Index>(i)) = all.row(vertices[i]);
        }
        for (Index& corner : polygons.corners) {
            corner = place[at(corner)];
        }
        part.mesh.triangles = triangulated(part.mesh.points, polygons);
        add_colours(vertices, part.mesh);
        for (const Index v : vertices) {
            place[at(v)] = -1;
        }
        return part;
    }

    void add_colours(const std::vector<Index>& vertices, TriangleMesh& mesh) const {
        if (colours_.empty()) {
            return;
        }
        const std::size_t components = has_alpha_ ? 4 : 3;
        Attribute colour{.name = std::string(kColourAttribute),
                         .components = static_cast<int>(components),
                         .values = {}};
        colour.values.reserve(components * vertices.size());
        bool has_any = false;
        for (const Index v : vertices) {
            const double* const first = colours_.data() + 4 * static_cast<std::size_t>(v);
            has_any = has_any || *first != kNoColour;
            for (std::size_t k = 0; k < components; ++k) {
                colour.values.push_back(first[k] == kNoColour ? 1.0 : first[k]);
            }
        }
        if (has_any) {
            mesh.point_data.push_back(std::move(colour));
        }
    }

    std::string_view file_;
    TextCursor cursor_;
    std::vector<double> positions_;
    std::vector<double> colours_;  // four per vertex up to the last one that had a colour
    bool has_alpha_ = false;
    PolygonList polygons_;
    std::vector<std::size_t> face_lines_;
    std::vector<Section> sections_;
    bool has_objects_ = false;
    std::vector<Index> corners_;
    std::size_t vertices_ = 0;
};

void append_vertices(std::string& out, const TriangleMesh& mesh) {
    const Attribute* colour = find_attribute(mesh.point_data, kColourAttribute);
    if (colour != nullptr && colour->components != 3 && colour->components != 4) {
        colour = nullptr;
    }
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        out += 'v';
        for (Eigen::Index k = 0; k < 3; ++k) {
            out += ' ';
            append_number(out, mesh.points(i, k));
        }
        for (int k = 0; colour != nullptr && k < colour->components; ++k) {
            out += ' ';
            append_number(out, colour->values[at(i * colour->components + k)]);
        }
        out += '\n';
    }
}

}  // namespace

std::vector<MeshPart> parse_obj(std::string_view bytes, std::string_view file) {
    return ObjReader(bytes, file).read();
}

std::string format_obj(std::span<const MeshPart> parts) {
    require_writable(parts, "OBJ");
    const std::vector<std::string> names = names_for_writing(parts);
    std::string out = "# metres, Y up\n";
    std::int64_t first = 1;
    std::int64_t first_uv = 1;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const TriangleMesh& mesh = parts[p].mesh;
        out += fmt::format("o {}\n", names[p]);
        append_vertices(out, mesh);
        const std::optional<SeamPoints> seams = seam_points(mesh);
        const auto uvs = seams ? static_cast<std::int64_t>(seams->uv.size() / 2) : 0;
        for (std::int64_t i = 0; i < uvs; ++i) {
            out += "vt ";
            append_number(out, seams->uv[2 * at(i)]);
            out += ' ';
            append_number(out, seams->uv[2 * at(i) + 1]);
            out += '\n';
        }
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            out += 'f';
            for (Eigen::Index k = 0; k < 3; ++k) {
                out += ' ';
                append_integer(out, first + mesh.triangles(t, k));
                if (seams) {
                    out += '/';
                    append_integer(out, first_uv + seams->triangles(t, k));
                }
            }
            out += '\n';
        }
        first_uv += uvs;
        first += mesh.points.rows();
    }
    return out;
}

}  // namespace sinew
