# SPDX-License-Identifier: BSD-3-Clause
"""ctv, a contourlet video codec.

Pictures are numpy arrays of uint8:

    gray        (height, width)
    rgb, rgba   (height, width, 3 or 4)
    i420        a tuple of y (height, width) and u, v ((height + 1) // 2, (width + 1) // 2)
    i422        a tuple of y (height, width) and u, v (height, (width + 1) // 2)
    i444        a tuple of y, u, v (height, width)
    nv12        a tuple of y (height, width) and uv ((height + 1) // 2, (width + 1) // 2, 2)

Formats of more bits have arrays of uint16: gray10, i420p10, i422p10, i444p10, with 12 likewise, and p010, like nv12
with samples in the high bits.

Encoders also take bgr, bgra, nv21 in the shapes of rgb, rgba, nv12, and yuy2 and uyvy: (height, width to the next even
number, 2).

The encoder also takes arrays of these shapes in the memory of a CUDA device, whatever package they are of, and
Decoder(memory="cuda") gives planes there (CudaPlane), for torch.from_dlpack() and its like.

Timestamps and durations are in units of 1 / fps_num seconds.
"""
from ._ctv import CudaPlane, packet_info, packet_slopes, preset_config, presets, version
from ._data import Packet, Picture
from ._errors import (ArgumentError, DamagedError, DeviceError, Error, InternalError, LimitError, OutOfMemoryError,
                      ReferenceMissingError, StateError, UnsupportedError)
from ._files import Decoder, Encoder, Info, Reader, info, read, write

__version__ = version()
__all__ = [
    "ArgumentError", "CudaPlane", "DamagedError", "Decoder", "DeviceError", "Encoder", "Error", "Info", "InternalError",
    "LimitError", "OutOfMemoryError", "Packet", "Picture", "Reader", "ReferenceMissingError", "StateError",
    "UnsupportedError", "info", "packet_info", "packet_slopes", "preset_config", "presets", "read",
    "version", "write"
]
