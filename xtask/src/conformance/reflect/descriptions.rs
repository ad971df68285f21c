//! A module beside its description in YAML, value by value.

use std::collections::BTreeSet;

use serde_json::Value;
use spirvkit::binary::Id;
use spirvkit::grammar::{BuiltIn, StorageClass};
use spirvkit::reflect::{
    Descriptor, DescriptorKind, Extent, ImageUsage, InterfaceVariable, Member, Order, Reflection,
    TypeKind,
};

use super::Comparison;

/// What the descriptions have for "none".
const NONE: u64 = 0xffff_ffff;

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_i64().map_or(NONE, |number| number as u32 as u64)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Compares a module with its description.
pub(super) fn compare(description: &Value, ours: &Reflection, comparison: &mut Comparison) {
    let theirs = &description["module"];
    let entry = ours.entry_points.first();
    let function = number(&theirs["entry_point_id"]);
    let entry_model = number(&theirs["spirv_execution_model"]);
    let our_entry = entry.map(|entry| {
        let (name, function) = (&entry.name, entry.function.0);
        format!("{name} {function} {}", entry.model.0)
    });
    let their_entry = format!(
        "{} {function} {entry_model}",
        text(&theirs["entry_point_name"])
    );
    comparison.check(
        "entry point",
        "",
        their_entry,
        our_entry.unwrap_or_default(),
    );
    let stage = entry.and_then(|entry| entry.stage).map_or(0, stage_bit);
    comparison.check("stage", "", number(&theirs["shader_stage"]), stage);
    let generator = ours.generator.tool;
    comparison.check("generator", "", number(&theirs["generator"]), generator);
    let source = |language: u64, version: u64| format!("{language} {version}");
    let their_source = source(
        number(&theirs["source_language"]),
        number(&theirs["source_language_version"]),
    );
    let our_source = ours.source.as_ref().map_or((0, 0), |source| {
        (source.language.0.into(), source.version.into())
    });
    let our_source = source(our_source.0, our_source.1);
    comparison.check("source", "", their_source, our_source);
    heaps(
        list(&description["entry_point_heap_accesses"]),
        ours,
        comparison,
    );
    descriptors(list(&theirs["descriptor_bindings"]), ours, comparison);
    interface(
        "input",
        list(&theirs["input_variables"]),
        ours,
        &ours.inputs,
        comparison,
    );
    interface(
        "output",
        list(&theirs["output_variables"]),
        ours,
        &ours.outputs,
        comparison,
    );
    push_constants(list(&theirs["push_constants"]), ours, comparison);
    let their_constants = list(&theirs["specialization_constants"]).iter();
    let theirs: Vec<_> = their_constants
        .map(|constant| {
            (
                number(&constant["spirv_id"]),
                number(&constant["constant_id"]),
                text(&constant["name"]),
            )
        })
        .collect();
    let our_constants = ours.spec_constants.iter();
    let ours: Vec<_> = our_constants
        .filter_map(|constant| {
            let name = constant.name.as_deref().unwrap_or_default();
            Some((constant.id.0.into(), constant.spec_id?.into(), name))
        })
        .collect::<Vec<(u64, u64, &str)>>();
    comparison.check(
        "specialization constants",
        "",
        format!("{theirs:?}"),
        format!("{ours:?}"),
    );
}

/// The stages as the descriptions number them, which is as Vulkan does.
fn stage_bit(stage: &str) -> u64 {
    let stages = [
        "vertex",
        "tessellation_control",
        "tessellation_evaluation",
        "geometry",
        "fragment",
        "compute",
        "task",
        "mesh",
        "ray_generation",
        "any_hit",
        "closest_hit",
        "miss",
        "intersection",
        "callable",
    ];
    let place = stages.iter().position(|name| *name == stage);
    place.map_or(0, |place| 1 << place)
}

