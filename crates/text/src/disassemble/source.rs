//! The shader's own source lines, as comments between the instructions that
//! came of them.
//!
//! The lines and the positions in them are collected in one pass over the
//! module before any text is written. So they don't depend on the order in which
//! instructions are written, which may not be the module's.

use std::cell::{OnceCell, RefCell};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::{Definition, HEADER_WORDS, Id, Import, Instruction, LiteralString, Module};
use spirvkit_diagnostics::ShaderLine;
use spirvkit_grammar::debug_info::{Field, Kind, Set, Slot};
use spirvkit_grammar::{ExtInstSet, Op};

use super::plain::push_plain;
use super::printer::Printer;
use super::writer::{Hue, Place};

/// The most characters of a file's name.
const FILE: usize = 80;
/// The most characters of a source line.
const LINE: usize = 160;
/// The tool number of DXC, which puts a `#line` in front of the text but counts
/// the lines as they are.
const DXC: u16 = 14;
/// The most bytes of a string that is taken for a file's name.
const MAX_NAME_LENGTH: usize = 1024;

/// A line of a file, which is the id of the `OpString` with its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    file: u32,
    line: u32,
}

/// A position with the column; 0 where none is known.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Point {
    position: Position,
    column: u32,
}

/// The source lines of a module, and which instructions came of which.
pub(super) struct Sources<'a> {
    module: Module<'a>,
    /// Made when it is needed: many modules tell nothing of their source.
    index: OnceCell<ModuleIndex<'a>>,
    /// The texts of all files.
    text: String,
    /// Where in them each line is that an instruction came of.
    lines: HashMap<Position, Range<usize>>,
    /// How to call each file.
    files: HashMap<u32, String>,
    /// The word offsets at which the position changes, and to what.
    changes: Vec<(usize, Option<Point>)>,
    /// Where variables and functions are declared that debug instructions describe,
    /// by their ids.
    declared: HashMap<u32, Point>,
    /// The position that was written last.
    last: Option<Position>,
    /// The lines that were asked for.
    shared: RefCell<HashMap<Position, Arc<str>>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(module: &Module<'a>) -> Self {
        let mut reader = Reader::new(module);
        for instruction in module.instructions().map_while(Result::ok) {
            reader.instruction(&instruction);
        }
        reader.finish()
    }

    fn index(&self) -> &ModuleIndex<'a> {
        let declarations = || ModuleIndex::declarations(&self.module);
        self.index.get_or_init(declarations)
    }

    /// The string of an `OpString`.
    fn string(&self, id: u32) -> Option<LiteralString<'a>> {
        let definition = self.index().def(Id(id));
        definition.filter(|def| def.op() == Op::String)?.string(0)
    }

    /// Where the instruction at a word offset came from.
    fn point(&self, offset: usize) -> Option<Point> {
        let next = self.changes.partition_point(|(start, _)| *start <= offset);
        self.changes.get(next.checked_sub(1)?)?.1
    }

    /// The same without the column.
    fn position(&self, offset: usize) -> Option<Position> {
        self.point(offset).map(|point| point.position)
    }

    /// The id of the file and the line that the instruction at a word offset came
    /// of.
    pub(super) fn shader_line(&self, offset: usize) -> Option<(u32, u32)> {
        self.position(offset)
            .map(|position| (position.file, position.line))
    }

    /// All that is known of where an instruction came from: itself, or what it
    /// declares or decorates.
    pub(super) fn shader_place(&self, instruction: &Instruction<'_>) -> Option<ShaderLine> {
        let declared = || self.declared.get(&subject(instruction)?).copied();
        let point = self.point(instruction.offset().0).or_else(declared);
        let Point { position, column } = point?;
        let name = self.string(position.file).filter(is_file_name)?;
        let mut line = ShaderLine::new(name.to_text_lossy(), position.line);
        line.column = Some(column).filter(|&column| column > 0);
        line.text = self.shared(position);
        Some(line)
    }

    /// A line, if the module holds its file's text.
    fn text_of(&self, position: Position) -> Option<&str> {
        let range = self.lines.get(&position)?;
        self.text.get(range.clone()).filter(|text| !text.is_empty())
    }

    /// The same for all who want it.
    fn shared(&self, position: Position) -> Option<Arc<str>> {
        let text = self.text_of(position)?;
        let mut shared = self.shared.borrow_mut();
        Some(Arc::clone(
            shared.entry(position).or_insert_with(|| text.into()),
        ))
    }

    /// What to write of the position of the instruction at a word offset.
    pub(super) fn line_at(&self, offset: usize) -> Option<String> {
        self.position(offset).map(|position| self.line(position))
    }

    /// What to write of a position: `shader.comp:12:     color = texture(tex, uv);`.
    fn line(&self, position: Position) -> String {
        let mut out = String::new();
        let Position { file, line } = position;
        match self.files.get(&file) {
            Some(name) if !name.is_empty() => out.push_str(name),
            _ => {
                let _ = write!(out, "%{file}");
            }
        }
        let _ = write!(out, ":{line}");
        if let Some(text) = self.text_of(position) {
            out.push_str(": ");
            push_plain(&mut out, text, LINE);
        }
        out
    }
}

