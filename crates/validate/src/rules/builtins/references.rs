//! What depends on the stages that use a built-in.
//!
//! A built-in is used where a function names the decorated object, or anything
//! outside of functions that is made from it: pointers to the structure, arrays of
//! it, variables. For each of these ids a [`Watch`] says in which execution models
//! it must not be named. If no function of the module is reached by such a model,
//! and that is the rule, no function is looked into.

use spirvkit_binary::{HEADER_WORDS, Id, IdMap, Instruction, Value, WordOffset};
use spirvkit_grammar::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};

use super::Seed;
use super::definitions;
use super::table::{
    ALL, Classes, EXCLUSIONS, FRAGMENT, MESH_EXT, MESH_NV, TESS_EVALUATION, VERTEX,
};
use crate::finding::{Finding, Reporter};
use crate::module::{Function, Inst, Lookup, Models, Module};
use crate::rules::generated::builtin;

/// Why a built-in must not be used.
#[derive(Clone, Copy)]
enum Why {
    Model,
    Type,
    ClassInModel(StorageClass),
    /// One of these capabilities would allow it.
    Capability(&'static str),
    PerPrimitive,
    PerView,
}

/// That a built-in must not be used in some execution models.
struct Objection {
    models: Models,
    why: Why,
    vuid: &'static str,
}

/// All that speaks against a built-in, in the storage class if it is known.
fn objections(
    m: &Module<'_>,
    seed: &Seed,
    class: Option<StorageClass>,
    mut object: impl FnMut(Objection),
) {
    let Some(row) = seed.row else {
        return;
    };
    object(Objection {
        models: ALL.without(row.models),
        why: Why::Model,
        vuid: row.model_vuid,
    });
    if row.shape.varies() {
        let misfits = row.shape.misfits(m, seed);
        let in_meshes = MESH_TYPES.iter().find(|entry| entry.0 == seed.built_in);
        for (models, vuid) in [
            (misfits.and(MESH_EXT), in_meshes.map(|entry| entry.1)),
            (misfits.without(MESH_EXT), None),
        ] {
            object(Objection {
                models,
                why: Why::Type,
                vuid: vuid.unwrap_or(row.shape_vuid),
            });
        }
    }
    for exclusion in EXCLUSIONS {
        if exclusion.built_in == seed.built_in && Some(exclusion.class) == class {
            object(Objection {
                models: exclusion.models,
                why: Why::ClassInModel(exclusion.class),
                vuid: exclusion.vuid,
            });
        }
    }
    for need in NEEDS {
        if need.built_in == seed.built_in && !need.capabilities.iter().any(|&c| m.has(c)) {
            object(Objection {
                models: need.models,
                why: Why::Capability(need.names),
                vuid: need.vuid,
            });
        }
    }
    let per_primitive = PER_PRIMITIVES.iter().find(|entry| entry.0 == seed.built_in);
    let per_view = PER_VIEWS.iter().find(|entry| entry.0 == seed.built_in);
    if let Some(&(_, vuid)) = per_view
        && m.has(Capability::MeshShadingNV)
        && !has_too(m, seed, Decoration::PerViewNV)
    {
        object(Objection {
            models: MESH_NV,
            why: Why::PerView,
            vuid,
        });
    }
    if let Some(&(_, vuid)) = per_primitive
        && m.has(Capability::MeshShadingEXT)
        && !has_too(m, seed, Decoration::PerPrimitiveEXT)
    {
        object(Objection {
            models: MESH_EXT,
            why: Why::PerPrimitive,
            vuid,
        });
    }
}

/// Capabilities of which some execution models need one for a built-in.
struct Need {
    built_in: BuiltIn,
    models: Models,
    capabilities: &'static [Capability],
    names: &'static str,
    vuid: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        built_in: BuiltIn::Layer,
        models: VERTEX.or(TESS_EVALUATION),
        capabilities: &[
            Capability::ShaderViewportIndexLayerEXT,
            Capability::ShaderLayer,
        ],
        names: "`ShaderViewportIndexLayerEXT` or `ShaderLayer`",
        vuid: "VUID-Layer-Layer-04273",
    },
    Need {
        built_in: BuiltIn::ViewportIndex,
        models: VERTEX.or(TESS_EVALUATION),
        capabilities: &[
            Capability::ShaderViewportIndexLayerEXT,
            Capability::ShaderViewportIndex,
        ],
        names: "`ShaderViewportIndexLayerEXT` or `ShaderViewportIndex`",
        vuid: "VUID-ViewportIndex-ViewportIndex-04405",
    },
    Need {
        built_in: BuiltIn::PrimitiveId,
        models: FRAGMENT,
        capabilities: &[
            Capability::Geometry,
            Capability::Tessellation,
            Capability::MeshShadingNV,
            Capability::MeshShadingEXT,
        ],
        names: "`Geometry`, `Tessellation`, `MeshShadingEXT` or `MeshShadingNV`",
        vuid: "VUID-PrimitiveId-Fragment-04333",
    },
];

