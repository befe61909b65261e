#include "sinew/base/error.h"
#include "sinew/io/base64.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"
#include "sinew/io/vtu.h"
#include "sinew/io/xml_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

namespace sinew {

namespace {

constexpr std::uint64_t kMostUnpacked = std::uint64_t{2} << 30;  // bytes of one array

// zlib packs by at most a factor of about a thousand.
constexpr std::uint64_t kMostPacking = 2000;

std::string_view without_blanks_before(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// A grid in the XML formats of VTK, as ParaView, Gmsh and meshio write it.
class VtuReader {
public:
    VtuReader(std::string_view bytes, std::string_view file) : file_name_(file) {
        // Data behind the XML may be any bytes, so the XML is closed before them.
        const std::size_t appended = bytes.find("<AppendedData");
        std::string head(bytes.substr(0, appended));
        if (appended != std::string_view::npos) {
            head += "</VTKFile>";
            const std::size_t tag_end = bytes.find('>', appended);
            const std::size_t begin = bytes.find('_', std::min(tag_end, bytes.size()));
            if (begin == std::string_view::npos) {
                refuse("appended data without their mark '_'", "data behind a '_'");
            }
            const std::string_view tag = bytes.substr(appended, tag_end - appended);
            is_raw_ = tag.find("base64") == std::string_view::npos;
            appended_ = bytes.substr(begin + 1);
        }
        xml_.emplace(std::move(head), std::string(file));
    }

    MixedMesh read();

private:
    [[noreturn]] void refuse(std::string found, std::string needs) const {
        throw InputError(
            {.where = file_name_,
             .found = std::move(found),
             .needs = std::move(needs),
             .remedy = "write the file again, from ParaView as 'XML unstructured grid'"});
    }
    std::uint64_t header(ByteReader& reader) const {
        return has_wide_headers_ ? reader.get<std::uint64_t>("size of data")
                                 : reader.get<std::uint32_t>("size of data");
    }
    std::size_t header_bytes() const {
        return has_wide_headers_ ? 8 : 4;
    }
    void read_conventions(const pugi::xml_node& root);
    std::string unpacked(std::string_view head, std::string_view data) const;
    std::string bytes_of(const pugi::xml_node& array) const;
    std::vector<double> values_of(const pugi::xml_node& array) const;
    std::vector<double> need_array(const pugi::xml_node& parent, const char* name) const;
    std::size_t count_of(const pugi::xml_node& piece, const char* attribute) const;
    void add_cells(const pugi::xml_node& piece, std::size_t cells);
    void add_cell(int type, std::span<const Index> corners, std::size_t cell);
    std::size_t add_polygons(const pugi::xml_node& piece);
    std::vector<Index> corner_numbers(const pugi::xml_node& node,
                                      const std::vector<double>& connectivity) const;
    void add_cell_data(const pugi::xml_node& piece, std::size_t cells);
    std::vector<Attribute> data_of(const pugi::xml_node& parent, std::size_t items) const;

    std::string file_name_;
    std::optional<XmlFile> xml_;
    std::string_view appended_;
    bool is_raw_ = true;
    bool is_swapped_ = false;
    bool has_wide_headers_ = false;
    bool is_packed_ = false;
    bool is_surface_ = false;  // polygons, as bones of OpenSim's models are kept (.vtp)
    MixedMesh mesh_;
    std::vector<Index> tets_;       // four corners each
    std::vector<Index> triangles_;  // three corners each
    std::vector<std::size_t> cell_of_tet_;
    std::vector<std::size_t> cell_of_triangle_;
};

void VtuReader::read_conventions(const pugi::xml_node& root) {
    const std::string_view type = root.attribute("type").value();
    is_surface_ = type == "PolyData";
    if (std::strcmp(root.name(), "VTKFile") != 0 || (!is_surface_ && type != "UnstructuredGrid")) {
        refuse(fmt::format("<{} type=\"{}\">", root.name(), type),
               "<VTKFile type=\"UnstructuredGrid\"> or \"PolyData\"");
    }
    is_swapped_ = std::strcmp(root.attribute("byte_order").value(), "BigEndian") == 0;
    has_wide_headers_ = std::strcmp(root.attribute("header_type").value(), "UInt64") == 0;
    const std::string packer = root.attribute("compressor").value();
    is_packed_ = !packer.empty();
    if (is_packed_ && packer != "vtkZLibDataCompressor") {
        refuse(fmt::format("data packed by {}", sinew::quoted(packer)),
               "zlib, or data that are not packed");
    }
}

// @param head  where the numbers of the blocks stand, at its beginning
// @param data  the blocks
std::string VtuReader::unpacked(std::string_view head, std::string_view data) const {
    ByteReader reader(head, file_name_, is_swapped_);
    const std::uint64_t blocks = header(reader);
    const std::uint64_t block_bytes = header(reader);
    const std::uint64_t last_bytes = header(reader);
    reader.need_items(blocks, header_bytes(), "blocks");
    if (blocks == 0) {
        return {};
    }
    if (block_bytes > kMostUnpacked || last_bytes > block_bytes ||
        blocks > kMostUnpacked / std::max<std::uint64_t>(1, block_bytes) ||
        blocks * block_bytes / kMostPacking > data.size() + block_bytes) {
        reader.fail(fmt::format("{} blocks of {} bytes", blocks, block_bytes),
                    "as much as is there");
    }
    std::string all;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < blocks; ++i) {
        const std::uint64_t packed = header(reader);
        auto size =
            static_cast<uLongf>(i + 1 == blocks && last_bytes > 0 ? last_bytes : block_bytes);
        if (packed > data.size() - at || size / kMostPacking > packed) {
            reader.fail(fmt::format("block {} of {} bytes", i, packed), "the whole block");
        }
        const std::size_t begin = all.size();
        const uLongf wanted = size;
        all.resize(begin + size);
        if (uncompress(reinterpret_cast<Bytef*>(all.data() + begin), &size,
                       reinterpret_cast<const Bytef*>(data.data() + at),
                       static_cast<uLong>(packed)) != Z_OK ||
            size != wanted) {
            reader.fail(fmt::format("block {} cannot be unpacked", i), "zlib data");
        }
        at += packed;
    }
    return all;
}

std::string VtuReader::bytes_of(const pugi::xml_node& array) const {
    const bool is_appended = std::strcmp(array.attribute("format").value(), "appended") == 0;
    std::string_view source;
    if (is_appended) {
        const std::uint64_t offset = array.attribute("offset").as_ullong(0);
        if (offset > appended_.size()) {
            xml_->fail(array, fmt::format("offset {} beyond the appended data", offset),
                       "data in the file");
        }
        source = appended_.substr(offset);
    } else {
        source = without_blanks_before(array.child_value());
    }
    if (is_appended && is_raw_) {
        ByteReader reader(source, file_name_, is_swapped_);
        if (is_packed_) {
            const std::uint64_t blocks = header(reader);
            reader.need_items(blocks, header_bytes(), "blocks");
            reader.need((2 + blocks) * header_bytes(), "sizes of blocks");
            return unpacked(source, source.substr((3 + blocks) * header_bytes()));
        }
        const std::uint64_t size = header(reader);
        reader.need_items(size, 1, "bytes");
        return std::string(reader.here(), size);
    }
    std::size_t used = 0;
    const std::string first = decode_base64(source, used);
    if (is_packed_) {
        // Sizes and blocks are encoded apart.
        const std::string data = decode_base64(source.substr(used), used);
        return unpacked(first, data);
    }
    ByteReader reader(first, file_name_, is_swapped_);
    const std::uint64_t size = header(reader);
    reader.need_items(size, 1, "bytes");
    return std::string(reader.here(), size);
}

template <class Number>
std::vector<double> numbers_of_type(std::string_view bytes, bool is_swapped) {
    std::vector<double> values(bytes.size() / sizeof(Number));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            static_cast<double>(load_number<Number>(bytes.data() + i * sizeof(Number), is_swapped));
    }
    return values;
}

std::vector<double> VtuReader::values_of(const pugi::xml_node& array) const {
    const std::string format = array.attribute("format").as_string("ascii");
    if (format == "ascii") {
        return xml_->numbers(array);
    }
    using Read = std::vector<double> (*)(std::string_view, bool);
    static constexpr std::pair<const char*, Read> kTypes[] = {
        {"Float64", numbers_of_type<double>},     {"Float32", numbers_of_type<float>},
        {"Int64", numbers_of_type<std::int64_t>}, {"UInt64", numbers_of_type<std::uint64_t>},
        {"Int32", numbers_of_type<std::int32_t>}, {"UInt32", numbers_of_type<std::uint32_t>},
        {"Int16", numbers_of_type<std::int16_t>}, {"UInt16", numbers_of_type<std::uint16_t>},
        {"Int8", numbers_of_type<std::int8_t>},   {"UInt8", numbers_of_type<std::uint8_t>}};
    for (const auto& [name, read] : kTypes) {
        if (std::strcmp(array.attribute("type").value(), name) == 0) {
            return read(bytes_of(array), is_swapped_);
        }
    }
    xml_->fail(array,
               fmt::format("numbers of type {}", sinew::quoted(array.attribute("type").value())),
               "Float32, Float64, or whole numbers of 8 to 64 bits");
}

std::vector<double> VtuReader::need_array(const pugi::xml_node& parent, const char* name) const {
    for (const pugi::xml_node& array : parent.children("DataArray")) {
        if (name == nullptr || std::strcmp(array.attribute("Name").value(), name) == 0) {
            return values_of(array);
        }
    }
    xml_->fail(parent, fmt::format("no data {}", name == nullptr ? "of points" : name), "it");
}

std::size_t VtuReader::count_of(const pugi::xml_node& piece, const char* attribute) const {
    const std::uint64_t count = piece.attribute(attribute).as_ullong(0);
    constexpr std::uint64_t kMost = std::numeric_limits<Index>::max() / 8;
    if (count > kMost) {
        xml_->fail(piece, fmt::format("{} = {}", attribute, count),
                   fmt::format("at most {}", kMost));
    }
    return count;
}

void VtuReader::add_cell(int type, std::span<const Index> corners, std::size_t cell) {
    const auto add_triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
        triangles_.insert(triangles_.end(), {corners[a], corners[b], corners[c]});
        cell_of_triangle_.push_back(cell);
    };
    if (type == vtk_cell::kTetra && corners.size() == 4) {
        tets_.insert(tets_.end(), corners.begin(), corners.end());
        cell_of_tet_.push_back(cell);
    } else if (type == vtk_cell::kTriangle && corners.size() == 3) {
        add_triangle(0, 1, 2);
    } else if (type == vtk_cell::kQuad && corners.size() == 4) {
        add_triangle(0, 1, 2);
        add_triangle(0, 2, 3);
    } else if (type != vtk_cell::kVertex && type != vtk_cell::kLine) {
        refuse(fmt::format("cell {} of type {} with {} points", cell, type, corners.size()),
               "tetrahedra (10), triangles (5) and quadrilaterals (9)");
    }
}

