//! Vulkan devices, and what SPIR-V modules need of them.
//!
//! A [`Device`] has a version, features, extensions and limits: it is one of the profiles that are
//! built in, is read from a report in the JSON format of Vulkan's profiles (feature `json`), or is
//! put together by hand. [`needs`] lists what a module needs of any device, and
//! [`Need::is_met_by`] asks one of them.
//!
//! A [`PipelineLayout`] says which descriptors and push constants an application gives a pipeline.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod device;
mod generated;
mod layout;
mod needs;
#[cfg(feature = "json")]
mod profile;
mod requirements;
mod tables;
mod value;

pub use device::{Device, EnableError, Entry};
#[cfg(feature = "json")]
pub use layout::LayoutError;
pub use layout::{
    Binding, DataGraph, DescriptorType, DescriptorTypes, GraphConstant, GraphResource,
    MappingSource, PipelineFlags, PipelineLayout, PushConstantRange, SetLayout, ShaderStages,
    Subpass, TensorDescription,
};
pub use needs::{
    Is, Listed, MatrixShader, Need, Term, Wanted, matrix_needs, needs, stage_names, workgroup_size,
};
#[cfg(feature = "json")]
pub use profile::ProfileError;
pub use requirements::Requirements;
pub use tables::{Enable, Feature, Limit, capability_enables, extension_enables};
pub use value::Value;