/// Compares the names of all entry points, and how descriptor heaps are indexed.
fn heaps(theirs: &[Value], ours: &Reflection, c: &mut Comparison) {
    let their_names: Vec<_> = theirs.iter().map(|entry| text(&entry["entry"])).collect();
    let our_names: Vec<_> = ours.entry_points.iter().map(|it| &*it.name).collect();
    c.check(
        "entry points",
        "",
        their_names.join(" "),
        our_names.join(" "),
    );
    // Ours doesn't tell which entry point indexes them.
    let [entry] = theirs else {
        return;
    };
    let kinds = [
        ("resource_heap_accesses", BuiltIn::ResourceHeapEXT),
        ("sampler_heap_accesses", BuiltIn::SamplerHeapEXT),
    ];
    for (field, built_in) in kinds {
        let their_accesses: BTreeSet<String> = list(&entry[field])
            .iter()
            .map(|access| {
                let kind = &access["descriptor_type"];
                let kind = if kind.is_null() { 0 } else { number(kind) };
                format!("%{} {kind}", number(&access["runtime_array_type_id"]))
            })
            .collect();
        let our_accesses = ours.heap_accesses.iter();
        let our_accesses: BTreeSet<String> = our_accesses
            .filter(|access| access.built_in == built_in)
            .map(|access| {
                let kind = access.kind.map_or(NONE, kind_number);
                format!("%{} {kind}", access.base_type.0)
            })
            .collect();
        let show = |accesses: BTreeSet<String>| format!("{accesses:?}");
        c.check("heap", field, show(their_accesses), show(our_accesses));
    }
}

fn dims(theirs: &Value) -> Vec<u64> {
    list(&theirs["dims"]).iter().map(number).collect()
}

fn our_dims(array: &[Extent]) -> Vec<u64> {
    // A run-time array has the length 0 there.
    array
        .iter()
        .map(|length| length.known().unwrap_or(0))
        .collect()
}

fn descriptors(theirs: &[Value], ours: &Reflection, comparison: &mut Comparison) {
    let ids = |ids: Vec<u64>| {
        let mut ids = ids;
        ids.sort_unstable();
        format!("{ids:?}")
    };
    let their_ids = theirs
        .iter()
        .map(|found| number(&found["spirv_id"]))
        .collect();
    let our_ids = ours
        .descriptors
        .iter()
        .map(|found| found.id.0.into())
        .collect();
    comparison.check("descriptors", "", ids(their_ids), ids(our_ids));
    for theirs in theirs {
        let id = number(&theirs["spirv_id"]);
        let same = ours
            .descriptors
            .iter()
            .find(|found| u64::from(found.id.0) == id);
        if let Some(same) = same {
            descriptor(theirs, same, ours, comparison);
        }
    }
}

fn kind_number(kind: DescriptorKind) -> u64 {
    match kind {
        DescriptorKind::Sampler => 0,
        DescriptorKind::CombinedImageSampler => 1,
        DescriptorKind::SampledImage => 2,
        DescriptorKind::StorageImage => 3,
        DescriptorKind::UniformTexelBuffer => 4,
        DescriptorKind::StorageTexelBuffer => 5,
        DescriptorKind::UniformBuffer => 6,
        DescriptorKind::StorageBuffer => 7,
        DescriptorKind::InputAttachment => 10,
        DescriptorKind::AccelerationStructure => 1_000_150_000,
        DescriptorKind::SampleWeightImage => 1_000_440_000,
        DescriptorKind::BlockMatchImage => 1_000_440_001,
        DescriptorKind::Tensor => 1_000_460_000,
        _ => NONE,
    }
}

