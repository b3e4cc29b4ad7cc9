from jaxnb.engine.ops.lowering import *  # noqa: F403
