#include "sinew/io/ply.h"

#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/ply_header.h"
#include "sinew/io/polygon.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace sinew {

namespace {

static_assert(std::endian::native == std::endian::little);

// Numbers of a binary file, one after another.
class BinaryNumbers {
public:
    BinaryNumbers(std::string_view bytes, std::string_view file, const PlyHeader& header)
        : reader_(bytes, file, header.encoding == PlyEncoding::BigEndian, header.data_start) {}

    double get(PlyType type, std::string_view what) {
        switch (type) {
            case PlyType::Int8:
                return reader_.get<std::int8_t>(what);
            case PlyType::UInt8:
                return reader_.get<std::uint8_t>(what);
            case PlyType::Int16:
                return reader_.get<std::int16_t>(what);
            case PlyType::UInt16:
                return reader_.get<std::uint16_t>(what);
            case PlyType::Int32:
                return reader_.get<std::int32_t>(what);
            case PlyType::UInt32:
                return reader_.get<std::uint32_t>(what);
            case PlyType::Float32:
                return finite(reader_.get<float>(what), what);
            case PlyType::Float64:
                return finite(reader_.get<double>(what), what);
        }
        return 0.0;
    }

    void need_items(std::uint64_t count, std::size_t bytes_each, std::size_t /*words_each*/,
                    std::string_view what) const {
        reader_.need_items(count, bytes_each, what);
    }
    [[noreturn]] void fail(std::string found, std::string needs) const {
        reader_.fail(std::move(found), std::move(needs));
    }

private:
    double finite(double value, std::string_view what) const {
        if (!std::isfinite(value)) {
            reader_.fail(fmt::format("{} as '{}'", value, what), "a finite number");
        }
        return value;
    }

    ByteReader reader_;
};

// Numbers of a text file. The lines' ends carry no meaning that the counts do not give.
class TextNumbers {
public:
    TextNumbers(std::string_view bytes, std::string_view file, const PlyHeader& header)
        : cursor_(bytes.substr(header.data_start), file, {.first_line = header.data_line}) {}

    double get(PlyType, std::string_view what) {
        return cursor_.number(what);
    }
    void need_items(std::uint64_t count, std::size_t /*bytes_each*/, std::size_t words_each,
                    std::string_view what) const {
        if (words_each != 0 && count > (cursor_.left() + 1) / (2 * words_each)) {
            cursor_.fail(fmt::format("{} {} are announced, {} characters follow", count, what,
                                     cursor_.left()),
                         "the whole file");
        }
    }
    [[noreturn]] void fail(std::string found, std::string needs) const {
        cursor_.fail(std::move(found), std::move(needs));
    }

private:
    TextCursor cursor_;
};

// Where the numbers of one property go.
struct Target {
    bool is_position = false;
    int attribute = -1;  // of the element's data, or -1: passed over
    int component = 0;   // of the position or the attribute
    double scale = 1.0;
};

struct Plan {
    std::vector<Target> targets;  // one per property
    std::vector<Attribute> data;
};

double colour_scale(PlyType type) {
    switch (type) {
        case PlyType::Int8:
        case PlyType::UInt8:
            return 255.0;
        case PlyType::Int16:
        case PlyType::UInt16:
            return 65535.0;
        default:
            return 1.0;
    }
}

class Planner {
public:
    explicit Planner(const PlyElement& element) : properties_(element.properties) {
        plan_.targets.resize(properties_.size());
        is_taken_.resize(properties_.size(), false);
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            is_taken_[i] = properties_[i].is_list;
        }
    }

    void take_positions() {
        constexpr std::array<std::string_view, 3> kNames = {"x", "y", "z"};
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            const auto it = std::find(kNames.begin(), kNames.end(), properties_[i].name);
            if (!is_taken_[i] && it != kNames.end()) {
                plan_.targets[i].is_position = true;
                plan_.targets[i].component = static_cast<int>(it - kNames.begin());
                is_taken_[i] = true;
            }
        }
    }

    Plan finish() && {
        take_colour({"red", "green", "blue", "alpha"});
        take_colour({"r", "g", "b", "a"});
        take_colour({"diffuse_red", "diffuse_green", "diffuse_blue", "diffuse_alpha"});
        if (const auto found = find_all({"nx", "ny", "nz"})) {
            take("normal", *found, false);
        }
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            if (!is_taken_[i]) {
                take_run(i);
            }
        }
        return std::move(plan_);
    }

