//! Bindings that are mapped to descriptor heaps (Vulkan, "Descriptor Heaps" and "Runtime SPIR-V
//! Validation"): what they may be, which resources of them are chosen, and by what.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Op, StorageClass as S};
use spirvkit_vulkan::{Binding, Device, Limit, MappingSource, PipelineFlags, PipelineLayout};

use super::part::Part;
use super::problems::{Problems, note_about};
use super::resources::{Resource, Uses, find_binding, range_of, vuid_of};
use crate::finding::Finding;
use crate::module::{Inst, Lookup, Type};
use crate::rules::generated::pipeline;

/// What a pointer is to: a resource whose binding has this mapping, or one without a set and a
/// binding.
type Source = Option<MappingSource>;

/// A pointer that is followed, or a variable that it is stored to.
#[derive(Clone, Copy)]
struct Pointer {
    id: Id,
    /// The variable that it comes from.
    variable: Id,
    source: Source,
    /// Of how many arrays of resources the element is still to be chosen.
    arrays: u32,
}

/// Checks the resources of a stage, if the layout maps some.
pub(super) fn check(uses: &Uses<'_, '_, '_>, layout: &PipelineLayout, problems: &mut Problems<'_>) {
    let part = uses.part;
    let m = part.m;
    let bindings = layout.sets.iter().flat_map(|set| &set.bindings);
    if bindings.filter(|it| it.mapping.is_some()).count() == 0 {
        return;
    }
    for (place, resource) in &uses.resources {
        if let Some(binding) = find_binding(layout, *place)
            && let Some(source) = binding.mapping
        {
            check_kind(resource, source, problems);
            check_size(resource, (binding, source), problems);
        }
    }
    let mapped = uses.resources.iter().filter_map(|(place, resource)| {
        let mapping = find_binding(layout, *place)?.mapping?;
        Some((resource.variable, Some(mapping)))
    });
    let is_resource = |class| matches!(class, S::Uniform | S::UniformConstant | S::StorageBuffer);
    let has_place = |id| {
        m.is_decorated(id, Decoration::DescriptorSet) || m.is_decorated(id, Decoration::Binding)
    };
    let others = uses.others.iter();
    let others = others.filter(|it| is_resource(it.class) && !has_place(it.id));
    let all = mapped.chain(others.map(|it| (it.id, None)));
    let mut walk = Walk {
        part,
        functions: m.call_tree(part.entry.function).into_iter().collect(),
        seen: HashSet::new(),
        returned: HashSet::new(),
        variable: HashMap::new(),
        todo: Vec::new(),
    };
    for (variable, source) in all {
        walk.todo.push(Pointer {
            id: variable,
            variable,
            source,
            arrays: arrays_of(part, variable),
        });
        while let Some(pointer) = walk.todo.pop() {
            walk.follow(pointer, problems);
        }
    }
}

/// Checks that a resource of a pipeline without sets is mapped.
pub(super) fn check_mapped(
    (set, binding): (u32, u32),
    resource: &Resource<'_, '_, '_>,
    found: Option<&Binding>,
    problems: &mut Problems<'_>,
) {
    if found.is_some_and(|it| it.mapping.is_some()) {
        return;
    }
    let (part, m) = (resource.part, resource.part.m);
    let message = format!(
        "{}, which the {} uses, is set {set}, binding {binding}, which isn't mapped, and the pipeline has the flag \
         `{}`",
        m.name(resource.variable),
        part.kind(),
        PipelineFlags::DESCRIPTOR_HEAP
    );
    let rule = &pipeline::UNMAPPED;
    let finding = Finding::new(rule, m.def_offset(resource.variable), message);
    problems.add(part, finding.vuid(rule.vuids[vuid_of(part)]), Vec::new());
}

