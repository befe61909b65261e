#pragma once

namespace sinew::support {

/// How often a method is compared with a naive one: less often under the sanitizers, which look for
/// other faults and make the naive one, whose code is not optimised there, very slow.
template <class Count>
constexpr Count trials(Count count) {
#ifdef SINEW_SANITIZED
    return count > 5 ? count / 5 : count;
#else
    return count;
#endif
}

}  // namespace sinew::support
