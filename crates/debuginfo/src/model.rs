//! Reading: one pass over a module, after which questions are look-ups.

use std::ops::Range;
use std::sync::OnceLock;

use spirvkit_analysis::{DominatorTree, ModuleIndex};
use spirvkit_binary::{Error, Id, IdMap, Instruction, LiteralString, Module, WordOffset};
use spirvkit_grammar::Op;

use crate::entry::Entry;
use crate::files::{FileId, Files};
use crate::places::Outwards;
use crate::variables::Placed;
use crate::{Field, Kind, Set};

/// What is nowhere: no instruction stands at the start of the header.
pub(crate) const NOWHERE: u32 = 0;
/// No id.
pub(crate) const NO_ID: u32 = 0;

/// The debug information of a module: of any of the three instruction sets, and of
/// `OpLine`, `OpString` and `OpSource` where there is none of them.
///
/// Nothing is copied from the module but where things are. An [`Entry`] is a
/// debugging instruction to look at; positions and scopes are known for every word
/// offset of the module.
///
/// What does not decode is passed over, so that a damaged module tells what it can.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use spirvkit_binary::{Id, Module};
/// use spirvkit_debuginfo::{DebugInfo, Kind};
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
/// "#;
/// let words = spirvkit_text::assemble(text, &Default::default()).map_err(|_| "")?.words;
/// let info = DebugInfo::read(&words)?;
/// let uint = info.of_kind(Kind::TypeBasic).next().ok_or("no type")?;
/// assert_eq!(uint.name().as_deref(), Some("uint"));
/// assert_eq!(uint.size_in_bits(), Some(32));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DebugInfo<'a> {
    pub(crate) words: &'a [u32],
    /// Where each id is defined. An index of the module would take three times as much
    /// for each id, for answers that nobody asks for here.
    definitions: IdMap<u32>,
    imports: Vec<(Id, Set)>,
    /// Where the debugging instructions are, in order.
    entries: Vec<u32>,
    functions: Vec<Function>,
    pub(crate) files: Files,
    /// From where on which place holds.
    pub(crate) changes: Vec<Change>,
    /// Runs of instructions of the same line, sorted by line.
    pub(crate) runs: Vec<Run>,
    /// What there is around entries; made when somebody asks.
    pub(crate) outwards: OnceLock<IdMap<Outwards>>,
    /// What has a parent, sorted by it: the parent's id and where the child is.
    children: Vec<(u32, u32)>,
    /// The same of local variables only.
    locals: Vec<(u32, u32)>,
    /// The same of global variables only: a compilation unit has very many other children.
    globals: Vec<(u32, u32)>,
    /// Where `DebugDeclare` and `DebugValue` stand, sorted by the variable's id.
    pub(crate) bindings: Vec<(u32, u32)>,
    /// The same by the places that they are for; made when somebody asks.
    pub(crate) placed: OnceLock<Vec<Placed>>,
    /// The labels of all functions, in order.
    labels: Vec<u32>,
    /// The dominators of the functions' blocks, where variables have values.
    dominators: Vec<(u32, DominatorTree)>,
}

/// A function of the module.
#[derive(Clone, Debug)]
pub struct Function {
    /// The result of `OpFunction`.
    pub id: Id,
    /// Where it is, in words: from `OpFunction` up to what follows
    /// `OpFunctionEnd`.
    pub words: Range<usize>,
    /// The `DebugFunction` that describes it.
    pub(crate) description: u32,
}

/// The place that holds from some offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) offset: u32,
    pub(crate) place: Place,
}

/// A line, and a scope; in words of the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the `OpLine` or `DebugLine` stands.
    pub(crate) line: u32,
    /// Where the `DebugScope` stands.
    pub(crate) scope: u32,
}

/// Instructions that follow each other and come of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Run {
    fn goes_on_in(&self, next: &Self) -> bool {
        (self.file, self.line, self.end) == (next.file, next.line, next.start)
    }
}

