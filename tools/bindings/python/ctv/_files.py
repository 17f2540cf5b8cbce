# SPDX-License-Identifier: BSD-3-Clause
"""Files: a stream as a sequence of pictures, and a sequence of pictures as a stream."""
import bisect
import contextlib
import fractions
import functools
import itertools
import operator
import os
import types
from collections.abc import Sequence

from . import _ctv
from ._errors import ArgumentError, DamagedError, Error, ReferenceMissingError, StateError, UnsupportedError
from ._output import output

PREFIX, TRAILER = 8, 8  # bytes: of a unit that tell its size; of a file's end that tell the index's size


class Info(types.SimpleNamespace):
    """What a stream says of itself: the sequence header's fields, and those of the file."""


def rate_of(fps):
    """A rate as a fraction. As in ctenc --fps, a decimal such as 23.976 or 29.97 means 24000/1001 or 30000/1001."""
    rate = fractions.Fraction(fps)
    decimal = isinstance(fps, float) or (isinstance(fps, str) and "/" not in fps)
    nominal = round(rate)
    if decimal and nominal >= 1 and abs(fractions.Fraction(nominal * 1000, 1001) - rate) < nominal * 0.005 / 30:
        return fractions.Fraction(nominal * 1000, 1001)
    if isinstance(fps, float):
        return rate.limit_denominator(1001) or rate.limit_denominator(10**6)
    return rate


class Encoder(_ctv.Encoder):
    """Pictures in, packets out. See docs/python.md and the stubs for all keywords."""

    def __init__(self, *, fps=None, **config):
        if fps is not None:
            rate = rate_of(fps)
            config = {"fps_num": rate.numerator, "fps_den": rate.denominator, **config}
        super().__init__(**config)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


Encoder.__doc__ = (Encoder.__doc__ or "") + """

    Keywords and what they are in preset "default"; width, height and format are needed, fps is a number or a fraction:
    """ + ", ".join(f"{name}={value!r}" for name, value in _ctv.preset_config("default").items())


