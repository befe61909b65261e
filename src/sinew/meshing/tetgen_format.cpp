#include "sinew/meshing/tetgen_format.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace sinew {

namespace {

// Safe to print, and not long.
std::string shortened(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 32)) {
        text += c >= 0x20 && c < 0x7f ? c : '?';
    }
    return text;
}

// Rows of words; comments (# to the end of the line) and empty lines are passed over.
class Rows {
public:
    Rows(std::string_view text, std::string_view where) : text_(text), where_(where) {}

    // False at the end of the text.
    bool next() {
        words_.clear();
        at_ = 0;
        while (position_ < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', position_), text_.size());
            std::string_view row = text_.substr(position_, end - position_);
            position_ = end + 1;
            ++line_;
            row = row.substr(0, row.find('#'));
            split(row);
            if (!words_.empty()) {
                return true;
            }
        }
        ++line_;
        return false;
    }

    void need_next(std::string_view what) {
        if (!next()) {
            fail("the end of the text", fmt::format("{}", what),
                 "write the file again; it is truncated");
        }
    }

    std::size_t words() const {
        return words_.size();
    }
    std::size_t left() const {
        return words_.size() - at_;
    }

    double number(std::string_view what) {
        std::string_view word = take(what);
        if (word.starts_with('+')) {
            word.remove_prefix(1);
        }
        double value = 0.0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
            fail(fmt::format("'{}'", shortened(word)), fmt::format("{}: a finite number", what),
                 "correct this line or write the file again");
        }
        return value;
    }

    long long whole(std::string_view what, long long low, long long high) {
        std::string_view word = take(what);
        long long value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < low ||
            value > high) {
            fail(fmt::format("'{}'", shortened(word)),
                 fmt::format("{}: a whole number from {} to {}", what, low, high),
                 "correct this line or write the file again");
        }
        return value;
    }

    // A count that the rest of the text can hold: every item takes two characters at least.
    Eigen::Index count(std::string_view what) {
        const auto value = whole(what, 0, std::numeric_limits<Index>::max());
        const std::size_t room = text_.size() - std::min(position_, text_.size());
        if (static_cast<std::size_t>(value) > room / 2 + 1) {
            fail(fmt::format("{} announced with {} bytes to come", value, room),
                 fmt::format("{}: a count that fits the text", what),
                 "write the file again; it is truncated or damaged");
        }
        return static_cast<Eigen::Index>(value);
    }

    void need_end() {
        if (next()) {
            fail(fmt::format("'{}' after the last row", shortened(words_.front())),
                 "the end of the text", "correct the count at the top or remove the extra rows");
        }
    }

    [[noreturn]] void fail(std::string found, std::string needs, std::string remedy) const {
        throw InputError({.where = fmt::format("{}, line {}", where_, line_),
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = std::move(remedy)});
    }

private:
    std::string_view take(std::string_view what) {
        if (at_ >= words_.size()) {
            fail(fmt::format("{} words", words_.size()),
                 fmt::format("{} as word {}", what, at_ + 1),
                 "complete this line or write the file again");
        }
        return words_[at_++];
    }

    void split(std::string_view row) {
        constexpr std::string_view kBlank = " \t\r\v\f";
        std::size_t i = row.find_first_not_of(kBlank);
        while (i != std::string_view::npos) {
            const std::size_t end = std::min(row.find_first_of(kBlank, i), row.size());
            words_.push_back(row.substr(i, end - i));
            i = row.find_first_not_of(kBlank, end);
        }
    }

    std::string_view text_;
    std::string_view where_;
    std::size_t position_ = 0;
    std::size_t line_ = 0;
    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
};

constexpr long long kMaxColumns = 1000;
constexpr auto kMaxIndex = static_cast<long long>(std::numeric_limits<Index>::max());

int read_marker(Rows& rows) {
    constexpr long long kMaxInt = std::numeric_limits<int>::max();
    return static_cast<int>(rows.whole("boundary marker", -kMaxInt, kMaxInt));
}

std::vector<Attribute> named_attributes(long long columns) {
    std::vector<Attribute> attributes;
    for (long long k = 0; k < columns; ++k) {
        attributes.push_back({fmt::format("attribute_{}", k + 1), 1, {}, {}});
    }
    return attributes;
}