impl Printer<'_> {
    /// Writes the source line that an instruction came of, if it is not the one
    /// before.
    pub(super) fn source_line(&mut self, instruction: &Instruction<'_>, place: Place) {
        let Some(mut sources) = self.sources.take() else {
            return;
        };
        let offset = instruction.offset().0;
        let position = sources.position(offset);
        // Before the first instruction, the comment would be read as part of the
        // header.
        if let Some(position) = position
            && sources.last != Some(position)
            && offset > HEADER_WORDS
        {
            sources.last = Some(position);
            self.writer.margin(None, place);
            self.writer.begin(Hue::Comment);
            self.writer.out.push_str("; ");
            self.writer.out.push_str(&sources.line(position));
            self.writer.end_hue();
            self.writer.out.push('\n');
        }
        if instruction.op() == Op::FunctionEnd {
            sources.last = None;
        }
        self.sources = Some(sources);
    }
}

/// The variable or function that an instruction declares, or is about.
fn subject(instruction: &Instruction<'_>) -> Option<u32> {
    let words = instruction.words();
    let word = match instruction.op() {
        Op::Variable | Op::Function | Op::EntryPoint => 2,
        op if op.is_decorate() || op.is_execution_mode() => 1,
        _ => return None,
    };
    words.get(word).copied()
}

/// Whether a string is short enough to be a file's name.
fn is_file_name(string: &LiteralString<'_>) -> bool {
    string.words().len() * 4 <= MAX_NAME_LENGTH
}

/// An instruction of a set for debug information that has `DebugSource`, by its fields.
struct DebugInst<'a> {
    kind: Kind,
    slots: &'static [Slot],
    operands: &'a [u32],
}

impl<'a> DebugInst<'a> {
    fn of(index: &ModuleIndex<'_>, words: &'a [u32]) -> Option<Self> {
        let [first, _, _, set, number, operands @ ..] = words else {
            return None;
        };
        if !Op(*first as u16).is_ext_inst() {
            return None;
        }
        let Definition::Import(Import::Known(set)) = index.definitions.get(Id(*set)) else {
            return None;
        };
        let set = set_with_sources(set)?;
        let kind = Kind::from_number(*number)?;
        Some(Self {
            kind,
            slots: set.fields(kind)?,
            operands,
        })
    }

    /// What is in a field, and how it is written.
    fn operand(&self, field: Field) -> Option<(&'static Slot, u32)> {
        let mut operands = self.slots.iter().zip(self.operands);
        let (slot, &word) = operands.find(|(slot, _)| slot.field() == field)?;
        Some((slot, word))
    }

    /// The id in a field.
    fn id(&self, field: Field) -> Option<u32> {
        Some(self.operand(field)?.1)
    }

    /// The number in a field, which some sets write as a literal and others as the id of
    /// a constant.
    fn number(&self, index: &ModuleIndex<'_>, field: Field) -> Option<u32> {
        let (slot, word) = self.operand(field)?;
        match slot.is_literal() {
            true => Some(word),
            false => u32::try_from(index.constant_u64(Id(word))?).ok(),
        }
    }
}

/// The set for debug information that a set is, if it has `DebugSource`.
fn set_with_sources(set: ExtInstSet) -> Option<Set> {
    Set::of(set).filter(|set| set.fields(Kind::Source).is_some())
}

/// What has been read of a module.
struct Reader<'a> {
    sources: Sources<'a>,
    /// Whether it imports a set for debug information.
    has_debug_info: bool,
    /// The ids of strings by their texts, for `#line`.
    names: HashMap<String, u32>,
    /// The file whose text is being put together, and the text.
    current: Option<(u32, Vec<u8>)>,
    /// The files whose texts are whole, and where those are.
    texts: Vec<(u32, Range<usize>)>,
    /// How much text may still be taken: no more than the module has. Many
    /// instructions can refer to one text.
    budget: usize,
    point: Option<Point>,
    /// Whether the lines' numbers are those that `#line` gives them.
    honours_directives: bool,
}