/// What a mesh shader writes for each primitive.
const PER_PRIMITIVES: &[(BuiltIn, &str)] = &[
    (
        BuiltIn::CullPrimitiveEXT,
        "VUID-CullPrimitiveEXT-CullPrimitiveEXT-07038",
    ),
    (BuiltIn::Layer, "VUID-Layer-Layer-07039"),
    (BuiltIn::PrimitiveId, "VUID-PrimitiveId-PrimitiveId-07040"),
    (
        BuiltIn::PrimitiveShadingRateKHR,
        "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-07059",
    ),
    (
        BuiltIn::ViewportIndex,
        "VUID-ViewportIndex-ViewportIndex-07060",
    ),
];

/// What has a type of its own in mesh shaders.
const MESH_TYPES: &[(BuiltIn, &str)] = &[
    (BuiltIn::Layer, "VUID-Layer-Layer-10592"),
    (BuiltIn::PrimitiveId, "VUID-PrimitiveId-PrimitiveId-10595"),
    (
        BuiltIn::PrimitiveShadingRateKHR,
        "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10598",
    ),
    (
        BuiltIn::ViewportIndex,
        "VUID-ViewportIndex-ViewportIndex-10601",
    ),
];

/// What a mesh shader of `SPV_NV_mesh_shader` writes for each view.
const PER_VIEWS: &[(BuiltIn, &str)] = &[
    (
        BuiltIn::ClipDistancePerViewNV,
        "VUID-ClipDistancePerViewNV-ClipDistancePerViewNV-04194",
    ),
    (
        BuiltIn::CullDistancePerViewNV,
        "VUID-CullDistancePerViewNV-CullDistancePerViewNV-04203",
    ),
    (
        BuiltIn::LayerPerViewNV,
        "VUID-LayerPerViewNV-LayerPerViewNV-04279",
    ),
];

/// Whether the built-in itself, or the member that it is, has a decoration.
fn has_too(m: &Module<'_>, seed: &Seed, decoration: Decoration) -> bool {
    m.is_decorated(seed.target, decoration)
        || seed.member.is_some_and(|member| {
            m.member_decoration(seed.target, member, decoration)
                .is_some()
        })
}

/// What must not be done with an id that is, or is made from, built-ins.
#[derive(Clone, Copy)]
struct Watch {
    /// Whether it may be an input, an output, anything else.
    input: bool,
    output: bool,
    other: bool,
    /// The models in which it must not be named.
    never: Models,
    /// Those that are added if it is an input or an output.
    never_input: Models,
    never_output: Models,
    /// Whether there is `FragDepth` among them.
    depth: bool,
}

impl Watch {
    const NOTHING: Self = Self {
        input: true,
        output: true,
        other: true,
        never: Models::of(&[]),
        never_input: Models::of(&[]),
        never_output: Models::of(&[]),
        depth: false,
    };

    fn of(m: &Module<'_>, seed: &Seed) -> Self {
        let never = |class| {
            let mut models = Models::default();
            objections(m, seed, class, |objection| {
                models = models.or(objection.models);
            });
            models
        };
        let classes = seed.row.map_or(Classes::Any, |row| row.classes);
        Self {
            input: classes.allow(StorageClass::Input),
            output: classes.allow(StorageClass::Output),
            other: classes == Classes::Any,
            never: never(None),
            never_input: never(Some(StorageClass::Input)),
            never_output: never(Some(StorageClass::Output)),
            depth: seed.built_in == BuiltIn::FragDepth,
        }
    }

