//! The tests of the crate, as one program, because each takes its time to link.

mod advice;
mod built_ins;
mod cases;
mod common;
mod compiled;
mod debug_info;
mod front;
mod hostile;
mod hostile_vulkan;
mod nesting;
mod operands;
mod options;
mod pipeline;
mod pipeline_features;
mod pipeline_graphs;
mod pipeline_layout;
mod pipeline_limits;
mod reports;
mod rules;
