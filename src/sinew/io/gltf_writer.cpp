#include "sinew/base/error.h"
#include "sinew/base/version.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/gltf.h"
#include "sinew/io/part_looks.h"
#include "sinew/io/point_cache.h"
#include "sinew/io/uv_seams.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace sinew {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kArrayBuffer = 34962;
constexpr int kElementBuffer = 34963;
constexpr int kUnsignedByte = 5121;
constexpr int kUnsignedShort = 5123;
constexpr int kUnsignedInt = 5125;
constexpr int kFloat = 5126;
constexpr double kLargestCoordinate = 1e30;  // m

void append_32(std::string& out, std::uint32_t value) {
    for (int k = 0; k < 4; ++k) {
        out += static_cast<char>((value >> (8 * k)) & 0xff);
    }
}

[[noreturn]] void refuse_scene(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "correct what is to be written"});
}

/// A valid UTF-8 name: JSON knows no other.
std::string clean_name(std::string_view name) {
    const OrderedJson text = std::string(name);
    return OrderedJson::parse(text.dump(-1, ' ', true, OrderedJson::error_handler_t::replace));
}

/// Collects binary data with the views and accessors that describe it.
class Writer {
public:
    /// @param spill  takes the binary data as it comes, instead of memory
    explicit Writer(const GltfScene& scene, AtomicStream* spill = nullptr)
        : scene_(scene), spill_(spill) {
        add_looks();
    }
    std::string bytes();

    /// A part whose morphs are still to come.
    struct OpenPart {  // NOLINT(bugprone-exception-escape): moves of JSON values do not throw
        OrderedJson node = {}, mesh = {}, primitive = {};
        std::vector<Index> again = {};  // points that stand twice, on seams of the texture
    };
    OpenPart open_part(const GltfPart& part);
    void add_morph(OpenPart& open, const Points& displacement, double weight,
                   std::string_view name);
    void close_part(OpenPart open);
    /// The animation that shows one morph after the other, of all parts at once.
    void add_play(const std::string& name, std::span<const double> times);
    /// All of the file that comes before the binary data.
    std::string head();

private:
    std::size_t size() const {
        return spilled_ + data_.size();
    }
    void spill();
    std::size_t add_view(int target);
    std::size_t add_accessor(std::size_t view, int type, std::size_t count, const char* shape);
    /// Single-precision rows; `with_bounds` as the format demands for positions and times.
    std::size_t add_floats(std::span<const double> values, std::size_t width, const char* shape,
                           int target, bool with_bounds);
    std::size_t add_points(const Points& points, bool with_bounds);
    template <class T>
    std::size_t add_whole(std::span<const Index> values, std::size_t width, const char* shape,
                          int type, int target);
    void add_looks();
    std::size_t add_material(const GltfPart& part);
    void add_attributes(const GltfPart& part, const SeamPoints& seams, OrderedJson& primitive);
    void add_part(const GltfPart& part);
    void add_nodes();
    void add_groups();
    void add_skins();
    void add_animations();
    void require_valid_part(const GltfPart& part) const;

    const GltfScene& scene_;
    AtomicStream* spill_;
    std::size_t spilled_ = 0;  // bytes
    std::string data_;         // after those
    OrderedJson views_ = OrderedJson::array(), accessors_ = OrderedJson::array(),
                materials_ = OrderedJson::array(), meshes_ = OrderedJson::array(),
                nodes_ = OrderedJson::array(), skins_ = OrderedJson::array(),
                animations_ = OrderedJson::array(), textures_ = OrderedJson::array(),
                samplers_ = OrderedJson::array(), images_ = OrderedJson::array(),
                extensions_ = OrderedJson::array();
    std::size_t view_begin_ = 0;
    std::vector<std::size_t> node_of_part_;
    std::vector<bool> is_in_group_;  // per node
    std::map<std::string, std::size_t> material_of_look_;
};

std::size_t Writer::add_view(int target) {
    OrderedJson view = {
        {"buffer", 0}, {"byteOffset", view_begin_}, {"byteLength", size() - view_begin_}};
    if (target != 0) {
        view["target"] = target;
    }
    views_.push_back(std::move(view));
    data_.resize((data_.size() + 3) / 4 * 4, '\0');
    view_begin_ = size();
    spill();
    return views_.size() - 1;
}

