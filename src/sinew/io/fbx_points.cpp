#include "sinew/io/fbx_points.h"

#include "sinew/base/error.h"
#include "sinew/io/byte_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace sinew {
namespace {

constexpr std::string_view kBinaryMark = "Kaydara FBX Binary  ";
constexpr std::size_t kHeader = 27;              // mark, three bytes, version
constexpr std::uint32_t kLongOffsets = 7500;     // version from which offsets have 64 bits
constexpr std::uint64_t kMostPoints = 50000000;  // of a geometry

// A node of the file: where its properties and the nodes below it are.
struct Record {
    std::string_view name;
    std::size_t properties = 0;
    std::size_t below = 0;
    std::size_t end = 0;  // 0: the mark behind the last node
};

class FbxRecords {
public:
    explicit FbxRecords(std::string_view bytes) : bytes_(bytes) {
        ByteReader reader = at(kHeader - 4);
        is_long_ = reader.get<std::uint32_t>("version") >= kLongOffsets;
    }
    Record record(std::size_t place) const {
        ByteReader reader = at(place);
        Record own;
        own.end = offset(reader);
        offset(reader);
        const std::size_t length = offset(reader);
        const std::size_t letters = reader.get<std::uint8_t>("name");
        reader.need(letters, "name");
        own.name = std::string_view(reader.here(), letters);
        reader.skip(letters, "name");
        own.properties = reader.offset();
        reader.skip(length, "properties");
        own.below = reader.offset();
        if (own.end != 0 && (own.end < own.below || own.end > bytes_.size())) {
            reader.fail("a node that ends elsewhere");
        }
        return own;
    }
    // Calls visit with every node from `place` to `end`.
    template <class Visit>
    void each(std::size_t place, std::size_t end, Visit&& visit) const {
        while (place < end) {
            const Record next = record(place);
            if (next.end == 0) {
                return;
            }
            visit(next);
            place = next.end;
        }
    }
    // An array of numbers that come in threes.
    std::optional<Points> points(const Record& record) const;

private:
    ByteReader at(std::size_t place) const {
        ByteReader reader(bytes_, "fbx");
        reader.skip(place, "node");
        return reader;
    }
    std::size_t offset(ByteReader& reader) const {
        return is_long_ ? static_cast<std::size_t>(reader.get<std::uint64_t>("offset"))
                        : reader.get<std::uint32_t>("offset");
    }
    std::string_view bytes_;
    bool is_long_ = false;
};

std::optional<Points> FbxRecords::points(const Record& record) const {
    ByteReader reader = at(record.properties);
    const char kind = reader.get<char>("type");
    const std::uint64_t count = reader.get<std::uint32_t>("count");
    const bool is_packed = reader.get<std::uint32_t>("packing") != 0;
    const std::size_t stored = reader.get<std::uint32_t>("length");
    reader.need(stored, "numbers");
    const std::size_t size = kind == 'd' ? sizeof(double) : sizeof(float);
    if ((kind != 'd' && kind != 'f') || count == 0 || count % 3 != 0 || count > 3 * kMostPoints) {
        return std::nullopt;
    }
    std::string unpacked;
    const char* numbers = reader.here();
    if (is_packed) {
        // The format packs by at most a factor of about a thousand.
        if (count * size / 2000 > stored) {
            return std::nullopt;
        }
        unpacked.resize(count * size);
        auto length = static_cast<uLongf>(unpacked.size());
        if (uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &length,
                       reinterpret_cast<const Bytef*>(numbers),
                       static_cast<uLong>(stored)) != Z_OK ||
            length != unpacked.size()) {
            return std::nullopt;
        }
        numbers = unpacked.data();
    } else if (stored != count * size) {
        return std::nullopt;
    }
    Points points(static_cast<Eigen::Index>(count / 3), 3);
    for (std::size_t i = 0; i < count; ++i) {
        const char* place = numbers + i * size;
        points.data()[i] = kind == 'd' ? load_number<double>(place, false)
                                       : double{load_number<float>(place, false)};
    }
    return points.allFinite() ? std::optional<Points>(std::move(points)) : std::nullopt;
}

