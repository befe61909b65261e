#include "sinew/pipeline/mujoco_check.h"

#include "sinew/base/random.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#if __has_include(<mujoco/mujoco.h>) && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#include <mujoco/mujoco.h>
#define SINEW_KNOWS_MUJOCO 1
#else
#define SINEW_KNOWS_MUJOCO 0
#endif

// What MuJoCo itself makes of a file that was written for it: lengths, moment arms and forces at
// random poses against the model's own, and seconds of simulation without a warning. The library is
// loaded at run time, so that nothing links to it; without it the check says that it was not made.

namespace sinew {

#if SINEW_KNOWS_MUJOCO

namespace {

constexpr double kSimulated = 2.0;  // s
// Of the optimal length; beyond, in angles that no joint reaches, passive forces of either rule say
// nothing.
constexpr double kLeastWorking = 0.5;
constexpr double kMostWorking = 1.5;

// Functions of the library, found by name.
struct MujocoLibrary {
    decltype(&mj_version) version = nullptr;
    decltype(&mj_loadXML) load = nullptr;
    decltype(&mj_deleteModel) delete_model = nullptr;
    decltype(&mj_makeData) make_data = nullptr;
    decltype(&mj_deleteData) delete_data = nullptr;
    decltype(&mj_resetData) reset = nullptr;
    decltype(&mj_forward) forward = nullptr;
    decltype(&mj_step) step = nullptr;
    decltype(&mj_name2id) find = nullptr;

    bool open() {
        void* handle = nullptr;
        for (const char* name : {"libmujoco.so", "libmujoco.so.2.2.2", "libmujoco.dylib"}) {
            handle = handle == nullptr ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : handle;
        }
        if (handle == nullptr) {
            return false;
        }
        const auto get = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
            return function != nullptr;
        };
        return get(version, "mj_version") && get(load, "mj_loadXML") &&
               get(delete_model, "mj_deleteModel") && get(make_data, "mj_makeData") &&
               get(delete_data, "mj_deleteData") && get(reset, "mj_resetData") &&
               get(forward, "mj_forward") && get(step, "mj_step") && get(find, "mj_name2id") &&
               version() == mjVERSION_HEADER;
    }
};

class MujocoExaminer {
public:
    MujocoExaminer(const MujocoLibrary& library, const MusculoskeletalModel& model,
                   const MujocoCheckOptions& options)
        : mj_(library), model_(model), options_(options), tree_(model), paths_(model, tree_) {}

    MujocoCheck examine(const std::filesystem::path& file) {
        const int version = mj_.version();
        check_.version = fmt::format("{}.{}.{}", version / 100, version / 10 % 10, version % 10);
        std::array<char, 1000> error{};
        const std::unique_ptr<mjModel, decltype(mj_.delete_model)> model(
            mj_.load(file.c_str(), nullptr, error.data(), 1000), mj_.delete_model);
        m_ = model.get();
        if (m_ == nullptr) {
            check_.refusal = error.data();
            return check_;
        }
        const std::unique_ptr<mjData, decltype(mj_.delete_data)> data(mj_.make_data(m_),
                                                                      mj_.delete_data);
        d_ = data.get();
        match_names();
        check_.start_error = start_error();
        compare();
        for (std::size_t kind = 0; options_.simulates && kind < 3; ++kind) {
            check_.ran[kind] = simulate(kind, check_.strayed[kind]);
        }
        return check_;
    }

private:
    void match_names() {
        for (const Coordinate& c : model_.coordinates) {
            joints_.push_back(mj_.find(m_, mjOBJ_JOINT, c.name.c_str()));
        }
        for (const MuscleUnit& unit : model_.muscles) {
            const int actuator = mj_.find(m_, mjOBJ_ACTUATOR, unit.name.c_str());
            const bool pulls = actuator >= 0 && m_->actuator_trntype[actuator] == mjTRN_TENDON;
            tendons_.push_back(pulls ? m_->actuator_trnid[2 * actuator] : -1);
            actuators_.push_back(actuator);
        }
    }

