//! What `cargo xtask codegen` makes of Vulkan's registry.

#[rustfmt::skip]
pub(crate) mod profiles;
#[rustfmt::skip]
pub(crate) mod tables;
