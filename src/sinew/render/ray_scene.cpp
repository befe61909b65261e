#include "sinew/render/ray_scene.h"

#include "sinew/base/error.h"
#include "sinew/render/ray_object.h"

#include <Eigen/Geometry>
#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::detail {

namespace {

/// Rays leave a surface this far above it, in unit lengths.
constexpr float kLift = 2e-5f;
constexpr int kMaxCrossings = 128;
constexpr float kOpaque = 0.999f;

struct Crossing {
    float distance;
    unsigned geometry;
    unsigned primitive;
    float u;
    float v;
    Vec3f normal;
    bool operator<(const Crossing& other) const {
        return std::tie(distance, geometry, primitive) <
               std::tie(other.distance, other.geometry, other.primitive);
    }
};

struct UnitPlane {
    Vec3f normal = Vec3f::UnitZ();
    float offset = 0.0f;
    bool removes(const Vec3f& p) const {
        return normal.dot(p) > offset;
    }
};

/// Embree hands this back to the filters below.
struct Context {
    RTCIntersectContext embree;
    const std::vector<RayObject>* objects = nullptr;
    const UnitPlane* cut = nullptr;
    std::vector<Crossing>* crossings = nullptr;
};

Vec3f filter_point(const RTCFilterFunctionNArguments* args) {
    const float t = RTCRayN_tfar(args->ray, 1, 0);
    return Vec3f(RTCRayN_org_x(args->ray, 1, 0) + t * RTCRayN_dir_x(args->ray, 1, 0),
                 RTCRayN_org_y(args->ray, 1, 0) + t * RTCRayN_dir_y(args->ray, 1, 0),
                 RTCRayN_org_z(args->ray, 1, 0) + t * RTCRayN_dir_z(args->ray, 1, 0));
}

bool is_removed(const Context& context, const RTCFilterFunctionNArguments* args) {
    const unsigned id = RTCHitN_geomID(args->hit, 1, 0);
    return context.cut != nullptr && (*context.objects)[id].is_cut &&
           context.cut->removes(filter_point(args));
}

/// Passes over what the cut removes.
void skip_removed(const RTCFilterFunctionNArguments* args) {
    const auto& context = *reinterpret_cast<const Context*>(args->context);
    if (is_removed(context, args)) {
        args->valid[0] = 0;
    }
}

/// Notes every crossing and lets the ray go on.
void gather(const RTCFilterFunctionNArguments* args) {
    const auto& context = *reinterpret_cast<const Context*>(args->context);
    args->valid[0] = 0;
    if (context.crossings->size() < kMaxCrossings && !is_removed(context, args)) {
        context.crossings->push_back(
            {RTCRayN_tfar(args->ray, 1, 0), RTCHitN_geomID(args->hit, 1, 0),
             RTCHitN_primID(args->hit, 1, 0), RTCHitN_u(args->hit, 1, 0),
             RTCHitN_v(args->hit, 1, 0),
             Vec3f(RTCHitN_Ng_x(args->hit, 1, 0), RTCHitN_Ng_y(args->hit, 1, 0),
                   RTCHitN_Ng_z(args->hit, 1, 0))});
    }
}

RTCRay embree_ray(const Ray& ray) {
    RTCRay r = {};
    r.org_x = ray.origin.x();
    r.org_y = ray.origin.y();
    r.org_z = ray.origin.z();
    r.tnear = ray.near;
    r.dir_x = ray.direction.x();
    r.dir_y = ray.direction.y();
    r.dir_z = ray.direction.z();
    r.tfar = ray.far;
    r.mask = ~0u;
    return r;
}

RTCRayHit embree_ray_hit(const Ray& ray) {
    RTCRayHit r = {};
    r.ray = embree_ray(ray);
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    return r;
}

struct Bounds {
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());
    void add(const Vec3& p, double radius = 0.0) {
        low = low.cwiseMin(p.array().matrix() - Vec3::Constant(radius));
        high = high.cwiseMax(p + Vec3::Constant(radius));
    }
};

}  // namespace

struct RayScene::Impl {
    RTCDevice device = nullptr;
    RTCScene opaque = nullptr;
    RTCScene clear = nullptr;
    std::vector<RayObject> objects = {};  // geometry ids of both scenes are rows here
    ColourTable table = {};
    std::optional<UnitPlane> cut = {};
    UnitFrame frame = {};
    Vec3f low = Vec3f::Zero();
    Vec3f high = Vec3f::Zero();
    bool has_clear = false;

