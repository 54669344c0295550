#include "ration/report/experiment_data.h"

#include <fmt/format.h>

#include "ration/base/error.h"
#include "ration/data/load_dataset.h"
#include "ration/data/looked_at.h"

namespace ration {
namespace {

constexpr const char* kFashionMnist = "/usr/share/datasets/fashion-mnist";

}  // namespace

Dataset mnist_data(const std::optional<std::filesystem::path>& folder) {
  if (folder) return load_dataset(idx_source_in(*folder));
  if (!is_folder(kFashionMnist)) {
    throw Error(
        fmt::format("{} is missing: install the package dataset-fashion-mnist, or give "
                    "--mnist DIR with the four IDX files of MNIST",
                    kFashionMnist));
  }
  Dataset data = load_dataset(idx_source_in(kFashionMnist));
  data.description = fmt::format("Fashion-MNIST, {}", data.description);
  return data;
}

Dataset clinical_data(const std::optional<std::filesystem::path>& folder) {
  if (!folder) return load_dataset(CohortSource{});
  return load_dataset(NpySource{.train_features = *folder / "train_X.npy",
                                .train_labels = *folder / "train_y.npy",
                                .test_features = *folder / "test_X.npy",
                                .test_labels = *folder / "test_y.npy"});
}

}  // namespace ration
