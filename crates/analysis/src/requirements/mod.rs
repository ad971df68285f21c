//! What a module needs of the language: capabilities, extensions and a version
//! (specification, sections 2.16.1 and 3.31, and the columns of each table).
//!
//! [`Requirements::of`] walks a module once and lists, each once, what it uses that
//! not every module may use: instructions, values of enumerations, bits of masks,
//! extended instructions, and a few things that only the specification's text
//! makes depend on a capability, such as widths of numbers. [`Declared`] is what a
//! module (or a device) offers. [`missing`](Requirements::missing) and
//! [`unneeded`](Requirements::unneeded) compare the two.
//!
//! What enables what is in the grammar's tables. Where the text of a capability
//! goes beyond them ("may be dynamically indexed"), this module errs on the side of
//! keeping: a capability is [unneeded](Requirements::unneeded) only if the tables
//! or the lists in `beyond.rs` show that nothing rests on it. To have too many
//! capabilities costs little, one too few makes a module invalid.
//!
//! ```
//! use spirvkit_analysis::requirements::{Declared, Requirements};
//! use spirvkit_binary::Module;
//! use spirvkit_grammar::{Capability, Version};
//!
//! let text = r#"
//!     OpCapability Shader
//!     OpCapability Geometry
//!     OpCapability Int64
//!     OpMemoryModel Logical GLSL450
//!     OpEntryPoint GLCompute %main "main"
//!     OpExecutionMode %main LocalSize 1 1 1
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %double = OpTypeFloat 64
//!     %main = OpFunction %void None %function
//!     %entry = OpLabel
//!     OpReturn
//!     OpFunctionEnd"#;
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let module = Module::new(&assembled.words)?;
//!
//! let requirements = Requirements::of(module.instructions().flatten());
//! let declared = Declared::of(module.header().version, module.instructions().flatten());
//! let missing: Vec<_> = requirements.missing(&declared).collect();
//! assert_eq!(missing[0].capabilities, [Capability::Float64]);
//! assert_eq!(
//!     requirements.unneeded(&declared),
//!     [Capability::Geometry, Capability::Int64]
//! );
//! assert_eq!(requirements.least_version(&[]), Some(Version::V1_0));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

mod compare;
mod declared;
mod observe;
mod tables;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use spirvkit_binary::{Definitions, Instruction, Operand, Value, WordOffset};
use spirvkit_grammar::{
    Availability, Capability, ExtInstSet, Extensions, Op, OperandKind, Version,
};

use crate::Capabilities;
pub use declared::Declared;
use observe::Observer;

/// Something that a module uses and that needs something of the language.
#[derive(Clone, Debug)]
pub struct Need {
    /// What is used.
    pub what: Subject,
    /// Which instruction uses it first, counted from 0, and where that stands.
    /// For [`Subject::Library`], the first instruction.
    pub instruction: usize,
    /// Where that instruction stands.
    pub offset: WordOffset,
    /// The capabilities that enable it: any one suffices, and none is asked for if
    /// there are none.
    pub capabilities: &'static [Capability],
    /// Extensions that allow it without such a capability.
    pub freed_by: &'static [&'static str],
    /// What versions and extensions have it, if every capability that enables it
    /// leaves that open.
    release: Option<&'static Availability>,
}

/// What a [`Need`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Subject {
    /// An instruction, also as the operation of an `OpSpecConstantOp`.
    Instruction(Op),
    /// A value of an enumeration or a bit of a mask.
    Enumerant(OperandKind, u32),
    /// An instruction of an extended instruction set, by its number.
    Extended(ExtInstSet, u32),
    /// Integers of so many bits.
    IntegerWidth(u32),
    /// Floats of so many bits.
    FloatWidth(u32),
    /// Vectors of a number of components that is none of 2, 3 and 4.
    VectorSize(u32),
    /// That there is no entry point.
    Library,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Instruction(op) => write!(f, "{op}"),
            Self::Enumerant(kind, value) => {
                write!(f, "the {} `", kind.description())?;
                match kind.enumerant(value) {
                    Some(info) => write!(f, "{}`", info.name()),
                    None => write!(f, "{value}`"),
                }
            }
            Self::Extended(set, number) => match set.instruction(number) {
                Some(info) => write!(f, "{} of {set}", info.name()),
                None => write!(f, "instruction {number} of {set}"),
            },
            Self::IntegerWidth(bits) => write!(f, "integers of {bits} bits"),
            Self::FloatWidth(bits) => write!(f, "floats of {bits} bits"),
            Self::VectorSize(count) => write!(f, "vectors of {count} components"),
            Self::Library => f.write_str("a module without entry points"),
        }
    }
}