void VtuReader::add_cells(const pugi::xml_node& piece, std::size_t cells) {
    const pugi::xml_node node = xml_->need(piece, "Cells");
    const std::vector<double> connectivity = need_array(node, "connectivity");
    const std::vector<double> offsets = need_array(node, "offsets");
    const std::vector<double> types = need_array(node, "types");
    if (offsets.size() != cells || types.size() != cells) {
        xml_->fail(node, fmt::format("{} offsets and {} types", offsets.size(), types.size()),
                   fmt::format("{} of each", cells));
    }
    const auto points = static_cast<double>(mesh_.tets.points.rows());
    std::size_t begin = 0;
    std::vector<Index> corners;
    for (std::size_t c = 0; c < cells; ++c) {
        if (!(offsets[c] >= static_cast<double>(begin) &&
              offsets[c] <= static_cast<double>(connectivity.size())) ||
            !(types[c] >= 0.0 && types[c] <= 255.0)) {
            xml_->fail(node, fmt::format("cell {} ends at {}", c, offsets[c]),
                       "offsets that ascend, to the end of the connectivity");
        }
        const auto end = static_cast<std::size_t>(offsets[c]);
        corners.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (!(connectivity[i] >= 0.0 && connectivity[i] < points)) {
                xml_->fail(node, fmt::format("cell {} has point {}", c, connectivity[i]),
                           fmt::format("points below {}", points));
            }
            corners.push_back(static_cast<Index>(connectivity[i]));
        }
        add_cell(static_cast<int>(types[c]), corners, c);
        begin = end;
    }
}

