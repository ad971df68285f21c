//! Conversion between the sets.

mod body;
mod extents;
mod fields;
mod loss;
mod minimal;
mod order;
mod plan;
mod sources;
mod types;

use std::borrow::Cow;
use std::collections::HashMap;

use spirvkit_binary::{Id, IdMap, LiteralString};
use spirvkit_grammar::{Class, ExtInstSet, Op, SourceLanguage, Version};
use spirvkit_ir::{Inst, Module, Place};

pub use self::loss::{Conversion, Effect, Loss, Losses};
pub use self::minimal::describe;
use self::plan::Disposition;
use self::sources::Sources;
use crate::build::{Draft, EncodeError, Encoder, Target as _, literal};
use crate::{DebugInfo, Encoding, Entry, Field, Kind, Set};

spirvkit_binary::options! {
    /// How to convert.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Options {
        /// Whether instructions of [`Set::Shader`] may refer to later ones, by
        /// `OpExtInstWithForwardRefsKHR`. Only so a structure can hold a pointer to itself,
        /// or a class have methods. Consumers without the extension
        /// `SPV_KHR_relaxed_extended_instruction` don't take that; without it, such members
        /// are lost.
        pub forward_references: bool = true,
    }
}

/// Converts the debug information of a module to another set.
///
/// All instructions of the other sets become instructions of this one, with the same
/// ids, as far as it can express them; `DebugSource` and `OpString`, `DebugLine` and
/// `OpLine`, `DebugFunctionDefinition` and the operand of `DebugFunction` that says the
/// same are turned into each other. What can't be said is left out or said in another
/// way, and listed. Instructions that are no debug information stay as they are.
///
/// A module without instructions of other sets stays as it is: see
/// [`describe`] makes debug information of lines and names.
///
/// # Errors
///
/// If an instruction gets too long for the target. The module is what it was then.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use spirvkit_debuginfo::Set;
/// use spirvkit_debuginfo::convert::{Options, convert};
/// use spirvkit_ir::Module;
///
/// let text = r#"
///            OpCapability Addresses
///            OpCapability Kernel
///     %set = OpExtInstImport "OpenCL.DebugInfo.100"
///            OpMemoryModel Physical32 OpenCL
///    %name = OpString "uint"
///    %void = OpTypeVoid
///     %int = OpTypeInt 32 0
///      %32 = OpConstant %int 32
///    %uint = OpExtInst %void %set DebugTypeBasic %name %32 Unsigned
///  %atomic = OpExtInst %void %set DebugTypeQualifier %uint AtomicType
/// "#;
/// let words = spirvkit_text::assemble(text, &Default::default()).map_err(|_| "")?.words;
/// let mut module = Module::load(&words)?;
/// let conversion = convert(&mut module, Set::DebugInfo, &Options::default())?;
/// assert_eq!(conversion.losses.len(), 1);
/// assert_eq!(conversion.losses[0].instruction, "DebugTypeQualifier");
/// # Ok(())
/// # }
/// ```
pub fn convert(module: &mut Module, to: Set, options: &Options) -> Result<Conversion, EncodeError> {
    let words = module.store();
    // What was stored can be read again.
    let Ok(info) = DebugInfo::read(&words) else {
        return Ok(Conversion::default());
    };
    let result = Converter::run(&info, module, to, options);
    if result.is_err()
        && let Ok(before) = Module::load(&words)
    {
        *module = before;
    }
    result
}

/// A conversion that is going on.
struct Converter<'a, 'm> {
    /// The module as it was.
    info: &'a DebugInfo<'a>,
    module: &'m mut Module,
    to: Set,
    from: Vec<Set>,
    /// The import of the target.
    import: Id,
    void: Id,
    encoder: Encoder,
    dispositions: IdMap<Disposition>,
    /// The composites that list members.
    composites: IdMap<Id>,
    sources: Sources,
    stopgaps: Stopgaps,
    /// The strings for names of opaque types: those with the mark of the oldest set, none if
    /// a name has it.
    marked: HashMap<Id, Option<Id>>,
    /// What was lost, with where it stood.
    losses: Vec<(usize, Loss)>,
    /// Instructions of the other sets that are unknown.
    unknown: Vec<Inst>,
    options: Options,
}

/// What is written where the target needs something and the module says nothing.
#[derive(Default)]
struct Stopgaps {
    none: Option<Id>,
    unit: Option<Id>,
    void: Option<Id>,
    function: Option<Id>,
    constant_true: Option<Id>,
}