impl Need {
    /// The extensions that add it to versions which don't have it; any one
    /// suffices.
    pub fn extensions(&self) -> Option<Extensions> {
        self.release.map(Availability::extensions)
    }

    /// The first version that has it without an extension; `None` if only
    /// extensions do, or if the enabling capabilities are what depends on a
    /// version.
    pub fn since(&self) -> Option<Version> {
        self.release.and_then(Availability::since)
    }

    /// The last version that has it; `None` if all later ones do.
    pub fn until(&self) -> Option<Version> {
        self.release.and_then(Availability::until)
    }

    /// Whether these capabilities, or an extension that does instead, enable it.
    pub fn is_enabled(
        &self,
        capabilities: &Capabilities,
        has_extension: impl Fn(&str) -> bool,
    ) -> bool {
        self.capabilities.is_empty()
            || self
                .capabilities
                .iter()
                .any(|&each| capabilities.contains(each))
            || self.freed_by.iter().any(|name| has_extension(name))
    }

    /// Whether a version of the language, or an extension, has it.
    pub fn is_released(&self, version: Version, has_extension: impl Fn(&str) -> bool) -> bool {
        let Some(release) = self.release else {
            return true;
        };
        if release.until().is_some_and(|until| until < version) {
            return false;
        }
        let mut extensions = release.extensions();
        match release.since() {
            Some(since) if since <= version => true,
            None if extensions.len() == 0 => true,
            _ => extensions.any(has_extension),
        }
    }
}

/// What a module needs.
#[derive(Clone, Debug)]
pub struct Requirements {
    needs: Vec<Need>,
    /// Capabilities on which something may rest that no [`Need`] says.
    held: BTreeSet<Capability>,
}

impl Requirements {
    /// Collects what a module needs from all of its instructions, in their order.
    /// What doesn't decode needs nothing.
    pub fn of<'a>(instructions: impl IntoIterator<Item = Instruction<'a>>) -> Self {
        let instructions: Vec<_> = instructions.into_iter().collect();
        let words = instructions.iter().map(|each| each.words().len()).sum();
        let mut definitions = Definitions::with_word_limit(words);
        let mut collector = Collector {
            needs: Vec::new(),
            seen: BTreeSet::new(),
            held: BTreeSet::new(),
            at: (0, WordOffset(0)),
        };
        let declared = Declared::of(Version::V1_0, instructions.iter().copied());
        let mut observer = Observer::new(words, &declared.all_capabilities());
        for (index, instruction) in instructions.iter().enumerate() {
            definitions.define(instruction);
            collector.at = (index, instruction.offset());
            collector.instruction(instruction.op());
            observer.instruction(instruction, &definitions, &mut collector);
            if instruction
                .info()
                .is_some_and(|info| info.only_ids_follow())
            {
                continue;
            }
            let mut operands = instruction.operands(&definitions);
            operands.skip_leading_ids();
            for operand in operands.map_while(Result::ok) {
                collector.operand(instruction, &operand);
            }
        }
        collector.at = (0, WordOffset(0));
        observer.finish(&mut collector);
        Self {
            needs: collector.needs,
            held: collector.held,
        }
    }

    /// What the module uses that not every module may use, each once, in the order
    /// of first use.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    /// Whether something in the module may rest on a capability that no [`Need`] asks
    /// for, because it depends on more than the tables say, such as types: of several
    /// capabilities that a need leaves open, one of these is the better choice.
    pub fn may_rest_on(&self, capability: Capability) -> bool {
        self.held.contains(&capability)
    }
}

