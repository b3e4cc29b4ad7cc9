"""Trees of containers: `jaxnb.tree.map`, `leaves`, `structure` and their kin. Only re-exports."""

from __future__ import annotations

from jaxnb.engine.core.trees import (
    static,
)
from jaxnb.engine.core.trees import (
    tree_all as all,
)
from jaxnb.engine.core.trees import (
    tree_broadcast as broadcast,
)
from jaxnb.engine.core.trees import (
    tree_flatten as flatten,
)
from jaxnb.engine.core.trees import (
    tree_flatten_with_path as flatten_with_path,
)
from jaxnb.engine.core.trees import (
    tree_leaves as leaves,
)
from jaxnb.engine.core.trees import (
    tree_leaves_with_path as leaves_with_path,
)
from jaxnb.engine.core.trees import (
    tree_map as map,
)
from jaxnb.engine.core.trees import (
    tree_map_with_path as map_with_path,
)
from jaxnb.engine.core.trees import (
    tree_reduce as reduce,
)
from jaxnb.engine.core.trees import (
    tree_reduce_associative as reduce_associative,
)
from jaxnb.engine.core.trees import (
    tree_structure as structure,
)
from jaxnb.engine.core.trees import (
    tree_transpose as transpose,
)
from jaxnb.engine.core.trees import (
    tree_unflatten as unflatten,
)

__all__ = [
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "reduce",
    "reduce_associative",
    "static",
    "structure",
    "transpose",
    "unflatten",
]
