#include "bench/growth_bench.h"

#include "sinew/base/parallel.h"
#include "sinew/base/timer.h"
#include "sinew/body/summary.h"
#include "sinew/geometry/measure.h"
#include "sinew/growth/grow.h"
#include "sinew/mesh/arrays.h"
#include "sinew/mesh/connectivity.h"
#include "sinew/meshing/intersections.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "bench/envelope_ablation.h"

namespace sinew::bench {

namespace {

std::vector<double> all_muscles(const Body& body, double alpha) {
    return muscle_alphas(body, {{"all", alpha}});
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

double skin_distance(const Body& body, const Points& a, const Points& b) {
    double sum = 0.0;
    for (const Index v : body.skin.tet_vertex) {
        sum += (a.row(v) - b.row(v)).norm();
    }
    return sum / static_cast<double>(body.skin.tet_vertex.size());
}

// The part of the distance that is across the skin.
double skin_offset(const Body& body, const Points& a, const Points& end) {
    TriangleMesh skin = body.skin.mesh;
    for (std::size_t i = 0; i < body.skin.tet_vertex.size(); ++i) {
        skin.points.row(static_cast<Eigen::Index>(i)) = end.row(body.skin.tet_vertex[i]);
    }
    const Points normals = vertex_normals(skin);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < normals.rows(); ++i) {
        const Index v = body.skin.tet_vertex[at(i)];
        sum += std::abs((a.row(v) - end.row(v)).dot(normals.row(i)));
    }
    return sum / static_cast<double>(normals.rows());
}

// Recomputed from what would be written, not taken from the report.
void measure_written_muscles(const MuscleGrowth& growth, GrowthBench& b) {
    constexpr double kLeastVolume = 2e-6;  // m^3: smaller muscles are below the tetrahedra's size
    const Body grown = growth.body();
    std::vector<MuscleMeasure> measures = growth.measures();
    measure_after(grown, measures);
    std::vector<double> errors;
    double wanted = 0.0;
    double present = 0.0;
    for (const MuscleMeasure& m : measures) {
        if (m.alpha != 1.0 && m.belly_before > kLeastVolume) {
            errors.push_back(std::abs(m.error()));
            wanted += m.alpha * m.alpha * m.belly_before;
            present += m.belly_after;
        }
        const double mesh = enclosed_volume(grown.muscles[at(m.muscle)].mesh);
        if (m.after > kLeastVolume) {
            b.muscle_mesh_error_16 =
                std::max(b.muscle_mesh_error_16, std::abs(mesh / m.after - 1.0));
        }
    }
    b.median_muscle_error_16 = median(errors);
    b.worst_muscle_error_16 =
        errors.empty() ? 0.0 : *std::max_element(errors.begin(), errors.end());
    b.total_muscle_error_16 = wanted > 0.0 ? present / wanted - 1.0 : 0.0;
}

void bench_muscles(const Body& body, const Progress& progress, GrowthBench& b) {
    MuscleGrowth growth(body);
    growth.set_growth(all_muscles(body, 1.4));
    b.inverted_14 = growth.iterate(60, progress).inverted_tets;
    b.inverted_14_of_body = (tet_volumes(growth.body().tets).array() <= 0.0).count();
    growth.restart();
    growth.set_growth(all_muscles(body, 1.6));
    const MuscleGrowthReport report = growth.iterate(100, progress);
    b.volume_error_16 = report.volume_error.total;
    b.inverted_16 = report.inverted_tets;
    b.inverted_16_of_body = (tet_volumes(growth.body().tets).array() <= 0.0).count();
    measure_written_muscles(growth, b);

    MuscleGrowthOptions paper;
    paper.corrects_volumes = false;
    MuscleGrowth uncorrected(body, paper);
    uncorrected.set_growth(all_muscles(body, 1.6));
    b.volume_error_16_uncorrected = uncorrected.iterate(60, progress).volume_error.total;
    paper.stiffness.volume = 0.0;
    MuscleGrowth without(body, paper);
    without.set_growth(all_muscles(body, 1.6));
    b.volume_loss_16_without_term = without.iterate(60, progress).volume_error.total;
}

void bench_convergence(const Body& body, const Progress& progress, GrowthBench& b) {
    Timer factor;
    MuscleGrowth growth(body);
    b.factor_s = factor.seconds();
    const std::vector<double> alpha = all_muscles(body, 1.3);
    Timer set;
    growth.set_growth(alpha);
    b.set_ms = 1e3 * set.seconds();
    Timer ten;
    growth.iterate(10, progress);
    b.ten_iterations_s = ten.seconds() + 1e-3 * b.set_ms;
    b.iteration_ms = 1e3 * ten.seconds() / 10.0;
    b.updates_per_s = 1e3 / b.iteration_ms;
    const Points after_10 = growth.positions();
    growth.iterate(10, progress);
    const Points after_20 = growth.positions();
    b.refactorisations = growth.iterate(180, progress).refactorisations;
    b.skin_error_after_10_mm = 1e3 * skin_distance(body, after_10, growth.positions());
    b.skin_offset_after_10_mm = 1e3 * skin_offset(body, after_10, growth.positions());
    b.skin_error_after_20_mm = 1e3 * skin_distance(body, after_20, growth.positions());

    // Plain steps of the paper's energies with either matrix.
    MuscleGrowthOptions plain;
    plain.corrects_volumes = false;
    plain.smoothing_rounds = 0;
    plain.matrix_share = 1.0;
    plain.fat_matrix_share = 1.0;
    plain.solver.window = 0;
    plain.solver.tolerance = 1e-9;
    const auto history = [&](bool is_exact) {
        MuscleGrowth g(body, plain);
        g.set_growth(alpha);
        if (is_exact) {
            g.refactor();
        }
        return g.iterate(60, progress).energy;
    };
    b.rest_hessian_energy = history(false);
    b.exact_hessian_energy = history(true);
    const double lowest = std::min(b.rest_hessian_energy.back(), b.exact_hessian_energy.back());
    const double first = b.rest_hessian_energy.front() - lowest;
    for (std::vector<double>* h : {&b.rest_hessian_energy, &b.exact_hessian_energy}) {
        for (double& e : *h) {
            e = (e - lowest) / first;
        }
        h->resize(std::min<std::size_t>(h->size(), 31));
    }
}

double roughness(const Points& points, const Triangles& triangles) {
    const Points normals = triangle_normals(points, triangles);
    const Triangles across = triangle_neighbours(triangles);
    double sum = 0.0;
    long count = 0;
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const Index o = across(t, k);
            if (o > t) {
                sum += std::acos(std::clamp(normals.row(t).dot(normals.row(o)), -1.0, 1.0));
                ++count;
            }
        }
    }
    return sum / static_cast<double>(count);
}

