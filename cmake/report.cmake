# Reports, which only the program uses.
find_file(CHART_JS chart.min.js PATHS /usr/share/javascript /usr/share/nodejs PATH_SUFFIXES chart.js chart.js/dist
          NO_DEFAULT_PATH)
if(NOT CHART_JS)
  message(FATAL_ERROR "Chart.js was not found: install libjs-chart.js, or give -DCHART_JS=.../chart.min.js")
endif()

# The report page's parts become one C++ file.
set(assets ration/report/assets/report.html ration/report/assets/report.css ration/report/assets/report.js)
list(TRANSFORM assets PREPEND ${PROJECT_SOURCE_DIR}/)
list(APPEND assets ${CHART_JS})
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/assets.cc
  COMMAND ${CMAKE_COMMAND} "-DOUT=${PROJECT_BINARY_DIR}/assets.cc"
          "-DNAMES=skeleton;style;program;chart_js" "-DFILES=${assets}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${assets} cmake/embed.cmake VERBATIM)

file(GLOB report RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ration/report/*.cc)
target_sources(ration PRIVATE ${report} ${PROJECT_BINARY_DIR}/assets.cc)
set_source_files_properties(ration/report/page.cc PROPERTIES
  COMPILE_DEFINITIONS RATION_VERSION="${PROJECT_VERSION}")

# The paper's experiments, above everything and not part of the library.
file(GLOB paper RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS paper/*.cc)
add_library(ration_paper STATIC ${paper})
set_target_properties(ration_paper PROPERTIES POSITION_INDEPENDENT_CODE ${RATION_BUILD_PYTHON}
  UNITY_BUILD ${RATION_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 12)
target_link_libraries(ration_paper PUBLIC ration PRIVATE fmt::fmt OpenMP::OpenMP_CXX ration_warnings)
target_precompile_headers(ration_paper PRIVATE ${RATION_PRECOMPILED})
