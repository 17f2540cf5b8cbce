# SPDX-License-Identifier: BSD-3-Clause
"""What encoders and decoders give."""
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
        """The only plane of gray, rgb and rgba: (height, width) or (height, width, 3 or 4)."""
        if len(self.planes) != 1:
            raise TypeError(f"{self.format} has {len(self.planes)} planes: see planes, or decode to rgb")
        return self.planes[0]
