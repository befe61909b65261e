#include "studio/server/document.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/growth/fat_maps.h"
#include "sinew/io/people_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace sinew::studio {

namespace {

constexpr std::size_t kMostSteps = 500;
const std::string kPaintedMap = "painted";

struct TargetName {
    std::string kind;
    std::string name;
};

TargetName split_target(const std::string& target) {
    const std::size_t colon = target.find(':');
    if (colon == std::string::npos) {
        return {target, ""};
    }
    return {target.substr(0, colon), target.substr(colon + 1)};
}

/// The field of a GrowthPlan that a target's kind stands for.
std::optional<Field> field_of(std::string_view kind) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFields = {
        {{"muscle", "muscles"},
         {"fat", "fat"},
         {"bone", "bones"},
         {"stature", "stature_m"},
         {"weight", "weight_kg"},
         {"body_fat", "body_fat"},
         {"gravity", "gravity"}}};
    for (const auto& [known, name] : kFields) {
        if (known == kind) {
            return field_named<GrowthPlan>(name);
        }
    }
    return {};
}

}  // namespace

ValueRange range_of(std::string_view kind) {
    const std::optional<Field> field = field_of(kind);
    return field ? ValueRange{field->soft_min, field->soft_max} : ValueRange{0.0, 0.0};
}

void require_known(const Change& change, const Body& body) {
    const TargetName target = split_target(change.target);
    const std::string where = fmt::format("target '{}'", change.target);
    const std::optional<Field> field = field_of(target.kind);
    const bool needs_name =
        target.kind == "muscle" || target.kind == "fat" || target.kind == "bone";
    if (!field || needs_name == target.name.empty()) {
        throw InputError({.where = where,
                          .found = "no such target",
                          .needs = "muscle:NAME, fat:REGION, bone:NAME, stature, weight, body_fat "
                                   "or gravity",
                          .remedy = "see docs/studio-protocol.md"});
    }
    if (change.value) {
        check_range(*change.value, *field, FieldPlace(where));
    }
    if (target.kind == "muscle") {
        muscle_alphas(body, {{target.name, 1.0}});
    } else if (target.kind == "bone") {
        find_body_parts(body, body_parts(body), target.name, where);
    } else if (target.kind == "fat") {
        const auto names = fat_map_names();
        if (std::find(names.begin(), names.end(), target.name) == names.end()) {
            throw InputError({.where = where,
                              .found = fmt::format("unknown region '{}'{}", target.name,
                                                   did_you_mean(target.name, names)),
                              .needs = "a region of fat",
                              .remedy = fmt::format("choose one of {}", join(names, ", "))});
        }
    }
}

GrowthPlan plan_of(const Edits& edits, const Body& body) {
    GrowthPlan plan;
    for (const auto& [text, value] : edits.values) {
        const TargetName target = split_target(text);
        if (target.kind == "muscle") {
            plan.muscles.emplace_back(target.name, value);
        } else if (target.kind == "fat") {
            plan.fat.emplace_back(target.name, value);
        } else if (target.kind == "bone") {
            plan.bones.emplace_back(target.name, value);
        } else if (text == "stature") {
            plan.stature = value;
        } else if (text == "weight") {
            plan.weight = value;
        } else if (text == "body_fat") {
            plan.body_fat = value;
        } else if (text == "gravity") {
            plan.shows_gravity = value > 0.5;
        }
    }
    plan.people.table = std::make_shared<const PeopleTable>(known_people());
    plan.fat_model = edits.fat_model;
    plan.fat_distribution = edits.fat_distribution;
    if (edits.painted) {
        plan.fat.emplace_back(kPaintedMap, edits.painted_amount);
        plan.fat_maps.emplace_back(kPaintedMap, *edits.painted);
    }
    return ordered_plan(std::move(plan), body);
}

Edits edits_of(const GrowthPlan& plan) {
    Edits edits;
    for (const auto& [word, value] : plan.muscles) {
        edits.values["muscle:" + word] = value;
    }
    for (const auto& [word, value] : plan.fat) {
        edits.values["fat:" + word] = value;
    }
    for (const auto& [word, value] : plan.bones) {
        edits.values["bone:" + word] = value;
    }
    const auto set = [&](const char* target, const std::optional<double>& value) {
        if (value) {
            edits.values[target] = *value;
        }
    };
    set("stature", plan.stature);
    set("weight", plan.weight);
    set("body_fat", plan.body_fat);
    if (plan.shows_gravity) {
        edits.values["gravity"] = 1.0;
    }
    edits.fat_model = plan.fat_model;
    edits.fat_distribution = plan.fat_distribution;
    return edits;
}

Edits edits_of(const GrowthRecipe& recipe) {
    if (!recipe.fat_maps.empty() || !recipe.fat_from.empty()) {
        throw InputError({.where = "recipe",
                          .found = "'fat_maps' or 'fat_from'",
                          .needs = "a recipe without other files",
                          .remedy = "paint the map in the studio, or use 'sinew grow --recipe'"});
    }
    return edits_of(recipe.plan);
}

void Document::begin_step() {
    if (!is_step_open_) {
        past_.push_back(now_);
        if (past_.size() > kMostSteps) {
            past_.erase(past_.begin());
        }
    }
    future_.clear();
}

void Document::finish_step(bool stays_open) {
    is_step_open_ = stays_open;
    if (!stays_open && !past_.empty() && past_.back() == now_) {
        past_.pop_back();  // nothing has changed
    }
    ++revision_;
}

void Document::edit(const std::vector<Change>& changes, bool is_dragging) {
    begin_step();
    for (const Change& change : changes) {
        if (change.value) {
            now_.values[change.target] = *change.value;
            // Fat is what reaches either.
            if (change.target == "weight") {
                now_.values.erase("body_fat");
            } else if (change.target == "body_fat") {
                now_.values.erase("weight");
            }
        } else {
            now_.values.erase(change.target);
        }
    }
    finish_step(is_dragging);
}

void Document::replace(Edits edits) {
    is_step_open_ = false;
    begin_step();
    now_ = std::move(edits);
    finish_step(false);
}

void Document::paint(const std::vector<std::uint32_t>& vertices, const std::vector<double>& values,
                     std::size_t count, double amount, bool ends) {
    begin_step();
    auto map = std::make_shared<std::vector<double>>(count, 0.0);
    if (now_.painted && now_.painted->size() == count) {
        *map = *now_.painted;
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        (*map)[vertices[i]] = std::clamp(values[i], 0.0, 1.0);
    }
    const bool is_blank = std::all_of(map->begin(), map->end(), [](double v) { return v == 0.0; });
    now_.painted = is_blank ? nullptr : std::shared_ptr<const std::vector<double>>(std::move(map));
    now_.painted_amount = amount;
    finish_step(!ends);
}

bool Document::undo() {
    if (past_.empty()) {
        return false;
    }
    future_.push_back(std::move(now_));
    now_ = std::move(past_.back());
    past_.pop_back();
    is_step_open_ = false;
    ++revision_;
    return true;
}

bool Document::redo() {
    if (future_.empty()) {
        return false;
    }
    past_.push_back(std::move(now_));
    now_ = std::move(future_.back());
    future_.pop_back();
    is_step_open_ = false;
    ++revision_;
    return true;
}

void Document::reset() {
    replace({});
}

void Document::clear() {
    now_ = {};
    past_.clear();
    future_.clear();
    is_step_open_ = false;
    ++revision_;
}

}  // namespace sinew::studio