/// Checks that a stage uses no heap where a layout has sets. What is mapped is in none.
pub(super) fn check_heaps(
    uses: &Uses<'_, '_, '_>,
    layout: &PipelineLayout,
    problems: &mut Problems<'_>,
) {
    let (part, m) = (uses.part, uses.part.m);
    let mut bindings = layout.sets.iter().flat_map(|set| &set.bindings);
    if bindings.all(|it| it.mapping.is_some()) {
        return;
    }
    let is_heap = |id| {
        let built_in = m.decoration(id, Decoration::BuiltIn)?;
        let built_in = BuiltIn(built_in.param(0));
        matches!(built_in, BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT).then_some(built_in)
    };
    for used in &uses.others {
        let Some(heap) = is_heap(used.id) else {
            continue;
        };
        let message = format!(
            "the {} uses {}, which is `{heap}`, but the layout has sets, so the pipeline lacks the flag `{}`",
            part.kind(),
            m.name(used.id),
            PipelineFlags::DESCRIPTOR_HEAP
        );
        let rule = &pipeline::HEAP_AND_SETS;
        let finding = Finding::new(rule, used.inst.offset(), message);
        problems.add(part, finding.vuid(rule.vuids[vuid_of(part)]), Vec::new());
    }
}

/// Checks that a resource is one of which data or an address are all that it takes.
fn check_kind(resource: &Resource<'_, '_, '_>, source: MappingSource, problems: &mut Problems<'_>) {
    let (part, m) = (resource.part, resource.part.m);
    let facts = m.structure_facts(resource.ty);
    let is_uniform = resource.class == S::Uniform;
    let is_uniform_block = is_uniform && facts.is_block;
    let (is_fine, wanted, vuid) = match source {
        MappingSource::PUSH_DATA
        | MappingSource::SHADER_RECORD_DATA
        | MappingSource::RESOURCE_HEAP_DATA => (is_uniform_block, "one uniform block", 0),
        MappingSource::PUSH_ADDRESS | MappingSource::SHADER_RECORD_ADDRESS => {
            let is_storage = match resource.class {
                S::Uniform => facts.is_buffer_block,
                S::StorageBuffer => facts.is_block,
                _ => m.ty(resource.ty) == Type::Other(Op::TypeAccelerationStructureKHR),
            };
            let wanted = "one uniform block, storage buffer or acceleration structure";
            (is_uniform_block || is_storage, wanted, 1)
        }
        _ => return,
    };
    if is_fine && !resource.is_array {
        return;
    }
    let but = match resource.is_array {
        true => ", but is an array",
        false => "",
    };
    let message = format!(
        "{}, which the {} uses, is mapped to `{source}`, so it must be {wanted}{but}",
        m.name(resource.variable),
        part.kind()
    );
    let rule = &pipeline::MAPPED_KIND;
    let finding = Finding::new(rule, m.def_offset(resource.variable), message);
    problems.add(part, finding.vuid(rule.vuids[vuid]), Vec::new());
}

/// Checks that devices have room for a block in push data and in the records of shaders.
fn check_size(
    resource: &Resource<'_, '_, '_>,
    (binding, source): (&Binding, MappingSource),
    problems: &mut Problems<'_>,
) {
    let (part, m) = (resource.part, resource.part.m);
    if resource.class != S::Uniform {
        return;
    }
    let Some((_, size)) = range_of(part, resource.ty) else {
        return;
    };
    let offset = u64::from(binding.mapping_offset);
    // The specification adds the offset to what push data may have, but to what a record takes.
    let (name, taken, more, vuid) = match source {
        MappingSource::PUSH_DATA => ("maxPushDataSize", size, offset, 0),
        MappingSource::SHADER_RECORD_DATA => {
            ("maxShaderGroupStride", size.saturating_add(offset), 0, 1)
        }
        _ => return,
    };
    let most = |device: &Device| device.limit(Limit::named(name)?)?.number(0);
    let mut devices = problems.options.devices.iter();
    let lacking = devices.find_map(|device| {
        let most = most(device)?;
        (taken as f64 > most + more as f64).then_some((device, most))
    });
    let Some((device, most)) = lacking else {
        return;
    };
    let message = format!(
        "{}, which the {} uses, ends {size} bytes behind offset {offset} of `{source}`, but `{name}` of `{}` is {most}",
        m.name(resource.variable),
        part.kind(),
        device.name()
    );
    let rule = &pipeline::MAPPED_SIZE;
    let finding = Finding::new(rule, m.def_offset(resource.variable), message);
    problems.add(part, finding.vuid(rule.vuids[vuid]), Vec::new());
}