    Impl() {
        // One thread builds the tree: the same tree, and so the same ties, on any machine.
        device = rtcNewDevice("threads=1");
        if (device == nullptr) {
            throw std::runtime_error("the ray tracing library did not start");
        }
        opaque = rtcNewScene(device);
        clear = rtcNewScene(device);
    }
    ~Impl() {
        rtcReleaseScene(opaque);
        rtcReleaseScene(clear);
        rtcReleaseDevice(device);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void measure(const Scene& scene, const RaySceneOptions& options);
    void attach(RayObject object);
    void commit();
    void fill(const Ray& ray, const Crossing& c, Hit& hit) const;
    bool cap(const Ray& ray, float distance, Hit& hit) const;
    Context context(void (*filter)(const RTCFilterFunctionNArguments*),
                    std::vector<Crossing>* crossings) const;
};

Context RayScene::Impl::context(void (*filter)(const RTCFilterFunctionNArguments*),
                                std::vector<Crossing>* crossings) const {
    Context c;
    rtcInitIntersectContext(&c.embree);
    c.embree.filter = filter;
    c.objects = &objects;
    c.cut = cut ? &*cut : nullptr;
    c.crossings = crossings;
    return c;
}

void RayScene::Impl::measure(const Scene& scene, const RaySceneOptions& options) {
    Bounds bounds;
    for (const SceneSurface& s : scene.surfaces) {
        if (is_in_layers(s.kind, s.name, options.layers)) {
            for (Eigen::Index i = 0; i < s.mesh.points.rows(); ++i) {
                bounds.add(point(s.mesh.points, i));
            }
        }
    }
    for (const SceneLines& l : scene.lines) {
        for (const auto& line : l.lines) {
            for (const Vec3& p : line) {
                bounds.add(p, l.radius);
            }
        }
    }
    for (const SceneDots& d : scene.dots) {
        for (const Vec3& p : d.points) {
            bounds.add(p, d.radius);
        }
    }
    if (!(bounds.low.x() <= bounds.high.x())) {
        return;  // nothing to see
    }
    frame.centre = 0.5 * bounds.low + 0.5 * bounds.high;
    double& radius = frame.radius;
    radius = 0.5 * (bounds.high - bounds.low).stableNorm();
    if (!(radius < 1e100)) {
        throw InputError({.where = "picture",
                          .found = fmt::format("a scene {} m across", 2.0 * radius),
                          .needs = "parts of ordinary size",
                          .remedy = "check the unit of the mesh"});
    }
    radius = radius > 0.0 ? radius : 1.0;
    low = frame.unit(bounds.low);
    high = frame.unit(bounds.high);
}

void RayScene::Impl::attach(RayObject object) {
    if (object.is_empty()) {
        return;
    }
    const RTCGeometryType type = object.form == Form::Mesh    ? RTC_GEOMETRY_TYPE_TRIANGLE
                                 : object.form == Form::Tubes ? RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE
                                                              : RTC_GEOMETRY_TYPE_SPHERE_POINT;
    RTCGeometry geometry = rtcNewGeometry(device, type);
    const bool is_mesh = object.form == Form::Mesh;
    const std::size_t width = is_mesh ? 3 : 4;
    auto* points = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, is_mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4,
        width * sizeof(float), object.points.size()));
    for (std::size_t i = 0; i < object.points.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            points[width * i + c] = object.points[i][static_cast<Eigen::Index>(c)];
        }
        if (!is_mesh) {
            points[width * i + 3] = object.radius;
        }
    }
    if (object.form != Form::Balls) {
        const std::size_t per = is_mesh ? 3 : 1;
        auto* corners = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, is_mesh ? RTC_FORMAT_UINT3 : RTC_FORMAT_UINT,
            per * sizeof(std::uint32_t), object.corners.size() / per));
        std::copy(object.corners.begin(), object.corners.end(), corners);
    }
    rtcCommitGeometry(geometry);
    const bool is_opaque = object.opacity >= kOpaque;
    has_clear = has_clear || !is_opaque;
    rtcAttachGeometryByID(is_opaque ? opaque : clear, geometry,
                          static_cast<unsigned>(objects.size()));
    rtcReleaseGeometry(geometry);
    objects.push_back(std::move(object));
}