void Writer::spill() {
    if (spill_ != nullptr) {
        spill_->write(data_);
        spilled_ += data_.size();
        data_.clear();
    }
}

std::size_t Writer::add_accessor(std::size_t view, int type, std::size_t count, const char* shape) {
    accessors_.push_back(
        {{"bufferView", view}, {"componentType", type}, {"count", count}, {"type", shape}});
    return accessors_.size() - 1;
}

std::size_t Writer::add_floats(std::span<const double> values, std::size_t width, const char* shape,
                               int target, bool with_bounds) {
    std::vector<float> low(width, std::numeric_limits<float>::max());
    std::vector<float> high(width, std::numeric_limits<float>::lowest());
    const std::size_t begin = data_.size();
    data_.resize(begin + values.size() * sizeof(float));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<float>(values[i]);
        std::memcpy(data_.data() + begin + i * sizeof(float), &value, sizeof(float));
        low[i % width] = std::min(low[i % width], value);
        high[i % width] = std::max(high[i % width], value);
    }
    const std::size_t accessor =
        add_accessor(add_view(target), kFloat, values.size() / width, shape);
    if (with_bounds) {
        accessors_[accessor]["min"] = low;
        accessors_[accessor]["max"] = high;
    }
    return accessor;
}

std::size_t Writer::add_points(const Points& points, bool with_bounds) {
    return add_floats({points.data(), static_cast<std::size_t>(points.size())}, 3, "VEC3",
                      kArrayBuffer, with_bounds);
}

template <class T>
std::size_t Writer::add_whole(std::span<const Index> values, std::size_t width, const char* shape,
                              int type, int target) {
    const std::size_t begin = data_.size();
    data_.resize(begin + values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<T>(values[i]);
        std::memcpy(data_.data() + begin + i * sizeof(T), &value, sizeof(T));
    }
    return add_accessor(add_view(target), type, values.size() / width, shape);
}

void Writer::require_valid_part(const GltfPart& part) const {
    const std::string where = fmt::format("part '{}'", part.part.name);
    require_valid(part.part.mesh, where);
    const Eigen::Index points = part.part.mesh.points.rows();
    if (points > 0 && part.part.mesh.points.cwiseAbs().maxCoeff() > kLargestCoordinate) {
        refuse_scene(where, "a coordinate beyond single precision", "coordinates below 1e30 m");
    }
    if (part.normals.rows() != 0 && part.normals.rows() != points) {
        refuse_scene(where, fmt::format("{} normals", part.normals.rows()),
                     fmt::format("{} or none", points));
    }
    for (const GltfMorph& morph : part.morphs) {
        if (morph.displacement.rows() != points || !morph.displacement.allFinite()) {
            refuse_scene(
                where,
                fmt::format("a morph '{}' of {} points", morph.name, morph.displacement.rows()),
                fmt::format("{} finite displacements", points));
        }
    }
    if (part.skin < 0) {
        return;
    }
    if (part.skin >= static_cast<Index>(scene_.skins.size()) || part.joints.rows() != points ||
        part.weights.rows() != points) {
        refuse_scene(where, "a skin without joints and weights for every point",
                     "four of each per point");
    }
    const auto joints = static_cast<Index>(scene_.skins[at(part.skin)].joints.size());
    for (Eigen::Index i = 0; i < points; ++i) {
        if (part.joints.row(i).minCoeff() < 0 || part.joints.row(i).maxCoeff() >= joints ||
            !(part.weights.row(i).minCoeff() >= 0) ||
            !(std::abs(part.weights.row(i).sum() - 1.0) < 1e-6)) {
            refuse_scene(fmt::format("{}, point {}", where, i), "joints or weights out of range",
                         "joints of the skin and weights that sum to 1");
        }
    }
}