    // What the polynomial of an equality makes of its leader.
    double follower(int e) const {
        const int y = m_->eq_obj1id[e];
        const int x = m_->eq_obj2id[e];
        const double offset =
            x < 0 ? 0.0 : d_->qpos[m_->jnt_qposadr[x]] - m_->qpos0[m_->jnt_qposadr[x]];
        double sum = 0.0;
        for (int k = 4; k >= 0; --k) {
            sum = sum * offset + m_->eq_data[mjNEQDATA * e + k];
        }
        return m_->qpos0[m_->jnt_qposadr[y]] + sum;
    }

    double start_error() const {
        double most = 0.0;
        for (int e = 0; e < m_->neq; ++e) {
            if (m_->eq_type[e] == mjEQ_JOINT && m_->eq_active[e] != 0) {
                most = std::max(
                    most, std::abs(d_->qpos[m_->jnt_qposadr[m_->eq_obj1id[e]]] - follower(e)));
            }
        }
        return most;
    }

    void pose(const std::vector<double>& q) {
        mj_.reset(m_, d_);
        for (std::size_t c = 0; c < joints_.size(); ++c) {
            if (joints_[c] >= 0) {
                d_->qpos[m_->jnt_qposadr[joints_[c]]] = q[c];
            }
        }
        for (int e = 0; e < m_->neq; ++e) {
            if (m_->eq_type[e] == mjEQ_JOINT && m_->eq_active[e] != 0) {
                d_->qpos[m_->jnt_qposadr[m_->eq_obj1id[e]]] = follower(e);
            }
        }
        std::fill(d_->act, d_->act + m_->na, 1.0);
        mj_.forward(m_, d_);
    }

    std::vector<double> random_pose(Random& random) const {
        std::vector<double> q = rest_coordinates(model_);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const Coordinate& k = model_.coordinates[c];
            if (!k.is_locked && std::isfinite(k.low) && std::isfinite(k.high) && k.low < k.high) {
                q[c] = random.uniform(k.low, k.high);
            }
        }
        return tree_.place(q).q;
    }

    // Sums of squares over muscles and poses.
    struct Sums {
        double length = 0.0;
        double arm = 0.0;
        double force = 0.0;
        double lengths = 0.0;
        double forces = 0.0;
        double arms = 0.0;
        double over = 0.0;
    };

    void compare_pose(const std::vector<double>& q, Sums& sums) {
        pose(q);
        const ModelPlacement place = tree_.place(q);
        const PathState state = paths_.evaluate(place);
        std::vector<double> dense(model_.coordinates.size());
        for (std::size_t u = 0; u < tendons_.size(); ++u) {
            if (tendons_[u] < 0 || actuators_[u] < 0) {
                continue;
            }
            const double off = d_->ten_length[tendons_[u]] - state.length[u];
            const double is_over = std::abs(off) > 1e-3 ? 1.0 : 0.0;
            sums.length += off * off;
            ++sums.lengths;
            sums.over += is_over;
            MujocoCheck::Muscle& muscle = check_.muscles[u];
            muscle.rms += off * off;
            muscle.share_over_1mm += is_over;
            muscle.most = std::max(muscle.most, std::abs(off));
            if (std::abs(off) > check_.length_most) {
                check_.length_most = std::abs(off);
                check_.length_muscle = model_.muscles[u].name;
            }
            const MuscleForce ours = equilibrium_force(model_.muscles[u], state.length[u], 1.0);
            const double fibre = ours.fibre / model_.muscles[u].fibre;
            if (fibre > kLeastWorking && fibre < kMostWorking) {
                const double theirs = -d_->actuator_force[actuators_[u]];
                sums.force += std::pow((theirs - ours.total) / model_.muscles[u].fmax, 2);
                ++sums.forces;
            }
            paths_.scatter(state, u, dense);
            tree_.fold_couplers(place, dense);
            for (std::size_t c = 0; c < joints_.size(); ++c) {
                if (joints_[c] < 0 || dense[c] == 0.0) {
                    continue;
                }
                sums.arm += std::pow(whole_slope(tendons_[u], joints_[c]) - dense[c], 2);
                ++sums.arms;
            }
        }
    }

