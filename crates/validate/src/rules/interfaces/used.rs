//! The variables that entry points use.

use hashbrown::HashSet;
use spirvkit_binary::{Id, Instruction, Value, WordOffset};
use spirvkit_grammar::{Capability, Op, StorageClass, Version};

use super::listed;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Entries, EntryPoint, Inst, Module, Reach};
use crate::rules::generated::interface;

/// What is recorded of a variable outside of functions.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The number of a variable that matters, from 1; 0 for anything else.
    variable: u32,
    /// The function whose use of the variable was recorded last, as its index and 1.
    function: u32,
}

/// What is recorded of all variables outside of functions, in order.
struct Globals<'m, 'a> {
    m: &'m Module<'a>,
    known: Vec<Known>,
}

impl Globals<'_, '_> {
    /// What is recorded of an id, if it is such a variable.
    #[inline]
    fn get(&mut self, id: Id) -> Option<&mut Known> {
        let def = self.m.whereabouts(id);
        if !def.is_global() {
            return None;
        }
        let index = self.m.globals.binary_search(&def.offset()).ok()?;
        self.known.get_mut(index)
    }
}

/// That a function uses a variable.
#[derive(Clone, Copy)]
struct Use {
    function: u32,
    variable: u32,
    offset: u32,
}

/// A variable that matters.
struct Variable {
    id: Id,
    must_be_listed: bool,
    is_push_constant: bool,
    /// Those of the entry points at hand that list it, and that use it.
    listed: Entries,
    used: Entries,
}

/// Checks what is used in functions.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let is_new = m.version >= Version::new(1, 4);
    let one_push_constant = m.env.is_vulkan() && !m.has(Capability::PushConstantBanksNV);
    let mut globals = Globals {
        m,
        known: vec![Known::default(); m.globals.len()],
    };
    let mut variables = Vec::with_capacity(m.globals.len());
    for (index, &offset) in m.globals.iter().enumerate() {
        let Some(inst) = m.inst(offset) else {
            continue;
        };
        let class = StorageClass(inst.arg(0));
        let must_be_listed = is_new || matches!(class, StorageClass::Input | StorageClass::Output);
        let is_push_constant = one_push_constant && class == StorageClass::PushConstant;
        if let Some(id) = inst.result()
            && (must_be_listed || is_push_constant)
            && listed::variable(m, id).is_some()
        {
            variables.push(Variable {
                id,
                must_be_listed,
                is_push_constant,
                listed: 0,
                used: 0,
            });
            globals.known[index].variable = variables.len() as u32;
        }
    }
    if variables.is_empty() || m.entry_points.is_empty() {
        return;
    }
    let mut used: Vec<Use> = Vec::with_capacity(m.globals.len());
    let users = m.interesting.globals.iter();
    for inst in users.filter_map(|&offset| m.inst(offset)) {
        if let Some(function) = m.function_at(inst.offset()) {
            note_uses(m, inst, function, &mut globals, &mut used);
        }
    }
    let mut reach = Reach::new(m);
    for entries in m.entry_points.chunks(Reach::AT_ONCE) {
        reach.follow(m, entries);
        let wrong = find_wrong(&reach, entries, &mut globals, &mut variables, &used);
        // To look at each takes its time, so these many are enough.
        for (index, entry) in entries.iter().enumerate() {
            if wrong >> index & 1 != 0 && !reporter.is_full() {
                reporter.note(check_entry(m, entry, &variables, &used));
            }
        }
        if wrong != 0 {
            return;
        }
    }
}

