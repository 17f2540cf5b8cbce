# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

def __getattr__(name: str) -> Any: ...