std::vector<Index> VtuReader::corner_numbers(const pugi::xml_node& node,
                                             const std::vector<double>& connectivity) const {
    const auto points = static_cast<double>(mesh_.tets.points.rows());
    std::vector<Index> out;
    out.reserve(connectivity.size());
    for (const double corner : connectivity) {
        if (!(corner >= 0.0 && corner < points)) {
            xml_->fail(node, fmt::format("point {}", corner),
                       fmt::format("points below {}", points));
        }
        out.push_back(static_cast<Index>(corner));
    }
    return out;
}

// Polygons and strips of triangles. Returns how many cells there are, points and lines included.
std::size_t VtuReader::add_polygons(const pugi::xml_node& piece) {
    std::size_t cell = count_of(piece, "NumberOfVerts") + count_of(piece, "NumberOfLines");
    for (const char* kind : {"Strips", "Polys"}) {
        const bool is_strip = std::strcmp(kind, "Strips") == 0;
        const std::size_t count = count_of(piece, is_strip ? "NumberOfStrips" : "NumberOfPolys");
        const pugi::xml_node node = piece.child(kind);
        if (count == 0 || !node) {
            continue;
        }
        const std::vector<Index> corners = corner_numbers(node, need_array(node, "connectivity"));
        const std::vector<double> offsets = need_array(node, "offsets");
        if (offsets.size() != count) {
            xml_->fail(node, fmt::format("{} offsets", offsets.size()), fmt::format("{}", count));
        }
        std::size_t begin = 0;
        for (const double offset : offsets) {
            if (!(offset >= static_cast<double>(begin) &&
                  offset <= static_cast<double>(corners.size()))) {
                xml_->fail(node, fmt::format("a polygon that ends at {}", offset),
                           "offsets that ascend, to the end of the connectivity");
            }
            const auto end = static_cast<std::size_t>(offset);
            const auto polygon = std::span(corners).subspan(begin, end - begin);
            const std::size_t before = triangles_.size();
            if (is_strip) {
                for (std::size_t k = 0; k + 2 < polygon.size(); ++k) {
                    const std::size_t odd = k % 2;
                    triangles_.insert(triangles_.end(),
                                      {polygon[k], polygon[k + 1 + odd], polygon[k + 2 - odd]});
                }
            } else if (polygon.size() >= 3) {
                add_triangulated(mesh_.tets.points, polygon, triangles_);
            }
            cell_of_triangle_.resize(cell_of_triangle_.size() + (triangles_.size() - before) / 3,
                                     cell);
            begin = end;
            ++cell;
        }
    }
    return cell;
}