impl<'a, 'm> Converter<'a, 'm> {
    fn run(
        info: &'a DebugInfo<'a>,
        module: &'m mut Module,
        to: Set,
        options: &Options,
    ) -> Result<Conversion, EncodeError> {
        let mut from: Vec<Set> = Vec::new();
        for (_, set) in info.sets() {
            if set != to && !from.contains(&set) {
                from.push(set);
            }
        }
        if from.is_empty() {
            return Ok(Conversion::default());
        }
        let mut converter = Self::new(info, module, to, from, options)?;
        converter.plan();
        converter.convert_sources()?;
        let entries: Vec<Entry<'a>> = converter.converted().collect();
        for &entry in &entries {
            converter.rewrite(entry)?;
        }
        converter.convert_bodies()?;
        converter.clear(&entries)?;
        converter.sort()?;
        converter.declare_extensions()?;
        let mut losses = converter.losses;
        losses.sort_by_key(|(offset, _)| *offset);
        Ok(Conversion {
            from: converter.from,
            instructions: entries.len(),
            losses: losses.into_iter().map(|(_, loss)| loss).collect(),
        })
    }

    fn new(
        info: &'a DebugInfo<'a>,
        module: &'m mut Module,
        to: Set,
        from: Vec<Set>,
        options: &Options,
    ) -> Result<Self, EncodeError> {
        let import = import(info, module, to)?;
        let mut encoder = Encoder::new(module, to);
        let void = encoder.void(module)?;
        Ok(Self {
            dispositions: module.id_table(Disposition::Other),
            composites: module.id_table(Id(0)),
            info,
            module,
            to,
            from,
            import,
            void,
            encoder,
            sources: Sources::default(),
            stopgaps: Stopgaps::default(),
            marked: HashMap::new(),
            losses: Vec::new(),
            unknown: Vec::new(),
            options: *options,
        })
    }

    /// The instructions that are to be converted, in the module's order.
    fn converted(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let (info, to) = (self.info, self.to);
        info.entries().filter(move |entry| entry.set() != to)
    }

    fn lose(
        &mut self,
        entry: Entry<'a>,
        field: Option<Field>,
        effect: Effect,
        why: impl Into<Cow<'static, str>>,
    ) {
        let loss = Loss {
            id: Some(entry.id()),
            instruction: entry.kind().name(),
            field,
            effect,
            why: why.into(),
        };
        self.losses.push((entry.offset().0, loss));
    }

    /// Gives an instruction the words that the target wants, or none of its own if it
    /// is to go.
    fn rewrite(&mut self, entry: Entry<'a>) -> Result<(), EncodeError> {
        let Some(inst) = self.module.definition(entry.id()) else {
            return Ok(());
        };
        let (kind, operands) = match self.dispositions.get(entry.id()) {
            Disposition::Other => return Ok(()),
            Disposition::As(kind) => (kind, self.operands(entry, kind)?),
            Disposition::Alias(_) | Disposition::Gone => (Kind::InfoNone, Vec::new()),
        };
        let void = entry.instruction().result_type().unwrap_or(self.void);
        let words: Vec<u32> = [void.0, entry.id().0, self.import.0, kind.number()]
            .into_iter()
            .chain(operands)
            .collect();
        self.module.replace(inst, Op::ExtInst, &words)?;
        Ok(())
    }

