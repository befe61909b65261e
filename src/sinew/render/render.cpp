#include "sinew/render/render.h"

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/render/draw.h"
#include "sinew/render/film.h"
#include "sinew/render/lighting.h"
#include "sinew/render/ray_scene.h"
#include "sinew/render/text.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

using detail::Arrival;
using detail::Film;
using detail::Hit;
using detail::Pixel;
using detail::Ray;
using detail::Reflected;
using detail::Vec3f;

constexpr float kFar = 1e30f;
/// Outlines get this many times the samples of plain pixels.
constexpr int kEdgeFactor = 4;
/// Rows of a picture worked on at a time hold about so many pixels.
constexpr int kBandPixels = 2'500'000;
constexpr int kRoomRays = 3;  // per sample
constexpr int kObjectBackdrop = -1;
constexpr int kObjectFloor = -2;

/// Pairs of numbers in [0, 1)^2 that fill the square evenly: the R2 sequence (multiples of the
/// plastic number's powers), shifted differently for each pixel and purpose.
class Sampler {
public:
    Sampler(std::uint32_t x, std::uint32_t y)
        : seed_(mix(x * 0x9e3779b9u ^ mix(y + 0x7f4a7c15u))) {}

    Eigen::Vector2f pair(std::uint32_t purpose, std::uint32_t index) const {
        const std::uint32_t a = mix(seed_ + 0x632be5abu * (2 * purpose + 1));
        const std::uint32_t b = mix(seed_ + 0x632be5abu * (2 * purpose + 2));
        // 0.7548776662 and 0.5698402910 of 2^32; the sums wrap around by themselves.
        return {to_unit(a + index * 3242174889u), to_unit(b + index * 2447445414u)};
    }

private:
    static std::uint32_t mix(std::uint32_t x) {
        x = (x ^ (x >> 16)) * 0x7feb352du;
        x = (x ^ (x >> 15)) * 0x846ca68bu;
        return x ^ (x >> 16);
    }
    static float to_unit(std::uint32_t x) {
        return static_cast<float>(x >> 8) * 0x1.0p-24f;
    }
    std::uint32_t seed_;
};

/// The camera in the scaled coordinates of the rays.
struct Lens {
    Vec3f eye;
    Vec3f forward;
    Vec3f right;
    Vec3f up;
    float half_height;
    bool is_parallel;
    int width;  ///< of the part of the picture that the camera fills
    int height;

    Ray through(float px, float py) const {
        const float x =
            half_height * (2.0f * px - static_cast<float>(width)) / static_cast<float>(height);
        const float y = half_height * (1.0f - 2.0f * py / static_cast<float>(height));
        if (is_parallel) {
            return {eye + x * right + y * up, forward, 0.0f, kFar};
        }
        return {eye, (forward + x * right + y * up).normalized(), 0.0f, kFar};
    }
    /// Width of a pixel at a distance along the ray.
    float footprint(float distance) const {
        const float pixel = 2.0f * half_height / static_cast<float>(height);
        return is_parallel ? pixel : pixel * distance;
    }
};

Lens lens_of(const Camera& camera, const detail::RayScene& rays, int width, int height) {
    const bool is_parallel = camera.field_of_view <= 0.0;
    return {rays.to_unit(camera.eye),
            camera.forward.cast<float>(),
            camera.right.cast<float>(),
            camera.up.cast<float>(),
            static_cast<float>(is_parallel ? camera.half_height / rays.unit_length()
                                           : camera.half_height),
            is_parallel,
            width,
            height};
}

/// One sample's contribution to a pixel.
struct Sample {
    Reflected light = {};
    Colour clear = Colour::Zero();
    Arrival arrival = {};
    Vec3f normal = Vec3f::Zero();
    Vec3f position = Vec3f::Zero();
    float through = 1.0f;  ///< share that passes the transparent layers
    float footprint = 0.0f;
    int object = kObjectBackdrop;
};

/// Pixels that the body may use: the rest is for the colour bar and the caption.
struct Stage {
    int width;
    int height;
    double text;  ///< size, pixels
};

