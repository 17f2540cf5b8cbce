# SPDX-License-Identifier: BSD-3-Clause
"""Clips for the examples: Y4M files of 8 bits and 4:2:0, and a test picture."""
import numpy as np


def read_y4m(path, most):
    """The first pictures of a file as (y, u, v), and the frame rate."""
    with open(path, "rb") as file:
        fields = {word[:1]: word[1:] for word in file.readline().decode().split()[1:]}
        width, height = int(fields["W"]), int(fields["H"])
        if not fields.get("C", "420").startswith("420") or "p1" in fields.get("C", ""):
            raise SystemExit(f"{path}: 8 bits and 4:2:0 expected")
        shapes = [(height, width)] + [((height + 1) // 2, (width + 1) // 2)] * 2
        pictures = []
        while len(pictures) < most and file.readline().startswith(b"FRAME"):
            pictures.append(tuple(np.fromfile(file, np.uint8, h * w).reshape(h, w) for h, w in shapes))
    return pictures, fields.get("F", "25:1").replace(":", "/")


def zone_plate(size):
    """A chirp in all directions: each place has one spatial frequency, growing with the distance from the centre."""
    y, x = np.mgrid[:size, :size] - (size - 1) / 2
    return np.uint8(np.rint(127.5 + 60 * np.cos(np.pi * 0.45 * (x * x + y * y) / size * 2)))
