#include "sinew/io/msh.h"

#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace sinew {

namespace {

// Numbers of one section, as text or binary.
class Numbers {
public:
    Numbers(TextCursor& cursor, std::string_view bytes, std::string_view file, bool is_binary,
            bool is_swapped)
        : cursor_(cursor) {
        if (is_binary) {
            reader_.emplace(bytes, file, is_swapped, cursor.offset());
        }
    }

    int tag(std::string_view what) {
        if (reader_) {
            return reader_->get<std::int32_t>(what);
        }
        const std::int64_t value = cursor_.integer(what);
        if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
            cursor_.fail(fmt::format("{} as {}", value, what), "a number of 32 bits");
        }
        return static_cast<int>(value);
    }
    std::uint64_t size(std::string_view what) {
        if (reader_) {
            return reader_->get<std::uint64_t>(what);
        }
        const std::int64_t value = cursor_.integer(what);
        if (value < 0) {
            cursor_.fail(fmt::format("{} as {}", value, what), "a number from 0");
        }
        return static_cast<std::uint64_t>(value);
    }
    double real(std::string_view what) {
        if (!reader_) {
            return cursor_.number(what);
        }
        const double value = reader_->get<double>(what);
        if (!std::isfinite(value)) {
            reader_->fail(fmt::format("{} as {}", value, what), "a finite number");
        }
        return value;
    }
    // A count of things that follow, each of so many words (text) or bytes (binary) at least.
    std::uint64_t count(std::string_view what, std::size_t words, std::size_t bytes) {
        const std::uint64_t value = size(what);
        if (reader_) {
            reader_->need_items(value, bytes, what);
        } else if (value > (cursor_.left() + 1) / (2 * words)) {
            fail(fmt::format("{} as {}, {} characters follow", value, what, cursor_.left()),
                 "the whole file");
        }
        return value;
    }
    [[noreturn]] void fail(std::string found, std::string needs) const {
        if (reader_) {
            reader_->fail(std::move(found), std::move(needs));
        }
        cursor_.fail(std::move(found), std::move(needs));
    }
    // Hands back to the reader of section names.
    void finish() {
        if (reader_) {
            cursor_.skip_to(reader_->offset());
        }
    }

private:
    TextCursor& cursor_;
    std::optional<ByteReader> reader_;
};

// Corners of the element types that are read; 0: passed over; -1: refused.
int corners_of(int type) {
    switch (type) {
        case 2:
            return 3;  // triangle
        case 3:
        case 4:
            return 4;  // quadrilateral, tetrahedron
        default:
            return type == 1 || type == 8 || type == 15 ? 0 : -1;
    }
}

// Nodes of the types that are passed over: line, line of second order, point.
int nodes_of(int type) {
    const int corners = corners_of(type);
    return corners > 0 ? corners : type == 1 ? 2 : type == 8 ? 3 : 1;
}

class MshReader {
public:
    MshReader(std::string_view bytes, std::string_view file)
        : bytes_(bytes), file_(file), cursor_(bytes, file, {}) {}

    MixedMesh read() {
        while (!cursor_.at_end()) {
            const std::string_view section = cursor_.word_on_line();
            if (version_ == 0 && section != "$MeshFormat") {
                cursor_.fail(quoted(section), "a Gmsh file, which starts with '$MeshFormat'");
            }
            cursor_.skip_line();
            read_section(section);
        }
        if (version_ == 0) {
            cursor_.fail("an empty file", "a Gmsh file, which starts with '$MeshFormat'");
        }
        if (coordinates_.empty()) {
            cursor_.fail("no nodes", "a section '$Nodes'");
        }
        return finish();
    }

private:
    void read_section(std::string_view section) {
        if (section == "$MeshFormat") {
            read_format();
        } else if (section == "$PhysicalNames") {
            read_names();
        } else if (section == "$Entities" && version_ == 4) {
            read_entities();
        } else if (section == "$Nodes") {
            version_ == 4 ? read_nodes() : read_old_nodes();
        } else if (section == "$Elements") {
            version_ == 4 ? read_elements() : read_old_elements();
        } else if (section.starts_with('$')) {
            skip_section(section);
            return;
        } else {
            cursor_.fail(quoted(section), "the name of a section, such as $Nodes");
        }
        expect(fmt::format("$End{}", section.substr(1)));
    }

    void expect(std::string_view word) {
        const std::string_view found = cursor_.word();
        if (found != word) {
            cursor_.fail(found.empty() ? "the end of the file" : quoted(found),
                         fmt::format("'{}'", word));
        }
    }

