#include "paper/experiment_data.h"

#include <fmt/format.h>

#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/load_dataset.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

constexpr const char* kFashionMnist = "/usr/share/datasets/fashion-mnist";
// Whose files they are cannot be seen from them.
constexpr const char* kOwnFiles = "the paper's data, if these files hold them";

}  // namespace

ExperimentData mnist_data(const std::optional<std::filesystem::path>& folder) {
  if (folder) return {.data = load_dataset(idx_source_in(*folder)), .standing = kOwnFiles};
  if (!is_folder(kFashionMnist)) {
    throw Error(
        fmt::format("{} is missing: install the package dataset-fashion-mnist, or give "
                    "--mnist DIR with the four IDX files of MNIST",
                    kFashionMnist));
  }
  Dataset data = load_dataset(idx_source_in(kFashionMnist));
  data.description = fmt::format("Fashion-MNIST, {}", data.description);
  return {.data = std::move(data), .standing = "a stand-in for MNIST"};
}

ExperimentData clinical_data(const std::optional<std::filesystem::path>& folder) {
  if (!folder) {
    return {.data = load_dataset(CohortSource{}), .standing = "a stand-in for MIMIC-III"};
  }
  return {.data = load_dataset(NpySource{.train_features = *folder / "train_X.npy",
                                         .train_labels = *folder / "train_y.npy",
                                         .test_features = *folder / "test_X.npy",
                                         .test_labels = *folder / "test_y.npy"}),
          .standing = kOwnFiles};
}

}  // namespace ration