/// Collects needs.
struct Collector {
    needs: Vec<Need>,
    /// What was seen, whether or not it needs anything.
    seen: BTreeSet<Subject>,
    held: BTreeSet<Capability>,
    /// The instruction in hand.
    at: (usize, WordOffset),
}

impl Collector {
    fn instruction(&mut self, op: Op) {
        let Some(info) = op.info() else {
            return;
        };
        let availability = info.availability();
        if needs_nothing(availability) || !self.is_first(Subject::Instruction(op)) {
            return;
        }
        // A capability that versions or extensions bring brings along what it
        // enables. One that has always been there leaves the question open.
        let capabilities = availability.capabilities();
        let is_old = |capability: &Capability| {
            let info = OperandKind::Capability.enumerant(capability.0);
            info.is_some_and(|info| info.availability().since() == Some(Version::V1_0))
        };
        let is_open = capabilities.iter().all(is_old);
        let freed_by = tables::instruction_freed_by(op);
        let release = is_open.then_some(availability);
        self.push(Subject::Instruction(op), capabilities, freed_by, release);
    }

    fn operand(&mut self, instruction: &Instruction<'_>, operand: &Operand<'_>) {
        match operand.value {
            Value::Enumerant { value, .. } => self.enumerant(operand.kind, value),
            Value::Mask(bits) => {
                if bits == 0 {
                    return self.enumerant(operand.kind, 0);
                }
                let mut rest = bits;
                while rest != 0 {
                    let bit = rest & rest.wrapping_neg();
                    rest &= !bit;
                    self.enumerant(operand.kind, bit);
                }
            }
            Value::ExtInst {
                set: Some(set),
                number,
                info: Some(info),
            } => {
                let capabilities = info.availability().capabilities();
                let what = Subject::Extended(set, number);
                if !capabilities.is_empty() && self.is_first(what) {
                    self.need(what, capabilities, &[]);
                }
            }
            Value::SpecConstantOp(op) if instruction.op() == Op::SpecConstantOp => {
                self.instruction(op);
            }
            _ => {}
        }
    }

    fn enumerant(&mut self, kind: OperandKind, value: u32) {
        let Some(info) = kind.enumerant(value) else {
            return;
        };
        let availability = info.availability();
        if needs_nothing(availability) || !self.is_first(Subject::Enumerant(kind, value)) {
            return;
        }
        let capabilities = match kind {
            // A module declares what a capability implies by declaring it.
            OperandKind::Capability => &[],
            _ => availability.capabilities(),
        };
        if capabilities.is_empty() && is_in_all_versions(availability) {
            return;
        }
        if tables::is_named_without_use(kind, value) {
            self.held.extend(capabilities);
            return;
        }
        if kind == OperandKind::BuiltIn && capabilities.len() > 1 {
            // Which one counts depends on the stage of the shader.
            self.held.extend(capabilities);
        }
        let freed_by = tables::enumerant_freed_by(kind, value);
        self.push(
            Subject::Enumerant(kind, value),
            capabilities,
            freed_by,
            Some(availability),
        );
    }

    /// Notes something that needs a capability in all versions.
    fn need(
        &mut self,
        what: Subject,
        capabilities: &'static [Capability],
        freed_by: &'static [&'static str],
    ) {
        self.push(what, capabilities, freed_by, None);
    }

    /// Notes that something may rest on capabilities.
    fn hold(&mut self, capabilities: &[Capability]) {
        self.held.extend(capabilities);
    }

    fn push(
        &mut self,
        what: Subject,
        capabilities: &'static [Capability],
        freed_by: &'static [&'static str],
        release: Option<&'static Availability>,
    ) {
        let (instruction, offset) = self.at;
        self.needs.push(Need {
            what,
            instruction,
            offset,
            capabilities,
            freed_by,
            release,
        });
    }

    fn is_first(&mut self, what: Subject) -> bool {
        self.seen.insert(what)
    }
}

/// Whether every module of every version may use something.
fn needs_nothing(availability: &Availability) -> bool {
    availability.capabilities().is_empty() && is_in_all_versions(availability)
}

fn is_in_all_versions(availability: &Availability) -> bool {
    availability.since() == Some(Version::V1_0) && availability.until().is_none()
}
