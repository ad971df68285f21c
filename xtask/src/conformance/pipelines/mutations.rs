//! Pipelines whose interfaces are changed, each in one way.

use spirvkit::PipelineStage;
use spirvkit::analysis::index::Type;
use spirvkit::analysis::{Lookup, ModuleIndex};
use spirvkit::binary::Id;
use spirvkit::grammar::{Decoration, ExecutionModel, Op, StorageClass};

use super::Case;

/// A changed pipeline.
pub(super) struct Mutant {
    pub(super) sort: &'static str,
    pub(super) stages: Vec<PipelineStage>,
    /// The rule that it breaks; none if it may be so.
    pub(super) expected: Option<&'static str>,
}

/// Pipelines that differ from one by one input of one stage.
pub(super) fn mutants(case: &Case) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (number, stage) in case.stages.iter().enumerate() {
        for (sort, words, expected) in changed(stage.words(), &case.stages) {
            let mut stages = case.stages.clone();
            stages[number] = stages[number].clone().with_words(words);
            all.push(Mutant {
                sort,
                stages,
                expected,
            });
        }
        if case.layout.is_some()
            && let Some(words) = rebound(stage.words())
        {
            let mut stages = case.stages.clone();
            stages[number] = stages[number].clone().with_words(words);
            all.push(Mutant {
                sort: "another binding",
                stages,
                expected: Some("pipeline.binding-missing"),
            });
        }
    }
    all
}

/// An input that is a scalar or a vector of 32-bit numbers, perhaps in one array.
struct Input {
    variable: Id,
    /// Where the operand of its `Location` stands.
    location: usize,
    scalar: Id,
    components: u32,
    /// The length of the array that it is.
    length: Option<Id>,
    has_component: bool,
}

fn inputs(m: &ModuleIndex<'_>) -> Vec<Input> {
    let Some(entry) = m.entry_points.first() else {
        return Vec::new();
    };
    if entry.model == ExecutionModel::Vertex || m.entry_points.len() > 1 {
        return Vec::new();
    }
    let variables = entry.interface.iter().map(|&id| Id(id));
    variables
        .filter_map(|variable| input(m, variable))
        .collect()
}

fn input(m: &ModuleIndex<'_>, variable: Id) -> Option<Input> {
    let def = m.def(variable)?;
    if def.op() != Op::Variable || StorageClass(def.arg(0)) != StorageClass::Input {
        return None;
    }
    let location = m.decoration(variable, Decoration::Location)?;
    if location.inst.op() != Op::Decorate {
        return None;
    }
    let mut ty = m.pointee(def.result_type()?)?;
    let mut length_of = None;
    if let Type::Array { element, length } = m.ty(ty) {
        (ty, length_of) = (element, Some(length));
    }
    let (scalar, components) = match m.ty(ty) {
        Type::Vector { component, count } => (component, count),
        Type::Int { .. } | Type::Float { .. } => (ty, 1),
        _ => return None,
    };
    (m.bit_width(scalar) == 32).then_some(Input {
        variable,
        location: location.inst.offset() as usize + 3,
        scalar,
        components,
        length: length_of,
        has_component: m.is_decorated(variable, Decoration::Component),
    })
}

type Change = (&'static str, Vec<u32>, Option<&'static str>);

fn changed(words: &[u32], stages: &[PipelineStage]) -> Vec<Change> {
    let Ok(m) = ModuleIndex::new(words) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for input in inputs(&m).into_iter().take(4) {
        let location = words[input.location];
        let mut moved = words.to_vec();
        moved[input.location] = 61;
        all.push(("a location dropped", moved, Some("pipeline.no-output")));
        let (is_float, is_signed) = match m.ty(input.scalar) {
            Type::Float { .. } => (true, false),
            Type::Int { signed, .. } => (false, signed),
            _ => continue,
        };
        let int = |width, signed| [opcode(4, Op::TypeInt), 0, width, signed].to_vec();
        let float = |width| [opcode(3, Op::TypeFloat), 0, width].to_vec();
        let kinds = match is_float {
            true => [
                ("another type", int(32, 0)),
                ("another width", float(16)),
                ("another type", int(32, 1)),
            ],
            false => [
                ("another type", float(32)),
                ("another width", int(16, is_signed.into())),
                ("another signedness", int(32, (!is_signed).into())),
            ],
        };
        for (sort, scalar) in kinds {
            let words = retyped(words, &m, &input, &scalar, input.components);
            all.push((sort, words, Some("pipeline.type")));
        }
        for (sort, decoration) in [
            ("another interpolation", Decoration::Flat),
            ("another interpolation", Decoration::NoPerspective),
            ("another precision", Decoration::RelaxedPrecision),
        ] {
            let words = decorated(words, &m, &input, &[decoration.0]);
            all.push((sort, words, None));
        }
        if !input.has_component && input.components < 4 && is_alone(stages, location, &input) {
            let scalar = scalar_words(words, &m, input.scalar);
            let more = retyped(words, &m, &input, &scalar, input.components + 1);
            all.push(("more components", more, Some("pipeline.no-output")));
            let moved = decorated(words, &m, &input, &[Decoration::Component.0, 1]);
            all.push(("another component", moved, Some("pipeline.no-output")));
        }
    }
    all
}

