//! Where variable pointers may point to.
//!
//! Pointers flow through copies, access chains, selections, calls and memory.
//! All these steps are collected once; then what is known of the sources is
//! carried along them, each step being taken at most once for each fact.

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use super::chooses_pointer;
use crate::finding::{Finding, Reporter};
use crate::module::{Contents, Inst, Lookup, Module, Type};
use crate::rules::generated::logical_pointer;

/// A pointer, or what the memory of a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Value(Id),
    Memory(Id),
}

/// What is known of a pointer.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// Points to a part of a matrix.
    matrix_part: bool,
    /// May be chosen at run time.
    varying: bool,
    /// The one variable whose memory it points into.
    root: Option<Id>,
    /// There is more than one.
    roots: bool,
}

impl Facts {
    /// Takes over what another pointer that flows here has. Whether anything is
    /// new.
    fn merge(&mut self, other: Self) -> bool {
        let before = (self.matrix_part, self.varying, self.root, self.roots);
        self.matrix_part |= other.matrix_part;
        self.varying |= other.varying;
        self.roots |= other.roots;
        match (self.root, other.root) {
            (Some(a), Some(b)) if a != b => self.roots = true,
            (None, Some(root)) => self.root = Some(root),
            _ => {}
        }
        before != (self.matrix_part, self.varying, self.root, self.roots)
    }
}

#[derive(Default)]
struct Flow {
    /// From where pointers flow and where to.
    steps: Vec<(Node, Node)>,
    facts: HashMap<Node, Facts>,
    todo: Vec<Node>,
}

impl Flow {
    fn step(&mut self, from: Node, to: Node) {
        self.steps.push((from, to));
    }

    fn source(&mut self, node: Node, facts: Facts) {
        if self.facts.entry(node).or_default().merge(facts) {
            self.todo.push(node);
        }
    }

    /// Carries all facts along all steps. Each of the few facts of a node
    /// changes at most once or twice, so this ends soon.
    fn run(&mut self) {
        self.steps.sort_unstable();
        self.steps.dedup();
        while let Some(node) = self.todo.pop() {
            let facts = self.facts.get(&node).copied().unwrap_or_default();
            let start = self.steps.partition_point(|step| step.0 < node);
            let steps = self.steps.get(start..).unwrap_or_default().iter();
            for &(_, next) in steps.take_while(|step| step.0 == node) {
                if self.facts.entry(next).or_default().merge(facts) {
                    self.todo.push(next);
                }
            }
        }
    }

    fn of(&self, id: Id) -> Facts {
        let facts = self.facts.get(&Node::Value(id));
        facts.copied().unwrap_or_default()
    }
}

fn is_pointer(m: &Module<'_>, id: Id) -> bool {
    m.type_of(id).is_some_and(|ty| m.is_pointer(ty))
}

pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let mut flow = Flow::default();
    for &offset in &m.globals {
        if let Some(result) = m.inst(offset).and_then(|inst| inst.result()) {
            let facts = Facts {
                root: Some(result),
                ..Facts::default()
            };
            flow.source(Node::Value(result), facts);
        }
    }
    for function in &m.functions {
        for inst in m.instructions(function.range.clone()) {
            collect(m, &mut flow, inst, function.id);
        }
    }
    flow.run();
    for inst in m.all_instructions() {
        if let Some(finding) = check_use(m, &flow, inst) {
            reporter.add(finding);
            if reporter.is_full() {
                return;
            }
        }
    }
}

/// Notes where an instruction makes pointers flow.
fn collect(m: &Module<'_>, flow: &mut Flow, inst: Inst<'_>, function: Id) {
    let op = inst.op();
    match op {
        Op::Store if is_pointer(m, inst.id(1)) => {
            let memory = Node::Memory(m.pointer_origin(inst.id(0)));
            flow.step(Node::Value(inst.id(1)), memory);
        }
        Op::ReturnValue if is_pointer(m, inst.id(0)) => {
            flow.step(Node::Value(inst.id(0)), Node::Memory(function));
        }
        Op::CopyMemory | Op::CopyMemorySized => {
            let from = Node::Memory(m.pointer_origin(inst.id(1)));
            flow.step(from, Node::Memory(m.pointer_origin(inst.id(0))));
        }
        Op::FunctionCall => call(m, flow, inst),
        _ => {}
    }
    let (Some(result), Some(ty)) = (inst.result(), inst.result_type()) else {
        return;
    };
    if !m.is_pointer(ty) {
        return;
    }
    let result = Node::Value(result);
    if chooses_pointer(op) {
        let facts = Facts {
            varying: true,
            ..Facts::default()
        };
        flow.source(result, facts);
    }
    match op {
        Op::CopyObject => flow.step(Node::Value(inst.id(0)), result),
        Op::Select => {
            flow.step(Node::Value(inst.id(1)), result);
            flow.step(Node::Value(inst.id(2)), result);
        }
        Op::Phi => {
            for pair in inst.args().chunks(2) {
                flow.step(Node::Value(Id(pair[0])), result);
            }
        }
        Op::Load => flow.step(Node::Memory(m.pointer_origin(inst.id(0))), result),
        Op::FunctionCall => flow.step(Node::Memory(inst.id(0)), result),
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR => {
            let untyped = !matches!(
                op,
                Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain
            );
            flow.step(Node::Value(inst.id(usize::from(untyped))), result);
            if crosses_matrix(m, inst, untyped) {
                let facts = Facts {
                    matrix_part: true,
                    ..Facts::default()
                };
                flow.source(result, facts);
            }
        }
        _ => {}
    }
}

