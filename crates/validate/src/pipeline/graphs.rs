//! Data graph pipelines, each of an entry point for a graph (`VK_ARM_data_graph`).

use hashbrown::HashSet;
use spirvkit_analysis::layout::Types;
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::{Decoration, FPEncoding, Op};
use spirvkit_vulkan::{
    DataGraph, DescriptorType, Device, Feature, PipelineLayout, TensorDescription,
};

use super::Stage;
use super::part::{element, number};
use super::problems::Problems;
use super::resources::find_binding;
use crate::finding::Finding;
use crate::module::{Inst, Lookup, Module, Type, shorten};
use crate::rule::Rule;
use crate::rules::generated::pipeline;

/// An entry point for a graph.
pub(super) struct GraphPart<'m, 'a> {
    /// The number of the given stage that it is of.
    stage: usize,
    m: &'m Module<'a>,
    types: &'m Types<'m>,
    constants: &'m [(Id, u64)],
    entry: Inst<'a>,
}

/// The entry points for graphs.
pub(super) fn entries<'m, 'a>(m: &'m Module<'a>) -> impl Iterator<Item = Inst<'a>> + use<'m, 'a> {
    let all = m.all_instructions();
    all.filter(|it| it.op() == Op::GraphEntryPointARM)
}

/// The name of an entry point for a graph.
pub(super) fn name_of(entry: Inst<'_>) -> String {
    let name = entry.string(1);
    name.map_or(String::new(), |name| name.to_text_lossy())
}

/// The entry points for graphs that are meant.
pub(super) fn parts<'m, 'a>(
    number: usize,
    stage: &'m Stage<'a>,
    m: &'m Module<'a>,
    types: &'m Types<'m>,
) -> Vec<GraphPart<'m, 'a>> {
    if stage.model.is_some() {
        return Vec::new();
    }
    let parts = entries(m).map(|entry| GraphPart {
        stage: number,
        m,
        types,
        constants: &stage.constants,
        entry,
    });
    let is_named = |part: &GraphPart<'_, '_>| match &stage.entry_point {
        None => true,
        Some(name) => part.literal() == *name,
    };
    parts.filter(is_named).collect()
}

/// Checks the graphs of entry points, each once, what the application says of them, and what they
/// need of devices.
pub(super) fn check(
    parts: &[GraphPart<'_, '_>],
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    let told = layout.and_then(|it| it.graph.as_ref());
    let mut seen = HashSet::new();
    for part in parts {
        check_features(part, problems);
        if let Some(layout) = layout {
            check_layout(part, layout, problems);
        }
        let m = part.m;
        let graph = m.def(part.entry.id(0));
        let Some(graph) = graph.filter(|def| def.op() == Op::GraphARM) else {
            continue;
        };
        if seen.insert((part.stage, graph.offset())) {
            check_type(part, graph, problems);
            for constant in constants(m, graph) {
                check_constant(part, constant, told, problems);
            }
        }
        for &variable in part.interface() {
            if let Some(told) = told {
                check_variable(part, Id(variable), told, problems);
            }
            if let Some(layout) = layout.filter(|it| !it.sets.is_empty()) {
                check_binding(part, Id(variable), layout, problems);
            }
        }
    }
}

/// Checks that devices take modules for graphs, and that these have constants to specialize only where
/// they may.
fn check_features(part: &GraphPart<'_, '_>, problems: &mut Problems<'_>) {
    if problems.options.devices.is_empty() {
        return;
    }
    let m = part.m;
    let globals = m.all_instructions();
    let mut globals = globals.take_while(|it| it.offset() < m.functions_start);
    let special = globals.find(|it| it.op().is_spec_constant());
    let needs = [
        ("dataGraphShaderModule", Some(part.entry)),
        ("dataGraphSpecializationConstants", special),
    ];
    for (index, (name, inst)) in needs.into_iter().enumerate() {
        let (Some(inst), Some(feature)) = (inst, Feature::named(name)) else {
            continue;
        };
        let lacks = |device: &&Device| !device.has(feature);
        if let Some(device) = problems.options.devices.iter().find(lacks) {
            let message = format!(
                "{} of a data graph pipeline needs the feature `{name}`, which `{}` doesn't have",
                inst.op(),
                device.name()
            );
            let rule = &pipeline::GRAPH_FEATURE;
            part.add(rule, index, inst.offset(), message, problems);
        }
    }
}

