# SPDX-License-Identifier: BSD-3-Clause
"""Section 6.2 of docs/bitstream.md: pieces of tiles to levels."""
import os
import re

from document import Reader, class_of, wrap

SIDE, BANDS, STRIP = 16, 4, 2
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "tile_tables.inc")


def read_tables():
    """The 16 sizes of each table, which sum to 4096."""
    with open(TABLES, encoding="ascii") as file:
        text = "".join(re.findall(r'"([^"]*)"', file.read()))
    sizes = [DIGITS.index(text[i]) << 6 | DIGITS.index(text[i + 1]) for i in range(0, len(text), 2)]
    return [sizes[i:i + 16] for i in range(0, len(sizes), 16)]


SIZES = read_tables()
# First tables of each kind.
BAND, MASK, QUAD, LARGE, NUMBER = 0, 24, 24 + 3 * 35, 24 + 3 * 35 + 60 * 9, 24 + 3 * 35 + 60 * 9 + 4 * 60
RAW_BITS = [0] * 8 + [1, 2, 3, 4, 6, 8, 10, 15]


class Piece:
    """A reader of symbols."""

    def __init__(self, data):
        assert len(data) % 2 == 0
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
        for s, size in enumerate(SIZES[table]):
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
        if left:
            self.sums.update({(y, -1): left.sums.get((y, 7), 0) for y in range(8)})
        self.nodes = []  # places of nodes that are not 0, by scale: 8x8, 4x4, 2x2
        for scale in (8, 4, 2):
            per = scale // 2
            self.nodes.append({(y // per, x // per) for (y, x), s in self.sums.items() if s})

    def digits(self, places):
        return sum(min(abs(self.levels.get(p, 0)), 2) for p in places)

    def sum(self, y, x):
        return self.sums.get((y, x), 0)

    def right(self, y, x):
        return self.digits([(2 * y, 2 * x + 1), (2 * y + 1, 2 * x + 1)]) if x >= 0 else self.sum(y, x) >> 1

    def lower(self, y, x):
        return self.digits([(2 * y + 1, 2 * x), (2 * y + 1, 2 * x + 1)]) if y >= 0 else self.sum(y, x) >> 1


def children(y, x):
    return [(2 * y, 2 * x), (2 * y, 2 * x + 1), (2 * y + 1, 2 * x), (2 * y + 1, 2 * x + 1)]


def twice(values):
    """Of two siblings, or of one taken twice."""
    return sum(values) * (3 - len(values))


def decode_masks(piece, part, siblings):
    nodes = {(0, 0)}
    for depth in range(3):
        side = 1 << depth
        found = part.nodes[depth]
        for y, x in sorted(n for n in nodes if min(n) >= 0):
            before = [(2 * y - 1, 2 * x), (2 * y - 1, 2 * x + 1), (2 * y, 2 * x - 1), (2 * y + 1, 2 * x - 1)]
            adjacent = sum(n in found for n in before) + ((y, x + 1) in nodes) + ((y + 1, x) in nodes)
            n = twice([sum(c in s.nodes[depth] for c in children(y, x)) for s in siblings]) if siblings else 0
            sibling = 1 + class_of((1, 3, 6), n) if siblings else 0
            mask = piece.symbol(MASK + depth * 35 + adjacent * 5 + sibling)
            found.update(c for i, c in enumerate(children(y, x)) if mask >> i & 1)
        nodes = found
    return sorted(n for n in nodes if min(n) >= 0)


def decode_part(piece, part, siblings):
    quads = decode_masks(piece, part, siblings)
    levels, classes = [], {}
    for y, x in quads:
        left, above = part.right(y, x - 1), part.lower(y - 1, x)
        t = 2 * (part.sum(y, x - 1) + part.sum(y - 1, x) + left + above)
        t += part.sum(y, x - 2) + part.sum(y - 1, x - 1) + part.sum(y - 1, x + 1)
        sum_class = class_of((1, 3, 5, 8, 11, 15, 20, 27, 35, 45, 57), t)
        sibling = 1 + class_of((1, 4, 8), twice([s.sum(y, x) for s in siblings])) if siblings else 0
        context = sum_class * 5 + sibling
        found = part.nodes[2]
        ahead = 2 * ((y, x + 1) in found) + 2 * ((y + 1, x) in found)
        ahead = class_of((1, 4), ahead + ((y + 1, x - 1) in found) + ((y + 1, x + 1) in found))
        lean = 1 if left > above else 2 if left < above else 0
        mask = piece.symbol(QUAD + (context * 3 + ahead) * 3 + lean)
        places = [p for i, p in enumerate(children(y, x)) if mask >> i & 1]
        large = piece.symbol(LARGE + (len(places) - 1) * 60 + context)
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
    recent = 4
    numbers = {}
    for p, number_class in classes.items():
        s = piece.symbol(NUMBER + class_of((2, 5, 9, 16, 32, 80, 240), recent) * 16 + number_class)
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
                (s.layer, s.rows, s.cols) == (first.layer, first.rows, first.cols))

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
        y, x = y + SIDE * row, x + SIDE * col
        if y < s.rows and x < s.cols:
            levels[s.offset + y * s.cols + x] = wrap(level)


def decode_piece(data, tiles, levels):
    """tiles: (set, strip, row, column) of the piece."""
    if not data:
        return
    piece = Piece(data)
    known = {}  # parts of tiles of this piece
    for where, strip, row, col in tiles:
        above = known.get((id(where), row - 1, col), []) if row > strip else []
        left = known.get((id(where), row, col - 1), [])
        there = sum(1 for tile in (above, left) for part in tile if part.levels)
        mask = piece.symbol(BAND + (len(where.bands) - 1) * 6 + min(there, 5))
        parts = []
        for b, s in enumerate(where.bands):
            if mask >> b & 1:
                part = Part(above[b] if above else None, left[b] if left else None)
                decode_part(piece, part, parts[-2:])
                put_levels(part, s, row, col, levels[where.plane])
            else:
                part = Part()
            parts.append(part)
        known[id(where), row, col] = parts
    piece.check_end()


def decode_tiles(data, bands, levels):
    """bands: (plane, subband) of the component. Returns whether its lowpass subbands hold errors of prediction."""
    reader = Reader(data)
    head = reader.varint()
    tiles = [(s, *tile) for s in make_sets(bands) for tile in s.tiles()]
    sizes = [(reader.varint(), reader.varint()) for _ in range(head // 2)]
    sizes.append((len(tiles) - sum(t for t, _ in sizes), len(data) - reader.at - sum(b for _, b in sizes)))
    assert min(t for t, _ in sizes) > 0 and sizes[-1][1] >= 0
    first, at = 0, reader.at
    for count, size in sizes:
        decode_piece(data[at:at + size], tiles[first:first + count], levels)
        first, at = first + count, at + size
    return head % 2 == 1