// The row's own number; rows must be in order, counted from `first`.
void read_number(Rows& rows, Eigen::Index i, Index first, std::string_view what) {
    rows.whole(what, i + first, i + first);
}

Index read_vertex(Rows& rows, Index first, Eigen::Index points) {
    return static_cast<Index>(rows.whole("point number", first, points + first - 1)) - first;
}

// The rows of points, after their header has been fetched.
NodeText read_nodes(Rows& rows) {
    NodeText result;
    const Eigen::Index n = rows.count("number of points");
    if (rows.left() > 0) {
        rows.whole("dimension", 3, 3);
    }
    const long long columns = rows.left() ? rows.whole("number of attributes", 0, kMaxColumns) : 0;
    const bool has_markers = rows.left() && rows.whole("boundary markers (0 or 1)", 0, 1) == 1;
    result.attributes = named_attributes(columns);
    std::vector<double> xyz;
    for (Eigen::Index i = 0; i < n; ++i) {
        rows.need_next(fmt::format("{} points, the header says; point {}", n, i));
        if (i == 0) {
            result.first = static_cast<Index>(rows.whole("number of the first point", 0, 1));
        } else {
            read_number(rows, i, result.first, "number of the point");
        }
        for (int k = 0; k < 3; ++k) {
            xyz.push_back(rows.number("coordinate"));
        }
        for (Attribute& a : result.attributes) {
            a.values.push_back(rows.number("attribute"));
        }
        if (has_markers) {
            result.markers.push_back(read_marker(rows));
        }
    }
    result.points = Eigen::Map<const Points>(xyz.data(), n, 3);
    return result;
}

void read_holes_and_regions(Rows& rows, PolyText& result) {
    if (!rows.next()) {
        return;
    }
    const Eigen::Index holes = rows.count("number of holes");
    for (Eigen::Index i = 0; i < holes; ++i) {
        rows.need_next("a hole");
        rows.whole("number of the hole", 0, kMaxIndex);
        const double x = rows.number("coordinate");
        const double y = rows.number("coordinate");
        result.holes.emplace_back(x, y, rows.number("coordinate"));
    }
    if (!rows.next()) {
        return;
    }
    const Eigen::Index regions = rows.count("number of regions");
    for (Eigen::Index i = 0; i < regions; ++i) {
        rows.need_next("a region");
        rows.whole("number of the region", 0, kMaxIndex);
        RegionSeed seed;
        for (int k = 0; k < 3; ++k) {
            seed.at[k] = rows.number("coordinate");
        }
        seed.attribute = rows.left() ? rows.number("region attribute") : 0.0;
        seed.max_volume = rows.left() ? rows.number("largest volume") : -1.0;
        result.regions.push_back(seed);
    }
}

// "corners v1 v2 ...", going on over as many lines as it takes.
std::vector<Index> read_polygon(Rows& rows, Index first, Eigen::Index points) {
    const Eigen::Index corners = rows.count("number of corners");
    std::vector<Index> polygon;
    while (static_cast<Eigen::Index>(polygon.size()) < corners) {
        if (rows.left() == 0) {
            rows.need_next("more corners of the polygon");
        }
        polygon.push_back(read_vertex(rows, first, points));
    }
    return polygon;
}

struct PointSource {
    Eigen::Index points;
    Index first;
};

PointSource read_points_part(Rows& rows, PolyText& result, PointSource outside) {
    rows.need_next("the number of points");
    NodeText nodes = read_nodes(rows);
    if (nodes.points.rows() == 0) {
        return outside;
    }
    result.points = std::move(nodes.points);
    return {result.points.rows(), nodes.first};
}

/// One element a line: what `name` calls it, its corners, its mark where there are marks.
template <class Elements, class Name>
void append_elements(std::string& out, const Elements& elements, const std::vector<int>& marks,
                     const Name& name) {
    for (Eigen::Index e = 0; e < elements.rows(); ++e) {
        out += std::to_string(name(e));
        for (Eigen::Index k = 0; k < elements.cols(); ++k) {
            out += ' ' + std::to_string(elements(e, k));
        }
        if (!marks.empty()) {
            out += ' ' + std::to_string(marks[at(e)]);
        }
        out.push_back('\n');
    }
}

