#pragma once

namespace sinew::studio {

class Growth;
class Verbs;
class Workspace;

/// Verb `forces`: lever arms and forces of muscles over a coordinate, of the body as grown or of a
/// model in the workspace. All three outlive the verb, which the quick worker does.
void add_forces_verb(Verbs& verbs, Growth& growth, const Workspace& workspace);

}  // namespace sinew::studio
