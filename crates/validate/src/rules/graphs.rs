//! Graphs (`SPV_ARM_graph`).

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module, Type};
use crate::pattern::{I32, Pattern, TENSOR};
use crate::rules::generated::graph;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::TypeGraphARM,
        Op::GraphConstantARM,
        Op::GraphEntryPointARM,
        Op::GraphARM,
        Op::GraphInputARM,
        Op::GraphSetOutputARM,
        Op::GraphEndARM,
    ],
    check,
    check_module: Some(check_module),
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::TypeGraphARM => check_type(at),
        Op::GraphConstantARM => at.expect_result(&graph::CONSTANT, TENSOR),
        Op::GraphARM => at.expect_result(&graph::RESULT, GRAPH_TYPE),
        Op::GraphEntryPointARM => check_entry(at),
        _ => Ok(()),
    }
}

const GRAPH_TYPE: Pattern = Pattern::declared_by(Op::TypeGraphARM, "a graph type");

/// A tensor or an array of tensors.
fn is_interface(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => TENSOR.matches(m, element),
        _ => TENSOR.matches(m, ty),
    }
}

/// An `OpTypeGraphARM`.
struct GraphType<'a> {
    inputs: &'a [u32],
    outputs: &'a [u32],
}

impl<'a> GraphType<'a> {
    fn of(m: &Module<'a>, ty: Id) -> Option<Self> {
        let def = m.def(ty).filter(|def| def.op() == Op::TypeGraphARM)?;
        let types = def.args().get(1..).unwrap_or_default();
        let (inputs, outputs) = types.split_at((def.arg(0) as usize).min(types.len()));
        Some(Self { inputs, outputs })
    }
}

fn check_type(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let inputs = at.inst.arg(0) as usize;
    let types = at.inst.args().get(1..).unwrap_or_default();
    if types.len() <= inputs {
        let message = format!(
            "a graph type with {} needs the types of these and of at least one output, but has {}",
            counted(inputs, "input"),
            counted(types.len(), "type")
        );
        return Err(at.finding(&graph::TYPE, message));
    }
    all(types.iter().map(|&ty| {
        if !is_interface(m, Id(ty)) && m.def_offset(Id(ty)) != 0 {
            let message = format!(
                "inputs and outputs of graphs must be tensors or arrays of tensors, but this is {}",
                m.show_type(Id(ty))
            );
            let finding = at.finding(&graph::TYPE, message);
            return Err(finding.about(m, Id(ty), "the type is declared here"));
        }
        Ok(())
    }))
}

fn check_entry(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let graph = at.id(0);
    let Some(def) = m.def(graph) else {
        return Ok(());
    };
    if def.op() != Op::GraphARM {
        let message = format!(
            "the entry point of a graph must name a graph, but names {}",
            m.show_value(graph)
        );
        let finding = at.finding(&graph::ENTRY, message);
        return Err(finding.about(m, graph, "it is defined here"));
    }
    let ty = def.result_type().unwrap_or(Id(0));
    let Some(ty) = GraphType::of(m, ty) else {
        return Ok(());
    };
    let name = at.inst.string(1).map_or(0, |name| name.words().len());
    let interface = at.inst.args().get(1 + name..).unwrap_or_default();
    let wanted = ty.inputs.len() + ty.outputs.len();
    if interface.iter().any(|&id| m.def_offset(Id(id)) == 0) {
        return Ok(());
    }
    let count = expect(interface.len() == wanted, || {
        let message = format!(
            "the graph has {wanted} inputs and outputs in all, but its entry point has {} for them",
            counted(interface.len(), "variable")
        );
        let finding = at.finding(&graph::INTERFACE, message);
        finding.about(m, graph, "the graph is defined here")
    });
    // With too many or too few, nobody knows which is for what.
    let types = ty.inputs.iter().chain(ty.outputs).map(Some);
    let types = types.chain(std::iter::repeat(None));
    let variables = all(interface.iter().zip(types).map(|(&id, ty)| {
        let ty = ty.filter(|_| count.is_ok());
        check_interface(at, Id(id), ty.map(|&ty| Id(ty)))
    }));
    all([count, variables])
}

