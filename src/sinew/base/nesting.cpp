#include "sinew/base/nesting.h"

namespace sinew {

bool is_json_nested_deeper(std::string_view json, int levels) {
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (is_quoted) {
            i += c == '\\' ? 1 : 0;
            is_quoted = c != '"';
        } else if (c == '"') {
            is_quoted = true;
        } else if ((c == '[' || c == '{') && ++depth > levels) {
            return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace sinew
