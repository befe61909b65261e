#include "sinew/growth/growth_session.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/growth/gravity_preview.h"
#include "sinew/growth/growth_stages.h"
#include "sinew/growth/muscle_responses.h"
#include "sinew/growth/person_stage.h"

#include <algorithm>
#include <cmath>
#include <map>

// Growth while sliders move. The state is a chain, rest -> framed (bones, stature) -> grown
// (muscles) -> fat, and a new plan starts at the first link that changed. Solvers keep their
// factorisation and go on from where they are.
//
// What is shown is always muscles' positions plus one displacement for all the rest. After a solve
// that displacement is exact (`residual`); while a slider moves it is corrected by the difference
// of two estimates of fat. Thus the picture jumps at most by the error of an estimate, and ends at
// what grow() gives.
//
// One shape is emitted before cancellation is first looked at: of many plans that overtake each
// other none would be shown otherwise.

namespace sinew {

using namespace growth_stages;

namespace {

constexpr int kBoneIterations = 150;
constexpr double kLeastFat = 0.35;  // share of its thickness that an estimate leaves

bool are_all_one(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return v == 1.0; });
}

}  // namespace

struct GrowthSession::Data {
    Body rest;
    std::vector<BodyPart> parts;
    std::unique_ptr<BoneEditor> bones;
    // The body after bones and stature, and what it was made for.
    Body framed;
    std::vector<double> scale;      // of parts; of `framed`
    std::vector<double> scale_set;  // of the editor
    std::optional<double> stature;
    BoneEditReport bone_report = {};
    // The body after muscles.
    std::unique_ptr<MuscleGrowth> muscles;  // on `framed`
    std::vector<double> alpha_set;          // of the solver
    bool is_muscle_settled = true;
    MuscleResponses responses;  // of `rest`
    MuscleGrowthReport muscle_report = {};
    std::unique_ptr<Body> grown;  // nothing while it is not known
    // Everything else, as a displacement of the muscles' positions.
    Points residual;
    Points residual_estimate;  // of the fat that is in `residual`
    Points shown;
    // For estimates of fat.
    std::vector<double> thickness;  // under skin vertices, m
    Points normals;                 // of the skin
    std::vector<double> areas;      // of skin vertices, m^2
    double fat_volume = 0.0;        // m^3
    std::map<std::string, std::vector<double>> maps;

    explicit Data(Body body)
        : rest(std::move(body)), parts(body_parts(rest)), framed(rest), responses(rest) {}

    void prepare_fat();
    const std::vector<double>& map_of(const GrowthPlan& plan, const std::string& name);
    Points fat_estimate(const GrowthPlan& plan);
    void add_total(const GrowthPlan& plan, std::vector<double>& offset);
    // What is learnt of the rest body holds for it alone.
    bool is_framed_as_rest() const {
        return are_all_one(scale) && !stature;
    }
    Points muscle_positions() const {
        return muscles ? muscles->positions() : framed.tets.points;
    }
    void emit(const Points& x, const Show& show) {
        shown = x;
        if (show) {
            show(shown);
        }
    }
};

// Thickness, normals and areas of the rest body serve all estimates.
void GrowthSession::Data::prepare_fat() {
    const FatLayer layer(rest);
    thickness = layer.thickness();
    fat_volume = layer.volume(rest.tets.points);
    normals = vertex_normals(rest.skin.mesh);
    areas.assign(thickness.size(), 0.0);
    const Eigen::VectorXd triangles = triangle_areas(rest.skin.mesh);
    for (Eigen::Index t = 0; t < triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            areas[at(rest.skin.mesh.triangles(t, k))] += triangles[t] / 3.0;
        }
    }
}

const std::vector<double>& GrowthSession::Data::map_of(const GrowthPlan& plan,
                                                       const std::string& name) {
    for (const auto& [own, map] : plan.fat_maps) {
        if (own == name) {
            return map;
        }
    }
    auto it = maps.find(name);
    if (it == maps.end()) {
        it = maps.emplace(name, map_named(rest, plan, name)).first;
    }
    return it->second;
}