    fn add(&mut self, other: Self) {
        self.input &= other.input;
        self.output &= other.output;
        self.other &= other.other;
        self.never = self.never.or(other.never);
        self.never_input = self.never_input.or(other.never_input);
        self.never_output = self.never_output.or(other.never_output);
        self.depth |= other.depth;
    }

    fn allows(&self, class: StorageClass) -> bool {
        match class {
            StorageClass::Input => self.input,
            StorageClass::Output => self.output,
            _ => self.other,
        }
    }

    /// The same with the storage class known.
    fn in_class(mut self, class: StorageClass) -> Self {
        match class {
            StorageClass::Input => self.never = self.never.or(self.never_input),
            StorageClass::Output => self.never = self.never.or(self.never_output),
            _ => {}
        }
        self
    }
}

/// The ids to watch.
struct Watches {
    slots: IdMap<u32>,
    all: Vec<Watch>,
}

const UNWATCHED: u32 = u32::MAX;

impl Watches {
    fn get(&self, id: Id) -> Option<&Watch> {
        self.all.get(self.slots.get(id) as usize)
    }

    fn add(&mut self, id: Id, watch: Watch) {
        let slot = self.slots.slot(id);
        match self.all.get_mut(*slot as usize) {
            Some(known) => known.add(watch),
            None => {
                *slot = self.all.len() as u32;
                self.all.push(watch);
            }
        }
    }
}

/// The words that hold the ids from which a declaration is made.
#[inline]
fn sources<'a>(inst: Inst<'a>) -> &'a [u32] {
    let words = inst.words();
    let range = match inst.op() {
        Op::TypePointer => 3..4,
        // Lengths may be made from the size of the workgroup.
        Op::TypeArray => 2..4,
        Op::TypeRuntimeArray => 2..3,
        Op::TypeStruct | Op::TypeFunction => 2..words.len(),
        Op::Variable | Op::Undef | Op::ConstantNull => 1..2,
        // Untyped variables name the type of their data.
        Op::UntypedVariableKHR => 4..words.len(),
        Op::ConstantComposite | Op::SpecConstantComposite => 1..words.len(),
        Op::SpecConstantOp => match Op(inst.arg(0) as u16) {
            // Indexes and component numbers follow.
            Op::CompositeExtract => 4..5,
            Op::CompositeInsert | Op::VectorShuffle => 4..6,
            _ => 4..words.len(),
        },
        _ => 0..0,
    };
    words.get(range).unwrap_or_default()
}

/// The storage class that a declaration says.
fn class_of(inst: Inst<'_>) -> Option<StorageClass> {
    match inst.op() {
        Op::TypePointer | Op::Variable | Op::UntypedVariableKHR => Some(StorageClass(inst.arg(0))),
        _ => None,
    }
}

/// Checks storage classes and execution models.
pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let mut watches = Watches {
        slots: IdMap::new(UNWATCHED, m.words.len()),
        all: Vec::new(),
    };
    for seed in seeds.iter().filter(|seed| seed.row.is_some()) {
        watches.add(seed.target, Watch::of(m, seed));
    }
    if watches.all.is_empty() {
        return;
    }
    watch_declarations(m, seeds, &mut watches, reporter);
    let never = watches
        .all
        .iter()
        .fold(Models::default(), |never, watch| never.or(watch.never));
    let has_depth = watches.all.iter().any(|watch| watch.depth);
    for (index, function) in m.functions.iter().enumerate() {
        let no_depth = has_depth && lacks_depth_replacing(m, index as u32);
        if !function.models.and(never).is_empty() || no_depth {
            check_function(m, seeds, &watches, function, no_depth, reporter);
        }
    }
}

