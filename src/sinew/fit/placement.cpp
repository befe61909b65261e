#include "sinew/fit/placement.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/linalg/dense.h"
#include "sinew/linalg/svd3.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Where a person stands in a scan, without being told. Units are guessed from the size; then axes
// that may point up, eight headings and a few poses are tried on a coarse rig. Starts are ranked by
// how well they agree as they are, and the better half goes on with ever more iterations
// (successive halving), so that bad starts cost little.
//
// With landmarks a similarity in closed form [Umeyama1991] replaces the search.

namespace sinew {
namespace {

void set_angle(const PoseRig& rig, const std::string& name, double degrees,
               Eigen::VectorXd& angles) {
    for (const char* side : {"_l", "_r"}) {
        std::string full = name;
        if (const std::size_t gap = full.find(' '); gap != std::string::npos) {
            full.insert(gap, side);
        }
        if (const Index a = rig.angle_named(full); a >= 0) {
            const RigAngle& angle = rig.angles()[at(a)];
            angles[a] = std::clamp(degrees * kDegree, angle.low, angle.high);
        }
    }
}

// A rotation that takes the scan's `up` to +Y and then turns by `heading` about it.
Mat3 upright(const Vec3& up, double heading) {
    return Eigen::AngleAxisd(heading, Vec3::UnitY()).toRotationMatrix() *
           turn_between(up, Vec3::UnitY());
}

struct Start {
    RigState state;
    RigPrior prior;
    double mismatch = 0.0;
    std::string pose;
};

// A rig of the right height, in the middle of the scan.
Start start_at(const PoseRig& rig, const Points& points, const Mat3& R, const StartPose& pose) {
    Start start{.state = rig.start(), .prior = {}, .pose = pose.name};
    start.state.angles = pose.angles;
    start.prior.angles = pose.angles;
    const Points turned = points * R.transpose();
    const Bounds scan = bounds(turned);
    const Bounds own = bounds(rig.placed(start.state).world);
    start.state.scale = scan.size().y() / own.size().y();
    start.state.rotation = R.transpose();
    // Heads and feet meet; the middle of the trunk is nearer to the median than to the box.
    std::vector<double> x(at(turned.rows()));
    std::vector<double> z(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = turned(static_cast<Eigen::Index>(i), 0);
        z[i] = turned(static_cast<Eigen::Index>(i), 2);
    }
    const auto middle = [](std::vector<double>& v) {
        std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
        return v[v.size() / 2];
    };
    const Vec3 target(middle(x), scan.low.y(), middle(z));
    const Vec3 from(own.centre().x(), own.low.y(), rig.rest().points.col(2).mean());
    start.state.translation = start.state.rotation * (target - start.state.scale * from);
    start.prior.scale = start.state.scale;
    return start;
}

// Those that agree best as they are.
void keep_likely(const PoseRig& rig, const ScanIndex& index, std::vector<Start>& starts) {
    constexpr std::size_t kTried = 32;
    if (starts.size() <= kTried) {
        return;
    }
    for (Start& start : starts) {
        start.mismatch = rig_mismatch(rig, start.state, index, 0.25);
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& a, const Start& b) { return a.mismatch < b.mismatch; });
    starts.resize(kTried);
}

}  // namespace

double guess_unit(const Points& points, std::string& name) {
    const double size = bounds(points).size().maxCoeff();
    struct Row {
        const char* name;
        double metres, low, high;
    };
    // Inches only where centimetres would make a baby.
    constexpr Row kRows[] = {{"m", 1.0, 0.5, 2.8},
                             {"in", 0.0254, 50.0, 87.0},
                             {"cm", 0.01, 87.0, 280.0},
                             {"mm", 0.001, 500.0, 2800.0}};
    for (const Row& row : kRows) {
        if (size >= row.low && size <= row.high) {
            name = row.name;
            return row.metres;
        }
    }
    throw InputError({.where = "scan",
                      .found = fmt::format("{:.4g} units from end to end", size),
                      .needs = "a person of 0.5 to 2.8 m in metres, centimetres or millimetres",
                      .remedy = "give the unit with --unit, or cut away what is not the person"});
}

std::vector<StartPose> start_poses(const PoseRig& rig) {
    struct Row {
        const char* name;
        std::vector<std::pair<const char*, double>> degrees;
    };
    // Angles count from the rest pose, whose arms stand 40 degrees away with palms forward.
    static const std::vector<Row> kRows = {
        {"arms away", {{"forearm pronation", 60}}},
        {"arms hanging", {{"shoulder abduction", -28}, {"forearm pronation", 60}}},
        {"arms level",
         {{"shoulder abduction", 45}, {"clavicle elevation", 8}, {"forearm pronation", 70}}},
        {"arms raised",
         {{"shoulder abduction", 105},
          {"clavicle elevation", 25},
          {"elbow flexion", 20},
          {"forearm pronation", 60}}},
        {"kneeling, arms raised",
         {{"knee flexion", 95},
          {"ankle dorsiflexion", -25},
          {"shoulder abduction", 100},
          {"clavicle elevation", 20},
          {"elbow flexion", 60},
          {"forearm pronation", 60}}},
        {"kneeling upright",
         {{"knee flexion", 95}, {"ankle dorsiflexion", -25}, {"forearm pronation", 60}}},
        {"sitting on the heels",
         {{"knee flexion", 110},
          {"hip flexion", 60},
          {"ankle dorsiflexion", -20},
          {"shoulder abduction", -10},
          {"forearm pronation", 60}}}};
    std::vector<StartPose> poses;
    for (const Row& row : kRows) {
        StartPose pose{.name = row.name, .angles = rig.start().angles};
        for (const auto& [name, degrees] : row.degrees) {
            set_angle(rig, name, degrees, pose.angles);
        }
        poses.push_back(std::move(pose));
    }
    return poses;
}