// What is missing to the volume that a weight or a share of fat asks for.
void GrowthSession::Data::add_total(const GrowthPlan& plan, std::vector<double>& offset) {
    double missing = 0.0;
    try {
        missing = (plan.weight ? fat_volume_for_mass(rest, *plan.weight)
                               : fat_volume_for_share(rest, *plan.body_fat)) -
                  fat_volume;
    } catch (const InputError&) {
        return;  // the solve will say so
    }
    double weight = 0.0;
    std::vector<double> spread = missing > 0.0 ? spread_of(rest, plan) : thickness;
    for (std::size_t i = 0; i < offset.size(); ++i) {
        missing -= areas[i] * offset[i];
        weight += areas[i] * spread[i];
    }
    for (std::size_t i = 0; i < offset.size() && weight > 0.0; ++i) {
        offset[i] += missing / weight * spread[i];
    }
}

// Displacements of all points: the skin moves along its normals.
// A layer of thickness h that is to hold f times its fat is h f thick where the surface is flat:
// the skin moves by (f - 1) h along its normal.
Points GrowthSession::Data::fat_estimate(const GrowthPlan& plan) {
    Points moved = Points::Zero(rest.tets.points.rows(), 3);
    if (plan.fat.empty() && !plan.weight && !plan.body_fat) {
        return moved;
    }
    std::vector<double> offset(thickness.size(), 0.0);
    for (const auto& [name, factor] : plan.fat) {
        const std::vector<double>& map = map_of(plan, name);
        for (std::size_t i = 0; i < offset.size() && i < map.size(); ++i) {
            offset[i] += (factor - 1.0) * map[i] * thickness[i];
        }
    }
    if (plan.weight || plan.body_fat) {
        add_total(plan, offset);
    }
    for (std::size_t i = 0; i < offset.size(); ++i) {
        const double least = (kLeastFat - 1.0) * thickness[i];
        moved.row(rest.skin.tet_vertex[i]) =
            std::max(offset[i], least) * normals.row(static_cast<Eigen::Index>(i));
    }
    return moved;
}

GrowthSession::GrowthSession(Body rest, const Progress& progress, bool prepares_bones)
    : data_(std::make_unique<Data>(std::move(rest))) {
    Data& d = *data_;
    progress.check_cancelled();
    d.muscles = std::make_unique<MuscleGrowth>(d.framed);
    progress.check_cancelled();
    if (prepares_bones) {
        d.bones = std::make_unique<BoneEditor>(d.rest, d.parts);
    }
    d.prepare_fat();
    d.scale.assign(d.parts.size(), 1.0);
    d.scale_set = d.scale;
    d.alpha_set.assign(d.rest.muscles.size(), 1.0);
    d.grown = std::make_unique<Body>(d.framed);
    d.residual = Points::Zero(d.rest.tets.points.rows(), 3);
    d.residual_estimate = d.residual;
    d.shown = d.rest.tets.points;
}

GrowthSession::~GrowthSession() = default;
GrowthSession::GrowthSession(GrowthSession&&) noexcept = default;
GrowthSession& GrowthSession::operator=(GrowthSession&&) noexcept = default;

const Body& GrowthSession::rest() const {
    return data_->rest;
}

const Points& GrowthSession::positions() const {
    return data_->shown;
}

bool GrowthSession::learn_next(const Progress& progress) {
    Data& d = *data_;
    if (!d.is_framed_as_rest() || d.responses.is_complete()) {
        return false;
    }
    if (!d.muscles) {
        d.muscles = std::make_unique<MuscleGrowth>(d.framed);
    }
    // The solver learns from rest, and goes on afterwards from where it was.
    MuscleGrowthShift present{.displacement = d.muscles->positions() - d.rest.tets.points,
                              .log_factor = d.muscles->factors()};
    for (double& f : present.log_factor) {
        f = std::log(f);
    }
    const auto go_back = [&] {
        d.muscles->set_growth(d.alpha_set);
        d.muscles->shift(present);
    };
    try {
        d.responses.learn_next(*d.muscles, progress);
    } catch (...) {
        go_back();
        throw;
    }
    go_back();
    return true;
}

bool GrowthSession::foresees() const {
    return data_->is_framed_as_rest() && data_->responses.is_complete();
}