void RayScene::Impl::commit() {
    const RTCSceneFlags filter = RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION;
    rtcSetSceneFlags(opaque, cut ? static_cast<RTCSceneFlags>(filter | RTC_SCENE_FLAG_ROBUST)
                                 : RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneFlags(clear, static_cast<RTCSceneFlags>(filter | RTC_SCENE_FLAG_ROBUST));
    rtcCommitScene(opaque);
    rtcCommitScene(clear);
    if (rtcGetDeviceError(device) != RTC_ERROR_NONE) {
        throw std::runtime_error("the ray tracing library could not take the scene");
    }
}

void RayScene::Impl::fill(const Ray& ray, const Crossing& c, Hit& hit) const {
    const RayObject& o = objects[c.geometry];
    hit.object = static_cast<int>(c.geometry);
    hit.distance = c.distance;
    hit.position = ray.origin + c.distance * ray.direction;
    hit.finish = o.finish;
    hit.opacity = o.opacity;
    hit.albedo = detail::albedo(o, table, c.primitive, c.u, c.v);
    hit.is_cap = false;
    const Vec3f outward = c.normal.normalized();
    hit.is_back = outward.dot(ray.direction) > 0.0f;
    const float side = hit.is_back ? -1.0f : 1.0f;
    hit.face_normal = side * outward;
    hit.normal = hit.face_normal;
    hit.origin = hit.position;
    hit.edge_distance = 1e30f;
    if (o.form == Form::Mesh) {
        const std::size_t t = c.primitive;
        if (!o.is_flat) {
            const Vec3f n = (1.0f - c.u - c.v) * o.normals[3 * t] + c.u * o.normals[3 * t + 1] +
                            c.v * o.normals[3 * t + 2];
            const float length = n.norm();
            if (length > 1e-6f) {
                hit.normal = (side / length) * n;
            }
            hit.origin = lifted_point(o, t, c.u, c.v, hit.position, side);
        }
        if (o.show_edges) {
            hit.edge_distance = distance_to_edges(o, t, c.u, c.v);
        }
    }
    // A smooth normal may lean away from the beholder at the outline; bend it back.
    const float facing = hit.normal.dot(ray.direction);
    if (facing > -0.02f) {
        hit.normal = (hit.normal - (facing + 0.02f) * ray.direction).normalized();
    }
    hit.origin += kLift * hit.face_normal;
}

/// Where the ray comes out of the removed half inside a closed part, the part's colour fills the
/// cut.
bool RayScene::Impl::cap(const Ray& ray, float distance, Hit& hit) const {
    // Follow the ray through everything: a part is left once more often than entered if the ray
    // starts inside it.
    std::vector<Crossing> crossings;
    Context c = context(gather, &crossings);
    RTCRayHit r = embree_ray_hit({ray.origin, ray.direction, distance, 1e30f});
    rtcIntersect1(opaque, &c.embree, &r);
    std::sort(crossings.begin(), crossings.end());
    const RayObject* best = nullptr;
    unsigned best_id = 0;
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        const unsigned id = crossings[i].geometry;
        const RayObject& o = objects[id];
        const auto same = [&](const Crossing& x) { return x.geometry == id; };
        if (!o.is_cut || !o.is_closed ||
            std::any_of(crossings.begin(), crossings.begin() + static_cast<std::ptrdiff_t>(i),
                        same)) {
            continue;
        }
        int balance = 0;
        for (const Crossing& x : crossings) {
            balance += !same(x) ? 0 : x.normal.dot(ray.direction) > 0.0f ? 1 : -1;
        }
        if (balance > 0 && (best == nullptr || depth_rank(o.kind) < depth_rank(best->kind))) {
            best = &o;
            best_id = id;
        }
    }
    if (best == nullptr) {
        return false;
    }
    hit = {};
    hit.object = static_cast<int>(best_id);
    hit.distance = distance;
    hit.position = ray.origin + distance * ray.direction;
    hit.normal = cut->normal;
    hit.face_normal = cut->normal;
    hit.origin = hit.position + kLift * cut->normal;
    hit.finish = best->finish;
    hit.finish.gloss = 0.3f;
    // What lies inside the skin and is no part of its own: soft tissue, paler than fat.
    hit.albedo = best->kind == PartKind::Skin ? colour_from_hex(0xe6bd8e) : best->colour;
    hit.is_cap = true;
    return true;
}