class Painter {
public:
    Painter(const detail::RayScene& rays, const Camera& camera, const Stage& stage,
            const RenderOptions& options)
        : rays_(rays),
          lens_(lens_of(camera, rays, stage.width, stage.height)),
          studio_(detail::studio_for(camera, options.exposure)),
          options_(options),
          has_ground_(options.ground && camera.forward.y() < 0.5 && lens_.eye.y() > rays.floor()) {}

    void sample_plain(Film& film, int x, int y) const {
        add_samples(film.at(x, y), x, y, 0, options_.samples);
    }
    void sample_edge(Film& film, int x, int y) const {
        add_samples(film.at(x, y), x, y, options_.samples, kEdgeFactor * options_.samples);
    }
    Rgb8 develop(const Pixel& pixel, int x, int y) const;

private:
    void add_samples(Pixel& pixel, int x, int y, int begin, int end) const;
    Sample trace(const Ray& ray, const Sampler& sampler, std::uint32_t index) const;
    void meet_surface(const Ray& ray, const Hit& hit, const Sampler& sampler, std::uint32_t index,
                      Sample& sample) const;
    void meet_floor(const Ray& ray, const Sampler& sampler, std::uint32_t index,
                    Sample& sample) const;
    void pass_layers(const Ray& ray, Sample& sample) const;
    Arrival arriving(const Vec3f& origin, const Vec3f& normal, const Sampler& sampler,
                     std::uint32_t index) const;
    float lamp_arrival(const detail::Lamp& lamp, const Vec3f& origin, const Vec3f& normal,
                       const Eigen::Vector2f& u) const;
    float floor_light(const Arrival& arrival, const Vec3f& position) const;
    void draw_edges(const Ray& ray, Hit& hit) const;

    const detail::RayScene& rays_;
    Lens lens_;
    detail::Studio studio_;
    const RenderOptions& options_;
    bool has_ground_;
};

float Painter::lamp_arrival(const detail::Lamp& lamp, const Vec3f& origin, const Vec3f& normal,
                            const Eigen::Vector2f& u) const {
    // Beyond the terminator nothing arrives; a little past it, rays keep the smoothing honest.
    if (normal.dot(lamp.direction) < -0.15f) {
        return 0.0f;
    }
    return rays_.is_occluded({origin, detail::towards(lamp, u.x(), u.y()), 0.0f, kFar}) ? 0.0f
                                                                                        : 1.0f;
}

Arrival Painter::arriving(const Vec3f& origin, const Vec3f& normal, const Sampler& sampler,
                          std::uint32_t index) const {
    Arrival a;
    a.key = lamp_arrival(studio_.key, origin, normal, sampler.pair(1, index));
    a.rim = lamp_arrival(studio_.rim, origin, normal, sampler.pair(2, index));
    Colour sum = Colour::Zero();
    for (int k = 0; k < kRoomRays; ++k) {
        const Eigen::Vector2f u = sampler.pair(
            3, index * static_cast<std::uint32_t>(kRoomRays) + static_cast<std::uint32_t>(k));
        const Vec3f d = detail::around(normal, u.x(), u.y());
        Colour albedo;
        Vec3f n;
        if (rays_.bounce({origin, d, 0.0f, 0.8f}, albedo, n)) {
            // What lies in the way returns a part of the light it gets itself.
            sum += 0.55f * albedo.cwiseProduct(studio_.room_on(n));
        } else {
            sum += studio_.room(d);
        }
    }
    a.room = (sum / static_cast<float>(kRoomRays)).cwiseQuotient(studio_.room_on(normal));
    return a;
}

void Painter::draw_edges(const Ray& ray, Hit& hit) const {
    const float width = 0.6f * lens_.footprint(hit.distance);
    if (hit.edge_distance < width && !hit.is_cap) {
        // Edges seen at a slant stay as wide as others.
        const float facing = std::max(0.3f, std::abs(hit.face_normal.dot(ray.direction)));
        if (hit.edge_distance < width * facing) {
            hit.albedo *= 0.35f;
        }
    }
}

