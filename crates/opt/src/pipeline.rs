//! What is done to a module, in order.

use hashbrown::HashMap;
use spirvkit_binary::{Error, Id};
use spirvkit_grammar::Op;
use spirvkit_transform::compact_ids;

use crate::body::{More, rebuild};
use crate::passes::inline::Shape;
use crate::passes::members::{Removed, remove_unused};
use crate::passes::unroll::{self, Limits};
use crate::passes::{chains, copies, flow, indices, inline, privates, sink, split};
use crate::remarks::OldIds;
use crate::unit::{Unit, Unread, Value, Written};
use crate::{Abilities, Level, Optimized, Options, Remark};

/// Which calls are replaced by what they call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inlining {
    /// All, within a budget.
    All,
    /// Those that are the only ones of their functions.
    Single,
}

/// What of a result counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// That nothing smaller was found: all is tried in several ways, and nothing gets larger.
    Smallest,
    /// That little is executed.
    Fastest,
    /// That what was asked for is done.
    Done,
}

/// What is copied.
#[derive(Clone, Copy, Debug)]
struct Plan {
    inlining: Inlining,
    unrolling: Option<Limits>,
}

/// What could have been done in another way.
#[derive(Clone, Copy, Debug, Default)]
struct Choices {
    /// Functions were copied to several places.
    has_copied: bool,
    /// Loops could have been unrolled.
    could_unroll: bool,
}

/// How far loops are unrolled where that may make a module smaller. That has to be tried, which
/// would take long for large functions.
const UNROLLING_FOR_SIZE: Limits = Limits {
    rounds: 16,
    words: 1 << 10,
    function: 1 << 16,
    only_marked: false,
};

/// And where it saves what counts and tests.
const UNROLLING_FOR_SPEED: Limits = Limits {
    rounds: 256,
    words: 1 << 13,
    function: usize::MAX,
    only_marked: false,
};

/// And where they say that they are to be.
const UNROLLING_AS_MARKED: Limits = Limits {
    rounds: 1 << 10,
    words: 1 << 16,
    function: usize::MAX,
    only_marked: true,
};

/// Optimizes a module. What can't be taken apart stays as it is.
///
/// Whether copies pay shows only when all is done, so where there are any, the ways are tried. What
/// doesn't get smaller either way stays as it was.
///
/// If ids had to be given other numbers, it is also told which ones they had; remarks have those.
pub(crate) fn run(
    words: &[u32],
    options: &Options,
    wanted: Wanted,
) -> Result<(Optimized, Option<HashMap<Id, Id>>), Error> {
    let same = |words: &[u32]| Optimized {
        words: words.to_vec(),
        remarks: Vec::new(),
    };
    let options = &Options {
        level: match wanted {
            Wanted::Fastest => Level::Performance,
            _ => options.level,
        },
        ..options.clone()
    };
    match Unit::read(words, options) {
        Err(Unread::Error(error)) => return Err(error),
        Err(Unread::Broken) => {}
        Ok(unit) => return Ok((best(words, unit, options, wanted), None)),
    }
    let mut module = spirvkit_ir::Module::load(words)?;
    let old = OldIds::of(&module);
    if compact_ids(&mut module).is_err() {
        return Ok((same(words), None));
    }
    let compacted = module.store();
    let old = old.by_new(&module);
    let mut done = match Unit::read(&compacted, options) {
        Ok(unit) => best(&compacted, unit, options, wanted),
        Err(_) => same(&compacted),
    };
    let remarks = done.remarks.into_iter();
    done.remarks = remarks
        .map(|remark| remark.with_ids(|id| old.get(&id).copied()))
        .collect();
    Ok((done, Some(old)))
}

