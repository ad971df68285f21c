//! One entry point of several.

use std::collections::BTreeSet;
use std::fmt;

use spirvkit_binary::{Budget, Id, OverBudget, Value};
use spirvkit_grammar::{ExecutionModel, OperandKind};
use spirvkit_ir::{Inst, Module};

use crate::prune::{Prune, prune};
use crate::trim::{Trim, trim_capabilities};

/// An entry point of a module (specification, section 2.16.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// The execution model.
    pub model: ExecutionModel,
    /// The function.
    pub function: Id,
    /// Its `OpEntryPoint`.
    inst: Inst,
}

impl fmt::Display for EntryPoint {
    /// Writes the model and the name: `GLCompute "main"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", self.model, self.name)
    }
}

/// The entry points of a module, in order.
pub fn entry_points(module: &Module) -> Vec<EntryPoint> {
    let globals = module.globals();
    globals
        .filter_map(|inst| entry_point(module, inst))
        .collect()
}

fn entry_point(module: &Module, inst: Inst) -> Option<EntryPoint> {
    if !module.op(inst).is_entry_point() {
        return None;
    }
    let operands = module.operands(inst).map_while(Result::ok);
    let mut operands = operands.skip_while(|it| it.kind != OperandKind::ExecutionModel);
    let model = match operands.next()?.value {
        Value::Enumerant { value, .. } => ExecutionModel(value),
        _ => return None,
    };
    let Value::Id(function) = operands.next()?.value else {
        return None;
    };
    let Value::String(name) = operands.next()?.value else {
        return None;
    };
    Some(EntryPoint {
        name: name.to_text_lossy(),
        model,
        function,
        inst,
    })
}

/// Why a module can't be split.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitError {
    /// There is no such entry point.
    NotFound {
        /// The name asked for.
        name: String,
        /// The model asked for.
        model: Option<ExecutionModel>,
        /// The entry points of the module.
        found: Vec<EntryPoint>,
    },
    /// Several entry points have the name, in different models.
    Ambiguous {
        /// Those that have the name.
        found: Vec<EntryPoint>,
    },
}

/// What a module that is split off costs besides its words: it is a file of its own.
const PART_COST: u64 = 16 << 10;

/// What a word of a module that is split off costs: its memory until all are there, and
/// the time that it takes to find it, as so much memory.
const PART_WORD_COST: u64 = 16;

/// The same for a word of the modules between.
const HALF_WORD_COST: u64 = 8;

/// How many entry points an error lists.
const LISTED: usize = 8;

fn list(found: &[EntryPoint]) -> String {
    let shown: Vec<String> = found.iter().take(LISTED).map(ToString::to_string).collect();
    let more = match found.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { name, model, found } => {
                write!(f, "there is no entry point \"{name}\"")?;
                if let Some(model) = model {
                    write!(f, " for {}", model)?;
                }
                match found.is_empty() {
                    true => f.write_str("; the module has no entry points"),
                    false => write!(f, "; the module has {}", list(found)),
                }
            }
            Self::Ambiguous { found } => {
                write!(f, "several entry points have this name: {}", list(found))
            }
        }
    }
}

impl std::error::Error for SplitError {}

/// Finds the one entry point of this name, and of this model if one is given.
///
/// # Errors
///
/// If there is none, or several.
pub fn find_entry_point(
    module: &Module,
    name: &str,
    model: Option<ExecutionModel>,
) -> Result<EntryPoint, SplitError> {
    let all = entry_points(module);
    let fits = |it: &&EntryPoint| it.name == name && model.is_none_or(|model| it.model == model);
    let mut found: Vec<EntryPoint> = all.iter().filter(fits).cloned().collect();
    match found.len() {
        0 => Err(SplitError::NotFound {
            name: name.to_owned(),
            model,
            found: all,
        }),
        1 => Ok(found.remove(0)),
        _ => Err(SplitError::Ambiguous { found }),
    }
}

