//! Small numbers in memory, and sizes of blocks.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout::Types;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use super::laid::Laid;
use super::used::used;
use super::{CallTrees, Need, Sorted, Wanted, declarations, features, reach};
use crate::tables::Enable;

/// The features for numbers of 8 and of 16 bits in a storage class, with their rules.
struct Small {
    class: StorageClass,
    /// Whether they are for blocks alone.
    in_blocks: bool,
    bits_8: Option<(&'static str, &'static str)>,
    bits_16: (&'static str, &'static str),
}

const BUFFERS: ((&str, &str), (&str, &str)) = (
    (
        "storageBuffer8BitAccess",
        "VUID-RuntimeSpirv-storageBuffer8BitAccess-06328",
    ),
    (
        "storageBuffer16BitAccess",
        "VUID-RuntimeSpirv-storageBuffer16BitAccess-11161",
    ),
);

const INTERFACES: (&str, &str) = (
    "storageInputOutput16",
    "VUID-RuntimeSpirv-storageInputOutput16-11162",
);

const SMALL: &[Small] = &[
    Small {
        class: StorageClass::StorageBuffer,
        in_blocks: false,
        bits_8: Some(BUFFERS.0),
        bits_16: BUFFERS.1,
    },
    Small {
        class: StorageClass::ShaderRecordBufferKHR,
        in_blocks: false,
        bits_8: Some(BUFFERS.0),
        bits_16: BUFFERS.1,
    },
    Small {
        class: StorageClass::PhysicalStorageBuffer,
        in_blocks: false,
        bits_8: Some(BUFFERS.0),
        bits_16: BUFFERS.1,
    },
    Small {
        class: StorageClass::Uniform,
        in_blocks: true,
        bits_8: Some((
            "uniformAndStorageBuffer8BitAccess",
            "VUID-RuntimeSpirv-uniformAndStorageBuffer8BitAccess-06329",
        )),
        bits_16: (
            "uniformAndStorageBuffer16BitAccess",
            "VUID-RuntimeSpirv-uniformAndStorageBuffer16BitAccess-06332",
        ),
    },
    Small {
        class: StorageClass::PushConstant,
        in_blocks: false,
        bits_8: Some((
            "storagePushConstant8",
            "VUID-RuntimeSpirv-storagePushConstant8-06330",
        )),
        bits_16: (
            "storagePushConstant16",
            "VUID-RuntimeSpirv-storagePushConstant16-06333",
        ),
    },
    Small {
        class: StorageClass::Workgroup,
        in_blocks: true,
        bits_8: Some((
            "workgroupMemoryExplicitLayout8BitAccess",
            "VUID-RuntimeSpirv-workgroupMemoryExplicitLayout8BitAccess-10756",
        )),
        bits_16: (
            "workgroupMemoryExplicitLayout16BitAccess",
            "VUID-RuntimeSpirv-workgroupMemoryExplicitLayout16BitAccess-10757",
        ),
    },
    Small {
        class: StorageClass::Input,
        in_blocks: false,
        bits_8: None,
        bits_16: INTERFACES,
    },
    Small {
        class: StorageClass::Output,
        in_blocks: false,
        bits_8: None,
        bits_16: INTERFACES,
    },
];

/// Which small numbers a type holds.
#[derive(Clone, Copy, Default, PartialEq)]
struct Holds {
    bits_8: bool,
    bits_16: bool,
}

impl Holds {
    fn and(self, other: Self) -> Self {
        Self {
            bits_8: self.bits_8 || other.bits_8,
            bits_16: self.bits_16 || other.bits_16,
        }
    }
}

