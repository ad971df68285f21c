//! The debugging instructions of a module, gathered once for all checks that look
//! at how they are connected.

use spirvkit_binary::{Id, IdMap};
use spirvkit_grammar::debug_info::{Field, Kind, Set};
use spirvkit_grammar::{ExtInstSet, Op};

use super::number;
use crate::finding::Finding;
use crate::module::{Inst, Lookup, Module};
use crate::rule::Rule;
use crate::rules::ext_inst::imports;

/// A debugging instruction.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) inst: Inst<'a>,
    pub(super) set: ExtInstSet,
    pub(super) number: u32,
    /// What the set has of that number, if anything.
    pub(super) kind: Option<Kind>,
    /// How many operands it has in the version of the set: later ones have added some to
    /// instructions of version 100.
    operands: u8,
    /// The `OpFunction` that it stands in; id 0 outside of functions.
    pub(super) function: Id,
    /// Which of the module's blocks it stands in, counted from 1; 0 outside of
    /// blocks.
    pub(super) block: u32,
    /// Whether that is the first of its function.
    pub(super) is_in_entry: bool,
}

/// All debugging instructions, in order.
pub(super) struct Index<'m, 'a> {
    pub(super) m: &'m Module<'a>,
    pub(super) entries: Vec<Entry<'a>>,
    /// By result: the index in `entries` and 1.
    by_id: IdMap<u32>,
}

