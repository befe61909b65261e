#include "sinew/io/atomic_file.h"
#include "sinew/io/motion_table.h"
#include "sinew/pipeline/contract.h"
#include "sinew/render/plot.h"
#include "sinew/render/png.h"

#include <fmt/format.h>

#include <algorithm>

// Force against length of the bench's muscle, passive and active, each point an equilibrium: the
// curve that the material promises, as the volume gives it.

namespace sinew {

StretchCurves run_stretch_curves(const ContractJob& job, const Progress& progress) {
    const BenchMuscle bench = bench_with(job.scene.tets);
    MuscleSimulatorOptions options = job.simulator;
    options.gravity = Vec3::Zero();
    StretchCurves curves;
    curves.activation = job.curves;
    curves.rest_length = bench.belly_length + 2.0 * bench.tendon_length;
    const double shortest = -0.1 * curves.rest_length;
    const double longest = job.stretch > 0.0 ? job.stretch : 0.25 * curves.rest_length;
    constexpr int kLengths = 15;
    for (int i = 0; i < kLengths; ++i) {
        curves.length.push_back(curves.rest_length + shortest +
                                (longest - shortest) * i / (kLengths - 1));
    }
    auto stage = progress.stage("stretch", job.curves.size() * curves.length.size());
    for (const double activation : job.curves) {
        MuscleSimulator simulator(bench_scene(bench), options);
        curves.greatest_force = simulator.scene().fmax[0];
        const auto draw_to = [&](double length) {
            Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
            T.translation().y() = length - curves.rest_length;
            simulator.set_frames(std::vector{T});
            return simulator.settle(MuscleSimulator::kStatics, progress);
        };
        // To the first length in small steps: activation at rest, then the way there.
        for (const double share : {0.3, 0.6, 1.0}) {
            simulator.set_activation(std::vector{share * activation});
            simulator.settle(MuscleSimulator::kStatics, progress);
        }
        for (const double share : {0.3, 0.6}) {
            draw_to(curves.rest_length + share * shortest);
        }
        std::vector<MuscleState>& row = curves.muscles.emplace_back();
        for (const double length : curves.length) {
            curves.unsettled += draw_to(length).status != SolverStatus::Converged;
            row.push_back(simulator.states()[0]);
            stage.advance();
        }
    }
    return curves;
}

void write_stretch_curves(const std::filesystem::path& folder, const StretchCurves& curves) {
    std::vector<Series> series;
    MotionTable table;
    table.name = "stretch_force";
    for (std::size_t a = 0; a < curves.activation.size(); ++a) {
        Series s{.name = fmt::format("activation {:.2f}", curves.activation[a])};
        for (std::size_t i = 0; i < curves.length.size(); ++i) {
            s.x.push_back(curves.length[i] / curves.rest_length);
            s.y.push_back(curves.muscles[a][i].force);
        }
        series.push_back(std::move(s));
        for (const char* what : {"force_n", "fibre_stretch", "tendon_stretch", "volume_change"}) {
            table.columns.push_back(fmt::format("a{:.2f}/{}", curves.activation[a], what));
        }
    }
    // The first column of a storage file is the one that rises: here the length, m.
    for (std::size_t i = 0; i < curves.length.size(); ++i) {
        table.times.push_back(curves.length[i]);
        for (const std::vector<MuscleState>& row : curves.muscles) {
            table.values.insert(table.values.end(),
                                {row[i].force, row[i].mean_fibre_stretch,
                                 row[i].mean_tendon_stretch, row[i].volume_change});
        }
    }
    const PlotOptions options{.title = "One muscle on the bench",
                              .x_label = "length / length at rest",
                              .y_label = "force, N",
                              .zero_y = true};
    write_file_bytes(folder / "stretch_force.png", encode_png(plot(series, options)));
    write_file_bytes(folder / "stretch_force.svg", plot_svg(series, options));
    write_motion_table(folder / "stretch_force.sto", table);
}

}  // namespace sinew
