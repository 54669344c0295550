# Reports, which only the program uses.
find_package(nlohmann_json REQUIRED)
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

target_sources(ration PRIVATE
  ration/report/rounded_text.cc
  ration/report/html_text.cc
  ration/report/svg.cc
  ration/report/svg_scale.cc
  ration/report/svg_sheet.cc
  ration/report/svg_lines.cc
  ration/report/svg_histograms.cc
  ration/report/svg_bars.cc
  ration/report/gdp_vs_rdp_accountants.cc
  ration/report/gdp_vs_rdp_largest_k.cc
  ration/report/gdp_vs_rdp.cc
  ration/report/data_table.cc
  ration/report/evidence.cc
  ration/report/epsilon_histogram.cc
  ration/report/figure_text.cc
  ration/report/figure_files.cc
  ration/report/experiment_data.cc
  ration/report/experiments.cc
  ration/report/reproduce_page.cc
  ration/report/reproduce.cc
  ration/report/statistics.cc
  ration/report/paper_groups.cc
  ration/report/clinical_settings.cc
  ration/report/clinical_run.cc
  ration/report/clinical_numbers.cc
  ration/report/clinical_claims.cc
  ration/report/clinical_group_claims.cc
  ration/report/clinical_texts.cc
  ration/report/clinical_groups_figure.cc
  ration/report/clinical_clipping_figure.cc
  ration/report/clinical_histograms_figure.cc
  ration/report/clinical_experiment.cc
  ration/report/mnist_run.cc
  ration/report/mnist_claims.cc
  ration/report/mnist_numbers.cc
  ration/report/mnist_figures.cc
  ration/report/mnist_experiment.cc
  ration/report/results.cc
  ration/report/results_rows.cc
  ration/report/results_csv.cc
  ration/report/results_json.cc
  ration/report/results_agreement.cc
  ration/report/shares.cc
  ration/report/attack.cc
  ration/report/bins.cc
  ration/report/page_figure.cc
  ration/report/page_guarantee.cc
  ration/report/page_people.cc
  ration/report/page_groups.cc
  ration/report/page_time.cc
  ration/report/page_person.cc
  ration/report/page.cc
  ${PROJECT_BINARY_DIR}/assets.cc)
target_link_libraries(ration PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
set_source_files_properties(ration/report/page.cc PROPERTIES
  COMPILE_DEFINITIONS RATION_VERSION="${PROJECT_VERSION}")