fn descriptor(theirs: &Value, ours: &Descriptor, module: &Reflection, c: &mut Comparison) {
    let place = format!("descriptor %{}", ours.id.0);
    let name = ours.name.clone().unwrap_or_default();
    c.check("descriptor name", &place, text(&theirs["name"]), name);
    let at: (u64, u64) = (
        ours.set.unwrap_or(0).into(),
        ours.binding.unwrap_or(0).into(),
    );
    let their_at = (number(&theirs["set"]), number(&theirs["binding"]));
    c.check(
        "descriptor set and binding",
        &place,
        format!("{their_at:?}"),
        format!("{at:?}"),
    );
    let kind = number(&theirs["descriptor_type"]);
    c.check("descriptor kind", &place, kind, kind_number(ours.kind));
    let their_dims = dims(&theirs["array"]);
    c.check(
        "descriptor array",
        &place,
        format!("{their_dims:?}"),
        format!("{:?}", our_dims(&ours.array)),
    );
    c.check(
        "descriptor used",
        &place,
        number(&theirs["accessed"]),
        u8::from(ours.access.used),
    );
    let attachment = ours.input_attachment_index.unwrap_or(0);
    c.check(
        "input attachment",
        &place,
        number(&theirs["input_attachment_index"]),
        attachment,
    );
    if let Some(user_type) = theirs["user_type"].as_str() {
        let own = ours.user_type.as_deref().unwrap_or_default();
        let user_type = user_type.to_lowercase();
        c.check(
            "descriptor user type",
            &place,
            user_type,
            own.to_lowercase(),
        );
    }
    let counter = ours.counter.map_or(NONE, |id| id.0.into());
    c.check(
        "descriptor counter",
        &place,
        number(&theirs["uav_counter_id"]),
        counter,
    );
    let flags = number(&theirs["decoration_flags"]);
    let readable = (flags & 0x80 == 0, flags & 0x200 == 0);
    let own = |name: &str| {
        let mut decorations = ours.decorations.iter();
        decorations.any(|found| found.to_string() == name)
    };
    let ours_readable = match ours.kind {
        DescriptorKind::StorageBuffer => (ours.access.writable, ours.access.readable),
        _ => (!own("NonWritable"), !own("NonReadable")),
    };
    c.check(
        match ours.array.is_empty() {
            true => "descriptor access",
            false => "descriptor access, arrays",
        },
        &place,
        format!("{readable:?}"),
        format!("{ours_readable:?}"),
    );
    let their_image = &theirs["image"];
    let fields = ["dim", "depth", "arrayed", "ms", "sampled", "image_format"];
    let their_image = fields.map(|field| number(&their_image[field]));
    let image = ours.image.as_ref().map_or([0; 6], |image| {
        let depth = match image.depth {
            Some(depth) => u64::from(depth),
            None => 2,
        };
        let sampled = match image.usage {
            ImageUsage::Sampled => 1,
            ImageUsage::Storage => 2,
            _ => 0,
        };
        let (arrayed, ms) = (image.arrayed.into(), image.multisampled.into());
        [
            image.dim.0.into(),
            depth,
            arrayed,
            ms,
            sampled,
            image.format.0.into(),
        ]
    });
    c.check(
        "descriptor image",
        &place,
        format!("{their_image:?}"),
        format!("{image:?}"),
    );
    if theirs["block"].is_object()
        && let Some(ty) = ours.ty
    {
        // Theirs gives no size of storage buffers.
        let size = number(&theirs["block"]["size"]);
        if size != 0 {
            c.check("block size", &place, size, show(ours.padded_size));
        }
        let within = match ours.kind {
            DescriptorKind::StorageBuffer => Within::StorageBuffer,
            _ => Within::Uniform,
        };
        block(&theirs["block"], ty, within, module, &place, c);
    }
}

fn show(amount: Option<Extent>) -> u64 {
    amount.and_then(Extent::known).unwrap_or(0)
}

/// In what a structure is.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Uniform,
    StorageBuffer,
    PushConstants,
    Pointee,
}

/// Compares the members of a block, or of a structure in one.
fn block(
    theirs: &Value,
    ty: Id,
    within: Within,
    module: &Reflection,
    place: &str,
    c: &mut Comparison,
) {
    let Some(TypeKind::Struct { members, .. }) = module.ty(ty).map(|ty| &ty.kind) else {
        return;
    };
    let their_members = list(&theirs["members"]);
    c.check("members", place, their_members.len(), members.len());
    for (index, (theirs, ours)) in their_members.iter().zip(members).enumerate() {
        // What is part of a cycle is marked as such.
        if theirs.is_object() {
            let place = format!("{place}.{index}");
            member(theirs, ours, within, module, &place, c);
        }
    }
}