// Materials of a file come first, with the numbers that its parts have for them.
void Writer::add_looks() {
    if (scene_.looks.json.empty()) {
        return;
    }
    OrderedJson looks = OrderedJson::parse(scene_.looks.json);
    materials_ = std::move(looks["materials"]);
    textures_ = std::move(looks["textures"]);
    samplers_ = std::move(looks["samplers"]);
    images_ = std::move(looks["images"]);
    extensions_ = std::move(looks["extensionsUsed"]);
    SINEW_ASSERT(images_.size() == scene_.looks.images.size(), "{} images, {} with bytes",
                 images_.size(), scene_.looks.images.size());
    for (std::size_t i = 0; i < images_.size(); ++i) {
        data_ += scene_.looks.images[i];
        images_[i]["bufferView"] = add_view(0);
    }
}

std::size_t Writer::add_material(const GltfPart& part) {
    if (part.material >= 0) {
        if (static_cast<std::size_t>(part.material) >= materials_.size()) {
            refuse_scene(fmt::format("part '{}'", part.part.name),
                         fmt::format("material {}", part.material),
                         fmt::format("one of {} of the scene", materials_.size()));
        }
        return at(part.material);
    }
    OrderedJson material = {{"pbrMetallicRoughness",
                             {{"baseColorFactor", part.part.colour},
                              {"metallicFactor", part.metallic},
                              {"roughnessFactor", part.roughness}}}};
    if (part.part.colour[3] < 1.0f) {
        material["alphaMode"] = "BLEND";
    }
    if (part.is_double_sided) {
        material["doubleSided"] = true;
    }
    // Parts of one look share a material, named after their kind, or else the first.
    const auto [known, is_new] = material_of_look_.try_emplace(material.dump(), materials_.size());
    if (is_new) {
        material["name"] = clean_name(part.part.kind.empty() ? part.part.name : part.part.kind);
        materials_.push_back(std::move(material));
    }
    return known->second;
}

void Writer::add_attributes(const GltfPart& part, const SeamPoints& seams, OrderedJson& primitive) {
    const TriangleMesh& mesh = part.part.mesh;
    OrderedJson& attributes = primitive["attributes"];
    attributes["POSITION"] = add_points(with_seams(mesh.points, seams.again), true);
    if (mesh.triangles.rows() > 0) {
        Points normals = part.normals.rows() > 0 ? part.normals : vertex_normals(mesh);
        for (Eigen::Index i = 0; i < normals.rows(); ++i) {
            const double length = normals.row(i).norm();
            if (length > 0 && std::isfinite(length)) {
                normals.row(i) /= length;
            } else {
                normals.row(i) << 0, 1, 0;
            }
        }
        attributes["NORMAL"] = add_points(with_seams(normals, seams.again), false);
    }
    if (const Attribute* colour = find_attribute(mesh.point_data, kColourAttribute);
        colour != nullptr && (colour->components == 3 || colour->components == 4)) {
        std::vector<double> values = colour->values;
        for (const Index v : seams.again) {
            for (int k = 0; k < colour->components; ++k) {
                values.push_back(colour->values[at(v * colour->components + k)]);
            }
        }
        for (double& value : values) {
            value = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0.0;
        }
        attributes["COLOR_0"] =
            add_floats(values, static_cast<std::size_t>(colour->components),
                       colour->components == 3 ? "VEC3" : "VEC4", kArrayBuffer, false);
    }
    if (!seams.uv.empty()) {
        // Images begin at the top in this format.
        std::vector<double> values = seams.uv;
        for (std::size_t i = 1; i < values.size(); i += 2) {
            values[i] = 1.0 - values[i];
        }
        attributes["TEXCOORD_0"] = add_floats(values, 2, "VEC2", kArrayBuffer, false);
    }
    for (const auto& [name, key] : {std::pair("uv", "TEXCOORD_0"), {"uv_1", "TEXCOORD_1"}}) {
        if (!seams.uv.empty()) {
            break;
        }
        if (const Attribute* uv = find_attribute(mesh.point_data, name);
            uv != nullptr && uv->components == 2) {
            attributes[key] = add_floats(uv->values, 2, "VEC2", kArrayBuffer, false);
        }
    }
    if (part.skin >= 0) {
        // A joint without weight must be 0.
        Joints4 joints = with_seams(part.joints, seams.again);
        const Weights4 weights = with_seams(part.weights, seams.again);
        for (Eigen::Index i = 0; i < joints.rows(); ++i) {
            for (int k = 0; k < 4; ++k) {
                joints(i, k) = static_cast<float>(weights(i, k)) > 0 ? joints(i, k) : 0;
            }
        }
        const std::span<const Index> flat(joints.data(), static_cast<std::size_t>(joints.size()));
        attributes["JOINTS_0"] =
            scene_.skins[at(part.skin)].joints.size() <= 256
                ? add_whole<std::uint8_t>(flat, 4, "VEC4", kUnsignedByte, kArrayBuffer)
                : add_whole<std::uint16_t>(flat, 4, "VEC4", kUnsignedShort, kArrayBuffer);
        attributes["WEIGHTS_0"] =
            add_floats({weights.data(), static_cast<std::size_t>(weights.size())}, 4, "VEC4",
                       kArrayBuffer, false);
    }
}

