"""Primitives that are not read, in words."""

from __future__ import annotations

from symtape.frontends.jaxpr.table import refuses

refuses(
    "it gives or takes complex numbers, and symtape reads real ones; compute with real and "
    "imaginary parts",
    "complex imag fft eig schur hessenberg cholesky_complex",
)
refuses(
    "it draws random numbers by a key that depends on the inputs; pass the key, or the numbers, "
    "as a constant",
    """
    philox2x32 philox4x32 random_bits random_clone random_fold_in random_gamma random_gamma_grad
    random_seed random_split random_unwrap random_wrap rng_bit_generator rng_uniform
    iota_2x32_shape threefry2x32 threefry4x32
    """,
)
refuses(
    "it works on the bits of numbers, which are no functions of real numbers",
    "clz mulhi population_count shift_left from_edtype to_edtype",
)
refuses(
    "it belongs to programs on several devices; give the function as it is on one",
    """
    all_gather all_gather_done all_gather_invariant all_gather_reduced all_gather_reduced_start
    all_gather_start all_to_all all_to_all_done all_to_all_start axis_index inspect_sharding
    layout_constraint mesh_cast pbroadcast pbroadcast_done pbroadcast_start pmax pmin ppermute
    ppermute_done ppermute_start precv preduced psend psum psum2 psum_done psum_invariant
    psum_invariant_start psum_start pvary ragged_all_to_all reduce_scatter reduce_scatter_done
    reduce_scatter_start reduced_vary_cast_p shard_map sharding_constraint unreduced_psum
    unreduced_psum_start unreduced_reduce_scatter unreduced_reduce_scatter_start
    vary_unreduced_cast_p core_map global_array_to_host_local_array
    host_local_array_to_global_array
    """,
)
refuses(
    "it reads or writes state (references, logs, tokens), and a program with state has no value "
    "at a point alone",
    """
    accum_grad_in_ref addupdate after_all box_get box_set create_linear create_token empty_ref
    free_ref freeze get log_extend log_read new_box new_log new_ref pin run_state stage swap
    unpin
    """,
)
refuses(
    "it is a compiled kernel, or a call out of the program, without a program to read",
    """
    call_exported call_hi_primitive call_hi_primitive_linearized cudnn_fusion
    custom_partitioning dot_product_attention_bwd dot_product_attention_bwd_wrapper
    dot_product_attention_fp8_bwd dot_product_attention_fp8_bwd_wrapper
    dot_product_attention_fp8_fwd dot_product_attention_fp8_fwd_wrapper
    dot_product_attention_fwd dot_product_attention_fwd_wrapper scaled_dot scaled_matmul
    scaled_matmul_wrapper
    """,
)
refuses(
    "symtape has no row for this factorisation, or for a part of one",
    "geqp3 geqrf householder_product ormqr tridiagonal",
)
refuses(
    "symtape has no row for the derivative of the incomplete gamma function by its first argument",
    "igamma_grad_a",
)
refuses(
    "it applies a function of its own to many elements, or an approximate one; use jnp.sum, "
    "jnp.max, lax.scan or jax.lax.top_k",
    "approx_top_k reduce reduce_window select_and_scatter ragged_dot_general",
)
refuses(
    "it lives while a program is transformed and in no program that is run",
    "custom_lin linear_call remat_opt dce_sink pmap xla_pmap check unreachable zeros_like",
)
refuses(
    "its result has a size that is known when it runs, and programs are read by shapes",
    "dim_as_value dimension_size shape_assertion",
)
refuses(
    "which rows a factorisation swaps depends on the inputs here, outside of any factorisation",
    "lu_pivots_to_permutation",
)
refuses(
    "its elements are not set, so that it has no value",
    "empty empty2",
)