impl<'a> DebugInfo<'a> {
    /// Reads the debug information of a module, given as words in host order, which takes
    /// n log n steps for n instructions. What follows an instruction that has no end is left
    /// out.
    ///
    /// # Errors
    ///
    /// If the header can't be read.
    pub fn read(words: &'a [u32]) -> Result<Self, Error> {
        let module = Module::new(words)?;
        let mut reader = Reader {
            info: Self {
                words,
                definitions: IdMap::with_bound(NOWHERE, words.len(), module.header().bound),
                imports: Vec::new(),
                entries: Vec::new(),
                functions: Vec::new(),
                files: Files::default(),
                changes: Vec::new(),
                runs: Vec::new(),
                outwards: OnceLock::new(),
                children: Vec::new(),
                locals: Vec::new(),
                globals: Vec::new(),
                bindings: Vec::new(),
                placed: OnceLock::new(),
                labels: Vec::new(),
                dominators: Vec::new(),
            },
            place: Place::default(),
            descriptions: Vec::new(),
            with_values: Vec::new(),
            open: None,
        };
        for instruction in module.instructions().map_while(Result::ok) {
            reader.instruction(&instruction);
        }
        Ok(reader.finish(&module))
    }

    /// The instruction at a word offset, which must be one's start.
    pub(crate) fn instruction(&self, offset: u32) -> Option<Instruction<'a>> {
        let rest = self.words.get(offset as usize..)?;
        let count = (rest.first()? >> 16) as usize;
        Instruction::from_words(rest.get(..count)?, WordOffset(offset as usize))
    }

    /// The module's words.
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// The module's instructions, as far as they can be decoded.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'a>> + use<'a> {
        let module = Module::new(self.words).ok().into_iter();
        module.flat_map(|module| module.instructions().map_while(Result::ok))
    }

    /// The instructions that start in a range of words, of which the first is at its
    /// start.
    pub fn instructions_in(
        &self,
        words: Range<usize>,
    ) -> impl Iterator<Item = Instruction<'a>> + '_ {
        let first = self.instruction(words.start as u32);
        let next = |last: &Instruction<'a>| {
            let end = last.offset().0 + last.words().len();
            self.instruction(end as u32)
        };
        let instructions = std::iter::successors(first, next);
        instructions.take_while(move |instruction| instruction.offset().0 < words.end)
    }

    /// The instruction that defines an id.
    pub fn definition(&self, id: Id) -> Option<Instruction<'a>> {
        match self.definitions.get(id) {
            NOWHERE => None,
            offset => self.instruction(offset),
        }
    }

    /// The set that an id imports, if it is one of debug information.
    pub(crate) fn set(&self, import: Id) -> Option<Set> {
        let found = self.imports.iter().find(|(id, _)| *id == import)?;
        Some(found.1)
    }

    /// The sets of debug information that the module imports, with the ids of the
    /// `OpExtInstImport`s.
    pub fn sets(&self) -> impl Iterator<Item = (Id, Set)> + '_ {
        self.imports.iter().copied()
    }

    /// The debugging instruction with a result id.
    pub fn entry(&self, id: Id) -> Option<Entry<'_>> {
        Entry::of(self, self.definition(id)?)
    }

    /// The debugging instruction that starts at a word offset.
    pub fn entry_starting_at(&self, offset: WordOffset) -> Option<Entry<'_>> {
        self.entry_at(u32::try_from(offset.0).ok()?)
    }

    /// The same by its number.
    pub(crate) fn entry_at(&self, offset: u32) -> Option<Entry<'_>> {
        Entry::of(self, self.instruction(offset)?)
    }

    /// All debugging instructions, in the module's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> + '_ {
        let entries = self.entries.iter();
        entries.filter_map(|&offset| self.entry_at(offset))
    }

    /// How many debugging instructions there are.
    pub(crate) fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// The debugging instructions of a kind, in the module's order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = Entry<'_>> + '_ {
        self.entries().filter(move |entry| entry.kind() == kind)
    }

    /// What names an instruction as its parent, in the module's order: the variables
    /// and blocks of a function, the functions of a compilation unit.
    pub fn children(&self, parent: Id) -> impl Iterator<Item = Entry<'_>> + '_ {
        self.found(&self.children, parent)
    }

    /// The local variables that name a scope as their parent, by where they are.
    pub(crate) fn locals_in(&self, scope: Id) -> &[(u32, u32)] {
        of_id(&self.locals, scope)
    }

    /// The same of global variables.
    pub(crate) fn globals_in(&self, scope: Id) -> &[(u32, u32)] {
        of_id(&self.globals, scope)
    }

    /// The entries of an id in a list that is sorted by id.
    pub(crate) fn found<'m>(
        &'m self,
        sorted: &'m [(u32, u32)],
        id: Id,
    ) -> impl Iterator<Item = Entry<'m>> + 'm {
        let found = of_id(sorted, id).iter();
        found.filter_map(|&(_, offset)| self.entry_at(offset))
    }

    /// The functions of the module, in order.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function that holds a word offset.
    pub fn function_at(&self, offset: WordOffset) -> Option<&Function> {
        let begun = |function: &Function| function.words.start <= offset.0;
        let index = self.functions.partition_point(begun).checked_sub(1)?;
        self.functions
            .get(index)
            .filter(|function| function.words.contains(&offset.0))
    }

    /// The `DebugFunction` that describes a function of the module.
    pub fn description(&self, function: &Function) -> Option<Entry<'_>> {
        self.entry(Id(function.description))
    }

    /// The function of the module that a `DebugFunction` describes.
    pub fn function_of(&self, description: Entry<'_>) -> Option<&Function> {
        let id = match description.id_of(Field::Function) {
            Some(id) => id,
            None => self.defined_by(description.id())?,
        };
        let offset = self.definition(id)?.offset();
        self.function_at(offset)
            .filter(|function| function.id == id)
    }

    /// The function in which a `DebugFunctionDefinition` names a `DebugFunction`.
    fn defined_by(&self, description: Id) -> Option<Id> {
        let mut entries = self.found(&self.bindings, description);
        entries.find_map(|entry| entry.id_of(Field::Definition))
    }

    /// The labels of a function, and, if variables have values in it, the dominators of
    /// its blocks, which are numbered in the order of the labels.
    #[cfg(feature = "dwarf")]
    pub(crate) fn blocks(&self, function: &Function) -> (&[u32], Option<&DominatorTree>) {
        let words = &function.words;
        let before = |end: usize| self.labels.partition_point(|&label| (label as usize) < end);
        let labels = self.labels.get(before(words.start)..before(words.end));
        let start = words.start as u32;
        let tree = self
            .dominators
            .binary_search_by_key(&start, |(start, _)| *start);
        let tree = tree.ok().and_then(|index| self.dominators.get(index));
        (labels.unwrap_or_default(), tree.map(|(_, tree)| tree))
    }

    /// Whether all ways to the instruction at `below` lead through the one at `above`,
    /// both of one function.
    pub(crate) fn dominates(&self, above: u32, below: u32) -> bool {
        let Some(function) = self.function_at(WordOffset(above as usize)) else {
            return false;
        };
        let start = function.words.start as u32;
        let first = self.labels.partition_point(|&label| label < start);
        let block = |offset: u32| {
            let labels = &self.labels[first..];
            labels
                .partition_point(|&label| label <= offset)
                .checked_sub(1)
        };
        let (Some(above_block), Some(below_block)) = (block(above), block(below)) else {
            return false;
        };
        if above_block == below_block {
            return above < below;
        }
        let tree = self
            .dominators
            .binary_search_by_key(&start, |(start, _)| *start);
        tree.is_ok_and(|index| {
            self.dominators[index]
                .1
                .dominates(above_block as u32, below_block as u32)
        })
    }
}

