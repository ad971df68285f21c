//! Comparing the two sides of each symbol, and what becomes one because of it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use spirvkit_grammar::{BuiltIn, Decoration, Op};

use super::Options;
use super::difference::{Difference, MAX_PARTS, Types};
use super::error::{ErrorLog, LinkError, LinkErrorKind, brief, list};
use super::graph::{Graph, Sets};
use super::program::{Program, storage_class};
use super::symbols::{Name, Symbol, Symbols};

/// By node: which one stands for it in the result.
pub(super) struct Resolution {
    pub(super) targets: Vec<u32>,
    /// By node: whether it is a function or variable that gives way to another.
    pub(super) is_replaced: Vec<bool>,
}

/// Works out what becomes of each node.
pub(super) fn resolve(
    program: &Program<'_>,
    symbols: &Symbols,
    options: &Options,
    errors: &mut ErrorLog,
) -> Resolution {
    let graph = Graph::new(program);
    let structure = graph.structure();
    let types = Types::new(program, &graph, &structure);
    let mut sets = Sets::new(program.node_count());
    let mut is_replaced = vec![false; program.node_count()];
    let mut targets: Vec<u32> = (0..program.node_count() as u32).collect();
    for name in &symbols.names {
        let chosen = OnceCell::new();
        let chosen = || chosen.get_or_init(|| by_decoration(&graph, name.chosen()));
        for other in name.others() {
            match compare(program, &types, (name, other), &chosen, options) {
                Ok(pairs) => {
                    for (a, b) in pairs {
                        sets.unify(&graph, a, b);
                    }
                }
                Err(error) => errors.push(error),
            }
            is_replaced[other.node as usize] = true;
            targets[other.node as usize] = name.chosen();
        }
    }
    // The first of each class stands for it.
    let classes = graph.by_name(&mut sets);
    let mut firsts = vec![u32::MAX; classes.len()];
    for (node, &class) in classes.iter().enumerate() {
        let first = &mut firsts[class as usize];
        *first = (*first).min(node as u32);
    }
    for target in &mut targets {
        *target = firsts[classes[*target as usize] as usize];
    }
    Resolution {
        targets,
        is_replaced,
    }
}

/// Compares a symbol with the one that is to stand for it; returns the types that have
/// to become one.
fn compare<'d>(
    program: &Program<'_>,
    types: &Types<'_, '_>,
    (name, other): (&Name, Symbol),
    chosen: &dyn Fn() -> &'d Decorations<'d>,
    options: &Options,
) -> Result<Vec<(u32, u32)>, LinkError> {
    let (a, b) = (other.node, name.chosen());
    let symbol = brief(&name.text);
    let error = |kind: LinkErrorKind, message: String| {
        let mut modules = [a, b].map(|node| (program.module_of(node), program.name_of(node)));
        modules.sort_unstable();
        let mut modules = modules.map(|(_, name)| name).to_vec();
        modules.dedup();
        LinkError::new(kind, message)
            .about(&name.text)
            .in_modules(modules)
    };
    let [a_module, b_module] = [a, b].map(|node| list([program.name_of(node)]));
    let kind = |node: u32| match program.op(node).is_variable() {
        true => "a variable",
        false => "a function",
    };
    if kind(a) != kind(b) {
        let (a_kind, b_kind) = (kind(a), kind(b));
        let message = format!("`{symbol}` is {a_kind} in {a_module}, but {b_kind} in {b_module}");
        return Err(error(LinkErrorKind::Kind, message));
    }
    if program.op(a).is_variable() {
        let [a_class, b_class] = [a, b].map(|node| storage_class(program, node));
        if a_class != b_class {
            let message = format!(
                "the variable `{symbol}` is in the storage class {a_class} in {a_module}, but in {b_class} in {b_module}"
            );
            return Err(error(LinkErrorKind::StorageClass, message));
        }
    }
    let pairs = type_pairs(program, a, b);
    for &(a_type, b_type) in &pairs {
        if types.are_equal(a_type, b_type) {
            continue;
        }
        let by_pointers = types.differ_by_pointers(a_type, b_type);
        if options.allow_pointer_mismatch && by_pointers {
            return Ok(Vec::new());
        }
        let Difference {
            place,
            first,
            second,
        } = types.difference(a_type, b_type);
        let message = format!(
            "the types of `{symbol}` differ: {place} is {first} in {a_module}, but {second} in {b_module}"
        );
        return Err(error(LinkErrorKind::Type, message).by_pointers(by_pointers));
    }
    if let Some([first, second]) = contradiction(&by_decoration(types.graph(), a), chosen()) {
        let message = format!(
            "the decorations of `{symbol}` contradict each other: {first} in {a_module}, but {second} in {b_module}"
        );
        return Err(error(LinkErrorKind::Decoration, message));
    }
    Ok(pairs)
}

/// What a symbol is decorated with, by decoration.
type Decorations<'g> = BTreeMap<u32, Vec<&'g [u32]>>;

fn by_decoration(graph: &Graph, node: u32) -> Decorations<'_> {
    let mut known = Decorations::new();
    for words in graph.decorations(node) {
        known.entry(words[0]).or_default().push(words);
    }
    known
}

/// A decoration that two symbols both have, once, but not with the same operands. The
/// definition says what holds, so the other must not rely on something else.
fn contradiction(own: &Decorations<'_>, others: &Decorations<'_>) -> Option<[String; 2]> {
    for (&decoration, own) in own {
        let other = others.get(&decoration).map(Vec::as_slice);
        let (&[words], Some(&[other])) = (own.as_slice(), other) else {
            continue;
        };
        let contradicts = match Decoration(decoration) {
            // The specification says which of these counts.
            Decoration::LinkageAttributes | Decoration::FuncParamAttr => false,
            // What is aligned more is fine.
            Decoration::Alignment => words.get(1) > other.get(1),
            _ => words != other,
        };
        if contradicts {
            return Some([words, other].map(decoration_text));
        }
    }
    None
}

/// A decoration with its operands.
fn decoration_text(words: &[u32]) -> String {
    let (decoration, operands) = words.split_at(words.len().min(1));
    let name = Decoration(decoration.first().copied().unwrap_or_default());
    let operands = operands.iter().take(MAX_PARTS);
    let operands: Vec<String> = operands.map(u32::to_string).collect();
    match (name, operands.as_slice()) {
        (Decoration::BuiltIn, [_]) => format!("BuiltIn {}", BuiltIn(words[1])),
        (_, []) => name.to_string(),
        _ => format!("{name} {}", operands.join(" ")),
    }
}

/// The types that two symbols of a kind have to have in common.
fn type_pairs(program: &Program<'_>, a: u32, b: u32) -> Vec<(u32, u32)> {
    let words: &[usize] = match program.op(a) {
        Op::Function => &[4],
        Op::UntypedVariableKHR => &[1, 4],
        _ => &[1],
    };
    let pair = |&word: &usize| Some((program.operand(a, word)?, program.operand(b, word)?));
    words.iter().filter_map(pair).collect()
}
