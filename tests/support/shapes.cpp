#include "tests/support/shapes.h"

#include <cmath>
#include <map>
#include <numbers>

namespace sinew::support {

TetMesh box_of_tets(const Eigen::Vector3i& cells, const Vec3& size) {
    const auto node = [&](int i, int j, int k) {
        return static_cast<Index>((i * (cells.y() + 1) + j) * (cells.z() + 1) + k);
    };
    TetMesh mesh;
    mesh.points.resize((cells.x() + 1) * (cells.y() + 1) * (cells.z() + 1), 3);
    for (int i = 0; i <= cells.x(); ++i) {
        for (int j = 0; j <= cells.y(); ++j) {
            for (int k = 0; k <= cells.z(); ++k) {
                mesh.points.row(node(i, j, k)) << size.x() * i / cells.x(),
                    size.y() * j / cells.y(), size.z() * k / cells.z();
            }
        }
    }
    // Kuhn's split: one tetrahedron per order in which the three axes can be walked.
    static constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                          {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    mesh.tets.resize(6 * cells.prod(), 4);
    Eigen::Index row = 0;
    for (int i = 0; i < cells.x(); ++i) {
        for (int j = 0; j < cells.y(); ++j) {
            for (int k = 0; k < cells.z(); ++k) {
                for (int order = 0; order < 6; ++order) {
                    Eigen::Vector3i at(i, j, k);
                    Index corner[4] = {node(i, j, k), 0, 0, 0};
                    for (int step = 0; step < 3; ++step) {
                        ++at[kOrders[order][step]];
                        corner[step + 1] = node(at.x(), at.y(), at.z());
                    }
                    if (order >= 3) {
                        std::swap(corner[2], corner[3]);  // odd orders are mirror images
                    }
                    mesh.tets.row(row++) << corner[0], corner[1], corner[2], corner[3];
                }
            }
        }
    }
    return mesh;
}

TetMesh cube_of_tets(int n) {
    return box_of_tets({n, n, n}, Vec3::Ones());
}

TetMesh one_tet() {
    TetMesh mesh;
    mesh.points.resize(4, 3);
    mesh.points << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
    mesh.tets.resize(1, 4);
    mesh.tets << 0, 1, 2, 3;
    return mesh;
}

TetMesh ball_of_tets(int n, double r) {
    TetMesh mesh = box_of_tets({n, n, n}, Vec3::Constant(2.0));
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        // The shell of the cube with half-width m goes to the sphere of radius m.
        const Vec3 p = point(mesh.points, i) - Vec3::Ones();
        const double m = p.cwiseAbs().maxCoeff();
        mesh.points.row(i) =
            m > 0 ? (r * m * p.normalized()).transpose().eval() : Eigen::RowVector3d::Zero().eval();
    }
    return mesh;
}

TriangleMesh sphere(int levels, double radius, const Vec3& centre) {
    const double g = std::numbers::phi;
    std::vector<Vec3> p = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                           {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                           {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    std::vector<Eigen::Vector3i> t = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<int, int>, int> middle;
        const auto mid = [&](int a, int b) {
            const auto [it, is_new] =
                middle.try_emplace(std::minmax(a, b), static_cast<int>(p.size()));
            if (is_new) {
                p.push_back(0.5 *
                            (p[static_cast<std::size_t>(a)] + p[static_cast<std::size_t>(b)]));
            }
            return it->second;
        };
        std::vector<Eigen::Vector3i> finer;
        for (const Eigen::Vector3i& f : t) {
            const int a = mid(f[0], f[1]);
            const int b = mid(f[1], f[2]);
            const int c = mid(f[2], f[0]);
            finer.insert(finer.end(), {{f[0], a, c}, {f[1], b, a}, {f[2], c, b}, {a, b, c}});
        }
        for (Vec3& v : p) {
            v.normalize();
        }
        t = std::move(finer);
    }
    TriangleMesh mesh;
    mesh.points.resize(static_cast<Eigen::Index>(p.size()), 3);
    for (std::size_t i = 0; i < p.size(); ++i) {
        mesh.points.row(static_cast<Eigen::Index>(i)) =
            (centre + radius * p[i].normalized()).transpose();
    }
    mesh.triangles.resize(static_cast<Eigen::Index>(t.size()), 3);
    for (std::size_t i = 0; i < t.size(); ++i) {
        mesh.triangles.row(static_cast<Eigen::Index>(i)) = t[i].transpose();
    }
    return mesh;
}

TriangleMesh box(const Vec3& low, const Vec3& high) {
    TriangleMesh mesh;
    mesh.points.resize(8, 3);
    for (int i = 0; i < 8; ++i) {
        mesh.points.row(i) << (i & 1 ? high.x() : low.x()), (i & 2 ? high.y() : low.y()),
            (i & 4 ? high.z() : low.z());
    }
    mesh.triangles.resize(12, 3);
    mesh.triangles << 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4,
        6, 0, 6, 2, 1, 3, 7, 1, 7, 5;
    return mesh;
}

TriangleMesh cylinder(double radius, double height, int around, int along) {
    TriangleMesh mesh;
    mesh.points.resize(around * (along + 1) + 2, 3);
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / around;
            mesh.points.row(j * around + i) << radius * std::cos(angle), height * j / along,
                -radius * std::sin(angle);
        }
    }
    const Index bottom = around * (along + 1);
    const Index top = bottom + 1;
    mesh.points.row(bottom) << 0, 0, 0;
    mesh.points.row(top) << 0, height, 0;
    mesh.triangles.resize(2 * around * along + 2 * around, 3);
    Eigen::Index row = 0;
    for (int i = 0; i < around; ++i) {
        const Index next = (i + 1) % around;
        for (int j = 0; j < along; ++j) {
            const Index a = j * around + i;
            const Index b = j * around + next;
            mesh.triangles.row(row++) << a, b, b + around;
            mesh.triangles.row(row++) << a, b + around, a + around;
        }
        mesh.triangles.row(row++) << bottom, next, i;
        mesh.triangles.row(row++) << top, along * around + i, along * around + next;
    }
    return mesh;
}