/// The part of an id in a list that is sorted by id.
fn of_id(sorted: &[(u32, u32)], id: Id) -> &[(u32, u32)] {
    let start = sorted.partition_point(|(other, _)| *other < id.0);
    let rest = sorted.get(start..).unwrap_or_default();
    let end = rest.partition_point(|(other, _)| *other == id.0);
    rest.get(..end).unwrap_or_default()
}

struct Reader<'a> {
    info: DebugInfo<'a>,
    place: Place,
    /// The `DebugFunction`s that name a function, which may come later.
    descriptions: Vec<(Id, u32)>,
    /// The functions in which variables have values, by their starts.
    with_values: Vec<u32>,
    /// Where the function that has not ended yet starts.
    open: Option<u32>,
}

impl<'a> Reader<'a> {
    fn instruction(&mut self, instruction: &Instruction<'a>) {
        let offset = instruction.offset().0 as u32;
        let words = instruction.words();
        let next = offset + words.len() as u32;
        if let Some(id) = instruction.result() {
            let slot = self.info.definitions.slot(id);
            if *slot == NOWHERE {
                *slot = offset;
            }
        }
        match (instruction.op(), words) {
            (Op::ExtInstImport, [_, id, name @ ..]) => self.import(Id(*id), name),
            (op, [_, _, _, set, ..]) if op.is_ext_inst() && self.info.set(Id(*set)).is_some() => {
                if let Some(entry) = self.info.entry_at(offset) {
                    let (kind, id) = (entry.kind(), entry.id());
                    let parent = entry.id_of(Field::Parent);
                    let variable = match kind {
                        Kind::FunctionDefinition => entry.id_of(Field::DebugFunction),
                        _ => entry.id_of(Field::LocalVariable),
                    };
                    let function = entry.id_of(Field::Function);
                    let source = entry.id_of(Field::Source);
                    self.info.entries.push(offset);
                    if let Some(source) = source {
                        self.info.add_file(source);
                    }
                    if let Some(parent) = parent {
                        self.info.children.push((parent.0, offset));
                        match kind {
                            Kind::LocalVariable => self.info.locals.push((parent.0, offset)),
                            Kind::GlobalVariable => self.info.globals.push((parent.0, offset)),
                            _ => {}
                        }
                    }
                    self.debug(kind, id, offset, next, variable, function);
                }
            }
            (Op::Line, [_, file, ..]) => {
                self.info.add_file(Id(*file));
                self.set(
                    next,
                    Place {
                        line: offset,
                        ..self.place
                    },
                );
            }
            (Op::NoLine, _) => self.set(
                next,
                Place {
                    line: NOWHERE,
                    ..self.place
                },
            ),
            (Op::Source, [_, _, _, file, ..]) => {
                let file = self.info.add_file(Id(*file));
                self.info.begin_text(file);
                self.info.add_text(offset as usize + 4..next as usize);
            }
            (Op::SourceContinued, _) => self.info.add_text(offset as usize + 1..next as usize),
            (Op::Label, _) => self.info.labels.push(offset),
            (Op::Function, [_, _, id, ..]) => {
                self.end_function(offset);
                self.open = Some(offset);
                self.info.functions.push(Function {
                    id: Id(*id),
                    words: offset as usize..self.info.words.len(),
                    description: NO_ID,
                });
            }
            (Op::FunctionEnd, _) => {
                self.set(next, Place::default());
                self.end_function(next);
            }
            (op, _) if op.is_terminator() => self.set(next, Place::default()),
            _ => {}
        }
    }