    /// Takes out what is to go. What something else refers to that is unknown stays, as
    /// a `DebugInfoNone`.
    fn clear(&mut self, entries: &[Entry<'a>]) -> Result<(), EncodeError> {
        let goes = |disposition| matches!(disposition, Disposition::Alias(_) | Disposition::Gone);
        let mut going = std::mem::take(&mut self.unknown);
        // Where an id is defined twice, one of these may have become what the other was to be.
        let is_extended = |&inst: &Inst| {
            let op = self.module.op(inst);
            op.is_ext_inst()
        };
        going.retain(is_extended);
        for &inst in &going {
            let words = self.module.get(inst).words();
            let words = [words[1], words[2], self.import.0, Kind::InfoNone.number()];
            self.module.replace(inst, Op::ExtInst, &words)?;
        }
        let gone = entries
            .iter()
            .filter(|it| goes(self.dispositions.get(it.id())));
        going.extend(gone.filter_map(|entry| self.module.definition(entry.id())));
        for inst in going {
            let id = self.module.result(inst).unwrap_or(Id(0));
            if self.forget(id)? {
                self.module.remove(inst)?;
            }
        }
        // What has become an instruction of the core has no id any more.
        for entry in entries {
            if self.module.definition(entry.id()).is_none() {
                self.forget(entry.id())?;
            }
        }
        let texts = entries.iter().filter_map(|entry| entry.id_of(Field::Text));
        // Texts that have gone elsewhere.
        for text in texts {
            let string = self.module.definition(text);
            let string = string.filter(|&inst| self.module.op(inst) == Op::String);
            if let Some(string) = string
                && self.module.uses(text).next().is_none()
            {
                self.module.remove(string)?;
            }
        }
        Ok(())
    }

    /// Takes out what is said about an id: names and decorations. Returns whether nothing
    /// else uses it.
    fn forget(&mut self, id: Id) -> Result<bool, EncodeError> {
        let users: Vec<Inst> = self.module.uses(id).map(|it| it.inst).collect();
        let is_about = |&inst: &Inst| {
            let info = self.module.op(inst).info();
            info.is_some_and(|it| matches!(it.class(), Class::Debug | Class::Annotation))
        };
        if !users.iter().all(is_about) {
            return Ok(false);
        }
        for user in users {
            // One that uses it twice is gone the second time.
            if self.module.is_attached(user) {
                self.module.remove(user)?;
            }
        }
        Ok(true)
    }

    /// Brings the instructions into an order that the target takes.
    fn sort(&mut self) -> Result<(), EncodeError> {
        let allow_forward = self.options.forward_references;
        let circular = order::sort(self.module, self.to, self.import, allow_forward)?;
        if circular.is_empty() {
            return Ok(());
        }
        self.cut(&circular)?;
        // What stands for the references has to come before them.
        let allow_forward = self.options.forward_references;
        order::sort(self.module, self.to, self.import, allow_forward)?;
        Ok(())
    }

    /// Takes away references to what can only come later.
    fn cut(&mut self, circular: &[order::Circular]) -> Result<(), EncodeError> {
        let mut members: Vec<(Inst, Vec<usize>)> = Vec::new();
        for reference in circular {
            let inst = reference.inst;
            let entry = self.module.result(inst).and_then(|id| self.info.entry(id));
            let kind = order::kind_of(self.module, self.to, self.import, inst);
            if reference.is_member {
                match members.last_mut().filter(|(last, _)| *last == inst) {
                    Some((_, words)) => words.push(reference.word),
                    None => members.push((inst, vec![reference.word])),
                }
                continue;
            }
            let slots = kind
                .and_then(|kind| self.to.fields(kind))
                .unwrap_or_default();
            let at = reference.word.saturating_sub(5);
            let field = slots.get(at.min(slots.len().saturating_sub(1)));
            let field = field.map(|slot| slot.field());
            let stopgap = match field {
                _ if self.to == Set::DebugInfo => self.none()?,
                Some(Field::Parent | Field::Scope) => self.unit()?,
                _ => self.void_type()?,
            };
            self.module.set_word(inst, reference.word, stopgap.0)?;
            if let Some(entry) = entry {
                let why = "it leads back to the instruction itself";
                self.lose(entry, field, Effect::Approximated, why);
            }
        }
        for (inst, words) in members {
            let all = self.module.get(inst).words().to_vec();
            let mut kept = Vec::with_capacity(all.len());
            let mut cut = words.into_iter().peekable();
            for (index, &word) in all.iter().enumerate().skip(1) {
                match cut.next_if_eq(&index) {
                    Some(_) => {}
                    None => kept.push(word),
                }
            }
            self.module.replace(inst, Op::ExtInst, &kept)?;
            let entry = self.module.result(inst).and_then(|id| self.info.entry(id));
            if let Some(entry) = entry {
                let why = "a member that leads back to its composite is a forward reference";
                self.lose(entry, Some(Field::Members), Effect::Lost, why);
            }
        }
        Ok(())
    }

    fn number_id(&mut self, number: u32) -> Result<Id, EncodeError> {
        let id = self.encoder.number(self.module, u64::from(number))?;
        Ok(id.unwrap_or(Id(0)))
    }

    fn string(&mut self, text: &str) -> Result<Id, EncodeError> {
        self.encoder.text(self.module, text)
    }

    /// Inserts an instruction that there was not.
    fn insert(
        &mut self,
        place: Place,
        kind: Kind,
        operands: &[u32],
    ) -> Result<(Id, Inst), EncodeError> {
        let id = self.module.fresh_id();
        let words: Vec<u32> = [self.void.0, id.0, self.import.0, kind.number()]
            .into_iter()
            .chain(operands.iter().copied())
            .collect();
        let inst = self.module.insert(place, Op::ExtInst, &words)?;
        Ok((id, inst))
    }

    /// Writes an instruction before the functions; it finds its place among the others
    /// later.
    fn add(&mut self, draft: &Draft) -> Result<Id, EncodeError> {
        self.encoder.add(self.module, None, draft)
    }

    /// A `DebugInfoNone`.
    fn none(&mut self) -> Result<Id, EncodeError> {
        if let Some(none) = self.stopgaps.none {
            return Ok(none);
        }
        let known = self.info.of_kind(Kind::InfoNone).next();
        let none = match known {
            Some(entry) => entry.id(),
            None => self.encoder.none(self.module)?,
        };
        Ok(*self.stopgaps.none.insert(none))
    }

    /// The compilation unit, or one of them.
    fn unit(&mut self) -> Result<Id, EncodeError> {
        if let Some(unit) = self.stopgaps.unit {
            return Ok(unit);
        }
        let known = self.info.of_kind(Kind::CompilationUnit).next();
        let unit = match known {
            Some(entry) => entry.id(),
            None => self.new_unit()?,
        };
        Ok(*self.stopgaps.unit.insert(unit))
    }

    fn new_unit(&mut self) -> Result<Id, EncodeError> {
        let source = self.any_source()?;
        let unit = Draft::new(Kind::CompilationUnit)
            .with(Field::Version, FORMAT_VERSION)
            .with(Field::DwarfVersion, DWARF_VERSION)
            .with(Field::Source, source);
        self.add(&match self.to {
            Set::DebugInfo => unit,
            _ => unit.with(Field::Language, SourceLanguage::Unknown.0),
        })
    }

    /// A basic type that is called void and has no size.
    fn void_type(&mut self) -> Result<Id, EncodeError> {
        if let Some(void) = self.stopgaps.void {
            return Ok(void);
        }
        let void = Draft::new(Kind::TypeBasic)
            .with(Field::Name, "void")
            .with(Field::Size, 0u32)
            .with(Field::Encoding, Encoding::Unspecified.0);
        let void = self.add(&void)?;
        Ok(*self.stopgaps.void.insert(void))
    }

    /// The type of functions without parameters and result.
    fn plain_function_type(&mut self) -> Result<Id, EncodeError> {
        if let Some(function) = self.stopgaps.function {
            return Ok(function);
        }
        let function = Draft::new(Kind::TypeFunction).with(Field::ReturnType, self.void);
        let function = self.add(&function)?;
        Ok(*self.stopgaps.function.insert(function))
    }

    /// Whether an instruction is one of the target.
    fn is_debug(&self, inst: Inst) -> bool {
        order::kind_of(self.module, self.to, self.import, inst).is_some()
    }

    /// Declares what the target needs, and takes away what only the other sets needed.
    fn declare_extensions(&mut self) -> Result<(), EncodeError> {
        let globals: Vec<Inst> = self.module.globals().collect();
        let mut is_non_semantic = false;
        let mut is_early = false;
        let mut extensions = Vec::new();
        for &inst in &globals {
            let text = |from: usize| {
                let words = self.module.get(inst).words().get(from..);
                words.and_then(LiteralString::at_start_of)
            };
            match self.module.op(inst) {
                Op::ExtInstImport => {
                    let name = text(2).map(|name| name.to_text_lossy());
                    is_non_semantic |=
                        name.is_some_and(|name| ExtInstSet::is_non_semantic_name(&name));
                }
                Op::Extension => {
                    extensions.extend(text(1).map(|name| (inst, name.to_text_lossy())));
                }
                Op::ExtInstWithForwardRefsKHR => is_early = true,
                _ => {}
            }
        }
        let is_core = self.module.header().version >= Version::V1_6;
        let wanted = [
            (NON_SEMANTIC, is_non_semantic, !is_core),
            (RELAXED, is_early, true),
        ];
        for (name, is_used, is_needed) in wanted {
            let mut declared = extensions.iter().filter(|(_, own)| own == name).peekable();
            if is_used && is_needed && declared.peek().is_none() {
                self.module.extension(name)?;
            }
            for &(inst, _) in declared.filter(|_| !is_used) {
                self.module.remove(inst)?;
            }
        }
        Ok(())
    }
}

/// The version of the format that a new compilation unit says.
const FORMAT_VERSION: u32 = 1;
/// The version of DWARF that the sets' specifications are about.
const DWARF_VERSION: u32 = 4;

const NON_SEMANTIC: &str = "SPV_KHR_non_semantic_info";
const RELAXED: &str = "SPV_KHR_relaxed_extended_instruction";

/// Makes an import of the target of the first import of another set; the others go, or
/// import the target, too. Returns the one that is there.
fn import(info: &DebugInfo<'_>, module: &mut Module, to: Set) -> Result<Id, EncodeError> {
    let name = literal(to.import_name());
    let known = info.sets().find(|(_, set)| *set == to).map(|(id, _)| id);
    let mut import = known;
    for (id, set) in info.sets() {
        let Some(inst) = module.definition(id).filter(|_| set != to) else {
            continue;
        };
        if import.is_some() {
            // Its instructions all go or become the target's.
            module.remove(inst)?;
            continue;
        }
        let words: Vec<u32> = [id.0].into_iter().chain(name.iter().copied()).collect();
        module.replace(inst, Op::ExtInstImport, &words)?;
        import = Some(id);
    }
    match import {
        Some(import) => Ok(import),
        None => Ok(module.declare(None, Op::ExtInstImport, None, &name)?),
    }
}
