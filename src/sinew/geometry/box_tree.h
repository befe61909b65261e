#pragma once

#include "sinew/geometry/measure.h"

#include <memory>
#include <span>

namespace sinew {

/// A tree of axis-aligned boxes that finds those near a point or along a ray, in O(log n). It is
/// the ground that the queries on triangles and tetrahedra stand on.
///
/// The tree itself (Embree) works in single precision on boxes that are a little larger than given,
/// so it may offer a box too many but never one too few; whoever asks tests what is inside in
/// double precision, and the answer is as exact as that test. Boxes come in no particular order
/// (near ones tend to be early), so visitors break ties by index to be deterministic. Queries may
/// run on many threads at once. Visitors must not throw.
class BoxTree {
public:
    BoxTree();
    /// @param boxes  finite and not empty
    explicit BoxTree(std::span<const Bounds> boxes);
    ~BoxTree();
    BoxTree(BoxTree&&) noexcept;
    BoxTree& operator=(BoxTree&&) noexcept;

    std::size_t size() const;
    const Bounds& bounds() const;  ///< of all boxes

    /// Calls visit(i) for every box i within `radius` of p. The visitor returns the radius that is
    /// still of interest, so a search for the nearest shrinks it. Boxes within the last radius have
    /// all been visited.
    template <class Visit>
    void near(const Vec3& p, double radius, Visit&& visit) const {
        visit_near(p, radius, Visitor(visit));
    }

    /// Calls visit(i) for every box that origin + t direction meets for t in [t_min, t_max]. The
    /// visitor returns the t_max that is still of interest.
    template <class Visit>
    void along(const Vec3& origin, const Vec3& direction, double t_min, double t_max,
               Visit&& visit) const {
        visit_along(origin, direction, t_min, t_max, Visitor(visit));
    }

private:
    struct Visitor {
        template <class Visit>
        explicit Visitor(Visit& visit)
            : context(&visit), call([](void* c, std::size_t i) {
                  return static_cast<double>((*static_cast<Visit*>(c))(i));
              }) {}
        void* context;
        double (*call)(void*, std::size_t);
    };
    void visit_near(const Vec3& p, double radius, const Visitor& visitor) const;
    void visit_along(const Vec3& origin, const Vec3& direction, double t_min, double t_max,
                     const Visitor& visitor) const;

    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace sinew
