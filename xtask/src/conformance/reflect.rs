//! Reflection against the descriptions, in YAML, that lie beside modules.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use spirvkit::binary::Id;
use spirvkit::ir::Module;
use spirvkit::reflect::{
    Amount, Descriptor, DescriptorKind, ImageUsage, InterfaceVariable, Member, Order, Reflection,
    TypeKind, reflect_words,
};
use spirvkit::transform::{Strip, strip};

use super::corpus::{collect, load};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of modules, searched recursively; those with a `.yaml` beside them are
    /// compared with it, all are reflected.
    folder: PathBuf,
    /// How many modules may fail, because they can't be read.
    #[arg(long, default_value_t = 0)]
    unreadable: usize,
    /// Show all disagreements of this kind, instead of a few of each.
    #[arg(long)]
    show: Option<String>,
}

/// What the descriptions have for "none".
const NONE: u64 = 0xffff_ffff;

/// What of a disagreement is known.
struct Known {
    kind: &'static str,
    reason: &'static str,
}

/// Disagreements that are meant, with the reason.
const KNOWN: &[Known] = &[
    Known {
        kind: "descriptor kind",
        reason: "images with weights have a kind of their own (SPV_QCOM_image_processing)",
    },
    Known {
        kind: "interface member built-in, arrays of blocks",
        reason: "theirs leaves the members of arrays of blocks empty (3.20, BuiltIn)",
    },
    Known {
        kind: "interface member location",
        reason: "members are counted from the location of the whole (Vulkan, Location and \
                 Component Assignment)",
    },
    Known {
        kind: "arrays of pointers",
        reason: "theirs leaves out that these are arrays (3.32.6, OpTypeArray)",
    },
    Known {
        kind: "array length, specialized",
        reason: "theirs gives another number than the value, by which it works out sizes \
                 (3.32.7, OpSpecConstantOp)",
    },
    Known {
        kind: "descriptor access, arrays",
        reason: "theirs looks at the members of single blocks, not of those in arrays (3.20, \
                 NonWritable)",
    },
    Known {
        kind: "member padded size, push constants",
        reason: "theirs counts no gap in front of a structure that is packed (3.20, Offset)",
    },
    Known {
        kind: "members without Offset",
        reason: "theirs lays out what is not decorated (2.16.2)",
    },
    Known {
        kind: "member padded size, storage buffers",
        reason: "theirs counts no gaps in storage buffers, whatever Offset says (3.20, Offset)",
    },
    Known {
        kind: "member padded size, behind pointers",
        reason: "theirs rounds to 16 bytes, or counts no gaps, depending on where the pointer \
                 is; nothing asks for it there (3.20, Offset)",
    },
    Known {
        kind: "member size, behind pointers",
        reason: "theirs rounds structures to 16 bytes (3.20, Offset)",
    },
];

/// A disagreement: its kind, where it is, what they say and what we say.
struct Disagreement {
    kind: &'static str,
    place: String,
    theirs: String,
    ours: String,
}

/// A comparison of a module with its description.
#[derive(Default)]
struct Comparison {
    compared: BTreeMap<&'static str, usize>,
    disagreements: Vec<Disagreement>,
}

impl Comparison {
    fn check(
        &mut self,
        kind: &'static str,
        place: &str,
        theirs: impl ToString,
        ours: impl ToString,
    ) {
        *self.compared.entry(kind).or_default() += 1;
        let (theirs, ours) = (theirs.to_string(), ours.to_string());
        if theirs != ours {
            self.disagreements.push(Disagreement {
                kind,
                place: place.to_owned(),
                theirs,
                ours,
            });
        }
    }
}

/// Compares every module with its description.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    let results: Vec<Result<Option<Comparison>, String>> =
        files.par_iter().map(|file| examine(file)).collect();
    let mut failed = 0usize;
    let mut all = Comparison::default();
    let mut described = 0;
    for (file, result) in files.iter().zip(results) {
        let comparison = match result {
            Ok(Some(comparison)) => comparison,
            Ok(None) => continue,
            Err(error) => {
                println!("{}: {error}", file.display());
                failed += 1;
                continue;
            }
        };
        described += 1;
        for (kind, count) in comparison.compared {
            *all.compared.entry(kind).or_default() += count;
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        all.disagreements.extend(
            comparison
                .disagreements
                .into_iter()
                .map(|found| Disagreement {
                    place: format!("{name}: {}", found.place),
                    ..found
                }),
        );
    }
    println!("{} modules reflected, {described} compared", files.len());
    let mut unexplained = 0;
    for (kind, count) in &all.compared {
        let found = all.disagreements.iter().filter(|found| found.kind == *kind);
        let found: Vec<_> = found.collect();
        let known = KNOWN.iter().find(|known| known.kind == *kind);
        println!("{kind}: {count} compared, {} differ", found.len());
        match known {
            Some(known) if !found.is_empty() => println!("  meant: {}", known.reason),
            _ => unexplained += found.len(),
        }
        let show = match &arguments.show {
            Some(wanted) if wanted == kind => usize::MAX,
            Some(_) => 0,
            None => 4,
        };
        for found in found.iter().take(show) {
            println!(
                "  {}: theirs {}, ours {}",
                found.place, found.theirs, found.ours
            );
        }
    }
    // Those of the corpus that are malformed on purpose.
    println!("{failed} failed");
    match unexplained + failed.saturating_sub(arguments.unreadable) {
        0 => Ok(()),
        _ => Err(format!("{unexplained} unexplained disagreements, {failed} failures").into()),
    }
}