/// Checks that a layout has nothing that graphs can't use.
fn check_layout(part: &GraphPart<'_, '_>, layout: &PipelineLayout, problems: &mut Problems<'_>) {
    let rule = &pipeline::GRAPH_LAYOUT;
    let mut bindings = layout.sets.iter().flat_map(|set| &set.bindings);
    let has_mutable = bindings.any(|it| it.ty == DescriptorType::MUTABLE);
    let unusable = [
        (!layout.push_constants.is_empty(), "push constants", 2),
        (has_mutable, "mutable descriptors", 3),
    ];
    for (_, what, vuid) in unusable.into_iter().filter(|it| it.0) {
        let message = format!(
            "the layout of the graph \"{}\" has {what}, which data graph pipelines don't take",
            part.name()
        );
        part.add(rule, vuid, part.entry.offset(), message, problems);
    }
}

/// Checks that the layout has tensors for a variable, as many as it is.
fn check_binding(
    part: &GraphPart<'_, '_>,
    variable: Id,
    layout: &PipelineLayout,
    problems: &mut Problems<'_>,
) {
    let m = part.m;
    let Some((ty, place)) = part.tensors(variable) else {
        return;
    };
    let (set, binding) = place;
    let length = match m.ty(ty) {
        Type::Array { length, .. } => part.number(length).unwrap_or(1),
        _ => 1,
    };
    let wanted = DescriptorType::TENSOR;
    let (wrong, vuid) = match find_binding(layout, place) {
        None => ("which the layout lacks".to_owned(), 0),
        Some(found) if found.ty != wanted => (format!("which is `{}` in the layout", found.ty), 0),
        Some(found) if u64::from(found.count) < length => {
            let has = found.count;
            (format!("of which the layout has {has}, not {length}"), 1)
        }
        Some(_) => return,
    };
    let message = format!(
        "{} is `{wanted}` in set {set}, binding {binding}, {wrong}",
        m.name(variable)
    );
    let offset = m.def_offset(variable);
    part.add(&pipeline::GRAPH_LAYOUT, vuid, offset, message, problems);
}

/// The constants that a graph uses, each once.
fn constants<'a>(m: &Module<'a>, graph: Inst<'a>) -> Vec<Inst<'a>> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let body = m.instructions(graph.offset()..m.words.len() as u32);
    let is_within = |it: &Inst<'_>| !matches!(it.op(), Op::GraphEndARM | Op::GraphARM);
    for inst in body.skip(1).take_while(is_within) {
        let Some(decoded) = inst.decoded() else {
            continue;
        };
        for operand in decoded.operands(&m.definitions).flatten() {
            if let Value::Id(id) = operand.value
                && m.op_of(id) == Op::GraphConstantARM
                && seen.insert(id)
            {
                found.extend(m.def(id));
            }
        }
    }
    found.sort_by_key(Inst::offset);
    found
}

/// Checks that all tensors that a graph takes and returns have a shape.
fn check_type(part: &GraphPart<'_, '_>, graph: Inst<'_>, problems: &mut Problems<'_>) {
    let m = part.m;
    let ty = graph.result_type().and_then(|ty| m.def(ty));
    let types = ty.map_or(&[][..], |ty| ty.args().get(1..).unwrap_or_default());
    for &ty in types {
        let tensor = element(m, Id(ty));
        if let Some(tensor) = Tensor::of(part, tensor).filter(|tensor| !tensor.has_shape) {
            let message = format!(
                "the graph of \"{}\" takes or returns {}, which has no shape",
                part.name(),
                m.show_type(tensor.ty)
            );
            part.add(&pipeline::GRAPH_SHAPE, 0, graph.offset(), message, problems);
            return;
        }
    }
}

