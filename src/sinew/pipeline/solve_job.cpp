#include "sinew/pipeline/solve_job.h"

#include "sinew/base/error.h"
#include "sinew/base/formula.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/settings_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// The scene's file, field by field, into the scene's own types. Which keys belong to which law is a
// table, so that a key that a law does not know is an error and not ignored.

namespace sinew {

namespace {

[[noreturn]] void refuse_scene(const FieldPlace& place, std::string found, std::string needs) {
    throw InputError({.where = place.text(),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "see docs/solve.md for the format"});
}

/// What a law takes besides region and density, and what it cannot do without.
struct LawKeys {
    std::vector<std::string> allowed;
    std::vector<std::string> needed;
};

LawKeys keys_of(SceneLaw law) {
    const std::vector<std::string> fibres = {"fibre",
                                             "fibre_formula",
                                             "fibre_data",
                                             "A",
                                             "B",
                                             "K",
                                             "peak_stress",
                                             "optimal_stretch",
                                             "passive_stress",
                                             "passive_exponent",
                                             "linear_from",
                                             "toe"};
    LawKeys keys;
    if (law == SceneLaw::MooneyRivlin) {
        keys.allowed = keys.needed = {"A", "B", "K"};
    } else if (law == SceneLaw::Muscle || law == SceneLaw::Tendon) {
        keys.allowed = fibres;
        if (law == SceneLaw::Muscle) {  // tendon is passive
            keys.allowed.emplace_back("activation");
        }
    } else if (law == SceneLaw::Guccione) {
        keys.needed = {"C", "bf", "bt", "bfs", "K"};
        keys.allowed = {"C", "bf", "bt", "bfs", "K", "fibre", "fibre_formula", "fibre_data"};
    } else if (law == SceneLaw::HolzapfelOgden) {
        keys.needed = {"a", "K"};
        keys.allowed = {"a",          "b",
                        "af",         "bf",
                        "as",         "bs",
                        "afs",        "bfs",
                        "K",          "fibre",
                        "sheet",      "fibre_formula",
                        "fibre_data", "sheet_formula",
                        "sheet_data"};
    } else if (law == SceneLaw::Ogden) {
        keys.allowed = keys.needed = {"mu", "alpha", "K"};
    } else {
        keys.allowed = keys.needed = {"young_modulus", "poisson_ratio"};
    }
    return keys;
}

void require_keys_of_law(const SolveJob::Material& m, const FieldPlace& place) {
    const LawKeys keys = keys_of(m.law);
    const auto is_one_of = [](const std::vector<std::string>& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::string law;
    visit_fields(m, [&](const auto& value, const Field& field) {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, SceneLaw>) {
            law = field.choices[at(value)];
        } else if constexpr (OptionalField<T>) {
            if (value && field.name != "region" && !is_one_of(keys.allowed, field.name)) {
                refuse_scene(place, fmt::format("'{}' with the law '{}'", field.name, law),
                             fmt::format("of that law only: {}", join(keys.allowed, ", ")));
            }
            if (!value && is_one_of(keys.needed, field.name)) {
                refuse_scene(place, fmt::format("no '{}'", field.name),
                             fmt::format("the key '{}' for the law '{}'", field.name, law));
            }
        }
    });
}

/// Constants of muscle or tendon, with any of them given otherwise.
MuscleConstants constants_of(const SolveJob::Material& m, const FieldPlace& place) {
    MuscleConstants c = m.law == SceneLaw::Tendon ? tendon_constants() : muscle_constants();
    c.matrix.A = m.A.value_or(c.matrix.A);
    c.matrix.B = m.B.value_or(c.matrix.B);
    c.matrix.K = m.K.value_or(c.matrix.K);
    c.fibre.peak_stress = m.peak_stress.value_or(c.fibre.peak_stress);
    c.fibre.optimal_stretch = m.optimal_stretch.value_or(c.fibre.optimal_stretch);
    c.fibre.passive_stress = m.passive_stress.value_or(c.fibre.passive_stress);
    c.fibre.passive_exponent = m.passive_exponent.value_or(c.fibre.passive_exponent);
    c.fibre.linear_from = m.linear_from.value_or(c.fibre.linear_from);
    c.fibre.toe = m.toe.value_or(c.fibre.toe);
    require_valid(c, place.text().c_str());
    return c;
}

/// A direction in one of three ways, which must be one.
SceneDirection direction_of(const std::string& name, const std::optional<Vec3>& vector,
                            const std::optional<std::array<std::string, 3>>& formula,
                            const std::optional<std::string>& data, const FieldPlace& place) {
    const int given = static_cast<int>(vector.has_value()) + static_cast<int>(formula.has_value()) +
                      static_cast<int>(data.has_value());
    if (given != 1) {
        refuse_scene(place,
                     given == 0 ? fmt::format("no '{}'", name)
                                : fmt::format("'{}' given {} times", name, given),
                     fmt::format("one of the keys '{0}', '{0}_formula' and '{0}_data'", name));
    }
    SceneDirection direction;
    if (vector) {
        direction.vector = *vector;
        if (!(vector->norm() > 0.0)) {
            refuse_scene(place.field(name), "a vector without length", "a direction");
        }
    }
    if (formula) {
        direction.formula.assign(formula->begin(), formula->end());
        for (const std::string& text : direction.formula) {
            const Formula checked(text, place.field(name + "_formula").text());
        }
    }
    direction.data = data.value_or("");
    if (data && data->empty()) {
        refuse_scene(place.field(name + "_data"), "an empty name", "the name of element data");
    }
    return direction;
}

void set_fibre_law(const SolveJob::Material& m, const FieldPlace& place, SceneMaterial& material) {
    switch (m.law) {
        case SceneLaw::Muscle:
        case SceneLaw::Tendon:
            material.muscle = constants_of(m, place);
            break;
        case SceneLaw::Guccione:
            material.guccione = {.C = *m.C, .bf = *m.bf, .bt = *m.bt, .bfs = *m.bfs, .K = *m.K};
            break;
        case SceneLaw::HolzapfelOgden:
            material.holzapfel_ogden = {.a = *m.a,
                                        .b = m.b.value_or(0.0),
                                        .af = m.af.value_or(0.0),
                                        .bf = m.bf.value_or(0.0),
                                        .as = m.as.value_or(0.0),
                                        .bs = m.bs.value_or(0.0),
                                        .afs = m.afs.value_or(0.0),
                                        .bfs = m.bfs.value_or(0.0),
                                        .K = *m.K};
            material.sheet = direction_of("sheet", m.sheet, m.sheet_formula, m.sheet_data, place);
            break;
        default:
            return;
    }
    material.fibre = direction_of("fibre", m.fibre, m.fibre_formula, m.fibre_data, place);
}

SceneMaterial material_of(const SolveJob::Material& m, const FieldPlace& place) {
    require_keys_of_law(m, place);
    SceneMaterial material{.region = m.region,
                           .law = m.law,
                           .young_modulus = m.young_modulus.value_or(0.0),
                           .poisson_ratio = m.poisson_ratio.value_or(0.0),
                           .activation = m.activation.value_or(0.0),
                           .density = m.density};
    if (m.law == SceneLaw::MooneyRivlin) {
        material.A = *m.A;
        material.B = *m.B;
        material.K = *m.K;
    } else if (m.law == SceneLaw::Ogden) {
        if (m.mu->size() != m.alpha->size()) {
            refuse_scene(place, fmt::format("{} mu and {} alpha", m.mu->size(), m.alpha->size()),
                         "as many of both");
        }
        for (std::size_t i = 0; i < m.mu->size(); ++i) {
            material.ogden.terms.push_back({(*m.mu)[i], (*m.alpha)[i]});
        }
        material.ogden.K = *m.K;
    }
    set_fibre_law(m, place, material);
    return material;
}

SceneVertices::Box box_of(const std::array<Vec3, 2>& corners, const FieldPlace& place) {
    const SceneVertices::Box box{corners[0], corners[1]};
    if ((box.low.array() > box.high.array()).any()) {
        refuse_scene(place.field("box"), "a first corner above the second",
                     "the lower corner first");
    }
    return box;
}

SceneVertices vertices_of(const SolveJob::Selection& s, const FieldPlace& place) {
    SceneVertices chosen;
    if (s.box) {
        chosen.box = box_of(*s.box, place);
    }
    if (s.vertices) {
        chosen.list = *s.vertices;
    }
    if (!s.box && !s.vertices) {
        refuse_scene(place, "neither 'box' nor 'vertices'",
                     "a box or a list of vertex numbers (from 0)");
    }
    return chosen;
}

SolveSurface surface_of(const SolveJob::Surface& s, const FieldPlace& place) {
    SolveSurface surface{
        .region = s.region, .normal = s.normal, .facing = s.facing, .angle = s.angle * kDegree};
    if (s.box) {
        surface.box = box_of(*s.box, place);
    }
    if (s.normal && s.facing) {
        refuse_scene(place, "both 'normal' and 'facing'", "one of them");
    }
    if (s.normal && !(s.normal->norm() > 0.0)) {
        refuse_scene(place.field("normal"), "a vector without length", "a direction");
    }
    return surface;
}

SceneObstacle obstacle_of(const SolveJob::Obstacle& o, const FieldPlace& place) {
    const bool fits[] = {o.normal.has_value() && o.normal->norm() > 0.0 && !o.radius && !o.mesh,
                         o.radius.has_value() && !o.normal && !o.mesh,
                         o.mesh.has_value() && !o.normal && !o.radius};
    if (!fits[at(o.shape)]) {
        refuse_scene(place, "other keys than the shape has",
                     "'normal' of a plane, 'radius' of a sphere, 'mesh' of a mesh, and no other");
    }
    return {.shape = o.shape,
            .position = o.position,
            .normal = o.normal.value_or(Vec3::UnitY()),
            .radius = o.radius.value_or(0.0),
            .mesh = o.mesh.value_or(""),
            .displacement = o.displacement,
            .stiffness = o.stiffness};
}

SceneHold hold_of(const SolveJob::Hold& h, const Vec3& displacement, const FieldPlace& place) {
    SceneHold hold{vertices_of(h.where, place), displacement, {false, false, false}};
    for (const char letter : h.axes) {
        if (letter < 'x' || letter > 'z') {
            refuse_scene(place.field("axes"), fmt::format("'{}'", h.axes.substr(0, 20)),
                         "letters of 'xyz'");
        }
        hold.axes[at(letter - 'x')] = true;
    }
    if (h.axes.empty()) {
        refuse_scene(place.field("axes"), "no letter", "letters of 'xyz'");
    }
    return hold;
}

void set_surface_loads(const SolveJob& job, const FieldPlace& place, SolveScene& scene) {
    for (std::size_t i = 0; i < job.pressures.size(); ++i) {
        const FieldPlace where = place.field("pressures").item(i);
        scene.surface_loads.push_back({.surface = surface_of(job.pressures[i].where, where),
                                       .pressure = job.pressures[i].pressure,
                                       .name = fmt::format("pressures[{}]", i)});
    }
    for (std::size_t i = 0; i < job.tractions.size(); ++i) {
        const FieldPlace where = place.field("tractions").item(i);
        scene.surface_loads.push_back({.surface = surface_of(job.tractions[i].where, where),
                                       .traction = job.tractions[i].traction,
                                       .name = fmt::format("tractions[{}]", i)});
    }
    for (std::size_t i = 0; i < job.obstacles.size(); ++i) {
        scene.obstacles.push_back(obstacle_of(job.obstacles[i], place.field("obstacles").item(i)));
        scene.obstacles.back().name = fmt::format("obstacles[{}]", i);
    }
}

void set_loads(const SolveJob& job, const FieldPlace& place, SolveScene& scene) {
    for (std::size_t i = 0; i < job.fixed.size(); ++i) {
        scene.holds.push_back(hold_of(job.fixed[i], Vec3::Zero(), place.field("fixed").item(i)));
        scene.holds.back().name = fmt::format("fixed[{}]", i);
    }
    for (std::size_t i = 0; i < job.prescribed.size(); ++i) {
        const SolveJob::Prescribed& p = job.prescribed[i];
        scene.holds.push_back(hold_of(p.hold, p.displacement, place.field("prescribed").item(i)));
        SceneHold& hold = scene.holds.back();
        hold.name = fmt::format("prescribed[{}]", i);
        hold.rotation = p.rotation;
        hold.centre = p.centre;
        for (int row = 0; p.matrix && row < 3; ++row) {
            hold.matrix.row(row) = (*p.matrix)[at(row)].transpose();
        }
    }
    set_surface_loads(job, place, scene);
    for (std::size_t i = 0; i < job.forces.size(); ++i) {
        const SolveJob::Force& f = job.forces[i];
        const FieldPlace where = place.field("forces").item(i);
        if (f.each.has_value() == f.total.has_value()) {
            refuse_scene(where, f.each ? "both 'each' and 'total'" : "neither 'each' nor 'total'",
                         "a force on each vertex, or a total that they share");
        }
        scene.forces.push_back(
            {vertices_of(f.where, where), f.total ? *f.total : *f.each, f.total.has_value()});
    }
    for (const SolveJob::BodyForce& f : job.body_forces) {
        scene.body_forces.push_back({f.region, f.density});
    }
}

void set_solver(const SolveJob& job, const FieldPlace& place, SolveScene& scene) {
    if (job.method == SceneMethod::Projective) {
        scene.tolerance = 1e-5;  // the local step works in single precision
        scene.max_iterations = 1000;
    }
    scene.max_iterations = job.max_iterations.value_or(scene.max_iterations);
    scene.tolerance = job.tolerance.value_or(scene.tolerance);
    for (const auto& [name, value] :
         {std::pair{"step", job.step}, {"duration", job.duration}, {"damping", job.damping}}) {
        if (value && job.analysis == SceneAnalysis::Statics) {
            refuse_scene(place.field(name), "a setting of dynamics in a scene of statics",
                         "\"analysis\": \"dynamics\", or no such key");
        }
    }
    if (job.steps && job.analysis == SceneAnalysis::Dynamics) {
        refuse_scene(place.field("steps"), "a setting of statics in a scene of dynamics",
                     "\"analysis\": \"statics\", or no such key");
    }
    scene.steps = job.steps.value_or(1);
    scene.order = job.order;
    scene.step = job.step.value_or(scene.step);
    scene.duration = job.duration.value_or(scene.duration);
    scene.damping = job.damping.value_or(scene.damping);
    constexpr double kMostSteps = 1e6;
    if (!(scene.duration >= scene.step && scene.duration <= kMostSteps * scene.step)) {
        refuse_scene(place.field("duration"), fmt::format("{}", scene.duration),
                     fmt::format("a time from {} to {} s: one step to a million", scene.step,
                                 kMostSteps * scene.step));
    }
}

}  // namespace

SolveScene scene_of(const SolveJob& job, const std::string& where) {
    const FieldPlace place(where);
    SolveScene scene;
    scene.where = where;
    scene.mesh = job.mesh;
    scene.read_options.unit = job.unit;
    scene.read_options.up = job.up;
    scene.method = job.method;
    scene.analysis = job.analysis;
    scene.gravity = job.gravity;
    for (std::size_t i = 0; i < job.materials.size(); ++i) {
        scene.materials.push_back(material_of(job.materials[i], place.field("materials").item(i)));
    }
    set_loads(job, place, scene);
    set_solver(job, place, scene);
    return scene;
}

SolveScene parse_solve_scene(std::string_view text, const std::string& where,
                             const std::filesystem::path& folder) {
    SolveJob job = settings_from_json<SolveJob>(text, where);
    detail::resolve_paths(job, Field{}, folder);
    return scene_of(job, where);
}

SolveScene read_solve_scene(const std::filesystem::path& path) {
    return scene_of(read_job<SolveJob>(path), path.string());
}

}  // namespace sinew
