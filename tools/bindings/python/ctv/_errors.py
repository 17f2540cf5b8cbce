# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: one class for each error of ctv_status."""


class Error(Exception):
    """A failed call. str() is the library's message, one line; `status` is its ctv_status, negative."""
    status = -8


class ArgumentError(Error, ValueError):
    """An argument, a shape or a configuration member is out of range."""
    status = -1


class DamagedError(Error):
    """The stream is damaged or truncated. The message names field and byte offset."""
    status = -2


class LimitError(Error):
    """A limit of the decoder would be exceeded, or no step meets max_frame_bytes."""
    status = -3


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""
    status = -4


class DeviceError(Error):
    """The requested device is missing or has failed."""
    status = -5


class UnsupportedError(Error):
    """Valid, but not supported by this build."""
    status = -6


class StateError(Error):
    """Calls in the wrong order, or an object that is closed."""
    status = -7


class InternalError(Error):
    """A defect of the library."""
    status = -8


class ReferenceMissingError(Error):
    """The frame refers to one that was not decoded. Decode on from the next key frame."""
    status = -9


def error_of(status, message):
    """The exception for a status of the C interface and its message as bytes."""
    found = {c.status: c for c in Error.__subclasses__()}
    error = found.get(status, Error)(message.decode("utf-8", "replace"))
    error.status = status
    return error
