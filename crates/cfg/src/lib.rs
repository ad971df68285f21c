//! The control flow of functions, to look at.
//!
//! [`Program::new`] finds out what there is to draw: the blocks of each function
//! with their instructions as text, the edges between them with what they mean, and
//! the structured constructs (specification, section 2.11) as [`Region`]s that lie
//! within each other. Of functions whose loops are not declared, as in kernels, the
//! regions are the natural loops. What is drawn of it:
//!
//! - [`dot()`]: text for Graphviz, a graph for each function, or with [`dot_together`] one
//!   for all;
//! - [`html()`]: one page that needs nothing else, with constructs that fold;
//! - [`json()`]: the same for programs.
//!
//! Every module can be drawn, whatever rules it breaks. Time is O(n log n) in its
//! size, and nothing recurses: regions deeper than [`MAX_DEPTH`] are left out, and
//! their blocks stand in the innermost region that is drawn.
//!
//! ```
//! use spirvkit_cfg::{EdgeKind, Program, RegionKind};
//!
//! let text = "
//!     OpName %main \"main\"
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %bool = OpTypeBool
//!     %true = OpConstantTrue %bool
//!     %main = OpFunction %void None %function
//!     %entry = OpLabel
//!     OpSelectionMerge %merge None
//!     OpBranchConditional %true %then %merge
//!     %then = OpLabel
//!     OpBranch %merge
//!     %merge = OpLabel
//!     OpReturn
//!     OpFunctionEnd";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let program = Program::new(&assembled.words)?;
//! let main = &program.functions[0];
//! assert_eq!((main.name.as_str(), main.blocks.len()), ("%main", 3));
//! assert_eq!(main.regions[0].kind, RegionKind::Selection);
//! assert_eq!(main.blocks[1].region, Some(0));
//! assert_eq!(main.blocks[2].region, None);
//! assert_eq!((main.edges[0].label().as_str(), main.edges[0].kind), ("true", EdgeKind::Forward));
//! assert_eq!(main.edges[1].kind, EdgeKind::Merge);
//!
//! assert!(spirvkit_cfg::dot(&program).starts_with("digraph"));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```
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

mod dot;
mod edges;
#[cfg(feature = "serde")]
mod html;
#[cfg(feature = "serde")]
mod json;
mod model;
mod read;
mod regions;

pub use dot::{dot, dot_together};
#[cfg(feature = "serde")]
pub use html::html;
#[cfg(feature = "serde")]
pub use json::json;
pub use model::{
    Block, Edge, EdgeKind, Function, Line, MAX_DEPTH, Program, Region, RegionIndex, RegionKind,
};
