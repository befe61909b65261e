#include "bench/growth_plans.h"

#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/grow.h"
#include "sinew/growth/muscle_responses.h"
#include "sinew/io/archive.h"
#include "sinew/meshing/intersections.h"
#include "sinew/pipeline/growth_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew::bench {

namespace {

constexpr double kLeastMesh = 2e-6;  // m^3: smaller muscles are below the tetrahedra's size
constexpr double kLitres = 1e3;

// Everything but what is reported comes from the body that was read back.
PlanBench measured_plan(const Body& before, const GrowthResult& grown, const Body& written) {
    PlanBench b{.iterations = grown.muscle_report.iterations,
                .is_converged = grown.is_converged,
                .is_reached = grown.is_reached};
    std::vector<MuscleMeasure> old = grown.muscles;
    std::vector<MuscleMeasure> now = grown.muscles;
    measure_after(before, old);
    measure_after(written, now);
    const std::vector<double> whole = muscle_volumes_in_tets(written);
    std::vector<double> errors;
    for (std::size_t m = 0; m < now.size(); ++m) {
        const double wanted = now[m].alpha * now[m].alpha * old[m].belly_after;
        if (now[m].alpha == 1.0 || wanted <= 0.0) {
            continue;
        }
        b.reported_muscle += kLitres * grown.muscles[m].belly_after;
        b.written_muscle += kLitres * now[m].belly_after;
        const double error = now[m].belly_after / wanted - 1.0;
        errors.push_back(std::abs(error));
        if (std::abs(error) > std::abs(b.worst_error)) {
            b.worst_error = error;
            b.worst_muscle = now[m].name;
        }
    }
    std::sort(errors.begin(), errors.end());
    b.median_error = errors.empty() ? 0.0 : errors[errors.size() / 2];
    for (std::size_t m = 0; m < whole.size(); ++m) {
        if (whole[m] > kLeastMesh) {
            const double mesh = enclosed_volume(written.muscles[m].mesh);
            b.mesh_error = std::max(b.mesh_error, std::abs(mesh / whole[m] - 1.0));
        }
    }
    b.inverted = (tet_volumes(written.tets).array() <= 0.0).count();
    b.crossing = static_cast<long>(find_self_intersections(written.skin.mesh).pairs.size());
    return b;
}

double mean_skin_distance(const Body& body, const Points& a, const Points& b) {
    double sum = 0.0;
    for (const Index v : body.skin.tet_vertex) {
        sum += (a.row(v) - b.row(v)).norm();
    }
    return sum / static_cast<double>(body.skin.tet_vertex.size());
}

// The pull again, and other plans at once, from where they are foreseen to end.
void measure_foreseen(const Body& body, const Points& end_of_pull, SliderBench& b,
                      const Progress& progress) {
    MuscleGrowth growth(body);
    MuscleResponses responses(body);
    const Timer learning;
    while (responses.learn_next(growth, progress)) {
    }
    b.learning_s = learning.seconds();
    const std::vector<double> rest(body.muscles.size(), 1.0);
    std::vector<double> last = rest;
    const auto go_to = [&](const std::vector<double>& alpha) {
        const Timer timer;
        growth.set_growth(alpha);
        growth.shift(responses.shift(last, alpha));
        growth.iterate(1);
        last = alpha;
        return 1e3 * timer.seconds();
    };
    for (int k = 1; k <= b.steps; ++k) {
        b.foreseen_step_ms +=
            go_to(muscle_alphas(body, {{"all", 1.0 + 0.3 * k / b.steps}})) / b.steps;
    }
    b.foreseen_error_mm = 1e3 * mean_skin_distance(body, growth.positions(), end_of_pull);

    const std::vector<std::vector<NamedValue>> plans = {
        {{"all", 1.1}},
        {{"all", 1.3}},
        {{"all", 0.8}},
        {{"biceps", 1.5}},
        {{"chest", 1.2}, {"back", 1.3}, {"quadriceps", 0.9}, {"calves", 1.25}}};
    MuscleGrowth plain(body);
    for (const std::vector<NamedValue>& muscles : plans) {
        const std::vector<double> alpha = muscle_alphas(body, muscles);
        SliderBench::Foreseen f;
        for (const auto& [name, a] : muscles) {
            f.plan += fmt::format("{}{}={}", f.plan.empty() ? "" : " ", name, a);
        }
        growth.restart();
        last = rest;
        f.ms = go_to(alpha);
        plain.restart();
        plain.set_growth(alpha);
        plain.iterate(1);
        const Points first = plain.positions();
        plain.iterate(200, progress);
        f.moved_mm = 1e3 * mean_skin_distance(body, body.tets.points, plain.positions());
        f.error_mm = 1e3 * mean_skin_distance(body, growth.positions(), plain.positions());
        f.plain_mm = 1e3 * mean_skin_distance(body, first, plain.positions());
        b.foreseen.push_back(f);
    }
}

}  // namespace

SliderBench run_slider_bench(const Body& body, const Progress& progress) {
    constexpr int kSteps = 15;
    constexpr double kStep = 0.02;
    constexpr double kNear = 5e-4;  // m
    constexpr int kMostIterations = 200;
    SliderBench b{.steps = kSteps};
    const auto alphas = [&](int k) { return muscle_alphas(body, {{"all", 1.0 + kStep * k}}); };
    MuscleGrowth pulled(body);
    Points first;
    const Timer timer;
    for (int k = 1; k <= kSteps; ++k) {
        pulled.set_growth(alphas(k));
        pulled.iterate(1);
        first = k == 1 ? pulled.positions() : first;
    }
    b.step_ms = 1e3 * timer.seconds() / kSteps;
    const Points last = pulled.positions();

    // Where each ends.
    pulled.restart();
    pulled.set_growth(alphas(1));
    pulled.iterate(kMostIterations, progress);
    b.first_error_mm = 1e3 * mean_skin_distance(body, first, pulled.positions());
    pulled.restart();
    pulled.set_growth(alphas(kSteps));
    std::vector<Points> jump;
    pulled.iterate(kMostIterations, progress, [&](int, const Points& x) { jump.push_back(x); });
    b.skin_error_mm = 1e3 * mean_skin_distance(body, last, jump.back());
    const auto near = std::find_if(jump.begin(), jump.end(), [&](const Points& x) {
        return mean_skin_distance(body, x, jump.back()) <= kNear;
    });
    b.jump_iterations = 1 + static_cast<int>(near - jump.begin());
    measure_foreseen(body, jump.back(), b, progress);
    return b;
}

std::vector<PlanBench> run_growth_plans(const Body& body, const std::filesystem::path& file,
                                        const Progress& progress) {
    const std::vector<std::vector<NamedValue>> plans = {{{"all", 0.6}},
                                                        {{"all", 1.6}},
                                                        {{"all", 1.8}},
                                                        {{"quadriceps", 1.6}, {"adductors", 1.6}},
                                                        {{"quadriceps", 1.8}, {"adductors", 1.8}}};
    std::vector<PlanBench> result;
    for (const std::vector<NamedValue>& muscles : plans) {
        const GrowthResult grown = grow_person(body, {.muscles = muscles}, progress);
        write_archive(file, grown.body);
        result.push_back(measured_plan(body, grown, read_body_with_tets(file)));
        std::filesystem::remove(file);
        for (const auto& [name, alpha] : muscles) {
            result.back().plan +=
                fmt::format("{}{}={}", result.back().plan.empty() ? "" : " ", name, alpha);
        }
    }
    return result;
}

}  // namespace sinew::bench
