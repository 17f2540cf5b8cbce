# SPDX-License-Identifier: BSD-3-Clause
"""Section 12 of docs/bitstream.md: regions of a predicted frame to the residual of its planes."""
from document import clamp, class_of, column, numbers, table
from tiles import Piece, read_pieces, read_tables

SIDE, STRIP, MOST_OF_PIECE = 16, 4, 8192
SIZES = read_tables("residual_tables.inc")
FIRST = {row[0]: numbers(row[1])[0] for row in table("residual tables")}
MASKS = column("masks")[0]
MATRICES = {n: column(f"DCT {n}") for n in (4, 8, 16)}
BLOCKS = {row[0]: i for i, row in enumerate(table("block types"))}
SIDES, FREQUENCIES, DENSITIES = column("block types"), column("block types", 2), column("block types", 3)
LUMA = {4: BLOCKS["luma 4x4"], 8: BLOCKS["luma 8x8"], 16: BLOCKS["luma 16x16"]}
CHROMA = BLOCKS["chroma 8x8"]
NONE, WHOLE, SPLIT = 0, 1, 2  # kinds of luma
IN_8x8, IN_4x4 = 1, 2  # kinds of a quarter


def quads(side):
    return sorted(((u, v) for u in range(side) for v in range(side)), key=lambda place: (sum(place), place[0]))


QUADS = {side: quads(side) for side in (2, 4, 8)}


class Coded:
    """What a macroblock tells its neighbours."""

    def __init__(self):
        self.kind = NONE
        self.density = {}  # of 4x4 areas of luma, by row and column
        self.chroma = [0, 0]