/// Checks that a constant has a shape, and that the application gives its value.
fn check_constant(
    part: &GraphPart<'_, '_>,
    constant: Inst<'_>,
    told: Option<&DataGraph>,
    problems: &mut Problems<'_>,
) {
    let m = part.m;
    let Some(tensor) = constant.result_type().and_then(|ty| Tensor::of(part, ty)) else {
        return;
    };
    let name = m.name(constant.result().unwrap_or(Id(0)));
    if !tensor.has_shape {
        let message = format!("{name}, which a graph uses, is a tensor without a shape");
        part.add(
            &pipeline::GRAPH_SHAPE,
            1,
            constant.offset(),
            message,
            problems,
        );
        return;
    }
    let Some(told) = told else { return };
    let id = constant.arg(0);
    let own = told.constants.iter().filter(|it| it.id == id);
    let all: Vec<&TensorDescription> = own.map(|it| &it.tensor).collect();
    let fitting = all.iter().filter(|it| tensor.is_like(it)).count();
    if let Some(found) = wrong(&tensor, &all, fitting) {
        let message = format!("{name}, which a graph uses, is constant {id}: {found}");
        part.add(
            &pipeline::GRAPH_CONSTANT,
            0,
            constant.offset(),
            message,
            problems,
        );
    }
}

/// Checks that the application has a resource for a variable.
fn check_variable(
    part: &GraphPart<'_, '_>,
    variable: Id,
    told: &DataGraph,
    problems: &mut Problems<'_>,
) {
    let m = part.m;
    let Some((ty, (set, binding))) = part.tensors(variable) else {
        return;
    };
    let Some(tensor) = Tensor::of(part, element(m, ty)) else {
        return;
    };
    let own = told
        .resources
        .iter()
        .filter(|it| (it.set, it.binding, it.array_element) == (set, binding, 0));
    let all: Vec<&TensorDescription> = own.map(|it| &it.tensor).collect();
    let fitting = all.iter().filter(|it| tensor.is_like(it)).count();
    if let Some(found) = wrong(&tensor, &all, fitting) {
        let name = m.name(variable);
        let message = format!("{name} is a tensor in set {set}, binding {binding}: {found}");
        let offset = m.def_offset(variable);
        part.add(&pipeline::GRAPH_RESOURCE, 0, offset, message, problems);
    }
}

/// What is wrong with what the application says of a tensor, of which one has to fit.
fn wrong(tensor: &Tensor, all: &[&TensorDescription], fitting: usize) -> Option<String> {
    match (all, fitting) {
        (_, 1) => None,
        ([], _) => Some("the application says nothing of it".to_owned()),
        ([one, ..], 0) => Some(format!(
            "the application says `{}` of {}, but it is {} of {}",
            one.format,
            sizes(&one.dimensions),
            tensor.formats.map_or("other elements".to_owned(), |all| {
                let names: Vec<String> = all.iter().map(|it| format!("`{it}`")).collect();
                names.join(" or ")
            }),
            tensor
                .dimensions
                .as_deref()
                .map_or("other sizes".to_owned(), sizes)
        )),
        (_, fitting) => Some(format!("the application describes it {fitting} times")),
    }
}

fn sizes(dimensions: &[u64]) -> String {
    let numbers: Vec<String> = dimensions.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

/// A type of tensors.
struct Tensor {
    ty: Id,
    /// The formats that fit its elements, if any is known.
    formats: Option<&'static [&'static str]>,
    has_shape: bool,
    rank: Option<u64>,
    /// The sizes of its shape, if all are known.
    dimensions: Option<Vec<u64>>,
}

impl Tensor {
    fn of(part: &GraphPart<'_, '_>, ty: Id) -> Option<Self> {
        let m = part.m;
        let def = m.def(ty).filter(|def| def.op() == Op::TypeTensorARM)?;
        let shape = def.optional(2).map(Id);
        let given = shape.and_then(|shape| m.def(shape)).filter(|shape| {
            matches!(
                shape.op(),
                Op::ConstantComposite | Op::SpecConstantComposite
            )
        });
        let sizes = given.and_then(|shape| {
            let sizes = shape.args().iter();
            sizes.map(|&size| part.number(Id(size))).collect()
        });
        Some(Self {
            ty,
            formats: formats(m.ty(def.id(0))),
            has_shape: shape.is_some(),
            rank: def.optional(1).and_then(|rank| part.number(Id(rank))),
            dimensions: sizes,
        })
    }