/// Finds the declarations that are made from built-ins, and checks their storage
/// classes.
fn watch_declarations(
    m: &Module<'_>,
    seeds: &[Seed],
    watches: &mut Watches,
    reporter: &mut Reporter,
) {
    let end = m
        .functions
        .first()
        .map_or(m.words.len() as u32, |function| function.range.start);
    // Nothing before the first of them is made from one, but for pointers to structures.
    let seeds_at = seeds.iter().map(|seed| match seed.member {
        Some(_) => 0,
        None => m.def_offset(seed.target),
    });
    let start = seeds_at.min().unwrap_or(end).max(HEADER_WORDS as u32);
    for inst in m.instructions(start..end) {
        // Most declarations, and made from nothing.
        if inst.op() == Op::Constant {
            continue;
        }
        let Some(result) = inst.result() else {
            continue;
        };
        // The object itself may be a variable.
        let own = watches.get(result).copied();
        let mut made: Option<Watch> = None;
        for &source in sources(inst) {
            if let Some(&watch) = watches.get(Id(source)) {
                made.get_or_insert(Watch::NOTHING).add(watch);
            }
        }
        if made.is_none() && own.is_none() {
            continue;
        }
        let class = class_of(inst);
        let mut watch = made.unwrap_or(Watch::NOTHING);
        if let Some(own) = own {
            watch.add(own);
        }
        if let Some(class) = class {
            if !watch.allows(class) {
                reporter.add(class_finding(m, seeds, inst, class));
                // One finding for all that is made from it.
                (watch.input, watch.output, watch.other) = (true, true, true);
            }
            watch = watch.in_class(class);
        }
        watches.add(result, watch);
    }
    check_local_variables(m, seeds, watches, end, reporter);
}

/// Checks the storage classes of variables of functions that are themselves
/// decorated. Functions start at the word `end`.
fn check_local_variables(
    m: &Module<'_>,
    seeds: &[Seed],
    watches: &Watches,
    end: u32,
    reporter: &mut Reporter,
) {
    for seed in seeds.iter().filter(|seed| seed.row.is_some()) {
        if reporter.is_full() {
            return;
        }
        let local = m.def(seed.target).filter(|inst| inst.offset() >= end);
        let Some((inst, class)) = local.and_then(|inst| Some((inst, class_of(inst)?))) else {
            continue;
        };
        let is_wrong = |watch: &Watch| !watch.allows(class);
        if watches.get(seed.target).is_some_and(is_wrong) {
            reporter.add(class_finding(m, seeds, inst, class));
        }
    }
}

/// Whether a function is reached from a fragment shader without `DepthReplacing`.
fn lacks_depth_replacing(m: &Module<'_>, function: u32) -> bool {
    m.entry_without_mode(function, FRAGMENT, &[ExecutionMode::DepthReplacing])
        .is_some()
}

/// How many built-ins are reported in one function: to find each takes its time.
const MAX_REPORTED: usize = 16;

/// Looks for built-ins in a function that some of them must not be in.
fn check_function(
    m: &Module<'_>,
    seeds: &[Seed],
    watches: &Watches,
    function: &Function,
    no_depth: bool,
    reporter: &mut Reporter,
) {
    let is_wrong = |word: u32| {
        watches.get(Id(word)).is_some_and(|watch| {
            !watch.never.and(function.models).is_empty() || no_depth && watch.depth
        })
    };
    // Of each, the first use is reported.
    let mut reported = Vec::new();
    for inst in m.instructions(function.range.clone()) {
        let operands = inst.words().get(1..).unwrap_or_default();
        // A literal may look like an id, so a find is looked at again.
        if !operands.iter().any(|&word| is_wrong(word)) {
            continue;
        }
        let offset = WordOffset(inst.offset() as usize);
        let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
            continue;
        };
        let used = instruction
            .operands(&m.definitions)
            .filter_map(|operand| match operand.ok()?.value {
                Value::Id(id) => Some(id),
                _ => None,
            })
            .find(|id| is_wrong(id.0) && !reported.contains(id));
        if let Some(id) = used {
            if let Some(finding) = use_finding(m, seeds, inst, id, function) {
                reporter.add(finding);
            }
            reported.push(id);
            if reported.len() == MAX_REPORTED {
                return;
            }
        }
    }
}

/// The built-ins that a declaration is made from, with the storage class on the
/// way, if there is one. Only for messages.
fn origins<'s>(m: &Module<'_>, seeds: &'s [Seed], id: Id) -> Vec<(&'s Seed, Option<StorageClass>)> {
    let mut found = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut todo = vec![(id, None)];
    while let Some((id, class)) = todo.pop() {
        let Some(inst) = m.def(id) else {
            continue;
        };
        let class = class.or(class_of(inst));
        if !seen.insert((id, class)) {
            continue;
        }
        found.extend(
            seeds
                .iter()
                .filter(|seed| seed.target == id)
                .map(|seed| (seed, class)),
        );
        todo.extend(sources(inst).iter().map(|&source| (Id(source), class)));
    }
    found
}

