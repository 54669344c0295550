# Training and its results, which only the program uses.
find_package(nlohmann_json REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)

file(GLOB train RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ration/results/*.cc ration/noise/*.cc ration/model/*.cc ration/train/*.cc)
set_source_files_properties(ration/train/run_record.cc PROPERTIES
  COMPILE_DEFINITIONS RATION_VERSION="${PROJECT_VERSION}")
target_sources(ration PRIVATE ${train})
target_include_directories(ration SYSTEM PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_link_libraries(ration PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
