//! What `spv run` tells of a run as it goes on: traces, coverage, profiles.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::ops::ControlFlow;

use spirvkit::analysis::{Lookup, ModuleIndex, Type as ModuleType};
use spirvkit::binary::{Id, NumberType, WordOffset};
use spirvkit::debuginfo::DebugInfo;
use spirvkit::diagnostics::Source;
use spirvkit::eval::{Scalar, ScalarType};
use spirvkit::grammar::Op;
use spirvkit::interp::{Observer, Seen, Step};
use spirvkit::text::{
    AssembleOptions, DisassembleOptions, Origins, assemble, disassemble, named_listing,
};

use super::arguments::Type;
use crate::look::Looked;

/// An instruction of a function.
#[derive(Clone, Debug)]
struct Line {
    text: String,
    /// The shader's line that it comes from, as text, if it has debug information.
    source: Option<String>,
    /// The file, by its index, and the line.
    place: Option<(usize, usize)>,
    /// Of which block, and which function.
    block: usize,
    function: usize,
    op: Op,
    result: Option<Id>,
    /// The value that is of interest, if there is no result.
    value: Option<Id>,
}

/// The instructions of a module's functions.
pub(super) struct Code<'m> {
    index: ModuleIndex<'m>,
    lines: BTreeMap<u32, Line>,
    files: Vec<String>,
    functions: Vec<String>,
}

impl<'m> Code<'m> {
    /// What can be read of a module.
    pub(super) fn of(looked: &'m Looked<'_>) -> Option<Self> {
        let words = looked.module.words();
        let index = ModuleIndex::new(words).ok()?;
        let mut code = Self {
            index,
            lines: BTreeMap::new(),
            files: Vec::new(),
            functions: Vec::new(),
        };
        let mut texts = named_listing(words, &looked.ids, |_| true).into_iter();
        let (mut source, mut block) = (None, 0);
        for instruction in looked.module.instructions().map_while(Result::ok) {
            let Some(listed) = texts.next() else {
                break;
            };
            source = listed.source.or(source);
            let (op, offset) = (instruction.op(), instruction.offset().0 as u32);
            let args = instruction.words().get(1..).unwrap_or_default();
            match op {
                Op::Function => code
                    .functions
                    .push(looked.ids.show(Id(args.get(1).copied().unwrap_or(0)))),
                Op::Label => block += 1,
                _ => {}
            }
            let is_silent = matches!(
                op,
                Op::Label
                    | Op::Line
                    | Op::NoLine
                    | Op::Nop
                    | Op::Variable
                    | Op::SelectionMerge
                    | Op::LoopMerge
                    | Op::Function
                    | Op::FunctionParameter
                    | Op::FunctionEnd
            );
            if code.functions.is_empty() || is_silent || code.index.is_remark_at(offset) {
                continue;
            }
            let has_result = op.info().is_some_and(|info| info.has_result());
            let operand = |at: usize| args.get(at).copied().map(Id);
            let value = match op {
                Op::Store | Op::AtomicStore => args
                    .last()
                    .copied()
                    .map(Id)
                    .filter(|_| op != Op::Store)
                    .or(operand(1)),
                Op::BranchConditional | Op::Switch | Op::ReturnValue => operand(0),
                _ => None,
            };
            let line = Line {
                text: listed.text,
                source: source.clone(),
                place: None,
                block,
                function: code.functions.len() - 1,
                op,
                result: operand(1).filter(|_| has_result),
                value,
            };
            code.lines.insert(offset, line);
        }
        code.find_places(looked);
        Some(code)
    }

    /// Finds the line of each instruction: of the shader's source; where the module doesn't tell,
    /// of its assembly text.
    fn find_places(&mut self, looked: &Looked<'_>) {
        if let Ok(info) = DebugInfo::read(looked.module.words()) {
            let mut files = HashMap::new();
            for (&offset, line) in &mut self.lines {
                let position = info.position(WordOffset(offset as usize));
                let Some(position) = position.filter(|it| it.line > 0) else {
                    continue;
                };
                let names = &mut self.files;
                let file = *files.entry(position.file).or_insert_with(|| {
                    let name = info.file(position.file).map(|it| it.name().to_owned());
                    names.push(name.unwrap_or_default());
                    names.len() - 1
                });
                line.place = Some((file, position.line as usize));
            }
        }
        if !self.files.is_empty() {
            return;
        }
        match looked.text {
            Some((text, origins)) => self.place_in(looked.name.to_owned(), text, origins),
            None => {
                let text = disassemble(looked.module.words(), &DisassembleOptions::default());
                let Ok(text) = text else {
                    return;
                };
                let options = AssembleOptions::default().origins(true);
                if let Ok(module) = assemble(&text.text, &options) {
                    let name = match looked.name.strip_suffix(".spv") {
                        Some(stem) => format!("{stem}.spvasm"),
                        None => format!("{}.spvasm", looked.name),
                    };
                    self.place_in(name, &text.text, &module.origins);
                }
            }
        }
    }