GrowthResult GrowthSession::grow_to(const GrowthPlan& asked, const Progress& progress,
                                    const Show& show) {
    Data& d = *data_;
    const Timer timer;
    check_plan(asked);
    const GrowthPlan plan = ordered_plan(asked, d.rest);
    check_person(d.rest, plan);
    const std::vector<double> scale = bone_scales(d.rest, d.parts, plan.bones);
    const std::vector<double> alpha = muscle_alphas(d.rest, plan.muscles);
    const Points estimate = d.fat_estimate(plan);
    const Points fat = d.residual + estimate - d.residual_estimate;

    // Bones and stature: a new frame for all that follows.
    if (scale != d.scale || plan.stature != d.stature) {
        // Muscles and fat ride on the new bones as displacements until they are solved again.
        const Points above = d.muscle_positions() + fat - d.framed.tets.points;
        const double wanted = plan.stature.value_or(0.0);
        const auto show_bones = [&](int, const Points& x) {
            Points now = x + above;
            if (wanted > 0.0) {
                now *= wanted / (now.col(1).maxCoeff() - now.col(1).minCoeff());
            }
            d.emit(now, show);
        };
        if (!d.bones) {
            progress.check_cancelled();
            d.bones = std::make_unique<BoneEditor>(d.rest, d.parts);
        }
        if (scale != d.scale_set) {
            d.bones->set_scale(scale);
            d.scale_set = scale;
        }
        d.bones->iterate(1, {}, show_bones);
        show_bones(0, d.bones->positions());
        if (are_all_one(scale)) {
            d.bones->restart();
            d.framed = with_stature(d.rest, plan);
            d.bone_report = {};
        } else {
            progress.check_cancelled();
            d.bones->iterate(kBoneIterations, progress, show_bones);
            EditedBody edited = d.bones->body();
            d.bone_report = edited.report;
            d.framed = with_stature(std::move(edited.body), plan);
        }
        d.scale = scale;
        d.stature = plan.stature;
        d.muscles.reset();
        d.alpha_set.assign(alpha.size(), 1.0);
        d.grown = std::make_unique<Body>(d.framed);
        d.is_muscle_settled = true;
    } else if (estimate != d.residual_estimate) {
        d.emit(d.muscle_positions() + fat, show);
    }

    // Muscles.
    if (alpha != d.alpha_set || !d.is_muscle_settled) {
        const auto show_muscles = [&](int, const Points& x) { d.emit(x + fat, show); };
        if (!d.muscles) {
            progress.check_cancelled();
            d.muscles = std::make_unique<MuscleGrowth>(d.framed);
        }
        if (alpha != d.alpha_set) {
            d.muscles->set_growth(alpha);
            if (d.is_framed_as_rest() && d.responses.known() > 0) {
                d.muscles->shift(d.responses.shift(d.alpha_set, alpha));
            }
            d.alpha_set = alpha;
        }
        d.is_muscle_settled = false;
        d.grown.reset();
        d.muscles->iterate(1, {}, show_muscles);
        progress.check_cancelled();
        d.muscle_report = d.muscles->iterate(plan.iterations, progress, show_muscles);
        d.is_muscle_settled = true;
        if (are_all_one(alpha)) {
            d.muscles->restart();
            d.muscle_report = {};
        }
    }
    progress.check_cancelled();
    if (!d.grown) {
        d.grown = std::make_unique<Body>(are_all_one(alpha) ? d.framed : d.muscles->body());
    }

    // Fat and gravity, then what is reported.
    GrowthResult result;
    note_bones(d.bone_report, result);
    if (!are_all_one(alpha)) {
        note_muscles(*d.muscles, d.muscle_report, d.rest.tets.tets.rows(), result);
    }
    result.body = with_fat_and_stature(*d.grown, plan, result, progress);
    if (plan.shows_gravity) {
        sag(result, progress);
    }
    measure(d.rest, result);
    const Points& final = plan.shows_gravity ? result.sagged : result.body.tets.points;
    d.residual = final - d.muscle_positions();
    d.residual_estimate = estimate;
    d.emit(final, show);
    result.seconds = timer.seconds();
    return result;
}

}  // namespace sinew
