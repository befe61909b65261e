#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/io/asset.h"
#include "sinew/io/json_schema.h"
#include "sinew/io/model_files.h"
#include "sinew/meshing/health.h"
#include "sinew/motion/body_model.h"
#include "sinew/motion/model_doctor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "cli/verbs/file_options.h"
#include "cli/verbs/model_options.h"
#include "cli/verbs/model_results.h"
#include "cli/verbs/model_verbs.h"
#include "cli/verbs/verbs.h"

namespace sinew::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CheckSettings {
    std::string file;
    std::string muscles;
    FileOptions files;
};

struct Findings {
    std::vector<Problem> problems;
    std::vector<Problem> notes;
    Json measures = Json::object();
};

void add(Findings& findings, const std::vector<Problem>& problems,
         const std::vector<Problem>& notes, const std::string& part) {
    const auto named = [&](Problem p) {
        if (!part.empty()) {
            p.where = fmt::format("{}: {}", part, p.where);
        }
        return p;
    };
    for (const Problem& p : problems) {
        findings.problems.push_back(named(p));
    }
    for (const Problem& p : notes) {
        findings.notes.push_back(named(p));
    }
}

Json measures_json(const SurfaceMeasures& m) {
    constexpr double kDegrees = 57.29577951308232;
    return {{"vertices", m.vertices},
            {"triangles", m.triangles},
            {"components", m.components},
            {"holes", m.border_loops},
            {"genus", m.genus},
            {"self_intersections", m.intersections},
            {"area_m2", m.area},
            {"volume_l", 1e3 * m.volume},
            {"smallest_angle_deg", kDegrees * m.smallest_angle},
            {"manifold", m.is_manifold},
            {"closed", m.is_closed}};
}

Json measures_json(const TetMeasures& m) {
    constexpr double kDegrees = 57.29577951308232;
    return {{"vertices", m.points},
            {"tets", m.tets},
            {"boundary_triangles", m.boundary_triangles},
            {"components", m.components},
            {"regions", m.regions},
            {"volume_l", 1e3 * m.volume},
            {"smallest_volume_l", 1e3 * m.smallest_volume},
            {"smallest_dihedral_deg", kDegrees * m.smallest_dihedral},
            {"largest_dihedral_deg", kDegrees * m.largest_dihedral}};
}

void examine(const std::vector<MeshPart>& parts, Findings& findings, const Context& context) {
    Progress::Stage stage = context.progress.stage("checking", parts.size());
    Json list = Json::object();
    for (const MeshPart& part : parts) {
        const SurfaceHealth health = check_health(part.mesh);
        add(findings, health.problems, health.notes, parts.size() > 1 ? part.name : "");
        if (parts.size() == 1) {
            findings.measures = measures_json(health.measures);
        } else {
            list[part.name] = measures_json(health.measures);
        }
        stage.advance();
    }
    if (parts.size() > 1) {
        findings.measures = list;
    }
}

void examine(const TetMesh& mesh, Findings& findings, const Context&) {
    const TetHealth health = check_health(mesh);
    add(findings, health.problems, health.notes, "");
    findings.measures = measures_json(health.measures);
}

// A motion that could be read has nothing else that could be wrong.
void examine(const MotionClip& motion, Findings& findings, const Context&) {
    findings.measures = {{"joints", motion.joints.size()}, {"frames", motion.frame_count}};
}

// The body as a model with line muscles: what is implausible about those, against its bones'
// surfaces. Notes, because the body itself can be used all the same.
void examine_lines(const Body& body, Findings& findings) {
    if (body.skeleton.joints.empty() || body.muscles.empty()) {
        return;
    }
    const MusculoskeletalModel model = model_from_body(body);
    std::int64_t minor = 0;
    for (const ModelFinding& f : examine_model(model, bone_surfaces(body))) {
        if (f.is_error) {
            findings.notes.push_back(
                {.what = fmt::format("line of a muscle: {}, {:.4g} {}", f.what, f.value, f.unit),
                 .count = 1,
                 .where = f.where,
                 .remedy = f.remedy});
        } else {
            ++minor;
        }
    }
    if (minor > 0) {
        findings.notes.push_back({.what = "things about lines of muscles that are worth a look",
                                  .count = minor,
                                  .where = "the model that 'sinew convert' makes of the body",
                                  .remedy = "convert the body to .osim and check that"});
    }
    findings.measures["line_muscles"] = model.muscles.size();
}

