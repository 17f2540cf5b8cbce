# SPDX-License-Identifier: BSD-3-Clause
"""Section 11 of docs/bitstream.md: what a predicted frame takes from its reference."""
from document import clamp, column, wrap
from motion import ROOT

WEIGHTS = [[(tap, weight) for tap, weight in enumerate(weights, -3) if weight]
           for weights in column("interpolation weights")]
WINDOWS = {len(w): w for w in column("windows")}


def half(v, n):
    """The integer nearest to v / 2^n, of two the even one."""
    whole, rest = v >> n, v % (1 << n)
    return whole + (2 * rest + whole % 2 > 1 << n)


class Prediction:
    """cells: by row and column. filtered: roots. reference: (planes of samples, planes of levels). lows: the least
    sample of each plane."""

    def __init__(self, h, rows, cols, cells, filtered, reference, lows):
        self.h, self.rows, self.cols, self.cells, self.filtered = h, rows, cols, cells, filtered
        self.reference, self.lows = reference, lows
        self.shift = 2 * h["depth"]
        self.high = (256 << self.shift) - 1
        self.log2_cell = 3 if h["prediction"] else h["block size"]

    def place(self, y, shift, count):
        return min((y << shift) >> self.log2_cell, count - 1)

    def cell(self, y, x, a, b):
        """The cell of a sample or level with these shifts."""
        return self.cells[self.place(y, a, self.rows), self.place(x, b, self.cols)]

    def is_skipped(self, y, x, a, b):
        return self.cell(y, x, a, b).skip

    def is_filtered(self, y, x, a, b):
        root = self.place(y, a, self.rows) >> ROOT, self.place(x, b, self.cols) >> ROOT
        return root in self.filtered and not self.is_skipped(y, x, a, b)

    def is_quad_skipped(self, y, x, a, b):
        """Section 6.2."""
        if max(a, b) > 5:
            return False
        rows = range(y << a >> 3, (((y + 2) << a) - 1 >> 3) + 1)
        cols = range(x << b >> 3, (((x + 2) << b) - 1 >> 3) + 1)
        return all(r >= self.rows or c >= self.cols or self.cells[r, c].skip for r in rows for c in cols)

    def moved_levels(self, plane, layout, differences):
        out = list(differences)
        for s in layout.subbands:
            a, b = s.row_shift + layout.row_shift, s.col_shift + layout.col_shift
            for i in range(s.rows):
                for j in range(s.cols):
                    v = self.cell(i, j, a, b).vector
                    y = clamp(i + ((v[0] + (1 << (a + 2))) >> (a + 3)), 0, s.rows - 1)
                    x = clamp(j + ((v[1] + (1 << (b + 2))) >> (b + 3)), 0, s.cols - 1)
                    at = s.offset + i * s.cols + j
                    out[at] = wrap(out[at] + self.reference[1][plane][s.offset + y * s.cols + x])
        return out

    def overlapping(self, y, shift, count):
        """(cell, weight) of a sample along one axis."""
        size = 8 >> shift
        if size <= 1:
            return [(self.place(y, shift, count), 32)]
        q, i = divmod(y + size // 2, size)
        w = WINDOWS[size][i]
        return [(clamp(q - 1, 0, count - 1), 32 - w), (clamp(q, 0, count - 1), w)]

    def moved(self, plane, y, x, v, a, b):
        """The prediction of a sample by one vector."""
        samples = self.reference[0][plane]
        row, col = 8 * y + half(v[0], a), 8 * x + half(v[1], b)
        cols = [(clamp((col >> 3) + j, 0, len(samples[0]) - 1), w) for j, w in WEIGHTS[col % 8]]
        total = 2048 >> self.shift
        for i, w in WEIGHTS[row % 8]:
            line = samples[clamp((row >> 3) + i, 0, len(samples) - 1)]
            total += w * (sum(weight * line[c] for c, weight in cols) >> self.shift)
        p = total >> 12 - self.shift
        return clamp(p, self.lows[plane], self.high) if self.shift else p

    def sample(self, plane, y, x, a, b):
        return clamp(self.unlimited(plane, y, x, a, b), self.lows[plane], self.high)

    def unlimited(self, plane, y, x, a, b):
        own = self.cell(y, x, a, b)
        if not self.h["overlap"] or own.skip:
            return self.moved(plane, y, x, own.vector, a, b)
        weights = {}  # by vector, since equal vectors predict the same
        for r, wy in self.overlapping(y, a, self.rows):
            for c, wx in self.overlapping(x, b, self.cols):
                v = self.cells[r, c].vector
                weights[v] = weights.get(v, 0) + wy * wx
        return (sum(w * self.moved(plane, y, x, v, a, b) for v, w in weights.items()) + 512) >> 10
