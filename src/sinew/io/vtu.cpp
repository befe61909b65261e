#include "sinew/io/vtu.h"

#include "sinew/base/error.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <set>

namespace sinew {

namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;  // compressed one by one

std::string xml_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(c) < 0x20 ? '_' : c;
        }
    }
    return out;
}

void append_u64(std::string& out, std::uint64_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// The XML of a grid and, behind it, the binary arrays it refers to.
class VtuWriter {
public:
    explicit VtuWriter(const VtuOptions& options) : options_(options) {}

    template <class T>
    void add_array(std::string_view name, std::string_view type, std::size_t components,
                   std::span<const T> values) {
        xml_ += fmt::format(
            "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
            "format=\"appended\" offset=\"{}\"/>\n",
            type, xml_escaped(name), components, data_.size());
        append_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    void open(std::string_view element) {
        xml_ += fmt::format("      <{}>\n", element);
    }
    void close(std::string_view element) {
        xml_ += fmt::format("      </{}>\n", element);
    }
    void add_data(std::span<const Attribute> attributes, std::set<std::string>& used) {
        for (const Attribute& a : attributes) {
            std::string name = a.name.empty() ? "data" : a.name;
            while (!used.insert(name).second) {
                name += "_";
            }
            add_array<double>(name, "Float64", static_cast<std::size_t>(a.components), a.values);
        }
    }
    std::string text(std::size_t points, std::size_t cells) const;

private:
    void append_bytes(std::string_view bytes);

    VtuOptions options_;
    std::string xml_;
    std::string data_;
};

void VtuWriter::append_bytes(std::string_view bytes) {
    if (!options_.is_compressed) {
        append_u64(data_, bytes.size());
        data_ += bytes;
        return;
    }
    // Head: number of blocks, size of a block, size of a partial last block (0: none), then the
    // compressed size of each.
    const std::uint64_t whole = bytes.size() / kBlockBytes;
    const std::uint64_t partial = bytes.size() % kBlockBytes;
    const std::uint64_t blocks = whole + (partial > 0 ? 1 : 0);
    append_u64(data_, blocks);
    append_u64(data_, kBlockBytes);
    append_u64(data_, partial);
    const std::size_t sizes_at = data_.size();
    data_.append(blocks * sizeof(std::uint64_t), '\0');
    std::string packed;
    for (std::uint64_t i = 0; i < blocks; ++i) {
        const std::string_view block = bytes.substr(i * kBlockBytes, kBlockBytes);
        uLongf size = compressBound(block.size());
        packed.resize(size);
        const int status =
            compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                      reinterpret_cast<const Bytef*>(block.data()), block.size(), Z_BEST_SPEED);
        if (status != Z_OK) {
            throw InputError({.where = "VTU data",
                              .found = fmt::format("zlib could not compress it ({})", status),
                              .needs = "memory for a block of a megabyte",
                              .remedy = "free some memory, or write without compression"});
        }
        const std::uint64_t stored = size;
        std::copy_n(reinterpret_cast<const char*>(&stored), sizeof(stored),
                    data_.data() + sizes_at + i * sizeof(stored));
        data_.append(packed, 0, size);
    }
}

// Texts are lists of the codes of their letters, each ending in 0.
std::string names_xml(const std::vector<VtuNames>& lists) {
    if (lists.empty()) {
        return "";
    }
    std::string xml = "    <FieldData>\n";
    for (const VtuNames& list : lists) {
        xml += fmt::format(
            "      <Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">\n",
            xml_escaped(list.data), list.names.size());
        for (const std::string& name : list.names) {
            xml += "        ";
            for (const char c : name) {
                xml += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
            }
            xml += "0\n";
        }
        xml += "      </Array>\n";
    }
    return xml + "    </FieldData>\n";
}

std::string VtuWriter::text(std::size_t points, std::size_t cells) const {
    return fmt::format(
               "<?xml version=\"1.0\"?>\n"
               "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
               "header_type=\"UInt64\"{}>\n"
               "  <UnstructuredGrid>\n{}"
               "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{}"
               "    </Piece>\n"
               "  </UnstructuredGrid>\n"
               "  <AppendedData encoding=\"raw\">\n   _",
               options_.is_compressed ? " compressor=\"vtkZLibDataCompressor\"" : "",
               names_xml(options_.names), points, cells, xml_) +
           data_ + "\n  </AppendedData>\n</VTKFile>\n";
}

/// Cells of one kind with `corners` points each.
std::string grid(const Points& points, std::span<const Index> connectivity, std::size_t corners,
                 std::uint8_t cell_type, const std::vector<Attribute>& point_data,
                 const std::vector<Attribute>& cell_data, std::string_view label,
                 std::span<const Index> labels, const VtuOptions& options) {
    const std::size_t cells = connectivity.size() / corners;
    VtuWriter out(options);
    std::set<std::string> used;
    out.open("PointData");
    out.add_data(point_data, used);
    out.close("PointData");
    used.clear();
    out.open("CellData");
    if (!labels.empty()) {
        used.insert(std::string(label));
        out.add_array<Index>(label, "Int32", 1, labels);
    }
    out.add_data(cell_data, used);
    out.close("CellData");
    out.open("Points");
    out.add_array<double>("Points", "Float64", 3,
                          {points.data(), static_cast<std::size_t>(points.size())});
    out.close("Points");
    out.open("Cells");
    out.add_array<Index>("connectivity", "Int32", 1, connectivity);
    std::vector<std::int64_t> offsets(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        offsets[i] = static_cast<std::int64_t>((i + 1) * corners);
    }
    out.add_array<std::int64_t>("offsets", "Int64", 1, offsets);
    const std::vector<std::uint8_t> types(cells, cell_type);
    out.add_array<std::uint8_t>("types", "UInt8", 1, types);
    out.close("Cells");
    return out.text(static_cast<std::size_t>(points.rows()), cells);
}

}  // namespace