    fn import(&mut self, id: Id, name: &[u32]) {
        let name = LiteralString::at_start_of(name).map(LiteralString::to_text_lossy);
        // Sets are few, but a module can import one over and over.
        if let Some(set) = name.and_then(|name| Set::from_import_name(&name))
            && self.info.imports.len() < MAX_IMPORTS
        {
            self.info.imports.push((id, set));
        }
    }

    fn debug(
        &mut self,
        kind: Kind,
        id: Id,
        offset: u32,
        next: u32,
        variable: Option<Id>,
        function: Option<Id>,
    ) {
        match kind {
            Kind::Line => self.set(
                next,
                Place {
                    line: offset,
                    ..self.place
                },
            ),
            Kind::NoLine => self.set(
                next,
                Place {
                    line: NOWHERE,
                    ..self.place
                },
            ),
            Kind::Scope => self.set(
                next,
                Place {
                    scope: offset,
                    ..self.place
                },
            ),
            Kind::NoScope => self.set(
                next,
                Place {
                    scope: NOWHERE,
                    ..self.place
                },
            ),
            Kind::Declare | Kind::Value | Kind::FunctionDefinition => {
                if let Some(variable) = variable {
                    self.info.bindings.push((variable.0, offset));
                }
                if kind == Kind::FunctionDefinition
                    && let (Some(function), Some(description)) =
                        (self.info.functions.last_mut(), variable)
                {
                    function.description = description.0;
                }
                if kind == Kind::Value
                    && let Some(open) = self.open
                    && self.with_values.last() != Some(&open)
                {
                    self.with_values.push(open);
                }
            }
            Kind::Function => {
                if let Some(function) = function {
                    self.descriptions.push((function, id.0));
                }
            }
            Kind::Source => {
                let file = self.info.add_file(id);
                self.info.begin_text(file);
                self.add_text(offset);
            }
            Kind::SourceContinued => self.add_text(offset),
            _ => {}
        }
    }