void Painter::meet_surface(const Ray& ray, const Hit& hit, const Sampler& sampler,
                           std::uint32_t index, Sample& sample) const {
    Hit lit = hit;
    draw_edges(ray, lit);
    if (lit.is_back) {
        lit.albedo *= 0.75f;
        lit.finish.gloss *= 0.3f;
    }
    sample.object = hit.object;
    sample.light = detail::reflect(studio_, lit, -ray.direction);
    sample.arrival = arriving(hit.origin, hit.normal, sampler, index);
    sample.normal = hit.normal;
    sample.position = hit.position;
    sample.footprint = lens_.footprint(hit.distance);
}

void Painter::meet_floor(const Ray& ray, const Sampler& sampler, std::uint32_t index,
                         Sample& sample) const {
    if (!has_ground_ || ray.direction.y() > -1e-4f) {
        return;
    }
    const float t = (rays_.floor() - ray.origin.y()) / ray.direction.y();
    const Vec3f p = ray.origin + t * ray.direction;
    // Shadows reach about as far as the body is tall; beyond, the floor is backdrop.
    const float reach = 1.2f * (rays_.high().y() - rays_.low().y()) + 0.1f;
    const Vec3f away = (p - p.cwiseMax(rays_.low()).cwiseMin(rays_.high()));
    if (t <= 0.0f || away.norm() > reach) {
        return;
    }
    sample.object = kObjectFloor;
    sample.position = p;
    sample.normal = Vec3f::UnitY();
    sample.footprint = lens_.footprint(t);
    sample.arrival = arriving(p + Vec3f(0.0f, 1e-4f, 0.0f), Vec3f::UnitY(), sampler, index);
}

void Painter::pass_layers(const Ray& ray, Sample& sample) const {
    std::vector<Hit> layers;
    rays_.transparent(ray, layers);
    for (Hit& layer : layers) {
        draw_edges(ray, layer);
        const float alpha = detail::layer_opacity(layer, -ray.direction);
        const Reflected r = detail::reflect(studio_, layer, -ray.direction);
        const Colour light = layer.is_back ? r.room : Colour(r.key + r.rim + r.room);
        sample.clear += sample.through * alpha * light;
        sample.through *= 1.0f - alpha;
    }
}

Sample Painter::trace(const Ray& ray, const Sampler& sampler, std::uint32_t index) const {
    Sample sample;
    Hit hit;
    const bool is_hit = rays_.nearest(ray, hit);
    if (rays_.has_transparent()) {
        Ray before = ray;
        before.far = is_hit ? hit.distance : kFar;
        pass_layers(before, sample);
    }
    if (is_hit) {
        meet_surface(ray, hit, sampler, index, sample);
    } else {
        meet_floor(ray, sampler, index, sample);
    }
    return sample;
}

float Painter::floor_light(const Arrival& a, const Vec3f& position) const {
    const float height = rays_.high().y() - rays_.low().y();
    const Vec3f away = position - position.cwiseMax(rays_.low()).cwiseMin(rays_.high());
    const float fade = std::exp(-3.0f * away.norm() / std::max(height, 0.2f));
    const float room = std::min(1.0f, a.room.mean());
    const float light = 0.30f * a.key + 0.70f * room * room;
    return 1.0f - 0.85f * fade * (1.0f - light);
}

/// Offset from a pixel's middle, likelier near it: samples overlap their neighbours a little, which
/// softens outlines.
float tent(float u) {
    constexpr float kReach = 0.8f;
    return kReach * (u < 0.5f ? std::sqrt(2.0f * u) - 1.0f : 1.0f - std::sqrt(2.0f - 2.0f * u));
}

/// Light of a surface when so much of each lamp arrives.
Colour lit(const Reflected& light, const Arrival& a) {
    return a.key * light.key + a.rim * light.rim + a.room.cwiseProduct(light.room);
}

