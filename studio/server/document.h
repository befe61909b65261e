#pragma once

#include "sinew/pipeline/growth_recipe.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "studio/server/commands.h"

namespace sinew::studio {

/// What the person has asked for.
struct Edits {
    std::map<std::string, double> values = {};
    /// Painted fat, one value in [0, 1] per vertex of the shown skin; none where nothing is
    /// painted. Shared by the steps that did not change it.
    std::shared_ptr<const std::vector<double>> painted = {};
    double painted_amount = 2.0;  ///< factor of the fat where the map is 1
    // Of a recipe, which no slider changes:
    FatModel fat_model = FatModel::Pressure;
    std::string fat_distribution = {};

    bool operator==(const Edits& other) const = default;
};

/// The edits with their history. A drag is one step, however many values it passes through.
class Document {
public:
    /// Sets values; with `is_dragging` the step stays open for the values to come.
    void edit(const std::vector<Change>& changes, bool is_dragging);
    /// Replaces everything (a recipe), as one step.
    void replace(Edits edits);
    /// Sets the painted map at vertices; the step stays open until `ends`.
    /// @param count   vertices of the skin
    void paint(const std::vector<std::uint32_t>& vertices, const std::vector<double>& values,
               std::size_t count, double amount, bool ends);
    bool undo();  ///< false where there is nothing to undo
    bool redo();
    void reset();  ///< to no edits, as one step
    void clear();  ///< also the history: another body

    const Edits& now() const {
        return now_;
    }
    std::size_t undo_count() const {
        return past_.size();
    }
    std::size_t redo_count() const {
        return future_.size();
    }
    /// Rises with every change.
    std::uint32_t revision() const {
        return revision_;
    }

private:
    void begin_step();
    void finish_step(bool stays_open);

    Edits now_ = {};
    std::vector<Edits> past_ = {};
    std::vector<Edits> future_ = {};
    bool is_step_open_ = false;
    std::uint32_t revision_ = 1;
};

/// What the library is asked for, in its order (growth/growth_plan.h).
/// @throws InputError  for a target that does not exist
GrowthPlan plan_of(const Edits& edits, const Body& body);

/// The plan's words as targets, to take over a recipe.
Edits edits_of(const GrowthPlan& plan);
/// @throws InputError  for a recipe that needs other files, which the studio does not read
Edits edits_of(const GrowthRecipe& recipe);

/// @throws InputError  naming the target when body or protocol do not know it, or the value is out
///                     of its range
void require_known(const Change& change, const Body& body);

/// Range of a slider: the soft range of the plan's field (growth/growth_plan.h).
struct ValueRange {
    double low;
    double high;
};
ValueRange range_of(std::string_view kind);  ///< "muscle", "fat", "bone", "stature", ...

}  // namespace sinew::studio