/// The smallest of what can be made of a module. What only describes the source doesn't count, so
/// that the choice doesn't depend on it.
fn best(words: &[u32], mut unit: Unit, options: &Options, wanted: Wanted) -> Optimized {
    let plan = Plan {
        inlining: Inlining::All,
        unrolling: None,
    };
    let same = || Optimized {
        words: words.to_vec(),
        remarks: Vec::new(),
    };
    if wanted == Wanted::Done || options.level == Level::Performance {
        let (limits, ends) = match wanted {
            Wanted::Done => (UNROLLING_AS_MARKED, Ends::Small),
            _ => (UNROLLING_FOR_SPEED, Ends::Fast),
        };
        let unrolls = options.abilities.contains(Abilities::UNROLL);
        let unrolling = unrolls.then_some(limits);
        optimize(&mut unit, options, Plan { unrolling, ..plan });
        return finish(unit, options, ends).map_or_else(same, Finished::optimized);
    }
    let before = code_words(&unit, &unit.live_functions(options));
    let (mut smallest, has_copied) = smallest_of(unit, options, plan);
    if has_copied && let Ok(unit) = Unit::read(words, options) {
        let inlining = Inlining::Single;
        let (other, _) = smallest_of(unit, options, Plan { inlining, ..plan });
        if code(&other) < code(&smallest) {
            smallest = other;
        }
    }
    // Of what was there before the functions, no more is needed now than was.
    if smallest.as_ref().is_none_or(|it| it.made > before) {
        // At least what nothing needs can go.
        let unit = Unit::read(words, options).ok();
        let written = unit.and_then(|unit| unit.write(options));
        let trimmed = written.map(|written| Finished {
            written,
            remarks: Vec::new(),
            made: before,
        });
        if code(&trimmed) < code(&smallest) {
            smallest = trimmed;
        }
    }
    smallest.map_or_else(same, Finished::optimized)
}

/// What comes of a module if loops are unrolled, or not, whichever is smaller; and whether functions
/// were copied to several places.
fn smallest_of(mut unit: Unit, options: &Options, plan: Plan) -> (Option<Finished>, bool) {
    let choices = optimize(&mut unit, options, plan);
    if !choices.could_unroll || !options.abilities.contains(Abilities::UNROLL) {
        return (finish(unit, options, Ends::Small), choices.has_copied);
    }
    // There are never more than two at once.
    let mut unrolled = unit.clone();
    let mut smallest = finish(unit, options, Ends::Small);
    let mut keep = |made: Option<Finished>| {
        if code(&made) < code(&smallest) {
            smallest = made;
        }
    };
    let unrolling = Some(UNROLLING_FOR_SIZE);
    optimize(&mut unrolled, options, Plan { unrolling, ..plan });
    if plan.inlining == Inlining::Single {
        // Each round has its own calls now, with arguments that may be known.
        let mut inlined = unrolled.clone();
        keep(finish(unrolled, options, Ends::Small));
        let inlining = Inlining::All;
        optimize(&mut inlined, options, Plan { inlining, ..plan });
        unrolled = inlined;
    }
    keep(finish(unrolled, options, Ends::Small));
    (smallest, choices.has_copied)
}

/// What has come of a module.
struct Finished {
    written: Written,
    remarks: Vec<Remark>,
    /// The words of its functions, and of what was added before these.
    made: usize,
}

impl Finished {
    fn optimized(self) -> Optimized {
        Optimized {
            words: self.written.words,
            remarks: self.remarks,
        }
    }
}

fn code(made: &Option<Finished>) -> usize {
    made.as_ref().map_or(usize::MAX, |it| it.written.code)
}

/// How a module is left.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Small,
    /// With values only where they are needed, even if each place has its own.
    Fast,
}

/// A module whose functions are done, without what only they needed.
fn finish(mut unit: Unit, options: &Options, ends: Ends) -> Option<Finished> {
    let remarks = unit.take_remarks();
    let abilities = options.abilities;
    let mut live = unit.live_functions(options);
    let mut added = 0;
    if !options.preserve_interface
        && !options.preserve_bindings
        && abilities.contains(Abilities::DEAD_MEMBERS)
        && remove_unused(&mut unit, &live) == Removed::Computed
        && abilities.contains(Abilities::DEAD_CODE)
    {
        // Values of structures are other ones now.
        added += unit.added_words();
        let written = unit.write(options)?;
        unit = Unit::read(&written.words, options).ok()?;
        let plan = Plan {
            inlining: Inlining::Single,
            unrolling: None,
        };
        optimize(&mut unit, options, plan);
        live = unit.live_functions(options);
    }
    if ends == Ends::Fast {
        for (index, _) in live.iter().enumerate().filter(|(_, live)| **live) {
            let mut function = std::mem::take(&mut unit.functions[index]);
            sink::sink(&mut unit, &mut function);
            unit.functions[index] = function;
        }
    }
    if abilities.contains(Abilities::SIMPLIFY) {
        indices::choose(&mut unit, &live);
        chains::share(&mut unit, &live);
    }
    let made = code_words(&unit, &live) + unit.added_words() + added;
    let written = unit.write(options)?;
    Some(Finished {
        written,
        remarks,
        made,
    })
}

