# SPDX-License-Identifier: BSD-3-Clause
"""Section 6.2 of docs/bitstream.md: pieces of tiles to levels."""
import os
import re

from document import Reader, class_of, wrap

SIDE, BANDS, STRIP, MOST_OF_PIECE = 16, 4, 2, 1024
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")


def read_tables(name):
    """The 16 sizes of each table, which sum to 4096."""
    with open(os.path.join(DATA, name), encoding="ascii") as file:
        text = "".join(re.findall(r'"([^"]*)"', file.read()))
    sizes = [DIGITS.index(text[i]) << 6 | DIGITS.index(text[i + 1]) for i in range(0, len(text), 2)]
    return [sizes[i:i + 16] for i in range(0, len(sizes), 16)]


SIZES = read_tables("tile_tables.inc")
# First tables of each kind.
MODEL, BAND, EIGHTH = 0, 1, 1 + 4 * 54
MASK = EIGHTH + 3 * 81
QUAD = MASK + 2 * (81 + 2 * 256)
LARGE = QUAD + 81 * 8 * 2
NUMBER = LARGE + 4 * 60  # of the first model
TABLES_OF_MODEL = 4 * 60 + 8 * 16
RAW_BITS = [0] * 8 + [1, 2, 3, 4, 6, 8, 10, 15]


class Piece:
    """A reader of symbols."""

    def __init__(self, data, sizes):
        assert len(data) % 2 == 0
        self.sizes = sizes
        self.words = [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]
        self.x = self.words.pop(0)
        if self.words:
            self.x += self.words.pop(0) << 16

    def refill(self):
        if self.x < 65536 and self.words:
            self.x = self.x << 16 | self.words.pop(0)

    def symbol(self, table):
        slot = self.x % 4096
        begin = 0
        for s, size in enumerate(self.sizes[table]):
            if begin <= slot < begin + size:
                self.x = size * (self.x >> 12) + slot - begin
                self.refill()
                return s
            begin += size
        raise ValueError("no symbol")

    def raw(self, bits):
        value = self.x % (1 << bits)
        self.x >>= bits
        self.refill()
        return value

    def start(self):
        model = self.symbol(MODEL)
        self.offset = model * TABLES_OF_MODEL
        self.recent = (1, 5, 16)[model]

    def check_end(self):
        assert self.x == 1 and not self.words


def bits(mask):
    return bin(mask).count("1")