/// Those of some entry points that use what they must not.
fn find_wrong(
    reach: &Reach,
    entries: &[EntryPoint<'_>],
    globals: &mut Globals<'_, '_>,
    variables: &mut [Variable],
    used: &[Use],
) -> Entries {
    for variable in &mut *variables {
        (variable.listed, variable.used) = (0, 0);
    }
    for (index, entry) in entries.iter().enumerate() {
        for &id in entry.interface {
            let number = globals
                .get(Id(id))
                .map_or(0, |known| known.variable as usize);
            if let Some(variable) = number.checked_sub(1).and_then(|at| variables.get_mut(at)) {
                variable.listed |= 1 << index;
            }
        }
    }
    let mut wrong = 0;
    for Use {
        function, variable, ..
    } in used
    {
        if let Some(variable) = variables.get_mut(*variable as usize) {
            variable.used |= reach.of(*function);
        }
    }
    let mut with_push_constant = 0;
    for variable in variables {
        if variable.must_be_listed {
            wrong |= variable.used & !variable.listed;
        }
        if variable.is_push_constant {
            wrong |= variable.used & with_push_constant;
            with_push_constant |= variable.used;
        }
    }
    wrong
}

/// Tells what is wrong with an entry point.
fn check_entry(
    m: &Module<'_>,
    entry: &EntryPoint<'_>,
    variables: &[Variable],
    used: &[Use],
) -> CheckResult {
    let listed: HashSet<u32> = entry.interface.iter().copied().collect();
    let mut reported: HashSet<u32> = HashSet::new();
    let mut push_constant: Option<Id> = None;
    let functions = m.call_tree(entry.function);
    let uses = functions.into_iter().flat_map(|function| {
        let start = used.partition_point(|entry| entry.function < function);
        let own = used.get(start..).unwrap_or_default().iter();
        own.take_while(move |entry| entry.function == function)
    });
    all(uses.map(|place| {
        let Some(variable) = variables.get(place.variable as usize) else {
            return Ok(());
        };
        let (id, offset) = (variable.id, place.offset);
        let mut result = Ok(());
        if variable.is_push_constant {
            let other = *push_constant.get_or_insert(id);
            // If both are listed, that is reported already.
            let are_listed = listed.contains(&id.0) && listed.contains(&other.0);
            if other != id && !are_listed && reported.insert(id.0) {
                let message = format!(
                    "entry point \"{}\" uses two push constant blocks, {} and {}",
                    entry.name(),
                    m.name(other),
                    m.name(id)
                );
                result = Err(
                    Finding::new(&interface::VULKAN_PUSH_CONSTANTS, offset, message)
                        .vuid(interface::VULKAN_PUSH_CONSTANTS.vuids[0])
                        .about(m, id, "one is declared here")
                        .about(m, other, "the other is declared here"),
                );
            }
        }
        if variable.must_be_listed && !listed.contains(&id.0) && reported.insert(id.0) {
            let message = format!(
                "entry point \"{}\" uses {}, but does not list it",
                entry.name(),
                m.name(id)
            );
            let finding = Finding::new(&interface::NOT_LISTED, offset, message)
                .about(m, id, "the variable is declared here")
                .at(entry.inst.offset(), "the entry point is declared here");
            result = all([result, Err(finding)]);
        }
        result
    }))
}

/// Notes which variables an instruction of a function uses.
fn note_uses(
    m: &Module<'_>,
    inst: Inst<'_>,
    function: u32,
    globals: &mut Globals<'_, '_>,
    used: &mut Vec<Use>,
) {
    let is_news = |known: &Known| known.variable != 0 && known.function != function + 1;
    let words = inst.words().get(1..).unwrap_or_default();
    let mut may_use = |&word: &u32| globals.get(Id(word)).is_some_and(|known| is_news(known));
    if !words.iter().any(&mut may_use) {
        return;
    }
    let mut note = |id: Id| {
        if let Some(known) = globals.get(id).filter(|known| is_news(known)) {
            known.function = function + 1;
            used.push(Use {
                function,
                variable: known.variable - 1,
                offset: inst.offset(),
            });
        }
    };
    match inst.op() {
        Op::Load | Op::AccessChain | Op::InBoundsAccessChain => note(inst.id(0)),
        Op::Store => {
            note(inst.id(0));
            note(inst.id(1));
        }
        op if op.is_ext_inst() && m.is_remark(inst) => {}
        _ => {
            let offset = WordOffset(inst.offset() as usize);
            let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
                return;
            };
            for operand in instruction.operands(&m.definitions).flatten() {
                if let Value::Id(id) = operand.value {
                    note(id);
                }
            }
        }
    }
}
