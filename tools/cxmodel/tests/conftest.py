# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures: a model that is powered on, and one with the function started."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from odp import Paged  # noqa: E402
from pipe import Model  # noqa: E402


@pytest.fixture
def raw():
    """Powered on, command queue set, no command executed yet."""
    with Model() as m:
        yield m


@pytest.fixture
def m():
    """INIT_HCA is done, there is a UAR."""
    with Model() as model:
        yield model.start()


@pytest.fixture
def bringup():
    """The same as raw, but with the least that verbs need on offer."""
    with Model("--profile", "bringup") as m:
        yield m


@pytest.fixture
def pinned():
    """The same as raw, without paging on demand."""
    with Model("--profile", "pinned") as m:
        yield m


@pytest.fixture(name="s")
def paged(m):
    """A pair of queue pairs, and a region of which no page is there."""
    return Paged(m)
