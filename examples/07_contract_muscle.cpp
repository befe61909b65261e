// A volumetric muscle on the bench: held at both ends, it pulls harder the more active it is.
#include "sinew/base/error.h"
#include "sinew/io/vtu.h"
#include "sinew/muscle/muscle_simulator.h"
#include "sinew/muscle/muscle_volume.h"

#include <cstdio>

using namespace sinew;

int main() try {
    // Few elements, so that it takes a moment only; its origin rests, its insertion is frame 0.
    MuscleSimulator simulator(bench_scene({.rings = 24, .around = 2}));
    simulator.set_frames(std::vector{Eigen::Isometry3d::Identity()});

    double last_force = -1.0;
    bool is_rising = true;
    for (const double activation : {0.0, 0.5, 1.0}) {
        simulator.set_activation(std::vector{activation});
        const NewtonReport report = simulator.settle();
        const MuscleState muscle = simulator.states().front();
        std::printf("activation %.1f: force %6.1f N, belly %5.0f mm^2, volume %+.2f %%, %s\n",
                    activation, muscle.force, 1e6 * muscle.belly_section,
                    100 * muscle.volume_change,
                    report.status == SolverStatus::Converged ? "converged" : "not converged");
        is_rising = is_rising && muscle.force > last_force;
        last_force = muscle.force;
    }
    write_vtu("muscle.vtu", simulator.frame());
    return is_rising ? 0 : 1;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
