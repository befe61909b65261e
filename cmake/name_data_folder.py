#!/usr/bin/env python3
"""name_data_folder.py LIBRARY FOLDER: writes FOLDER over the mark in the installed library (src/sinew/io/data_folder.cpp)."""
import pathlib
import sys

MARK = b"SINEW-DATA-FOLDER-GOES-HERE"
LONGEST = 1024  # kLongestPath, with the zero at its end

library, folder = pathlib.Path(sys.argv[1]), sys.argv[2].encode()
content = library.read_bytes()
field = MARK.ljust(LONGEST, b"\0")
if content.count(field) != 1:
    sys.exit(f"{library}: {content.count(field)} places for the data folder, 1 is needed. Build the library again.")
if len(folder) >= LONGEST:
    sys.exit(f"{folder.decode()}: longer than {LONGEST - 1} bytes. Install to a shorter path.")
library.write_bytes(content.replace(field, folder.ljust(LONGEST, b"\0")))
