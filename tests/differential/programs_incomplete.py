"""Incomplete gamma and beta functions: loops inside what one equation is lowered to."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

TEXTS = """
lax.igamma @ (np.ones(2,np.float32),np.ones(2,np.float32))
lax.igammac @ (np.ones(2,np.float32),np.ones(2,np.float32))
lax.igamma_grad_a @ (np.ones(2,np.float32),np.ones(2,np.float32))
lambda a, x: lax.random_gamma_grad(a, x) @ (np.ones(2,np.float32),np.ones(2,np.float32))
lax.betainc @ (np.ones(2,np.float32),np.ones(2,np.float32),np.ones(2,np.float32))
lax.igamma @ (np.float16(1),np.float16(2))
lax.igammac @ (np.ones(3),np.float32(2))
lax.betainc @ (np.ones(3),np.float32(2),.5)
lax.betainc @ (1.,np.float32(2),.5)
lambda a, x: lax.random_gamma_grad(a, x) @ (1.,np.float32(2))
lambda a,b,x: jax.jvp(lax.betainc,(a,b,x),(a,b,x)) @ (np.float32(1),np.float32(2),np.float32(.3))
lambda a,b,x: jax.jvp(lambda x: lax.betainc(a,b,x),(x,),(x,)) @ (np.float32(1),np.float32(2),np.float32(.3))
lambda a,b,x: jax.jvp(lambda x: lax.betainc(a,b,x),(x,),(x,)) @ (np.ones(2),np.ones(2),np.ones(2))
lambda a,b,x: lax.betainc(a,b,x) @ (1,2,.3)
lambda a,b,x: lax.betainc(a,b,x) @ (np.ones(2),2.,.3)
lambda a,x: lax.random_gamma_grad(a,x) @ (1.,2.)
lambda a,x: lax.random_gamma_grad(a,x) @ (np.ones(2),np.float32(2.))
lambda a,x: lax.random_gamma_grad(a,x) @ (np.ones(2,np.float16),np.float16(2.))
lambda a,x: jax.jvp(lambda a: lax.random_gamma_grad(a,x),(a,),(a,)) @ (1.,2.)
lambda a,x: jax.jvp(lambda a: lax.igamma_grad_a(a,x),(a,),(a,)) @ (1.,2.)
lambda a,x: jax.jvp(lax.igammac,(a,x),(a,x)) @ (1.,2.)
lambda a,x: jax.jvp(lax.igamma,(a,x),(a,x)) @ (1.,2.)
lambda a,x: jax.jvp(lax.igamma,(a,x),(a,x)) @ (np.ones(2),np.ones(2))
lambda a,x: jax.grad(lambda a,x:lax.igamma(a,x).sum(),(0,1))(a,x) @ (np.ones(2),np.float32(2))
lambda a,x: jax.vmap(lax.igamma,(0,None))(a,x) @ (np.ones(2),np.float32(2))
lambda a,x: jax.vmap(lax.igammac,(0,1))(a,x) @ (np.ones((2,3)),np.ones((3,2)))
lambda a,x: lax.igamma(a,x) @ (1,2)
lambda a,x: lax.random_gamma_grad(a,x) @ (1,2)
lambda a,x: lax.igamma(a,x) @ (np.ones(2),np.ones(3))
"""

WIDE = """
lax.igamma @ (np.ones(2), np.ones(2))
lax.betainc @ (np.ones(2), np.ones(2), np.ones(2))
"""

VALUES = """
lax.igamma @ (np.array([.1,.5,1.,2.,10.,50.,0.,np.inf,-1.,3.],np.float32),np.array([.01,3.,1.,.5,12.,60.,1.,1.,1.,np.inf],np.float32))
lax.igammac @ (np.array([.1,.5,1.,2.,10.,50.,0.,np.inf,-1.,3.],np.float32),np.array([.01,3.,1.,.5,12.,60.,1.,1.,1.,np.inf],np.float32))
lax.igamma_grad_a @ (np.array([.1,.5,1.,2.,10.,50.,0.,np.inf,-1.,3.],np.float32),np.array([.01,3.,1.,.5,12.,60.,1.,1.,1.,np.inf],np.float32))
lax.random_gamma_grad @ (np.array([.1,.5,1.,2.,10.,50.,0.,-1.,3.],np.float32),np.array([.01,3.,1.,.5,12.,60.,1.,1.,1.],np.float32))
lax.betainc @ (np.array([.1,.5,1.,2.,10.,50.,0.,np.inf,-1.,3.],np.float32),np.array([.01,3.,1.,.5,12.,60.,1.,1.,1.,np.inf],np.float32),np.array([.1,.3,.5,.2,.6,.4,.5,.5,.5,.5],np.float32))
"""

PROGRAMS: list[Program] = [
    *parse_programs(TEXTS),
    *parse_programs(WIDE, config={"jax_enable_x64": True}),
    *parse_programs(VALUES, wants=("value",)),
]
