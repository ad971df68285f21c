//! The passes of `spirv-opt`, by their names there.
//!
//! Each is a part of the engine, a transformation of its own, or accepted without an effect; several
//! names may stand for one thing. [`ROWS`] says which is which.

mod amd;
mod calls;
mod combined;
mod constants;
mod decorations;
mod descriptors;
mod flat;
mod half;
mod ids;
mod interface;
mod interpolation;
mod kills;
mod loads;
mod memory_model;
mod names;
mod packing;
mod parts;
mod robust;
mod rows;
mod scalars;
mod separate;
mod stage;
mod storage;
mod stripping;
mod unswitch;
mod variable_indices;
mod volatile;

use std::sync::Arc;

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::{Definition, Id, Import, LiteralString, Section};
use spirvkit_grammar::{Decoration, ExtInstSet, GlslStd450, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{EditError, Inst, Lookup, Module, Place};

use crate::pass::{Changed, Context, Pass, PassError};
use crate::pipeline::Wanted;
use crate::recipe::{Engine, RecipeError};
use crate::{Abilities, Recipe};

pub use rows::ROWS;

/// What there is to know of a pass.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What help calls its argument, if it takes one.
    pub argument: Option<&'static str>,
    /// What it does here, in a phrase.
    pub about: &'static str,
    does: Does,
}

/// How a pass is done.
#[derive(Debug)]
enum Does {
    /// By the engine.
    Engine(Abilities),
    /// By a function.
    Module(Change),
    /// By a function that is given the argument, which is checked first.
    Given(ChangeWith, fn(&str) -> Result<(), String>),
    /// Not at all: it would only make a program faster, and finds nothing to do.
    Nothing,
}

/// Passes that move resources, fix constants, or compute otherwise where that is permitted.
const CHANGES: [&str; 15] = [
    "convert-relaxed-to-half",
    "convert-to-sampled-image",
    "descriptor-array-scalar-replacement",
    "descriptor-composite-scalar-replacement",
    "descriptor-compososite-scalar-replacement",
    "descriptor-scalar-replacement",
    "eliminate-dead-input-components",
    "freeze-spec-const",
    "interface-variable-scalar-replacement",
    "relax-float-ops",
    "resolve-binding-conflicts",
    "set-spec-const-default-value",
    "split-combined-image-sampler",
    "struct-packing",
    "switch-descriptorset",
];

type Change = fn(&mut Module, &mut Context<'_>) -> Result<Changed, PassError>;
type ChangeWith = fn(&mut Module, &str, &mut Context<'_>) -> Result<Changed, PassError>;

/// What is there of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is done.
    Done,
    /// It is accepted, and changes nothing, which is always right.
    Nothing,
}

impl Row {
    /// What is there of it.
    #[must_use]
    pub fn state(&self) -> State {
        match self.does {
            Does::Nothing => State::Nothing,
            _ => State::Done,
        }
    }

    /// Whether a program that gets the same resources and constants gives the same after it, bit by
    /// bit.
    #[must_use]
    pub fn keeps_results(&self) -> bool {
        !CHANGES.contains(&self.name)
    }

    /// Whether it can do without its argument.
    #[must_use]
    pub fn argument_is_optional(&self) -> bool {
        self.argument.is_some_and(|it| it.starts_with('['))
    }
}

/// A pass by a row of the table.
struct Named {
    row: &'static Row,
    argument: String,
}

impl Pass for Named {
    fn name(&self) -> &str {
        self.row.name
    }

    fn run(&self, module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
        match self.row.does {
            Does::Engine(abilities) => {
                engine(self.row.name, abilities, Wanted::Done).run(module, context)
            }
            Does::Module(change) => change(module, context),
            Does::Given(change, _) => change(module, &self.argument, context),
            Does::Nothing => Ok(Changed::No),
        }
    }
}

/// The row of a pass, with or without dashes before its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    let name = name.strip_prefix("--").unwrap_or(name);
    ROWS.iter().find(|row| row.name == name)
}