std::vector<Attribute> VtuReader::data_of(const pugi::xml_node& parent, std::size_t items) const {
    std::vector<Attribute> data;
    for (const pugi::xml_node& array : parent.children("DataArray")) {
        const int components = array.attribute("NumberOfComponents").as_int(1);
        Attribute a{.name = array.attribute("Name").value(),
                    .components = components,
                    .values = values_of(array)};
        if (components < 1 || a.values.size() / static_cast<std::size_t>(components) != items ||
            a.values.size() % static_cast<std::size_t>(components) != 0) {
            xml_->fail(array, fmt::format("{} numbers", a.values.size()),
                       fmt::format("{} items of {} numbers", items, components));
        }
        data.push_back(std::move(a));
    }
    return data;
}

// Whole numbers that an int holds, such as regions.
bool are_labels(const Attribute& a) {
    constexpr double kMost = std::numeric_limits<int>::max();
    return a.components == 1 && std::all_of(a.values.begin(), a.values.end(), [](double v) {
               return std::abs(v) <= kMost && v == std::floor(v);
           });
}

void VtuReader::add_cell_data(const pugi::xml_node& piece, std::size_t cells) {
    mesh_.label.assign(cell_of_triangle_.size(), 0);
    for (const Attribute& a : data_of(piece.child("CellData"), cells)) {
        if (a.name == "region" && mesh_.tets.region.empty() && are_labels(a)) {
            for (const std::size_t cell : cell_of_tet_) {
                mesh_.tets.region.push_back(static_cast<int>(a.values[cell]));
            }
        } else if (!cell_of_tet_.empty()) {
            Attribute some{.name = a.name, .components = a.components, .values = {}};
            const auto width = static_cast<std::ptrdiff_t>(a.components);
            for (const std::size_t cell : cell_of_tet_) {
                const auto first = a.values.begin() + static_cast<std::ptrdiff_t>(cell) * width;
                some.values.insert(some.values.end(), first, first + width);
            }
            mesh_.tets.tet_data.push_back(std::move(some));
        }
        if (a.name == "part" && are_labels(a)) {
            for (std::size_t t = 0; t < cell_of_triangle_.size(); ++t) {
                mesh_.label[t] = static_cast<int>(a.values[cell_of_triangle_[t]]);
            }
        }
    }
}