/// What types hold that are declared before what uses them, which all but addresses are.
fn small_types(m: &ModuleIndex<'_>) -> HashMap<Id, Holds> {
    let mut all: HashMap<Id, Holds> = HashMap::new();
    for inst in declarations(m) {
        let Some(id) = inst.result() else { continue };
        let of = |id: Id| all.get(&id).copied().unwrap_or_default();
        let holds = match m.ty(id) {
            Type::Int { width: 8, .. } => Holds {
                bits_8: true,
                bits_16: false,
            },
            Type::Int { width: 16, .. } | Type::Float { width: 16, .. } => Holds {
                bits_8: false,
                bits_16: true,
            },
            Type::Vector { component, .. } | Type::LongVector { component, .. } => of(component),
            Type::Matrix { column, .. } => of(column),
            Type::Array { element, .. } | Type::RuntimeArray { element } => of(element),
            Type::Struct { members } => members
                .iter()
                .map(|&member| of(Id(member)))
                .fold(Holds::default(), Holds::and),
            _ => continue,
        };
        if holds != Holds::default() {
            all.insert(id, holds);
        }
    }
    all
}

/// Adds what small numbers need, each rule once.
pub(super) fn add_small(m: &ModuleIndex<'_>, sorted: &Sorted<'_>, all: &mut Vec<Need>) {
    let types = small_types(m);
    if types.is_empty() {
        return;
    }
    let mut found: BTreeMap<&str, Need> = BTreeMap::new();
    // Memory without a type of its own may be accessed in larger pieces.
    let is_untyped = m.has(Capability::UntypedPointersKHR);
    // Of other pointers, their variables say what is in memory.
    let accesses = is_untyped || m.has(Capability::PhysicalStorageBufferAddresses);
    let accesses = accesses.then_some(&sorted.accesses);
    let objects = sorted.special.iter().chain(accesses.into_iter().flatten());
    for &inst in objects {
        let Some((class, ty, is_access)) = object(m, inst) else {
            continue;
        };
        let Some(&holds) = types.get(&ty) else {
            continue;
        };
        for row in SMALL.iter().filter(|it| it.class == class) {
            if row.in_blocks && !is_access && !is_in_block(m, ty) {
                continue;
            }
            let mut add = |(name, vuid): (&'static str, &'static str), others: &[&str], bits| {
                let mut names = vec![name];
                names.extend(others);
                if is_untyped && !is_access {
                    names.push("shaderUntypedPointers");
                }
                found.entry(vuid).or_insert_with(|| Need {
                    offset: inst.offset(),
                    vuid,
                    what: format!("numbers of {bits} bits in `{class}`"),
                    wanted: features(&names),
                });
            };
            if let (true, Some(bits_8)) = (holds.bits_8, row.bits_8) {
                add(bits_8, &[], 8);
            }
            // Where there are bytes, there are pairs of them.
            let bytes = row.bits_8.filter(|_| is_untyped).map(|it| it.0);
            if holds.bits_16 {
                add(row.bits_16, bytes.as_slice(), 16);
            }
        }
    }
    all.extend(found.into_values());
}

/// The storage class and the type of what is in memory: what a variable holds, or what an instruction
/// accesses by a pointer that doesn't say.
fn object(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<(StorageClass, Id, bool)> {
    let of_pointer = |pointer: Id| {
        let ty = m.type_of(pointer)?;
        let class = m.pointer_class(ty)?;
        let is_untyped = matches!(m.ty(ty), Type::UntypedPointer { .. });
        (is_untyped || class == StorageClass::PhysicalStorageBuffer).then_some(class)
    };
    match inst.op() {
        Op::Variable => {
            let ty = inst.result_type()?;
            Some((m.pointer_class(ty)?, m.pointee(ty)?, false))
        }
        Op::UntypedVariableKHR if inst.args().len() > 1 => {
            Some((StorageClass(inst.arg(0)), inst.id(1), false))
        }
        Op::Load => Some((of_pointer(inst.id(0))?, inst.result_type()?, true)),
        Op::Store => Some((of_pointer(inst.id(0))?, m.type_of(inst.id(1))?, true)),
        _ => None,
    }
}

/// Whether a type is a block, or an array of blocks.
fn is_in_block(m: &ModuleIndex<'_>, mut ty: Id) -> bool {
    for _ in 0..4 {
        match m.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => ty = element,
            _ => break,
        }
    }
    m.is_decorated(ty, Decoration::Block)
}

