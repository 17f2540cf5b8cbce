# SPDX-License-Identifier: BSD-3-Clause
"""The loop filter of section 11 of docs/bitstream.md: the class of a sample, and what is added to it."""
import os
import re

from document import column, numbers, table

PAIRS = [numbers(cell) for cell in table("loop filter pairs")[0][1:]]
TABLES = [number for number, in column("loop filter")]
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "filter_weights.inc")
AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]

with open(PATH) as file:
    WEIGHTS = numbers(re.sub("//.*", "", file.read()))
assert len(WEIGHTS) == 64 * len(PAIRS) * len(TABLES)


def class_of(x, row, col, step):
    """x: a function of row and column."""
    def total(dy, dx):
        return sum(abs(x(row + i - dy, col + j - dx) - x(row + i + dy, col + j + dx)) for i, j in AROUND)
    across, down, falling, rising = total(0, 1), total(1, 0), total(1, 1), total(-1, 1)
    falling -= falling >> 2
    rising -= rising >> 2
    both, straight, diagonal = across + down, abs(across - down), abs(falling - rising)
    most, u = max(straight, diagonal), min(step, 16384)
    direction = 2 + (falling > rising) if diagonal > straight else across > down
    clarity = (most > both >> 3) + (most > both >> 2) + (most > both >> 1)
    strength = (both > u >> 3) + (both > 3 * u >> 3) + (both > u)
    return 16 * strength + 4 * clarity + direction


def filtered_bits(base_step, shift):
    """Bits beyond 8 of the samples that the filter works on."""
    return max((s for s in range(min(shift, 2) + 1) if s == 0 or base_step << s <= 1024))


def correction(x, row, col, step, chroma, predicted):
    """x: the filtered samples. step: sixteenths of one."""
    bound = min(max((step + 64) >> 7, 1 if predicted else 0), 32)
    weights = 384 * TABLES[2 * chroma + predicted] + class_of(x, row, col, step)
    total = 64
    for k, (dy, dx) in enumerate(PAIRS):
        for neighbour in (x(row + dy, col + dx), x(row - dy, col - dx)):
            total += WEIGHTS[weights + 64 * k] * max(-bound, min(bound, neighbour - x(row, col)))
    return total >> 7
