"""Programs of weights to start from, and of keys' element types."""

from __future__ import annotations

from jaxnb.xla.version import JAXLIB_VERSION
from tests.differential.program import Program, parse_programs

ALL = ("jaxpr", "stablehlo", "value")

PLAIN = """
init.zeros(k, (2, 3))
init.ones(k, (2, 3))
init.ones(k, (2, 3), np.int32)
init.ones(k, (2,), complex)
init.zeros(k, 3)
init.zeros(k, (2, -3))
init.zeros(k, (2, 3), 'a')
init.zeros(3, (2, 3))
init.zeros(k, (2, 3), out_sharding=3)
init.zeros(k)
init.constant(3.)(k, (2, 3))
init.constant(3, np.int8)(k, (2, 3))
init.constant(3)(k, (2, 3), np.float16)
init.constant(np.arange(3.))(k, (2, 3))
init.constant([3, 4])(k, (2, 2))
init.constant(1)(k, (2,), out_sharding=3)
init.uniform()(k, (2, 3))
init.uniform(2)(k, (2, 3), np.float16)
init.uniform(np.ones(3))(k, (2, 3))
init.uniform(dtype=np.complex64)(k, (2,))
init.uniform(1j)(k, (2,))
init.uniform(1, 'a')(k, (2,))
init.normal()(k, (2, 3))
init.normal(.5, np.float16)(k, (2, 3))
init.normal()(k, 2)
init.normal()(k, (2, 3), np.complex64)
init.normal()(k, (2, 3), jnp.bfloat16)
init.normal(dtype=np.int32)(k, (2, 3))
init.normal(np.ones(2))(k, (2,))
init.normal(1j)(k, (2,))
init.normal('a')(k, (2,))
init.normal()(3, (2,))
init.normal()(k, (2,), out_sharding=3)
init.normal()(k, (2,), 'a')
init.truncated_normal()(k, (2, 3))
init.truncated_normal(1., np.float16, -1, 1)(k, (2, 3))
init.truncated_normal(lower=0., upper=.5)(k, (2, 3))
init.truncated_normal(dtype=np.complex64)(k, (2, 3))
"""

SCALED = """
init.glorot_uniform()(k, (2, 3))
init.glorot_normal()(k, (2, 3))
init.xavier_uniform()(k, (2, 3), np.float16)
init.xavier_normal(batch_axis=0)(k, (2, 3, 4))
init.lecun_uniform()(k, (2, 3))
init.lecun_normal()(k, (2, 3))
init.he_uniform()(k, (2, 3))
init.he_normal()(k, (2, 3, 4))
init.kaiming_uniform(in_axis=0, out_axis=1)(k, (2, 3, 4))
init.kaiming_normal(dtype=np.float16)(k, (2, 3))
init.lecun_normal()(k, (3,))
init.lecun_normal()(k, ())
init.lecun_normal(in_axis=0)(k, (3,))
init.lecun_normal(in_axis=0, out_axis=())(k, (3,))
init.lecun_normal(in_axis=(-2,))(k, (3,))
init.lecun_normal(in_axis=5)(k, (3, 4))
init.lecun_normal(in_axis='a')(k, (3, 4))
init.lecun_normal()(k, (2, -1))
init.variance_scaling(1., 'fan_in', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan_out', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan_avg', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan_geo_avg', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan_avg', 'normal', batch_axis=0)(k, (2, 3))
init.variance_scaling(1., 'fan_avg', 'normal', in_axis=(0, 1), out_axis=2)(k, (2, 3, 4))
init.variance_scaling(1., 'fan_avg', 'uniform', in_axis=0, out_axis=3, batch_axis=(1,))(k, (2, 3, 4, 5))
init.variance_scaling(0., 'fan_in', 'normal')(k, (2, 3))
init.variance_scaling(-1., 'fan_in', 'normal')(k, (2, 3))
init.variance_scaling('a', 'fan_in', 'normal')(k, (2, 3))
init.variance_scaling(1j, 'fan_in', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan', 'normal')(k, (2, 3))
init.variance_scaling(1., 'fan_in', 'cauchy')(k, (2, 3))
init.variance_scaling(1., 'fan_in', 'normal')(k, (0, 3))
init.variance_scaling(1., 'fan_avg', 'uniform')(k, (3, 0))
init.variance_scaling(1., 'fan_in', 'normal', batch_axis=1)(k, (2, 0, 3))
init.variance_scaling(1., 'fan_in', 'normal')(k, (2, 3), np.complex64)
init.variance_scaling(1., 'fan_in', 'uniform')(k, (2, 3), np.complex64)
init.variance_scaling(1., 'fan_in', 'truncated_normal')(k, (2, 3), np.complex64)
init.variance_scaling(1., 'fan_in', 'normal')(k, (2, 3), np.int32)
init.variance_scaling(1., 'fan_in', 'uniform')(k, (2, 3), np.int32)
"""

KEYS = """
lambda: random.key_dtype() @ ()
lambda: random.key_dtype('threefry2x32') @ ()
lambda: random.key_dtype(random.key(0).dtype) @ ()
lambda: random.key_dtype(3) @ ()
lambda: random.key_dtype(np.float32) @ ()
lambda: random.key(0).dtype == random.key_dtype() @ ()
lambda: isinstance(nn.initializers.normal(), nn.initializers.Initializer) @ ()
lambda: isinstance(3, nn.initializers.Initializer) @ ()
lambda: nn.initializers.he_normal is nn.initializers.kaiming_normal @ ()
lambda: nn.initializers.Initializer() @ ()
"""

NEWER = """
lambda: random.Key(3) @ ()
lambda: random.Key.__name__ @ ()
"""


def _drawn(text: str) -> list[Program]:
    """Programs of one key, from the calls alone."""
    lines = list(filter(None, map(str.strip, text.splitlines())))
    return [
        Program(call, f"lambda k: (lambda init: {call})(nn.initializers)", "(random.key(3),)", ALL)
        for call in lines
    ]


PROGRAMS = [
    *_drawn(PLAIN),
    *_drawn(SCALED),
    *(Program(f"x64 {p.name}", p.fun, p.args, ALL, {"jax_enable_x64": True}) for p in _drawn(PLAIN)[16:24]),
    *parse_programs(KEYS + (NEWER if JAXLIB_VERSION >= (0, 12) else ""), wants=("repr",)),
]
