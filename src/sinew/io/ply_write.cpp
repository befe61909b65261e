#include "sinew/io/byte_reader.h"
#include "sinew/io/mesh_parts.h"
#include "sinew/io/ply.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

namespace sinew {

namespace {

// One number per row of the file: a column of an attribute.
struct Column {
    std::string name;
    const Attribute* attribute = nullptr;
    std::size_t component = 0;
    bool is_byte = false;
};

bool is_whole_255ths(const Attribute& a) {
    return std::all_of(a.values.begin(), a.values.end(), [](double v) {
        return v >= 0 && v <= 1 && std::round(v * 255.0) / 255.0 == v;
    });
}

// Property names are single words; those that PLY gives a meaning are not for other data.
std::string property_name(std::string_view name, std::unordered_set<std::string>& taken) {
    std::string word(name);
    for (char& c : word) {
        c = static_cast<unsigned char>(c) <= 0x20 ? '_' : c;
    }
    word = word.empty() ? "data" : word;
    while (!taken.insert(word).second) {
        word += "_";
    }
    return word;
}

std::vector<Column> columns_of(const std::vector<Attribute>& data) {
    std::unordered_set<std::string> taken = {"x", "y", "z", "vertex_index", "vertex_indices"};
    constexpr std::array<std::string_view, 4> kColours = {"red", "green", "blue", "alpha"};
    constexpr std::array<std::string_view, 3> kNormal = {"nx", "ny", "nz"};
    std::vector<Column> columns;
    for (const Attribute& a : data) {
        const bool is_colour =
            a.name == kColourAttribute && (a.components == 3 || a.components == 4);
        const bool is_normal = a.name == "normal" && a.components == 3;
        const bool is_byte = is_colour && is_whole_255ths(a);
        for (std::size_t k = 0; k < static_cast<std::size_t>(a.components); ++k) {
            const std::string name = is_colour          ? std::string(kColours[k])
                                     : is_normal        ? std::string(kNormal[k])
                                     : a.components > 1 ? fmt::format("{}_{}", a.name, k)
                                                        : a.name;
            columns.push_back({property_name(name, taken), &a, k, is_byte});
        }
    }
    return columns;
}

class PlyWriter {
public:
    explicit PlyWriter(const PlyOptions& options) : options_(options) {}

    std::string write(const TriangleMesh& mesh) && {
        const std::vector<Column> of_points = columns_of(mesh.point_data);
        const std::vector<Column> of_faces = columns_of(mesh.triangle_data);
        add_header(mesh, of_points, of_faces);
        const std::size_t real = options_.use_float32 ? 4 : 8;
        if (!is_ascii()) {
            out_.reserve(
                out_.size() +
                static_cast<std::size_t>(mesh.points.rows()) * (3 + of_points.size()) * real +
                static_cast<std::size_t>(mesh.triangles.rows()) * (13 + of_faces.size() * real));
        }
        for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
            for (Eigen::Index k = 0; k < 3; ++k) {
                add_real(mesh.points(i, k));
            }
            add_columns(of_points, i);
        }
        for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
            add_integer<std::uint8_t>(3);
            for (Eigen::Index k = 0; k < 3; ++k) {
                add_integer<std::int32_t>(mesh.triangles(t, k));
            }
            add_columns(of_faces, t);
        }
        return std::move(out_);
    }

private:
    bool is_ascii() const {
        return options_.encoding == PlyEncoding::Ascii;
    }

    void add_header(const TriangleMesh& mesh, const std::vector<Column>& of_points,
                    const std::vector<Column>& of_faces) {
        const std::string_view real = options_.use_float32 ? "float" : "double";
        out_ = "ply\nformat ";
        out_ += is_ascii()                                       ? "ascii"
                : options_.encoding == PlyEncoding::LittleEndian ? "binary_little_endian"
                                                                 : "binary_big_endian";
        out_ += " 1.0\ncomment metres, Y up\n";
        out_ += fmt::format("element vertex {}\n", mesh.points.rows());
        for (const char axis : {'x', 'y', 'z'}) {
            out_ += fmt::format("property {} {}\n", real, axis);
        }
        add_column_names(of_points, real);
        out_ += fmt::format("element face {}\nproperty list uchar int vertex_indices\n",
                            mesh.triangles.rows());
        add_column_names(of_faces, real);
        out_ += "end_header\n";
    }

    void add_column_names(const std::vector<Column>& columns, std::string_view real) {
        for (const Column& column : columns) {
            out_ += fmt::format("property {} {}\n", column.is_byte ? "uchar" : real, column.name);
        }
    }

    void add_columns(const std::vector<Column>& columns, Eigen::Index row) {
        for (const Column& column : columns) {
            const double value =
                column.attribute
                    ->values[static_cast<std::size_t>(row * column.attribute->components) +
                             column.component];
            if (column.is_byte) {
                add_integer<std::uint8_t>(std::lround(value * 255.0));
            } else {
                add_real(value);
            }
        }
        if (is_ascii()) {
            out_.back() = '\n';  // in place of the last separator
        }
    }

    template <class Number>
    void add_binary(Number value) {
        const std::size_t start = out_.size();
        append_bytes(out_, value);
        if (options_.encoding == PlyEncoding::BigEndian) {
            std::reverse(out_.begin() + static_cast<std::ptrdiff_t>(start), out_.end());
        }
    }

    template <class Integer>
    void add_integer(long value) {
        if (is_ascii()) {
            append_integer(out_, value);
            out_ += ' ';
        } else {
            add_binary(static_cast<Integer>(value));
        }
    }

    void add_real(double value) {
        if (is_ascii()) {
            options_.use_float32 ? append_number(out_, static_cast<float>(value))
                                 : append_number(out_, value);
            out_ += ' ';
        } else if (options_.use_float32) {
            add_binary(static_cast<float>(value));
        } else {
            add_binary(value);
        }
    }

    PlyOptions options_;
    std::string out_;
};

}  // namespace

std::string format_ply(std::span<const MeshPart> parts, const PlyOptions& options) {
    require_writable(parts, "PLY");
    return parts.size() == 1 ? PlyWriter(options).write(parts[0].mesh)
                             : PlyWriter(options).write(merged(parts));
}

}  // namespace sinew