    fn place_in(&mut self, name: String, text: &str, origins: &Origins) {
        self.files.push(name);
        let source = Source::new("", text);
        for (&offset, line) in &mut self.lines {
            let span = origins.span(offset as usize);
            line.place = span.map(|span| (0, source.position(span.start).line));
        }
    }

    /// A value, as people write it.
    fn spell(&self, id: Id, seen: &Seen<'_>) -> String {
        match seen {
            Seen::Pointer(place) => match place.name {
                "" => "null".to_owned(),
                name => format!("{name}+{}", place.offset),
            },
            Seen::Scalars(scalars) => {
                let is_signed = self.is_signed(id);
                let all: Vec<String> = scalars.iter().map(|it| number(*it, is_signed)).collect();
                match &all[..] {
                    [only] => only.clone(),
                    all => format!("({})", all.join(", ")),
                }
            }
            _ => "?".to_owned(),
        }
    }

    /// Whether an id's components are declared as signed.
    fn is_signed(&self, id: Id) -> bool {
        let Some(mut ty) = self.index.type_of(id) else {
            return false;
        };
        if let ModuleType::Pointer { pointee, .. } = self.index.ty(ty) {
            ty = pointee;
        }
        let component = self.index.component_type(ty);
        matches!(
            self.index.ty(component),
            ModuleType::Int { signed: true, .. }
        )
    }
}

fn number(scalar: Scalar, signed: bool) -> String {
    let number = match scalar.ty() {
        ScalarType::Bool => return (scalar.bits() != 0).to_string(),
        ScalarType::Integer { width } => NumberType::Integer { width, signed },
        ScalarType::Float(format) => NumberType::Float(format),
    };
    Type::of(number).text(&scalar.bits().to_le_bytes())
}

/// How often an instruction was executed.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// By invocations.
    invocations: u64,
    /// By subgroups, each time for all of its lanes that did so together.
    times: u64,
}

/// Follows a run.
pub(super) struct Watcher<'c, 'm> {
    code: &'c Code<'m>,
    /// The invocations that are traced, by their global index.
    traced: Vec<[u32; 3]>,
    /// Which of them have executed anything.
    met: Vec<bool>,
    /// What is shown of them, and how many lines may still follow.
    pub(super) trace: String,
    room: usize,
    last_source: Option<(usize, String)>,
    counts: HashMap<u32, Count>,
}

impl<'c, 'm> Watcher<'c, 'm> {
    pub(super) fn new(code: &'c Code<'m>, traced: Vec<[u32; 3]>, room: usize) -> Self {
        Self {
            code,
            met: vec![false; traced.len()],
            traced,
            trace: String::new(),
            room,
            last_source: None,
            counts: HashMap::new(),
        }
    }

    /// Shows an instruction to those who trace its invocations.
    fn show(&mut self, step: &Step<'_>, line: &'c Line, value: Option<Id>) {
        let mut rest = step.lanes();
        while rest != 0 && self.room > 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let id = step.global_id(lane);
            let Some(which) = self.traced.iter().position(|it| *it == id) else {
                continue;
            };
            self.met[which] = true;
            let [x, y, z] = id;
            let source = line.source.as_ref().map(|source| (which, source.clone()));
            if let Some((_, text)) = source.as_ref().filter(|_| source != self.last_source) {
                let _ = writeln!(self.trace, "{text}");
            }
            self.last_source = source;
            let _ = write!(self.trace, "({x}, {y}, {z})  {}", line.text);
            let seen = value.and_then(|id| Some((id, step.value(id, lane)?)));
            if let Some((id, seen)) = seen {
                let _ = write!(self.trace, "  ; {}", self.code.spell(id, &seen));
            }
            self.trace.push('\n');
            self.room -= 1;
            if self.room == 0 {
                self.trace
                    .push_str("the trace ends here: --max-trace allows more lines\n");
            }
        }
    }
}