private:
    std::optional<std::vector<std::size_t>> find_all(
        std::initializer_list<std::string_view> names) const {
        std::vector<std::size_t> found;
        for (const std::string_view name : names) {
            for (std::size_t i = 0; i < properties_.size(); ++i) {
                if (!is_taken_[i] && properties_[i].name == name) {
                    found.push_back(i);
                    break;
                }
            }
        }
        if (found.size() != names.size()) {
            return std::nullopt;
        }
        return found;
    }

    void take(std::string name, const std::vector<std::size_t>& which, bool is_colour) {
        const auto attribute = static_cast<int>(plan_.data.size());
        plan_.data.push_back(
            {.name = std::move(name), .components = static_cast<int>(which.size()), .values = {}});
        for (std::size_t k = 0; k < which.size(); ++k) {
            const double scale = is_colour ? colour_scale(properties_[which[k]].type) : 1.0;
            plan_.targets[which[k]] = {
                .attribute = attribute, .component = static_cast<int>(k), .scale = scale};
            is_taken_[which[k]] = true;
        }
    }

    void take_colour(const std::array<std::string_view, 4>& names) {
        if (find_attribute(plan_.data, kColourAttribute) != nullptr) {
            return;
        }
        auto found = find_all({names[0], names[1], names[2], names[3]});
        if (!found) {
            found = find_all({names[0], names[1], names[2]});
        }
        if (found) {
            take(std::string(kColourAttribute), *found, true);
        }
    }

    // name_0, name_1, ... in a row are the components of one attribute.
    void take_run(std::size_t first) {
        const std::string& name = properties_[first].name;
        std::vector<std::size_t> run = {first};
        if (name.size() > 2 && name.ends_with("_0")) {
            const std::string stem = name.substr(0, name.size() - 1);
            for (std::size_t i = first + 1;
                 i < properties_.size() && !is_taken_[i] &&
                 properties_[i].name == stem + std::to_string(run.size());
                 ++i) {
                run.push_back(i);
            }
        }
        take(run.size() > 1 ? name.substr(0, name.size() - 2) : name, run, false);
    }

    const std::vector<PlyProperty>& properties_;
    Plan plan_;
    std::vector<bool> is_taken_;
};

template <class Numbers>
class PlyReader {
public:
    PlyReader(Numbers numbers, const PlyHeader& header, std::string_view file)
        : numbers_(std::move(numbers)), header_(header), file_(file) {
        for (const PlyElement& element : header_.elements) {
            if (element.name == "vertex") {
                vertices_ = element.count;
                break;
            }
        }
    }

    TriangleMesh read() {
        bool has_vertices = false;
        for (const PlyElement& element : header_.elements) {
            need_rows(element);
            if (element.name == "vertex" && !has_vertices) {
                read_vertices(element);
                has_vertices = true;
            } else if (element.name == "face") {
                read_faces(element);
            } else if (element.name == "tristrips") {
                read_strips(element);
            } else {
                skip(element);
            }
        }
        if (mesh_.points.rows() == 0) {
            numbers_.fail("no vertices", "an element 'vertex' with at least one");
        }
        finish_faces();
        return std::move(mesh_);
    }

private:
    // Memory is taken only for what the file has bytes for.
    void need_rows(const PlyElement& element) const {
        std::size_t bytes = 0;
        for (const PlyProperty& property : element.properties) {
            bytes += ply_size(property.is_list ? property.count_type : property.type);
        }
        numbers_.need_items(element.count, bytes, element.properties.size(), element.name);
    }