// How unevenly two growths of a skin differ from vertex to vertex: root mean square of their
// distance across the skin against the mean of its neighbours', mm.
double unevenness(const Body& a, const Points& grown_a, const Body& b, const Points& grown_b) {
    const Points normals = vertex_normals(a.skin.mesh);
    std::vector<double> apart;
    for (std::size_t i = 0; i < a.skin.tet_vertex.size(); ++i) {
        apart.push_back((grown_a.row(a.skin.tet_vertex[i]) - grown_b.row(b.skin.tet_vertex[i]))
                            .dot(normals.row(static_cast<Eigen::Index>(i))));
    }
    const Lists around = neighbours_of_vertices(a.skin.mesh.triangles, normals.rows());
    double sum = 0.0;
    for (std::size_t i = 0; i < apart.size(); ++i) {
        double mean = 0.0;
        for (const Index j : around[i]) {
            mean += apart[at(j)] / static_cast<double>(around[i].size());
        }
        sum += (apart[i] - mean) * (apart[i] - mean);
    }
    return 1000.0 * std::sqrt(sum / static_cast<double>(apart.size()));
}

// What the tetrahedra print onto the skin: the same growth in two meshes that differ by chance
// alone would be the same if they did not matter [Saito2015, Figure 9].
double print_of_tets(const Body& body, bool has_envelope, const Progress& progress) {
    const Body a = remeshed(body, has_envelope, 1.6, progress);
    const Body b = remeshed(body, has_envelope, 1.4, progress);
    const auto grown = [&](const Body& one) {
        MuscleGrowth growth(one);
        growth.set_growth(all_muscles(one, 1.4));
        growth.iterate(30, progress);
        return growth.positions();
    };
    return unevenness(a, grown(a), b, grown(b));
}

// Mean relative change of edge lengths.
double skin_stretch(const Points& rest, const Points& now, const Triangles& triangles) {
    const Edges edges = unique_edges(triangles);
    double sum = 0.0;
    for (Eigen::Index e = 0; e < edges.rows(); ++e) {
        const double was = (rest.row(edges(e, 0)) - rest.row(edges(e, 1))).norm();
        const double is = (now.row(edges(e, 0)) - now.row(edges(e, 1))).norm();
        sum += std::abs(is / was - 1.0);
    }
    return sum / static_cast<double>(edges.rows());
}

