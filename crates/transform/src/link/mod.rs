//! Linking modules (specification, section 2.13).

mod agreement;
mod difference;
mod error;
mod finish;
mod graph;
mod interfaces;
mod kinds;
mod partition;
mod program;
mod resolve;
mod symbols;
mod write;

use spirvkit_binary::{Budget, Header};
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::Generator;
use spirvkit_ir::Module;

use error::ErrorLog;
pub(crate) use error::list;
pub use error::{LinkError, LinkErrorKind};
pub use kinds::KINDS;

use program::Program;
use symbols::Symbols;
use write::Writer;

/// A module to link, with its name in errors.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Usually the name of its file.
    pub name: &'a str,
    /// The module.
    pub module: &'a Module,
}

spirvkit_binary::options! {
    /// How to link. The default makes a program in which every symbol is resolved.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// Keep the exports, for modules to be linked with the result.
        pub create_library: bool = false,
        /// Leave what no module exports as imports.
        pub allow_partial_linkage: bool = false,
        /// Give the result the highest version among the modules, rather than asking that
        /// all have the same.
        pub use_highest_version: bool = false,
        /// Let pointers that are parameters or results of a function point to different types
        /// in the modules, as compilers produce for untyped pointers. Calls get an
        /// `OpBitcast` for each.
        pub allow_pointer_mismatch: bool = false,
        /// The memory that additions to the interfaces of entry points, or the errors, may
        /// take; the default is [`Budget::for_input`] of the modules.
        pub budget: Option<Budget> = None,
    }
}

/// Makes one module of several.
///
/// Imports become what another module exports under the same name, if both have the same
/// type; the function control, the decorations and the parameters' attributes are those of
/// the definition, which the import's decorations must not contradict. Of definitions with
/// the linkage type `LinkOnceODR`, the first is kept. An imported variable with the
/// decoration `BuiltIn` needs no export. What only linking needed is removed: decorations
/// with `LinkageAttributes`, unless they are still needed, and the capability `Linkage`.
///
/// Capabilities, extensions, imports of instruction sets, strings and sources appear once.
/// Types and constants, even types that contain themselves, become one if their operands and
/// decorations are equal and, for structures, the names of the structures and members, too.
/// Where structures have to be the same, as in parameters of an imported function, names
/// don't count.
///
/// Entry points list what they use now (specification, description of `OpEntryPoint`).
/// Ids are numbered from 1 without gaps.
///
/// # Errors
///
/// All errors in the modules, at once.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::link::{Input, Options, link};
///
/// # let assemble = |text: &str| Module::load(&spirvkit_text::assemble(text, &Default::default()).unwrap().words).unwrap();
/// let user = assemble(
///     "OpCapability Kernel
///      OpCapability Addresses
///      OpCapability Linkage
///      OpMemoryModel Physical64 OpenCL
///      OpDecorate %answer LinkageAttributes \"answer\" Import
///      %uint = OpTypeInt 32 0
///      %type = OpTypeFunction %uint
///      %answer = OpFunction %uint None %type
///      OpFunctionEnd",
/// );
/// let inputs = [Input { name: "user.spv", module: &user }];
/// let errors = link(&inputs, &Options::default()).unwrap_err();
/// assert_eq!(
///     errors[0].to_string(),
///     "`answer` is imported by `user.spv`, but no module exports it"
/// );
/// ```
pub fn link(inputs: &[Input<'_>], options: &Options) -> Result<Module, Errors<LinkError>> {
    if inputs.is_empty() {
        let message = "there is no module to link".into();
        return Err(LinkError::new(LinkErrorKind::NoInput, message).into());
    }
    let words: usize = inputs.iter().map(|input| input.module.word_count()).sum();
    let budget = options.budget.clone();
    let budget = budget.unwrap_or_else(|| Budget::for_words(words));
    let mut errors = ErrorLog::within(budget);
    let program = Program::new(inputs);
    let version = agreement::check(&program, options, &mut errors);
    program.check_decodable(&mut errors);
    let mut symbols = Symbols::collect(&program, &mut errors);
    symbols.choose(&program, options.allow_partial_linkage, &mut errors);
    let resolution = resolve::resolve(&program, &symbols, options, &mut errors);
    let mut errors = ErrorLog::within(errors.check()?);
    let header = Header {
        version,
        generator: Generator(0),
        bound: 1,
        schema: 0,
    };
    let words = Writer::new(&program, &symbols, &resolution, options).run(header, &mut errors);
    let mut budget = errors.check()?;
    let unreadable =
        |error: spirvkit_binary::Error| LinkError::new(LinkErrorKind::Opaque, error.to_string());
    let module = Module::from_words(words).map_err(unreadable)?;
    finish::finish(module, options, &mut budget).map_err(Errors::from)
}