class Decoder(_ctv.Decoder):
    """Units in (header, packets), pictures out.

    Keywords: format, of the pictures (i420, i422, i444, gray, rgb, rgba, nv12; without it the stream's); reduction, for
    1 / 2^reduction of the resolution; memory, "host" or "cuda"; backend, "auto", "cpu" or "cuda"; device; engine; threads;
    frames_in_flight; conceal, 1 for pictures in spite of damage; max_pixels, max_memory, max_packet_size."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Reader(Sequence):
    """The pictures of a file. `reader[i]` decodes from the last key frame at or before i, or goes on from the frame
    before; iteration decodes one after the other. If the file is cut or damaged between units, the pictures before
    are there, and iteration then raises DamagedError. Threads need a reader each."""

    def __init__(self, path, **config):
        self._path, self._config = path, config
        self._decoder, self._next = None, -1
        self._own = not hasattr(path, "read")  # else an open file, such as io.BytesIO, which stays open
        self._file = open(path, "rb") if self._own else path
        self._closed = False
        try:
            self._size = self._file.seek(0, os.SEEK_END)
            kind, self._header = self._unit(0)
            if kind != "header":
                raise DamagedError("unit at byte 0: no sequence header")
            fields = _ctv.stream_info(self._header)
            self._entries, self._damage = self._by_index(), None
            indexed = self._entries is not None
            if not indexed:
                self._entries, self._damage = self._by_scan()
            self._keys = [i for i, (_, key) in enumerate(self._entries) if key]
            Decoder(**config).close()  # keywords are checked here
        except BaseException:
            self.close()
            raise
        self.info = Info(**fields, fps=fractions.Fraction(fields["fps_num"], fields["fps_den"]),
                         frames=len(self._entries), key_frames=tuple(self._keys), indexed=indexed,
                         complete=self._damage is None, bytes=self._size)

    def _unit(self, offset):
        """(kind, bytes) of the unit at a byte offset."""
        prefix = self._bytes(offset, PREFIX)
        kind, size = _ctv.unit_info(prefix)
        return kind, self._bytes(offset, size)

    def _bytes(self, offset, size):
        if self._closed:
            raise StateError("the reader is closed")
        if offset + size > self._size:
            raise DamagedError(f"unit at byte {offset}: the file ends at byte {self._size}")
        if self._own:
            data = os.pread(self._file.fileno(), size, offset)
        else:
            self._file.seek(offset)
            data = self._file.read(size)
        if len(data) != size:
            raise DamagedError(f"unit at byte {offset}: the file has become shorter")
        return data

    def _by_index(self):
        """[(offset, key frame)] from the index, or None. An index is a hint: it must lead up to itself."""
        try:
            begin = self._size - _ctv.index_size(self._bytes(self._size - TRAILER, TRAILER))
            entries = [(offset, key) for offset, _, key in _ctv.index_info(self._unit(begin)[1])]
            kind, size = _ctv.unit_info(self._bytes(entries[-1][0], PREFIX))
        except (Error, IndexError, ValueError, OSError):
            return None
        offsets = [offset for offset, _ in entries]
        rising = all(a < b for a, b in zip(offsets, offsets[1:]))
        return entries if rising and kind == "packet" and offsets[-1] + size == begin else None

    def _by_scan(self):
        """[(offset, key frame)] of all packets before any damage between units, and that damage."""
        entries, offset = [], 0
        while offset < self._size:
            try:
                kind, data = self._unit(offset)
            except DamagedError as e:
                return entries, e
            if kind == "header" and data != self._header:
                raise UnsupportedError(f"unit at byte {offset}: another sequence header")
            if kind == "packet":
                try:
                    key = bool(_ctv.packet_info(self._header, data)["key_frame"])
                except DamagedError:
                    key = False  # decoding it says what is wrong
                entries.append((offset, key))
            offset += len(data)
        return entries, None

    def __len__(self):
        return len(self._entries)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if self._closed:
            raise StateError("the reader is closed")
        number = operator.index(i)
        i = number + len(self) if number < 0 else number
        if not 0 <= i < len(self):
            raise IndexError(f"frame {number} of {len(self)}")
        if self._decoder is None:
            self._decoder = Decoder(**{**self._config, "frames_in_flight": 1})
        start, pictures = self._key_before(i), None
        while pictures is None:
            if not start <= self._next <= i:
                self._decoder.reset()
                self._decoder.decode(self._header)
                self._next = start
            try:
                while self._next <= i:
                    pictures = self._decoder.decode(self._packet(self._next))
                    self._next += 1
            except BaseException as error:
                failed, self._next, pictures = self._next, -1, None
                if not isinstance(error, ReferenceMissingError):
                    raise
                earlier = self._key_before(self._reference_of(failed))
                if earlier >= start:  # else: after a loss it may refer to a frame before the last key frame
                    raise
                start = earlier
        if not pictures:
            raise DamagedError(f"frame {i}: the packet repeats the one before")
        return pictures[0]

    def _key_before(self, i):
        before = bisect.bisect_right(self._keys, i)
        return self._keys[before - 1] if before else 0

    def _reference_of(self, i):
        info = _ctv.packet_info(self._header, self._packet(i))
        return i - (info["frame_number"] - info["reference_frame"])

    def _packet(self, i):
        kind, data = self._unit(self._entries[i][0])
        if kind != "packet":
            raise DamagedError(f"frame {i}: no packet at byte {self._entries[i][0]}")
        return data

    def __iter__(self):
        with Decoder(**self._config) as decoder:
            decoder.decode(self._header)
            for i in range(len(self)):
                yield from decoder.decode(self._packet(i))
            yield from decoder.flush()
        if self._damage is not None:
            raise self._damage

    def packets(self):
        """Iterates over the units for a Decoder: the header, then each packet, as bytes."""
        yield self._header
        for i in range(len(self)):
            yield self._packet(i)

    def __reduce__(self):  # for worker processes: a reader of the same file
        if not self._own:
            raise TypeError("a reader of an open file cannot be pickled; read it by its name")
        return functools.partial(Reader, self._path, **self._config), ()

    def close(self):
        """Closes the decoder and the file, unless it was given open."""
        self._closed = True
        if self._own:
            self._file.close()
        if self._decoder is not None:
            self._decoder.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def read(path, **config):
    """Opens a stream as a sequence of pictures: the name of a file, or a binary file that can seek, such as
    io.BytesIO. Keywords are those of Decoder."""
    return Reader(path, **config)


def info(path):
    """Returns what a stream file says of itself (Info)."""
    with Reader(path) as reader:
        return reader.info


def shape_of(picture):
    """(format, width, height) of a picture: an array, planes, or a Picture."""
    if hasattr(picture, "planes"):
        return picture.format, picture.width, picture.height
    planes = picture if isinstance(picture, (tuple, list)) else (picture,)
    shapes = [getattr(p, "shape", ()) for p in planes]
    if not shapes or len(shapes[0]) < 2:
        raise TypeError("picture: an array (height, width) or (height, width, 3 or 4), or a tuple of planes expected")
    height, width = shapes[0][:2]
    if len(shapes) == 2:
        return "nv12", width, height
    if len(shapes) == 3:
        chroma = tuple(shapes[1][:2])
        names = {(height, width): "i444", (height, (width + 1) // 2): "i422"}
        return names.get(chroma, "i420"), width, height
    formats = {2: "gray", 3: {1: "gray", 3: "rgb", 4: "rgba"}.get(shapes[0][-1])}
    if len(shapes) > 1 or formats.get(len(shapes[0])) is None:
        raise ArgumentError(f"picture: no format has planes of shape {shapes}")
    return formats[len(shapes[0])], width, height


def write(path, frames, *, fps=25, **config):
    """Encodes pictures to a file with an index and returns their number. The first picture tells width, height and
    format unless keywords do. Keywords are those of Encoder. The file appears under its name once it is complete. `path`
    may be an open binary file, too."""
    shape = getattr(frames, "shape", None)
    if shape is not None and (len(shape) < 3 or (len(shape) == 3 and shape[-1] in (1, 3, 4))):
        raise ArgumentError(f"frames: an array of shape {tuple(shape)} is one picture; give a list of pictures")
    frames = iter(frames)
    missing = object()  # None among the frames is a mistake, not their end
    first = next(frames, missing)
    if first is missing:
        raise ArgumentError("frames: there are none")
    config = {**dict(zip(("format", "width", "height"), shape_of(first))), **config}
    if hasattr(path, "write"):
        return encode_to(path, itertools.chain([first], frames), fps, config)
    with output(os.fsdecode(path)) as file:
        return encode_to(file, itertools.chain([first], frames), fps, config)


def encode_to(file, frames, fps, config):
    count = 0
    with Encoder(fps=fps, **config) as encoder:
        file.write(encoder.header)
        for picture in frames:
            file.writelines(packet.data for packet in encoder.encode(picture))
            count += 1
        file.writelines(packet.data for packet in encoder.flush())
        file.write(encoder.index())
    return count
