//! A module's interface to the API, and its contents.
//!
//! [`reflect`] reads a module and returns a [`Reflection`]: entry points with their
//! modes, the sizes of their workgroups and what they use; inputs and outputs;
//! descriptors; push constants; types with the layouts that they are decorated with;
//! specialization constants; the arguments of kernels; and how large everything is.
//! It is plain data, and serializable.
//!
//! Names and debug information are reported where they exist, but nothing else depends on
//! them, so a stripped module gives the same result except for names. What the module leaves
//! open is `None` or unknown; nothing is guessed. A module need not be valid: if several
//! instructions define an id, the first counts, and instructions that lack operands are left
//! out.
//!
//! This takes time in proportion to the module's length, except for sorting, and doesn't
//! recurse. Types are in a table, to which everything refers by id, because nested types can
//! be exponentially large when they are written out, and types with pointers can contain
//! themselves.
//!
//! ```
//! use spirvkit_reflect::{DescriptorKind, TypeKind, reflect};
//!
//! let text = r#"
//!     OpCapability Shader
//!     OpMemoryModel Logical GLSL450
//!     OpEntryPoint GLCompute %main "main"
//!     OpExecutionMode %main LocalSize 64 1 1
//!     OpDecorate %lights DescriptorSet 0
//!     OpDecorate %lights Binding 3
//!     OpDecorate %Lights Block
//!     OpMemberDecorate %Lights 0 Offset 0
//!     OpMemberDecorate %Lights 1 Offset 16
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %float = OpTypeFloat 32
//!     %vec3 = OpTypeVector %float 3
//!     %Lights = OpTypeStruct %vec3 %float
//!     %pointer = OpTypePointer Uniform %Lights
//!     %lights = OpVariable %pointer Uniform
//!     %main = OpFunction %void None %function
//!     %entry = OpLabel
//!     %all = OpLoad %Lights %lights
//!     OpReturn
//!     OpFunctionEnd"#;
//! let module = spirvkit_text::assemble(text, &Default::default()).unwrap();
//!
//! let reflection = reflect(&module.words)?;
//! let lights = &reflection.descriptors[0];
//! assert_eq!((lights.set, lights.binding), (Some(0), Some(3)));
//! assert_eq!(lights.kind, DescriptorKind::UniformBuffer);
//! assert!(lights.access.read && !lights.access.written);
//!
//! let main = &reflection.entry_points[0];
//! assert_eq!(main.stage, Some("compute"));
//! assert_eq!(main.workgroup_size.as_ref().unwrap().x.size.known(), Some(64));
//! assert_eq!(main.uses.as_ref().unwrap().descriptors, [lights.id]);
//!
//! let TypeKind::Struct { members, .. } = &reflection.ty(lights.ty.unwrap()).unwrap().kind else {
//!     unreachable!();
//! };
//! assert_eq!(members[0].size.unwrap().known(), Some(12));
//! assert_eq!(members[0].padded_size.unwrap().known(), Some(16));
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

mod constants;
mod contents;
mod decorations;
mod entry;
mod kernels;
mod resources;
#[cfg(feature = "serde")]
mod serial;
mod statistics;
mod types;
mod usage;

use spirvkit_analysis::CallGraph;
use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout;
use spirvkit_binary::{Budget, Error, Id, LiteralString, Module};
use spirvkit_grammar::{
    AddressingModel, Capability, ExecutionModel, MemoryModel, SourceLanguage, Version,
};

pub use constants::{Scalar, SpecConstant};
pub use entry::{Dimension, EntryPoint, Mode, Uses, WorkgroupSize, WorkgroupSource};
pub use kernels::{Kernel, KernelArgument, Passing};
pub use resources::{
    Access, Descriptor, DescriptorKind, HeapAccess, InterfaceVariable, PushConstant,
    TransformFeedback, Variable,
};
pub use spirvkit_analysis::layout::Extent;
pub use statistics::{OpcodeCount, Parts, Statistics};
pub use types::{Block, Image, ImageUsage, Member, Operand, OperandValue, Order, Type, TypeKind};

use contents::Contents;
use resources::Known;
use types::Types;

/// The version of the serialized form; `docs/info-json.md` describes it. It goes up when
/// something changes its meaning or is removed.
pub const FORMAT_VERSION: u32 = 1;

/// A module's interface to the API, and its contents. Lists are in the order of the module,
/// unless they say otherwise.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reflection {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The version of the language.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub version: Version,
    /// The tool that wrote the module.
    pub generator: Generator,
    /// All ids are below this.
    pub bound: u32,
    /// The capabilities that it declares.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::names"))]
    pub capabilities: Vec<Capability>,
    /// The extensions that it declares.
    pub extensions: Vec<String>,
    /// The extended instruction sets that it imports.
    pub imports: Vec<String>,
    /// Its addressing model; `None` if it declares none.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub addressing_model: Option<AddressingModel>,
    /// Its memory model; `None` if it declares none.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub memory_model: Option<MemoryModel>,
    /// Its source, if known.
    pub source: Option<Source>,
    /// Its entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Its inputs.
    pub inputs: Vec<InterfaceVariable>,
    /// Its outputs.
    pub outputs: Vec<InterfaceVariable>,
    /// Its descriptors.
    pub descriptors: Vec<Descriptor>,
    /// Its blocks of push constants.
    pub push_constants: Vec<PushConstant>,
    /// Its other variables, outside of functions.
    pub variables: Vec<Variable>,
    /// Its uses of descriptor heaps.
    pub heap_accesses: Vec<HeapAccess>,
    /// The constants that specialization can set.
    pub spec_constants: Vec<SpecConstant>,
    /// Its kernels with their arguments.
    pub kernels: Vec<Kernel>,
    /// Its types, in the order of their ids.
    pub types: Vec<Type>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Its size in numbers.
    pub statistics: Statistics,
    /// Whether something was left out, because listing it for everything that shares it would
    /// have made the reflection far larger than the module.
    pub truncated: bool,
}