RigState similarity(const Points& from, const Points& to, const RigState& start) {
    const Vec3 a = from.colwise().mean().transpose();
    const Vec3 b = to.colwise().mean().transpose();
    const Points p = from.rowwise() - a.transpose();
    const Points q = to.rowwise() - b.transpose();
    const Mat3 S = q.transpose() * p;
    const SignedSvd svd = signed_svd(S);
    RigState state = start;
    const Mat3 R = svd.U * svd.V.transpose();
    const double s = svd.s.sum() / std::max(p.squaredNorm(), 1e-300);
    state.rotation = R * start.rotation;
    state.scale = s * start.scale;
    state.translation = s * (R * (start.translation - a)) + b;
    return state;
}

FoundPlacement place_by_landmarks(const PoseRig& rig, const ScanIndex& index,
                                  std::span<const LandmarkPair> landmarks) {
    FoundPlacement best{.mismatch = std::numeric_limits<double>::infinity()};
    Points to(static_cast<Eigen::Index>(landmarks.size()), 3);
    std::vector<RigPull> pulls;
    for (std::size_t k = 0; k < landmarks.size(); ++k) {
        to.row(static_cast<Eigen::Index>(k)) = landmarks[k].target.transpose();
        pulls.push_back({.vertex = landmarks[k].vertex,
                         .barycentric = landmarks[k].barycentric,
                         .target = landmarks[k].target,
                         .weight = 1.0 / (0.02 * 0.02)});
    }
    for (const StartPose& pose : start_poses(rig)) {
        RigState state = rig.start();
        state.angles = pose.angles;
        const PoseRig::Placement placed = rig.placed(state);
        Points from(to.rows(), 3);
        for (std::size_t k = 0; k < landmarks.size(); ++k) {
            from.row(static_cast<Eigen::Index>(k)) =
                landmarks[k].position(placed.world).transpose();
        }
        state = similarity(from, to, state);
        RigPrior prior{.angles = pose.angles, .scale = state.scale};
        for (int i = 0; i < 15; ++i) {
            state = improved(rig, state, pulls, prior);
        }
        const double cost = pull_cost(rig, rig.placed(state), pulls, prior);
        if (cost < best.mismatch) {
            best = {.state = state, .prior = prior, .mismatch = cost, .pose = pose.name};
        }
    }
    best.mismatch = rig_mismatch(rig, best.state, index);
    return best;
}

FoundPlacement place_by_search(const PoseRig& rig, const Scan& scan, const ScanIndex& index,
                               bool up_is_known, const Progress& progress) {
    const ScanSamples samples = index.samples(2000);
    std::vector<Vec3> ups = {Vec3(0, 1, 0)};
    if (!up_is_known) {
        ups = {Vec3(0, 1, 0),  Vec3(0, 0, 1), Vec3(0, -1, 0),
               Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(-1, 0, 0)};
        const Vec3 size = bounds(scan.points).size();
        std::erase_if(
            ups, [&](const Vec3& up) { return up.cwiseAbs().dot(size) < 0.75 * size.maxCoeff(); });
    }
    std::vector<Start> starts;
    for (const Vec3& up : ups) {
        // Arms and shoulders lie across the way the body faces.
        const Points turned = samples.points * upright(up, 0.0).transpose();
        const Vec3 mean = turned.colwise().mean().transpose();
        Eigen::Matrix2d C = Eigen::Matrix2d::Zero();
        for (Eigen::Index i = 0; i < turned.rows(); ++i) {
            const Eigen::Vector2d h(turned(i, 0) - mean.x(), turned(i, 2) - mean.z());
            C += h * h.transpose();
        }
        const double across = 0.5 * std::atan2(2.0 * C(0, 1), C(0, 0) - C(1, 1));
        // Legs that kneel may reach farther than arms: eighths of a turn, not quarters.
        constexpr int kHeadings = 8;
        for (int h = 0; h < kHeadings; ++h) {
            const double heading = across + 0.25 * kPi * static_cast<double>(h);
            for (const StartPose& pose : start_poses(rig)) {
                starts.push_back(start_at(rig, samples.points, upright(up, heading), pose));
            }
        }
    }
    keep_likely(rig, index, starts);
    // Rounds of ever more iterations; after each the worse half is given up.
    const int iterations[] = {4, 8, 15};
    const double reach[] = {0.20, 0.12, 0.06};
    Progress::Stage stage = progress.stage("finding the person", 3);
    for (int round = 0; round < 3; ++round) {
        for (Start& start : starts) {
            const IcpStage icp{.iterations = iterations[round],
                               .reach = reach[round],
                               .max_angle = 1.2,
                               .samples = 1000};
            start.state = fit_rig(rig, start.state, index, {}, start.prior, icp);
            start.mismatch = rig_mismatch(rig, start.state, index, 0.15);
        }
        std::stable_sort(starts.begin(), starts.end(),
                         [](const Start& a, const Start& b) { return a.mismatch < b.mismatch; });
        const std::size_t keep[] = {10, 4, 1};
        starts.resize(std::min(starts.size(), keep[round]));
        stage.advance();
    }
    return {.state = starts[0].state,
            .prior = starts[0].prior,
            .mismatch = rig_mismatch(rig, starts[0].state, index),
            .pose = starts[0].pose};
}

}  // namespace sinew