impl<'a> Reader<'a> {
    fn new(module: &Module<'a>) -> Self {
        Self {
            sources: Sources {
                module: *module,
                index: OnceCell::new(),
                text: String::new(),
                lines: HashMap::new(),
                files: HashMap::new(),
                changes: Vec::new(),
                declared: HashMap::new(),
                last: None,
                shared: RefCell::default(),
            },
            has_debug_info: false,
            names: HashMap::new(),
            current: None,
            texts: Vec::new(),
            budget: module.words().len() * 4,
            point: None,
            honours_directives: module.header().generator.tool() != DXC,
        }
    }

    fn instruction(&mut self, instruction: &Instruction<'a>) {
        let offset = instruction.offset().0;
        let words = instruction.words();
        match (instruction.op(), words) {
            (Op::String, [_, id, text @ ..]) => self.string(*id, text),
            (Op::Source, [_, _, _, file, text @ ..]) => {
                self.start_text(*file);
                self.add_text(LiteralString::at_start_of(text));
            }
            (Op::SourceContinued, [_, text @ ..]) => {
                self.add_text(LiteralString::at_start_of(text))
            }
            (Op::Line, [_, file, line, column, ..]) => {
                let (file, line) = (*file, *line);
                let position = Position { file, line };
                let column = *column;
                self.set(offset, Some(Point { position, column }));
            }
            (Op::NoLine, _) => self.set(offset, None),
            (Op::ExtInstImport, [_, _, name @ ..]) => {
                let name = LiteralString::at_start_of(name).map(LiteralString::to_text_lossy);
                let set = name.and_then(|name| ExtInstSet::from_import_name(&name));
                self.has_debug_info |= set.and_then(set_with_sources).is_some();
            }
            (op, _) if op.is_ext_inst() && self.has_debug_info => {
                if let Some(inst) = DebugInst::of(self.sources.index(), words) {
                    self.debug(offset, &inst);
                }
            }
            (op, _) if ends_block(op) => self.set(offset + words.len(), None),
            _ => {}
        }
    }

    fn debug(&mut self, offset: usize, inst: &DebugInst<'a>) {
        match inst.kind {
            Kind::Source => {
                if let Some(file) = inst.id(Field::File) {
                    self.start_text(file);
                    self.add_string(inst.id(Field::Text));
                }
            }
            Kind::SourceContinued => self.add_string(inst.id(Field::Text)),
            // Without a constant there is no saying where it is.
            Kind::Line => self.set(
                offset,
                self.point(inst, Field::LineStart, Field::ColumnStart),
            ),
            Kind::NoLine => self.set(offset, None),
            Kind::GlobalVariable => self.declaration(inst.id(Field::Variable), inst),
            Kind::FunctionDefinition => {
                let index = self.sources.index();
                let description = inst.id(Field::DebugFunction).map(Id);
                let description = description.and_then(|id| index.words_of(id));
                let description = description.and_then(|words| DebugInst::of(index, words));
                if let Some(function) = description.filter(|it| it.kind == Kind::Function) {
                    self.declaration(inst.id(Field::Definition), &function);
                }
            }
            _ => {}
        }
    }

    /// Notes where a debug instruction says that something is declared.
    fn declaration(&mut self, id: Option<u32>, inst: &DebugInst<'_>) {
        if let Some(id) = id
            && let Some(point) = self.point(inst, Field::Line, Field::Column)
        {
            self.sources.declared.entry(id).or_insert(point);
        }
    }

    /// Where a debug instruction says that something stands.
    fn point(&self, inst: &DebugInst<'_>, line: Field, column: Field) -> Option<Point> {
        let index = self.sources.index();
        let source = inst.id(Field::Source)?;
        let definition = index.words_of(Id(source));
        let definition = definition.and_then(|words| DebugInst::of(index, words));
        let file = definition.filter(|it| it.kind == Kind::Source);
        let file = file.and_then(|it| it.id(Field::File)).unwrap_or(source);
        let line = inst.number(index, line)?;
        Some(Point {
            position: Position { file, line },
            column: inst.number(index, column).unwrap_or(0),
        })
    }

