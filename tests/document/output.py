# SPDX-License-Identifier: BSD-3-Clause
"""Section 13 of docs/bitstream.md: decoded planes to pictures in the source's format."""
from document import clamp


def picture_of(h, planes):
    """The bytes of a picture."""
    rows, cols = len(planes[0]), len(planes[0][0])
    if h["chroma 4:2:0"]:
        both = h["source format"] != 3
        planes = [planes[0]] + [upsampled(c, rows, cols if both else len(c[0]), both) for c in planes[1:]]
    if h["source format"] == 5:
        return bytes(c for y in range(rows) for x in range(cols) for c in rgb(*(p[y][x] for p in planes)))
    size = 2 if h["depth"] else 1
    return b"".join(v.to_bytes(size, "little") for p in planes for row in p for v in row)


def upsampled(chroma, rows, cols, both):
    def at(y, x):
        return chroma[clamp(y, 0, len(chroma) - 1)][clamp(x, 0, len(chroma[0]) - 1)]

    out = [[0] * cols for _ in range(rows)]
    for y in range(rows):
        for x in range(cols):
            n, side = y >> 1, (y >> 1) + (1 if y & 1 else -1)
            if both:
                m, next_to = x >> 1, (x >> 1) + (1 if x & 1 else -1)
                out[y][x] = (9 * at(n, m) + 3 * (at(n, next_to) + at(side, m)) + at(side, next_to) + 8) >> 4
            else:
                out[y][x] = (3 * at(n, x) + at(side, x) + 2) >> 2
    return out


def rgb(y, co, cg):
    t = y - (cg >> 1)
    b = t - (co >> 1)
    return [clamp(v, 0, 255) for v in (b + co, cg + t, b)]
