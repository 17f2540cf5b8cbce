# SPDX-License-Identifier: BSD-3-Clause
"""Section 7 of docs/bitstream.md: a side payload to the cells of the grid, or to slopes."""
import os
import re

from document import class_of, column, numbers, table, wrap

FAST, SLOW, KNOWN, LEAST = (value[0] for value in column("adaptation"))
THRESHOLDS = column("vector contexts", 2)
SLOPES = [numbers(cell)[0] for cell in table("slopes")[0][1:]]
ROOT = 3
PRIORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "motion_priors.inc")


def read_priors():
    """The prior of each context, by name and indexes, which begin at the given numbers."""
    with open(PRIORS) as file:
        text = re.sub("//.*", "", file.read())
    numbers = iter([int(number) for number in text.split(",") if number.strip()])
    priors = {}
    for name, first, sizes in (("split", (1, 0), (3, 3)), ("skip", (0, 0), (4, 3)), ("differs", (0, 0, 0), (2, 4, 3)),
                               ("candidate", (0, 0), (2, 3)), ("whole", (0,), (3,)), ("nonzero", (0, 0, 0), (2, 2, 8)),
                               ("longer", (0, 0, 0, 0), (2, 2, 8, 15)), ("second", (0, 0, 1), (2, 2, 15)),
                               ("filtered", (0,), (3,))):
        places = [()]
        for start, size in zip(first, sizes):
            places = [place + (start + i,) for place in places for i in range(size)]
        for place in places:
            priors[(name, *place)] = next(numbers)
    assert next(numbers, None) is None
    return priors


class Context:
    priors = read_priors()

    def __init__(self, name):
        self.fast = self.slow = self.priors.get(name, 32768)
        self.seen = KNOWN if name in self.priors else 0

    def probability(self):
        return max(LEAST, min(65536 - LEAST, (self.fast + self.slow) >> 1))

    def adapt(self, bit):
        digits = (min(self.seen, 63) + 1).bit_length()
        fast, slow = min(FAST, digits), min(SLOW, digits)
        self.seen += 1
        if bit:
            self.fast -= self.fast >> fast
            self.slow -= self.slow >> slow
        else:
            self.fast += (65535 - self.fast) >> fast
            self.slow += (65535 - self.slow) >> slow