MixedMesh VtuReader::read() {
    const pugi::xml_node root = xml_->root();
    read_conventions(root);
    const pugi::xml_node grid = xml_->need(root, is_surface_ ? "PolyData" : "UnstructuredGrid");
    const pugi::xml_node piece = xml_->need(grid, "Piece");
    if (piece.next_sibling("Piece")) {
        xml_->fail(piece.next_sibling("Piece"), "a second piece", "one piece");
    }
    const std::size_t points = count_of(piece, "NumberOfPoints");
    std::size_t cells = count_of(piece, "NumberOfCells");
    const std::vector<double> places = need_array(xml_->need(piece, "Points"), nullptr);
    if (places.size() != 3 * points) {
        xml_->fail(piece, fmt::format("{} coordinates", places.size()),
                   fmt::format("three for each of {} points", points));
    }
    mesh_.tets.points.resize(static_cast<Eigen::Index>(points), 3);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!std::isfinite(places[i])) {
            refuse(fmt::format("point {} at {}", i / 3, places[i]), "finite coordinates");
        }
        mesh_.tets.points.data()[i] = places[i];
    }
    if (is_surface_) {
        cells = add_polygons(piece);
    } else {
        add_cells(piece, cells);
    }
    const auto tets = static_cast<Eigen::Index>(cell_of_tet_.size());
    const auto triangles = static_cast<Eigen::Index>(cell_of_triangle_.size());
    mesh_.tets.tets = Eigen::Map<const Tets>(tets_.data(), tets, 4);
    mesh_.triangles = Eigen::Map<const Triangles>(triangles_.data(), triangles, 3);
    mesh_.tets.point_data = data_of(piece.child("PointData"), points);
    add_cell_data(piece, cells);
    use_positive_orientation(mesh_.tets);
    return std::move(mesh_);
}

}  // namespace

MixedMesh parse_vtu(std::string_view bytes, std::string_view file) {
    return VtuReader(bytes, file).read();
}

}  // namespace sinew