fn member(
    theirs: &Value,
    ours: &Member,
    within: Within,
    module: &Reflection,
    place: &str,
    c: &mut Comparison,
) {
    let name = ours.name.as_deref().unwrap_or_default();
    c.check("member name", place, text(&theirs["name"]), name);
    c.check(
        "member offset",
        place,
        number(&theirs["offset"]),
        show(ours.offset),
    );
    let mut ty = ours.ty;
    let mut array = Vec::new();
    // The same, but for lengths by operations, of which it has the opcodes.
    let mut opcodes: Vec<u64> = Vec::new();
    let mut stride = 0;
    while let Some(TypeKind::Array {
        element,
        length,
        length_id,
        stride: own,
    }) = module.ty(ty).map(|ty| &ty.kind)
    {
        // Theirs is that of the innermost.
        stride = show(*own);
        array.push(*length);
        let opcode = length_id.and_then(|id| c.operations.get(&id));
        opcodes.push(opcode.map_or(length.known().unwrap_or(0), |&opcode| opcode.into()));
        ty = *element;
    }
    let pointee = match module.ty(ty).map(|ty| &ty.kind) {
        Some(TypeKind::Pointer { pointee, .. }) => *pointee,
        _ => None,
    };
    let their_dims = format!("{:?}", dims(&theirs["array"]));
    let our_array = format!("{:?}", our_dims(&array));
    if pointee.is_some() && !array.is_empty() {
        c.check("arrays of pointers", place, their_dims, our_array);
        return;
    }
    // Theirs has one element of a run-time array, and doesn't say that it is one.
    let is_runtime = array.contains(&Extent::Runtime);
    if !is_runtime {
        let (size, padded) = match within {
            _ if ours.offset.is_none() => ("members without Offset", "members without Offset"),
            Within::Uniform => ("member size", "member padded size"),
            Within::PushConstants => ("member size", "member padded size, push constants"),
            Within::StorageBuffer => ("member size", "member padded size, storage buffers"),
            Within::Pointee => (
                "member size, behind pointers",
                "member padded size, behind pointers",
            ),
        };
        c.check(size, place, number(&theirs["size"]), show(ours.size));
        let their_padded = number(&theirs["padded_size"]);
        c.check(padded, place, their_padded, show(ours.padded_size));
        let kind = match their_dims == format!("{opcodes:?}") && their_dims != our_array {
            true => "array length, by operations",
            false => "member array",
        };
        c.check(kind, place, their_dims, our_array);
        let their_stride = number(&theirs["array"]["stride"]);
        c.check("member array stride", place, their_stride, stride);
    }
    let matrix_stride = ours.matrix_stride.unwrap_or(0);
    let our_type = our_numeric(pointee.unwrap_or(ty), matrix_stride, module);
    c.check("member type", place, numeric(&theirs["numeric"]), our_type);
    let flags = number(&theirs["decorations"]);
    let order = (flags & 4 != 0, flags & 8 != 0);
    let ours_order = (
        ours.matrix_order == Some(Order::RowMajor),
        ours.matrix_order == Some(Order::ColumnMajor),
    );
    c.check(
        "member matrix order",
        place,
        format!("{order:?}"),
        format!("{ours_order:?}"),
    );
    match module.ty(ty).map(|ty| &ty.kind) {
        Some(TypeKind::Pointer {
            pointee: Some(pointee),
            ..
        }) if theirs["members"].is_array() => {
            block(theirs, *pointee, Within::Pointee, module, place, c);
        }
        Some(TypeKind::Struct { .. }) => block(theirs, ty, within, module, place, c),
        _ => {}
    }
}