class RangeDecoder:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.range = (1 << 32) - 1
        self.code = 0
        for _ in range(4):
            self.code = 256 * self.code + self.next_byte()
        assert self.code < self.range
        self.contexts = {}

    def next_byte(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def even(self, p=32768):
        part = (self.range * p) >> 16
        bit = int(self.code >= part)
        if bit:
            self.code -= part
            self.range -= part
        else:
            self.range = part
        while self.range < 1 << 24:
            self.range *= 256
            self.code = 256 * self.code + self.next_byte()
        return bit

    def bit(self, *context):
        """context: the name of the bit, and what its context depends on."""
        if context not in self.contexts:
            self.contexts[context] = Context(context)
        context = self.contexts[context]
        bit = self.even(context.probability())
        context.adapt(bit)
        return bit

    def check_end(self):
        assert self.at >= len(self.data) and (not self.data or self.data[-1])


class Cell:
    def __init__(self, level=0, inside=True):
        self.level, self.inside = level, inside
        self.vector = self.magnitudes = (0, 0)
        self.skip = self.merge = 0


OUTSIDE = Cell(inside=False)


def neighbours(cells, row, col):
    return cells.get((row, col - 1), OUTSIDE), cells.get((row - 1, col), OUTSIDE)


divisions = set()  # which answers streams have had so far


def decode_slices(reader, height, width):
    """The first row and column of each slice, and those behind its last, in roots."""
    areas = [(0, 0, height, width)]
    slices = []
    while areas:
        top, left, bottom, right = area = areas.pop(0)
        rows, cols = bottom - top, right - left
        may_be_divided = height * width > 100 and rows * cols > 1 and len(slices) + len(areas) <= 62
        divided = may_be_divided and reader.field("u1")
        if may_be_divided:
            divisions.add(divided)
        if not divided:
            slices.append(area)
        elif cols > rows:
            middle = left + (cols + 1) // 2
            areas += [(top, left, bottom, middle), (top, middle, bottom, right)]
        else:
            middle = top + (rows + 1) // 2
            areas += [(top, left, middle, right), (middle, left, bottom, right)]
    while reader.bit:
        assert reader.field("u1") == 0
    return slices


def decode(h, rows, cols, reader):
    """reader: at the motion in the side payload. Returns the cells of a grid, by row and column, and the roots that
    are filtered, likewise."""
    payload = reader.data
    height, width = (-(-n >> ROOT) for n in (rows, cols))
    slices = decode_slices(reader, height, width)
    sizes = [reader.varint() for _ in slices[1:]]
    sizes.append(len(payload) - reader.at - sum(sizes))
    assert sizes[-1] >= 0
    places = [((top << ROOT, min(bottom << ROOT, rows)), (left << ROOT, min(right << ROOT, cols)))
              for top, left, bottom, right in slices]
    cells = {}
    filtered = set()
    for i, (size, ((top, bottom), (left, right))) in enumerate(zip(sizes, places)):
        data = payload[reader.at:reader.at + size]
        reader.at += size
        part = Slice(h, bottom - top, right - left, data)
        for (row, col), cell in part.decode_cells().items():
            cells[top + row, left + col] = cell
        if i == 0 and h["loop filter"]:
            filtered = part.filtered_roots(height, width)
        part.coder.check_end()
    return cells, filtered


def is_whole(cell):
    return all(c % 8 == 0 for c in cell.vector)


class Slice:
    """A rectangle of roots of one predicted frame."""

    def __init__(self, h, rows, cols, data):
        self.coder = RangeDecoder(data)
        self.unit = 1 << (3 - h["vector precision"])
        self.has_skips = h["prediction"] == 1
        self.still_skips = self.has_skips and not h["lossless"]
        self.rows, self.cols = rows, cols
        self.leaves = []  # in their order, with their first cells
        self.trees = {}   # the leaves by cell
        self.cells = {}   # the same, those whose vectors are known

    def filtered_roots(self, height, width):
        found = set()
        for place in ((row, col) for row in range(height) for col in range(width)):
            around = ((place[0] - 1, place[1]), (place[0], place[1] - 1))
            if self.coder.bit("filtered", sum(p in found for p in around)):
                found.add(place)
        return found

    def decode_cells(self):
        for row in range(0, self.rows, 1 << ROOT):
            for col in range(0, self.cols, 1 << ROOT):
                self.node(row, col, ROOT)
        for row, col, leaf in self.leaves:
            self.vector(row, col, leaf)
            self.fill(self.cells, row, col, leaf)
        return self.cells

    def fill(self, cells, row, col, leaf):
        for r in range(row, min(row + (1 << leaf.level), self.rows)):
            for c in range(col, min(col + (1 << leaf.level), self.cols)):
                cells[r, c] = leaf

    def node(self, row, col, level):
        if row >= self.rows or col >= self.cols:
            return
        left, above = neighbours(self.trees, row, col)
        smaller = sum(c.inside and c.level < level for c in (left, above))
        if level > 0 and self.coder.bit("split", level, smaller):
            half = 1 << (level - 1)
            for r, c in ((0, 0), (0, half), (half, 0), (half, half)):
                self.node(row + r, col + c, level - 1)
            return
        leaf = Cell(level)
        if self.has_skips:
            leaf.skip = self.coder.bit("skip", level, left.skip + above.skip)
        self.fill(self.trees, row, col, leaf)
        self.leaves.append((row, col, leaf))

    def vector(self, row, col, leaf):
        left, above = neighbours(self.cells, row, col)
        right = (row - 1, col + (1 << leaf.level))
        third = self.cells[right] if right in self.cells else self.cells.get((row - 1, col - 1), OUTSIDE)
        vectors = [left.vector, above.vector, third.vector]
        if self.still_skips and leaf.skip:
            leaf.merge = 1
            return
        leaf.merge = 1 - self.coder.bit("differs", leaf.skip, leaf.level, left.merge + above.merge)
        if leaf.merge:
            candidates = list(dict.fromkeys(vectors + [(0, 0)]))
            i = 0
            while i < len(candidates) - 1 and self.coder.bit("candidate", leaf.skip, i):
                i += 1
            leaf.vector = candidates[i]
        else:
            predictor = left.vector if row == 0 else [sorted(v)[1] for v in zip(*vectors)]
            whole = self.unit < 8 and self.coder.bit("whole", is_whole(left) + is_whole(above))
            unit = 8 if whole else self.unit
            if whole:
                predictor = [(p + 4) & -8 for p in predictor]
            y, x = (a + b for a, b in zip(left.magnitudes, above.magnitudes))
            scale = unit // self.unit
            dy = self.difference(whole, 0, 2 * y + x)
            dx = self.difference(whole, 1, 2 * x + y + 3 * abs(dy) * scale)
            leaf.magnitudes = (abs(dy) * scale, abs(dx) * scale)
            leaf.vector = tuple(wrap(p + d * unit) for p, d in zip(predictor, (dy, dx)))

    def difference(self, whole, coordinate, context):
        k = class_of(THRESHOLDS[coordinate], context)
        if not self.coder.bit("nonzero", whole, coordinate, k):
            return 0
        count = 0
        while count < 15 and self.coder.bit("longer", whole, coordinate, k, count):
            count += 1
        size = 1
        for i in range(count):
            size = 2 * size + (self.coder.even() if i else self.coder.bit("second", whole, coordinate, count))
        return -size if self.coder.even() else size


# ---- 7.5 Slopes ----


def decode_slopes(rows, cols, scales, directed, data):
    """rows, cols: padded luma. For each scale, finest first: slopes by block, or None; and n of HL and LH."""
    coder = RangeDecoder(data)
    used = [coder.bit("used", j) for j in range(min(3, scales))]
    directions = [(2 if coder.bit("four") else 1) if coder.bit("directed") else 0 for _ in range(2 * directed)]
    slopes = [slope_map(coder, -(-(rows >> j) // 16), -(-(cols >> j) // 16)) if bit else None
              for j, bit in enumerate(used)]
    coder.check_end()
    return slopes + [None] * (scales - len(slopes)), directions or [0, 0]


def slope_map(coder, rows, cols):
    slopes = {}
    for y in range(rows):
        for x in range(cols):
            left, above = slopes.get((y, x - 1), 0), slopes.get((y - 1, x), 0)
            choices = list(dict.fromkeys([left, above, *range(len(SLOPES))]))
            passed = 0
            while passed < len(SLOPES) - 1 and coder.bit("later", left == above, (left, above).count(0), passed):
                passed += 1
            slopes[y, x] = choices[passed]
    return {block: SLOPES[number] for block, number in slopes.items()}