    void compare() {
        Random random(Seed{7});
        for (const MuscleUnit& unit : model_.muscles) {
            check_.muscles.push_back({.name = unit.name, .lacks = inexpressible(model_, unit)});
        }
        Sums sums;
        for (int p = 0; p < options_.poses; ++p) {
            compare_pose(random_pose(random), sums);
        }
        check_.poses = options_.poses;
        const double poses = std::max(options_.poses, 1);
        for (std::size_t u = 0; u < check_.muscles.size(); ++u) {
            MujocoCheck::Muscle& muscle = check_.muscles[u];
            muscle.rms = std::sqrt(muscle.rms / poses);
            muscle.share_over_1mm /= poses;
            if (muscle.lacks.empty() && tendons_[u] >= 0) {
                ++check_.expressible;
                check_.expressible_most = std::max(check_.expressible_most, muscle.most);
                check_.expressible_over_1mm += muscle.share_over_1mm;
            }
        }
        check_.expressible_over_1mm /= std::max(static_cast<double>(check_.expressible), 1.0);
        check_.length_rms = std::sqrt(sums.length / std::max(sums.lengths, 1.0));
        check_.share_over_1mm = sums.over / std::max(sums.lengths, 1.0);
        check_.force_rms = std::sqrt(sums.force / std::max(sums.forces, 1.0));
        check_.arm_rms = std::sqrt(sums.arm / std::max(sums.arms, 1.0));
    }

    // dl/dq with all joints that follow this one.
    double whole_slope(int tendon, int joint) const {
        double sum = tendon_slope(tendon, m_->jnt_dofadr[joint]);
        for (int e = 0; e < m_->neq; ++e) {
            if (m_->eq_type[e] != mjEQ_JOINT || m_->eq_active[e] == 0 ||
                m_->eq_obj2id[e] != joint) {
                continue;
            }
            const double offset =
                d_->qpos[m_->jnt_qposadr[joint]] - m_->qpos0[m_->jnt_qposadr[joint]];
            double slope = 0.0;
            for (int k = 4; k >= 1; --k) {
                slope = slope * offset + k * m_->eq_data[mjNEQDATA * e + k];
            }
            sum += slope * tendon_slope(tendon, m_->jnt_dofadr[m_->eq_obj1id[e]]);
        }
        return sum;
    }

    // dl/dq of a tendon; rows may be kept sparse.
    double tendon_slope(int tendon, int dof) const {
        if (d_->ten_J_rownnz[tendon] == 0) {
            return d_->ten_J[tendon * m_->nv + dof];
        }
        for (int k = 0; k < d_->ten_J_rownnz[tendon]; ++k) {
            const int at = d_->ten_J_rowadr[tendon] + k;
            if (d_->ten_J_colind[at] == dof) {
                return d_->ten_J[at];
            }
        }
        return 0.0;
    }

    // Seconds until the first warning.
    double simulate(std::size_t kind, double& strayed) {
        mj_.reset(m_, d_);
        Random random(Seed{11});
        const auto steps = static_cast<int>(kSimulated / m_->opt.timestep);
        for (int k = 0; k < steps; ++k) {
            if (k % 50 == 0) {
                for (int a = 0; a < m_->nu; ++a) {
                    d_->ctrl[a] = kind == 0 ? 0.0 : kind == 1 ? random.uniform() : 1.0;
                }
            }
            mj_.step(m_, d_);
            strayed = std::max(strayed, start_error());
            for (const mjWarningStat& warning : d_->warning) {
                if (warning.number > 0) {
                    return k * m_->opt.timestep;
                }
            }
        }
        return kSimulated;
    }

    const MujocoLibrary& mj_;
    const MusculoskeletalModel& model_;
    MujocoCheckOptions options_;
    KinematicTree tree_;
    MusclePaths paths_;
    MujocoCheck check_ = {};
    mjModel* m_ = nullptr;
    mjData* d_ = nullptr;
    std::vector<int> joints_ = {};  // of each coordinate; -1 where MuJoCo has none
    std::vector<int> tendons_ = {};
    std::vector<int> actuators_ = {};
};

}  // namespace

MujocoCheck check_in_mujoco(const std::filesystem::path& mjcf, const MusculoskeletalModel& model,
                            const MujocoCheckOptions& options) {
    MujocoLibrary library;
    return library.open() ? MujocoExaminer(library, model, options).examine(mjcf) : MujocoCheck{};
}

