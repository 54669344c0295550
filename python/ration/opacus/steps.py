"""A noisy step, from the first batch that is drawn for it to its release. What both kinds of optimizers share.

The order is: ``draw`` charges everybody and fixes everybody's limit; backward; ``step`` clips to the limits and adds
up; after the last physical batch, noise, and only then the parameters change. A crash at any point has charged what
was released, or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader

from .. import Accounts, RationError
from .._filters import AnyFilter
from .books import Books
from .poisson import Coming, Samples, WatchedSampler
from .refresh import Forward, everybodys_norms
from .rows import Rows


@dataclass
class OpenStep:
    """A step that everybody has paid for and whose output is not released."""

    noise: float
    clip: float
    limits: npt.NDArray[np.float64]
    coming: Coming  # over all of its physical batches
    params: list[torch.nn.Parameter]
    drawn: Optional[Rows] = None  # those of the physical batch that is under way
    clipped: bool = False  # ghost clipping: this batch's backward was ours


class IndividualSteps:
    """Beside one of Opacus' optimizers: ``draw``, ``refresh`` and ``abandon``; accounts and bounds of everybody."""

    params: list[torch.nn.Parameter]
    noise_multiplier: float
    max_grad_norm: float

    def __init__(self, optimizer: torch.optim.Optimizer, *, books: Books, **options: Any) -> None:
        super().__init__(optimizer, **options)  # type: ignore[call-arg]
        self.books = books
        self._open: Optional[OpenStep] = None
        self._forward: Optional[Forward] = None
        self._samples: Optional[Samples] = None  # of a Poisson loader
        self._rows: Optional[Rows] = None  # of the batch that was drawn, or is measured
        self._divided_by = self._divisor

    @property
    def accounts(self) -> Accounts:
        """What everybody has spent. Private."""
        self.books.check()
        return self.books.accounts

    @property
    def filter(self) -> Optional[AnyFilter]:
        """Who may still take part. Private."""
        return self.books.filter

    @property
    def rate(self) -> float:
        """The probability with which each person is drawn: what is accounted at."""
        return self.books.rate

    @property
    def bounds(self) -> npt.NDArray[np.float64]:
        """What everybody's gradient is clipped to while they take part. Private."""
        return self.books.bounds(self.max_grad_norm)

    def draw(self, people: Any) -> None:
        """Says whose records the next backward pass is about, in their order. Call it for empty batches too.

        A person with several records comes once for each of them. The first batch of a noisy step charges everybody.
        """
        drawn = self._rows_of(people)
        if self._open is not None and self._open.drawn is not None:
            raise RationError("draw() was called twice: call step() after each batch, or abandon() to give the step up")
        coming = self._next_sample() if self._open is None else self._open.coming
        coming.take(drawn.people)
        self._open = self._open or self._begin(coming)
        self._open.drawn = self._rows = drawn

    def refresh(self, loader: DataLoader[Any], loss: Optional[Callable[[Any], Any]] = None) -> None:
        """Measures everybody's gradient norm with the parameters as they are; each is its owner's bound from now on.

        ``loader`` yields every person once, in batches ``(positions, *inputs, target)``. The loss is that of
        ``make_private``'s criterion; ``loss(batch)`` is for batches of another form. Call it at times fixed in advance,
        such as the start of every epoch. Random numbers of the training are not touched. After a refusal all
        bounds are what they were.
        """
        if self._open is not None:
            raise RationError("a step is under way: refresh between steps")
        if self._forward is None:
            raise RationError("refresh needs the model: take the optimizer from PrivacyEngine.make_private")
        self.books.hold(everybodys_norms(self, self._forward, loader, loss))

    def abandon(self) -> None:
        """Gives up the step under way, if any, and samples that no step was made from; begin a new loop afterwards.

        What was charged stays charged. For interruptions: whether it is called must not depend on who was drawn.
        """
        self._open = None
        if self._samples is not None:
            self._samples.clear()
        self._step_skip_queue.clear()  # type: ignore[attr-defined]
        self._is_last_step_skipped = False
        self.zero_grad(set_to_none=True)  # type: ignore[attr-defined]

    def measure_with(self, forward: Forward) -> None:
        """Tells what ``refresh`` runs."""
        self._forward = forward

    def follow(self, loader: DataLoader[Any]) -> None:
        """Takes only Poisson samples of this loader from now on."""
        self._samples = Samples(
            people=self.books.people,
            rate=self.books.rate,
            ahead=loader.num_workers > 0,
            restarted=self._step_skip_queue.clear,  # type: ignore[attr-defined]
        )
        WatchedSampler.watch(loader, self._samples)

    def measure(self, people: Any) -> Rows:
        """Says whose records the next backward pass is about, which is for norms alone."""
        self._rows = self._rows_of(people)
        return self._rows

    def norms_by_person(self, rows: Rows) -> torch.Tensor:
        """After a backward pass, the norm of each person's gradient in float64."""
        raise NotImplementedError

    def add_up(self, step: OpenStep, rows: Rows, limits: torch.Tensor) -> None:
        """Adds this batch's gradients, each person's clipped to their limit, to ``p.summed_grad``."""
        raise NotImplementedError

    def pre_step(self, closure: Optional[Callable[[], float]] = None) -> bool:
        step = self._checked_step()
        assert step.drawn is not None
        if len(step.drawn.people) == 0:
            self._add_nothing()
        else:
            self.add_up(step, step.drawn, self._limits_of(step, step.drawn))
        step.drawn, step.clipped = None, False
        self._is_last_step_skipped = self._check_skip_next_step()  # type: ignore[attr-defined]
        if self._is_last_step_skipped:
            return False
        if not step.coming.complete:
            raise RationError("a part of the sample did not come: a step takes all of it, at once or in virtual steps")
        self.add_noise()  # type: ignore[attr-defined]
        self.scale_grad()  # type: ignore[attr-defined]
        self._drop_gradients_without_noise()
        self._open = None
        if self.step_hook:  # type: ignore[attr-defined]
            self.step_hook(self)  # type: ignore[attr-defined]
        return True

    @property
    def accumulated_iterations(self) -> int:
        """One: what is divided by never depends on how a batch was split."""
        return 1

    def state_dict(self) -> dict[str, Any]:
        """As Opacus', with everybody's accounts and bounds. Private."""
        return {**super().state_dict(), "ration": self.books.state_dict()}  # type: ignore[misc]

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        if "ration" not in state_dict:
            raise RationError("the checkpoint has no accounts: loading it would forget what everybody has spent")
        self.abandon()  # first: what follows may be refused in the middle, and no step may be released then
        self.books.load_state_dict(state_dict["ration"])
        rest = {name: value for name, value in state_dict.items() if name != "ration"}
        super().load_state_dict(rest)  # type: ignore[misc]

    def _next_sample(self) -> Coming:
        """Who may come in the next step. At rate 1 anybody: they pay for it."""
        return Coming(self.books.people, None if self._samples is None else self._samples.take())

    def _begin(self, coming: Coming) -> OpenStep:
        if hasattr(self, "_adjusted_noise_multiplier"):
            raise RationError("adaptive clipping changes the noise behind the accounts: it is not supported")
        noise, clip = self.noise_multiplier, self.max_grad_norm
        limits = self.books.charge(noise=noise, clip=clip)
        return OpenStep(noise=noise, clip=clip, limits=limits, coming=coming, params=self.params)

    def _checked_step(self) -> OpenStep:
        if self._open is None or self._open.drawn is None:
            raise RationError("step() does not know whose gradients these are: call draw(people) before each backward")
        if (self._open.noise, self._open.clip) != (self.noise_multiplier, self.max_grad_norm):
            raise RationError("noise or clip bound changed within a step that is paid for: change them between steps")
        if self._divisor != self._divided_by:
            raise RationError("expected_batch_size or loss_reduction changed after make_private: they are fixed there")
        if [id(p) for p in self._open.params] != [id(p) for p in self.params]:
            raise RationError("a parameter was frozen or unfrozen within a step that is paid for: do so between steps")
        return self._open

    @property
    def _divisor(self) -> tuple[Any, str]:
        """What the noisy sum is divided by. A batch's own size would tell how many were drawn."""
        return self.expected_batch_size, self.loss_reduction  # type: ignore[attr-defined]

    def _drop_gradients_without_noise(self) -> None:
        """Frozen parameters may hold gradients of before, which the wrapped optimizer would step along."""
        noisy = set(self.params)
        for group in self.param_groups:  # type: ignore[attr-defined]
            for p in group["params"]:
                if p not in noisy:
                    p.grad = None

    def _limits_of(self, step: OpenStep, rows: Rows) -> torch.Tensor:
        return torch.from_numpy(step.limits[rows.people]).to(self.params[0].device)

    def _add_nothing(self) -> None:
        for p in self.params:
            if p.summed_grad is None:
                p.summed_grad = torch.zeros_like(p)

    def _rows_of(self, people: Any) -> Rows:
        return Rows.of(people, self.books.people, self.books.records)