/// Reduces a module to what one of its entry points uses: the functions that it reaches by
/// calls, the variables, types and constants that those use, the names and decorations of all
/// of them, and the capabilities and extensions that they need. Exports don't count as uses.
///
/// Takes time in proportion to the module.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::{entry_points, find_entry_point, keep_entry_point};
///
/// # let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"a\"\nOpEntryPoint Vertex %g \"b\"\nOpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n%g = OpFunction %v None %t\n%m = OpLabel\nOpReturn\nOpFunctionEnd\n";
/// # let words = spirvkit_text::assemble(text, &Default::default()).unwrap().words;
/// let mut module = Module::load(&words)?; // with the entry points "a" and "b"
/// let entry_point = find_entry_point(&module, "b", None)?;
/// keep_entry_point(&mut module, &entry_point);
/// assert_eq!(entry_points(&module).len(), 1);
/// assert_eq!(module.functions().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keep_entry_point(module: &mut Module, entry_point: &EntryPoint) {
    keep(module, |inst| inst == entry_point.inst);
    // What another entry point needed, this one must not even declare.
    trim_capabilities(module, &Trim { base: true });
}

/// Reduces a module to what these of its entry points use.
fn keep(module: &mut Module, is_wanted: impl Fn(Inst) -> bool) {
    let others: Vec<Inst> = module
        .globals()
        .filter(|&inst| module.op(inst).is_entry_point() && !is_wanted(inst))
        .collect();
    for inst in others {
        // It is there, and begins or ends nothing.
        let _ = module.remove(inst);
    }
    let everything = Prune {
        variables: true,
        functions: true,
        exports: true,
    };
    prune(module, &everything);
}

/// Up to so many entry points, each is taken out of the module by itself.
const FEW: usize = 8;

/// Makes a module of each entry point, as [`keep_entry_point`] does, and passes the index and
/// words of each to `part`, in the order of entry points.
///
/// If there are many, the module is halved repeatedly, so that the time depends on the size
/// of the results, not on the number of entry points times the module's size.
///
/// # Errors
///
/// If the results would exceed the budget: a small module may have very many entry points
/// that all use most of it. `part` may have been called before that.
///
/// ```
/// use spirvkit_binary::Budget;
/// use spirvkit_ir::Module;
/// use spirvkit_transform::split_all;
///
/// # let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"a\"\nOpEntryPoint GLCompute %f \"b\"\nOpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
/// # let words = spirvkit_text::assemble(text, &Default::default()).unwrap().words;
/// let module = Module::load(&words)?; // with the entry points "a" and "b"
/// let mut parts = Vec::new();
/// split_all(&module, &mut Budget::unlimited(), |_, words| parts.push(words))?;
/// assert_eq!(parts.len(), 2);
/// assert!(split_all(&module, &mut Budget::of(1000), |_, _| ()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn split_all(
    module: &Module,
    budget: &mut Budget,
    mut part: impl FnMut(usize, Vec<u32>),
) -> Result<(), OverBudget> {
    // What is left to do, the next last: a module and the numbers of its entry points.
    let mut todo = vec![(module.store(), 0..entry_points(module).len())];
    while let Some((words, numbers)) = todo.pop() {
        let Ok(whole) = Module::from_words(words) else {
            continue;
        };
        let all = entry_points(&whole);
        if numbers.len() <= FEW {
            for (number, entry_point) in numbers.zip(&all) {
                let mut one = whole.clone();
                keep_entry_point(&mut one, entry_point);
                let words = one.store();
                budget.spend(PART_COST + PART_WORD_COST * words.len() as u64)?;
                part(number, words);
            }
            continue;
        }
        let middle = numbers.len() / 2;
        let halves = [
            (middle..all.len(), numbers.start + middle..numbers.end),
            (0..middle, numbers.start..numbers.start + middle),
        ];
        for (places, numbers) in halves {
            let insts: BTreeSet<Inst> = (all.get(places).unwrap_or_default().iter())
                .map(|it| it.inst)
                .collect();
            let mut half = whole.clone();
            keep(&mut half, |inst| insts.contains(&inst));
            let words = half.store();
            budget.spend(HALF_WORD_COST * words.len() as u64)?;
            todo.push((words, numbers));
        }
    }
    Ok(())
}
