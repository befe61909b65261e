#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/strict_json.h"
#include "sinew/pipeline/solve_scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

using nlohmann::json;

constexpr int kSceneVersion = 1;
constexpr std::uint64_t kMaxSceneBytes = std::uint64_t{64} << 20;

/// One JSON value and its place, for messages.
class Value {
public:
    Value(const json& value, std::string where) : value_(&value), where_(std::move(where)) {}

    [[noreturn]] void refuse(std::string found, std::string needs) const {
        throw InputError({.where = where_,
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "see docs/solve.md for the format"});
    }

    void allow_only(std::initializer_list<const char*> keys) const {
        if (!value_->is_object()) {
            refuse(fmt::format("a JSON {}", value_->type_name()), "an object { ... }");
        }
        const std::vector<std::string> known(keys.begin(), keys.end());
        for (const auto& [key, ignored] : value_->items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                const std::string word = key.substr(0, 80);
                refuse(fmt::format("unknown key '{}'{}", word, did_you_mean(word, known)),
                       fmt::format("one of: {}", join(known, ", ")));
            }
        }
    }

    const std::string& where() const {
        return where_;
    }
    bool has(const char* key) const {
        return value_->contains(key);
    }
    Value at(const char* key) const {
        if (!has(key)) {
            refuse(fmt::format("no '{}'", key), fmt::format("the key '{}'", key));
        }
        return {(*value_)[key], fmt::format("{}: {}", where_, key)};
    }

    double number() const {
        if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
            refuse(fmt::format("a JSON {}", value_->type_name()), "a finite number");
        }
        return value_->get<double>();
    }
    double number_between(double low, double high) const {
        const double x = number();
        if (!(x >= low) || !(x <= high)) {
            refuse(fmt::format("{}", x), fmt::format("a number from {} to {}", low, high));
        }
        return x;
    }
    double number_above(double low) const {
        const double x = number();
        if (!(x > low)) {
            refuse(fmt::format("{}", x), fmt::format("a number > {}", low));
        }
        return x;
    }
    int whole(int low, int high) const {
        if (!value_->is_number_integer() || value_->get<double>() < low ||
            value_->get<double>() > high) {
            refuse(value_->is_number() ? value_->dump()
                                       : fmt::format("a JSON {}", value_->type_name()),
                   fmt::format("a whole number from {} to {}", low, high));
        }
        return value_->get<int>();
    }
    std::string text() const {
        if (!value_->is_string()) {
            refuse(fmt::format("a JSON {}", value_->type_name()), "a text");
        }
        return value_->get<std::string>();
    }
    std::vector<Value> items() const {
        if (!value_->is_array()) {
            refuse(fmt::format("a JSON {}", value_->type_name()), "a list [ ... ]");
        }
        std::vector<Value> list;
        for (std::size_t i = 0; i < value_->size(); ++i) {
            list.emplace_back((*value_)[i], fmt::format("{}[{}]", where_, i));
        }
        return list;
    }
    Vec3 vector() const {
        const std::vector<Value> list = items();
        if (list.size() != 3) {
            refuse(fmt::format("{} numbers", list.size()), "three numbers, x y z");
        }
        return {list[0].number(), list[1].number(), list[2].number()};
    }
    /// Position of the text among `words`.
    std::size_t choice(const std::vector<std::string>& words) const {
        const std::string word = text();
        const auto found = std::find(words.begin(), words.end(), word);
        if (found == words.end()) {
            const std::string shown = word.substr(0, 80);
            refuse(fmt::format("'{}'{}", shown, did_you_mean(shown, words)),
                   fmt::format("one of: {}", join(words, ", ")));
        }
        return static_cast<std::size_t>(found - words.begin());
    }

private:
    const json* value_;
    std::string where_;
};

const std::vector<std::string> kLawNames = {"linear",
                                            "corotated",
                                            "stable_neo_hookean",
                                            "compressible_neo_hookean",
                                            "isochoric_neo_hookean",
                                            "mooney_rivlin",
                                            "symmetric_arap",
                                            "muscle",
                                            "tendon"};