/// Checks that nothing is unknown that the specification defines: numbers without a
/// name, types without a form, sizes that can't be told. What a kernel's source says
/// of its arguments, a module may leave out.
fn check_known(value: &Value, place: &str) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let number = text
                .strip_suffix(')')
                .and_then(|text| text.rsplit_once('('));
            let is_number = number.is_some_and(|(_, digits)| digits.parse::<u32>().is_ok());
            let is_name = place.ends_with("name") || place.ends_with("semantic");
            match !is_name && (text == "unknown" || is_number) {
                true => Err(format!("{place} is {text}")),
                false => Ok(()),
            }
        }
        Value::Array(list) => (0..)
            .zip(list)
            .try_for_each(|(index, value)| check_known(value, &format!("{place}[{index}]"))),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "kernels" | "statistics"))
            .try_for_each(|(key, value)| check_known(value, &format!("{place}.{key}"))),
        _ => Ok(()),
    }
}

/// Takes out what names and their instructions bring.
fn forget_names(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(forget_names),
        Value::Object(map) => {
            for key in ["spelling", "statistics"] {
                map.remove(key);
            }
            // Entry points and registered tools have theirs for good.
            if map.contains_key("id") || map.contains_key("offset") || map.contains_key("index") {
                map.remove("name");
            }
            map.values_mut().for_each(forget_names);
        }
        _ => {}
    }
}

/// Checks that a module without names gives the same but for names.
fn check_stripped(words: &[u32], ours: &Reflection) -> Result<(), String> {
    let mut module = Module::load(words).map_err(|error| error.to_string())?;
    let names = Strip {
        names: true,
        ..Strip::default()
    };
    strip(&mut module, &names);
    let stripped = reflect_words(&module.store()).map_err(|error| error.to_string())?;
    let bare = |reflection: &Reflection| {
        let mut value = serde_json::to_value(reflection).map_err(|error| error.to_string())?;
        forget_names(&mut value);
        Ok::<Value, String>(value)
    };
    match bare(ours)? == bare(&stripped)? {
        true => Ok(()),
        false => Err("without names, the reflection is another".into()),
    }
}

/// Reflects a module, and compares it with its description if there is one.
fn examine(file: &Path) -> Result<Option<Comparison>, String> {
    let (words, _) = spirvkit::words_from_bytes(&load(file)?).map_err(|error| error.to_string())?;
    let ours = reflect_words(&words).map_err(|error| error.to_string())?;
    let value = serde_json::to_value(&ours).map_err(|error| error.to_string())?;
    check_known(&value, "")?;
    check_stripped(&words, &ours)?;
    let mut description = file.as_os_str().to_owned();
    description.push(".yaml");
    let Ok(text) = fs::read_to_string(&description) else {
        return Ok(None);
    };
    // Types are spelled out at each of their uses; they aren't compared as such.
    let is_wanted = |line: &&str| !line.trim_start().starts_with("type_description:");
    let text: Vec<&str> = text.lines().filter(is_wanted).collect();
    let theirs: Value =
        serde_saphyr::from_str(&text.join("\n")).map_err(|error| error.to_string())?;
    let mut comparison = Comparison::default();
    compare(&theirs["module"], &ours, &mut comparison);
    Ok(Some(comparison))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_i64().map_or(NONE, |number| number as u32 as u64)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn compare(theirs: &Value, ours: &Reflection, comparison: &mut Comparison) {
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
            )
        })
        .collect();
    let our_constants = ours.spec_constants.iter();
    let ours: Vec<_> = our_constants
        .filter_map(|constant| Some((constant.id.0.into(), constant.spec_id?.into())))
        .collect::<Vec<(u64, u64)>>();
    comparison.check(
        "specialization constants",
        "",
        format!("{theirs:?}"),
        format!("{ours:?}"),
    );
}

fn dims(theirs: &Value) -> Vec<u64> {
    list(&theirs["dims"]).iter().map(number).collect()
}

fn our_dims(array: &[Amount]) -> Vec<u64> {
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

fn show(amount: Option<Amount>) -> u64 {
    amount.and_then(Amount::known).unwrap_or(0)
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
        // What goes in circles is marked as such.
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
    let mut stride = 0;
    while let Some(TypeKind::Array {
        element,
        length,
        stride: own,
        ..
    }) = module.ty(ty).map(|ty| &ty.kind)
    {
        // Theirs is that of the innermost.
        stride = show(*own);
        array.push(*length);
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
    let is_runtime = array.contains(&Amount::Runtime);
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
        let kind = match array
            .iter()
            .any(|length| matches!(length, Amount::Default(_)))
        {
            true => "array length, specialized",
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
