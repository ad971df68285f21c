//! The order of debugging instructions before the functions: each behind those it
//! refers to, as far as the set wants it.

use spirvkit_analysis::{Components, DepthFirst, Graph};
use spirvkit_binary::{Id, Section};
use spirvkit_grammar::Op;
use spirvkit_ir::{EditError, Inst, Module, Place};

use crate::{Field, Kind, Set};

/// A debugging instruction before the functions.
struct Node {
    inst: Inst,
    kind: Kind,
    /// The `DebugSourceContinued`s right behind it.
    continued: Vec<Inst>,
    /// Whether it refers to something that comes after it.
    is_early: bool,
}

/// A reference from one to another: the word that has it.
struct Reference {
    from: u32,
    to: u32,
    word: usize,
    is_member: bool,
}

/// A reference to something that can only come later, where that isn't allowed.
pub(super) struct Circular {
    /// The instruction that has the reference.
    pub(super) inst: Inst,
    /// Which of its words it is.
    pub(super) word: usize,
    /// Whether it is one of the members of a composite.
    pub(super) is_member: bool,
}

/// Words before the operands of an extended instruction.
const BEFORE_OPERANDS: usize = 5;

/// Puts all debugging instructions of a set behind the types, constants and variables,
/// in such an order that each comes behind those it refers to; otherwise they stay in
/// the order in which they are. Files and compilation units come first.
///
/// A composite that its members refer to comes before them. In the newest set it is
/// written as an `OpExtInstWithForwardRefsKHR` then, if that is allowed. What else is
/// circular is returned.
pub(super) fn sort(
    module: &mut Module,
    set: Set,
    import: Id,
    allow_forward: bool,
) -> Result<Vec<Circular>, EditError> {
    let mut nodes = nodes(module, set, import);
    let references = references(module, set, &nodes);
    let count = nodes.len() as u32;
    let graph = |wanted: &dyn Fn(&Reference) -> bool| {
        let edges = references.iter().filter(|it| wanted(it));
        let edges: Vec<(u32, u32)> = edges.map(|it| (it.from, it.to)).collect();
        Graph::new(count, &edges)
    };
    let components = Components::new(&graph(&|_| true));
    let leads_back =
        |it: &Reference| it.is_member && components.of(it.from) == components.of(it.to);
    let early = |kind: Kind| match kind {
        Kind::InfoNone => 0,
        Kind::Source => 1,
        Kind::CompilationUnit => 2,
        _ => 3,
    };
    let mut roots: Vec<u32> = (0..count).collect();
    roots.sort_by_key(|&node| early(nodes[node as usize].kind));
    let order = DepthFirst::from_roots(&graph(&|it| !leads_back(it)), roots);
    let mut places = vec![0; nodes.len()];
    for (place, &node) in order.post_order().iter().enumerate() {
        places[node as usize] = place;
    }
    let mut circular = Vec::new();
    for reference in &references {
        let is_later = places[reference.to as usize] >= places[reference.from as usize];
        if !is_later || (reference.is_member && set != Set::Shader) {
            continue;
        }
        let node = &mut nodes[reference.from as usize];
        match set == Set::Shader && allow_forward {
            true => node.is_early = true,
            false => circular.push(Circular {
                inst: node.inst,
                word: reference.word,
                is_member: reference.is_member,
            }),
        }
    }
    for &node in order.post_order() {
        let node = &nodes[node as usize];
        let op = match node.is_early {
            true => Op::ExtInstWithForwardRefsKHR,
            false => Op::ExtInst,
        };
        if module.op(node.inst) != op {
            let words = module.get(node.inst).operand_words().to_vec();
            module.replace(node.inst, op, &words)?;
        }
        for &inst in [node.inst].iter().chain(&node.continued) {
            module.move_to(inst, Place::Section(Section::Types))?;
        }
    }
    Ok(circular)
}

/// The set's instructions before the functions.
fn nodes(module: &Module, set: Set, import: Id) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for inst in module.globals() {
        let Some(kind) = kind_of(module, set, import, inst) else {
            continue;
        };
        match (kind, nodes.last_mut()) {
            (Kind::SourceContinued, Some(last)) if last.kind == Kind::Source => {
                last.continued.push(inst);
            }
            _ => nodes.push(Node {
                inst,
                kind,
                continued: Vec::new(),
                is_early: false,
            }),
        }
    }
    nodes
}

/// What an instruction is, if it is one of the set.
pub(super) fn kind_of(module: &Module, set: Set, import: Id, inst: Inst) -> Option<Kind> {
    if !module.op(inst).is_ext_inst() {
        return None;
    }
    match *module.get(inst).words() {
        [_, _, _, own, number, ..] if own == import.0 => set.kind(number),
        _ => None,
    }
}

fn references(module: &Module, set: Set, nodes: &[Node]) -> Vec<Reference> {
    const NO_NODE: u32 = u32::MAX;
    let mut numbers = module.id_table(NO_NODE);
    for (number, node) in nodes.iter().enumerate() {
        if let Some(id) = module.result(node.inst) {
            *numbers.slot(id) = number as u32;
        }
    }
    let members = set.position(Kind::TypeComposite, Field::Members);
    let members = BEFORE_OPERANDS + members.unwrap_or_default();
    let mut references = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        module.each_use(node.inst, |word, id| {
            let to = numbers.get(id);
            if to != NO_NODE {
                references.push(Reference {
                    from: number as u32,
                    to,
                    word,
                    is_member: node.kind == Kind::TypeComposite && word >= members,
                });
            }
        });
    }
    references
}