// Places as the library has them: in single precision. Adding 0 makes one of both zeros.
using Place = std::array<float, 3>;
Place place_of(const Points& points, Eigen::Index i) {
    Place place;
    for (int k = 0; k < 3; ++k) {
        place[static_cast<std::size_t>(k)] = static_cast<float>(points(i, k)) + 0.0f;
    }
    return place;
}
using PlaceMap = std::map<Place, Index>;

PlaceMap first_points(const Points& points) {
    PlaceMap first;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        first.emplace(place_of(points, i), static_cast<Index>(i));
    }
    return first;
}

// Of each point of a part, the first one of the geometry at its place; nothing where one is
// missing.
std::optional<std::vector<Index>> numbers_in(const PlaceMap& first, const Points& points) {
    std::vector<Index> numbers;
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const auto found = first.find(place_of(points, i));
        if (found == first.end()) {
            return std::nullopt;
        }
        numbers.push_back(found->second);
    }
    return numbers;
}

// Parts of one node with the points of a geometry.
class WholePart {
public:
    WholePart(const GltfScene& scene, const GltfPart& first, const Points& geometry,
              const PlaceMap& places, const Eigen::Affine3d& T_scene_file)
        : scene_(scene), geometry_(geometry), places_(places) {
        const Eigen::Index n = geometry.rows();
        whole_.part.name = first.part.name;
        whole_.part.kind = first.part.kind;
        whole_.part.colour = first.part.colour;
        whole_.node = first.node;
        whole_.part.mesh.points = (geometry * T_scene_file.linear().transpose()).rowwise() +
                                  T_scene_file.translation().transpose();
        for (const GltfMorph& morph : first.morphs) {
            whole_.morphs.push_back(
                {.name = morph.name, .displacement = Points::Zero(n, 3), .weight = morph.weight});
        }
        if (first.skin >= 0) {
            skin_.name = first.part.name;
            whole_.joints = Joints4::Zero(n, 4);
            whole_.weights = Weights4::Zero(n, 4);
            whole_.weights.col(0).setOnes();
        }
    }
    void add(const GltfPart& part, const std::vector<Index>& number);
    // Where several points share a place, all get what the first one has.
    void finish();
    GltfPart& part() {
        return whole_;
    }
    GltfSkin& skin() {
        return skin_;
    }

private:
    Index joint(const GltfSkin& skin, Index number) {
        const Index node = skin.joints[static_cast<std::size_t>(number)];
        const auto found = std::find(skin_.joints.begin(), skin_.joints.end(), node);
        if (found != skin_.joints.end()) {
            return static_cast<Index>(found - skin_.joints.begin());
        }
        skin_.joints.push_back(node);
        skin_.inverse_bind.push_back(skin.inverse_bind[static_cast<std::size_t>(number)]);
        return static_cast<Index>(skin_.joints.size()) - 1;
    }

    const GltfScene& scene_;
    const Points& geometry_;
    const PlaceMap& places_;
    GltfPart whole_;
    GltfSkin skin_;
    std::vector<Index> corners_;
};

void WholePart::add(const GltfPart& part, const std::vector<Index>& number) {
    const Triangles& triangles = part.part.mesh.triangles;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        std::array<Index, 3> row;
        for (int k = 0; k < 3; ++k) {
            row[static_cast<std::size_t>(k)] = number[static_cast<std::size_t>(triangles(t, k))];
        }
        if (row[0] != row[1] && row[1] != row[2] && row[2] != row[0]) {
            corners_.insert(corners_.end(), row.begin(), row.end());
        }
    }
    if (part.skin >= 0 && whole_.joints.rows() > 0) {
        const GltfSkin& skin = scene_.skins[static_cast<std::size_t>(part.skin)];
        for (std::size_t j = 0; j < skin.joints.size(); ++j) {
            joint(skin, static_cast<Index>(j));
        }
        for (std::size_t i = 0; i < number.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            for (int k = 0; k < 4; ++k) {
                whole_.joints(number[i], k) = joint(skin, part.joints(row, k));
            }
            whole_.weights.row(number[i]) = part.weights.row(row);
        }
    }
    for (std::size_t m = 0; m < std::min(whole_.morphs.size(), part.morphs.size()); ++m) {
        for (std::size_t i = 0; i < number.size(); ++i) {
            whole_.morphs[m].displacement.row(number[i]) =
                part.morphs[m].displacement.row(static_cast<Eigen::Index>(i));
        }
    }
}

