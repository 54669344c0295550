# Training, which only the program uses.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)

file(GLOB train RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ration/train/*.cc)
target_sources(ration PRIVATE ${train})
target_include_directories(ration SYSTEM PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIR})
