//! What a module has before its functions, found in one pass.

use std::cell::RefCell;

use spirvkit_binary::{
    Budget, Definitions, Error, HEADER_WORDS, Id, IdMap, Instruction, LiteralString, Module,
    WordOffset,
};
use spirvkit_grammar::{
    AddressingModel, Capability, ExtInstSet, MemoryModel, Op, SourceLanguage, StorageClass,
};

use crate::marks::Decorations;
use crate::statistics::Counter;
use crate::usage::Usage;

/// A sort of extended instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Set {
    /// Its instructions do something.
    #[default]
    Semantic,
    /// Nothing is computed otherwise without its instructions.
    WithoutSemantics,
    /// `NonSemantic.ClspvReflection.*`.
    Clspv,
}

/// A variable of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableInstruction {
    pub(crate) id: Id,
    pub(crate) storage_class: StorageClass,
    /// What its pointer points to; `None` if that can't be told.
    pub(crate) ty: Option<Id>,
    pub(crate) has_initializer: bool,
}

/// What stands before the functions, and how these use it.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) module: Module<'a>,
    pub(crate) definitions: Definitions,
    pub(crate) capabilities: Vec<Capability>,
    pub(crate) extensions: Vec<LiteralString<'a>>,
    pub(crate) imports: Vec<LiteralString<'a>>,
    sets: IdMap<Set>,
    pub(crate) addressing: Option<AddressingModel>,
    pub(crate) memory: Option<MemoryModel>,
    /// With their places among all instructions.
    pub(crate) entry_points: Vec<(u32, Instruction<'a>)>,
    pub(crate) modes: Vec<Instruction<'a>>,
    /// The first of the sources: its language, its version and its file.
    pub(crate) source: Option<(SourceLanguage, u32, Option<Id>)>,
    /// For ids with names and for strings, where their instruction stands.
    names: IdMap<u32>,
    strings: IdMap<u32>,
    /// By structure and member, sorted.
    member_names: Vec<(u32, u32, LiteralString<'a>)>,
    /// All strings, in order.
    pub(crate) texts: Vec<LiteralString<'a>>,
    pub(crate) decorations: Decorations<'a>,
    /// Each id's first.
    pub(crate) types: Vec<Instruction<'a>>,
    /// Where the instruction of each constant stands.
    constants: IdMap<u32>,
    pub(crate) spec_constants: Vec<Instruction<'a>>,
    pub(crate) variables: Vec<VariableInstruction>,
    /// The instructions of clspv's reflection.
    pub(crate) clspv: Vec<Instruction<'a>>,
    pub(crate) usage: Usage,
    pub(crate) counter: Counter,
    /// Where the first function begins, in words.
    pub(crate) functions_start: usize,
    /// For what is listed anew for many that share it, such as the function of many entry
    /// points, or a string that many instructions name.
    budget: RefCell<Budget>,
}

/// What a byte of a text may become where it is written: most stay one, but control
/// characters become escapes.
const ESCAPED: usize = 8;

impl<'a> Contents<'a> {
    /// Reads a module.
    pub(crate) fn new(module: Module<'a>, budget: Budget) -> Result<Self, Error> {
        let words = module.words().len();
        let bound = module.header().bound;
        let mut contents = Self {
            module,
            definitions: Definitions::for_module(&module),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            imports: Vec::new(),
            sets: IdMap::new(Set::Semantic, words),
            addressing: None,
            memory: None,
            entry_points: Vec::new(),
            modes: Vec::new(),
            source: None,
            names: IdMap::with_bound(0, words, bound),
            strings: IdMap::new(0, words),
            member_names: Vec::new(),
            texts: Vec::new(),
            decorations: Decorations::new(words),
            types: Vec::new(),
            constants: IdMap::with_bound(0, words, bound),
            spec_constants: Vec::new(),
            variables: Vec::new(),
            clspv: Vec::new(),
            usage: Usage::new(words, bound),
            counter: Counter::default(),
            functions_start: words,
            budget: RefCell::new(budget),
        };
        let mut in_functions = false;
        let mut place = 0u32;
        for instruction in module.instructions() {
            let instruction = instruction?;
            if !in_functions && instruction.op() == Op::Function {
                in_functions = true;
                contents.functions_start = instruction.offset().0;
                contents.usage.begin(contents.variables.len());
            }
            contents.counter.add(&instruction, in_functions);
            match in_functions {
                true => contents.function_instruction(&instruction),
                false => contents.global_instruction(instruction, place),
            }
            place = place.saturating_add(1);
        }
        contents.usage.finish();
        contents.decorations.finish();
        contents
            .member_names
            .sort_by_key(|&(structure, member, _)| (structure, member));
        Ok(contents)
    }

    fn function_instruction(&mut self, instruction: &Instruction<'a>) {
        if instruction.op().is_ext_inst() {
            match self.set_of(instruction) {
                Set::Semantic => {}
                Set::WithoutSemantics => return,
                Set::Clspv => return self.clspv.push(*instruction),
            }
        }
        self.usage.add(instruction, &self.definitions);
    }

    /// The sort of an extended instruction.
    fn set_of(&self, instruction: &Instruction<'_>) -> Set {
        let set = instruction.words().get(3);
        set.map_or(Set::Semantic, |&set| self.sets.get(Id(set)))
    }

    fn global_instruction(&mut self, instruction: Instruction<'a>, place: u32) {
        let offset = instruction.offset().0 as u32;
        let words = instruction.operand_words();
        match (instruction.op(), words) {
            (Op::Name, &[target, ..]) => *self.names.slot(Id(target)) = offset,
            (Op::MemberName, &[target, member, ref name @ ..]) => {
                if let Some(name) = LiteralString::at_start_of(name) {
                    self.member_names.push((target, member, name));
                }
            }
            (Op::Capability, &[capability, ..])
            | (Op::ConditionalCapabilityINTEL, &[_, capability, ..]) => {
                self.capabilities.push(Capability(capability));
            }
            (Op::Extension, name) => self.extensions.extend(LiteralString::at_start_of(name)),
            (Op::ConditionalExtensionINTEL, &[_, ref name @ ..]) => {
                self.extensions.extend(LiteralString::at_start_of(name));
            }
            (Op::ExtInstImport, &[set, ref name @ ..]) => {
                self.definitions.define(&instruction);
                let Some(name) = LiteralString::at_start_of(name) else {
                    return;
                };
                self.imports.push(name);
                *self.sets.slot(Id(set)) = sort_of(&name.to_text_lossy());
            }
            (Op::MemoryModel, &[addressing, memory, ..]) => {
                self.addressing.get_or_insert(AddressingModel(addressing));
                self.memory.get_or_insert(MemoryModel(memory));
            }
            (op, _) if op.is_entry_point() => {
                self.entry_points.push((place, instruction));
            }
            (op, _) if op.is_execution_mode() => self.modes.push(instruction),
            (Op::Source, &[language, version, ref rest @ ..]) => {
                let file = rest.first().map(|&file| Id(file));
                self.source
                    .get_or_insert((SourceLanguage(language), version, file));
            }
            (Op::String, &[id, ref text @ ..]) => {
                *self.strings.slot(Id(id)) = offset;
                self.texts.extend(LiteralString::at_start_of(text));
            }
            (Op::Variable, &[ty, id, class, ref initializer @ ..]) => {
                let pointee = self.usage.pointee(Id(ty));
                self.add_variable(id, class, pointee, !initializer.is_empty());
            }
            (Op::UntypedVariableKHR, &[_, id, class, ref rest @ ..]) => {
                let ty = rest.first().map(|&ty| Id(ty));
                self.add_variable(id, class, ty, rest.len() > 1);
            }
            (op, _) if op.is_ext_inst() => {
                if self.set_of(&instruction) == Set::Clspv {
                    self.clspv.push(instruction);
                }
            }
            _ => self.declaration(instruction, offset),
        }
    }

    /// Notes a decoration, a type or a constant.
    fn declaration(&mut self, instruction: Instruction<'a>, offset: u32) {
        match instruction.op() {
            op if op.is_decoration() || op == Op::DecorationGroup => {
                self.decorations.note(&instruction);
            }
            op if op.is_constant() => {
                self.definitions.define(&instruction);
                if let Some(result) = instruction.result()
                    && self.constants.get(result) == 0
                {
                    *self.constants.slot(result) = offset;
                    if op.is_scalar_spec_constant() {
                        self.spec_constants.push(instruction);
                    }
                    self.usage.add_constant(&instruction);
                }
            }
            op if op.is_type() && self.definitions.define(&instruction).is_none() => {
                self.usage.add_type(&instruction);
                self.types.push(instruction);
            }
            _ => {}
        }
    }

    fn add_variable(&mut self, id: u32, class: u32, ty: Option<Id>, has_initializer: bool) {
        let variable = VariableInstruction {
            id: Id(id),
            storage_class: StorageClass(class),
            ty,
            has_initializer,
        };
        // An id keeps its first definition.
        if self.usage.add_variable(&variable) {
            self.variables.push(variable);
        }
    }

    /// The instruction at an offset that was noted.
    fn instruction(&self, offset: u32) -> Option<Instruction<'a>> {
        let offset = (offset as usize).max(HEADER_WORDS);
        let words = self.module.words().get(offset..)?;
        let count = words.first()? >> 16;
        Instruction::from_words(words.get(..count as usize)?, WordOffset(offset))
    }

    /// The name that a debug instruction gives to an id; not an empty one.
    pub(crate) fn name(&self, id: Id) -> Option<String> {
        let offset = Some(self.names.get(id)).filter(|&offset| offset != 0)?;
        let words = self.instruction(offset)?.words().get(2..)?;
        text(LiteralString::at_start_of(words))
    }

    /// The names of a structure's members, in order.
    pub(crate) fn member_names(&self, id: Id) -> &[(u32, u32, LiteralString<'a>)] {
        let names = &self.member_names;
        let start = names.partition_point(|&(structure, ..)| structure < id.0);
        let names = names.get(start..).unwrap_or_default();
        let count = names.partition_point(|&(structure, ..)| structure == id.0);
        names.get(..count).unwrap_or_default()
    }

    /// The string of an `OpString`.
    pub(crate) fn string(&self, id: Id) -> Option<LiteralString<'a>> {
        let offset = Some(self.strings.get(id)).filter(|&offset| offset != 0)?;
        LiteralString::at_start_of(self.instruction(offset)?.words().get(2..)?)
    }

    /// Takes so many bytes for what is listed anew for many; whether there was room.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        self.budget.borrow_mut().take(bytes as u64)
    }

    /// Whether something was left out for want of room.
    pub(crate) fn is_cut(&self) -> bool {
        self.budget.borrow().is_spent()
    }

    /// The text of a string that others may name as well, if there is room.
    pub(crate) fn shared(&self, string: Option<LiteralString<'_>>) -> Option<String> {
        let bytes = string?.words().len() * 4;
        text(string.filter(|_| self.take(bytes.saturating_mul(ESCAPED))))
    }

    /// The instruction that declares a constant.
    pub(crate) fn constant(&self, id: Id) -> Option<Instruction<'a>> {
        let offset = Some(self.constants.get(id)).filter(|&offset| offset != 0)?;
        self.instruction(offset)
    }

    /// A table over the module's ids.
    pub(crate) fn id_table<T: Copy>(&self, default: T) -> IdMap<T> {
        let words = self.module.words().len();
        IdMap::with_bound(default, words, self.module.header().bound)
    }

    /// All instructions before the functions, or all there are if ids are so large
    /// that tables are better made for the whole module.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = Instruction<'a>> {
        let end = match (self.module.header().bound as usize) < self.functions_start {
            true => self.functions_start,
            false => usize::MAX,
        };
        let instructions = self.module.instructions().map_while(Result::ok);
        instructions.take_while(move |instruction| instruction.offset().0 < end)
    }
}

/// The text of a string that isn't empty.
pub(crate) fn text(string: Option<LiteralString<'_>>) -> Option<String> {
    let text = string?.to_text_lossy();
    (!text.is_empty()).then_some(text)
}

/// What sort of instructions a set with this name has.
fn sort_of(name: &str) -> Set {
    if name.starts_with("NonSemantic.ClspvReflection.") {
        return Set::Clspv;
    }
    let is_debug = ExtInstSet::from_import_name(name).is_some_and(ExtInstSet::is_debug_info);
    match is_debug || ExtInstSet::is_non_semantic_name(name) {
        true => Set::WithoutSemantics,
        false => Set::Semantic,
    }
}