void WholePart::finish() {
    whole_.part.mesh.triangles = Eigen::Map<const Triangles>(
        corners_.data(), static_cast<Eigen::Index>(corners_.size() / 3), 3);
    for (Eigen::Index i = 0; i < geometry_.rows(); ++i) {
        const Index first = places_.at(place_of(geometry_, i));
        if (first == i) {
            continue;
        }
        if (whole_.joints.rows() > 0) {
            whole_.joints.row(i) = whole_.joints.row(first);
            whole_.weights.row(i) = whole_.weights.row(first);
        }
        for (GltfMorph& morph : whole_.morphs) {
            morph.displacement.row(i) = morph.displacement.row(first);
        }
    }
}

// What binds no part any more must not say where the others were bound.
void keep_used_skins(GltfScene& scene) {
    std::vector<GltfSkin> used;
    for (GltfPart& part : scene.parts) {
        if (part.skin >= 0) {
            used.push_back(scene.skins[static_cast<std::size_t>(part.skin)]);
            part.skin = static_cast<Index>(used.size()) - 1;
        }
    }
    scene.skins = std::move(used);
}

}  // namespace

std::vector<Points> fbx_geometry_points(std::string_view bytes) {
    std::vector<Points> all;
    if (!bytes.starts_with(kBinaryMark)) {
        return all;
    }
    try {
        const FbxRecords file(bytes);
        file.each(kHeader, bytes.size(), [&](const Record& top) {
            if (top.name != "Objects") {
                return;
            }
            file.each(top.below, top.end, [&](const Record& object) {
                if (object.name != "Geometry") {
                    return;
                }
                file.each(object.below, object.end, [&](const Record& list) {
                    std::optional<Points> points =
                        list.name == "Vertices" ? file.points(list) : std::nullopt;
                    if (points) {
                        all.push_back(std::move(*points));
                    }
                });
            });
        });
    } catch (const InputError&) {
        // The library reads the file as well, and says what is wrong with it.
    }
    return all;
}

void restore_points(GltfScene& scene, const std::vector<SplitPart>& split,
                    const std::vector<Points>& geometries) {
    std::vector<PlaceMap> places;
    for (const Points& geometry : geometries) {
        places.push_back(first_points(geometry));
    }
    std::vector<char> is_used(geometries.size(), 0);
    std::vector<GltfPart> parts;
    for (std::size_t begin = 0; begin < split.size();) {
        std::size_t end = begin + 1;
        while (end < split.size() && scene.parts[end].node == scene.parts[begin].node &&
               (scene.parts[end].skin < 0) == (scene.parts[begin].skin < 0)) {
            ++end;
        }
        // The geometry with the fewest points that has them all; one that nobody has first.
        std::optional<std::size_t> best;
        std::vector<std::vector<Index>> numbers;
        for (std::size_t g = 0; g < geometries.size(); ++g) {
            if (best && std::pair(is_used[g], geometries[g].rows()) >=
                            std::pair(is_used[*best], geometries[*best].rows())) {
                continue;
            }
            std::vector<std::vector<Index>> own;
            for (std::size_t p = begin; p < end; ++p) {
                std::optional<std::vector<Index>> found = numbers_in(places[g], split[p].points);
                if (!found) {
                    break;
                }
                own.push_back(std::move(*found));
            }
            if (own.size() == end - begin) {
                best = g;
                numbers = std::move(own);
            }
        }
        if (best) {
            is_used[*best] = 1;
            WholePart whole(scene, scene.parts[begin], geometries[*best], places[*best],
                            split[begin].T_scene_file);
            for (std::size_t p = begin; p < end; ++p) {
                whole.add(scene.parts[p], numbers[p - begin]);
            }
            whole.finish();
            if (!whole.skin().joints.empty()) {
                whole.part().skin = static_cast<Index>(scene.skins.size());
                scene.skins.push_back(std::move(whole.skin()));
            }
            parts.push_back(std::move(whole.part()));
        } else {
            parts.insert(parts.end(), scene.parts.begin() + static_cast<std::ptrdiff_t>(begin),
                         scene.parts.begin() + static_cast<std::ptrdiff_t>(end));
        }
        begin = end;
    }
    scene.parts = std::move(parts);
    keep_used_skins(scene);
}

}  // namespace sinew