/// Adds what the sizes of push constants and of payloads of nodes need.
pub(super) fn add_sizes<'a>(
    m: &ModuleIndex<'a>,
    types: &Types<'_>,
    sorted: &Sorted<'_>,
    trees: &mut CallTrees<'_>,
    all: &mut Vec<Need>,
) {
    let limited = [StorageClass::PushConstant, StorageClass::NodePayloadAMDX];
    let globals = m.globals.iter().filter_map(|&offset| m.inst(offset));
    let variables: Vec<(Inst<'a>, StorageClass)> = globals
        .filter(|inst| inst.op() == Op::Variable)
        .map(|inst| (inst, StorageClass(inst.arg(0))))
        .filter(|(_, class)| limited.contains(class))
        .collect();
    if variables.is_empty() {
        return;
    }
    let with_type = |(inst, class): (Inst<'a>, StorageClass)| {
        let ty = m.pointee(inst.result_type()?)?;
        // Of an array of payloads, there is at least one.
        let array = m.def(ty);
        let array = array.filter(|it| it.op() == Op::TypeNodePayloadArrayAMDX);
        Some((inst, class, array.map_or(ty, |array| array.id(0))))
    };
    let variables: Vec<_> = variables.into_iter().filter_map(with_type).collect();
    let layouts = Laid::of(m, types, variables.iter().map(|it| it.2));
    let mut payloads = Vec::new();
    for (inst, class, ty) in variables {
        let size = layouts.get(m, ty).and_then(|layout| layout.size.known());
        let (Some(size), Some(id)) = (size, inst.result()) else {
            continue;
        };
        let mut add = |vuid, what, wanted| {
            all.push(Need {
                offset: inst.offset(),
                vuid,
                what,
                wanted,
            });
        };
        if class == StorageClass::NodePayloadAMDX {
            payloads.push((id, size));
            let vuid = "VUID-RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09193";
            let what = format!("a payload of {size} bytes");
            if let Some(wanted) = reach(PAYLOAD_SIZE, 0, size) {
                add(vuid, what, wanted);
            }
        } else if let Some(reached) = reach("maxPushDataSize", 0, size) {
            // The limit came with the extension, and holds of what it brings.
            let without = Wanted::OneOf(vec![Enable::Without("VK_EXT_descriptor_heap")]);
            let what = format!("a block of {size} bytes of push constants");
            let wanted = Wanted::Either(vec![without, reached]);
            add("VUID-RuntimeSpirv-maxPushDataSize-12455", what, wanted);
        }
    }
    add_payloads(m, sorted, trees, &payloads, all);
}

const PAYLOAD_SIZE: &str = "maxExecutionGraphShaderPayloadSize";

/// Adds what the payloads of each entry point need together.
fn add_payloads(
    m: &ModuleIndex<'_>,
    sorted: &Sorted<'_>,
    trees: &mut CallTrees<'_>,
    payloads: &[(Id, u64)],
    all: &mut Vec<Need>,
) {
    if payloads.is_empty() {
        return;
    }
    let ids: Vec<Id> = payloads.iter().map(|it| it.0).collect();
    let used = used(m, sorted, &ids);
    for entry in &m.entry_points {
        let Some(reached) = trees.of(entry.function) else {
            continue;
        };
        let lists = || reached.iter().map(|&index| &used[index as usize]);
        if !trees.take(lists().map(Vec::len).sum()) {
            continue;
        }
        let together: BTreeSet<u32> = lists().flatten().copied().collect();
        let sizes = together.into_iter().map(|it| payloads[it as usize].1);
        let size = sizes.fold(0, u64::saturating_add);
        all.extend(reach(PAYLOAD_SIZE, 0, size).map(|wanted| Need {
            offset: entry.inst.offset(),
            vuid: "VUID-RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09195",
            what: format!("an entry point with {size} bytes of payloads"),
            wanted,
        }));
    }
}
