"""Functions called several times: which calls share one function of the lowered program."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

CALLS = """
lambda x: (lambda f: lax.while_loop(lambda x: x<3, lambda x: f(x), x)+lax.while_loop(lambda x: x<3, lambda x: f(x), x+1))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.while_loop(lambda x: x<3, lambda x: jax.jit(lambda x:f(x))(x), x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.while_loop(lambda x: x<3, lambda x: lax.cond(x>2, f, f, x), x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.while_loop(lambda x: x<3, lambda x: lax.fori_loop(0,3,lambda i,x:f(x),x), x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.while_loop(lambda x: f(x)<3, lambda x: x+1, x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: lax.fori_loop(0,3,lambda i,x:f(x)+ lax.while_loop(lambda x: x<3, lambda x: f(x), x),x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x) + jnp.logaddexp(x,x) + jax.custom_jvp(lambda x: f(x))(x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x) + jax.custom_vjp(lambda x: f(x))(x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x) + jax.lax.reduce(jax.numpy.stack([x,x]), np.float32(0), lambda x,y: f(x)+y,(0,)))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x) + lax.map(lambda x: f(x), x).sum())(jax.jit(lambda x:x*2)) @ (np.ones((3,3),np.float32),)
lambda x: (lambda f: f(x)+lax.while_loop(lambda x: x<3, lambda x: f(x), x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.cond(x>0, lambda x: f(x), lambda x:x,x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+jax.jit(lambda x: f(x))(x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
lambda x: (lambda f: f(x)+lax.fori_loop(0,3, lambda i,x: f(x), x))(jax.jit(lambda x:x*2)) @ (np.float32(1),)
"""

PROGRAMS: list[Program] = parse_programs(CALLS)