Writer::OpenPart Writer::open_part(const GltfPart& part) {
    require_valid_part(part);
    const TriangleMesh& shape = part.part.mesh;
    OpenPart open;
    open.node = {{"name", clean_name(part.part.name)}};
    if (!part.part.kind.empty()) {
        open.node["extras"]["kind"] = clean_name(part.part.kind);
    }
    if (part.node >= 0 && part.node < static_cast<Index>(scene_.nodes.size())) {
        open.node["extras"]["carrier"] = part.node;
    }
    if (shape.points.rows() == 0) {
        return open;
    }
    open.mesh = {{"name", clean_name(part.part.name)}};
    SeamPoints seams = seam_points(shape).value_or(SeamPoints{.triangles = shape.triangles});
    add_attributes(part, seams, open.primitive);
    if (!seams.again.empty()) {
        // So that the reader can put them together again.
        open.node["extras"]["seams"] = seams.again;
    }
    if (shape.triangles.rows() > 0) {
        const std::span<const Index> flat(seams.triangles.data(),
                                          static_cast<std::size_t>(seams.triangles.size()));
        // The largest value of a type is reserved by the format.
        open.primitive["indices"] =
            shape.points.rows() + static_cast<Eigen::Index>(seams.again.size()) <= 65535
                ? add_whole<std::uint16_t>(flat, 1, "SCALAR", kUnsignedShort, kElementBuffer)
                : add_whole<std::uint32_t>(flat, 1, "SCALAR", kUnsignedInt, kElementBuffer);
    } else {
        open.primitive["mode"] = 0;
    }
    open.again = std::move(seams.again);
    open.primitive["material"] = add_material(part);
    open.node["mesh"] = 0;  // known when it is closed
    if (part.skin >= 0) {
        open.node["skin"] = part.skin;
    }
    return open;
}

void Writer::add_morph(OpenPart& open, const Points& displacement, double weight,
                       std::string_view name) {
    open.primitive["targets"].push_back(
        {{"POSITION", add_points(with_seams(displacement, open.again), true)}});
    open.mesh["weights"].push_back(weight);
    open.mesh["extras"]["targetNames"].push_back(clean_name(name));
}

void Writer::close_part(OpenPart open) {
    if (!open.mesh.is_null()) {
        open.mesh["primitives"] = OrderedJson::array({std::move(open.primitive)});
        open.node["mesh"] = meshes_.size();
        meshes_.push_back(std::move(open.mesh));
    }
    node_of_part_.push_back(nodes_.size());
    nodes_.push_back(std::move(open.node));
}

void Writer::add_part(const GltfPart& part) {
    OpenPart open = open_part(part);
    for (const GltfMorph& morph : part.morphs) {
        if (!open.mesh.is_null()) {
            add_morph(open, morph.displacement, morph.weight, morph.name);
        }
    }
    close_part(std::move(open));
}

