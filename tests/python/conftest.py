# SPDX-License-Identifier: BSD-3-Clause
"""Clips by ctgen for the tests of the Python package. CTV_BIN is the folder of ctgen, ctenc and ctdec."""
import os
import pathlib
import subprocess

import device_memory
import numpy as np
import pytest

WIDTH, HEIGHT, FRAMES = 162, 98, 12
CHANNELS = {"gray": 1, "rgb": 3, "rgba": 4}
CHROMA = {"i420": (2, 2), "i422": (1, 2), "i444": (1, 1), "nv12": (2, 2)}  # samples of luma to one of chroma


DEEP = {"i420p10": ("i420", 2, 0), "p010": ("nv12", 2, 6), "i444p12": ("i444", 4, 0), "gray12": ("gray", 4, 0)}
# of the same planes, more bits of a sample, unused low bits of a word


def tool(name, *arguments):
    """Runs a tool in silence and returns what it printed."""
    path = pathlib.Path(os.environ["CTV_BIN"]) / name
    return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True).stdout


def pictures_of(data, form, width, height):
    """Raw video as the pictures of the package."""
    form = DEEP.get(form, (form,))[0]
    shapes = [(height, width, CHANNELS[form]) if form in ("rgb", "rgba") else (height, width)]
    if form in CHROMA:
        down, across = CHROMA[form]
        chroma = ((height + down - 1) // down, (width + across - 1) // across)
        shapes += [(*chroma, 2)] if form == "nv12" else [chroma] * 2
    sizes = [int(np.prod(s)) for s in shapes]
    for frame in data.reshape(-1, sum(sizes)):
        planes = tuple(p.reshape(s) for p, s in zip(np.split(frame, np.cumsum(sizes)[:-1]), shapes))
        yield planes if len(planes) > 1 else planes[0]


def bytes_of(picture):
    return b"".join(plane.tobytes() for plane in picture.planes)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ctv")


@pytest.fixture(scope="session")
def clip(folder):
    """clip(format): the path of raw video, and its pictures."""

    def make(form, width=WIDTH, height=HEIGHT, frames=FRAMES):
        suffix = "yuv" if form[0] == "i" else "raw" if form == "gray12" else form
        path = folder / f"{form}{width}x{height}x{frames}.{suffix}"
        if not path.exists() and form in DEEP:
            base, more, unused = DEEP[form]
            samples = np.fromfile(make(base, width, height, frames)[0], np.uint8).astype(np.uint16)
            low = np.arange(len(samples), dtype=np.uint16) % (1 << more)
            ((samples << more | low) << unused).astype("<u2").tofile(path)
        elif not path.exists():
            tool("ctgen", path, "--size", f"{width}x{height}", "--frames", frames, "--format", form)
        dtype = np.dtype("<u2") if form in DEEP else np.uint8
        return path, list(pictures_of(np.fromfile(path, dtype), form, width, height))

    return make


@pytest.fixture(scope="session")
def stream(folder, clip):
    """The path of a stream with three key frames."""
    import ctv
    path = folder / "stream.ctv"
    ctv.write(path, clip("i420")[1], qp=30, key_interval=5)
    return path


@pytest.fixture(scope="session")
def driver():
    """The CUDA driver, where the package can use it."""
    import ctv
    try:
        ctv.Decoder(memory="cuda", backend="cuda").close()
    except ctv.DeviceError as e:
        pytest.skip(f"no device: {e}")
    return device_memory.Driver()
