"""Measures the times that a language model's usage reports."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Dict, Iterator, Optional


class Timing:
    def __init__(self) -> None:
        self.start_time = time.time()
        self.first_token_time: Optional[float] = None
        self.reasoning_start_time: Optional[float] = None
        self.total_reasoning_time = 0.0
        self.reasoning_tokens = 0

    @property
    def in_reasoning(self) -> bool:
        return self.reasoning_start_time is not None

    def mark_first_token(self) -> None:
        self.first_token_time = self.first_token_time or time.time()

    def start_reasoning(self) -> None:
        self.reasoning_start_time = self.reasoning_start_time or time.time()

    def end_reasoning(self, token_count: int = 0) -> None:
        if self.reasoning_start_time is None:
            return
        self.total_reasoning_time += time.time() - self.reasoning_start_time
        self.reasoning_tokens += token_count
        self.reasoning_start_time = None

    @property
    def stats(self) -> Dict[str, float]:
        first = self.first_token_time
        return {
            "time_to_first_token": first - self.start_time if first else 0.0,
            "generation_time": time.time() - first if first else 0.0,
            "reasoning_time": self.total_reasoning_time,
            "reasoning_tokens": self.reasoning_tokens,
        }


@contextmanager
def timing_context() -> Iterator[Timing]:
    yield Timing()