/// Checks a variable of an entry point's interface, which is for an input or output of
/// this type.
fn check_interface(at: &InstCtx<'_, '_>, id: Id, ty: Option<Id>) -> CheckResult {
    let m = at.m;
    let is_constant = |def: Inst<'_>| StorageClass(def.arg(0)) == StorageClass::UniformConstant;
    let variable = m.def(id).filter(|def| def.op() == Op::Variable);
    if !variable.is_some_and(is_constant) {
        let message = format!(
            "the interface of a graph entry point must have only UniformConstant variables, but {} is not one",
            m.name(id)
        );
        let finding = at.finding(&graph::INTERFACE, message).operand(m, id);
        return Err(finding.about(m, id, "it is defined here"));
    }
    let pointee = m.type_of(id).and_then(|pointer| m.pointee(pointer));
    let (Some(ty), Some(pointee)) = (ty, pointee) else {
        return Ok(());
    };
    expect(pointee == ty, || {
        let message = format!(
            "{} is for a graph's input or output of type {}, but its type is {}",
            m.name(id),
            m.show_type(ty),
            m.show_type(pointee)
        );
        let finding = at.finding(&graph::INTERFACE, message).operand(m, id);
        finding.about(m, id, "the variable is declared here")
    })
}

/// Looks at what must be unique in the module or in a graph, and at inputs and
/// outputs, which need their graph's type.
fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.has(Capability::GraphARM) {
        return;
    }
    let mut constants: HashMap<u32, u32> = HashMap::new();
    let mut names: HashMap<&[u32], u32> = HashMap::new();
    let mut graph: Option<Graph<'_>> = None;
    let mut has_entry = false;
    for inst in m.all_instructions() {
        match inst.op() {
            Op::GraphConstantARM => {
                if let Some(first) = constants.insert(inst.arg(0), inst.offset()) {
                    let message = format!(
                        "there is more than one graph constant with the id {}",
                        inst.arg(0)
                    );
                    let finding = Finding::new(&graph::CONSTANT_ID, inst.offset(), message);
                    reporter.add(finding.at(first, "the first one is here"));
                }
            }
            Op::GraphEntryPointARM => {
                has_entry = true;
                let Some(name) = inst.string(1) else {
                    continue;
                };
                if let Some(first) = names.insert(name.words(), inst.offset()) {
                    let message = format!(
                        "there is more than one graph entry point with the name \"{}\"",
                        name.to_text_lossy()
                    );
                    let finding = Finding::new(&graph::ENTRY_NAME, inst.offset(), message);
                    reporter.add(finding.at(first, "the first one is here"));
                }
            }
            Op::GraphARM => {
                let ty = inst.result_type().unwrap_or(Id(0));
                graph = GraphType::of(m, ty).map(Graph::new);
            }
            Op::GraphEndARM => graph = None,
            Op::GraphInputARM | Op::GraphSetOutputARM => {
                if let Some(graph) = &mut graph {
                    reporter.note(graph.check(m, inst));
                }
            }
            _ => {}
        }
    }
    if !has_entry {
        let message = "the module has the capability `GraphARM`, but no OpGraphEntryPointARM";
        reporter.add(Finding::new(
            &graph::NO_ENTRY,
            m.words.len() as u32,
            message,
        ));
    }
}

/// Checks an index of an `OpGraphInputARM` or `OpGraphSetOutputARM`.
fn check_index(m: &Module<'_>, inst: Inst<'_>, index: Id) -> CheckResult {
    let op = inst.op();
    let finding = |rule, message: String| {
        let finding = Finding::new(rule, inst.offset(), message).operand(m, index);
        finding.about(m, index, "it is defined here")
    };
    let wanted = I32;
    let integer = expect(wanted.matches_value(m, index), || {
        let message = format!(
            "each index of {op} must be {wanted}, but one is {}",
            m.show_value(index)
        );
        finding(&graph::INDEX, message)
    });
    let constant = expect(!m.env.is_vulkan() || m.is_constant(index), || {
        let message = format!(
            "in Vulkan, each index of {op} must be a constant, but {} is not",
            m.name(index)
        );
        finding(&graph::INDEX_CONSTANT, message).vuid(match op {
            Op::GraphSetOutputARM => "VUID-StandaloneSpirv-OpGraphSetOutputARM-09932",
            _ => "VUID-StandaloneSpirv-OpGraphInputARM-09931",
        })
    });
    all([integer, constant])
}

