// The sections [data] and [groups] of a training run's settings.
#pragma once

#include "ration/dataset/load_dataset.h"
#include "ration/train/toml_reader.h"

namespace ration::train {

struct DataSettings {
  DataSource source;
  DataOptions options;
};
DataSettings data_settings(TomlReader& in);

}  // namespace ration::train
