#include "tests/support/mujoco_world.h"

#include "sinew/base/error.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sinew {

namespace {

constexpr double kSolverTolerance = 1e-6;
constexpr int kSolverIterations = 20;

mjModel* load(const std::string& mjcf) {
    // The file system of MuJoCo that lives in memory.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const char* name = "model.xml";
    if (mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(mjcf.size())) != 0) {
        mj_deleteVFS(files.get());
        throw InputError({.where = "MuJoCo",
                          .found = fmt::format("a model of {} bytes", mjcf.size()),
                          .needs = "one that it takes",
                          .remedy = "use a smaller model"});
    }
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], mjcf.data(), mjcf.size());
    std::array<char, 1000> error{};
    mjModel* model = mj_loadXML(name, files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model == nullptr) {
        throw InputError({.where = "MuJoCo",
                          .found = error.data(),
                          .needs = "a model that it loads",
                          .remedy = "check the model: sinew check MODEL"});
    }
    return model;
}

}  // namespace

struct MujocoWorld::World {
    World(const MusculoskeletalModel& source, const std::string& mjcf)
        : tree(source),
          paths(source, tree),
          muscles(source.muscles),
          model(load(mjcf)),
          data(mj_makeData(model)) {
        model->opt.jacobian = mjJAC_SPARSE;
        model->opt.tolerance = kSolverTolerance;
        model->opt.iterations = kSolverIterations;
        for (const Coordinate& c : source.coordinates) {
            const int joint = mj_name2id(model, mjOBJ_JOINT, c.name.c_str());
            if (joint < 0) {
                mj_deleteData(data);
                mj_deleteModel(model);
                throw InputError({.where = fmt::format("coordinate '{}'", c.name),
                                  .found = "no joint of that name",
                                  .needs = "a MuJoCo model written from this one",
                                  .remedy = "write it again"});
            }
            address.push_back(model->jnt_qposadr[joint]);
            dof.push_back(model->jnt_dofadr[joint]);
        }
        values.resize(address.size());
    }
    ~World() {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    std::vector<double> gather(const double* from) const {
        std::vector<double> out;
        for (const int d : dof) {
            out.push_back(from[d]);
        }
        return out;
    }
    void scatter(std::span<const double> from, double* to) const {
        std::fill_n(to, model->nv, 0.0);
        for (std::size_t c = 0; c < dof.size(); ++c) {
            to[dof[c]] = from[c];
        }
    }

    // -J' f of all muscles into the applied forces.
    void pull(std::span<const double> activation) {
        for (std::size_t c = 0; c < address.size(); ++c) {
            values[c] = data->qpos[address[c]];
        }
        tree.place(values, placement);
        paths.evaluate(placement, state);
        std::fill_n(data->qfrc_applied, model->nv, 0.0);
        for (std::size_t m = 0; m < muscles.size(); ++m) {
            const auto columns = paths.coordinates(m);
            const double* row = state.jacobian.data() + paths.row_start(m);
            double velocity = 0.0;
            for (std::size_t k = 0; k < columns.size(); ++k) {
                velocity += row[k] * data->qvel[dof[static_cast<std::size_t>(columns[k])]];
            }
            const double force =
                rigid_tendon_force(muscles[m], state.length[m], velocity, activation[m]).total;
            for (std::size_t k = 0; k < columns.size(); ++k) {
                data->qfrc_applied[dof[static_cast<std::size_t>(columns[k])]] -= force * row[k];
            }
        }
    }

    KinematicTree tree;
    MusclePaths paths;
    std::vector<MuscleUnit> muscles;
    mjModel* model;
    mjData* data;
    std::vector<int> address = {};  // of each coordinate in qpos
    std::vector<int> dof = {};      // and in qvel
    std::vector<double> values = {};
    ModelPlacement placement = {};
    PathState state = {};
};

MujocoWorld::MujocoWorld(const MusculoskeletalModel& model, const std::string& mjcf)
    : world_(std::make_unique<World>(model, mjcf)) {}
MujocoWorld::~MujocoWorld() = default;
MujocoWorld::MujocoWorld(MujocoWorld&&) noexcept = default;
MujocoWorld& MujocoWorld::operator=(MujocoWorld&&) noexcept = default;

void MujocoWorld::set_state(std::span<const double> q, std::span<const double> speed) {
    SINEW_ASSERT(q.size() == world_->address.size() && speed.size() == q.size(), "{} values",
                 q.size());
    for (std::size_t c = 0; c < q.size(); ++c) {
        world_->data->qpos[world_->address[c]] = q[c];
        world_->data->qvel[world_->dof[c]] = speed[c];
    }
}

std::vector<double> MujocoWorld::q() const {
    std::vector<double> out;
    for (const int a : world_->address) {
        out.push_back(world_->data->qpos[a]);
    }
    return out;
}

std::vector<double> MujocoWorld::speed() const {
    return world_->gather(world_->data->qvel);
}

double MujocoWorld::time() const {
    return world_->data->time;
}

int MujocoWorld::contacts() const {
    return world_->data->ncon;
}

Eigen::MatrixXd MujocoWorld::mass_matrix() {
    mj_fwdPosition(world_->model, world_->data);
    const int nv = world_->model->nv;
    std::vector<double> full(static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv));
    mj_fullM(world_->model, full.data(), world_->data->qM);
    const auto n = static_cast<Eigen::Index>(world_->dof.size());
    Eigen::MatrixXd M(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) {
            M(i, j) = full[static_cast<std::size_t>(world_->dof[static_cast<std::size_t>(i)]) *
                               static_cast<std::size_t>(nv) +
                           static_cast<std::size_t>(world_->dof[static_cast<std::size_t>(j)])];
        }
    }
    return M;
}

std::vector<double> MujocoWorld::bias() {
    mj_fwdPosition(world_->model, world_->data);
    mj_fwdVelocity(world_->model, world_->data);
    return world_->gather(world_->data->qfrc_bias);
}

std::vector<double> MujocoWorld::forward(std::span<const double> forces) {
    world_->scatter(forces, world_->data->qfrc_applied);
    mj_forward(world_->model, world_->data);
    return world_->gather(world_->data->qacc);
}

std::vector<double> MujocoWorld::inverse(std::span<const double> acceleration) {
    world_->scatter(acceleration, world_->data->qacc);
    mj_inverse(world_->model, world_->data);
    return world_->gather(world_->data->qfrc_inverse);
}

void MujocoWorld::step(std::span<const double> activation) {
    SINEW_ASSERT(activation.size() == world_->muscles.size(), "{} activations", activation.size());
    world_->pull(activation);
    mj_step(world_->model, world_->data);
}

double MujocoWorld::step_size() const {
    return world_->model->opt.timestep;
}

}  // namespace sinew