Eigen::Index own_number(Eigen::Index element) {
    return element;
}

void append_points(std::string& out, const Points& points) {
    out += fmt::format("{} 3 0 0\n", points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        out += fmt::format("{} {} {} {}\n", i, points(i, 0), points(i, 1), points(i, 2));
    }
}

double signed_volume(const TetMesh& mesh, Eigen::Index t) {
    const Vec3 a = point(mesh.points, mesh.tets(t, 0));
    return (point(mesh.points, mesh.tets(t, 1)) - a)
        .cross(point(mesh.points, mesh.tets(t, 2)) - a)
        .dot(point(mesh.points, mesh.tets(t, 3)) - a);
}

}  // namespace

NodeText parse_node(std::string_view text, std::string_view where) {
    Rows rows(text, where);
    rows.need_next("the number of points");
    NodeText result = read_nodes(rows);
    rows.need_end();
    return result;
}

EleText parse_ele(std::string_view text, Index first, Eigen::Index points, std::string_view where) {
    Rows rows(text, where);
    rows.need_next("the number of tetrahedra");
    const Eigen::Index n = rows.count("number of tetrahedra");
    const long long corners = rows.left() ? rows.whole("corners per tetrahedron", 4, 10) : 4;
    if (corners != 4 && corners != 10) {
        rows.fail(fmt::format("{} corners per tetrahedron", corners), "4 or 10",
                  "correct the first line");
    }
    const long long columns = rows.left() ? rows.whole("number of attributes", 0, kMaxColumns) : 0;
    EleText result;
    result.attributes = named_attributes(columns);
    std::vector<Index> corner;
    for (Eigen::Index t = 0; t < n; ++t) {
        rows.need_next(fmt::format("{} tetrahedra, the header says; tetrahedron {}", n, t));
        rows.whole("number of the tetrahedron", 0, kMaxIndex);
        for (long long k = 0; k < corners; ++k) {
            const Index v = read_vertex(rows, first, points);
            if (k < 4) {
                corner.push_back(v);
            }
        }
        for (Attribute& a : result.attributes) {
            a.values.push_back(rows.number("attribute"));
        }
    }
    rows.need_end();
    result.tets = Eigen::Map<const Tets>(corner.data(), n, 4);
    return result;
}

FaceText parse_face(std::string_view text, Index first, Eigen::Index points,
                    std::string_view where) {
    Rows rows(text, where);
    rows.need_next("the number of triangles");
    const Eigen::Index n = rows.count("number of triangles");
    const bool has_markers = rows.left() && rows.whole("boundary markers (0 or 1)", 0, 1) == 1;
    FaceText result;
    std::vector<Index> corner;
    for (Eigen::Index t = 0; t < n; ++t) {
        rows.need_next(fmt::format("{} triangles, the header says; triangle {}", n, t));
        rows.whole("number of the triangle", 0, kMaxIndex);
        for (int k = 0; k < 3; ++k) {
            corner.push_back(read_vertex(rows, first, points));
        }
        if (has_markers) {
            result.markers.push_back(read_marker(rows));
        }
    }
    rows.need_end();
    result.triangles = Eigen::Map<const Triangles>(corner.data(), n, 3);
    return result;
}

PolyText parse_poly(std::string_view text, std::string_view where, Eigen::Index points,
                    Index first) {
    Rows rows(text, where);
    PolyText result;
    const PointSource source = read_points_part(rows, result, {points, first});
    rows.need_next("the number of facets");
    const Eigen::Index n = rows.count("number of facets");
    const bool has_markers = rows.left() && rows.whole("boundary markers (0 or 1)", 0, 1) == 1;
    for (Eigen::Index f = 0; f < n; ++f) {
        rows.need_next(fmt::format("{} facets, the header says; facet {}", n, f));
        const Eigen::Index polygons = rows.count("number of polygons");
        const Eigen::Index holes = rows.left() ? rows.count("number of holes in the facet") : 0;
        const int marker = has_markers && rows.left() ? read_marker(rows) : 0;
        for (Eigen::Index k = 0; k < polygons; ++k) {
            rows.need_next("a polygon");
            result.polygons.push_back(read_polygon(rows, source.first, source.points));
            result.markers.push_back(marker);
        }
        for (Eigen::Index k = 0; k < holes; ++k) {
            rows.need_next("a hole of the facet");
        }
    }
    read_holes_and_regions(rows, result);
    return result;
}

