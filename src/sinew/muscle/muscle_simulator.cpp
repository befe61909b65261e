#include "sinew/muscle/muscle_simulator.h"

#include "sinew/base/error.h"
#include "sinew/energy/constant_forces.h"
#include "sinew/energy/inertia.h"
#include "sinew/energy/masses.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/planes.h"
#include "sinew/muscle/muscle_contact_term.h"
#include "sinew/muscle/muscle_contacts.h"
#include "sinew/muscle/muscle_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

// Muscles between moving bones. One energy for statics and time,
//
//   E(x) = elastic(x; activation) - g^T M x + hold |x - bone|^2 / 2 + contact(x) [+ inertia],
//
// minimised by Newton's method with the matrix of all muscles together. Three methods go on from a
// state: settle() is the equilibrium for given bones and activations, advance() one step of
// implicit Euler [Kadlecek2022, eqs. 2.17-2.18], advance_explicit() Teran's own scheme, elastic
// forces explicit and damping implicit [Teran2003, section 4.3], kept for comparison: its steps
// must stay below stable_step().
//
// In time, contacts are planes that are found between steps and stand still within one, which keeps
// every solve a smooth minimisation. In statics they go along until the shape hardly moves, and are
// held as planes then (settle_with).
//
// Units: m, N, s, Pa; forces on bones in N.