void Painter::add_samples(Pixel& p, int x, int y, int begin, int end) const {
    const Sampler sampler(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    for (int i = begin; i < end; ++i) {
        const auto index = static_cast<std::uint32_t>(i);
        const Eigen::Vector2f u = sampler.pair(0, index);
        const Sample s = trace(lens_.through(static_cast<float>(x) + 0.5f + tent(u.x()),
                                             static_cast<float>(y) + 0.5f + tent(u.y())),
                               sampler, index);
        const bool is_surface = s.object >= 0;
        // Samples agree when they met the same thing, facing alike and on one plane.
        if (p.samples == 0) {
            p.object = s.object;
        } else if (p.object != s.object) {
            p.is_mixed = true;
        } else if (is_surface) {
            const Vec3f n = p.normal.normalized();
            const Vec3f d = s.position - p.position / static_cast<float>(p.surfaces);
            p.is_mixed =
                p.is_mixed || n.dot(s.normal) < 0.92f || std::abs(n.dot(d)) > 3.0f * s.footprint;
        }
        ++p.samples;
        p.clear += s.clear;
        p.cover += is_surface ? 1.0f : 1.0f - s.through;
        if (s.object == kObjectBackdrop) {
            continue;
        }
        ++p.surfaces;
        p.normal += s.normal;
        p.position += s.position;
        p.footprint += s.footprint;
        p.arrival.key += s.arrival.key;
        p.arrival.rim += s.arrival.rim;
        p.arrival.room += s.arrival.room;
        if (is_surface) {
            p.light.key += s.through * s.light.key;
            p.light.rim += s.through * s.light.rim;
            p.light.room += s.through * s.light.room;
            p.shaded += s.through * lit(s.light, s.arrival);
        } else {
            p.ground += s.through;
            p.ground_shade += s.through * floor_light(s.arrival, s.position);
        }
    }
}

/// Sums to means.
void finish(Pixel& p) {
    const float all = 1.0f / std::max<float>(1.0f, p.samples);
    const float some = 1.0f / std::max<float>(1.0f, p.surfaces);
    p.light.key *= all;
    p.light.rim *= all;
    p.light.room *= all;
    p.clear *= all;
    p.shaded *= all;
    p.cover *= all;
    p.ground *= all;
    p.ground_shade *= all;
    p.arrival.key *= some;
    p.arrival.rim *= some;
    p.arrival.room *= some;
    p.position *= some;
    p.footprint *= some;
    p.normal = p.surfaces > 0 ? Vec3f(p.normal.normalized()) : Vec3f::Zero();
}

Colour backdrop(const RenderOptions& options, int x, int y) {
    if (options.backdrop == Backdrop::White) {
        return Colour::Ones();
    }
    // A light spot behind the body, a shade darker towards the corners.
    const float aspect = static_cast<float>(options.width) / static_cast<float>(options.height);
    const float dx = ((static_cast<float>(x) + 0.5f) / static_cast<float>(options.width) - 0.5f) *
                     std::min(1.0f, aspect);
    const float dy = ((static_cast<float>(y) + 0.5f) / static_cast<float>(options.height) - 0.42f) *
                     std::min(1.0f, 1.0f / aspect);
    const float r = std::clamp(std::sqrt(dx * dx + dy * dy) / 0.75f, 0.0f, 1.0f);
    const float t = r * r * (3.0f - 2.0f * r);
    const bool is_dark = options.backdrop == Backdrop::Dark;
    const Colour middle = colour_from_hex(is_dark ? 0x3a3f46 : 0xfafaf9);
    const Colour edge = colour_from_hex(is_dark ? 0x14161a : 0xd9dde2);
    return (1.0f - t) * middle + t * edge;
}

Rgb8 Painter::develop(const Pixel& p, int x, int y) const {
    const bool is_smooth = !p.is_mixed && p.surfaces > 0;
    const Colour surface = is_smooth ? lit(p.light, p.arrival) : p.shaded;
    const float shade = is_smooth && p.ground > 0.0f ? p.ground * floor_light(p.arrival, p.position)
                                                     : p.ground_shade;
    // Tone is set for the covered share alone, so outlines blend evenly into the backdrop.
    Colour result = Colour::Zero();
    if (p.cover > 0.0f) {
        result = p.cover * detail::filmic((surface + p.clear) / p.cover);
    }
    const float open = std::max(0.0f, 1.0f - p.cover - p.ground);
    result += (open + shade) * backdrop(options_, x, y);
    // Half a step of noise, fixed per pixel, keeps soft gradients free of bands.
    const Sampler sampler(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    Rgb8 bytes;
    for (int c = 0; c < 3; ++c) {
        const Eigen::Vector2f u = sampler.pair(7, static_cast<std::uint32_t>(c));
        const float s = 255.0f * srgb_from_linear(std::clamp(result[c], 0.0f, 1.0f));
        bytes[static_cast<std::size_t>(c)] =
            static_cast<std::uint8_t>(std::clamp(s + 0.5f + 0.5f * (u.x() - 0.5f), 0.0f, 255.0f));
    }
    return bytes;
}

/// Outlines: the samples differ among themselves or from those next door.
bool is_edge(const Film& film, int x, int y) {
    const Pixel& p = film.at(x, y);
    if (p.is_mixed) {
        return true;
    }
    const auto differs = [&](int xx, int yy) {
        if (xx < 0 || xx >= film.width || yy < film.first || yy >= film.first + film.rows) {
            return false;
        }
        return film.at(xx, yy).object != p.object;
    };
    return differs(x - 1, y) || differs(x + 1, y) || differs(x, y - 1) || differs(x, y + 1);
}

/// Calls work(x, y) on the pixels of some rows, in parallel.
template <class Work>
void for_rows(int width, int first, int last, const Work& work) {
    parallel_for(static_cast<std::size_t>(last - first), 4,
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row) {
                         for (int x = 0; x < width; ++x) {
                             work(x, first + static_cast<int>(row));
                         }
                     }
                 });
}

