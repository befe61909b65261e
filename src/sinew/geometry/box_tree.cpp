#include "sinew/geometry/box_tree.h"

#include "sinew/base/error.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <limits>
#include <new>
#include <vector>

namespace sinew {

namespace {

// Inside, the boxes are moved and scaled to the cube [-1, 1]^3, where single precision resolves
// 2^-24; kMargin leaves room for all roundings of coordinates, directions and box tests.
constexpr double kMargin = 0x1p-18;
// From further away than this the margins exceed the tree, and every box is offered.
constexpr double kFar = 0x1p16;

float rounded_down(double x) {
    return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity());
}
float rounded_up(double x) {
    return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity());
}

struct FloatBox {
    float low[3];
    float high[3];
};

}  // namespace

struct BoxTree::Tree {
    Tree() = default;
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree() {
        if (scene != nullptr) {
            rtcReleaseScene(scene);
        }
        if (device != nullptr) {
            rtcReleaseDevice(device);
        }
    }

    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    std::vector<FloatBox> boxes;
    Bounds all;
    Vec3 centre = Vec3::Zero();
    double scale = 1.0;  // inner length = scale * length

    Vec3 inner(const Vec3& p) const {
        return scale * (p - centre);
    }
};

namespace {

/// What Embree hands back to us during a point query.
struct NearQuery {
    void* context;
    double (*call)(void*, std::size_t);
    double scale;
    double margin;
};

bool on_near(RTCPointQueryFunctionArguments* args) {
    const auto& query = *static_cast<const NearQuery*>(args->userPtr);
    const double radius = query.call(query.context, args->primID);
    const float inner = rounded_up(radius * query.scale + query.margin);
    if (inner < args->query->radius) {
        args->query->radius = inner;
        return true;
    }
    return false;
}

/// Embree's context of a ray query, with ours behind it.
struct AlongQuery {
    RTCIntersectContext embree;
    void* context;
    double (*call)(void*, std::size_t);
    double t_origin;  // t of the point where the inner ray starts
    double t_scale;   // inner t = t_scale * (t - t_origin)
};

void on_along(const RTCIntersectFunctionNArguments* args) {
    if (args->valid[0] == 0) {
        return;
    }
    // The context given to rtcIntersect1 is the first member of an AlongQuery.
    const auto& query = *reinterpret_cast<const AlongQuery*>(args->context);
    const double t_max = query.call(query.context, args->primID);
    auto& ray = reinterpret_cast<RTCRayHit*>(args->rayhit)->ray;
    const double inner = query.t_scale * (t_max - query.t_origin) + kMargin;
    if (inner < static_cast<double>(ray.tfar)) {
        ray.tfar = rounded_up(inner);
    }
}

void on_bounds(const RTCBoundsFunctionArguments* args) {
    const auto* boxes = static_cast<const FloatBox*>(args->geometryUserPtr);
    const FloatBox& box = boxes[args->primID];
    args->bounds_o->lower_x = box.low[0];
    args->bounds_o->lower_y = box.low[1];
    args->bounds_o->lower_z = box.low[2];
    args->bounds_o->upper_x = box.high[0];
    args->bounds_o->upper_y = box.high[1];
    args->bounds_o->upper_z = box.high[2];
}

/// The part of the ray inside [-1, 1]^3 (a little enlarged): false when it misses.
bool clip(const Vec3& origin, const Vec3& direction, double& t_min, double& t_max) {
    constexpr double kHalf = 1.0 + 2.0 * kMargin;
    for (int k = 0; k < 3; ++k) {
        if (direction[k] == 0.0) {
            if (std::abs(origin[k]) > kHalf) {
                return false;
            }
            continue;
        }
        const double t1 = (-kHalf - origin[k]) / direction[k];
        const double t2 = (kHalf - origin[k]) / direction[k];
        t_min = std::max(t_min, std::min(t1, t2));
        t_max = std::min(t_max, std::max(t1, t2));
    }
    return t_min <= t_max;
}

}  // namespace

BoxTree::BoxTree() : tree_(std::make_unique<Tree>()) {}
BoxTree::~BoxTree() = default;
BoxTree::BoxTree(BoxTree&&) noexcept = default;
BoxTree& BoxTree::operator=(BoxTree&&) noexcept = default;