/// The pass that a flag stands for, with its argument behind `=`.
pub(crate) fn pass(flag: &str) -> Result<Arc<dyn Pass>, RecipeError> {
    let (name, argument) = match flag.split_once('=') {
        Some((name, argument)) => (name, Some(argument)),
        None => (flag, None),
    };
    let row = find(name).ok_or_else(|| RecipeError::Unknown {
        name: name.to_owned(),
    })?;
    let wrong = |message: String| RecipeError::Argument {
        name: row.name.to_owned(),
        message,
    };
    match (row.argument, argument) {
        (None, Some(_)) => return Err(wrong("it takes no argument".into())),
        (Some(what), None) if !row.argument_is_optional() => {
            return Err(wrong(format!("it needs an argument: {what}")));
        }
        _ => {}
    }
    if let (Some("N" | "[N]"), Some(number)) = (row.argument, argument) {
        number
            .parse::<u32>()
            .map_err(|_| wrong(format!("`{number}` is no whole number")))?;
    }
    if let (Does::Given(_, check), Some(argument)) = (&row.does, argument) {
        check(argument).map_err(wrong)?;
    }
    let argument = argument.unwrap_or_default().to_owned();
    Ok(Arc::new(Named { row, argument }))
}

pub(crate) fn engine(name: &'static str, abilities: Abilities, wanted: Wanted) -> Engine {
    Engine {
        name,
        abilities,
        wanted,
    }
}

/// See [`Recipe::legalize_hlsl`].
pub(crate) fn legalize_hlsl() -> Recipe {
    let mut recipe = Recipe::new();
    for name in ["fix-storage-class", "wrap-opkill"] {
        recipe.extend(&named(name));
    }
    recipe.push(engine("legalize", Abilities::ALL, Wanted::Done));
    for name in [
        "fix-storage-class",
        "interpolate-fixup",
        "fix-opextinst-opcodes",
    ] {
        recipe.extend(&named(name));
    }
    recipe
}

fn named(name: &str) -> Recipe {
    let mut recipe = Recipe::new();
    // All names here are in the table; a test goes through the recipe.
    let _ = recipe.add(name);
    recipe
}

/// What a change of a module with a builder has to complain of.
fn built<T>(
    result: Result<T, spirvkit_diagnostics::Errors<spirvkit_ir::builder::BuildError>>,
) -> Result<T, PassError> {
    result.map_err(|errors| PassError::new(errors.to_string().trim_end().to_owned()))
}

/// The instructions before the functions with an opcode.
fn of_op(module: &Module, op: Op) -> Vec<Inst> {
    let globals = module.globals();
    globals.filter(|&inst| module.op(inst) == op).collect()
}

/// The instructions in functions that meet a condition.
fn in_functions(module: &Module, is_wanted: impl Fn(Inst) -> bool) -> Vec<Inst> {
    let functions = module.functions();
    let all = functions.flat_map(|function| module.function_instructions(function));
    all.filter(|&inst| is_wanted(inst)).collect()
}

/// Which one of `GLSL.std.450` an instruction is.
fn glsl(module: &Module, inst: Inst) -> Option<GlslStd450> {
    let &[_, _, set, number, ..] = module.get(inst).operand_words() else {
        return None;
    };
    let is_it = module.op(inst) == Op::ExtInst
        && module.definitions().get(Id(set))
            == Definition::Import(Import::Known(ExtInstSet::GlslStd450));
    is_it.then_some(GlslStd450(number))
}

/// The extensions that a module declares under a name.
fn extensions(module: &Module, is_wanted: impl Fn(&str) -> bool) -> Vec<Inst> {
    let is_it = |inst: &Inst| {
        let words = module.get(*inst).operand_words();
        LiteralString::at_start_of(words).is_some_and(|name| is_wanted(&name.to_text_lossy()))
    };
    let all = of_op(module, Op::Extension).into_iter();
    all.filter(is_it).collect()
}

/// Takes an extension back; returns how often it was declared.
fn remove_extension(module: &mut Module, name: &str) -> Result<usize, PassError> {
    let declared = extensions(module, |it| it == name);
    for &inst in &declared {
        module.remove(inst)?;
    }
    Ok(declared.len())
}

/// What a decoration says of ids, directly or by a group: the word behind it. If it is said of one
/// twice, the first counts.
fn decorated(module: &Module, decoration: Decoration) -> HashMap<Id, u32> {
    let mut found = HashMap::new();
    for inst in of_op(module, Op::Decorate) {
        if let [target, is, ref rest @ ..] = *module.get(inst).operand_words()
            && is == decoration.0
        {
            let word = rest.first().copied().unwrap_or(0);
            found.entry(Id(target)).or_insert(word);
        }
    }
    for inst in of_op(module, Op::GroupDecorate) {
        if let [group, ref targets @ ..] = *module.get(inst).operand_words()
            && let Some(&word) = found.get(&Id(group))
        {
            for &target in targets {
                found.entry(Id(target)).or_insert(word);
            }
        }
    }
    found
}