void Writer::add_play(const std::string& name, std::span<const double> times) {
    const std::size_t input = add_floats(times, 1, "SCALAR", 0, true);
    const float one = 1.0f;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t row = data_.size();
        data_.resize(row + times.size() * sizeof(float), '\0');
        std::memcpy(data_.data() + row + i * sizeof(float), &one, sizeof(float));
        spill();
    }
    const std::size_t output =
        add_accessor(add_view(0), kFloat, times.size() * times.size(), "SCALAR");
    OrderedJson samplers = OrderedJson::array();
    samplers.push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
    OrderedJson channels = OrderedJson::array();
    for (const std::size_t node : node_of_part_) {
        if (nodes_[node].contains("mesh")) {
            channels.push_back({{"sampler", 0}, {"target", {{"node", node}, {"path", "weights"}}}});
        }
    }
    animations_.push_back({{"name", clean_name(name)},
                           {"samplers", std::move(samplers)},
                           {"channels", std::move(channels)}});
}

void Writer::add_nodes() {
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
        const GltfNode& node = scene_.nodes[i];
        if (node.parent >= static_cast<Index>(i) || node.parent < -1 ||
            !node.translation.allFinite() || !node.scale.allFinite() ||
            !(std::abs(node.rotation.norm() - 1.0) < 1e-6)) {
            refuse_scene(fmt::format("node '{}'", node.name),
                         "a parent or a transform out of range",
                         "an earlier parent or -1, finite numbers and a unit rotation");
        }
        const Eigen::Quaterniond q = node.rotation.normalized();
        nodes_.push_back(
            {{"name", clean_name(node.name)},
             {"translation", {node.translation.x(), node.translation.y(), node.translation.z()}},
             {"rotation", {q.x(), q.y(), q.z(), q.w()}},
             {"scale", {node.scale.x(), node.scale.y(), node.scale.z()}}});
        if (node.parent >= 0) {
            nodes_[at(node.parent)]["children"].push_back(i);
        }
    }
}

void Writer::add_skins() {
    for (const GltfSkin& skin : scene_.skins) {
        const std::string where = fmt::format("skin '{}'", skin.name);
        if (skin.joints.empty() || skin.inverse_bind.size() != skin.joints.size()) {
            refuse_scene(where,
                         fmt::format("{} joints and {} matrices", skin.joints.size(),
                                     skin.inverse_bind.size()),
                         "as many matrices as joints, and at least one");
        }
        std::vector<double> matrices;
        for (std::size_t j = 0; j < skin.joints.size(); ++j) {
            if (skin.joints[j] < 0 || skin.joints[j] >= static_cast<Index>(scene_.nodes.size()) ||
                !skin.inverse_bind[j].allFinite()) {
                refuse_scene(where, fmt::format("joint {}", skin.joints[j]), "a node of the scene");
            }
            Eigen::Matrix4d B = skin.inverse_bind[j];
            B.row(3) << 0, 0, 0, 1;
            matrices.insert(matrices.end(), B.data(), B.data() + 16);
        }
        skins_.push_back({{"name", clean_name(skin.name)},
                          {"inverseBindMatrices", add_floats(matrices, 16, "MAT4", 0, false)},
                          {"joints", skin.joints}});
    }
}

void Writer::add_animations() {
    static constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
    static constexpr const char* kKinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    for (const GltfAnimation& animation : scene_.animations) {
        OrderedJson samplers = OrderedJson::array();
        OrderedJson channels = OrderedJson::array();
        for (const GltfTrack& track : animation.tracks) {
            const bool is_morph = track.path == GltfPath::MorphWeights;
            const Index target = is_morph ? track.part : track.node;
            const std::size_t limit = is_morph ? node_of_part_.size() : scene_.nodes.size();
            const std::string where = fmt::format("animation '{}'", animation.name);
            if (target < 0 || static_cast<std::size_t>(target) >= limit) {
                refuse_scene(where, fmt::format("target {}", target),
                             fmt::format("below {}", limit));
            }
            const auto index = static_cast<std::size_t>(target);
            const std::size_t width = is_morph ? scene_.parts[index].morphs.size()
                                      : track.path == GltfPath::Rotation ? 4
                                                                         : 3;
            const std::size_t keys =
                track.times.size() *
                (track.interpolation == GltfInterpolation::CubicSpline ? 3 : 1);
            if (track.times.empty() || width == 0 || track.values.size() != keys * width) {
                refuse_scene(
                    where,
                    fmt::format("{} times and {} values", track.times.size(), track.values.size()),
                    fmt::format("{} values per key", width));
            }
            const char* shape = is_morph ? "SCALAR" : width == 4 ? "VEC4" : "VEC3";
            samplers.push_back(
                {{"input", add_floats(track.times, 1, "SCALAR", 0, true)},
                 {"interpolation", kKinds[static_cast<int>(track.interpolation)]},
                 {"output", add_floats(track.values, is_morph ? 1 : width, shape, 0, false)}});
            channels.push_back({{"sampler", samplers.size() - 1},
                                {"target",
                                 {{"node", is_morph ? node_of_part_[index] : index},
                                  {"path", kPaths[static_cast<int>(track.path)]}}}});
        }
        if (!channels.empty()) {
            animations_.push_back({{"name", clean_name(animation.name)},
                                   {"samplers", std::move(samplers)},
                                   {"channels", std::move(channels)}});
        }
    }
}