/// The finding of a declaration in a storage class that a built-in doesn't have.
fn class_finding(m: &Module<'_>, seeds: &[Seed], inst: Inst<'_>, class: StorageClass) -> Finding {
    let id = inst.result().unwrap_or(Id(0));
    let culprit = origins(m, seeds, id).into_iter().find_map(|(seed, _)| {
        let row = seed.row?;
        (!row.classes.allow(class)).then_some((seed, row))
    });
    let Some((seed, row)) = culprit else {
        let message = format!("a built-in can't be in the storage class `{class}`");
        return Finding::new(&builtin::STORAGE_CLASS, inst.offset(), message);
    };
    let message = format!(
        "the built-in `{}` must be in the storage class {}, but {} is in `{class}`",
        seed.built_in,
        row.classes.describe(),
        m.name(id),
    );
    let finding = Finding::new(&builtin::STORAGE_CLASS, inst.offset(), message)
        .at(seed.offset, "the built-in is given here");
    match row.class_vuid {
        "" => finding,
        vuid => finding.vuid(vuid),
    }
}

/// The finding of a use in a stage that must not use it.
fn use_finding(
    m: &Module<'_>,
    seeds: &[Seed],
    inst: Inst<'_>,
    id: Id,
    function: &Function,
) -> Option<Finding> {
    let all = origins(m, seeds, id);
    for &(seed, class) in &all {
        let mut first: Option<(Objection, Models)> = None;
        objections(m, seed, class, |objection| {
            let models = objection.models.and(function.models);
            if first.is_none() && !models.is_empty() {
                first = Some((objection, models));
            }
        });
        if let Some((objection, models)) = first {
            return Some(objection_finding(m, seed, inst, &objection, models));
        }
    }
    let depth = all
        .iter()
        .find(|(seed, _)| seed.built_in == BuiltIn::FragDepth)?;
    let message = format!(
        "{} uses `FragDepth`, but an entry point that reaches it lacks the execution mode `DepthReplacing`",
        inst.op()
    );
    Some(
        Finding::new(&builtin::DEPTH_REPLACING, inst.offset(), message)
            .at(depth.0.offset, "the built-in is given here"),
    )
}

fn objection_finding(
    m: &Module<'_>,
    seed: &Seed,
    inst: Inst<'_>,
    objection: &Objection,
    models: Models,
) -> Finding {
    let built_in = seed.built_in;
    let (rule, message) = match objection.why {
        Why::Type => return definitions::type_finding(m, seed, inst.offset(), objection.vuid),
        Why::Model => {
            let allowed = seed.row.map(|row| row.models).unwrap_or_default();
            (
                &builtin::EXECUTION_MODEL,
                format!(
                    "{} uses `{built_in}`, which is only for {allowed}, but is reached from {models}",
                    inst.op()
                ),
            )
        }
        Why::ClassInModel(class) => (
            &builtin::STORAGE_CLASS_IN_MODEL,
            format!(
                "{} uses `{built_in}` in the storage class `{class}`, which is not allowed in {models}",
                inst.op()
            ),
        ),
        Why::Capability(names) => (
            &builtin::CAPABILITY,
            format!("`{built_in}` in {models} needs one of the capabilities {names}"),
        ),
        Why::PerView => (
            &builtin::PER_VIEW,
            format!(
                "{} is decorated with `{built_in}`, so it must be decorated with `PerViewNV`",
                seed.show(m)
            ),
        ),
        Why::PerPrimitive => (
            &builtin::PER_PRIMITIVE,
            format!(
                "{} is decorated with `{built_in}` and used in {models}, so it must be decorated with \
                 `PerPrimitiveEXT`",
                seed.show(m)
            ),
        ),
    };
    let finding =
        Finding::new(rule, inst.offset(), message).at(seed.offset, "the built-in is given here");
    // It is used by what points to it.
    let is_pointer = |id| {
        m.type_of(id)
            .is_some_and(|ty| m.pointer_class(ty).is_some())
    };
    let finding = match m.operand_that(inst.offset(), is_pointer) {
        Some(word) => finding.word(word),
        None => finding,
    };
    match objection.vuid {
        "" => finding,
        vuid => finding.vuid(vuid),
    }
}
