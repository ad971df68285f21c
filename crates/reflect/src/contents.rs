//! What a module has before its functions, and how these use it.

use std::cell::RefCell;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::{Budget, Error, Id, IdMap, Instruction, LiteralString, Module};
use spirvkit_grammar::{
    AddressingModel, ExtInstSet, MemoryModel, Op, SourceLanguage, StorageClass,
};

use crate::decorations::Decorations;
use crate::statistics::Counter;
use crate::usage::{FunctionUse, Usage};

/// A sort of extended instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Its instructions do something.
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
    /// What its pointer points to; `None` if that is unknown.
    pub(crate) ty: Option<Id>,
    pub(crate) has_initializer: bool,
}

/// What is before the functions, and how these use it.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) module: Module<'a>,
    /// What is before the functions.
    pub(crate) index: ModuleIndex<'a>,
    sets: IdMap<Set>,
    pub(crate) models: Option<(AddressingModel, MemoryModel)>,
    /// The first of the sources: its language, its version and its file.
    pub(crate) source: Option<(SourceLanguage, u32, Option<Id>)>,
    pub(crate) spec_constants: Vec<Instruction<'a>>,
    pub(crate) variables: Vec<VariableInstruction>,
    /// The instructions of clspv's reflection.
    pub(crate) clspv: Vec<Instruction<'a>>,
    pub(crate) usage: Usage,
    pub(crate) counter: Counter,
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
        let index = ModuleIndex::declarations(&module);
        let mut sets = IdMap::new(Set::Semantic, module.words().len());
        for import in &index.imports {
            if let (Some(id), Some(name)) = (import.result(), import.string(0)) {
                *sets.slot(id) = sort_of(&name.to_text_lossy());
            }
        }
        let functions_start = index.functions_start as usize;
        let mut contents = Self {
            module,
            index,
            sets,
            models: None,
            source: None,
            spec_constants: Vec::new(),
            variables: Vec::new(),
            clspv: Vec::new(),
            usage: Usage::new(module.words().len(), module.header().bound),
            counter: Counter::default(),
            budget: RefCell::new(budget),
        };
        for instruction in module.instructions() {
            let instruction = instruction?;
            let in_functions = instruction.offset().0 >= functions_start;
            contents.counter.add(&instruction, in_functions);
            match in_functions {
                true => contents.function_instruction(&instruction),
                false => contents.declaration(&instruction),
            }
        }
        contents.usage.finish(&contents.index);
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
        self.usage.add(instruction, &self.index.definitions);
    }

    /// The sort of an extended instruction.
    fn set_of(&self, instruction: &Instruction<'_>) -> Set {
        let set = instruction.words().get(3);
        set.map_or(Set::Semantic, |&set| self.sets.get(Id(set)))
    }

    fn declaration(&mut self, instruction: &Instruction<'a>) {
        match (instruction.op(), instruction.operand_words()) {
            (Op::MemoryModel, &[addressing, memory, ..]) => {
                let models = (AddressingModel(addressing), MemoryModel(memory));
                self.models.get_or_insert(models);
            }
            (Op::Source, &[language, version, ref rest @ ..]) => {
                let file = rest.first().map(|&file| Id(file));
                self.source
                    .get_or_insert((SourceLanguage(language), version, file));
            }
            (Op::Variable, &[ty, id, class, ref initializer @ ..]) => {
                let is_before = self.index.def_offset(Id(ty)) < instruction.offset().0 as u32;
                let pointee = self
                    .index
                    .pointee(Id(ty))
                    .filter(|id| is_before && id.0 != 0);
                self.add_variable(id, class, pointee, !initializer.is_empty());
            }
            (Op::UntypedVariableKHR, &[_, id, class, ref rest @ ..]) => {
                let ty = rest.first().map(|&ty| Id(ty));
                self.add_variable(id, class, ty, rest.len() > 1);
            }
            (op, _) if op.is_ext_inst() => {
                if self.set_of(instruction) == Set::Clspv {
                    self.clspv.push(*instruction);
                }
            }
            _ => {
                if let Some(id) = instruction.result()
                    && self.index.def_offset(id) == instruction.offset().0 as u32
                {
                    self.definition(instruction, id);
                }
            }
        }
    }

    /// Notes the first definition of an id.
    fn definition(&mut self, instruction: &Instruction<'a>, id: Id) {
        let op = instruction.op();
        if op.is_type() {
            self.usage.add_type(id, Type::read(instruction.words()));
        } else if op.is_constant() {
            if op.is_scalar_spec_constant() {
                self.spec_constants.push(*instruction);
            }
            self.usage.add_constant(instruction);
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

    /// What an id, but not its members, is decorated with.
    pub(crate) fn decorations(&self, id: Id) -> Decorations<'a> {
        Decorations::of(&self.index, id)
    }

    /// The name that a debug instruction gives to an id; not an empty one.
    pub(crate) fn name(&self, id: Id) -> Option<String> {
        text(self.index.name_of(id))
    }

    /// The string of an `OpString`.
    pub(crate) fn string(&self, id: Id) -> Option<LiteralString<'a>> {
        let string = self.index.def(id).filter(|def| def.op() == Op::String);
        string?.string(0)
    }

    /// The instructions before the functions that have a result without a type, types
    /// and strings among them, in order.
    pub(crate) fn declared(&self) -> impl DoubleEndedIterator<Item = Inst<'a>> + '_ {
        let declared = self.index.declared.iter();
        declared.filter_map(|&offset| self.index.inst(offset))
    }

    /// The first declaration of each type, in order.
    pub(crate) fn types(&self) -> impl DoubleEndedIterator<Item = (Id, Inst<'a>)> + '_ {
        let types = self.declared().filter(|inst| inst.op().is_type());
        types.filter_map(|inst| {
            let id = inst.result()?;
            (self.index.def_offset(id) == inst.offset()).then_some((id, inst))
        })
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

    /// How the first function with this id uses what it gets.
    pub(crate) fn function(&self, id: Id) -> Option<&FunctionUse> {
        let number = self.index.function_index(id)?;
        self.usage.functions().get(number as usize)
    }

    /// A table over the module's ids.
    pub(crate) fn id_table<T: Copy>(&self, default: T) -> IdMap<T> {
        let words = self.module.words().len();
        IdMap::with_bound(default, words, self.module.header().bound)
    }
}

/// The string that is an instruction's last operand, if it ends.
pub(crate) fn operand_string<'a>(inst: &Inst<'a>) -> Option<LiteralString<'a>> {
    // Only a condition can be before it.
    inst.string(usize::from(inst.op() == Op::ConditionalExtensionINTEL))
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