// Above the parts of one kind, as people look for them in an outliner.
void Writer::add_groups() {
    std::vector<MeshPart> kinds;  // without their meshes
    for (const GltfPart& part : scene_.parts) {
        kinds.push_back({.name = "", .mesh = {}, .kind = part.part.kind});
    }
    const std::vector<std::string> groups = part_groups(kinds);
    std::map<std::string, std::size_t> node_of_group;
    is_in_group_.assign(nodes_.size(), false);
    for (std::size_t p = 0; p < groups.size(); ++p) {
        // A skinned mesh stands at the top: what is above it does not move it.
        if (groups[p].empty() || scene_.parts[p].skin >= 0) {
            continue;
        }
        const auto [it, is_new] = node_of_group.try_emplace(groups[p], nodes_.size());
        if (is_new) {
            nodes_.push_back({{"name", clean_name(groups[p])}, {"extras", {{"group", true}}}});
            is_in_group_.push_back(false);
        }
        nodes_[it->second]["children"].push_back(node_of_part_[p]);
        is_in_group_[node_of_part_[p]] = true;
    }
}

std::string Writer::head() {
    add_groups();
    OrderedJson root;
    root["asset"] = {{"version", "2.0"}, {"generator", "Sinew " + version()}};
    if (!nodes_.empty()) {
        OrderedJson roots = OrderedJson::array();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (i < scene_.nodes.size() ? scene_.nodes[i].parent < 0 : !is_in_group_[i]) {
                roots.push_back(i);
            }
        }
        root["scene"] = 0;
        root["scenes"] = OrderedJson::array({{{"nodes", std::move(roots)}}});
    }
    for (auto& [key, items] :
         {std::pair("nodes", &nodes_), std::pair("meshes", &meshes_),
          std::pair("materials", &materials_), std::pair("textures", &textures_),
          std::pair("samplers", &samplers_), std::pair("images", &images_),
          std::pair("extensionsUsed", &extensions_), std::pair("skins", &skins_),
          std::pair("animations", &animations_), std::pair("accessors", &accessors_),
          std::pair("bufferViews", &views_)}) {
        if (!items->empty()) {
            root[key] = std::move(*items);
        }
    }
    if (size() > 0) {
        root["buffers"] = OrderedJson::array({{{"byteLength", size()}}});
    }
    std::string text = root.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::size_t total = 20 + text.size() + (size() > 0 ? 8 + size() : 0);
    if (total > std::numeric_limits<std::uint32_t>::max()) {
        refuse_scene("scene", fmt::format("{:.1f} GB", static_cast<double>(total) * 1e-9),
                     "less than 4.2 GB, the most a .glb file holds");
    }
    std::string out;
    append_32(out, 0x46546C67);
    append_32(out, 2);
    append_32(out, static_cast<std::uint32_t>(total));
    append_32(out, static_cast<std::uint32_t>(text.size()));
    append_32(out, 0x4E4F534A);
    out += text;
    if (size() > 0) {
        append_32(out, static_cast<std::uint32_t>(size()));
        append_32(out, 0x004E4942);
    }
    return out;
}

