"""The PTX instructions that CUDA on CPU knows, and what carries each out. ptx.py reads the table."""

# Three columns, two spaces or more apart: the instruction's name, its operands (-: none), the C++ function (the name's
# first word, if it is left out).
#
# Name:      <t:u32 s32> is one of these, called t; {.rn .rz} may be there; {r.rn .rz} as well, called r.
# Operands:  =     written: the function returns it             =~    the same, into a register that may be wider
#            =*    several in braces: it returns an array       =|p   it returns a Result: one, and a predicate
#            u32   read as that type; t: as what t stands for   u32~  from a register that may be wider
#            u32*  several in braces, or one                    p     a predicate
#            [s]   an address in the state space s              u32?  may be left out
#            b*    several in braces, of the size that they have
#            +*    several in braces, read now and changed later: operands of asm
#            [map] a tensor map and coordinates: [map, {x, y}]
# Function:  <t> stands for what t is, {r} for what r is, with _ for its dot, <N> for how many are written.
INSTRUCTIONS = """
# data movement
mov.<t:NUMBER>                                                      = t              copy
mov.pred                                                            = p              copy
mov.<t:b32 b64>                                                     = b*             pack<<t>>
mov.<t:b32 b64>                                                     =* t             unpack<<N>>
ld{.weak}{s.SPACE}{CACHE}{.nc}.<t:ALL>                              =~ [s]           load<<t>>
ld{.weak}{s.SPACE}{CACHE}{.nc}.v<n:2 4>.<t:ALL>                     =* [s]           load<<t>, <n>>
ld<o:LOOK>{SCOPE}{s.SPACE}.<t:ALL>                                  =~ [s]           look<<t>>
ld<o:LOOK>{SCOPE}{s.SPACE}.v<n:2 4>.<t:ALL>                         =* [s]           look<<t>, <n>>
ldu{s.global}.<t:ALL>                                               =~ [s]           load<<t>>
st{ORDER}{SCOPE}{s.SPACE}{CACHE}.<t:ALL>                            [s] t~           store
st{ORDER}{SCOPE}{s.SPACE}{CACHE}.v<n:2 4>.<t:ALL>                   [s] t*           store
prefetch{s.global .local}.<l:L1 L2>                                 [s]              nothing
prefetch.global.L2::<l:evict_last evict_normal>                     [global]         nothing
prefetchu.L1                                                        [global]         nothing
createpolicy.fractional.L2::<l:EVICT>{.L2::evict_unchanged .L2::evict_first}.b64  = f32?           cache_policy
cvta{.global .local .const}.<t:u64>                                 = t              copy
cvta.to{.global .local .const}.<t:u64>                              = t              copy
cvta.shared{::cta}.<t:u32 u64>                                      = t              cvta_shared<<t>>
cvta.to.shared{::cta}.<t:u32 u64>                                   = u64            cvta_to_shared<<t>>
cp.async.<c:ca cg>.shared{::cta}.global                             [shared] [global] u32 u32?  cp_async_<c>
cp.async.<c:ca cg>.shared{::cta}.global                             [shared] [global] u32 p  cp_async_<c>
cp.async.commit_group                                               -                cp_async_commit_group
cp.async.wait_group                                                 s32              cp_async_wait_group
cp.async.wait_all                                                   -                cp_async_wait_all
cp.async.bulk.tensor.<n:DIM>.<s:BLOCK>.global{.tile}.<m:BYTES>      [shared] [map] [shared]  tma_load
cp.async.bulk.tensor.<n:DIM>.<s:BLOCK>.global{.tile}.<m:BYTES>.multicast::cluster  [shared] [map] [shared] u16  tma_multicast
cp.async.bulk.tensor.<n:DIM>.global.shared::cta{.tile}.bulk_group   [map] [shared]   tma_store
cp.async.bulk.prefetch.tensor.<n:DIM>.L2.global{.tile}              [map]            nothing
cp.async.bulk.<s:BLOCK>.global.<m:BYTES>                            [shared] [global] u32 [shared]  bulk_load
cp.async.bulk.<s:BLOCK>.global.<m:BYTES>.multicast::cluster         [shared] [global] u32 [shared] u16  bulk_multicast
cp.async.bulk.shared::cluster.shared::cta.<m:BYTES>                 [shared] [shared] u32 [shared]  bulk_to_cluster
cp.async.bulk.global.shared::cta.bulk_group                         [global] [shared] u32  bulk_store
cp.async.bulk.prefetch.L2.global                                    [global] u32     nothing
cp.async.bulk.commit_group                                          -                bulk_commit_group
cp.async.bulk.wait_group{.read}                                     s32              bulk_wait_group
prefetch{.param .const}.tensormap                                   [global]         nothing
st.async{.weak}.shared::cluster.<m:BYTES>.<t:NUMBER>                [shared] t [shared]  st_async
st.async{.weak}.shared::cluster.<m:BYTES>.v<n:2 4>.<t:NUMBER>       [shared] t* [shared]  st_async

# integers
add.<t:INT>                                                         = t t
sub.<t:INT>                                                         = t t
add.sat.s32                                                         = s32 s32        add_sat
sub.sat.s32                                                         = s32 s32        sub_sat
mul.lo.<t:INT>                                                      = t t
mul.hi.<t:INT>                                                      = t t            mul_hi
mul.wide.<t:u16 s16 u32 s32>                                        = t t            mul_wide
mad.lo.<t:INT>                                                      = t t t          mad_lo
mad.hi.<t:INT>                                                      = t t t          mad_hi
mad.hi.sat.s32                                                      = s32 s32 s32    mad_hi_sat
mad.wide.u16                                                        = u16 u16 u32    mad_wide
mad.wide.s16                                                        = s16 s16 s32    mad_wide
mad.wide.u32                                                        = u32 u32 u64    mad_wide
mad.wide.s32                                                        = s32 s32 s64    mad_wide
div.<t:INT>                                                         = t t
rem.<t:INT>                                                         = t t
<f:min max>.<t:INT>                                                 = t t            <f>
<f:abs neg>.<t:s16 s32 s64>                                         = t              <f>
sad.<t:INT>                                                         = t t t
<f:and or xor>.<t:BITS>                                             = t t            <f>_
<f:and or xor>.pred                                                 = p p            <f>_
not.<t:BITS>                                                        = t              not_
not.pred                                                            = p              not_
cnot.<t:BITS>                                                       = t
shl.<t:BITS>                                                        = t u32
shr.<t:NUMBER>                                                      = t u32
shf.<d:l r>.<m:wrap clamp>.b32                                      = b32 b32 u32    shf_<d>_<m>
popc.<t:b32 b64>                                                    = t
clz.<t:b32 b64>                                                     = t
brev.<t:b32 b64>                                                    = t
bfind.<t:u32 s32 u64 s64>                                           = t
bfe.<t:u32 s32 u64 s64>                                             = t u32 u32
bfi.<t:b32 b64>                                                     = t t u32 u32
lop3.b32                                                            = b32 b32 b32 u32
prmt.b32                                                            = b32 b32 b32
dp4a.<a:u32 s32>.<b:u32 s32>                                        = a b b32
dp2a.<h:lo hi>.<a:u32 s32>.<b:u32 s32>                              = a b b32        dp2a_<h>
vabsdiff4.u32.u32.u32.add                                            = b32 b32 b32

# floating point; .ftz and .sat are done to the operands and the result
<f:add sub mul>{.rn}.<t:FLOAT>                                      = t t            <f>
<f:add sub mul>.<r:rz rm rp>.<t:FLOAT>                              = t t            <f>_<r>
<f:fma mad>{.rn}.<t:FLOAT>                                          = t t t          fma
<f:fma mad>.<r:rz rm rp>.<t:FLOAT>                                  = t t t          fma_<r>
div.<r:rn full approx>.<t:FLOAT>                                    = t t
<f:min max>{n.NaN}.<t:FLOAT>                                        = t t            <f>{n}
<f:abs neg>.<t:FLOAT>                                               = t              <f>
copysign.<t:FLOAT>                                                  = t t
<f:rcp sqrt>.<r:rn approx>.<t:FLOAT>                                = t              <f>
rsqrt.approx.<t:FLOAT>                                              = t
<f:ex2 lg2 sin cos tanh>.approx.f32                                 = f32            <f>
<f:add sub mul>{.rn}.<t:HALF>                                       = t t            <f>
fma.rn.<t:HALF>                                                     = t t t
<f:min max>{n.NaN}.<t:HALF>                                         = t t            <f>{n}
<f:abs neg>.<t:HALF>                                                = t              <f>
<f:ex2 tanh>.approx.<t:HALF>                                        = t              <f>

# comparisons
setp.<c:eq ne lt le gt ge>.<t:NUMBER>                               = t t            setp_<c>
setp.<c:lo ls hi hs>.<t:u16 u32 u64>                                = t t            setp_<c>
setp.<c:equ neu ltu leu gtu geu num nan>.<t:FLOAT>                  = t t            setp_<c>
selp.<t:NUMBER>                                                     = t t p

# conversions
cvt.<d:INTEGER>.<a:INTEGER>                                         =~ a~            convert<<d>>
cvt.sat.<d:INTEGER>.<a:INTEGER>                                     =~ a~            convert_sat<<d>>
cvt.<r:rn rz rm rp>.<d:FLOAT>.<a:INTEGER>                           = a~             from_integer_<r><<d>>
cvt.<r:rni rzi rmi rpi>.<d:INTEGER>.<a:FLOAT>                       =~ a             to_integer_<r><<d>>
cvt.<r:rni rzi rmi rpi>.<t:FLOAT>.<a:FLOAT>                         = a              round_<r><<t>>
cvt.f64.f32                                                         = f32            convert<f64>
cvt{r.rn .rz .rm .rp}.f32.f64                                       = f64            to_float{r}
cvt.f32.<a:f16 bf16>                                                = a              convert<f32>
cvt.<r:rn rz>.<d:f16 bf16>.f32                                      = f32            narrow_<r><<d>>
cvt.<r:rn rz>.<d:f16x2 bf16x2>.f32                                  = f32 f32        narrow2_<r><<d>>
cvt.<r:rna rn rz>.tf32.f32                                          = f32            tf32_<r>

# the threads of a warp
shfl.sync.<m:up down bfly idx>.b32                                  =|p b32 u32 u32 u32  shfl_<m>
vote.sync.ballot.b32                                                = p u32          vote_ballot
vote.sync.<m:any all uni>.pred                                      = p u32          vote_<m>
activemask.b32                                                      =
match.any.sync.<t:b32 b64>                                          = t u32          match_any
match.all.sync.<t:b32 b64>                                          =|p t u32        match_all
redux.sync.<o:add min max>.<t:u32 s32>                              = t u32          redux_<o>
redux.sync.<o:and or xor>.b32                                       = b32 u32        redux_<o>
elect.sync                                                          =|p u32
bar.warp.sync                                                       u32              bar_warp_sync
ldmatrix.sync.aligned.m8n8.x<n:1 2 4>{t.trans}.shared{::cta}.b16    =* [shared]      ldmatrix{t}<<n>>
stmatrix.sync.aligned.m8n8.x<n:1 2 4>{t.trans}.shared{::cta}.b16    [shared] b32*    stmatrix{t}<<n>>
movmatrix.sync.aligned.m8n8.trans.b16                               = b32
mma.sync.aligned.m16n8k<k:8 16>.row.col.<d:SUM>.<a:f16>.f16.<c:SUM>  =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <c>, <d>>
mma.sync.aligned.m16n8k<k:8 16>.row.col.<d:f32>.<a:bf16>.bf16.f32   =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <d>, <d>>
mma.sync.aligned.m16n8k<k:4 8>.row.col.<d:f32>.<a:tf32>.tf32.f32    =* b32* b32* b32*  mma<16, <k>, <a>, <a>, <d>, <d>>
mma.sync.aligned.m16n8k32.row.col.<d:f32>.<a:e4m3 e5m2>.<b:e4m3 e5m2>.f32  =* b32* b32* b32*  mma<16, 32, <a>, <b>, <d>, <d>>
mma.sync.aligned.m16n8k<k:16 32>.row.col.<d:s32>.<a:BYTE>.<b:BYTE>.s32  =* b32* b32* b32*  mma<16, <k>, <a>, <b>, <d>, <d>>
mma.sync.aligned.m16n8k<k:16 32>.row.col.satfinite.s32.<a:BYTE>.<b:BYTE>.s32  =* b32* b32* b32*  mma_satfinite<<k>, <a>, <b>>
mma.sync.aligned.m8n8k16.row.col.<d:s32>.<a:BYTE>.<b:BYTE>.s32      =* b32* b32* b32*  mma<8, 16, <a>, <b>, <d>, <d>>
mma.sync.aligned.m8n8k4.row.col.<d:f64>.f64.f64.f64                 =* b64* b64* b64*  mma<8, 4, <d>, <d>, <d>, <d>>
mma.sync.aligned.m16n8k<k:4 8 16>.row.col.<d:f64>.f64.f64.f64       =* b64* b64* b64*  mma<16, <k>, <d>, <d>, <d>, <d>>
wgmma.fence.sync.aligned                                            -                wgmma_fence
wgmma.commit_group.sync.aligned                                     -                wgmma_commit_group
wgmma.wait_group.sync.aligned                                       s32              wgmma_wait_group
<w:WGMMA>.m64n<n:WIDTH>k16.<d:SUM>.<a:f16>.f16                      +* u64 u64 p s32 s32 s32 s32  wgmma_ss<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k16.<d:f32>.<a:bf16>.bf16                    +* u64 u64 p s32 s32 s32 s32  wgmma_ss<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k8.<d:f32>.<a:tf32>.tf32                     +* u64 u64 p s32 s32  wgmma_ss<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k32.<d:SUM>.<a:FP8>.<b:FP8>                  +* u64 u64 p s32 s32  wgmma_ss<<n>, <a>, <b>, <d>>
<w:WGMMA>.m64n<n:WIDE>k32.<d:s32>.<a:BYTE>.<b:BYTE>                 +* u64 u64 p     wgmma_ss<<n>, <a>, <b>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k16.<d:SUM>.<a:f16>.f16                      +* b32* u64 p s32 s32 s32  wgmma_rs<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k16.<d:f32>.<a:bf16>.bf16                    +* b32* u64 p s32 s32 s32  wgmma_rs<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k8.<d:f32>.<a:tf32>.tf32                     +* b32* u64 p s32 s32  wgmma_rs<<n>, <a>, <a>, <d>>
<w:WGMMA>.m64n<n:WIDTH>k32.<d:SUM>.<a:FP8>.<b:FP8>                  +* b32* u64 p s32 s32  wgmma_rs<<n>, <a>, <b>, <d>>
<w:WGMMA>.m64n<n:WIDE>k32.<d:s32>.<a:BYTE>.<b:BYTE>                 +* b32* u64 p    wgmma_rs<<n>, <a>, <b>, <d>>
setmaxnreg.<i:inc dec>.sync.aligned.u32                             u32

# atomics
atom{ORDER}{SCOPE}{s.SPACE}.<o:ATOMIC>{.noftz}.<t:NUMBER>  = [s] t          atom_<o>
atom{ORDER}{SCOPE}{s.SPACE}.cas.<t:NUMBER>                          = [s] t t        atom_cas
red{ORDER}{SCOPE}{s.SPACE}.<o:add min max and or xor inc dec>.<t:NUMBER>  [s] t            atom_<o>
red{ORDER}{SCOPE}{s.global}.add.v<n:2 4>.<t:f32>                    [s] t*           red_add

# the threads of a block
bar{rier}{.cta}.arrive{.aligned}                                    u32 u32          bar_arrive
bar{rier}{.cta}.sync{.aligned}                                      u32 u32?         bar_sync
bar{rier}{.cta}.red.popc{.aligned}.u32                              = u32 p          bar_red_popc
bar{rier}{.cta}.red.popc{.aligned}.u32                              = u32 u32 p      bar_red_popc
bar{rier}{.cta}.red.<o:and or>{.aligned}.pred                       = u32 p          bar_red_<o>
bar{rier}{.cta}.red.<o:and or>{.aligned}.pred                       = u32 u32 p      bar_red_<o>
mbarrier.init{s.shared .shared::cta}.b64                            [s] u32          mbarrier_init
mbarrier.inval{s.shared .shared::cta}.b64                           [s]              mbarrier_inval
mbarrier.arrive{ORDER}{SCOPE}{s.shared .shared::cta .shared::cluster}.b64  = [s] u32?       mbarrier_arrive
mbarrier.arrive_drop{ORDER}{SCOPE}{s.shared .shared::cta}.b64       = [s] u32?       mbarrier_arrive_drop
mbarrier.arrive.expect_tx{ORDER}{SCOPE}{s.shared .shared::cta .shared::cluster}.b64  = [s] u32        mbarrier_arrive_expect_tx
mbarrier.expect_tx{ORDER}{SCOPE}{s.shared .shared::cta}.b64         [s] u32          mbarrier_expect_tx
mbarrier.<w:test try>_wait{ORDER}{SCOPE}{s.shared .shared::cta}.b64  = [s] u64 u32?   mbarrier_<w>_wait
mbarrier.<w:test try>_wait.parity{ORDER}{SCOPE}{s.shared .shared::cta}.b64  = [s] u32 u32?   mbarrier_<w>_wait
cp.async.mbarrier.arrive{n.noinc}{s.shared .shared::cta}.b64        [s]              cp_async_mbarrier_arrive{n}
membar.<l:cta gl sys>                                               -                fence
fence{ORDER}.<l:cta cluster gpu sys>                                -
fence.mbarrier_init.release.cluster                                 -                fence_mbarrier_init
fence.proxy.async{.shared::cta .shared::cluster}                    -                fence_proxy_async
fence.proxy.async.global                                            -                fence
fence.proxy.tensormap::generic.acquire{SCOPE}                       [global] u32     nothing
fence.proxy.tensormap::generic.release{SCOPE}                       -                nothing
mapa.shared::cluster.<t:u32 u64>                                    = t u32          mapa_shared
mapa.<t:u64>                                                        = t u32          mapa_generic
getctarank.shared::cluster.<t:u32 u64>                              = t              getctarank_shared
getctarank.<t:u64>                                                  = t              getctarank_generic
barrier.cluster.arrive{.release}{.aligned}                          -                barrier_cluster_arrive
barrier.cluster.arrive.relaxed{.aligned}                            -                barrier_cluster_arrive_relaxed
barrier.cluster.wait{.acquire}{.aligned}                            -                barrier_cluster_wait
nanosleep.u32                                                       u32
trap                                                                -
griddepcontrol.<w:wait launch_dependents>                           -                nothing
"""
INTEGER = "u8 s8 u16 s16 u32 s32 u64 s64"
LISTS = {
    "INT": "u16 s16 u32 s32 u64 s64",
    "INTEGER": INTEGER,
    "BYTE": "u8 s8",
    "BITS": "b16 b32 b64",
    "FLOAT": "f32 f64",
    "HALF": "f16 bf16 f16x2 bf16x2",
    "NUMBER": "b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64",
    "ALL": f"b8 b16 b32 b64 {INTEGER} f32 f64",
    "SUM": "f16 f32",
    "WGMMA": "wgmma.mma_async.sync.aligned",
    "BYTES": "mbarrier::complete_tx::bytes",
    "FP8": "e4m3 e5m2",
    "WIDTH": " ".join(map(str, range(8, 257, 8))),
    "WIDE": " ".join(map(str, [8, 24, *range(16, 257, 16)])),
    "DIM": "1d 2d 3d 4d 5d",
    "BLOCK": "shared::cluster shared::cta",
    "ATOMIC": "add min max and or xor exch inc dec",
    "EVICT": "evict_last evict_normal evict_first evict_unchanged",
    "LOOK": ".volatile .relaxed .acquire",
    "ORDER": ".weak .volatile .relaxed .acquire .release .acq_rel .sc",
    "SCOPE": ".cta .cluster .gpu .sys",
    "SPACE": ".global .shared .shared::cta .local .const",
    "CACHE": ".ca .cg .cs .lu .cv .wb .wt",
}