/// The graph that is being looked at.
struct Graph<'a> {
    ty: GraphType<'a>,
    /// For each input and output that is in use: the first use as a whole, if
    /// any, and the elements in use. The flag says that it is an output.
    whole: HashMap<(bool, u64), u32>,
    any: HashMap<(bool, u64), u32>,
    elements: HashMap<(bool, u64, u64), u32>,
}

impl<'a> Graph<'a> {
    fn new(ty: GraphType<'a>) -> Self {
        Self {
            ty,
            whole: HashMap::new(),
            any: HashMap::new(),
            elements: HashMap::new(),
        }
    }

    /// Checks an `OpGraphInputARM` or `OpGraphSetOutputARM`.
    fn check(&mut self, m: &Module<'a>, inst: Inst<'a>) -> CheckResult {
        let is_output = inst.op() == Op::GraphSetOutputARM;
        let (first, value, types, what) = match is_output {
            true => (1, m.type_of(inst.id(0)), self.ty.outputs, "output"),
            false => (0, inst.result_type(), self.ty.inputs, "input"),
        };
        let op = inst.op();
        let finding = |rule, message: String| Finding::new(rule, inst.offset(), message);
        let indexes = inst.args().get(first..).unwrap_or_default();
        if indexes.iter().any(|&id| m.type_of(Id(id)).is_none()) {
            return Ok(());
        }
        all(indexes.iter().map(|&index| check_index(m, inst, Id(index))))?;
        let Some(&index) = indexes.first() else {
            return Ok(());
        };
        let Some(index) = m.constant_u64(Id(index)) else {
            return Ok(());
        };
        let Some(&ty) = types.get(index as usize) else {
            let message = format!(
                "{op} selects {what} {index}, but the graph has only {}",
                counted(types.len(), what)
            );
            return Err(finding(&graph::INDEX_RANGE, message));
        };
        let ty = Id(ty);
        let mut wanted = ty;
        let mut element_index = None;
        let mut in_range = Ok(());
        if let Some(&element) = indexes.get(1) {
            wanted = match m.ty(ty) {
                Type::Array { element, .. } | Type::RuntimeArray { element } => element,
                _ => {
                    let message =
                        format!("{op} selects an element of {what} {index}, which is not an array");
                    return Err(finding(&graph::ELEMENT, message));
                }
            };
            element_index = m.constant_u64(Id(element));
            if let (Some(element), Some(length)) = (element_index, m.array_length(ty))
                && element >= length
            {
                let message = format!(
                    "{op} selects element {element} of {what} {index}, which has only {length}"
                );
                in_range = Err(finding(&graph::INDEX_RANGE, message));
            }
        }
        let typed = expect(value.is_none_or(|value| value == wanted), || {
            let message = format!(
                "{op} has a value of type {} for {what} {index}, which must be {}",
                m.show_type(value.unwrap_or(Id(0))),
                m.show_type(wanted)
            );
            finding(&graph::INPUT_OUTPUT_TYPE, message).about(m, ty, "the type is declared here")
        });
        let key = (is_output, index);
        let is_whole = indexes.len() == 1;
        let earlier = match (is_whole, element_index) {
            (true, _) => self.any.get(&key),
            (false, element) => self
                .whole
                .get(&key)
                .or_else(|| self.elements.get(&(is_output, index, element?))),
        };
        let first = earlier.map_or(Ok(()), |&earlier| {
            let message = format!("the graph uses {what} {index} a second time");
            Err(finding(&graph::DUPLICATE, message).at(earlier, "the first use is here"))
        });
        self.any.entry(key).or_insert(inst.offset());
        if is_whole {
            self.whole.entry(key).or_insert(inst.offset());
        } else if let Some(element) = element_index {
            let key = (is_output, index, element);
            self.elements.entry(key).or_insert(inst.offset());
        }
        all([in_range, typed, first])
    }
}
