#pragma once

#include "sinew/growth/grow.h"

#include <functional>
#include <memory>

namespace sinew {

/// Grows one body again and again while a person moves sliders. Factorisations are kept, and so is
/// what the new plan has in common with the last one; bones and muscles go on from where they are,
/// also where the last plan was overtaken (cancelled) half-way.
///
/// Every iteration of bones and muscles is shown. Fat, which is solved as a whole, is first shown
/// by an estimate: the skin moves along its normals until the fat under it would have the volume.
class GrowthSession {
public:
    /// Points of all tets, whenever there is something new to see.
    using Show = std::function<void(const Points& x)>;

    /// Factorises for muscles and, unless that is left until they are first asked for, bones.
    /// @throws InputError  as MuscleGrowth does
    explicit GrowthSession(Body rest, const Progress& progress = {}, bool prepares_bones = true);
    ~GrowthSession();
    GrowthSession(GrowthSession&&) noexcept;
    GrowthSession& operator=(GrowthSession&&) noexcept;

    /// As grow(), from the present. At least one new shape is shown before `progress` is first
    /// asked whether to stop: of a stream of plans that overtake each other each has its effect.
    /// @throws InputError  for plans that cannot be followed; the body stays as it was
    /// @throws Cancelled   the next call goes on from there
    GrowthResult grow_to(const GrowthPlan& asked, const Progress& progress = {},
                         const Show& show = {});

    /// Learns how one more muscle group answers (muscle_responses.h). Plans begin near their end as
    /// far as groups are known; they end where they do without it. For idle times: a group takes
    /// forty iterations of muscles. What is shown stays.
    /// @return  false: nothing is left to learn, or not while bones or stature are edited
    /// @throws Cancelled   the next call learns that group
    bool learn_next(const Progress& progress = {});
    /// All groups are known, and the body is framed as at rest: the first shape that a plan of
    /// muscles shows is near its end.
    bool foresees() const;

    const Body& rest() const;
    /// What was last shown.
    const Points& positions() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