    void skip_section(std::string_view section) {
        const std::string end = fmt::format("$End{}", section.substr(1));
        const std::size_t at = bytes_.find(end, cursor_.offset());
        if (at == std::string_view::npos) {
            cursor_.fail(fmt::format("section {} does not end", quoted(section)),
                         fmt::format("'{}'", end));
        }
        if (!is_binary_) {
            while (cursor_.offset() < at) {
                cursor_.skip_line();
            }
        }
        cursor_.skip_to(std::max(at + end.size(), cursor_.offset()));
    }

    Numbers numbers() {
        return Numbers(cursor_, bytes_, file_, is_binary_, is_swapped_);
    }

    void read_format() {
        const double version = cursor_.number("the version");
        const std::int64_t type = cursor_.integer("the file type");
        const std::int64_t size = cursor_.integer("the data size");
        is_binary_ = type == 1;
        const bool is_new = version == 4.1;
        const bool is_old = version >= 2.0 && version < 3.0 && !is_binary_;
        if ((!is_new && !is_old) || (type != 0 && type != 1) || (is_binary_ && size != 8)) {
            cursor_.fail(fmt::format("version {}, type {}, size {}", version, type, size),
                         "version 4.1, or 2.2 as text (in Gmsh: Mesh.MshFileVersion = 4.1)");
        }
        version_ = is_new ? 4 : 2;
        cursor_.skip_line();
        if (is_binary_) {
            Numbers one = numbers();
            const int value = one.tag("the number one");
            if (value != 1 && value != 0x01000000) {
                one.fail(fmt::format("{:#x}", value), "the number one in either byte order");
            }
            is_swapped_ = value != 1;
            one.finish();
        }
    }

