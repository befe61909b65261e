#include "sinew/io/xml_file.h"

#include "sinew/base/error.h"
#include "sinew/base/nesting.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::uint64_t kMaxXmlBytes = std::uint64_t{256} << 20;

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::size_t line_at(const std::string& text, std::ptrdiff_t offset) {
    const auto end =
        std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + end, '\n'));
}

/// The first node that stands within more than `levels` others, or none. A walk without recursion.
pugi::xml_node first_deeper(const pugi::xml_node& top, int levels) {
    pugi::xml_node at = top;
    for (int depth = 1; at;) {
        if (depth > levels) {
            return at;
        }
        if (at.first_child()) {
            at = at.first_child();
            ++depth;
            continue;
        }
        while (at != top && !at.next_sibling()) {
            at = at.parent();
            --depth;
        }
        at = at == top ? pugi::xml_node() : at.next_sibling();
    }
    return {};
}

}  // namespace

std::string trimmed_text(const pugi::xml_node& node) {
    return std::string(trim(node.child_value()));
}

XmlFile::XmlFile(const std::filesystem::path& path)
    : text_(read_file_bytes(path, kMaxXmlBytes)), name_(path.string()) {
    parse();
}

XmlFile::XmlFile(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {
    parse();
}

void XmlFile::parse() {
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        throw InputError({.where = fmt::format("{}, line {}", name_, line_at(text_, result.offset)),
                          .found = result.description(),
                          .needs = "well-formed XML",
                          .remedy = "write the file again; it is damaged or cut short"});
    }
    if (!document_.document_element()) {
        throw InputError({.where = name_,
                          .found = "no element",
                          .needs = "an XML document",
                          .remedy = "write the file again; it is damaged or cut short"});
    }
    // Elements and the text in the innermost of them.
    if (const pugi::xml_node deep = first_deeper(root(), kMaxNesting + 1)) {
        throw InputError(
            {.where = fmt::format("{}, line {}", name_, line_at(text_, deep.offset_debug())),
             .found = fmt::format("elements nested deeper than {} levels", kMaxNesting),
             .needs = "fewer levels",
             .remedy = "write the file again; it is damaged or made to do harm"});
    }
}

std::string XmlFile::place(const pugi::xml_node& node) const {
    const std::string name = node.attribute("name").value();
    return fmt::format("{}, line {}, <{}{}>", name_, line_at(text_, node.offset_debug()),
                       node.name(),
                       name.empty() ? "" : fmt::format(" name={}", sinew::quoted(name)));
}

void XmlFile::fail(const pugi::xml_node& node, std::string found, std::string needs,
                   std::string remedy) const {
    throw InputError({.where = place(node),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = std::move(remedy)});
}

pugi::xml_node XmlFile::need(const pugi::xml_node& node, const char* child) const {
    const pugi::xml_node found = node.child(child);
    if (!found) {
        fail(node, fmt::format("no <{}>", child), fmt::format("a <{}>", child));
    }
    return found;
}

std::string XmlFile::need_attribute(const pugi::xml_node& node, const char* attribute) const {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found || found.value()[0] == '\0') {
        fail(node, fmt::format("no attribute '{}'", attribute),
             fmt::format("the attribute '{}'", attribute));
    }
    return found.value();
}

std::vector<double> XmlFile::numbers(const pugi::xml_node& node) const {
    return numbers(node, node.child_value());
}

std::vector<double> XmlFile::numbers(const pugi::xml_node& node, std::string_view text) const {
    std::vector<double> values;
    text = trim(text);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n,"), text.size());
        double value = 0.0;
        if (!parse_number(text.substr(0, end), value)) {
            fail(node, sinew::quoted(text.substr(0, end)), "finite numbers separated by blanks");
        }
        values.push_back(value);
        text = trim(text.substr(std::min(end + 1, text.size())));
    }
    return values;
}

std::vector<double> XmlFile::numbers(const pugi::xml_node& node, std::string_view text,
                                     std::size_t count) const {
    std::vector<double> values = numbers(node, text);
    if (values.size() != count) {
        fail(node, fmt::format("{} numbers", values.size()), fmt::format("{} numbers", count));
    }
    return values;
}

double XmlFile::number(const pugi::xml_node& node) const {
    return numbers(node, node.child_value(), 1)[0];
}

Vec3 XmlFile::vector(const pugi::xml_node& node) const {
    const std::vector<double> v = numbers(node, node.child_value(), 3);
    return {v[0], v[1], v[2]};
}

bool XmlFile::truth(const pugi::xml_node& node) const {
    const std::string text = trimmed_text(node);
    if (text != "true" && text != "false" && text != "1" && text != "0") {
        fail(node, sinew::quoted(text), "true or false");
    }
    return text == "true" || text == "1";
}

}  // namespace sinew