BoxTree::BoxTree(std::span<const Bounds> boxes) : BoxTree() {
    Tree& tree = *tree_;
    for (const Bounds& box : boxes) {
        SINEW_ASSERT(!box.is_empty(), "box {} of {}", &box - boxes.data(), boxes.size());
        tree.all.add(box);
    }
    if (boxes.empty()) {
        return;
    }
    tree.centre = tree.all.centre();
    const double half = 0.5 * tree.all.size().maxCoeff();
    tree.scale = half > 0.0 ? 1.0 / half : 1.0;
    tree.boxes.reserve(boxes.size());
    for (const Bounds& box : boxes) {
        const Vec3 low = tree.inner(box.low);
        const Vec3 high = tree.inner(box.high);
        FloatBox f;
        for (int k = 0; k < 3; ++k) {
            f.low[k] = rounded_down(low[k] - kMargin);
            f.high[k] = rounded_up(high[k] + kMargin);
        }
        tree.boxes.push_back(f);
    }

    tree.device = rtcNewDevice(nullptr);
    if (tree.device == nullptr) {
        throw std::bad_alloc();
    }
    tree.scene = rtcNewScene(tree.device);
    rtcSetSceneFlags(tree.scene, RTC_SCENE_FLAG_ROBUST);
    const RTCGeometry geometry = rtcNewGeometry(tree.device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(tree.boxes.size()));
    rtcSetGeometryUserData(geometry, tree.boxes.data());
    rtcSetGeometryBoundsFunction(geometry, on_bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, on_along);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree.scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(tree.scene);
    if (rtcGetDeviceError(tree.device) != RTC_ERROR_NONE) {
        throw std::bad_alloc();
    }
}

std::size_t BoxTree::size() const {
    return tree_->boxes.size();
}

const Bounds& BoxTree::bounds() const {
    return tree_->all;
}

void BoxTree::visit_near(const Vec3& p, double radius, const Visitor& visitor) const {
    const Tree& tree = *tree_;
    if (tree.boxes.empty() || !(radius >= 0.0)) {
        return;
    }
    const Vec3 q = tree.inner(p);
    const double distance = q.cwiseAbs().maxCoeff();
    if (!(distance < kFar)) {
        for (std::size_t i = 0; i < tree.boxes.size(); ++i) {
            visitor.call(visitor.context, i);
        }
        return;
    }
    NearQuery inner{visitor.context, visitor.call, tree.scale, kMargin * (1.0 + distance)};
    RTCPointQuery query;
    query.x = static_cast<float>(q.x());
    query.y = static_cast<float>(q.y());
    query.z = static_cast<float>(q.z());
    query.time = 0.0f;
    query.radius = rounded_up(radius * tree.scale + inner.margin);
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(tree.scene, &query, &context, on_near, &inner);
}

void BoxTree::visit_along(const Vec3& origin, const Vec3& direction, double t_min, double t_max,
                          const Visitor& visitor) const {
    const Tree& tree = *tree_;
    // The direction is scaled to length 1 before anything else, so that lengths of any size work.
    const double length = direction.stableNorm();
    if (tree.boxes.empty() || !(length > 0.0) || !(t_min <= t_max)) {
        return;
    }
    const Vec3 q = tree.inner(origin);
    const Vec3 d = direction / length;
    const double t_scale = length * tree.scale;
    double begin = t_min * t_scale;
    double end = t_max * t_scale;
    if (!clip(q, d, begin, end)) {
        return;
    }
    // The ray starts where it enters the tree: there single precision suffices.
    const Vec3 start = q + begin * d;
    AlongQuery inner;
    rtcInitIntersectContext(&inner.embree);
    inner.context = visitor.context;
    inner.call = visitor.call;
    inner.t_origin = begin / t_scale;
    inner.t_scale = t_scale;
    RTCRayHit hit;
    hit.ray.org_x = static_cast<float>(start.x());
    hit.ray.org_y = static_cast<float>(start.y());
    hit.ray.org_z = static_cast<float>(start.z());
    hit.ray.dir_x = static_cast<float>(d.x());
    hit.ray.dir_y = static_cast<float>(d.y());
    hit.ray.dir_z = static_cast<float>(d.z());
    hit.ray.tnear = 0.0f;
    hit.ray.tfar = rounded_up(end - begin + kMargin);
    hit.ray.time = 0.0f;
    hit.ray.mask = ~0u;
    hit.ray.id = 0;
    hit.ray.flags = 0;
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tree.scene, &inner.embree, &hit);
}

}  // namespace sinew