void examine(const Body& body, Findings& findings, const Context& context) {
    const TetHealth tets = check_health(body.tets);
    add(findings, tets.problems, tets.notes, "tets");
    findings.measures["tets"] = measures_json(tets.measures);
    std::vector<MeshPart> surfaces;
    surfaces.push_back({.name = "skin", .mesh = body.skin.mesh});
    if (body.envelope.mesh.triangles.rows() > 0) {
        surfaces.push_back({.name = "envelope", .mesh = body.envelope.mesh});
    }
    Findings of_surfaces;
    examine(surfaces, of_surfaces, context);
    add(findings, of_surfaces.problems, of_surfaces.notes, "");
    findings.measures["surfaces"] = of_surfaces.measures;
    examine_lines(body, findings);
}

Json problems_json(const std::vector<Problem>& problems) {
    Json list = Json::array();
    for (const Problem& p : problems) {
        list.push_back(
            {{"what", p.what}, {"count", p.count}, {"where", p.where}, {"remedy", p.remedy}});
    }
    return list;
}

void print_findings(const std::string& file, const Findings& findings) {
    if (findings.problems.empty()) {
        fmt::print("{}: healthy\n", file);
    } else {
        fmt::print("{}: {} kinds of problems\n", file, findings.problems.size());
    }
    for (const Problem& p : findings.problems) {
        fmt::print("  {} {}\n    where: {}\n    what to do: {}\n", p.count, p.what, p.where,
                   p.remedy);
    }
    for (const Problem& p : findings.notes) {
        fmt::print("  note: {} {} ({})\n", p.count, p.what, p.where);
    }
}

}  // namespace

Verb check_verb() {
    auto settings = std::make_shared<CheckSettings>();
    Verb verb{.name = "check",
              .summary = "Report what is wrong with a mesh, a body or a musculoskeletal model",
              .examples =
                  "  sinew check scan.ply            exit code 1 when something is wrong\n"
                  "  sinew check body.sinew --json\n"
                  "  sinew check arm26.osim          muscles, moment arms, inertias\n"
                  "  sinew repair scan.ply -o mended.ply",
              .options = {any_file_option(settings->file), muscles_option(settings->muscles)},
              .run = {}};
    settings->files.add_to(verb.options);
    verb.describe = [](nlohmann::ordered_json& definitions) {
        add_schema("result", CheckResult{}, SchemaOf::Result, definitions);
        definitions["result"]["properties"]["measures"] = {
            {"description", "counts and sizes by part, as the file's kind has them"},
            {"type", "object"}};
    };
    verb.run = [settings](const Context& context, Json& result) {
        if (is_model_file(settings->file)) {
            return check_model(settings->file, settings->muscles, context, result);
        }
        require_no_muscles("check", settings->muscles, settings->file);
        const Asset asset = read_asset(settings->file, settings->files.read_options());
        Findings findings;
        std::visit([&](const auto& content) { examine(content, findings, context); },
                   asset.content);
        result["input"] = settings->file;
        result["healthy"] = findings.problems.empty();
        result["problems"] = problems_json(findings.problems);
        result["notes"] = problems_json(findings.notes);
        result["measures"] = findings.measures;
        if (context.tells()) {
            print_findings(settings->file, findings);
        }
        return findings.problems.empty() ? kOk : kUnusable;
    };
    return verb;
}

}  // namespace sinew::cli