    /// Whether it may be what the application describes. What isn't known may be anything.
    fn is_like(&self, told: &TensorDescription) -> bool {
        let format = told.format.as_str();
        let has_rank = self
            .rank
            .is_none_or(|rank| rank == told.dimensions.len() as u64);
        has_rank
            && self.formats.is_none_or(|all| all.contains(&format))
            && self
                .dimensions
                .as_ref()
                .is_none_or(|own| *own == told.dimensions)
    }
}

/// The formats that fit a type of elements (Vulkan, "Compatibility Between SPIR-V Tensor Element Types
/// And Vulkan Formats").
fn formats(ty: Type<'_>) -> Option<&'static [&'static str]> {
    Some(match ty {
        Type::Bool => &["R8_BOOL_ARM"],
        Type::Float { width, encoding } => match (width, encoding) {
            (8, Some(FPEncoding::Float8E4M3EXT)) => &["R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM"],
            (8, Some(FPEncoding::Float8E5M2EXT)) => &["R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM"],
            (16, Some(FPEncoding::BFloat16KHR)) => &["R16_SFLOAT_FPENCODING_BFLOAT16_ARM"],
            (16, None) => &["R16_SFLOAT"],
            (32, None) => &["R32_SFLOAT"],
            (64, None) => &["R64_SFLOAT"],
            _ => return None,
        },
        Type::Int { width, signed } => match (width, signed) {
            (8, false) => &["R8_UINT", "R8_SINT"],
            (8, true) => &["R8_SINT"],
            (16, false) => &["R16_UINT", "R16_SINT"],
            (16, true) => &["R16_SINT"],
            (32, false) => &["R32_UINT", "R32_SINT"],
            (32, true) => &["R32_SINT"],
            (64, false) => &["R64_UINT", "R64_SINT"],
            (64, true) => &["R64_SINT"],
            _ => return None,
        },
        _ => return None,
    })
}

impl GraphPart<'_, '_> {
    fn literal(&self) -> String {
        name_of(self.entry)
    }

    /// The name of the entry point, for messages.
    fn name(&self) -> String {
        shorten(&self.literal())
    }

    /// The variables of its interface.
    fn interface(&self) -> &[u32] {
        let name = self.entry.string(1).map_or(0, |name| name.words().len());
        self.entry.args().get(1 + name..).unwrap_or_default()
    }

    /// The type of a variable that is a tensor or several, with its set and its binding.
    fn tensors(&self, variable: Id) -> Option<(Id, (u32, u32))> {
        let m = self.m;
        let ty = m.type_of(variable).and_then(|ty| m.pointee(ty))?;
        let is_tensor = m.op_of(element(m, ty)) == Op::TypeTensorARM;
        let number = |decoration| Some(m.decoration(variable, decoration)?.param(0));
        let place = number(Decoration::DescriptorSet).zip(number(Decoration::Binding))?;
        is_tensor.then_some((ty, place))
    }

    /// Says that it has no place next to the stages of another pipeline.
    pub(super) fn refuse(&self, other: &str, problems: &mut Problems<'_>) {
        let message = format!(
            "the graph \"{}\" is a data graph pipeline, and no part of one with a {other}",
            self.name()
        );
        let finding = Finding::new(&pipeline::MIXED, self.entry.offset(), message).vuid_if(false);
        problems.add_in(self.stage, self.m, finding, Vec::new());
    }

    /// The number that a constant is, once specialized.
    fn number(&self, constant: Id) -> Option<u64> {
        number(self.constants, self.types, constant)
    }

    fn add(
        &self,
        rule: &'static Rule,
        vuid: usize,
        offset: u32,
        message: String,
        problems: &mut Problems<'_>,
    ) {
        let finding = Finding::new(rule, offset, message).vuid(rule.vuids[vuid]);
        problems.add_in(self.stage, self.m, finding, Vec::new());
    }
}