fn numeric(theirs: &Value) -> String {
    let of = |part: &str, field: &str| number(&theirs[part][field]);
    format!(
        "{}{} x{} {}x{} stride {}",
        of("scalar", "signedness"),
        of("scalar", "width"),
        of("vector", "component_count"),
        of("matrix", "column_count"),
        of("matrix", "row_count"),
        of("matrix", "stride")
    )
}

fn our_numeric(ty: Id, stride: u64, module: &Reflection) -> String {
    let kind = |ty: Id| module.ty(ty).map(|ty| &ty.kind);
    let (mut ty, mut columns, mut rows) = (ty, 0, 0);
    if let Some(TypeKind::Matrix {
        column,
        columns: count,
    }) = kind(ty)
    {
        columns = *count;
        ty = *column;
    }
    let mut count = 0;
    if let Some(TypeKind::Vector {
        component,
        count: found,
    }) = kind(ty)
    {
        count = show(Some(*found));
        ty = *component;
    }
    if columns > 0 {
        rows = count;
    }
    let (signed, width) = match kind(ty) {
        Some(TypeKind::Int { width, signed }) => (u8::from(*signed), *width),
        Some(TypeKind::Float { width, .. }) => (0, *width),
        _ => (0, 0),
    };
    format!("{signed}{width} x{count} {columns}x{rows} stride {stride}")
}

fn push_constants(theirs: &[Value], ours: &Reflection, c: &mut Comparison) {
    c.check(
        "push constants",
        "",
        theirs.len(),
        ours.push_constants.len(),
    );
    for (theirs, ours_block) in theirs.iter().zip(&ours.push_constants) {
        let place = format!("push constants %{}", ours_block.id.0);
        let name = ours_block.name.clone().unwrap_or_default();
        c.check("push constants name", &place, text(&theirs["name"]), name);
        let offset = show(ours_block.offset);
        c.check(
            "push constants offset",
            &place,
            number(&theirs["offset"]),
            offset,
        );
        let size = number(&theirs["size"]);
        if let Some(ours) = ours_block.size {
            // 0 where theirs couldn't tell.
            let ours = if size == 0 { 0 } else { show(Some(ours)) };
            c.check("push constants size", &place, size, ours);
        }
        if let Some(ty) = ours_block.ty {
            block(theirs, ty, Within::PushConstants, ours, &place, c);
        }
    }
}

fn interface(
    which: &str,
    theirs: &[Value],
    module: &Reflection,
    ours: &[InterfaceVariable],
    c: &mut Comparison,
) {
    let listed = module.entry_points.first().map(|entry| &entry.interface);
    let listed: Vec<_> = ours
        .iter()
        .filter(|found| listed.is_some_and(|ids| ids.contains(&found.id)))
        .collect();
    let mut their_ids: Vec<_> = theirs
        .iter()
        .map(|found| number(&found["spirv_id"]))
        .collect();
    their_ids.sort_unstable();
    let mut our_ids: Vec<u64> = listed.iter().map(|found| found.id.0.into()).collect();
    our_ids.sort_unstable();
    c.check(
        "interface",
        which,
        format!("{their_ids:?}"),
        format!("{our_ids:?}"),
    );
    for theirs in theirs {
        let id = number(&theirs["spirv_id"]);
        if let Some(ours) = listed.iter().find(|found| u64::from(found.id.0) == id) {
            let class = number(&theirs["storage_class"]);
            let storage_class = match which {
                "input" => StorageClass::Input,
                _ => StorageClass::Output,
            };
            c.check("interface storage class", which, class, storage_class.0);
            interface_variable(theirs, ours, module, c);
        }
    }
}

