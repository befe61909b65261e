// The font file goes into the library as it is, so that pictures need no fonts installed.

// clang-format off
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl sinew_font_begin\n"
    ".hidden sinew_font_begin\n"
    "sinew_font_begin:\n"
    ".incbin \"" SINEW_FONT_FILE "\"\n"
    ".globl sinew_font_end\n"
    ".hidden sinew_font_end\n"
    "sinew_font_end:\n"
    ".byte 0\n"
    ".text\n");
// clang-format on