impl<'m, 'a> Index<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        let mut entries = Vec::new();
        let mut by_id = IdMap::new(0, m.words.len());
        let mut function = Id(0);
        // A module has few imports, and mostly uses one of them over and over.
        let mut last = (Id(0), false);
        let mut is_later = |import: Id| {
            if last.0 != import {
                last = (import, imports::is_later(m, import));
            }
            last.1
        };
        let (mut blocks, mut first_block, mut block) = (0, 0, 0);
        for inst in m.all_instructions() {
            match inst.op() {
                Op::Function => {
                    function = inst.result().unwrap_or(Id(0));
                    first_block = blocks + 1;
                }
                Op::FunctionEnd => (function, block) = (Id(0), 0),
                Op::Label => {
                    blocks += 1;
                    block = blocks;
                }
                op if op.is_terminator() => block = 0,
                Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                    let Some(set) = m.known_set(inst.id(0)).filter(|set| set.is_debug_info())
                    else {
                        continue;
                    };
                    let is_left_out = match set {
                        ExtInstSet::DebugInfo => m.options.skip_debug_info,
                        ExtInstSet::ShaderDebugInfo => is_later(inst.id(0)),
                        _ => false,
                    };
                    if is_left_out {
                        continue;
                    }
                    entries.push(Entry {
                        inst,
                        set,
                        number: inst.arg(1),
                        kind: Set::of(set).and_then(|set| set.kind(inst.arg(1))),
                        operands: operands_of(set, inst.arg(1)),
                        function,
                        block,
                        is_in_entry: block == first_block,
                    });
                    by_id.replace(inst.result().unwrap_or(Id(0)), entries.len() as u32);
                }
                _ => {}
            }
        }
        Self { m, entries, by_id }
    }

    /// The entries with these numbers, with their indexes.
    pub(super) fn of_number(&self, number: u32) -> impl Iterator<Item = (usize, &Entry<'a>)> + '_ {
        let all = self.entries.iter().enumerate();
        all.filter(move |(_, entry)| entry.number == number)
    }

    /// The index of the instruction with this result.
    pub(super) fn find(&self, id: Id) -> Option<usize> {
        (self.by_id.get(id) as usize).checked_sub(1)
    }

    /// Where an entry has a field among its operands.
    pub(super) fn place(&self, entry: &Entry<'_>, field: Field) -> Option<usize> {
        let set = Set::of(entry.set)?;
        let place = set.position(entry.kind?, field)?;
        (place < usize::from(entry.operands)).then_some(place)
    }

    /// The word of an entry's field; `None` if the entry doesn't have it.
    pub(super) fn word(&self, entry: &Entry<'_>, field: Field) -> Option<u32> {
        entry.inst.optional(2 + self.place(entry, field)?)
    }

    /// The words from an entry's field on.
    pub(super) fn words_from(&self, entry: &Entry<'a>, field: Field) -> &'a [u32] {
        let start = self.place(entry, field).map(|place| place + 2);
        let words = start.and_then(|start| entry.inst.args().get(start..));
        words.unwrap_or_default()
    }

    /// The id in an entry's field.
    pub(super) fn id(&self, entry: &Entry<'_>, field: Field) -> Option<Id> {
        self.word(entry, field).map(Id)
    }

    /// The debugging instruction of the same set that an id in an entry names.
    pub(super) fn kin(&self, entry: &Entry<'_>, id: Id) -> Option<usize> {
        let found = self.find(id)?;
        (self.entries.get(found)?.set == entry.set).then_some(found)
    }

    /// The debugging instruction that an entry's field names.
    pub(super) fn target(&self, entry: &Entry<'_>, field: Field) -> Option<usize> {
        self.kin(entry, self.id(entry, field)?)
    }

    /// What a template is an instance of; any other entry itself. Some producers name
    /// the template where they mean the class or function.
    pub(super) fn instantiated(&self, index: usize) -> usize {
        let template = self.entries.get(index);
        let template = template.filter(|entry| entry.number == number::TYPE_TEMPLATE);
        let target = template.and_then(|entry| self.target(entry, Field::Target));
        target.unwrap_or(index)
    }

    /// The number that an entry's field stands for: a literal, or the value of a
    /// constant.
    pub(super) fn value(&self, entry: &Entry<'_>, field: Field) -> Option<u64> {
        let word = self.word(entry, field)?;
        match entry.set.is_non_semantic() {
            true => self.m.constant_u64(Id(word)),
            false => Some(u64::from(word)),
        }
    }

    /// A finding of an entry: a warning in the sets of which producers are at large
    /// that know other validators only, and those don't look.
    #[cold]
    pub(super) fn finding(
        &self,
        entry: &Entry<'_>,
        rule: &'static Rule,
        message: impl Into<String>,
    ) -> Finding {
        let finding = self.error(entry, rule, message);
        match entry.set {
            ExtInstSet::DebugInfo => finding,
            _ => finding.warning(),
        }
    }

    /// A finding that is an error in any set.
    #[cold]
    pub(super) fn error(
        &self,
        entry: &Entry<'_>,
        rule: &'static Rule,
        message: impl Into<String>,
    ) -> Finding {
        let finding = Finding::new(rule, entry.inst.offset(), message);
        finding.mentioning(&self.m.mentions).aside(true)
    }

    /// What an entry's instruction is called.
    #[cold]
    pub(super) fn title(&self, entry: &Entry<'_>) -> String {
        match entry.set.instruction(entry.number) {
            Some(info) => info.name().to_owned(),
            None => format!("instruction {}", entry.number),
        }
    }

    /// What an entry is called in a message about another: its id.
    #[cold]
    pub(super) fn name(&self, index: usize) -> String {
        let id = self
            .entries
            .get(index)
            .and_then(|entry| entry.inst.result());
        self.m.name(id.unwrap_or(Id(0)))
    }

    /// Points at another entry.
    #[cold]
    pub(super) fn pointing(&self, finding: Finding, index: usize, message: &str) -> Finding {
        match self.entries.get(index) {
            Some(entry) => finding.at(entry.inst.offset(), message),
            None => finding,
        }
    }
}

/// How many operands an instruction has in this version of its set; of all but version
/// 100, that is left open.
fn operands_of(set: ExtInstSet, number: u32) -> u8 {
    match set {
        ExtInstSet::ShaderDebugInfo100 => {
            let info = set.instruction(number);
            info.map_or(0, |info| info.operands().len() as u8)
        }
        _ => u8::MAX,
    }
}