    /// Notes the position of the instructions from an offset on.
    fn set(&mut self, offset: usize, point: Option<Point>) {
        if self.point == point {
            return;
        }
        self.point = point;
        self.sources.changes.push((offset, point));
        if let Some(point) = point {
            self.name_file(point.position.file);
        }
    }

    fn string(&mut self, id: u32, text: &'a [u32]) {
        let Some(string) = LiteralString::at_start_of(text) else {
            return;
        };
        if is_file_name(&string) {
            self.names.entry(string.to_text_lossy()).or_insert(id);
        }
    }

    /// Names a file after the last part of its path: the rest would push the
    /// source line off the screen.
    fn name_file(&mut self, file: u32) {
        let Some(string) = self.sources.string(file) else {
            return;
        };
        self.sources.files.entry(file).or_insert_with(|| {
            let path = string.to_text_lossy();
            let mut name = String::new();
            push_plain(
                &mut name,
                path.rsplit(['/', '\\']).next().unwrap_or_default(),
                FILE,
            );
            name
        });
    }

    fn finish_text(&mut self) {
        let Some((file, bytes)) = self.current.take() else {
            return;
        };
        let text = &mut self.sources.text;
        let start = text.len();
        text.push_str(&String::from_utf8_lossy(&bytes));
        self.texts.push((file, start..text.len()));
    }

    fn start_text(&mut self, file: u32) {
        self.finish_text();
        self.current = Some((file, Vec::new()));
    }

    fn add_string(&mut self, id: Option<u32>) {
        self.add_text(id.and_then(|id| self.sources.string(id)));
    }

    fn add_text(&mut self, text: Option<LiteralString<'_>>) {
        if let (Some((_, bytes)), Some(text)) = (&mut self.current, text)
            && let Some(budget) = self.budget.checked_sub(text.words().len() * 4)
        {
            self.budget = budget;
            text.append_to(bytes);
        }
    }

    /// Finds the lines of a text that are wanted.
    fn index(&mut self, file: u32, range: Range<usize>) {
        let sources = &mut self.sources;
        let Some(text) = sources.text.get(range.clone()) else {
            return;
        };
        let (mut file, mut line) = (Some(file), 1u32);
        let mut begin = 0;
        while begin < text.len() {
            let (end, next) = end_of_line(text, begin);
            // What comes later counts: before `#line 1` is what a compiler put in
            // front of the text.
            if let Some(file) = file
                && let Some(range_of_line) = sources.lines.get_mut(&Position { file, line })
            {
                let shown = text[begin..end].trim_end().len();
                *range_of_line = range.start + begin..range.start + begin + shown;
            }
            line = line.saturating_add(1);
            if self.honours_directives
                && let Some((number, name)) = line_directive(&text[begin..end])
            {
                line = number;
                file = match name {
                    Some(name) => self.names.get(name).copied(),
                    None => file,
                };
            }
            begin = next;
        }
    }

    fn finish(mut self) -> Sources<'a> {
        self.finish_text();
        // Only the lines that instructions refer to are kept, so that a text of
        // nothing but line ends takes no more memory than any other.
        let changes = self.sources.changes.iter();
        let points = changes.filter_map(|(_, point)| *point);
        let wanted = points.chain(self.sources.declared.values().copied());
        self.sources.lines = wanted.map(|point| (point.position, 0..0)).collect();
        for (file, range) in std::mem::take(&mut self.texts) {
            self.index(file, range);
        }
        self.sources
    }
}

/// Where the line that starts at `begin` ends, and where the next one starts.
fn end_of_line(text: &str, begin: usize) -> (usize, usize) {
    let rest = text.as_bytes().get(begin..).unwrap_or_default();
    match memchr::memchr2(b'\n', b'\r', rest) {
        None => (text.len(), text.len()),
        Some(at) if rest[at..].starts_with(b"\r\n") => (begin + at, begin + at + 2),
        Some(at) => (begin + at, begin + at + 1),
    }
}

/// The number that `#line 12 "name"` gives to the line after it, and the name of
/// the file.
fn line_directive(text: &str) -> Option<(u32, Option<&str>)> {
    let text = text
        .trim_start()
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("line")?;
    let rest = text.trim_start();
    let digits = rest
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..]
        .trim()
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    Some((number, name))
}

/// Whether the scope of a position (`OpLine`) ends with an instruction.
fn ends_block(op: Op) -> bool {
    op.is_terminator() || op == Op::FunctionEnd
}
