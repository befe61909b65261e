#include "sinew/io/medit.h"

#include "sinew/io/mesh_parts.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace sinew {

namespace {

class MeditReader {
public:
    MeditReader(std::string_view bytes, std::string_view file)
        : cursor_(bytes, file, {.comment = '#'}) {}

    MixedMesh read() {
        const std::string_view first = cursor_.word();
        if (first != "MeshVersionFormatted") {
            cursor_.fail(first.empty() ? "an empty file" : quoted(first),
                         "MEDIT's text form, which starts with 'MeshVersionFormatted'");
        }
        cursor_.integer("the version");
        while (!cursor_.at_end()) {
            const std::string_view keyword = cursor_.word();
            if (keyword == "End") {
                break;
            }
            read_section(keyword);
        }
        return finish();
    }

private:
    void read_section(std::string_view keyword) {
        if (keyword == "Dimension") {
            if (cursor_.integer("the dimension") != 3) {
                cursor_.fail("a mesh that is not in space", "Dimension 3");
            }
        } else if (keyword == "Vertices") {
            read_vertices();
        } else if (keyword == "Triangles") {
            read_cells(3, triangles_, triangle_refs_);
        } else if (keyword == "Quadrilaterals") {
            read_cells(4, quads_, quad_refs_);
        } else if (keyword == "Tetrahedra") {
            read_cells(4, tets_, tet_refs_);
        } else if (keyword == "Hexahedra" || keyword == "Prisms" || keyword == "Pyramids") {
            if (cursor_.integer("a number of cells") != 0) {
                cursor_.fail(fmt::format("{}", keyword), "tetrahedra and triangles only");
            }
        } else {
            skip_section(keyword);
        }
    }

    // Sections start with a letter; what they hold is numbers.
    void skip_section(std::string_view keyword) {
        if (std::isalpha(static_cast<unsigned char>(keyword.front())) == 0) {
            cursor_.fail(quoted(keyword), "the name of a section");
        }
        while (!cursor_.at_end()) {
            TextCursor ahead = cursor_;
            if (std::isalpha(static_cast<unsigned char>(ahead.word().front())) != 0) {
                return;
            }
            cursor_ = ahead;
        }
    }

    void read_vertices() {
        if (points_.rows() > 0) {
            cursor_.fail("a second list of vertices", "one");
        }
        const std::size_t count = cursor_.count("the number of vertices", 8);
        points_.resize(static_cast<Eigen::Index>(count), 3);
        for (Eigen::Index i = 0; i < points_.rows(); ++i) {
            for (int k = 0; k < 3; ++k) {
                points_(i, k) = cursor_.number("a coordinate");
            }
            cursor_.number("a reference");
        }
    }

    void read_cells(std::size_t corners, std::vector<Index>& cells, std::vector<int>& refs) {
        const std::size_t count = cursor_.count("a number of cells", 2 * (corners + 1));
        cells.reserve(cells.size() + corners * count);
        refs.reserve(refs.size() + count);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t k = 0; k < corners; ++k) {
                const std::int64_t number = cursor_.integer("a vertex number");
                // Vertices stand ahead of the cells in every known file.
                if (number < 1 || number > points_.rows()) {
                    cursor_.fail(fmt::format("vertex {} of {} vertices", number, points_.rows()),
                                 fmt::format("a number from 1 to {}", points_.rows()));
                }
                cells.push_back(static_cast<Index>(number - 1));
            }
            const std::int64_t ref = cursor_.integer("a reference");
            if (ref < std::numeric_limits<int>::min() || ref > std::numeric_limits<int>::max()) {
                cursor_.fail(fmt::format("reference {}", ref), "a number of 32 bits");
            }
            refs.push_back(static_cast<int>(ref));
        }
    }

    MixedMesh finish() {
        if (points_.rows() == 0) {
            cursor_.fail("no vertices", "a section 'Vertices'");
        }
        for (std::size_t q = 0; q < quad_refs_.size(); ++q) {
            add_triangulated(points_, std::span(quads_).subspan(4 * q, 4), triangles_);
            triangle_refs_.insert(triangle_refs_.end(), 2, quad_refs_[q]);
        }
        MixedMesh mesh;
        mesh.triangles = Eigen::Map<const Triangles>(
            triangles_.data(), static_cast<Eigen::Index>(triangles_.size() / 3), 3);
        mesh.label = std::move(triangle_refs_);
        mesh.tets.points = std::move(points_);
        mesh.tets.tets =
            Eigen::Map<const Tets>(tets_.data(), static_cast<Eigen::Index>(tets_.size() / 4), 4);
        if (std::any_of(tet_refs_.begin(), tet_refs_.end(), [](int ref) { return ref != 0; })) {
            mesh.tets.region = std::move(tet_refs_);
        }
        use_positive_orientation(mesh.tets);
        return mesh;
    }

    TextCursor cursor_;
    Points points_ = Points(0, 3);
    std::vector<Index> triangles_;
    std::vector<Index> quads_;
    std::vector<Index> tets_;
    std::vector<int> triangle_refs_;
    std::vector<int> quad_refs_;
    std::vector<int> tet_refs_;
};

std::string head_with_vertices(const Points& points) {
    std::string out =
        fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", points.rows());
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        for (int k = 0; k < 3; ++k) {
            append_number(out, points(i, k));
            out += ' ';
        }
        out += "0\n";
    }
    return out;
}

template <class Cells>
void append_cells(std::string& out, std::string_view keyword, const Cells& cells,
                  const std::vector<int>& refs) {
    out += fmt::format("{}\n{}\n", keyword, cells.rows());
    for (Eigen::Index i = 0; i < cells.rows(); ++i) {
        for (Eigen::Index k = 0; k < cells.cols(); ++k) {
            append_integer(out, std::int64_t{cells(i, k)} + 1);
            out += ' ';
        }
        append_integer(out, refs.empty() ? 0 : refs[at(i)]);
        out += '\n';
    }
}

}  // namespace

MixedMesh parse_medit(std::string_view bytes, std::string_view file) {
    return MeditReader(bytes, file).read();
}

std::string format_medit(const TetMesh& mesh) {
    require_writable(mesh, "MEDIT");
    std::string out = head_with_vertices(mesh.points);
    append_cells(out, "Tetrahedra", mesh.tets, mesh.region);
    return out + "End\n";
}

std::string format_medit(std::span<const MeshPart> parts) {
    require_writable(parts, "MEDIT");
    const TriangleMesh mesh = merged(parts);
    std::vector<int> refs;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        refs.insert(refs.end(), static_cast<std::size_t>(parts[p].mesh.triangles.rows()),
                    static_cast<int>(p) + 1);
    }
    std::string out = head_with_vertices(mesh.points);
    append_cells(out, "Triangles", mesh.triangles, refs);
    return out + "End\n";
}

}  // namespace sinew
