"""Where arrays lie: meshes of devices and the shardings made of them. Only re-exports."""

from __future__ import annotations

from jaxnb.engine.runtime.meshes import AxisType, Mesh, PartitionSpec
from jaxnb.engine.runtime.named_shardings import NamedSharding
from jaxnb.xla.array import Sharding, SingleDeviceSharding

__all__ = ["AxisType", "Mesh", "NamedSharding", "PartitionSpec", "Sharding", "SingleDeviceSharding"]
