"""Fashion-MNIST with PyTorch, Opacus and Ration: a budget for every person, and what each has spent.

Everybody's gradient norm is measured at the start of every epoch and is their own clip bound until the next. Who has
spent their budget is left out from then on; nobody can see who. Individual values go only into the file that is
asked for.

    python3 examples/python/fashion_mnist.py --people 6000 --epochs 8 --out spent.csv
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import pathlib

import numpy as np
import ration
import torch
from ration.opacus import Indexed, PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

MEAN, SCALE = 0.2860, 0.3530  # public constants, never computed from the data


def read_idx(path: pathlib.Path) -> np.ndarray:
    """An IDX file of bytes: two zeros, the type, the number of dimensions, the dimensions, the data."""
    content = gzip.decompress(path.read_bytes())
    dimensions = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * len(dimensions)).reshape(dimensions)


def read(directory: pathlib.Path, part: str, people: int | None) -> TensorDataset:
    images = read_idx(directory / f"{part}-images-idx3-ubyte.gz")[:people]
    labels = read_idx(directory / f"{part}-labels-idx1-ubyte.gz")[:people]
    inputs = (torch.tensor(images, dtype=torch.float32) / 255 - MEAN) / SCALE
    return TensorDataset(inputs.flatten(1), torch.tensor(labels, dtype=torch.int64))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Private training with an account for every person")
    parser.add_argument("--data", type=pathlib.Path, default="/usr/share/datasets/fashion-mnist", help="its IDX files")
    parser.add_argument("--people", type=int, help="how many people to train on, the first ones (default: all)")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--steps", type=int, default=50, help="noisy steps in an epoch: the rate is one over it")
    parser.add_argument("--epsilon", type=float, default=2.75, help="everybody's budget")
    parser.add_argument("--delta", type=float, default=1e-5)
    parser.add_argument("--spent-after", type=int, default=10, help="epochs that somebody at the clip bound can pay")
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--mode", choices=["hooks", "ghost"], default="ghost", help="how gradients are clipped")
    parser.add_argument("--out", type=pathlib.Path, help="write everybody's epsilon to this file, for its owner alone")
    return parser.parse_args()


def train(
    settings: argparse.Namespace, people: TensorDataset, model: nn.Module
) -> tuple[PrivacyEngine, ration.Accounts]:
    loader = DataLoader(Indexed(people), batch_size=-(-len(people) // settings.steps))
    noise = ration.calibrate_noise(
        epsilon=settings.epsilon,
        delta=settings.delta,
        rate=1 / len(loader),
        steps=settings.spent_after * len(loader),
    )
    engine = PrivacyEngine()
    module, optimizer, *criterion, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9),
        criterion=nn.CrossEntropyLoss(),
        data_loader=loader,
        noise_multiplier=noise,
        max_grad_norm=settings.clip,
        filter={"epsilon": settings.epsilon, "delta": settings.delta},
        grad_sample_mode=settings.mode,
    )
    loss_of = criterion[0] if criterion else nn.CrossEntropyLoss()
    everybody = DataLoader(Indexed(people), batch_size=500)
    for _ in range(settings.epochs):
        optimizer.refresh(everybody)
        for drawn, inputs, labels in loader:
            optimizer.draw(drawn)
            loss_of(module(inputs), labels).backward()
            optimizer.step()
            optimizer.zero_grad()
    return engine, optimizer.accounts


def write(path: pathlib.Path, spent: ration.Epsilons) -> None:
    """For its owner alone: what single people spent is private."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(descriptor, 0o600)
    with open(descriptor, "w") as file:
        file.write("person,epsilon\n")
        file.writelines(f"{person},{epsilon!r}\n" for person, epsilon in enumerate(spent.upper.tolist()))


def rounded_up(epsilon: float) -> str:
    """A promise that is printed in fewer digits must not become a smaller one."""
    return f"{math.ceil(epsilon * 1e5) / 1e5:.5f}"


def main() -> None:
    settings = arguments()
    model = nn.Sequential(nn.Linear(784, 128), nn.Tanh(), nn.Linear(128, 10))
    engine, accounts = train(settings, read(settings.data, "train", settings.people), model)
    test = read(settings.data, "t10k", None)
    with torch.no_grad():
        right = (model(test.tensors[0]).argmax(1) == test.tensors[1]).double().mean()
    print(f"people         {accounts.people}")
    print(f"steps          {accounts.steps}")
    print(f"delta          {settings.delta:g}")
    print(f"worst case     epsilon {rounded_up(engine.accountant.get_epsilon(settings.delta))} without a filter")
    print(f"promised       epsilon {rounded_up(engine.get_epsilon(settings.delta))} to everybody")
    print(f"test accuracy  {right:.1%}")
    if settings.out is not None:
        write(settings.out, accounts.epsilon(settings.delta))


if __name__ == "__main__":
    main()