#else

MujocoCheck check_in_mujoco(const std::filesystem::path&, const MusculoskeletalModel&,
                            const MujocoCheckOptions&) {
    return {};
}

#endif

std::string inexpressible(const MusculoskeletalModel& model, const MuscleUnit& unit) {
    for (const PathPoint& point : unit.points) {
        if (point.condition >= 0) {
            return "a conditional point";
        }
        if (point.anchors.size() > 1) {
            return "a blended point";
        }
    }
    std::vector<int> surfaces(unit.points.size(), 0);
    for (const PathWrap& wrap : unit.wraps) {
        const WrapObject& object = model.wraps[at(wrap.object)];
        if (!object.is_active) {
            continue;
        }
        if (object.kind == WrapKind::Ellipsoid || object.kind == WrapKind::Torus) {
            return object.kind == WrapKind::Torus ? "a ring" : "an ellipsoid";
        }
        const auto last =
            wrap.last < 0 ? unit.points.size() - 1 : static_cast<std::size_t>(wrap.last);
        for (auto k = static_cast<std::size_t>(wrap.first); k < last; ++k) {
            if (++surfaces[k] > 1) {
                return "two surfaces between two points";
            }
        }
    }
    return {};
}

std::vector<std::string> sentences(const MujocoCheck& check) {
    if (check.version.empty()) {
        return {"MuJoCo was not found, so the file was not tried in it"};
    }
    if (!check.refusal.empty()) {
        return {fmt::format("MuJoCo {} does not load the file: {}", check.version, check.refusal)};
    }
    std::vector<std::string> out = {
        fmt::format(
            "MuJoCo {}: lengths differ by {:.3g} mm RMS, at most {:.3g} mm ({}), {:.2g} % by "
            "more than 1 mm over {} random poses; moment arms by {:.3g} mm RMS",
            check.version, 1e3 * check.length_rms, 1e3 * check.length_most, check.length_muscle,
            1e2 * check.share_over_1mm, check.poses, 1e3 * check.arm_rms),
        fmt::format(
            "the {} of {} muscles whose paths MJCF can express: at most {:.3g} mm, {:.2g} % "
            "by more than 1 mm",
            check.expressible, check.muscles.size(), 1e3 * check.expressible_most,
            1e2 * check.expressible_over_1mm),
        fmt::format("MuJoCo's muscles have stiff tendons and curves of their own: forces at full "
                    "activation differ by {:.2g} of the greatest (RMS, fibres at 0.5 to 1.5 of "
                    "their optimal length)",
                    check.force_rms)};
    if (check.start_error > 1e-6) {
        out.push_back(
            fmt::format("the start pose breaks an equality by {:.2g}", check.start_error));
    }
    // What formats do not share, by cause.
    struct Lacking {
        int muscles = 0;
        double most = 0.0;
        double over = 0.0;
    };
    std::map<std::string, Lacking> lacking;
    for (const MujocoCheck::Muscle& muscle : check.muscles) {
        if (!muscle.lacks.empty()) {
            Lacking& sum = lacking[muscle.lacks];
            ++sum.muscles;
            sum.most = std::max(sum.most, muscle.most);
            sum.over += muscle.share_over_1mm;
        }
    }
    for (const auto& [what, sum] : lacking) {
        out.push_back(
            fmt::format("{} muscles have {}, which MJCF cannot express: at most {:.3g} mm, {:.2g} "
                        "% by more than "
                        "1 mm",
                        sum.muscles, what, 1e3 * sum.most, 1e2 * sum.over / sum.muscles));
    }
    const char* kinds[] = {"at rest", "with random activations", "with full activations"};
    for (std::size_t k = 0; k < 3; ++k) {
        if (check.ran[k] < 2.0 - 1e-9) {
            out.push_back(
                fmt::format("2 s {}: MuJoCo warned after {:.3g} s", kinds[k], check.ran[k]));
        }
        if (check.strayed[k] > 2e-3) {
            out.push_back(fmt::format("2 s {}: a joint strays by {:.2g} from what it follows",
                                      kinds[k], check.strayed[k]));
        }
    }
    return out;
}

}  // namespace sinew