RayScene::RayScene(const Scene& scene, const RaySceneOptions& options)
    : impl_(std::make_unique<Impl>()) {
    impl_->measure(scene, options);
    if (options.cut) {
        const Vec3 n = options.cut->normal.normalized();
        impl_->cut = UnitPlane{
            n.cast<float>(), static_cast<float>((options.cut->offset - n.dot(impl_->frame.centre)) /
                                                impl_->frame.radius)};
    }
    const ScalarMap* map = scene.scalar ? &*scene.scalar : nullptr;
    ScalarRange range;
    if (scene.scalar) {
        range = scalar_range(scene);
        for (std::size_t i = 0; i < kMapSteps; ++i) {
            impl_->table[i] =
                map_colour(scene.scalar->map, static_cast<double>(i) / (kMapSteps - 1));
        }
    }
    for (const SceneSurface& s : scene.surfaces) {
        if (is_in_layers(s.kind, s.name, options.layers)) {
            impl_->attach(build_object(s, map, range, impl_->frame, options));
        }
    }
    for (const SceneLines& l : scene.lines) {
        impl_->attach(build_object(l, impl_->frame, options));
    }
    for (const SceneDots& d : scene.dots) {
        impl_->attach(build_object(d, impl_->frame, options));
    }
    impl_->commit();
}

RayScene::~RayScene() = default;

Vec3f RayScene::to_unit(const Vec3& p) const {
    return impl_->frame.unit(p);
}

double RayScene::unit_length() const {
    return impl_->frame.radius;
}

float RayScene::floor() const {
    return impl_->low.y();
}

Vec3f RayScene::low() const {
    return impl_->low;
}

Vec3f RayScene::high() const {
    return impl_->high;
}

bool RayScene::has_transparent() const {
    return impl_->has_clear;
}

bool RayScene::nearest(const Ray& ray, Hit& hit) const {
    Context c = impl_->context(impl_->cut ? skip_removed : nullptr, nullptr);
    RTCRayHit r = embree_ray_hit(ray);
    rtcIntersect1(impl_->opaque, &c.embree, &r);
    const bool is_hit = r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (impl_->cut) {
        // The cut face comes first where the ray reaches the kept half before anything else.
        const UnitPlane& plane = *impl_->cut;
        const float slope = plane.normal.dot(ray.direction);
        const float t = (plane.offset - plane.normal.dot(ray.origin)) / slope;
        if (slope < 0.0f && t > ray.near && t < (is_hit ? r.ray.tfar : ray.far) &&
            impl_->cap(ray, t, hit)) {
            return true;
        }
    }
    if (is_hit) {
        impl_->fill(ray,
                    {r.ray.tfar, r.hit.geomID, r.hit.primID, r.hit.u, r.hit.v,
                     Vec3f(r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z)},
                    hit);
    }
    return is_hit;
}

void RayScene::transparent(const Ray& ray, std::vector<Hit>& hits) const {
    hits.clear();
    std::vector<Crossing> crossings;
    Context c = impl_->context(gather, &crossings);
    RTCRayHit r = embree_ray_hit(ray);
    rtcIntersect1(impl_->clear, &c.embree, &r);
    std::sort(crossings.begin(), crossings.end());
    hits.resize(crossings.size());
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        impl_->fill(ray, crossings[i], hits[i]);
    }
}

bool RayScene::is_occluded(const Ray& ray) const {
    Context c = impl_->context(impl_->cut ? skip_removed : nullptr, nullptr);
    RTCRay r = embree_ray(ray);
    rtcOccluded1(impl_->opaque, &c.embree, &r);
    return r.tfar < 0.0f;
}

bool RayScene::bounce(const Ray& ray, Colour& albedo, Vec3f& normal) const {
    Context c = impl_->context(impl_->cut ? skip_removed : nullptr, nullptr);
    RTCRayHit r = embree_ray_hit(ray);
    rtcIntersect1(impl_->opaque, &c.embree, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return false;
    }
    albedo =
        detail::albedo(impl_->objects[r.hit.geomID], impl_->table, r.hit.primID, r.hit.u, r.hit.v);
    normal = Vec3f(r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z).normalized();
    if (normal.dot(ray.direction) > 0.0f) {
        normal = -normal;
    }
    return true;
}

}  // namespace sinew::detail