class Part:
    """What one subband has of a tile. Places are (y, x); those of tiles above and to the left are negative."""

    def __init__(self, above=None, left=None):
        self.levels = {}
        self.sums = {}  # of quads; digits are min(|level|, 2)
        if above:
            self.sums.update({(-1, x): above.sums.get((7, x), 0) for x in range(8)})
            self.levels.update({(-1, x): above.levels.get((15, x), 0) for x in range(16)})
        if left:
            self.sums.update({(y, -1): left.sums.get((y, 7), 0) for y in range(8)})
            self.levels.update({(y, -1): left.levels.get((y, 15), 0) for y in range(16)})
        self.nodes = []  # places of nodes that are not 0, by scale: 8x8, 4x4, 2x2
        for scale in (8, 4, 2):
            per = scale // 2
            self.nodes.append({(y // per, x // per) for (y, x), s in self.sums.items() if s})

    def is_zero(self):
        return not any(level for (y, x), level in self.levels.items() if y >= 0 and x >= 0)

    def digits(self, places):
        return sum(min(abs(self.levels.get(p, 0)), 2) for p in places)

    def nonzero(self):
        return {p for p, level in self.levels.items() if level}

    def sum(self, y, x):
        return self.sums.get((y, x), 0)


def children(y, x):
    return [(2 * y, 2 * x), (2 * y, 2 * x + 1), (2 * y + 1, 2 * x), (2 * y + 1, 2 * x + 1)]


def both(siblings):
    """Two siblings, or one taken twice."""
    return siblings[-1:] + siblings[:1]


def count_hints(y, x, found, nodes, siblings):
    """Of each child of a node. found: children that are not 0; nodes; siblings: children of siblings."""
    right, below = (y, x + 1) in nodes, (y + 1, x) in nodes
    beside = [((y * 2 - 1, x * 2) in found) + ((y * 2, x * 2 - 1) in found),
              ((y * 2 - 1, x * 2 + 1) in found) + right, ((y * 2 + 1, x * 2 - 1) in found) + below, right + below]
    return [n + sum(child in s for s in siblings) for n, child in zip(beside, children(y, x))]


def number_of(digits, base):
    return sum(d * base ** i for i, d in enumerate(digits))


def block_table(depth, hints, skipped, siblings):
    pairs = list(zip(hints, skipped))
    if depth == 0:
        digits = [(h >= 1) + (h >= 3) if skip else 1 + (h >= 2) for h, skip in pairs]
        return EIGHTH + siblings * 81 + number_of(digits, 3)
    digits = [(h >= 2) + (h >= 2 + depth) if skip else min(h, 3) for h, skip in pairs]
    first = MASK + (depth - 1) * (81 + 2 * 256)
    if siblings == 0:
        return first + number_of([min(d, 2) for d in digits], 3)
    return first + 81 + (siblings - 1) * 256 + number_of(digits, 4)


def decode_masks(piece, part, siblings, skips):
    """skips: quads in skipped cells."""
    nodes = {(0, 0)}
    for depth in range(3):
        found = part.nodes[depth]
        known = [s.nodes[depth] for s in both(siblings)] or [set(), set()]
        per = 4 >> depth  # quads on a side of a child
        for y, x in sorted(n for n in nodes if min(n) >= 0):
            skipped = [all((r * per + i, c * per + j) in skips for i in range(per) for j in range(per))
                       for r, c in children(y, x)]
            hints = count_hints(y, x, found, nodes, known)
            mask = piece.symbol(block_table(depth, hints, skipped, len(siblings)))
            found.update(c for i, c in enumerate(children(y, x)) if mask >> i & 1)
        nodes = found
    return sorted(n for n in nodes if min(n) >= 0)


def decode_part(piece, part, siblings, skips):
    quads = decode_masks(piece, part, siblings, skips)
    levels, classes = [], {}
    pair = both(siblings)
    known = [s.nonzero() for s in pair] or [set(), set()]
    for y, x in quads:
        t = 2 * (part.sum(y, x - 1) + part.sum(y - 1, x))
        t += 2 * part.digits([(2 * y, 2 * x - 1), (2 * y + 1, 2 * x - 1), (2 * y - 1, 2 * x), (2 * y - 1, 2 * x + 1)])
        t += part.sum(y, x - 2) + part.sum(y - 1, x - 1) + part.sum(y - 1, x + 1)
        hints = count_hints(y, x, part.nonzero(), part.nodes[2], known)
        context = number_of([min(h, 2) for h in hints], 3) * 8 + class_of((1, 4, 8, 13, 20, 30, 45), t)
        mask = piece.symbol(QUAD + context * 2 + (1 if siblings else 0))
        places = [p for i, p in enumerate(children(y, x)) if mask >> i & 1]
        sum_class = class_of((1, 3, 5, 8, 11, 15, 20, 27, 35, 45, 57), t)
        sibling = 1 + class_of((1, 4, 8), sum(s.sum(y, x) for s in pair)) if siblings else 0
        large = piece.symbol(LARGE + piece.offset + (len(places) - 1) * 60 + sum_class * 5 + sibling)
        for i, p in enumerate(places):
            part.levels[p] = 1 + (large >> i & 1)
        part.sums[y, x] = len(places) + bits(large)
        levels += places
        number_class = 4 * class_of((5, 8, 10), sum_class) + class_of((4, 6, 8), part.sums[y, x])
        classes.update({p: number_class for p in places if part.levels[p] == 2})
    signs = []
    for i in range(0, len(levels), 16):
        count = min(16, len(levels) - i)
        group = piece.raw(count)
        signs += [group >> k & 1 for k in range(count)]
    recent = piece.recent
    numbers = {}
    for p, number_class in classes.items():
        s = piece.symbol(NUMBER + piece.offset + class_of((2, 5, 9, 16, 32, 80, 240), recent) * 16 + number_class)
        numbers[p] = s if s < 8 else s + sum((1 << b) - 1 for b in RAW_BITS[8:s]) + piece.raw(RAW_BITS[s])
        recent = (3 * recent + 4 * min(numbers[p], 255) + 2) >> 2
    for p, sign in zip(levels, signs):
        magnitude = part.levels[p] + numbers.get(p, 0)
        part.levels[p] = -magnitude if sign else magnitude


class Set:
    """Subbands whose tiles are coded together."""

    def __init__(self, plane, subband):
        self.plane = plane
        self.bands = [subband]

    def joins(self, plane, s):
        first = self.bands[0]
        return (plane == self.plane and len(self.bands) < BANDS and not first.lowpass and not s.lowpass and
                (s.layer, s.rows, s.cols, s.row_shift, s.col_shift) ==
                (first.layer, first.rows, first.cols, first.row_shift, first.col_shift))

    def tiles(self):
        """(strip, row, column) of each tile in order."""
        rows, cols = (-(-n // SIDE) for n in (self.bands[0].rows, self.bands[0].cols))
        return [(strip, row, col) for strip in range(0, rows, STRIP) for col in range(cols)
                for row in range(strip, min(strip + STRIP, rows))]


def make_sets(bands):
    sets = []
    for plane, s in bands:
        if sets and sets[-1].joins(plane, s):
            sets[-1].bands.append(s)
        else:
            sets.append(Set(plane, s))
    return sets


def put_levels(part, s, row, col, levels):
    for (y, x), level in part.levels.items():
        if y < 0 or x < 0:
            continue
        y, x = y + SIDE * row, x + SIDE * col
        if y < s.rows and x < s.cols:
            levels[s.offset + y * s.cols + x] = wrap(level)


def find_skips(is_skipped, where, row, col):
    """Quads of a tile whose cells are all skipped."""
    if is_skipped is None:
        return set()
    return {(y, x) for y in range(8) for x in range(8)
            if is_skipped(where.plane, where.bands[0], SIDE * row + 2 * y, SIDE * col + 2 * x)}


def decode_piece(data, tiles, levels, is_skipped):
    """tiles: (set, strip, row, column) of the piece."""
    if not data:
        return
    piece = Piece(data, SIZES)
    piece.start()
    known = {}  # parts of tiles of this piece
    for where, strip, row, col in tiles:
        above = known.get((id(where), row - 1, col)) if row > strip else None
        left = known.get((id(where), row, col - 1))
        there = sum(1 for tile in (above, left) if tile for part in tile if not part.is_zero())
        skips = find_skips(is_skipped, where, row, col)
        context = (min(there, 5) * 3 + class_of((16, 64), len(skips))) * 3 + (above is not None) + (left is not None)
        mask = piece.symbol(BAND + (len(where.bands) - 1) * 54 + context)
        parts = []
        for b, s in enumerate(where.bands):
            if mask >> b & 1:
                part = Part(above[b] if above else None, left[b] if left else None)
                decode_part(piece, part, parts[-2:], skips)
                put_levels(part, s, row, col, levels[where.plane])
            else:
                part = Part()
            parts.append(part)
        known[id(where), row, col] = parts
    piece.check_end()


def read_pieces(data, count, most):
    """The head of a component of `count` tiles or macroblocks. Returns its flag, and (first, count, bytes) of each
    piece."""
    reader = Reader(data)
    head = reader.varint()
    sizes, words = [], 200
    for _ in range(head // 2):
        own, change = reader.varint(), reader.varint()
        words += -(change + 1) // 2 if change % 2 else change // 2
        sizes.append((own, 2 * words))
    sizes.append((count - sum(n for n, _ in sizes), len(data) - reader.at - sum(b for _, b in sizes)))
    assert 0 < min(n for n, _ in sizes) and max(n for n, _ in sizes) <= most and min(b for _, b in sizes) >= 0
    pieces = []
    first, at = 0, reader.at
    for own, size in sizes:
        pieces.append((first, own, data[at:at + size]))
        first, at = first + own, at + size
    return head % 2, pieces


def decode_tiles(data, bands, levels, is_skipped):
    """bands: (plane, subband) of the component. is_skipped(plane, subband, y, x): whether the quad whose first level
    is (y, x) lies in skipped cells; None: no quad does. Returns whether lowpass subbands hold errors of prediction."""
    tiles = [(s, *tile) for s in make_sets(bands) for tile in s.tiles()]
    flag, pieces = read_pieces(data, len(tiles), MOST_OF_PIECE)
    for first, count, content in pieces:
        decode_piece(content, tiles[first:first + count], levels, is_skipped)
    return flag == 1