/// How often a function is rebuilt at most.
const MAX_ROUNDS: usize = 4;

/// Optimizes a module.
fn optimize(unit: &mut Unit, options: &Options, plan: Plan) -> Choices {
    let mut choices = Choices::default();
    let abilities = options.abilities;
    // What is inlined may leave functions with a shape in which they can be, too.
    for round in 0..2 {
        let live = unit.live_functions(options);
        let (inlined, copied) = match abilities.contains(Abilities::INLINE) {
            true => inline_all(unit, &live, plan.inlining),
            false => (false, false),
        };
        choices.has_copied |= copied;
        if round > 0 && !inlined {
            break;
        }
        let live = if inlined {
            unit.live_functions(options)
        } else {
            live
        };
        if abilities.contains(Abilities::LOCALIZE) {
            privates::localize(unit, &live);
        }
        privates::find_owned(unit, &live);
        for (index, _) in live.iter().enumerate().filter(|(_, live)| **live) {
            improve(unit, index);
            choices.could_unroll |= unroll(unit, index, plan.unrolling);
        }
    }
    // Copies of a unit need none.
    unit.tables = Default::default();
    choices
}

/// Unrolls loops of a function, those around others behind them; or, without limits, tells only
/// whether that could be done.
fn unroll(unit: &mut Unit, index: usize, limits: Option<Limits>) -> bool {
    let mut function = std::mem::take(&mut unit.functions[index]);
    let Some(limits) = limits else {
        let could = unroll::has_candidate(unit, &function, UNROLLING_FOR_SIZE);
        unit.functions[index] = function;
        return could;
    };
    let mut budget = limits.budget();
    for _ in 0..MAX_NESTED {
        let changed = budget > 0 && unroll::unroll(unit, &mut function, limits, &mut budget);
        function.is_done &= !changed;
        unit.functions[index] = function;
        if changed {
            improve(unit, index);
        }
        function = std::mem::take(&mut unit.functions[index]);
        if !changed {
            break;
        }
    }
    unit.functions[index] = function;
    false
}

/// So many loops in each other are unrolled.
const MAX_NESTED: usize = 4;

/// Simplifies a function until nothing changes any more.
fn improve(unit: &mut Unit, index: usize) {
    let abilities = unit.options.abilities;
    let rebuilds = abilities.has_any(Abilities::VALUES);
    let has_nothing_to_do = !rebuilds && !abilities.has_any(Abilities::FLOW);
    if unit.fuel == 0 || has_nothing_to_do || unit.functions[index].is_done {
        return;
    }
    unit.fuel -= 1;
    let mut function = std::mem::take(&mut unit.functions[index]);
    function.is_done = true;
    if abilities.contains(Abilities::PROMOTE) {
        split::split(unit, &mut function);
    }
    for round in 0..MAX_ROUNDS {
        let more = match rebuilds {
            true => rebuild(unit, &mut function),
            false => More::Nothing,
        };
        let mut changed = flow::simplify(unit, &mut function);
        if abilities.contains(Abilities::PROMOTE.with(Abilities::FORWARD)) {
            changed |= copies::forward(unit, &mut function);
        }
        let finds_more = more == More::Surely || round == 0 && more == More::Perhaps;
        if !changed && !finds_more {
            break;
        }
    }
    unit.functions[index] = function;
}

/// So many words of functions that are called in several places may be copied, for each word of
/// all functions.
const MAX_GROWTH: usize = 6;