std::string format_vtu(const TetMesh& mesh, const VtuOptions& options) {
    require_valid(mesh, "tetrahedra to be written");
    const std::vector<Index> regions(mesh.region.begin(), mesh.region.end());
    return grid(mesh.points, {mesh.tets.data(), static_cast<std::size_t>(mesh.tets.size())}, 4,
                vtk_cell::kTetra, mesh.point_data, mesh.tet_data, "region", regions, options);
}

std::string format_vtu(std::span<const MeshPart> parts, const VtuOptions& options) {
    require_writable(parts, "VTU");
    const TriangleMesh mesh = merged(parts);
    std::vector<Index> part;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        part.insert(part.end(), static_cast<std::size_t>(parts[i].mesh.triangles.rows()),
                    static_cast<Index>(i));
    }
    return grid(mesh.points,
                {mesh.triangles.data(), static_cast<std::size_t>(mesh.triangles.size())}, 3,
                vtk_cell::kTriangle, mesh.point_data, mesh.triangle_data, "part", part, options);
}

void write_vtu(const std::filesystem::path& path, const TetMesh& mesh, const VtuOptions& options) {
    write_file_bytes(path, format_vtu(mesh, options));
}

void write_vtu(const std::filesystem::path& path, std::span<const MeshPart> parts,
               const VtuOptions& options) {
    write_file_bytes(path, format_vtu(parts, options));
}

void write_pvd(const std::filesystem::path& path, std::span<const double> times,
               std::span<const std::string> files) {
    SINEW_ASSERT(times.size() == files.size(), "{} times, {} files", times.size(), files.size());
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n <Collection>\n";
    for (std::size_t i = 0; i < times.size(); ++i) {
        text += fmt::format("  <DataSet timestep=\"{}\" file=\"{}\"/>\n", times[i], files[i]);
    }
    write_file_bytes(path, text + " </Collection>\n</VTKFile>\n");
}

}  // namespace sinew