    // Always text: dimension, number and name in quotes.
    void read_names() {
        const std::size_t count = cursor_.count("the number of names", 6);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t dimension = cursor_.integer("a dimension");
            const std::int64_t tag = cursor_.integer("a group's number");
            std::string_view name = cursor_.rest_of_line();
            if (name.size() < 2 || name.front() != '"' || name.back() != '"') {
                cursor_.fail(quoted(name), "a name in quotes");
            }
            name = name.substr(1, name.size() - 2);
            if (tag > 0 && tag <= std::numeric_limits<int>::max() && dimension >= 0 &&
                dimension <= 3) {
                names_[{static_cast<int>(dimension), static_cast<int>(tag)}] = name;
            }
        }
    }

    void read_entities() {
        Numbers in = numbers();
        std::array<std::uint64_t, 4> counts{};
        for (std::uint64_t& count : counts) {
            count = in.count("a number of entities", 5, 36);
        }
        for (int dimension = 0; dimension < 4; ++dimension) {
            for (std::uint64_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
                read_entity(in, dimension);
            }
        }
        in.finish();
    }

    void read_entity(Numbers& in, int dimension) {
        const int tag = in.tag("an entity's number");
        for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) {
            in.real("an entity's bounds");
        }
        const std::uint64_t groups = in.count("a number of groups", 1, 4);
        for (std::uint64_t g = 0; g < groups; ++g) {
            const int group = in.tag("a group");
            if (g == 0 && group > -std::numeric_limits<int>::max()) {
                group_of_entity_[{dimension, tag}] = std::abs(group);  // the sign is a direction
            }
        }
        if (dimension > 0) {
            const std::uint64_t borders = in.count("a number of bounding entities", 1, 4);
            for (std::uint64_t b = 0; b < borders; ++b) {
                in.tag("a bounding entity");
            }
        }
    }

    void read_nodes() {
        Numbers in = numbers();
        const std::uint64_t blocks = in.count("the number of node blocks", 4, 20);
        const std::uint64_t count = in.count("the number of nodes", 4, 32);
        in.size("the smallest node number");
        in.size("the largest node number");
        reserve_nodes(count);
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const int dimension = in.tag("an entity's dimension");
            in.tag("an entity's number");
            const bool is_parametric = in.tag("0 or 1, parametric") != 0;
            if (dimension < 0 || dimension > 3) {
                in.fail(fmt::format("dimension {}", dimension), "0 to 3");
            }
            const std::uint64_t nodes = in.count("the number of nodes in a block", 4, 32);
            for (std::uint64_t i = 0; i < nodes; ++i) {
                tags_.push_back(in.size("a node's number"));
            }
            for (std::uint64_t i = 0; i < nodes; ++i) {
                for (int k = 0; k < 3; ++k) {
                    coordinates_.push_back(in.real("a coordinate"));
                }
                for (int k = 0; is_parametric && k < dimension; ++k) {
                    in.real("a parameter");
                }
            }
        }
        if (tags_.size() != count) {
            in.fail(fmt::format("{} nodes", tags_.size()), fmt::format("{}, as announced", count));
        }
        index_nodes(in);
        in.finish();
    }

    void read_old_nodes() {
        Numbers in = numbers();
        const std::uint64_t count = in.count("the number of nodes", 4, 28);
        reserve_nodes(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            tags_.push_back(in.size("a node's number"));
            for (int k = 0; k < 3; ++k) {
                coordinates_.push_back(in.real("a coordinate"));
            }
        }
        index_nodes(in);
    }

    void reserve_nodes(std::uint64_t count) {
        if (!tags_.empty()) {
            cursor_.fail("a second section '$Nodes'", "one");
        }
        tags_.reserve(count);
        coordinates_.reserve(3 * count);
    }

    // Numbers of nodes may have gaps and any order; mostly they do not.
    void index_nodes(Numbers& in) {
        is_in_order_ = true;
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            is_in_order_ = is_in_order_ && tags_[i] == tags_[0] + i;
        }
        if (is_in_order_) {
            return;
        }
        by_tag_.reserve(tags_.size());
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            by_tag_.emplace_back(tags_[i], static_cast<Index>(i));
        }
        std::sort(by_tag_.begin(), by_tag_.end());
        const auto same = std::adjacent_find(by_tag_.begin(), by_tag_.end(),
                                             [](auto& a, auto& b) { return a.first == b.first; });
        if (same != by_tag_.end()) {
            in.fail(fmt::format("two nodes with the number {}", same->first), "one");
        }
    }

    Index node(std::uint64_t tag, const Numbers& in) const {
        if (is_in_order_ && !tags_.empty()) {
            if (tag >= tags_[0] && tag - tags_[0] < tags_.size()) {
                return static_cast<Index>(tag - tags_[0]);
            }
        } else {
            const auto it =
                std::lower_bound(by_tag_.begin(), by_tag_.end(), std::pair{tag, Index{0}});
            if (it != by_tag_.end() && it->first == tag) {
                return it->second;
            }
        }
        in.fail(fmt::format("an element with node {}", tag),
                fmt::format("one of the {} nodes of the section '$Nodes'", tags_.size()));
    }

    void add_element(int type, int label, std::uint64_t number, const std::uint64_t* nodes,
                     const Numbers& in) {
        std::array<Index, 4> corners{};
        const auto count = static_cast<std::size_t>(corners_of(type));
        for (std::size_t k = 0; k < count; ++k) {
            corners[k] = node(nodes[k], in);
        }
        if (type == 2) {
            triangles_.insert(triangles_.end(), corners.begin(), corners.begin() + 3);
            triangle_labels_.push_back(label);
        } else if (type == 3) {
            quads_.insert(quads_.end(), corners.begin(), corners.end());
            quad_labels_.push_back(label);
        } else if (type == 4) {
            tets_.insert(tets_.end(), corners.begin(), corners.end());
            tet_labels_.push_back(label);
            tet_numbers_.push_back(number);
        }
    }

    // Elements stand by entity in the file; their numbers tell the order that the writer had.
    void sort_tets() {
        if (std::is_sorted(tet_numbers_.begin(), tet_numbers_.end())) {
            return;
        }
        std::vector<std::size_t> order(tet_numbers_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return tet_numbers_[a] < tet_numbers_[b];
        });
        std::vector<Index> tets;
        std::vector<int> labels;
        tets.reserve(tets_.size());
        labels.reserve(order.size());
        for (const std::size_t t : order) {
            const auto first = tets_.begin() + static_cast<std::ptrdiff_t>(4 * t);
            tets.insert(tets.end(), first, first + 4);
            labels.push_back(tet_labels_[t]);
        }
        tets_ = std::move(tets);
        tet_labels_ = std::move(labels);
    }

    void require_known(int type, const Numbers& in) const {
        if (corners_of(type) < 0) {
            in.fail(fmt::format("elements of type {}", type),
                    "triangles, quadrilaterals and tetrahedra of first order");
        }
    }

    void read_elements() {
        Numbers in = numbers();
        const std::uint64_t blocks = in.count("the number of element blocks", 4, 20);
        const std::uint64_t count = in.count("the number of elements", 2, 16);
        in.size("the smallest element number");
        in.size("the largest element number");
        std::uint64_t total = 0;
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const int dimension = in.tag("an entity's dimension");
            const int entity = in.tag("an entity's number");
            const int type = in.tag("the type of elements");
            require_known(type, in);
            const auto nodes = static_cast<std::size_t>(nodes_of(type));
            const std::uint64_t elements =
                in.count("the number of elements in a block", 1 + nodes, 8 + 8 * nodes);
            const auto group = group_of_entity_.find({dimension, entity});
            const bool has_group = group != group_of_entity_.end();
            has_groups_ = has_groups_ || (has_group && type == 4);
            for (std::uint64_t e = 0; e < elements; ++e) {
                const std::uint64_t number = in.size("an element's number");
                std::array<std::uint64_t, 4> corners{};
                for (std::size_t k = 0; k < nodes; ++k) {
                    corners[k] = in.size("a node of an element");
                }
                const int label = has_group ? group->second : entity;
                add_element(type, label, number, corners.data(), in);
            }
            total += elements;
        }
        if (total != count) {
            in.fail(fmt::format("{} elements", total), fmt::format("{}, as announced", count));
        }
        in.finish();
    }

    // number type tags... nodes...; the first tag is the group, the second the entity.
    void read_old_elements() {
        Numbers in = numbers();
        const std::uint64_t count = in.count("the number of elements", 3, 12);
        for (std::uint64_t e = 0; e < count; ++e) {
            const std::uint64_t number = in.size("an element's number");
            const int type = in.tag("the type of an element");
            require_known(type, in);
            const std::uint64_t tags = in.count("a number of tags", 1, 4);
            std::array<int, 2> kept{};
            for (std::uint64_t t = 0; t < tags; ++t) {
                const int tag = in.tag("a tag");
                if (t < 2) {
                    kept[t] = tag;
                }
            }
            const auto nodes = static_cast<std::size_t>(nodes_of(type));
            std::array<std::uint64_t, 4> corners{};
            for (std::size_t k = 0; k < nodes; ++k) {
                corners[k] = in.size("a node of an element");
            }
            has_groups_ = has_groups_ || (kept[0] != 0 && type == 4);
            add_element(type, kept[0] != 0 ? kept[0] : kept[1], number, corners.data(), in);
        }
    }

    // The names that format_msh gives to volumes tell regions that cannot be groups (0, negative).
    int region_of(int label) const {
        const auto it = names_.find({3, label});
        std::int64_t region = 0;
        constexpr std::string_view kPrefix = "region_";
        if (it != names_.end() && it->second.starts_with(kPrefix) &&
            parse_integer(std::string_view(it->second).substr(kPrefix.size()), region) &&
            region >= std::numeric_limits<int>::min() &&
            region <= std::numeric_limits<int>::max()) {
            return static_cast<int>(region);
        }
        return label;
    }

    MixedMesh finish() {
        sort_tets();
        MixedMesh mesh;
        mesh.tets.points = Eigen::Map<const Points>(
            coordinates_.data(), static_cast<Eigen::Index>(coordinates_.size() / 3), 3);
        for (std::size_t q = 0; q < quad_labels_.size(); ++q) {
            add_triangulated(mesh.tets.points, std::span(quads_).subspan(4 * q, 4), triangles_);
            triangle_labels_.insert(triangle_labels_.end(), 2, quad_labels_[q]);
        }
        mesh.triangles = Eigen::Map<const Triangles>(
            triangles_.data(), static_cast<Eigen::Index>(triangles_.size() / 3), 3);
        mesh.label = std::move(triangle_labels_);
        mesh.tets.tets =
            Eigen::Map<const Tets>(tets_.data(), static_cast<Eigen::Index>(tets_.size() / 4), 4);
        const bool is_uniform = std::all_of(tet_labels_.begin(), tet_labels_.end(),
                                            [&](int l) { return l == tet_labels_.front(); });
        if (has_groups_ || !is_uniform) {
            for (int& label : tet_labels_) {
                label = region_of(label);
            }
            mesh.tets.region = std::move(tet_labels_);
        }
        for (const auto& [key, name] : names_) {
            if (key.first == 2) {
                mesh.label_names[key.second] = name;
            }
        }
        use_positive_orientation(mesh.tets);
        return mesh;
    }

    using Entity = std::pair<int, int>;  // dimension, number

    std::string_view bytes_;
    std::string file_;
    TextCursor cursor_;
    int version_ = 0;
    bool is_binary_ = false;
    bool is_swapped_ = false;
    std::map<Entity, std::string> names_;
    std::map<Entity, int> group_of_entity_;
    bool has_groups_ = false;  // of volumes
    std::vector<std::uint64_t> tags_;
    std::vector<double> coordinates_;
    bool is_in_order_ = true;
    std::vector<std::pair<std::uint64_t, Index>> by_tag_;
    std::vector<Index> triangles_;
    std::vector<Index> quads_;
    std::vector<Index> tets_;
    std::vector<int> triangle_labels_;
    std::vector<int> quad_labels_;
    std::vector<int> tet_labels_;
    std::vector<std::uint64_t> tet_numbers_;
};

}  // namespace

MixedMesh parse_msh(std::string_view bytes, std::string_view file) {
    return MshReader(bytes, file).read();
}

}  // namespace sinew