/// And so many in any case.
const MIN_GROWTH: usize = 1 << 14;

/// Puts functions where they are called. Those with several callers are improved before; one with
/// a single caller is put there as it is, with all that it calls. Returns whether any was, and
/// whether any was copied to several places.
fn inline_all(unit: &mut Unit, live: &[bool], inlining: Inlining) -> (bool, bool) {
    if live.iter().filter(|live| **live).count() < 2 {
        return (false, false);
    }
    let by_id: HashMap<Value, usize> = (unit.functions.iter().enumerate())
        .map(|(index, function)| (function.definition, index))
        .collect();
    let calls = calls(unit, &by_id);
    let mut callers = vec![0u32; unit.functions.len()];
    for (caller, called) in calls.iter().enumerate() {
        if live[caller] {
            for &number in called {
                callers[number] += 1;
            }
        }
    }
    let mut callees = vec![None; unit.functions.len()];
    let mut budget = code_words(unit, live) * MAX_GROWTH + MIN_GROWTH;
    unit.choose_integer(live);
    let mut changed = false;
    let mut copied = false;
    for index in callees_first(&calls) {
        if !live[index] {
            continue;
        }
        // An only caller takes it along.
        let is_taken_along = callers[index] == 1 && !calls_itself(index, &calls);
        let mut function = std::mem::take(&mut unit.functions[index]);
        if is_taken_along {
            callees[index] = Some(inline::callee(unit, &function));
        }
        if is_taken_along && callees[index].is_some_and(|callee| callee.shape != Shape::Stays) {
            unit.functions[index] = function;
            continue;
        }
        let inlined = inline::inline(
            unit,
            &mut function,
            &by_id,
            &callees,
            |_, number, callee| {
                if callers[number] == 1 {
                    return true;
                }
                let words = callee.words as usize;
                let fits = words <= budget && inlining == Inlining::All;
                copied |= fits;
                if fits {
                    budget -= words;
                }
                fits
            },
        );
        function.is_done &= !inlined;
        unit.functions[index] = function;
        changed |= inlined;
        if callers[index] > 0 {
            improve(unit, index);
            let function = std::mem::take(&mut unit.functions[index]);
            callees[index] = Some(inline::callee(unit, &function));
            unit.functions[index] = function;
        }
    }
    (changed, copied)
}

/// The words of functions, without those that only describe the source.
fn code_words(unit: &Unit, live: &[bool]) -> usize {
    let functions = unit.functions.iter().zip(live).filter(|(_, live)| **live);
    let all = functions.flat_map(|(function, _)| {
        let blocks = function.blocks.iter();
        let insts = blocks.flat_map(|block| std::iter::once(&block.label).chain(&block.insts));
        let head = std::iter::once(&function.definition).chain(&function.parameters);
        head.chain(insts)
    });
    let code = all.filter(|&&inst| !unit.is_debug(inst));
    code.map(|&inst| unit.length(inst) as usize).sum()
}

/// Whether a function is called by what it calls itself. That can't be in a valid module.
fn calls_itself(index: usize, calls: &[Vec<usize>]) -> bool {
    calls[index].contains(&index)
}

/// The functions that each function calls.
fn calls(unit: &Unit, by_id: &HashMap<Value, usize>) -> Vec<Vec<usize>> {
    let functions = unit.functions.iter();
    functions
        .map(|function| {
            let insts = function.blocks.iter().flat_map(|block| &block.insts);
            let calls = insts.filter(|&&inst| unit.op(inst) == Op::FunctionCall);
            calls
                .filter_map(|&inst| by_id.get(&unit.operand(inst, 0)).copied())
                .collect()
        })
        .collect()
}

/// The functions in an order in which each comes behind those that it calls, as far as none calls
/// itself.
fn callees_first(calls: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; calls.len()];
    for root in 0..calls.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((function, at)) = stack.last_mut() {
            let Some(&next) = calls[*function].get(*at) else {
                order.push(*function);
                stack.pop();
                continue;
            };
            *at += 1;
            if !std::mem::replace(&mut seen[next], true) {
                stack.push((next, 0));
            }
        }
    }
    order
}