/// Whether each output at a location of any stage has just the components of an input.
fn is_alone(stages: &[PipelineStage], location: u32, input: &Input) -> bool {
    let mut count = 0;
    for stage in stages {
        let Ok(m) = ModuleIndex::new(stage.words()) else {
            return false;
        };
        let located = m.all_decorated_with(Decoration::Location);
        for (id, decorated) in located {
            if decorated.member.is_some() {
                return false;
            }
            let class = m.def(id).map(|def| StorageClass(def.arg(0)));
            if class != Some(StorageClass::Output) {
                continue;
            }
            let ty = m.type_of(id).and_then(|ty| m.pointee(ty));
            let mut ty = ty.unwrap_or(Id(0));
            while let Type::Array { element, .. } = m.ty(ty) {
                ty = element;
            }
            let is_simple = matches!(
                m.ty(ty),
                Type::Vector { .. } | Type::Int { .. } | Type::Float { .. }
            );
            if !is_simple {
                return false;
            }
            if decorated.param(0) == location {
                let is_same = m.dimension(ty) == input.components
                    && !m.is_decorated(id, Decoration::Component);
                if !is_same {
                    return false;
                }
                count += 1;
            }
        }
    }
    count > 0
}

fn opcode(count: u32, op: Op) -> u32 {
    count << 16 | u32::from(op.0)
}

fn scalar_words(words: &[u32], m: &ModuleIndex<'_>, scalar: Id) -> Vec<u32> {
    let at = m.def_offset(scalar) as usize;
    let count = (words[at] >> 16) as usize;
    let mut scalar = words[at..at + count].to_vec();
    scalar[1] = 0;
    scalar
}

/// The module with an input of another scalar, or of more of them.
fn retyped(
    words: &[u32],
    m: &ModuleIndex<'_>,
    input: &Input,
    scalar: &[u32],
    components: u32,
) -> Vec<u32> {
    let mut words = words.to_vec();
    let mut next = words[3];
    let mut declared = Vec::new();
    let mut declare = |mut instruction: Vec<u32>| {
        instruction[1] = next;
        next += 1;
        declared.extend(instruction);
        next - 1
    };
    let mut ty = declare(scalar.to_vec());
    if components > 1 {
        ty = declare(vec![opcode(4, Op::TypeVector), 0, ty, components]);
    }
    if let Some(length) = input.length {
        ty = declare(vec![opcode(4, Op::TypeArray), 0, ty, length.0]);
    }
    let pointer = declare(vec![
        opcode(4, Op::TypePointer),
        0,
        StorageClass::Input.0,
        ty,
    ]);
    words[3] = next;
    let at = m.def_offset(input.variable) as usize;
    words[at + 1] = pointer;
    words.splice(at..at, declared);
    words
}

/// The module with one more decoration of an input.
fn decorated(words: &[u32], _: &ModuleIndex<'_>, input: &Input, decoration: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    let mut instruction = vec![
        opcode(2 + decoration.len() as u32, Op::Decorate),
        input.variable.0,
    ];
    instruction.extend(decoration);
    let at = input.location - 3;
    words.splice(at..at, instruction);
    words
}

/// The module with another binding of the first resource that the entry point uses.
fn rebound(words: &[u32]) -> Option<Vec<u32>> {
    let m = ModuleIndex::new(words).ok()?;
    let [entry] = &m.entry_points[..] else {
        return None;
    };
    let tree = m.call_tree(entry.function);
    let mut bound = m.all_decorated_with(Decoration::Binding);
    let (_, decorated) = bound.find(|(id, decorated)| {
        let is_used = |&at: &u32| {
            let function = m.function_at(at);
            function.is_some_and(|function| tree.contains(&function))
        };
        decorated.inst.op() == Op::Decorate && m.uses(*id).iter().any(is_used)
    })?;
    let at = decorated.inst.offset() as usize + 3;
    let mut words = words.to_vec();
    words[at] = 977;
    Some(words)
}
