# SPDX-License-Identifier: BSD-3-Clause
"""The file that write() makes: complete or not at all, by the rules of the tools' OutputFile."""
import contextlib
import errno
import os
import re
import shutil
import uuid


def descriptor_of(path):
    """The open descriptor that a path names, through links or not: /dev/stdout, /dev/fd/N, /proc/self/fd/N."""
    standard = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
    at = os.path.abspath(path)
    for _ in range(40):
        if at in standard:
            return standard[at]
        folder, leaf = os.path.split(at)
        folder = os.path.realpath(folder)
        if leaf.isdecimal() and re.fullmatch(rf"/dev/fd|/proc/({os.getpid()}|self)(/task/\d+)?/fd", folder):
            return int(leaf)
        if not os.path.islink(at):
            return None
        at = os.path.normpath(os.path.join(folder, os.readlink(at)))
    return None


def same(a, b):
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)


def takes_place(part, existing):
    """Gives a new file the owner and the mode of the one that it replaces; False if the old one must stay."""
    made = os.stat(part)
    if (made.st_uid, made.st_gid) != (existing.st_uid, existing.st_gid):
        try:
            os.chown(part, existing.st_uid, existing.st_gid)
        except OSError:
            return False
    os.chmod(part, existing.st_mode & 0o7777)
    return existing.st_nlink == 1


def copy(source, target):
    with open(source, "rb") as old, open(target, "wb") as new:
        shutil.copyfileobj(old, new)


def has_open(descriptor, status):
    try:
        return same(os.fstat(descriptor), status) and os.path.isfile(f"/proc/self/fd/{descriptor}")
    except OSError:
        return False


@contextlib.contextmanager
def output(path):
    """A file to write to. Without an exception it gets its name at the end."""
    existing = os.stat(path) if os.path.exists(path) else None
    number = descriptor_of(path)
    if number is None and existing is not None:  # a shell's "> file" has opened it already
        number = next((standard for standard in (1, 2) if has_open(standard, existing)), None)
    if number is not None:
        with os.fdopen(os.dup(number), "wb") as file:
            yield file
        return
    if existing is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    target = os.path.realpath(path)
    direct = existing is not None and not (os.path.isfile(target) and same(os.stat(target), existing))
    part = f"{target}.{uuid.uuid4().hex}.part"  # another writer may be at work
    try:
        file = open(path if direct else part, "wb" if direct else "xb")  # devices and pipes have no name to be replaced
    except OSError as error:
        if existing is None or direct:
            error.filename = path  # the caller does not know the other name
            raise
        direct, file = True, open(path, "wb")  # a folder that takes no other file
    if direct:
        with file:
            yield file
        return
    try:
        with file:
            yield file
    except BaseException:
        os.unlink(part)
        raise
    try:
        if existing is not None and not takes_place(part, existing):
            copy(part, target)
            os.unlink(part)
            return
        os.replace(part, target)
    except OSError as error:  # a mount point, say
        try:
            copy(part, target)
        except OSError:
            raise OSError(error.errno, f"{error.strerror}; the whole output is {part}", path) from None
        os.unlink(part)