PolyText parse_smesh(std::string_view text, std::string_view where, Eigen::Index points,
                     Index first) {
    Rows rows(text, where);
    PolyText result;
    const PointSource source = read_points_part(rows, result, {points, first});
    rows.need_next("the number of facets");
    const Eigen::Index n = rows.count("number of facets");
    const bool has_markers = rows.left() && rows.whole("boundary markers (0 or 1)", 0, 1) == 1;
    for (Eigen::Index f = 0; f < n; ++f) {
        rows.need_next(fmt::format("{} facets, the header says; facet {}", n, f));
        result.polygons.push_back(read_polygon(rows, source.first, source.points));
        result.markers.push_back(has_markers && rows.left() ? read_marker(rows) : 0);
    }
    read_holes_and_regions(rows, result);
    return result;
}

TetMesh parse_tetgen(std::string_view node_text, std::string_view ele_text,
                     std::string_view where) {
    NodeText nodes = parse_node(node_text, fmt::format("{}.node", where));
    EleText elements =
        parse_ele(ele_text, nodes.first, nodes.points.rows(), fmt::format("{}.ele", where));
    TetMesh mesh;
    mesh.points = std::move(nodes.points);
    mesh.tets = std::move(elements.tets);
    mesh.point_data = std::move(nodes.attributes);
    mesh.tet_data = std::move(elements.attributes);
    // The first attribute is the region where it looks like a label.
    if (!mesh.tet_data.empty()) {
        const std::vector<double>& value = mesh.tet_data.front().values;
        const bool are_labels = std::all_of(value.begin(), value.end(), [](double x) {
            return std::abs(x) < 1e9 && x == std::round(x);
        });
        if (are_labels) {
            mesh.region.assign(value.begin(), value.end());
            mesh.tet_data.erase(mesh.tet_data.begin());
        }
    }
    // TetGen's own files look the other way round from the convention here.
    bool are_all_negative = mesh.tets.rows() > 0;
    for (Eigen::Index t = 0; t < mesh.tets.rows() && are_all_negative; ++t) {
        are_all_negative = signed_volume(mesh, t) < 0.0;
    }
    if (are_all_negative) {
        mesh.tets.col(2).swap(mesh.tets.col(3));
    }
    return mesh;
}

std::string format_node(const Points& points) {
    std::string out;
    append_points(out, points);
    return out;
}

std::string format_ele(const Tets& tets, const std::vector<int>& region) {
    std::string out;
    out += fmt::format("{} 4 {}\n", tets.rows(), region.empty() ? 0 : 1);
    append_elements(out, tets, region, own_number);
    return out;
}

std::string format_face(const Triangles& triangles, const std::vector<int>& markers) {
    std::string out;
    out += fmt::format("{} {}\n", triangles.rows(), markers.empty() ? 0 : 1);
    append_elements(out, triangles, markers, own_number);
    return out;
}

std::string format_smesh(const Points& points, const Triangles& triangles,
                         const std::vector<int>& markers, const std::vector<Vec3>& holes,
                         const std::vector<RegionSeed>& regions) {
    std::string out;
    append_points(out, points);
    out += fmt::format("{} {}\n", triangles.rows(), markers.empty() ? 0 : 1);
    append_elements(out, triangles, markers, [](Eigen::Index) { return 3; });  // corners
    out += fmt::format("{}\n", holes.size());
    for (std::size_t i = 0; i < holes.size(); ++i) {
        out += fmt::format("{} {} {} {}\n", i, holes[i].x(), holes[i].y(), holes[i].z());
    }
    out += fmt::format("{}\n", regions.size());
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const RegionSeed& r = regions[i];
        out += fmt::format("{} {} {} {} {} {}\n", i, r.at.x(), r.at.y(), r.at.z(), r.attribute,
                           r.max_volume);
    }
    return out;
}

}  // namespace sinew
