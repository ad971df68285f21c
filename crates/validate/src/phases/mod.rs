//! What is looked at, in order.
//!
//! 1. The [`header`].
//! 2. [`operands`]: every instruction against the grammar, in one pass: can it
//!    be decoded, are its [`ids`] defined and of the right sort, does it stand
//!    where it may ([`layout`]), is what it uses available ([`gating`]).
//! 3. The rules of each instruction, in the family that owns its opcode, in
//!    the same pass if they find nothing.
//! 4. Whole functions: [`dominance`], control flow.
//! 5. Whole modules: entry points, interfaces, decorations, built-ins.
//!
//! All are run, whatever the others find, so that everything is reported at once; what
//! would only follow from something reported is left out: see [`Reporter`].

mod dominance;
mod gating;
mod header;
mod ids;
mod layout;
mod operands;

pub(crate) use ids::refuses;

use spirvkit_binary::{Budget, Error, ErrorKind, Header};

use crate::finding::{Finding, Mentions, Reporter};
use crate::flow::Flow;
use crate::inst_ctx::InstCtx;
use crate::module::{Function, GivenNames, Inst, Module};
use crate::options::Options;
use crate::rules::generated::binary;
use crate::rules::{self as families, control_flow};

/// A decoder's error as a finding.
pub(crate) fn binary_finding(error: &Error) -> Finding {
    let message = match error.op() {
        Some(op) => format!("{op}: {}", error.kind()),
        None => error.kind().to_string(),
    };
    let rule = match error.kind() {
        ErrorKind::TooShort { .. } | ErrorKind::OddSize { .. } | ErrorKind::PastEnd { .. } => {
            &binary::TRUNCATED
        }
        _ => &binary::MALFORMED,
    };
    Finding::new(rule, error.offset().0 as u32, message)
}

/// Runs all phases. Returns what is found, and whether something had no room.
pub(crate) fn run(
    words: &[u32],
    header: Header,
    options: &Options,
    names: Option<GivenNames<'_>>,
) -> (Vec<Finding>, bool) {
    let mut m = Module::index(words, header, options, names);
    // One more than is reported says that there are more.
    let limit = match options.max_errors {
        0 => 0,
        most => most.saturating_add(1),
    };
    // A quarter for what is found; as much again, and more, is made of that.
    let budget = Budget::for_words(words.len()).part(4);
    let mut reporter = Reporter::new(limit, &options.levels, Mentions::clone(&m.mentions), budget);
    header::check(&m, &mut reporter);
    let operands::Passed {
        disorder,
        interesting,
        is_checked,
    } = operands::check(&m, &mut reporter);
    m.interesting = interesting;
    for function in m
        .functions
        .iter()
        .filter(|each| is_in_disorder(each, &disorder))
    {
        reporter.suppress(function.range.start, false);
    }
    reporter.seal();
    if !is_checked {
        instructions(&m, &mut reporter);
    }
    functions(&m, &disorder, &mut reporter);
    // Much of what these ask for may be in the part that can't be read.
    if m.broken_tail.is_none() {
        families::check_module(&m, &mut reporter);
    }
    let (mut reporter, is_cut) = reporter.into_vec();
    for finding in &mut reporter {
        finding.find_operand(&m);
    }
    (reporter, is_cut)
}

/// Checks what takes the graph of a function.
///
/// Functions in `disorder` have no such graph.
fn functions(m: &Module<'_>, disorder: &[u32], reporter: &mut Reporter) {
    let reconverging = control_flow::reconverging(m);
    for (index, function) in m.functions.iter().enumerate() {
        if reporter.is_full() {
            return;
        }
        if !function.blocks.is_empty() && !is_in_disorder(function, disorder) {
            let flow = Flow::new(m, function);
            let reconverges = reconverging.get(index) == Some(&true);
            let (is_fine, structure) = control_flow::check_function(&flow, reconverges, reporter);
            // A wrong branch changes what dominates what.
            if is_fine {
                dominance::check(&flow, structure, reporter);
            }
        }
    }
}

/// Whether parts of a function stand where they don't belong. The next one may
/// begin before it has ended.
fn is_in_disorder(function: &Function, disorder: &[u32]) -> bool {
    let range = &function.range;
    let next = disorder.partition_point(|&at| at <= range.start);
    disorder.get(next).is_some_and(|&at| at <= range.end)
}

/// Gives each instruction to the family that owns its opcode.
fn instructions(m: &Module<'_>, reporter: &mut Reporter) {
    let mut sites = Sites::new(m);
    for inst in m.all_instructions() {
        if let Err(finding) = families::check(&sites.of(inst)) {
            reporter.add(finding.aside(m.is_remark(inst)));
            if reporter.is_full() {
                return;
            }
        }
    }
}

/// Follows where the instructions stand that are gone through.
struct Sites<'m, 'a> {
    m: &'m Module<'a>,
    place: Place,
    /// Where something next begins or ends: until then, all stand in one place.
    change: u32,
}

impl<'m, 'a> Sites<'m, 'a> {
    fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            place: Place::default(),
            change: 0,
        }
    }

    /// The next instruction as the rules see it.
    #[inline]
    fn of(&mut self, inst: Inst<'a>) -> InstCtx<'m, 'a> {
        if inst.offset() >= self.change {
            self.change = self.place.advance(self.m, inst.offset());
        }
        InstCtx {
            m: self.m,
            inst,
            function: self.place.function,
            block: self.place.block,
        }
    }
}

/// Where an instruction is.
#[derive(Default)]
struct Place {
    function: Option<u32>,
    block: Option<u32>,
    /// How many functions and blocks have begun.
    functions: u32,
    blocks: u32,
}

impl Place {
    /// Moves on to a word offset, and says at which one the place is another.
    fn advance(&mut self, m: &Module<'_>, offset: u32) -> u32 {
        let begun = |start: u32| start <= offset;
        while let Some(next) = m.functions.get(self.functions as usize)
            && begun(next.range.start)
        {
            self.function = Some(self.functions);
            self.functions += 1;
        }
        while let Some(next) = m.blocks.get(self.blocks as usize)
            && begun(next.start)
        {
            self.block = Some(self.blocks);
            self.blocks += 1;
        }
        // Nothing else begins or ends before the terminator of a block.
        let open = self.block.and_then(|open| m.blocks.get(open as usize));
        if let Some(open) = open
            && open.terminator >= offset
        {
            return open.terminator + 1;
        }
        let end_of_function = self
            .function
            .map(|open| m.functions[open as usize].range.end);
        if end_of_function.is_some_and(|end| end <= offset) {
            self.function = None;
            self.block = None;
        }
        let terminator = self.block.map(|open| m.blocks[open as usize].terminator);
        if terminator.is_some_and(|terminator| terminator != 0 && terminator < offset) {
            self.block = None;
        }
        let next_function = m.functions.get(self.functions as usize);
        let next_function = next_function.map_or(u32::MAX, |next| next.range.start);
        let next_block = m.blocks.get(self.blocks as usize);
        let next_block = next_block.map_or(u32::MAX, |next| next.start);
        let end_of_block = match self.block.and(terminator) {
            Some(terminator) if terminator != 0 => terminator + 1,
            _ => u32::MAX,
        };
        let end_of_function = self.function.and(end_of_function).unwrap_or(u32::MAX);
        next_function
            .min(next_block)
            .min(end_of_block)
            .min(end_of_function)
    }
}