class Grid:
    """Macroblocks of a frame. skipped(row, col): whether a cell is."""

    def __init__(self, rows, cols, planes, shifts, skipped):
        self.planes, self.shifts, self.skipped = planes, shifts, skipped
        self.order = [(row, col) for strip in range(0, rows, STRIP) for col in range(cols)
                      for row in range(strip, min(strip + STRIP, rows))]

    def skipped_quarters(self, row, col):
        return {q for q in range(4) if self.skipped(2 * row + q // 2, 2 * col + q % 2)}


def decode_magnitude(piece, context, chroma):
    s = piece.symbol(FIRST["magnitude"] + context)
    if s < 15:
        return s + 1
    bits = piece.symbol(FIRST["escape"] + chroma)
    return min(15 + (1 << bits) + (piece.raw(bits) if bits else 0), 32767)


def decode_block(piece, kind, density):
    """Returns the levels by (u, v), and the density."""
    side, = SIDES[kind]
    order = QUADS[side]
    last = piece.symbol(FIRST["last"] + 7 * kind + density)
    if side == 8:
        last = 4 * last + piece.symbol(FIRST["last of four"] + min(last, 7))
    levels, counts = {}, {}  # counts of quads: levels that are not 0, large ones
    for n in range(last, -1, -1):
        u, v = order[n]
        frequency = class_of(FREQUENCIES[kind], u + v)
        near = [counts.get(place, (0, 0)) for place in ((u, v + 1), (u + 1, v))]
        place = 5 * kind + frequency
        if n == last:
            mask = piece.symbol(FIRST["last quad"] + place)
        else:
            mask = piece.symbol(FIRST["quad"] + 8 * place + min(sum(count for count, _ in near), 7))
        places = [i for i in range(4) if mask >> i & 1]
        around = min(sum(large for _, large in near), 3)
        magnitudes = {}
        large = 0
        for i in reversed(places):
            context = (((large > 0) * 4 + kind) * 3 + class_of((1, 3), frequency)) * 4 + around
            magnitudes[i] = decode_magnitude(piece, context, kind == CHROMA)
            large += magnitudes[i] > 1
        signs = piece.raw(len(places)) if places else 0
        for k, i in enumerate(places):
            levels[2 * u + i // 2, 2 * v + i % 2] = -magnitudes[i] if signs >> k & 1 else magnitudes[i]
        counts[u, v] = len(places), large
    return levels, 1 + class_of(DENSITIES[kind], last)


class Macroblock:
    def __init__(self, piece, grid, row, col, left, above):
        self.piece, self.row, self.col = piece, row, col
        self.skipped = grid.skipped_quarters(row, col)
        self.coded = Coded()
        self.blocks = []  # (plane, first row, first column, size, levels)
        if len(self.skipped) == 4:
            return
        context = (left.kind * 3 + above.kind) * 3 + class_of((1, 3), len(self.skipped))
        mode = piece.symbol(FIRST["mode"] + context)
        self.coded.kind = mode >> 2
        around = {(-1, c): above.density.get((3, c), 0) for c in range(4)}
        around.update({(r, -1): left.density.get((r, 3), 0) for r in range(4)})
        if self.coded.kind == WHOLE:
            self.luma(around, 0, 0, 16)
        elif self.coded.kind == SPLIT:
            self.quarters(around)
        for p in range(2 if grid.planes > 1 else 0):
            if mode >> p & 1:
                self.chroma(p, grid, left.chroma[p] + above.chroma[p])

    def luma(self, around, r, c, size):
        """r, c: of its first 4x4 area."""
        side = size // 4
        known = {**around, **self.coded.density}
        density = (max(known.get((r + i, c - 1), 0) for i in range(side)) +
                   max(known.get((r - 1, c + i), 0) for i in range(side)))
        levels, own = decode_block(self.piece, LUMA[size], density)
        self.coded.density.update({(r + i, c + j): own for i in range(side) for j in range(side)})
        self.blocks.append((0, SIDE * self.row + 4 * r, SIDE * self.col + 4 * c, size, levels))

    def quarters(self, around):
        context = 0
        for q in sorted({0, 1, 2, 3} - self.skipped):
            r, c = q // 2 * 2, q % 2 * 2
            kind = self.piece.symbol(FIRST["quarter"] + context)
            context = 1 + kind + (3 if kind == IN_4x4 or context > 3 else 0)
            if kind == IN_8x8:
                self.luma(around, r, c, 8)
            elif kind == IN_4x4:
                known = {**around, **self.coded.density}
                near = (known.get((r, c - 1), 0) > 0) + 2 * (known.get((r - 1, c), 0) > 0)
                mask = self.piece.symbol(FIRST["blocks"] + 4 * q + near)
                for b in range(4):
                    if mask >> b & 1:
                        self.luma(around, r + b // 2, c + b % 2, 4)

    def chroma(self, p, grid, density):
        a, b = grid.shifts
        rows, cols = 2 >> a, 2 >> b
        mask = self.piece.symbol(FIRST["chroma"] + p) if rows * cols > 1 else 1
        for i in range(rows * cols):
            if mask >> i & 1:
                levels, own = decode_block(self.piece, CHROMA, density)
                self.coded.chroma[p] = max(self.coded.chroma[p], own)
                self.blocks.append((p + 1, (SIDE * self.row >> a) + 8 * (i // cols),
                                    (SIDE * self.col >> b) + 8 * (i % cols), 8, levels))


def decode_region(data, grid, first, count):
    """The coded blocks of macroblocks that follow each other."""
    if not data:
        return []
    flag, pieces = read_pieces(data, count, MOST_OF_PIECE)
    assert flag == 0
    blocks = []
    for begin, size, content in pieces:
        if not content:
            continue
        piece = Piece(content, SIZES)
        known = {}
        for row, col in grid.order[first + begin:first + begin + size]:
            above = known.get((row - 1, col)) if row % STRIP else None
            own = Macroblock(piece, grid, row, col, known.get((row, col - 1)) or Coded(), above or Coded())
            known[row, col] = own.coded
            blocks += own.blocks
        piece.check_end()
    return blocks


def step_of(base_step, weight):
    return clamp((base_step * weight + 4096) >> 13, 2, 32767)


def chroma_base_step(base_step):
    return base_step if base_step <= 256 else 256 + ((base_step - 256) >> 1)


def masked_step(step, masking, samples):
    """samples: the 256 of the prediction, as 8 bits."""
    activity = ((256 * sum(s * s for s in samples) - sum(samples) ** 2) >> 16) + 1
    octave = activity.bit_length() - 1
    quarters = 4 * octave + (4 * activity >> octave) - 4
    mask = clamp((masking * (quarters - 32) + 8) >> 4, -16, 16)
    return clamp((step * MASKS[mask + 16] + 512) >> 10, 2, 32767)


def inverse(levels, step, size, shift):
    """levels by (u, v) to the residual, [row][column]."""
    m = MATRICES[size]
    lines = {}
    for (u, v), level in levels.items():
        value = min(abs(level) * step, 32767)
        line = lines.setdefault(v, [0] * size)
        for x in range(size):
            line[x] += m[u][x] * (-value if level < 0 else value)
    lines = {v: [clamp((s + 4096) >> 13, -32768, 32767) for s in line] for v, line in lines.items()}
    out = []
    for y in range(size):
        sums = [sum(m[v][y] * line[x] for v, line in lines.items()) for x in range(size)]
        out.append([clamp((s + (32768 >> shift)) >> (16 - shift), -32768, 32767) for s in sums])
    return out