std::string Writer::bytes() {
    add_nodes();
    for (const GltfPart& part : scene_.parts) {
        add_part(part);
    }
    add_skins();
    add_animations();
    return head() + data_;
}

}  // namespace

std::string glb_bytes(const GltfScene& scene) {
    return Writer(scene).bytes();
}

void write_glb(const std::filesystem::path& path, const GltfScene& scene) {
    write_file_bytes(path, glb_bytes(scene));
}

void write_glb(const std::filesystem::path& path, std::span<const MeshPart> parts) {
    write_glb(path, scene_of(parts));
}

struct GlbFrameWriter::Data {
    Data(const std::filesystem::path& path_in, GltfScene scene_in, std::vector<double> times_in)
        : path(path_in),
          times(std::move(times_in)),
          scene(std::move(scene_in)),
          shapes(path_in),
          writer(scene, &shapes) {
        for (const GltfPart& part : scene.parts) {
            open.push_back(writer.open_part(part));
            points += part.part.mesh.points.rows();
        }
    }

    std::filesystem::path path;
    std::vector<double> times;
    GltfScene scene;
    AtomicStream shapes;  // never gets a name: numbers in front of it are known when it is whole
    Writer writer;
    std::vector<Writer::OpenPart> open = {};
    Eigen::Index points = 0;
    std::size_t count = 0;
};

GlbFrameWriter::GlbFrameWriter(const std::filesystem::path& path, std::span<const MeshPart> parts,
                               std::vector<double> times)
    : GlbFrameWriter(path, scene_of(parts), std::move(times)) {}

GlbFrameWriter::GlbFrameWriter(const std::filesystem::path& path, GltfScene scene,
                               std::vector<double> times) {
    require_frame_times(path, times);
    const auto frames = static_cast<double>(times.size());
    double points = 0.0;
    for (GltfPart& part : scene.parts) {
        points += static_cast<double>(part.part.mesh.points.rows());
        part.skin = -1;
        part.node = -1;
        part.morphs.clear();
    }
    scene.nodes.clear();
    scene.skins.clear();
    scene.animations.clear();
    const double bytes = frames * (sizeof(float) * (3.0 * points + frames));
    constexpr double kMost = 4.2e9;
    if (bytes > kMost) {
        throw InputError({.where = path.string(),
                          .found = fmt::format("{} frames of {} points, {:.1f} GB", frames, points,
                                               1e-9 * bytes),
                          .needs = "less than 4.2 GB, the most a .glb file holds",
                          .remedy = "write .pc2 or .mdd, or fewer frames with --rate or --frames"});
    }
    data_ = std::make_unique<Data>(path, std::move(scene), std::move(times));
}
GlbFrameWriter::~GlbFrameWriter() = default;

void GlbFrameWriter::add(const Points& frame) {
    Data& d = *data_;
    require_frame(d.path, frame, d.points, d.times.size() - d.count);
    if (!frame.allFinite() ||
        (frame.size() > 0 && frame.cwiseAbs().maxCoeff() > kLargestCoordinate)) {
        refuse_scene(fmt::format("{}, frame {}", d.path.string(), d.count + 1),
                     "a coordinate beyond single precision", "coordinates below 1e30 m");
    }
    ++d.count;
    Eigen::Index first = 0;
    for (std::size_t p = 0; p < d.open.size(); ++p) {
        const Points& rest = d.scene.parts[p].part.mesh.points;
        if (rest.rows() > 0) {
            d.writer.add_morph(d.open[p], frame.middleRows(first, rest.rows()) - rest, 0.0,
                               fmt::format("frame_{}", d.count));
        }
        first += rest.rows();
    }
}

void GlbFrameWriter::commit() {
    Data& d = *data_;
    require_no_frames_left(d.path, d.times.size() - d.count);
    for (Writer::OpenPart& part : d.open) {
        d.writer.close_part(std::move(part));
    }
    d.writer.add_play(d.open.size() == 1 ? d.scene.parts[0].part.name : "motion", d.times);
    AtomicStream file(d.path);
    file.write(d.writer.head());
    file.append(d.shapes);
    file.commit();
}

}  // namespace sinew