/// The order of what is before the functions, as it was at some time.
struct Order(HashMap<Inst, usize>);

impl Order {
    fn of(module: &Module) -> Self {
        Self(module.globals().zip(0..).collect())
    }

    /// Moves an instruction behind the definition of a type that it has now, unless it was there.
    fn put_behind(&self, module: &mut Module, inst: Inst, ty: Id) -> Result<(), EditError> {
        let Some(definition) = module.definition(ty) else {
            return Ok(());
        };
        let is_behind = match (self.0.get(&definition), self.0.get(&inst)) {
            (Some(definition), Some(inst)) => definition < inst,
            _ => false,
        };
        if is_behind {
            return Ok(());
        }
        module.move_to(inst, Place::After(definition))?;
        for described in descriptions(module, inst) {
            module.move_to(described, Place::After(inst))?;
        }
        Ok(())
    }
}

/// An instruction that says something of an id, and its operand words.
type Said = (Op, Vec<u32>);

/// Whether a decoration says this.
fn is_decoration((op, words): &Said, decoration: Decoration) -> bool {
    *op == Op::Decorate && words.get(1) == Some(&decoration.0)
}

/// What is said of an id by decorations and names.
fn said_of(module: &Module, id: Id) -> Vec<Said> {
    let about = module.uses(id).filter(|&found| module.is_about(found));
    let about = about
        .filter(|found| found.word == 1)
        .map(|found| found.inst);
    let about = about.filter(|&inst| module.op(inst).is_decorate() || module.op(inst) == Op::Name);
    about
        .map(|inst| (module.op(inst), module.get(inst).operand_words().to_vec()))
        .collect()
}

/// Says it of another id, with an end to its name.
fn say_of(
    b: &mut Builder,
    said: &[Said],
    id: Id,
    end: &str,
    growth: &mut Growth,
) -> Result<(), PassError> {
    for (op, words) in said {
        growth.add(words.len() + 3)?;
        let mut words = words.clone();
        words[0] = id.0;
        if *op != Op::Name {
            let place = Place::Section(Section::Annotations);
            b.module_mut().insert(place, *op, &words)?;
        } else if let Some(name) = LiteralString::at_start_of(&words[1..]) {
            b.name(id, &format!("{}{end}", name.to_text_lossy()));
        }
    }
    Ok(())
}

/// The instructions before the functions that only describe a variable.
fn descriptions(module: &Module, variable: Inst) -> Vec<Inst> {
    let describes = |inst: Inst| {
        module.op(inst).is_ext_inst()
            && module.block_of(inst).is_none()
            && module.uses_of(inst).all(|found| module.is_about(found))
    };
    let uses = module.uses_of(variable).map(|found| found.inst);
    uses.filter(|&inst| describes(inst)).collect()
}

/// The pairs with a colon between them in an argument.
fn pairs<'a>(argument: &'a str, form: &str) -> Result<Vec<(&'a str, &'a str)>, String> {
    let words = argument.split([' ', '\t', ',']).filter(|it| !it.is_empty());
    let pairs = words.map(|it| {
        it.split_once(':')
            .ok_or_else(|| format!("`{it}` is not of the form {form}"))
    });
    match pairs.collect::<Result<Vec<_>, _>>()? {
        pairs if pairs.is_empty() => Err(format!("there is no {form}")),
        pairs => Ok(pairs),
    }
}

/// How much may still be added to a module: what is small and names large things often must not
/// become large itself.
struct Growth {
    words: usize,
}

impl Growth {
    fn of(module: &Module) -> Self {
        Self {
            words: 4 * module.word_count() + (1 << 18),
        }
    }

    fn add(&mut self, words: usize) -> Result<(), PassError> {
        let left = self.words.checked_sub(words);
        self.words = left
            .ok_or_else(|| PassError::new("the module would get more than four times as large"))?;
        Ok(())
    }
}

/// What a type is, of a module that is to be changed.
fn shown(module: &Module, ty: Id) -> Type<'_> {
    module.ty(ty)
}