/// Draws rows [first, last) of the picture.
void paint_band(const Painter& painter, Image& image, int first, int last,
                Progress::Stage& progress) {
    // Neighbouring rows are worked out too, so that bands do not show.
    Film film;
    film.width = image.width;
    film.first = std::max(0, first - detail::kSmoothReach - 1);
    film.rows = std::min(image.height, last + detail::kSmoothReach + 1) - film.first;
    film.pixels.resize(static_cast<std::size_t>(film.width) * static_cast<std::size_t>(film.rows));
    const int end = film.first + film.rows;

    // A few rows at a time, so that the work can be watched and stopped.
    constexpr int kRows = 64;
    for (int row = film.first; row < end; row += kRows) {
        const int stop = std::min(row + kRows, end);
        for_rows(film.width, row, stop, [&](int x, int y) { painter.sample_plain(film, x, y); });
        const int shown = std::min(stop, last) - std::max(row, first);
        progress.advance(static_cast<std::uint64_t>(std::max(0, shown)));
    }
    std::vector<std::uint8_t> edge(film.pixels.size());
    const auto index = [&](int x, int y) {
        return static_cast<std::size_t>(y - film.first) * static_cast<std::size_t>(film.width) +
               static_cast<std::size_t>(x);
    };
    for_rows(film.width, film.first, end,
             [&](int x, int y) { edge[index(x, y)] = is_edge(film, x, y) ? 1 : 0; });
    for_rows(film.width, film.first, end, [&](int x, int y) {
        if (edge[index(x, y)] != 0) {
            painter.sample_edge(film, x, y);
        }
        finish(film.at(x, y));
    });
    detail::smooth_arrival(film);
    for_rows(film.width, first, last,
             [&](int x, int y) { image.set(x, y, painter.develop(film.at(x, y), x, y)); });
}