/// The tool that wrote a module (specification, section 2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Generator {
    /// The number that the registry gives the tool.
    pub tool: u16,
    /// The name that it has there.
    pub name: Option<&'static str>,
    /// The tool's own version number.
    pub version: u16,
}

/// The source of a module, from the first `OpSource`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Source {
    /// The language.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub language: SourceLanguage,
    /// Its version.
    pub version: u32,
    /// The name of the file.
    pub file: Option<String>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Function {
    /// Its id.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// How many blocks it has; 0 if it is only declared.
    pub blocks: u64,
    /// How many instructions it has, from its `OpFunction` to its `OpFunctionEnd`.
    pub instructions: u64,
    /// The number of words that these take.
    pub words: u64,
    /// Whether any entry point reaches it.
    pub reached: bool,
}

impl Reflection {
    /// The type with this id.
    pub fn ty(&self, id: Id) -> Option<&Type> {
        let place = self.types.binary_search_by_key(&id, |ty| ty.id).ok()?;
        self.types.get(place)
    }
}

/// Reflects a module, given as words in host order. What very many things share is listed for
/// each of them as far as the module's [budget](Budget) allows.
///
/// # Errors
///
/// If the header can't be read, or the words can't be split into instructions, because the
/// length of one is zero or goes past the end.
pub fn reflect(words: &[u32]) -> Result<Reflection, Error> {
    reflect_within(words, Budget::for_words(words.len()))
}

/// The same with the caller's budget: the number of bytes that shared items may take, in
/// memory and when written.
///
/// # Errors
///
/// As for [`reflect`].
pub fn reflect_within(words: &[u32], budget: Budget) -> Result<Reflection, Error> {
    let module = Module::new(words)?;
    let contents = Contents::new(module, budget)?;
    let constants = layout::Types::of(&contents.index);
    let mut types = Types::new(&contents, &constants);
    let calls = CallGraph::new(&contents.index);
    let known = Known {
        stages: stages(&contents, &calls),
        used: used(&contents, &calls),
    };
    let resources = resources::resources(&contents, &types, &known);
    let spec_constants = constants::spec_constants(&contents, &types);
    let entries = entry::Reader {
        contents: &contents,
        constants: &constants,
        calls: &calls,
        roles: &resources.roles,
    };
    let entry_points = entries.entry_points();
    let kernels = kernels::kernels(&contents, &types, &constants, &entry_points);
    types.list.sort_unstable_by_key(|ty| ty.id);
    let header = module.header();
    let index = &contents.index;
    let texts = |instructions: &mut dyn Iterator<Item = &Inst<'_>>| -> Vec<String> {
        let names = instructions.filter_map(contents::operand_string);
        names.map(LiteralString::to_text_lossy).collect()
    };
    Ok(Reflection {
        format_version: FORMAT_VERSION,
        version: header.version,
        generator: Generator {
            tool: header.generator.tool(),
            name: header.generator.name(),
            version: header.generator.version(),
        },
        bound: header.bound,
        extensions: texts(&mut index.extensions.iter().map(|(inst, _)| inst)),
        imports: texts(&mut index.imports.iter()),
        addressing_model: contents.models.map(|(addressing, _)| addressing),
        memory_model: contents.models.map(|(_, memory)| memory),
        source: contents.source.map(|(language, version, file)| Source {
            language,
            version,
            file: file.and_then(|file| contents::text(contents.string(file))),
        }),
        entry_points,
        inputs: resources.inputs,
        outputs: resources.outputs,
        descriptors: resources.descriptors,
        push_constants: resources.push_constants,
        variables: resources.others,
        heap_accesses: resources.heaps,
        spec_constants,
        kernels,
        functions: functions(&contents, &calls),
        statistics: contents.counter.finish(words.len()),
        types: types.list,
        truncated: contents.is_cut(),
        capabilities: contents.index.declared_capabilities,
    })
}

/// For each variable whether a function names it that an entry point reaches, or any
/// function if there is no entry point.
fn used(contents: &Contents<'_>, calls: &CallGraph<'_>) -> Vec<bool> {
    let mut used = vec![false; contents.variables.len()];
    let all = calls.entry_points().is_empty();
    for number in 0..calls.graph().len() {
        if all || calls.is_reached(number) {
            for &variable in contents.usage.of_function(number as usize) {
                if let Some(used) = used.get_mut(variable as usize) {
                    *used = true;
                }
            }
        }
    }
    used
}

/// For each variable the execution model of the first entry point that lists it.
fn stages(contents: &Contents<'_>, calls: &CallGraph<'_>) -> Vec<Option<ExecutionModel>> {
    let mut models = contents.id_table(None);
    for entry in calls.entry_points() {
        for &id in entry.interface {
            models.slot(Id(id)).get_or_insert(entry.model);
        }
    }
    let variables = contents.variables.iter();
    variables.map(|variable| models.get(variable.id)).collect()
}

fn functions(contents: &Contents<'_>, calls: &CallGraph<'_>) -> Vec<Function> {
    let index = &contents.index;
    let functions = (0..).zip(index.functions.iter().zip(contents.usage.functions()));
    // The first function with an id is the one that has its name.
    let is_first = |number: u32, id: Id| index.function_index(id) == Some(number);
    functions
        .map(|(number, (function, usage))| Function {
            id: function.id,
            name: is_first(number, function.id)
                .then(|| contents.name(function.id))
                .flatten(),
            blocks: function.blocks.len() as u64,
            instructions: usage.instructions,
            words: usage.words,
            reached: calls.is_reached(number),
        })
        .collect()
}