/// Constants of muscle or tendon, with any of them given otherwise.
MuscleConstants muscle_from(const Value& v, bool is_tendon) {
    MuscleConstants c = is_tendon ? tendon_constants() : muscle_constants();
    const auto read = [&](const char* key, double& to) {
        to = v.has(key) ? v.at(key).number() : to;
    };
    read("A", c.matrix.A);
    read("B", c.matrix.B);
    read("K", c.matrix.K);
    read("peak_stress", c.fibre.peak_stress);
    read("optimal_stretch", c.fibre.optimal_stretch);
    read("passive_stress", c.fibre.passive_stress);
    read("passive_exponent", c.fibre.passive_exponent);
    read("linear_from", c.fibre.linear_from);
    read("toe", c.fibre.toe);
    require_valid(c, v.where().c_str());
    return c;
}

SceneMaterial material_from(const Value& v) {
    SceneMaterial m;
    if (v.has("region")) {
        m.region =
            v.at("region").whole(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    }
    m.law = static_cast<SceneLaw>(v.at("law").choice(kLawNames));
    if (m.law == SceneLaw::MooneyRivlin) {
        v.allow_only({"region", "law", "A", "B", "K", "density"});
        m.A = v.at("A").number_between(0.0, 1e15);
        m.B = v.at("B").number_between(0.0, 1e15);
        m.K = v.at("K").number_above(0.0);
    } else if (m.law == SceneLaw::Muscle || m.law == SceneLaw::Tendon) {
        v.allow_only({"region", "law", "fibre", "activation", "density", "A", "B", "K",
                      "peak_stress", "optimal_stretch", "passive_stress", "passive_exponent",
                      "linear_from", "toe"});
        m.muscle = muscle_from(v, m.law == SceneLaw::Tendon);
        m.fibre = v.at("fibre").vector();
        if (!(m.fibre.norm() > 0.0)) {
            v.at("fibre").refuse("a vector without length", "a direction");
        }
        if (v.has("activation")) {
            if (m.law == SceneLaw::Tendon) {
                v.at("activation").refuse("an activation of tendon", "none: tendon is passive");
            }
            m.activation = v.at("activation").number_between(0.0, 1.0);
        }
    } else {
        v.allow_only({"region", "law", "young_modulus", "poisson_ratio", "density"});
        m.young_modulus = v.at("young_modulus").number_above(0.0);
        m.poisson_ratio = v.at("poisson_ratio").number();
        if (!(m.poisson_ratio > -1.0) || !(m.poisson_ratio < 0.5)) {
            v.at("poisson_ratio")
                .refuse(fmt::format("{}", m.poisson_ratio), "a number in (-1, 0.5)");
        }
    }
    if (v.has("density")) {
        m.density = v.at("density").number_above(0.0);
    }
    return m;
}

SceneVertices vertices_from(const Value& v) {
    SceneVertices chosen;
    if (v.has("box")) {
        const std::vector<Value> corners = v.at("box").items();
        if (corners.size() != 2) {
            v.at("box").refuse(fmt::format("{} corners", corners.size()),
                               "two corners: [[x, y, z], [x, y, z]]");
        }
        chosen.box = SceneVertices::Box{corners[0].vector(), corners[1].vector()};
        if ((chosen.box->low.array() > chosen.box->high.array()).any()) {
            v.at("box").refuse("a first corner above the second", "the lower corner first");
        }
    }
    if (v.has("vertices")) {
        for (const Value& item : v.at("vertices").items()) {
            chosen.list.push_back(item.whole(0, std::numeric_limits<Index>::max()));
        }
    }
    if (!chosen.box && !v.has("vertices")) {
        v.refuse("neither 'box' nor 'vertices'", "a box or a list of vertex numbers (from 0)");
    }
    return chosen;
}

std::array<bool, 3> axes_from(const Value& v) {
    if (!v.has("axes")) {
        return {true, true, true};
    }
    std::array<bool, 3> axes = {false, false, false};
    const std::string text = v.at("axes").text();
    for (const char letter : text) {
        if (letter < 'x' || letter > 'z') {
            v.at("axes").refuse(fmt::format("'{}'", text.substr(0, 20)), "letters of 'xyz'");
        }
        axes[static_cast<std::size_t>(letter - 'x')] = true;
    }
    if (text.empty()) {
        v.at("axes").refuse("no letter", "letters of 'xyz'");
    }
    return axes;
}

SceneForce force_from(const Value& v) {
    v.allow_only({"box", "vertices", "each", "total"});
    SceneForce f;
    f.vertices = vertices_from(v);
    if (v.has("each") == v.has("total")) {
        v.refuse(v.has("each") ? "both 'each' and 'total'" : "neither 'each' nor 'total'",
                 "a force on each vertex, or a total that they share");
    }
    f.is_total = v.has("total");
    f.force = v.at(f.is_total ? "total" : "each").vector();
    return f;
}

void read_loads(const Value& root, SolveScene& scene) {
    if (root.has("fixed")) {
        for (const Value& v : root.at("fixed").items()) {
            v.allow_only({"box", "vertices", "axes"});
            scene.holds.push_back({vertices_from(v), Vec3::Zero(), axes_from(v)});
        }
    }
    if (root.has("prescribed")) {
        for (const Value& v : root.at("prescribed").items()) {
            v.allow_only({"box", "vertices", "axes", "displacement"});
            scene.holds.push_back({vertices_from(v), v.at("displacement").vector(), axes_from(v)});
        }
    }
    if (root.has("gravity")) {
        scene.gravity = root.at("gravity").vector();
    }
    if (root.has("forces")) {
        for (const Value& v : root.at("forces").items()) {
            scene.forces.push_back(force_from(v));
        }
    }
    if (root.has("body_forces")) {
        for (const Value& v : root.at("body_forces").items()) {
            v.allow_only({"region", "force_density"});
            SceneBodyForce f;
            if (v.has("region")) {
                f.region = v.at("region").whole(std::numeric_limits<int>::min(),
                                                std::numeric_limits<int>::max());
            }
            f.density = v.at("force_density").vector();
            scene.body_forces.push_back(f);
        }
    }
}

void read_settings(const Value& root, SolveScene& scene) {
    if (root.has("method")) {
        scene.method = static_cast<SceneMethod>(root.at("method").choice({"newton", "projective"}));
        if (scene.method == SceneMethod::Projective) {
            scene.tolerance = 1e-5;  // the local step works in single precision
            scene.max_iterations = 1000;
        }
    }
    if (root.has("analysis")) {
        scene.analysis =
            static_cast<SceneAnalysis>(root.at("analysis").choice({"statics", "dynamics"}));
    }
    if (root.has("max_iterations")) {
        scene.max_iterations = root.at("max_iterations").whole(1, 1000000);
    }
    if (root.has("tolerance")) {
        scene.tolerance = root.at("tolerance").number_between(1e-15, 1.0);
    }
    for (const char* key : {"step", "duration", "damping"}) {
        if (root.has(key) && scene.analysis == SceneAnalysis::Statics) {
            root.at(key).refuse("a setting of dynamics in a scene of statics",
                                "\"analysis\": \"dynamics\", or no such key");
        }
    }
    if (root.has("step")) {
        scene.step = root.at("step").number_between(1e-9, 1e6);
    }
    if (root.has("duration")) {
        scene.duration = root.at("duration").number_between(scene.step, 1e6 * scene.step);
    }
    if (root.has("damping")) {
        scene.damping = root.at("damping").number_between(0.0, 1e9);
    }
}

}  // namespace

SolveScene parse_solve_scene(std::string_view text, const std::string& where,
                             const std::filesystem::path& folder) {
    const json document = parse_json(text, where);
    const Value root(document, where);
    root.allow_only({"version", "mesh", "unit", "up", "method", "analysis", "materials", "fixed",
                     "prescribed", "gravity", "forces", "body_forces", "max_iterations",
                     "tolerance", "step", "duration", "damping"});
    root.at("version").whole(kSceneVersion, kSceneVersion);

    SolveScene scene;
    scene.where = where;
    scene.mesh = folder / root.at("mesh").text();
    if (root.has("unit")) {
        scene.read_options.unit = unit_from_name(root.at("unit").text());
    }
    if (root.has("up")) {
        scene.read_options.up = up_axis_from_name(root.at("up").text());
    }
    for (const Value& v : root.at("materials").items()) {
        scene.materials.push_back(material_from(v));
    }
    read_loads(root, scene);
    read_settings(root, scene);
    return scene;
}

SolveScene read_solve_scene(const std::filesystem::path& path) {
    return parse_solve_scene(read_file_bytes(path, kMaxSceneBytes), path.string(),
                             path.parent_path());
}

}  // namespace sinew
