# Sets `public_headers` to the headers that SINEW_SOURCE/src/sinew/sinew.h names, itself first, and `included_headers` to those that
# these include besides; paths are relative to SINEW_SOURCE/src. Both together are what is installed.
function(sinew_includes_of header result)
    file(STRINGS "${SINEW_SOURCE}/src/${header}" lines REGEX "^#include \"sinew/")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
    set(${result} "${lines}" PARENT_SCOPE)
endfunction()

sinew_includes_of(sinew/sinew.h public_headers)
list(PREPEND public_headers sinew/sinew.h)
set(included_headers "")
set(waiting ${public_headers})
while(waiting)
    list(POP_FRONT waiting header)
    sinew_includes_of(${header} found)
    list(REMOVE_ITEM found ${public_headers} ${included_headers})
    list(APPEND included_headers ${found})
    list(APPEND waiting ${found})
endwhile()