fn interface_variable(
    theirs: &Value,
    ours: &InterfaceVariable,
    module: &Reflection,
    c: &mut Comparison,
) {
    let place = format!("interface %{}", ours.id.0);
    let name = ours.name.clone().unwrap_or_default();
    c.check("interface name", &place, text(&theirs["name"]), name);
    let location = ours.location.map_or(NONE, u64::from);
    c.check(
        "interface location",
        &place,
        number(&theirs["location"]),
        location,
    );
    let semantic = ours.semantic.clone().unwrap_or_default();
    c.check(
        "interface semantic",
        &place,
        text(&theirs["semantic"]),
        semantic,
    );
    let members = list(&theirs["members"]);
    if members.is_empty() {
        let built_in = ours.built_in.map_or(NONE, |built_in| built_in.0.into());
        c.check(
            "interface built-in",
            &place,
            number(&theirs["built_in"]),
            built_in,
        );
    }
    let their_dims = dims(&theirs["array"]);
    c.check(
        "interface array",
        &place,
        format!("{their_dims:?}"),
        format!("{:?}", our_dims(&ours.array)),
    );
    if let Some(ty) = ours.ty {
        let ours_numeric = our_numeric(ty, 0, module);
        c.check(
            "interface type",
            &place,
            numeric(&theirs["numeric"]),
            ours_numeric,
        );
    }
    let format = ours.format.as_deref().unwrap_or("UNDEFINED").to_owned();
    c.check(
        "interface format",
        &place,
        format_name(number(&theirs["format"])),
        format,
    );
    let flags = number(&theirs["decoration_flags"]);
    let names = [
        (0x20, "NoPerspective"),
        (0x40, "Flat"),
        (0x400, "Patch"),
        (0x100, "RelaxedPrecision"),
    ];
    let their_flags: Vec<_> = names
        .iter()
        .filter(|(bit, _)| flags & bit != 0)
        .map(|(_, name)| *name)
        .collect();
    let own = |name: &str| {
        ours.decorations
            .iter()
            .any(|found| found.to_string() == name)
    };
    let our_flags: Vec<_> = names
        .iter()
        .filter(|(_, name)| own(name))
        .map(|(_, name)| *name)
        .collect();
    c.check(
        "interpolation",
        &place,
        format!("{their_flags:?}"),
        format!("{our_flags:?}"),
    );
    let Some(TypeKind::Struct {
        members: ours_members,
        ..
    }) = ours.ty.and_then(|ty| module.ty(ty)).map(|ty| &ty.kind)
    else {
        return;
    };
    c.check(
        "interface members",
        &place,
        members.len(),
        ours_members.len(),
    );
    for (index, (theirs, member)) in members.iter().zip(ours_members).enumerate() {
        let place = format!("{place}.{index}");
        let own = member.location.map(u64::from);
        let behind = || Some(u64::from(ours.location?) + member.location_offset?);
        let location = own.or_else(behind).unwrap_or(0);
        c.check(
            "interface member location",
            &place,
            number(&theirs["location"]),
            location,
        );
        let built_in = member.built_in.map_or(0u64, |built_in| built_in.0.into());
        let kind = match ours.array.is_empty() {
            true => "interface member built-in",
            false => "interface member built-in, arrays of blocks",
        };
        c.check(kind, &place, number(&theirs["built_in"]), built_in);
    }
}

/// The formats of Vulkan that scalars and vectors can have.
fn format_name(format: u64) -> String {
    let of = |bits: u32, first: u64, kinds: &[&str]| {
        let step = kinds.len() as u64;
        let place = format.checked_sub(first)?;
        let (count, kind) = (place / step, kinds[(place % step) as usize]);
        let parts: String = ["R", "G", "B", "A"]
            .get(..=count as usize)?
            .iter()
            .map(|name| format!("{name}{bits}"))
            .collect();
        Some(format!("{parts}_{kind}"))
    };
    let found = match format {
        98..=109 => of(32, 98, &["UINT", "SINT", "SFLOAT"]),
        110..=121 => of(64, 110, &["UINT", "SINT", "SFLOAT"]),
        70..=97 => of(
            16,
            70,
            &[
                "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT",
            ],
        ),
        0 => Some("UNDEFINED".to_owned()),
        _ => None,
    };
    found.unwrap_or_else(|| format.to_string())
}