/// How many arrays of resources a variable is, one within the other.
fn arrays_of(part: &Part<'_, '_>, variable: Id) -> u32 {
    let m = part.m;
    let pointee = m.type_of(variable).and_then(|ty| m.pointee(ty));
    let mut ty = pointee.unwrap_or(Id(0));
    let mut arrays = 0;
    while let Type::Array { element, .. } | Type::RuntimeArray { element } = m.ty(ty) {
        ty = element;
        arrays += 1;
        if arrays == 64 {
            break;
        }
    }
    arrays
}

struct Walk<'p, 'm, 'a> {
    part: &'p Part<'m, 'a>,
    functions: HashSet<u32>,
    seen: HashSet<(Id, Source)>,
    /// Functions that return such a pointer.
    returned: HashSet<(u32, Source)>,
    /// Variable pointers, with what they may be as far as it was found first.
    variable: HashMap<Id, Pointer>,
    todo: Vec<Pointer>,
}

impl Walk<'_, '_, '_> {
    fn follow(&mut self, pointer: Pointer, problems: &mut Problems<'_>) {
        let m = self.part.m;
        if !self.seen.insert((pointer.id, pointer.source)) {
            return;
        }
        for inst in m.uses(pointer.id).iter().filter_map(|&at| m.inst(at)) {
            if !self.is_reached(inst) {
                continue;
            }
            match inst.op() {
                Op::AccessChain | Op::InBoundsAccessChain => {
                    self.choose(pointer, inst, 1, problems);
                }
                Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                    self.choose(pointer, inst, 2, problems);
                }
                Op::CopyObject | Op::BufferPointerEXT => {
                    self.pass(pointer, inst.result(), pointer.arrays);
                }
                Op::Load => {
                    let is_pointer = inst.result_type().is_some_and(|ty| m.is_pointer(ty));
                    let loaded = inst.result().filter(|_| is_pointer);
                    self.vary(pointer, inst, loaded, problems);
                }
                Op::Store if inst.id(1) == pointer.id => {
                    self.pass(pointer, Some(inst.id(0)), pointer.arrays);
                }
                Op::Select | Op::Phi | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                    self.vary(pointer, inst, inst.result(), problems);
                }
                Op::ArrayLength | Op::UntypedArrayLengthKHR => {
                    self.measure(pointer, inst, problems);
                }
                Op::FunctionCall => self.call(pointer, inst),
                Op::ReturnValue => {
                    let Some(function) = m.function_at(inst.offset()) else {
                        continue;
                    };
                    // However many returns it has.
                    if !self.returned.insert((function, pointer.source)) {
                        continue;
                    }
                    let calls = m.uses(m.functions[function as usize].id).iter();
                    for call in calls.filter_map(|&at| m.inst(at)) {
                        if call.op() == Op::FunctionCall && self.is_reached(call) {
                            self.vary(pointer, call, call.result(), problems);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether the stage reaches the function of an instruction.
    fn is_reached(&self, inst: Inst<'_>) -> bool {
        let function = self.part.m.function_at(inst.offset());
        function.is_some_and(|function| self.functions.contains(&function))
    }

    /// Goes on with what a pointer becomes.
    fn pass(&mut self, pointer: Pointer, id: Option<Id>, arrays: u32) {
        self.todo.extend(id.map(|id| Pointer {
            id,
            arrays,
            ..pointer
        }));
    }

    /// A call, whose parameters are followed where the pointer is an argument.
    fn call(&mut self, pointer: Pointer, inst: Inst<'_>) {
        let m = self.part.m;
        let callee = m.function_index(inst.id(0));
        let Some(callee) = callee.and_then(|it| m.functions.get(it as usize)) else {
            return;
        };
        let body = m.instructions(callee.range.clone()).skip(1);
        let parameters = body.take_while(|it| it.op() == Op::FunctionParameter);
        for (parameter, &argument) in parameters.zip(inst.args().iter().skip(1)) {
            if Id(argument) == pointer.id {
                self.pass(pointer, parameter.result(), pointer.arrays);
            }
        }
    }

    /// An instruction that asks how long an array is, which an address alone doesn't say.
    fn measure(&self, pointer: Pointer, inst: Inst<'_>, problems: &mut Problems<'_>) {
        let Some(source) = pointer.source.filter(|source| source.is_address()) else {
            return;
        };
        let message = format!(
            "{} asks for a length in {}, which is mapped to `{source}`, an address without a size",
            inst.op(),
            self.part.m.name(pointer.variable)
        );
        let finding = Finding::new(&pipeline::MAPPED_LENGTH, inst.offset(), message);
        problems.add(self.part, finding, Vec::new());
    }

    /// An access chain, whose indices are behind so many operands.
    fn choose(
        &mut self,
        pointer: Pointer,
        inst: Inst<'_>,
        before: usize,
        problems: &mut Problems<'_>,
    ) {
        let m = self.part.m;
        let indices = inst.args().iter().skip(before).map(|&word| Id(word));
        let chosen = indices.take(pointer.arrays as usize);
        let count = chosen.clone().count() as u32;
        let mut unknown = chosen.filter(|&index| !m.is_constant(index));
        if let Some(source) = pointer.source.filter(|source| source.is_single())
            && let Some(index) = unknown.next()
        {
            let message = format!(
                "{} is no constant and chooses from {}, which is mapped to `{source}`",
                m.name(index),
                m.name(pointer.variable),
            );
            let rule = &pipeline::MAPPED_INDEX;
            problems.add(
                self.part,
                Finding::new(rule, inst.offset(), message),
                Vec::new(),
            );
        }
        self.pass(pointer, inst.result(), pointer.arrays - count);
    }

    /// An instruction that makes a variable pointer.
    fn vary(
        &mut self,
        pointer: Pointer,
        inst: Inst<'_>,
        made: Option<Id>,
        problems: &mut Problems<'_>,
    ) {
        let (part, m) = (self.part, self.part.m);
        let Some(id) = made else { return };
        let name = m.name(pointer.variable);
        if let Some(source) = pointer.source.filter(|source| source.is_single()) {
            let message = format!(
                "{} makes a variable pointer to {name}, which is mapped to `{source}`",
                inst.op()
            );
            let rule = &pipeline::MAPPED_POINTER;
            problems.add(part, Finding::new(rule, inst.offset(), message), Vec::new());
        }
        let own = Pointer { id, ..pointer };
        let first = *self.variable.entry(id).or_insert(own);
        self.todo.push(own);
        if first.source == pointer.source {
            return;
        }
        let mapped = |source: Source| match source {
            Some(source) => format!("is mapped to `{source}`"),
            None => "has no set and no binding".to_owned(),
        };
        let message = format!(
            "{} makes a pointer to {name}, which {}, or to {}, which {}",
            inst.op(),
            mapped(pointer.source),
            m.name(first.variable),
            mapped(first.source)
        );
        let finding = Finding::new(&pipeline::MAPPINGS_MIXED, inst.offset(), message);
        let note = note_about(part, first.variable, "the other is declared here");
        problems.add(part, finding, vec![note]);
    }
}