impl Observer for Watcher<'_, '_> {
    fn before(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let count = self.counts.entry(step.offset()).or_default();
        count.invocations += u64::from(step.lanes().count_ones());
        count.times += 1;
        if !self.traced.is_empty()
            && let Some(line) = self.code.lines.get(&step.offset())
            && line.result.is_none()
        {
            self.show(step, line, line.value);
        }
        ControlFlow::Continue(())
    }

    fn after(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        if !self.traced.is_empty()
            && let Some(line) = self.code.lines.get(&step.offset())
            && line.result.is_some()
        {
            self.show(step, line, line.result);
        }
        ControlFlow::Continue(())
    }
}

impl Watcher<'_, '_> {
    fn count(&self, offset: u32) -> Count {
        self.counts.get(&offset).copied().unwrap_or_default()
    }

    /// The invocations that were to be traced, but that there weren't.
    pub(super) fn missed(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let traced = self.traced.iter().zip(&self.met);
        // What came once no more lines were wanted isn't known.
        let traced = traced.filter(|(_, is_met)| !**is_met && self.room > 0);
        traced.map(|(id, _)| *id)
    }

    /// Which lines were executed how often, in the format of `lcov`. A block stands as a branch
    /// of the line on which it begins.
    pub(super) fn coverage(&self) -> String {
        let mut all = String::new();
        for (file, name) in self.code.files.iter().enumerate() {
            let name: String = name.chars().filter(|it| !it.is_control()).collect();
            let _ = writeln!(all, "TN:\nSF:{name}");
            // By line, how often; by block and by function, the first line and how often.
            let mut lines: BTreeMap<usize, u64> = BTreeMap::new();
            let mut blocks: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
            let mut functions: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
            for (&offset, line) in &self.code.lines {
                let Some((_, number)) = line.place.filter(|place| place.0 == file) else {
                    continue;
                };
                let count = self.count(offset).invocations;
                let most = lines.entry(number).or_default();
                *most = count.max(*most);
                blocks.entry(line.block).or_insert((number, count));
                functions.entry(line.function).or_insert((number, count));
            }
            let hit = |counts: &mut dyn Iterator<Item = u64>| counts.filter(|&it| it > 0).count();
            for (&function, (line, _)) in &functions {
                let _ = writeln!(all, "FN:{line},{}", self.code.functions[function]);
            }
            for (&function, (_, count)) in &functions {
                let _ = writeln!(all, "FNDA:{count},{}", self.code.functions[function]);
            }
            let reached = hit(&mut functions.values().map(|it| it.1));
            let _ = writeln!(all, "FNF:{}\nFNH:{reached}", functions.len());
            for (block, (line, count)) in &blocks {
                let _ = writeln!(all, "BRDA:{line},{block},0,{count}");
            }
            let reached = hit(&mut blocks.values().map(|it| it.1));
            let _ = writeln!(all, "BRF:{}\nBRH:{reached}", blocks.len());
            for (line, count) in &lines {
                let _ = writeln!(all, "DA:{line},{count}");
            }
            let reached = hit(&mut lines.values().copied());
            let _ = writeln!(all, "LF:{}\nLH:{reached}\nend_of_record", lines.len());
        }
        all
    }

    /// Where time goes: instructions by the line that they come from, the most frequent first.
    pub(super) fn profile(&self) -> String {
        let mut by_line: BTreeMap<(Option<&str>, &str), Count> = BTreeMap::new();
        for (&offset, line) in &self.code.lines {
            let count = self.count(offset);
            let key = match &line.source {
                Some(source) => (Some(source.as_str()), ""),
                None => (None, line.text.as_str()),
            };
            let sum = by_line.entry(key).or_default();
            sum.invocations += count.invocations;
            sum.times += count.times;
        }
        let total: u64 = by_line.values().map(|it| it.times).sum();
        let mut rows: Vec<_> = by_line.into_iter().filter(|it| it.1.times > 0).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.1.times));
        let mut all = String::from(" share       steps  invocations  where\n");
        for ((source, text), count) in rows {
            let share = count.times as f64 * 100.0 / total.max(1) as f64;
            let Count { invocations, times } = count;
            let place = source.unwrap_or(text);
            let _ = writeln!(all, "{share:5.1}%  {times:10}  {invocations:11}  {place}");
        }
        all
    }

    /// The opcodes that were executed, with how often by invocations, for programs.
    pub(super) fn opcodes(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for (&offset, line) in &self.code.lines {
            *all.entry(line.op.to_string()).or_default() += self.count(offset).invocations;
        }
        all.retain(|_, count| *count > 0);
        all
    }
}
