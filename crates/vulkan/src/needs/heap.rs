//! Where descriptors lie in heaps (`VK_EXT_descriptor_heap`), as far as that is constant.

use hashbrown::HashMap;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout::Types;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Capability, Decoration, Op};

use super::{Need, Wanted, limit};

/// The alignment of a sort of descriptors, and the rules: for members of structures, and for
/// what is read at a place in a heap.
struct Alignment {
    has: fn(Op) -> bool,
    limit: &'static str,
    of_members: &'static str,
    of_places: &'static str,
}

const ALIGNMENTS: [Alignment; 5] = [
    Alignment {
        has: |op| op == Op::TypeSampler,
        limit: "samplerDescriptorAlignment",
        of_members: "VUID-RuntimeSpirv-samplerDescriptorAlignment-11476",
        of_places: "VUID-RuntimeSpirv-samplerDescriptorAlignment-11348",
    },
    Alignment {
        has: |op| op == Op::TypeImage,
        limit: "imageDescriptorAlignment",
        of_members: "VUID-RuntimeSpirv-imageDescriptorAlignment-11477",
        of_places: "VUID-RuntimeSpirv-imageDescriptorAlignment-11349",
    },
    Alignment {
        has: |op| op == Op::TypeBufferEXT,
        limit: "bufferDescriptorAlignment",
        of_members: "VUID-RuntimeSpirv-bufferDescriptorAlignment-11478",
        of_places: "VUID-RuntimeSpirv-bufferDescriptorAlignment-11384",
    },
    Alignment {
        has: |op| op == Op::TypeAccelerationStructureKHR,
        limit: "bufferDescriptorAlignment",
        of_members: "VUID-RuntimeSpirv-bufferDescriptorAlignment-11479",
        of_places: "VUID-RuntimeSpirv-Result-11350",
    },
    Alignment {
        has: |op| op == Op::TypeTensorARM,
        limit: "tensorDescriptorAlignment",
        of_members: "VUID-RuntimeSpirv-tensorDescriptorAlignment-11480",
        of_places: "VUID-RuntimeSpirv-tensorDescriptorAlignment-11481",
    },
];

const TEXELS: &str = "VUID-RuntimeSpirv-imageDescriptorAlignment-11383";

/// The offsets of members of structures.
type Offsets = HashMap<(Id, usize), u64>;

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    if !m.has(Capability::DescriptorHeapEXT) {
        return;
    }
    let types = Types::of(m);
    let mut offsets = Offsets::new();
    let literal = m.all_decorated_with(Decoration::Offset);
    let by_id = m.all_decorated_with(Decoration::OffsetIdEXT);
    for (structure, decorated) in literal.chain(by_id) {
        let member = decorated.member.map(|it| it as usize);
        let Some(&ty) = member.and_then(|member| m.members(structure).get(member)) else {
            continue;
        };
        let is_id = decorated.decoration == Decoration::OffsetIdEXT;
        let Some(offset) = number(&types, is_id, decorated.param(0)) else {
            continue;
        };
        offsets.insert((structure, member.unwrap_or_default()), offset);
        if let Some(own) = alignment(m.op_of(Id(ty))) {
            add_multiple(own, own.of_members, decorated.inst, offset, all);
        }
    }
    for inst in m.all_instructions() {
        let (own, pointer, vuid) = match inst.op() {
            Op::Load => {
                let Some(ty) = inst.result_type() else {
                    continue;
                };
                let own = alignment(m.op_of(ty));
                (own, inst.id(0), own.map(|it| it.of_places))
            }
            Op::BufferPointerEXT => {
                let own = alignment(Op::TypeBufferEXT);
                (own, inst.id(0), own.map(|it| it.of_places))
            }
            Op::ImageTexelPointer => (alignment(Op::TypeImage), inst.id(0), Some(TEXELS)),
            // The type of the image stands before it.
            Op::UntypedImageTexelPointerEXT => (alignment(Op::TypeImage), inst.id(1), Some(TEXELS)),
            _ => continue,
        };
        if let (Some(own), Some(vuid)) = (own, vuid)
            && let Some(offset) = place(m, &types, &offsets, pointer)
        {
            add_multiple(own, vuid, inst, offset, all);
        }
    }
}

fn alignment(op: Op) -> Option<&'static Alignment> {
    ALIGNMENTS.iter().find(|it| (it.has)(op))
}

fn add_multiple(
    own: &Alignment,
    vuid: &'static str,
    inst: Inst<'_>,
    value: u64,
    all: &mut Vec<Need>,
) {
    all.extend(limit(own.limit).filter(|_| value > 0).map(|limit| Need {
        offset: inst.offset(),
        vuid,
        what: format!("a descriptor at byte {value}"),
        wanted: Wanted::Multiple { limit, value },
    }));
}

/// The number of a decoration, which may be a constant's.
fn number(types: &Types<'_>, is_id: bool, param: u32) -> Option<u64> {
    match is_id {
        true => types.constant(Id(param))?.known(),
        false => Some(param.into()),
    }
}

/// So many accesses, one into what the other gives, are followed.
const MAX_CHAINS: usize = 8;

/// How far behind the base of a heap a pointer points, if that is constant.
fn place(
    m: &ModuleIndex<'_>,
    types: &Types<'_>,
    offsets: &Offsets,
    mut pointer: Id,
) -> Option<u64> {
    let mut offset = 0u64;
    for _ in 0..MAX_CHAINS {
        let inst = m.def(pointer)?;
        match inst.op() {
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                let indexes = inst.args().get(2..)?;
                offset = offset.checked_add(within(m, types, offsets, inst.id(0), indexes)?)?;
                pointer = inst.id(1);
            }
            Op::UntypedVariableKHR => {
                let heaps = [BuiltIn::SamplerHeapEXT, BuiltIn::ResourceHeapEXT];
                let built_in = m.decoration(pointer, Decoration::BuiltIn)?.param(0);
                return heaps.contains(&BuiltIn(built_in)).then_some(offset);
            }
            _ => return None,
        }
    }
    None
}

/// The offset of what constant indexes lead to in a type.
fn within(
    m: &ModuleIndex<'_>,
    types: &Types<'_>,
    offsets: &Offsets,
    mut ty: Id,
    indexes: &[u32],
) -> Option<u64> {
    let mut offset = 0u64;
    for &index in indexes {
        let index = types.constant(Id(index))?.known()?;
        let step;
        (step, ty) = match m.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let literal = m.decoration(ty, Decoration::ArrayStride);
                let by_id = m.decoration(ty, Decoration::ArrayStrideIdEXT);
                let is_id = literal.is_none();
                let stride = number(types, is_id, literal.or(by_id)?.param(0))?;
                (stride.checked_mul(index)?, element)
            }
            Type::Struct { members } => {
                let member = usize::try_from(index).ok()?;
                let own = *offsets.get(&(ty, member))?;
                (own, Id(*members.get(member)?))
            }
            _ => return None,
        };
        offset = offset.checked_add(step)?;
    }
    Some(offset)
}