fn call(m: &Module<'_>, flow: &mut Flow, inst: Inst<'_>) {
    let Some(callee) = m
        .function_index(inst.id(0))
        .and_then(|index| m.functions.get(index as usize))
    else {
        return;
    };
    let parameters = m
        .instructions(callee.range.clone())
        .take_while(|inst| inst.op() != Op::Label)
        .filter(|inst| inst.op() == Op::FunctionParameter)
        .filter_map(|inst| inst.result());
    let arguments = inst.args().iter().skip(1);
    for (&argument, parameter) in arguments.zip(parameters) {
        if is_pointer(m, Id(argument)) {
            flow.step(Node::Value(Id(argument)), Node::Value(parameter));
        }
    }
}

/// Whether an access chain goes into a matrix.
fn crosses_matrix(m: &Module<'_>, inst: Inst<'_>, untyped: bool) -> bool {
    let start = match untyped {
        true => Some(inst.id(0)),
        false => m.type_of(inst.id(0)).and_then(|ty| m.pointee(ty)),
    };
    let mut ty = start.unwrap_or(Id(0));
    let element = matches!(inst.op(), Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR);
    let first = 1 + usize::from(untyped) + usize::from(element);
    for &index in inst.args().iter().skip(first) {
        ty = match m.ty(ty) {
            Type::Matrix { .. } => return true,
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Struct { members } => {
                let index = m.constant_u64(Id(index)).unwrap_or(u64::MAX);
                let member = usize::try_from(index)
                    .ok()
                    .and_then(|index| members.get(index));
                member.map_or(Id(0), |&member| Id(member))
            }
            _ => return false,
        };
    }
    false
}

fn holds_matrix(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Array { .. } | Type::RuntimeArray { .. } | Type::Struct { .. } => {
            m.contents(ty).has(Contents::MATRIX)
        }
        ty => matches!(ty, Type::Matrix { .. }),
    }
}

fn is_block_array(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => {
            m.is_decorated(element, Decoration::Block)
                || m.is_decorated(element, Decoration::BufferBlock)
        }
        _ => false,
    }
}

fn check_use(m: &Module<'_>, flow: &Flow, inst: Inst<'_>) -> Option<Finding> {
    let op = inst.op();
    let finding = |rule, message: &str| Some(Finding::new(rule, inst.offset(), message));
    match op {
        Op::ArrayLength | Op::UntypedArrayLengthKHR => {
            let pointer = inst.id(usize::from(op == Op::UntypedArrayLengthKHR));
            let message = "the length of an array can't be queried through a variable pointer";
            return match flow.of(pointer).varying {
                true => finding(&logical_pointer::ARRAY_LENGTH, message),
                false => None,
            };
        }
        // What an untyped pointer points to is seen where it is used.
        Op::Load | Op::Store => {
            let pointer = inst.id(0);
            let untyped = m
                .type_of(pointer)
                .filter(|&ty| matches!(m.ty(ty), Type::UntypedPointer { .. }));
            if untyped.is_some() && flow.of(pointer).varying {
                let value = match op {
                    Op::Load => inst.result_type(),
                    _ => m.type_of(inst.id(1)),
                };
                if value.is_some_and(|value| holds_matrix(m, value)) {
                    let message =
                        "a variable pointer can't be used for something that is or holds a matrix";
                    return finding(&logical_pointer::MATRIX, message);
                }
            }
        }
        _ => {}
    }
    if !chooses_pointer(op) {
        return None;
    }
    let class = m.pointer_class(inst.result_type()?)?;
    if !matches!(class, StorageClass::StorageBuffer | StorageClass::Workgroup) {
        return None;
    }
    let pointee = m.pointee(inst.result_type()?);
    if pointee.is_some_and(|pointee| holds_matrix(m, pointee)) {
        let message = format!(
            "the result of {op} is a variable pointer, so it can't point to something that is or holds a \
                     matrix"
        );
        return finding(&logical_pointer::MATRIX, &message);
    }
    let facts = flow.of(inst.result()?);
    if facts.matrix_part {
        let message = format!(
            "the result of {op} is a variable pointer, so it can't point to a part of a matrix"
        );
        return finding(&logical_pointer::MATRIX_PART, &message);
    }
    if !matches!(op, Op::Select | Op::Phi) {
        return None;
    }
    if pointee.is_some_and(|pointee| is_block_array(m, pointee)) || takes_block_array(m, inst) {
        let message = format!(
            "the result of {op} is a variable pointer, so it can't point to an array of blocks"
        );
        return finding(&logical_pointer::BLOCK_ARRAY, &message);
    }
    if facts.roots && !m.has(Capability::VariablePointers) {
        let message = format!(
            "{op} chooses between pointers into several variables, which needs the capability `VariablePointers`"
        );
        return finding(&logical_pointer::ONE_STRUCTURE, &message);
    }
    None
}

/// Whether an untyped pointer is chosen among variables that are arrays of
/// blocks.
fn takes_block_array(m: &Module<'_>, inst: Inst<'_>) -> bool {
    inst.args().iter().any(|&id| {
        m.def(Id(id))
            .is_some_and(|def| def.op() == Op::UntypedVariableKHR && is_block_array(m, def.id(1)))
    })
}