    /// Adds the text of a `DebugSource` or `DebugSourceContinued`.
    fn add_text(&mut self, offset: u32) {
        let text = self
            .info
            .entry_at(offset)
            .and_then(|entry| entry.id_of(Field::Text));
        if let Some(text) = text {
            self.info.add_string(text.0);
        }
    }

    /// From an offset on, another place holds.
    fn set(&mut self, offset: u32, place: Place) {
        if self.place == place {
            return;
        }
        self.place = place;
        if offset as usize == self.info.words.len() {
            // Nothing follows that it could hold for.
            return;
        }
        let change = Change { offset, place };
        match self.info.changes.last_mut() {
            Some(last) if last.offset == offset => *last = change,
            _ => self.info.changes.push(change),
        }
    }

    fn end_function(&mut self, end: u32) {
        if self.open.take().is_some()
            && let Some(function) = self.info.functions.last_mut()
        {
            function.words.end = end as usize;
        }
    }

    fn finish(mut self, module: &Module<'a>) -> DebugInfo<'a> {
        let info = &mut self.info;
        info.children.sort_by_key(|(parent, _)| *parent);
        info.locals.sort_by_key(|(parent, _)| *parent);
        info.globals.sort_by_key(|(parent, _)| *parent);
        info.bindings.sort_by_key(|(variable, _)| *variable);
        info.unite_files();
        self.describe();
        self.dominate(module);
        self.run();
        self.info
    }

    /// Finds the function of each `DebugFunction`.
    fn describe(&mut self) {
        for &(id, description) in &self.descriptions {
            let offset = self.info.definitions.get(id) as usize;
            let functions = &mut self.info.functions;
            let index = functions.partition_point(|function| function.words.start < offset);
            if let Some(function) = functions.get_mut(index)
                && function.id == id
                && function.description == NO_ID
            {
                function.description = description;
            }
        }
    }

    /// Finds the dominators in the functions that need them.
    fn dominate(&mut self, module: &Module<'a>) {
        if self.with_values.is_empty() {
            return;
        }
        let index = ModuleIndex::with_header(self.info.words, *module.header());
        for &start in &self.with_values {
            let function = index.function_at(start);
            if let Some(flow) = function.and_then(|function| index.control_flow(function)) {
                let tree = DominatorTree::from_depth_first(flow.graph(), flow.order());
                self.info.dominators.push((start, tree));
            }
        }
    }

    /// Sorts the runs of instructions by line.
    fn run(&mut self) {
        let info = &self.info;
        let ends = info.changes.iter().skip(1).map(|change| change.offset);
        let ends = ends.chain([info.words.len() as u32]);
        let mut runs: Vec<Run> = Vec::new();
        for (change, end) in info.changes.iter().zip(ends) {
            let Some(position) = info.position_of(change.place) else {
                continue;
            };
            let next = Run {
                file: position.file,
                line: position.line,
                start: change.offset,
                end,
            };
            match runs.last_mut() {
                // Only the column or the scope is another.
                Some(last) if last.goes_on_in(&next) => last.end = end,
                _ => runs.push(next),
            }
        }
        runs.sort();
        self.info.runs = runs;
    }
}

/// More imports of sets than this are not looked at: they would be looked through for
/// each instruction.
const MAX_IMPORTS: usize = 16;