    void read_vertices(const PlyElement& element) {
        Planner planner(element);
        planner.take_positions();
        Plan plan = std::move(planner).finish();
        std::array<bool, 3> has = {};
        for (const Target& target : plan.targets) {
            if (target.is_position) {
                has[at(target.component)] = true;
            }
        }
        if (!has[0] || !has[1] || !has[2]) {
            numbers_.fail("vertices without x, y or z", "all three of these properties");
        }
        if (element.count > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
            numbers_.fail(fmt::format("{} vertices", element.count), "at most 2147483647");
        }
        mesh_.points.resize(static_cast<Eigen::Index>(element.count), 3);
        allocate(plan, element.count);
        for (std::uint64_t row = 0; row < element.count; ++row) {
            for (std::size_t p = 0; p < element.properties.size(); ++p) {
                read_property(element.properties[p], plan.targets[p], row, plan);
            }
        }
        mesh_.point_data = std::move(plan.data);
    }

    static void allocate(Plan& plan, std::uint64_t count) {
        for (Attribute& a : plan.data) {
            a.values.resize(static_cast<std::size_t>(a.components) * count);
        }
    }

    void read_property(const PlyProperty& property, const Target& target, std::uint64_t row,
                       Plan& plan) {
        if (property.is_list) {
            skip_list(property);
            return;
        }
        const double value = numbers_.get(property.type, property.name);
        if (target.is_position) {
            mesh_.points(static_cast<Eigen::Index>(row), target.component) = value;
        } else if (target.attribute >= 0) {
            Attribute& a = plan.data[at(target.attribute)];
            a.values[row * static_cast<std::size_t>(a.components) +
                     static_cast<std::size_t>(target.component)] = value / target.scale;
        }
    }

    std::size_t list_length(const PlyProperty& property) {
        const double length = numbers_.get(property.count_type, property.name);
        if (!(length >= 0) || length != std::floor(length) || length > 4294967295.0) {
            numbers_.fail(fmt::format("a list of {} items in '{}'", length, property.name),
                          "a whole number from 0");
        }
        const auto items = static_cast<std::size_t>(length);
        numbers_.need_items(items, ply_size(property.type), 1, property.name);
        return items;
    }

    void skip_list(const PlyProperty& property) {
        const std::size_t items = list_length(property);
        for (std::size_t i = 0; i < items; ++i) {
            numbers_.get(property.type, property.name);
        }
    }

    void skip(const PlyElement& element) {
        for (std::uint64_t row = 0; row < element.count && !element.properties.empty(); ++row) {
            for (const PlyProperty& property : element.properties) {
                if (property.is_list) {
                    skip_list(property);
                } else {
                    numbers_.get(property.type, property.name);
                }
            }
        }
    }

    static bool holds_corners(const PlyProperty& property) {
        return property.is_list &&
               (property.name == "vertex_indices" || property.name == "vertex_index");
    }

    void require_corners(const PlyElement& element) const {
        const auto lists = std::count_if(element.properties.begin(), element.properties.end(),
                                         [](const PlyProperty& p) { return holds_corners(p); });
        if (lists != 1 && element.count > 0) {
            numbers_.fail(fmt::format("{} lists of corners in '{}'", lists, element.name),
                          "one list named vertex_indices");
        }
    }

    void read_indices(const PlyProperty& property) {
        const std::size_t items = list_length(property);
        list_.clear();
        for (std::size_t i = 0; i < items; ++i) {
            list_.push_back(numbers_.get(property.type, property.name));
        }
    }

    Index checked_index(double value) const {
        if (!(value >= 0) || value >= static_cast<double>(vertices_) ||
            value != std::floor(value)) {
            numbers_.fail(fmt::format("vertex index {} of {} vertices", value, vertices_),
                          fmt::format("a whole number from 0 to {}",
                                      static_cast<std::int64_t>(vertices_) - 1));
        }
        return static_cast<Index>(value);
    }

