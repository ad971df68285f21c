//! What changed between two SPIR-V modules, whatever the numbers of their ids and the
//! order of what has none.
//!
//! [`diff`] pairs the ids of two modules and tells, instruction by instruction, what
//! both have, what only the first has, and what only the second. An instruction is in
//! both if all its words are the same once the second module's ids are replaced by
//! their partners, so a [`Diff`] without changes means that the modules say the same.
//! Declarations, names, decorations and functions are compared as sets, blocks in
//! whatever order they stand, but instructions within blocks in theirs.
//!
//! ```
//! use spirvkit_diff::{Options, TextOptions, diff};
//! use spirvkit_ir::Module;
//! use spirvkit_text::assemble;
//!
//! let load = |text: &str| {
//!     let words = assemble(text, &Default::default()).unwrap().words;
//!     Module::from_words(words).unwrap()
//! };
//! let a = load("%1 = OpTypeInt 32 0\n%2 = OpTypeFloat 32\n%3 = OpConstant %1 7\n");
//! let same = load("%8 = OpTypeFloat 32\n%9 = OpTypeInt 32 0\n%4 = OpConstant %9 7\n");
//! assert!(diff(&a, &same, &Options::default()).is_empty());
//!
//! let b = load("%8 = OpTypeFloat 32\n%9 = OpTypeInt 32 0\n%4 = OpConstant %8 7\n");
//! let changes = diff(&a, &b, &Options::default());
//! let text = changes.to_text(&TextOptions::default());
//! assert!(text.contains("\n-          %3 = OpConstant %1 7\n"));
//! assert!(text.contains("\n+          %4 = OpConstant %2 7\n"));
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

mod align;
mod blocks;
mod colors;
mod functions;
#[cfg(feature = "serde")]
mod json;
mod matching;
mod result;
mod side;
mod text;

use std::borrow::Cow;

use spirvkit_ir::Module;
use spirvkit_transform::{Strip, strip};

pub use result::{Change, Diff, Line, Part, PartKind, Side};
pub use text::TextOptions;

use colors::Colors;
use matching::Matching;

spirvkit_binary::options! {
    /// What counts as no difference. What is ignored isn't shown either.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Ignore {
        /// `DescriptorSet` and `Binding` decorations.
        pub set_binding: bool = false,
        /// `Location`, `Component` and `Index` decorations.
        pub location: bool = false,
        /// `OpName` and `OpMemberName`.
        pub names: bool = false,
        /// All that only describes the source: names, lines, source text, debug information,
        /// instruction sets without semantics but for printing.
        pub debug: bool = false,
        /// The version, the generator and the schema in the header.
        pub header: bool = false,
    }

    /// How to compare.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Options {
        /// What counts as no difference.
        pub ignore: Ignore = Ignore::default(),
        /// Whether variables may be recognised by their descriptor set and binding.
        pub match_set_binding: bool = true,
        /// Whether variables may be recognised by their location.
        pub match_location: bool = true,
    }
}

/// Compares two modules.
///
/// Takes time in proportion to the modules' size, or `n log n`, whatever is in them.
pub fn diff(a: &Module, b: &Module, options: &Options) -> Diff {
    let mut whole = [None, None];
    let [a, b] = [(a, 0), (b, 1)].map(|(module, side)| {
        let compared = without_ignored(module, &options.ignore);
        if let Cow::Owned(_) = compared {
            whole[side] = Some(module.store());
        }
        side::Side::new(&compared, &options.ignore)
    });
    let colors = |side| Colors::new(side, options.match_set_binding, options.match_location);
    let (colors_a, colors_b) = (colors(&a), colors(&b));
    let matching = Matching::new([&a, &b], [&colors_a, &colors_b]);
    let found = result::Found::new(&matching);
    drop(matching);
    found.finish(a, b, whole, options.ignore.header)
}

fn without_ignored<'m>(module: &'m Module, ignore: &Ignore) -> Cow<'m, Module> {
    let mut what = match ignore.debug {
        true => Strip::DEBUG,
        false => Strip::default(),
    };
    what.names |= ignore.names;
    if what == Strip::default() {
        return Cow::Borrowed(module);
    }
    let mut module = module.clone();
    strip(&mut module, &what);
    Cow::Owned(module)
}