void bench_fat(const Body& body, const Progress& progress, GrowthBench& b) {
    const Points& rest = body.skin.mesh.points;
    const Triangles& triangles = body.skin.mesh.triangles;
    FatLayer layer(body);
    const double before = layer.volume(body.tets.points);
    const std::vector<double> everywhere(at(rest.rows()), 1.0);
    const FattenedBody fluid =
        grow_fat(body, {.total = 2.0 * before, .spread = everywhere}, {}, progress);
    // A solid that swells by the same volume [Saito2015, Figure 11].
    const auto tets = make_tet_term(body);
    std::vector<Mat3> growth(at(body.tets.tets.rows()), Mat3::Identity());
    for (const Index t : layer.tets()) {
        growth[at(t)] *= std::cbrt(2.0);
    }
    tets->set_growth(growth);
    LocalGlobal solver(body.tets.points.rows(), {tets, make_attachment_term(body)});
    Points x = body.tets.points;
    solver.minimise(x, {.max_iterations = 60, .tolerance = 1e-4}, progress);
    Points solid = rest;
    for (std::size_t i = 0; i < body.skin.tet_vertex.size(); ++i) {
        solid.row(static_cast<Eigen::Index>(i)) = x.row(body.skin.tet_vertex[i]);
    }
    b.fat_roughness_rest = roughness(rest, triangles);
    b.fat_roughness_fluid = roughness(fluid.body.skin.mesh.points, triangles);
    b.fat_roughness_solid = roughness(solid, triangles);
    b.fat_skin_stretch_fluid = skin_stretch(rest, fluid.body.skin.mesh.points, triangles);
    b.fat_skin_stretch_solid = skin_stretch(rest, solid, triangles);
    b.fat_skins = {{.name = "rest", .mesh = body.skin.mesh},
                   {.name = "fluid", .mesh = fluid.body.skin.mesh},
                   {.name = "solid", .mesh = {.points = solid, .triangles = triangles}}};
}

long intersections(const Body& body) {
    return static_cast<long>(find_self_intersections(body.skin.mesh).pairs.size());
}

void bench_bones(const Body& body, const Progress& progress, GrowthBench& b) {
    const std::vector<BodyPart> parts = body_parts(body);
    b.skin_intersections_rest = intersections(body);
    for (const double scale : {0.8, 1.25}) {
        std::vector<double> scales(parts.size(), 1.0);
        for (const char* word : {"arms", "legs"}) {
            for (const std::size_t p : find_body_parts(body, parts, word, "bench")) {
                scales[p] = scale;
            }
        }
        const EditedBody edited = edit_bones(body, parts, scales, progress);
        b.bone_inverted += edited.report.inverted_tets;
        b.skin_intersections = std::max(b.skin_intersections, intersections(edited.body));
        // Edges of bones near the ends of long parts.
        for (std::size_t i = 0; i < body.bones.size(); ++i) {
            const Bone& bone = body.bones[i];
            for (const BodyPart& part : parts) {
                if (!part.is_long || std::find(part.segments.begin(), part.segments.end(),
                                               bone.segment) == part.segments.end()) {
                    continue;
                }
                const double radius = 0.12 * (part.far_end - part.near_end).norm();
                const Edges edges = unique_edges(bone.mesh.triangles);
                for (Eigen::Index e = 0; e < edges.rows(); ++e) {
                    const Vec3 p = point(bone.mesh.points, edges(e, 0));
                    const Vec3 q = point(bone.mesh.points, edges(e, 1));
                    const double away =
                        std::min(std::max((p - part.near_end).norm(), (q - part.near_end).norm()),
                                 std::max((p - part.far_end).norm(), (q - part.far_end).norm()));
                    if (away < radius) {
                        const Points& now = edited.body.bones[i].mesh.points;
                        const double is =
                            (point(now, edges(e, 0)) - point(now, edges(e, 1))).norm();
                        b.head_strain =
                            std::max(b.head_strain, std::abs(is / (p - q).norm() - 1.0));
                    }
                }
            }
        }
        // Nearest vertices of the two bones of each moving joint.
        for (std::size_t j = 0; j < body.skeleton.joints.size(); ++j) {
            const Joint& joint = body.skeleton.joints[j];
            if (joint.parent < 0 || joint.type == JointType::Fixed) {
                continue;
            }
            const auto gap = [&](const Body& of) {
                double nearest = 1e300;
                for (const Bone& bone : of.bones) {
                    for (const Bone& other : of.bones) {
                        if (bone.segment != joint.parent || other.segment != joint.child) {
                            continue;
                        }
                        // Vertices near the joint only.
                        const Vec3 centre = of.skeleton.joints[j].centre;
                        for (Eigen::Index u = 0; u < bone.mesh.points.rows(); ++u) {
                            const Vec3 p = point(bone.mesh.points, u);
                            if ((p - centre).norm() > 0.03) {
                                continue;
                            }
                            for (Eigen::Index w = 0; w < other.mesh.points.rows(); ++w) {
                                nearest = std::min(nearest,
                                                   (p - point(other.mesh.points, w)).squaredNorm());
                            }
                        }
                    }
                }
                return std::sqrt(nearest);
            };
            const double before = gap(body);
            if (before < 1.0) {
                b.joint_gap_change_mm =
                    std::max(b.joint_gap_change_mm, 1e3 * std::abs(gap(edited.body) - before));
            }
        }
    }
}

