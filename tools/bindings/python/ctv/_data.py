# SPDX-License-Identifier: BSD-3-Clause
"""What encoders and decoders give."""
import math
from dataclasses import dataclass
from typing import Union

import numpy as np

from ._ctv import CudaPlane


@dataclass(frozen=True)
class Packet:
    """One coded frame. Timestamp and duration are in units of 1 / fps_num seconds."""
    data: bytes
    timestamp: int
    duration: int
    frame_number: int
    key_frame: bool
    step: float  # base quantiser step in sample units


@dataclass(frozen=True, eq=False)
class Picture:
    """A decoded picture. Its planes, uint8 of the shapes in help(ctv), share memory that they own. They are numpy
    arrays, or CudaPlanes of a decoder with memory="cuda"."""
    planes: "tuple[Union[np.ndarray, CudaPlane], ...]"
    format: str
    width: int  # luma samples
    height: int
    timestamp: int  # in units of 1 / fps_num seconds
    duration: int
    frame_number: int
    key_frame: bool
    damaged: int  # 0: equals the encoder's; 1: lacks detail; 2: repeats the one before (decoders that conceal)

    @property
    def array(self):
        """The plane of gray, rgb and rgba: (height, width) or (height, width, 3 or 4). Of other formats a copy of all planes
        below each other, in rows of the picture's width: (3 height / 2, width) for i420 and nv12, as OpenCV has them."""
        if len(self.planes) == 1:
            return self.planes[0]
        samples = sum(math.prod(plane.shape) for plane in self.planes)
        if not all(isinstance(plane, np.ndarray) for plane in self.planes) or samples % self.width:
            raise TypeError(f"{self.format} has {len(self.planes)} planes, which make no array: see planes, or decode to rgb")
        return np.concatenate([plane.reshape(-1) for plane in self.planes]).reshape(-1, self.width)
