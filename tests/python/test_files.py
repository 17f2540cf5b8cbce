# SPDX-License-Identifier: BSD-3-Clause
"""Files: random access, information, writing, damage."""
import fractions
import pickle

import ctv
import numpy as np
import pytest
from conftest import FRAMES, HEIGHT, WIDTH, bytes_of


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("config", [{}, {"frames_in_flight": 3}, {"reduction": 1}, {"format": "rgb"}])
def test_random_access_gives_what_iteration_gives(stream, folder, indexed, config):
    path = stream
    if not indexed:
        with ctv.read(stream) as reader:
            path = folder / "plain.ctv"
            path.write_bytes(b"".join(reader.packets()))
    with ctv.read(path, **config) as reader:
        assert reader.info.indexed == indexed and reader.info.key_frames == (0, 5, 10)
        expected = [bytes_of(p) for p in reader]
        assert len(reader) == len(expected) == FRAMES
        for i in (11, 0, 3, 4, 5, 4, 9, -1, 6, 7):
            assert bytes_of(reader[i]) == expected[i], i
        assert [bytes_of(p) for p in reader[2:9:3]] == expected[2:9:3]
        with pickle.loads(pickle.dumps(reader)) as another:
            assert bytes_of(another[7]) == expected[7]
        with pytest.raises(IndexError):
            reader[FRAMES]
    with pytest.raises(ctv.StateError, match="is closed"):
        reader[0]
    with pytest.raises(ctv.StateError, match="is closed"):
        list(reader)


def test_info(stream):
    info = ctv.info(stream)
    assert (info.width, info.height, info.format, info.frames) == (WIDTH, HEIGHT, "i420", FRAMES)
    assert info.fps == fractions.Fraction(25) and info.pyramid == "9/7" and info.complete
    assert info.bytes == stream.stat().st_size


def test_pictures_of_every_kind_can_be_written(stream, folder, clip):
    path = folder / "written.ctv"
    for form in ("gray", "rgb", "rgba", "i420", "i422", "i444", "nv12"):
        pictures = clip(form)[1]
        assert ctv.write(path, iter(pictures), fps=29.97, lossless=1) == FRAMES
        with ctv.read(path, format=form) as reader:
            assert reader.info.fps == fractions.Fraction(2997, 100)
            for expected, got in zip(pictures, reader):
                planes = expected if isinstance(expected, tuple) else (expected,)
                assert all(map(np.array_equal, planes, got.planes))
    with ctv.read(stream) as reader:
        ctv.write(path, reader, lossless=1)
        with ctv.read(path) as again:
            assert list(map(bytes_of, again)) == list(map(bytes_of, reader))


def test_a_failure_leaves_no_file(folder):
    path = folder / "none.ctv"
    for frames, error in (([], ctv.ArgumentError), ([np.zeros((4, 4))], TypeError), ([3], TypeError),
                          ([np.zeros((4, 4, 5), np.uint8)], ctv.ArgumentError)):
        with pytest.raises(error):
            ctv.write(path, frames)
    assert not list(folder.glob("none.ctv*"))
    with pytest.raises(FileNotFoundError):
        ctv.read(path)


def test_damaged_files(stream, folder):
    data, path = stream.read_bytes(), folder / "damaged.ctv"
    for size in range(0, 100, 7):
        path.write_bytes(data[:size])
        with pytest.raises(ctv.DamagedError):
            ctv.read(path)
    for size in range(120, len(data), 131):
        path.write_bytes(data[:size])
        with ctv.read(path) as reader:
            whole = sum(1 for _ in reader.packets()) - 1
            assert not reader.info.indexed and len(reader[:]) == len(reader) == whole
            if not reader.info.complete:
                with pytest.raises(ctv.DamagedError, match="the file ends"):
                    list(reader)
    for at in range(0, len(data), 37):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
        try:
            with ctv.read(path, max_memory=1 << 28) as reader:
                for i in range(len(reader)):
                    reader[i]
        except ctv.Error as e:
            assert "\n" not in str(e)


def test_joined_streams_are_one(stream, folder):
    path = folder / "joined.ctv"
    path.write_bytes(stream.read_bytes() * 2)
    with ctv.read(stream) as one, ctv.read(path) as two:
        assert len(two) == 2 * len(one) and not two.info.indexed
        assert bytes_of(two[FRAMES + 3]) == bytes_of(one[3])