void bench_targets(const Body& body, const Progress& progress, GrowthBench& b) {
    const BodySummary before = summarise(body);
    const double weight = before.mass + 10.0;
    b.weight_error_kg = std::abs(grow(body, {.weight = weight}, progress).mass - weight);
    const double share = before.body_fat + 0.05;
    b.body_fat_error = std::abs(grow(body, {.body_fat = share}, progress).body_fat - share);
}

// The muscles as one surface, with what they have moved outwards since rest.
MeshPart biceps_of(const Body& rest, const Body& now, const std::vector<double>& alpha,
                   const char* name) {
    MeshPart part{.name = name, .mesh = {}, .kind = "muscle"};
    Attribute bulge{.name = "bulge", .values = {}, .unit = "mm"};
    for (std::size_t m = 0; m < alpha.size(); ++m) {
        if (alpha[m] == 1.0) {
            continue;
        }
        const TriangleMesh& before = rest.muscles[m].mesh;
        const Points moved = now.muscles[m].mesh.points - before.points;
        const Points normals = vertex_normals(before);
        for (Eigen::Index i = 0; i < moved.rows(); ++i) {
            bulge.values.push_back(1e3 * moved.row(i).dot(normals.row(i)));
        }
        TriangleMesh& mesh = part.mesh;
        const auto points = mesh.points.rows();
        const auto triangles = mesh.triangles.rows();
        mesh.points.conservativeResize(points + moved.rows(), 3);
        mesh.points.bottomRows(moved.rows()) = now.muscles[m].mesh.points;
        mesh.triangles.conservativeResize(triangles + before.triangles.rows(), 3);
        mesh.triangles.bottomRows(before.triangles.rows()) =
            before.triangles.array() + static_cast<Index>(points);
    }
    part.mesh.point_data.push_back(std::move(bulge));
    return part;
}

}  // namespace

FlexedMuscle flex_and_grow_biceps(const Body& body, const Progress& progress) {
    constexpr int kIterations = 60;
    FlexedMuscle result;
    const std::vector<double> flexed = muscle_alphas(body, {{"biceps_l", 4.0}});
    const std::vector<double> grown = muscle_alphas(body, {{"biceps_l", 1.25}});
    const auto volume_ratio = [](const MuscleGrowth& growth, const std::vector<double>& alpha) {
        double before = 0.0;
        double after = 0.0;
        const std::vector<MuscleMeasure> measures = growth.measures();
        for (std::size_t m = 0; m < measures.size(); ++m) {
            before += alpha[m] != 1.0 ? measures[m].before : 0.0;
            after += alpha[m] != 1.0 ? measures[m].after : 0.0;
        }
        return after / before;
    };
    MuscleGrowth growth(body);
    result.shapes.push_back(biceps_of(body, body, grown, "relaxed"));
    growth.set_contraction(flexed);
    growth.iterate(kIterations, progress);
    result.flexed_volume = volume_ratio(growth, flexed);
    result.shapes.push_back(biceps_of(body, growth.body(), flexed, "flexed"));
    growth.restart();
    growth.set_growth(grown);
    growth.iterate(kIterations, progress);
    result.grown_volume = volume_ratio(growth, grown);
    result.shapes.push_back(biceps_of(body, growth.body(), grown, "grown"));
    return result;
}

GrowthBench run_growth_bench(const Body& body, const Progress& progress) {
    GrowthBench b;
    b.vertices = body.tets.points.rows();
    b.tets = body.tets.tets.rows();
    b.threads = thread_count();
    bench_convergence(body, progress, b);
    bench_muscles(body, progress, b);
    b.print_14_mm = print_of_tets(body, true, progress);
    b.print_14_without_envelope_mm = print_of_tets(body, false, progress);
    bench_fat(body, progress, b);
    bench_bones(body, progress, b);
    bench_targets(body, progress, b);
    return b;
}

}  // namespace sinew::bench
