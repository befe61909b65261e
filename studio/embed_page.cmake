# sinew_embed_page(<output.cpp> <folder>): a source file that holds the built page. The bytes are taken in by the
# assembler, so that nothing is parsed; an absent folder gives a server without a page.
function(sinew_embed_page output folder)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*")
    list(SORT files)
    set(content "#include \"studio/server/app.h\"\n\n#include <array>\n\n")
    set(declarations "")
    set(entries "")
    set(number 0)
    foreach(file IN LISTS files)
        get_filename_component(ending "${file}" LAST_EXT)
        if(ending STREQUAL ".html")
            set(type "text/html; charset=utf-8")
        elseif(ending STREQUAL ".js")
            set(type "text/javascript; charset=utf-8")
        elseif(ending STREQUAL ".css")
            set(type "text/css; charset=utf-8")
        elseif(ending STREQUAL ".svg")
            set(type "image/svg+xml")
        elseif(ending STREQUAL ".json" OR ending STREQUAL ".webmanifest")
            set(type "application/json")
        elseif(ending STREQUAL ".png")
            set(type "image/png")
        elseif(ending STREQUAL ".woff2")
            set(type "font/woff2")
        elseif(ending STREQUAL ".map")
            continue()
        else()
            set(type "application/octet-stream")
        endif()
        set(symbol "sinew_page_${number}")
        math(EXPR number "${number} + 1")
        string(APPEND content
               "asm(\".section .rodata\\n.balign 16\\n${symbol}:\\n.incbin \\\"${folder}/${file}\\\"\\n\"\n"
               "    \"${symbol}_end:\\n.byte 0\\n.previous\\n\");\n")
        string(APPEND declarations
               "extern \"C\" __attribute__((visibility(\"hidden\"))) const unsigned char ${symbol}[];\n"
               "extern \"C\" __attribute__((visibility(\"hidden\"))) const unsigned char ${symbol}_end[];\n")
        string(APPEND entries
               "        {\"/${file}\", \"${type}\", ${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})},\n")
        set_property(SOURCE "${output}" APPEND PROPERTY OBJECT_DEPENDS "${folder}/${file}")
    endforeach()
    string(APPEND content "${declarations}\nnamespace sinew::studio {\n\n"
           "const PageFile* find_page_file(std::string_view path) {\n"
           "    static const std::array<PageFile, ${number}> files{{\n${entries}    }};\n"
           "    for (const PageFile& file : files) {\n"
           "        if (file.path == path) {\n            return &file;\n        }\n    }\n"
           "    return nullptr;\n}\n\n}  // namespace sinew::studio\n")
    if(number EQUAL 0)
        string(CONCAT content "#include \"studio/server/app.h\"\n\nnamespace sinew::studio {\n\n"
            "const PageFile* find_page_file(std::string_view) {\n    return nullptr;\n}\n\n}  // namespace sinew::studio\n")
    endif()
    file(CONFIGURE OUTPUT "${output}" CONTENT "${content}" @ONLY)
endfunction()