namespace sinew {

namespace {

void require_scene(const MuscleScene& s) {
    const std::size_t n = s.names.size();
    const bool has_sizes = n > 0 && s.first_vertex.size() == n + 1 && s.origin_frame.size() == n &&
                           s.insertion_frame.size() == n && s.fmax.size() == n &&
                           s.first_vertex.back() == s.volume.mesh.points.rows() &&
                           s.volume.share.size() == at(s.volume.mesh.points.rows());
    const auto has_frame = [&](Index f) { return f >= -1 && f < s.frames; };
    const bool has_frames =
        std::all_of(s.origin_frame.begin(), s.origin_frame.end(), has_frame) &&
        std::all_of(s.insertion_frame.begin(), s.insertion_frame.end(), has_frame) &&
        std::all_of(s.obstacles.begin(), s.obstacles.end(),
                    [&](const MuscleScene::Obstacle& o) { return has_frame(o.frame); });
    if (!has_sizes || !has_frames) {
        throw InputError({.where = "muscle scene",
                          .found = fmt::format("{} names, {} vertex ranges, {} frames", n,
                                               s.first_vertex.size(), s.frames),
                          .needs = "one entry per muscle, a vertex range for all points, frames "
                                   "that exist",
                          .remedy = "make the scene with join_muscles"});
    }
}

/// Contacts that are too deep in statics become so much stiffer, until so many times as stiff.
constexpr double kStiffer = 4.0;
constexpr double kStiffest = 64.0;
/// Newton steps in statics after which it is looked at how far they came.
constexpr int kStepsPerRound = 3;
/// Contacts without room in the pattern, as a fraction of all, from which on it is made anew.
constexpr double kStrangers = 0.05;
/// Where so many steps moved nothing further, m, contacts are where they belong.
constexpr double kAtRest = 3e-4;
/// Halved steps beside a motion this small, m, and a residual this small: the search hangs at
/// corners of the contacts.
constexpr double kHanging = 0.5;
constexpr double kHangingMotion = 1e-3;
constexpr double kHangingResidual = 0.05;
/// Held contacts that are not solved in so many steps were held too early.
constexpr int kHeldSteps = 15;
/// Muscles that first find their rest fall onto what is below them: gentle contacts, for so many
/// rounds, let them do so in longer steps.
constexpr double kGentle = 0.05;
constexpr int kGentleRounds = 3;

/// How far a vertex at a share of the way follows the bone of the insertion rather than that of the
/// origin; tendons near their bones go along with them, or they would start a step stretched.
double following(double share) {
    constexpr double kRigid = 0.04;
    const double s = std::clamp((share - kRigid) / (1.0 - 2.0 * kRigid), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

}  // namespace

// Held vertices are springs rather than fixed rows: the force of a muscle on its bone is then read
// off the springs, and the same matrix serves when bones move.
struct MuscleSimulator::Data {
    struct Held {
        Index vertex;
        Index frame;
        Vec3 rest;
    };

    Data(MuscleScene s, const MuscleSimulatorOptions& o)
        : scene((require_scene(s), std::move(s))),
          options(o),
          tets(std::make_shared<MuscleTets>(scene.volume, muscle_constants(), tendon_constants(),
                                            o.dilatation)),
          masses(tets->masses()),
          weight(std::make_shared<ConstantForces>(gravity_forces(masses, o.gravity))),
          contacts(scene, o),
          frames(static_cast<std::size_t>(scene.frames), Eigen::Isometry3d::Identity()),
          previous(frames),
          activation(scene.names.size(), 0.0) {
        state.x = scene.volume.mesh.points;
        state.v = Points::Zero(state.x.rows(), 3);
        add_held(scene.volume.origin, scene.origin_frame);
        add_held(scene.volume.insertion, scene.insertion_frame);
    }

    Index muscle_of_vertex(Index v) const {
        const auto next = std::upper_bound(scene.first_vertex.begin(), scene.first_vertex.end(), v);
        return static_cast<Index>(next - scene.first_vertex.begin()) - 1;
    }

    void add_held(const std::vector<Index>& vertices, const std::vector<Index>& frame_of) {
        for (const Index v : vertices) {
            held.push_back(
                {v, frame_of[at(muscle_of_vertex(v))], point(scene.volume.mesh.points, v)});
        }
    }

    Eigen::Isometry3d motion(Index frame) const {
        return frame < 0 ? Eigen::Isometry3d::Identity() : frames[at(frame)];
    }

    std::shared_ptr<Pins> holds() const {
        std::vector<Pins::Pin> pins;
        pins.reserve(held.size());
        for (const Held& h : held) {
            pins.push_back({h.vertex, motion(h.frame) * h.rest, options.hold_stiffness});
        }
        return std::make_shared<Pins>(pins);
    }

    /// Muscles that touch are coupled, so the pattern follows their contacts.
    NewtonSolver solver_of(const EnergyTerms& terms) const {
        return NewtonSolver(terms, scene.volume.mesh.points.rows(), VertexConstraints());
    }

    /// Vertices carried along with the bones between which they lie, for a start.
    // A good start is worth several Newton steps: bones may move by centimetres between two calls.
    // Rigid motions of the two bones are blended linearly along the path; near the ends flesh is
    // carried by one bone alone.
    Points carried() const {
        Points x = state.x;
        for (std::size_t m = 0; m < scene.names.size(); ++m) {
            const auto change = [&](Index f) -> Eigen::Isometry3d {
                return f < 0 ? Eigen::Isometry3d::Identity()
                             : frames[at(f)] * previous[at(f)].inverse();
            };
            const Eigen::Isometry3d A = change(scene.origin_frame[m]);
            const Eigen::Isometry3d B = change(scene.insertion_frame[m]);
            for (Index v = scene.first_vertex[m]; v < scene.first_vertex[m + 1]; ++v) {
                const double s = following(scene.volume.share[at(v)]);
                const Vec3 p = point(x, v);
                x.row(v) = ((1.0 - s) * (A * p) + s * (B * p)).transpose();
            }
        }
        return x;
    }

    void add(NewtonReport&& round, NewtonReport& total) const {
        total.status = round.status;
        total.iterations += round.iterations;
        total.factorisations += round.factorisations;
        total.projected_hessians += round.projected_hessians;
        total.seconds_analyse += round.seconds_analyse;
        total.seconds_total += round.seconds_total;
        total.seconds_assemble += round.seconds_assemble;
        total.seconds_factorise += round.seconds_factorise;
        total.seconds_solve += round.seconds_solve;
        total.seconds_search += round.seconds_search;
        total.residual = std::move(round.residual);
        total.energy = std::move(round.energy);
    }

    /// What became of a few Newton steps.
    struct Round {
        double moved = 0.0;     // the longest way of a vertex, m
        double shortest = 1.0;  // fraction of a Newton step that was taken
    };

    /// Statics: contacts and the system that has room for them.
    struct Statics {
        std::shared_ptr<MuscleContactTerm> contact;
        EnergyTerms terms;
        NewtonSolver solver;
    };

    /// The system of the last equilibrium, with bones where they are now. An analysis of the
    /// pattern costs as much as three Newton steps on one core, and muscles that settle little by
    /// little touch nearly where they did.
    Statics& statics() {
        if (!kept_statics) {
            auto contact = std::make_shared<MuscleContactTerm>(contacts, frames, state.x);
            EnergyTerms terms = {tets, weight, holds(), contact};
            NewtonSolver solver = solver_of(terms);
            kept_statics.emplace(Statics{std::move(contact), std::move(terms), std::move(solver)});
        }
        kept_statics->contact->set_frames(frames);
        kept_statics->terms[2] = holds();
        return *kept_statics;
    }

    /// Makes room for contacts that have none, where they are more than a fraction of all.
    void make_room(Statics& now, double fraction) const {
        if (now.contact->stranger_fraction(state.x) > fraction) {
            now.contact->make_room(state.x);
            now.solver = solver_of(now.terms);
        }
    }

    Round minimise(Statics& statics, const NewtonOptions& newton, const Progress& progress,
                   NewtonReport& total) {
        NewtonResult result = statics.solver.solve(statics.terms, state.x, newton, progress);
        Round round{.moved = (result.x - state.x).rowwise().norm().maxCoeff()};
        for (const double share : result.report.step) {
            round.shortest = std::min(round.shortest, share);
        }
        state.x = std::move(result.x);
        add(std::move(result.report), total);
        return round;
    }

    /// Equilibrium: while the shape moves, contacts go along in every Newton step; then they are
    /// held where they are, which takes their corners away.
    void settle_with(const NewtonOptions& newton, const Progress& progress, NewtonReport& total) {
        Statics& now = statics();
        const int last = total.iterations + newton.max_iterations;
        for (bool is_last = false; !is_last;) {
            make_room(now, kStrangers);
            const bool is_near = has_come_near(now, newton, progress, total);
            is_last = total.iterations >= last;
            // Held contacts that are too deep would be solved in vain: stiffer ones first.
            if (!is_last && (!is_near || stiffens())) {
                continue;
            }
            // All held contacts have room: with bounds on the diagonal steps only crawl.
            make_room(now, 0.0);
            now.contact->set_stiffening(stiffening);
            now.contact->hold(state.x);
            NewtonOptions held = newton;
            held.max_iterations = is_last ? newton.max_iterations : kHeldSteps;
            minimise(now, held, progress, total);
            is_last = is_last || total.status == SolverStatus::Converged;
            now.contact->release();
        }
    }

    /// Makes contacts stiffer where muscles press too deep. @return whether it did
    bool stiffens() {
        if (stiffening >= kStiffest || !(deepest() > options.settle_depth)) {
            return false;
        }
        stiffening *= kStiffer;
        return true;
    }

    /// Depth of the deepest overlap, m, >= 0.
    double deepest() const {
        double depth = 0.0;
        for (const MuscleOverlap& overlap : contacts.overlaps(state.x, frames)) {
            depth = std::max(depth, overlap.depth);
        }
        return depth;
    }

    /// A few steps with contacts that go along. @return whether these are where they belong
    bool has_come_near(Statics& now, const NewtonOptions& newton, const Progress& progress,
                       NewtonReport& total) {
        NewtonOptions few = newton;
        few.max_iterations = kStepsPerRound;
        const bool is_gentle = gentle_rounds > 0;
        gentle_rounds -= is_gentle;
        now.contact->set_stiffening((is_gentle ? kGentle : 1.0) * stiffening);
        const Round round = minimise(now, few, progress, total);
        const bool is_hanging = round.shortest <= kHanging && round.moved < kHangingMotion &&
                                total.last_residual() < kHangingResidual;
        return !is_gentle &&
               (total.status == SolverStatus::Converged || round.moved < kAtRest || is_hanging);
    }

    MuscleScene scene;
    MuscleSimulatorOptions options;
    std::shared_ptr<MuscleTets> tets;
    std::vector<double> masses;
    std::shared_ptr<ConstantForces> weight;
    MuscleContacts contacts;
    std::vector<Held> held = {};
    std::vector<Eigen::Isometry3d> frames, previous;
    std::vector<double> activation;
    MovingPoints state = {};
    Points correction = Points(0, 3);  // of what `carried` gave, in the last time step
    bool is_correction_known = false;
    std::optional<Statics> kept_statics = {};
    int gentle_rounds = kGentleRounds;
    double stiffening = 1.0;  // of contacts in statics
};

MuscleSimulator::MuscleSimulator(MuscleScene scene, const MuscleSimulatorOptions& options) {
    check_ranges(options, "muscle simulator options");
    data_ = std::make_unique<Data>(std::move(scene), options);
}
MuscleSimulator::~MuscleSimulator() = default;
MuscleSimulator::MuscleSimulator(MuscleSimulator&&) noexcept = default;
MuscleSimulator& MuscleSimulator::operator=(MuscleSimulator&&) noexcept = default;

void MuscleSimulator::set_activation(std::span<const double> activation) {
    data_->tets->set_activation(activation);
    data_->activation.assign(activation.begin(), activation.end());
}

void MuscleSimulator::set_frames(std::span<const Eigen::Isometry3d> frames) {
    if (frames.size() != data_->frames.size()) {
        throw InputError({.where = "frames of muscles",
                          .found = fmt::format("{} motions", frames.size()),
                          .needs = fmt::format("{}", data_->frames.size()),
                          .remedy = "give one motion per frame of the scene"});
    }
    data_->frames.assign(frames.begin(), frames.end());
}

// Rounds: contacts where the flesh is, a solve with these, again; stiffer springs only where
// muscles still press too deep.
NewtonReport MuscleSimulator::settle(const NewtonOptions& options, const Progress& progress) {
    Data& d = *data_;
    // Bones carry the flesh to where it roughly belongs; Newton does the rest.
    d.state.x = d.carried();
    d.previous = d.frames;
    NewtonReport total;
    d.settle_with(options, progress, total);
    // Springs of contact give way where muscles press hard: stiffer ones, from where it is. They
    // stay for what is settled next: to let go of what has just been pressed apart takes as many
    // steps again, and the same shape would have another force after another way.
    while (d.stiffens()) {
        d.settle_with(options, progress, total);
    }
    d.state.v.setZero();
    d.is_correction_known = false;
    return total;
}

NewtonReport MuscleSimulator::advance(double step, const Progress& progress) {
    Data& d = *data_;
    // Damping in air: velocities shrink before they carry on.
    // Implicit in the damping: stable for any rate.
    const double kept = 1.0 / (1.0 + d.options.damping * step);
    const Points predicted = d.state.x + step * kept * d.state.v;
    // Where bones carry them, and as far from there as in the last step again.
    const Points carried = d.carried();
    // What the last step added to the carried shape (sag, bulge) is a better guess of what this one
    // will add than nothing.
    Points start = carried;
    if (d.is_correction_known) {
        start += d.correction;
    }
    d.previous = d.frames;
    const auto touching = std::make_shared<Planes>(d.contacts.find(start, d.frames));
    const EnergyTerms terms = {d.tets, d.weight, d.holds(), touching,
                               std::make_shared<Inertia>(d.masses, predicted, step)};
    progress.check_cancelled();
    // A time step ends when forces are small or when a step moves nothing visibly, whichever comes
    // first: the next one corrects what is left. The check for a true minimum is left to settle().
    NewtonResult result = d.solver_of(terms).solve(terms, start,
                                                   {.max_iterations = d.options.step_iterations,
                                                    .tolerance = d.options.step_tolerance,
                                                    .is_minimum_checked = false,
                                                    .exact_below = kExactBelow,
                                                    .still = d.options.step_still});
    d.correction = result.x - carried;
    d.is_correction_known = true;
    d.state.v = (result.x - d.state.x) / step;
    d.state.x = std::move(result.x);
    d.state.time += step;
    return result.report;
}

MixedStepReport MuscleSimulator::advance_explicit(double step, int steps, double viscosity) {
    Data& d = *data_;
    // Held vertices are exact here: stiff springs would make explicit steps tiny.
    VertexConstraints fixed;
    for (const Data::Held& h : d.held) {
        fixed.fix(h.vertex, d.motion(h.frame) * h.rest);
    }
    const auto touching = std::make_shared<Planes>(d.contacts.find(d.state.x, d.frames));
    std::optional<FemViscosity> damping;
    if (viscosity > 0.0) {
        damping.emplace(d.scene.volume.mesh, viscosity, 0.0);
    }
    const MixedStepper stepper({d.tets, d.weight, touching}, d.masses, std::move(damping), fixed,
                               {.step = step, .tolerance = 1e-6});
    // Springs of 1e6 N/m would bound the explicit step more tightly than the flesh does.
    fixed.apply(d.state.x);
    MixedStepReport total;
    for (int i = 0; i < steps; ++i) {
        const MixedStepReport report = stepper.advance(d.state);
        total.is_converged = total.is_converged && report.is_converged;
        total.iterations += report.iterations;
    }
    return total;
}

double MuscleSimulator::stable_step() const {
    return compute_stable_step({data_->tets}, data_->masses, data_->state.x);
}

const MuscleScene& MuscleSimulator::scene() const {
    return data_->scene;
}
const Points& MuscleSimulator::positions() const {
    return data_->state.x;
}
const Points& MuscleSimulator::velocities() const {
    return data_->state.v;
}
double MuscleSimulator::time() const {
    return data_->state.time;
}
std::vector<MuscleOverlap> MuscleSimulator::overlaps() const {
    std::vector<MuscleOverlap> found = data_->contacts.overlaps(data_->state.x, data_->frames);
    std::stable_sort(
        found.begin(), found.end(),
        [](const MuscleOverlap& a, const MuscleOverlap& b) { return a.depth > b.depth; });
    return found;
}
double MuscleSimulator::penetration() const {
    return data_->deepest();
}

std::vector<MuscleState> MuscleSimulator::states() const {
    const Data& d = *data_;
    std::vector<MuscleState> states = measure_muscles(d.scene, *d.tets, d.state.x);
    // What the springs of the insertion hold against is the force of the muscle.
    std::vector<Vec3> pull(states.size(), Vec3::Zero());
    for (std::size_t i = d.scene.volume.origin.size(); i < d.held.size(); ++i) {
        const Data::Held& h = d.held[i];
        pull[at(d.muscle_of_vertex(h.vertex))] +=
            d.options.hold_stiffness * (d.motion(h.frame) * h.rest - point(d.state.x, h.vertex));
    }
    for (std::size_t m = 0; m < states.size(); ++m) {
        states[m].force = pull[m].norm();
        states[m].activation = d.activation[m];
    }
    return states;
}

TetMesh MuscleSimulator::frame() const {
    return muscle_frame(data_->scene, *data_->tets, data_->activation, data_->state.x);
}

}  // namespace sinew