std::optional<CutPlane> plane_of(const RenderOptions& options) {
    if (options.cut_plane) {
        return options.cut_plane;
    }
    const double at = options.cut_at;
    switch (options.cut) {
        case CutSide::Left:
            return CutPlane{Vec3::UnitX(), at};
        case CutSide::Right:
            return CutPlane{-Vec3::UnitX(), -at};
        case CutSide::Top:
            return CutPlane{Vec3::UnitY(), at};
        case CutSide::Bottom:
            return CutPlane{-Vec3::UnitY(), -at};
        case CutSide::Front:
            return CutPlane{Vec3::UnitZ(), at};
        case CutSide::Back:
            return CutPlane{-Vec3::UnitZ(), -at};
        case CutSide::None:
            break;
    }
    return std::nullopt;
}

Stage stage_for(const Scene& scene, const RenderOptions& o) {
    Stage stage{o.width, o.height, std::clamp(std::min(o.width, o.height) / 48.0, 9.0, 400.0)};
    // Words in a tiny picture would leave no room for the body.
    if (scene.scalar && o.colour_bar && o.width > 14 * stage.text) {
        stage.width -= static_cast<int>(6.0 * stage.text);
    }
    if (!o.caption.empty() && o.height > 10 * stage.text) {
        stage.height -= static_cast<int>(2.2 * stage.text);
    }
    return stage;
}

void write_words(Image& image, const Scene& scene, const RenderOptions& o, const Stage& stage) {
    const bool is_dark = o.backdrop == Backdrop::Dark;
    const Rgb8 ink = is_dark ? Rgb8{222, 226, 232} : Rgb8{52, 55, 60};
    if (stage.width < o.width) {
        const ScalarRange range = scalar_range(scene);
        const ScalarMap& map = *scene.scalar;
        const double left = stage.width;
        draw_colour_bar(image, {left, 0.30 * stage.height},
                        {left + 1.1 * stage.text, 0.70 * stage.height},
                        {.map = map.map,
                         .low = range.low,
                         .high = range.high,
                         .title = map.title.empty() ? map.attribute : map.title,
                         .unit = range.unit,
                         .text_size = stage.text,
                         .ink = ink});
    }
    if (stage.height < o.height) {
        draw_text(image, o.caption, 0.5 * o.width, o.height - stage.text,
                  {.size = stage.text, .colour = ink, .align = TextAlign::Centre});
    }
}

Camera camera_for(const Scene& scene, const RenderOptions& options,
                  const detail::RaySceneOptions& shown, const Stage& stage) {
    if (options.camera) {
        return *options.camera;
    }
    std::vector<std::string> focus;
    if (!options.focus.empty()) {
        focus = split(options.focus, ',');
    }
    const std::vector<Vec3> points = detail::visible_points(scene, shown, focus);
    ViewAngles angles = angles_of(options.view);
    angles.azimuth += options.turn * kDegree;
    angles.elevation += options.tilt * kDegree;
    return fit_camera(points, angles, options.field_of_view * kDegree,
                      static_cast<double>(stage.width) / stage.height, options.margin);
}

}  // namespace

Image render(const Scene& scene, const RenderOptions& options, const Progress& progress) {
    check_ranges(options, "picture");
    require_picture_size(options.width, options.height, "picture");
    require_valid(scene);
    const detail::RaySceneOptions shown{.layers = options.layers,
                                        .skin_opacity = options.skin_opacity,
                                        .cut = plane_of(options),
                                        .cut_layers = options.cut_layers,
                                        .wireframe = options.wireframe};
    const detail::RayScene rays(scene, shown);
    const Stage stage = stage_for(scene, options);
    const Painter painter(rays, camera_for(scene, options, shown, stage), stage, options);

    Image image(options.width, options.height);
    const int band = std::max(64, kBandPixels / options.width);
    Progress::Stage work = progress.stage("render", static_cast<std::uint64_t>(options.height));
    for (int first = 0; first < options.height; first += band) {
        paint_band(painter, image, first, std::min(options.height, first + band), work);
    }
    write_words(image, scene, options, stage);
    return image;
}

}  // namespace sinew