TriangleMesh open_square(int n) {
    TriangleMesh mesh;
    mesh.points.resize((n + 1) * (n + 1), 3);
    mesh.triangles.resize(2 * n * n, 3);
    Eigen::Index row = 0;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const Index a = j * (n + 1) + i;
            mesh.points.row(a) << static_cast<double>(i) / n, static_cast<double>(j) / n, 0;
            if (i < n && j < n) {
                mesh.triangles.row(row++) << a, a + 1, a + n + 2;
                mesh.triangles.row(row++) << a, a + n + 2, a + n + 1;
            }
        }
    }
    return mesh;
}

TriangleMesh torus(double major, double minor, int around, int along) {
    TriangleMesh mesh;
    mesh.points.resize(around * along, 3);
    mesh.triangles.resize(2 * around * along, 3);
    Eigen::Index row = 0;
    for (int i = 0; i < along; ++i) {
        const double u = 2.0 * std::numbers::pi * i / along;
        for (int j = 0; j < around; ++j) {
            const double v = 2.0 * std::numbers::pi * j / around;
            const double r = major + minor * std::cos(v);
            mesh.points.row(i * around + j) << r * std::cos(u), r * std::sin(u),
                minor * std::sin(v);
            const Index a = i * around + j;
            const Index b = ((i + 1) % along) * around + j;
            const Index c = ((i + 1) % along) * around + (j + 1) % around;
            const Index d = i * around + (j + 1) % around;
            mesh.triangles.row(row++) << a, b, c;
            mesh.triangles.row(row++) << a, c, d;
        }
    }
    return mesh;
}

std::vector<Rigid> rigid_motions(int count, Seed seed) {
    std::vector<Rigid> motions;
    Random random(seed);
    for (int i = 0; i < count; ++i) {
        const Vec3 axis = Vec3(random.normal(), random.normal(), random.normal()).normalized();
        Rigid g = Rigid::Identity();
        g.linear() = Eigen::AngleAxisd(random.uniform(-std::numbers::pi, std::numbers::pi), axis)
                         .toRotationMatrix();
        g.translation() = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
        motions.push_back(g);
    }
    return motions;
}

Points moved(const Points& points, const Rigid& motion) {
    return (points * motion.linear().transpose()).rowwise() + motion.translation().transpose();
}

Points jittered(const Points& points, double by, Seed seed) {
    Random random(seed);
    Points x = points;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        x.data()[i] += random.uniform(-by, by);
    }
    return x;
}

TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b) {
    TriangleMesh mesh;
    mesh.points.resize(a.points.rows() + b.points.rows(), 3);
    mesh.points << a.points, b.points;
    mesh.triangles.resize(a.triangles.rows() + b.triangles.rows(), 3);
    mesh.triangles << a.triangles, (b.triangles.array() + static_cast<Index>(a.points.rows()));
    return mesh;
}

TriangleMesh soup(const TriangleMesh& mesh) {
    TriangleMesh result;
    result.points.resize(mesh.triangles.size(), 3);
    result.triangles.resize(mesh.triangles.rows(), 3);
    for (Index t = 0; t < mesh.triangles.rows(); ++t) {
        for (Index k = 0; k < 3; ++k) {
            result.points.row(3 * t + k) = mesh.points.row(mesh.triangles(t, k));
            result.triangles(t, k) = 3 * t + k;
        }
    }
    return result;
}

TriangleMesh one_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    TriangleMesh mesh;
    mesh.points.resize(3, 3);
    mesh.points << a.transpose(), b.transpose(), c.transpose();
    mesh.triangles.resize(1, 3);
    mesh.triangles << 0, 1, 2;
    return mesh;
}

Vec3 random_point(Random& random, double size) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Points affine(const Points& points) {
    Mat3 A;
    A << 1.2, 0.3, 0, -0.2, 0.9, 0.1, 0.4, 0, 1.5;
    return (points * A.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
}

}  // namespace sinew::support
