# Writes files into C++: cmake "-DOUT=assets.cc" "-DNAMES=a;b" "-DFILES=x.html;y.css" -P embed.cmake
# A name is a function of ration/report/assets.h. Lists of characters, because compilers need not
# take literals of more than 64 KiB.
set(text "// Made by cmake/embed.cmake.\n#include \"ration/report/assets.h\"\n\nnamespace ration::report::assets {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(([^,]*,)([^,]*,)([^,]*,)([^,]*,)([^,]*,)([^,]*,)([^,]*,)([^,]*,))" "\\1\n" bytes "${bytes}")
  string(APPEND text "\nstd::string_view ${name}() {\n  static constexpr char bytes[] = {\n${bytes}};\n"
    "  return {bytes, sizeof bytes};\n}\n")
endforeach()
file(WRITE ${OUT} "${text}\n}  // namespace ration::report::assets\n")