    void read_faces(const PlyElement& element) {
        if (has_faces_) {
            numbers_.fail("a second element 'face'", "one");
        }
        has_faces_ = true;
        require_corners(element);
        face_plan_ = Planner(element).finish();
        allocate(face_plan_, element.count);
        polygons_.start.reserve(element.count + 1);
        polygons_.corners.reserve(3 * element.count);
        for (std::uint64_t row = 0; row < element.count && !element.properties.empty(); ++row) {
            for (std::size_t p = 0; p < element.properties.size(); ++p) {
                const PlyProperty& property = element.properties[p];
                if (holds_corners(property)) {
                    read_indices(property);
                    add_polygon(row);
                } else {
                    read_property(property, face_plan_.targets[p], row, face_plan_);
                }
            }
        }
    }

    void add_polygon(std::uint64_t row) {
        if (list_.size() < 3) {
            numbers_.fail(fmt::format("face {} has {} corners", row, list_.size()),
                          "three corners or more");
        }
        corners_.clear();
        for (const double value : list_) {
            corners_.push_back(checked_index(value));
        }
        polygons_.add(corners_);
    }

    // Every corner from the third on makes a triangle with the two before it, of alternating sense;
    // -1 starts afresh, and repeated corners are turns of the strip, not triangles.
    void read_strips(const PlyElement& element) {
        require_corners(element);
        for (std::uint64_t row = 0; row < element.count; ++row) {
            for (const PlyProperty& property : element.properties) {
                if (!holds_corners(property)) {
                    read_property(property, {}, row, face_plan_);
                    continue;
                }
                read_indices(property);
                add_strip();
            }
        }
    }

    void add_strip() {
        corners_.clear();
        for (const double value : list_) {
            if (value == -1.0) {
                corners_.clear();
                continue;
            }
            corners_.push_back(checked_index(value));
            const std::size_t n = corners_.size();
            if (n < 3) {
                continue;
            }
            const Index a = corners_[n - 3];
            const Index b = corners_[n - 2];
            const Index c = corners_[n - 1];
            if (a != b && b != c && c != a) {
                const bool is_odd = n % 2 == 0;
                strips_.insert(strips_.end(), {is_odd ? b : a, is_odd ? a : b, c});
            }
        }
    }

    void finish_faces() {
        std::vector<Index> source;
        const bool has_data = !face_plan_.data.empty() && strips_.empty();
        mesh_.triangles = triangulated(mesh_.points, polygons_, has_data ? &source : nullptr);
        if (!strips_.empty()) {
            const Eigen::Index before = mesh_.triangles.rows();
            const auto more = static_cast<Eigen::Index>(strips_.size() / 3);
            mesh_.triangles.conservativeResize(before + more, 3);
            mesh_.triangles.bottomRows(more) = Eigen::Map<const Triangles>(strips_.data(), more, 3);
        }
        if (!has_data) {
            return;
        }
        for (const Attribute& of_face : face_plan_.data) {
            Attribute a{.name = of_face.name, .components = of_face.components, .values = {}};
            const auto components = static_cast<std::size_t>(a.components);
            a.values.reserve(components * source.size());
            for (const Index f : source) {
                const double* const first =
                    of_face.values.data() + components * static_cast<std::size_t>(f);
                a.values.insert(a.values.end(), first, first + components);
            }
            mesh_.triangle_data.push_back(std::move(a));
        }
    }

    Numbers numbers_;
    const PlyHeader& header_;
    std::string file_;
    std::uint64_t vertices_ = 0;
    TriangleMesh mesh_;
    bool has_faces_ = false;
    Plan face_plan_;
    PolygonList polygons_;
    std::vector<Index> strips_;
    std::vector<Index> corners_;
    std::vector<double> list_;
};

}  // namespace

std::vector<MeshPart> parse_ply(std::string_view bytes, std::string_view file) {
    const PlyHeader header = parse_ply_header(bytes, file);
    TriangleMesh mesh = header.encoding == PlyEncoding::Ascii
                            ? PlyReader(TextNumbers(bytes, file, header), header, file).read()
                            : PlyReader(BinaryNumbers(bytes, file, header), header, file).read();
    return single_part(std::move(mesh), file);
}

}  // namespace sinew
