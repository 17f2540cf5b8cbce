# SPDX-License-Identifier: BSD-3-Clause
"""Files: random access, information, writing, damage."""
import concurrent.futures
import errno
import fractions
import io
import os
import pickle
import subprocess
import sys
import tempfile

import ctv
import numpy as np
import pytest
from conftest import FRAMES, HEIGHT, WIDTH, bytes_of


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("config", [{}, {"frames_in_flight": 3}, {"format": "rgb"}])
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
        for outside in (FRAMES, -FRAMES - 1):
            with pytest.raises(IndexError, match=f"frame {outside} of {FRAMES}"):
                reader[outside]
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
            assert reader.info.fps == fractions.Fraction(30000, 1001)
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


def test_writing_to_a_pipe_and_through_a_link(stream, folder, clip):
    pictures, pipe, target, link = clip("gray")[1], folder / "pipe", folder / "target.ctv", folder / "link.ctv"
    assert ctv.write(os.fsencode(target), pictures) == FRAMES
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        got = pool.submit(pipe.read_bytes)
        assert ctv.write(pipe, pictures) == FRAMES
        assert got.result() == target.read_bytes() and pipe.is_fifo()
    link.symlink_to(target)
    ctv.write(link, pictures[:3])
    assert link.is_symlink() and len(ctv.read(target)) == 3


def test_names_of_open_descriptors_are_these(folder, clip):
    pictures, link = clip("gray")[1], folder / "stdout.ctv"
    link.symlink_to("/proc/self/fd/1")
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"HEAD")
        file.flush()
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            for name in ("/dev/stdout", "/dev/fd/1", link):
                ctv.write(name, pictures)
            os.write(1, b"TAIL")
        finally:
            os.dup2(before, 1)
            os.close(before)
        file.seek(0)
        data = file.read()
    ctv.write(folder / "alone.ctv", pictures)
    assert data == b"HEAD" + 3 * (folder / "alone.ctv").read_bytes() + b"TAIL" and link.is_symlink()


def test_a_replaced_file_keeps_mode_and_links(folder, clip):
    pictures, path, other = clip("gray")[1], folder / "linked.ctv", folder / "other.ctv"
    path.touch()
    path.chmod(0o640)
    ctv.write(path, pictures)
    assert path.stat().st_mode & 0o777 == 0o640
    os.link(path, other)
    ctv.write(other, pictures[:2])
    assert path.samefile(other) and len(ctv.read(path)) == 2
    if os.getuid() == 0:
        other.unlink()
        os.chown(path, 1, 2)
        ctv.write(path, pictures)
        assert (path.stat().st_uid, path.stat().st_gid) == (1, 2)
    assert not list(folder.glob("*.part"))


def test_a_mount_point_is_written(folder, clip, monkeypatch):
    pictures, path = clip("gray")[1], folder / "mounted.ctv"
    path.touch()
    def busy(*_):
        raise OSError(errno.EBUSY, "Device or resource busy")
    monkeypatch.setattr(os, "replace", busy)
    assert ctv.write(path, pictures) == len(ctv.read(path)) == FRAMES
    assert not list(folder.glob("mounted*.part"))


def test_help_names_the_keywords():
    for name in ("width", "bitrate=0", "key_interval", "threads"):
        assert name in ctv.Encoder.__doc__


def test_import_without_docstrings():
    subprocess.run([sys.executable, "-OO", "-c", "import ctv"], check=True)


def test_open_files_and_bytes(stream, folder, clip):
    pictures = clip("gray")[1]
    memory = io.BytesIO()
    assert ctv.write(memory, pictures) == FRAMES
    ctv.write(folder / "file.ctv", pictures)
    assert memory.getvalue() == (folder / "file.ctv").read_bytes()
    with ctv.read(memory) as reader, ctv.read(folder / "file.ctv") as expected:
        assert bytes_of(reader[7]) == bytes_of(expected[7]) and len(reader) == FRAMES
        assert list(map(bytes_of, reader)) == list(map(bytes_of, expected))
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(reader)
    assert not memory.closed and ctv.info(memory).frames == FRAMES
    with pytest.raises(ctv.StateError):
        reader[0]
    with open(folder / "file.ctv", "rb") as file:
        assert ctv.info(file).indexed


def test_a_last_axis_of_one_is_grey(folder, clip):
    pictures = clip("gray")[1]
    ctv.write(folder / "flat.ctv", pictures)
    ctv.write(folder / "deep.ctv", [p[..., np.newaxis] for p in pictures])
    ctv.write(folder / "turned.ctv", [np.asfortranarray(p)[..., np.newaxis] for p in pictures])
    assert len({(folder / f"{name}.ctv").read_bytes() for name in ("flat", "deep", "turned")}) == 1


def test_one_picture_is_no_clip(folder):
    for shape in ((48, 64), (48, 64, 3), (48, 64, 1)):
        with pytest.raises(ctv.ArgumentError, match="one picture"):
            ctv.write(folder / "one.ctv", np.zeros(shape, np.uint8))
    assert ctv.write(folder / "clip.ctv", np.zeros((2, 48, 64, 3), np.uint8)) == 2


def test_two_writers_do_not_meet(folder, clip):
    pictures, path = clip("gray")[1], folder / "both.ctv"
    def slowly():
        yield pictures[0]
        assert ctv.write(path, pictures[:2]) == 2
        yield from pictures[1:]
    assert ctv.write(path, slowly()) == FRAMES
    assert len(ctv.read(path)) == FRAMES and not list(folder.glob("both.ctv?*"))
    with pytest.raises(TypeError):
        ctv.write(path, [pictures[0], None, pictures[1]])


@pytest.mark.parametrize("fps, rate", [(29.97, "30000/1001"), ("23.976", "24000/1001"), (59.94, "60000/1001"), (29.9, "299/10"),
                                       (fractions.Fraction("29.97"), "2997/100"), (30000 / 1001, "30000/1001"), ("90000/3601", "90000/3601"),
                                       (fractions.Fraction(1, 3600), "1/3600"), (1 / 3600, "1/3600"), (24, "24")])
def test_rates_are_kept(folder, clip, fps, rate):
    path = folder / "rate.ctv"
    ctv.write(path, clip("gray")[1][:1], fps=fps)
    assert ctv.info(path).fps == fractions.Fraction(rate)


def test_random_access_behind_a_loss(folder, clip):
    """A frame may then refer to one before the last key frame."""
    _, pictures = clip("gray")
    path = folder / "loss.ctv"
    with ctv.Encoder(width=WIDTH, height=HEIGHT, format="gray", slots=4, key_interval=0) as encoder:
        data = [encoder.header]
        for n, picture in enumerate(pictures[:10]):
            if n == 6:
                encoder.request_key_frame()
            data += [p.data for p in encoder.encode(picture)]
            if n == 2:
                encoder.acknowledge(2)
            if n == 7:
                encoder.lost(6)
        path.write_bytes(b"".join(data + [encoder.index()]))
    with ctv.read(path) as reader:
        assert reader.info.key_frames == (0, 6)
        expected = [bytes_of(p) for p in reader]
        for i in (9, 8, 7, 3):
            assert bytes_of(reader[i]) == expected[i], i


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
