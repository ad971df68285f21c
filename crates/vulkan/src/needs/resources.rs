//! What variables for resources need: images without a format, attachments without an index, and
//! what graphics stages may write.

use std::collections::BTreeSet;

use spirvkit_analysis::index::{Image, Inst};
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Dim, ExecutionModel as Model, ImageFormat, Op, StorageClass};

use super::used::used;
use super::{CallTrees, Need, Sorted, Wanted, feature};
use crate::tables::Enable;

/// What images without a format must be decorated with, or else the feature, and the rule.
const FORMATLESS: [(Decoration, &str, &str); 2] = [
    (
        Decoration::NonWritable,
        "shaderStorageImageWriteWithoutFormat",
        "VUID-RuntimeSpirv-apiVersion-07954",
    ),
    (
        Decoration::NonReadable,
        "shaderStorageImageReadWithoutFormat",
        "VUID-RuntimeSpirv-apiVersion-07955",
    ),
];

/// The stages in which only devices with a feature write to memory, and the rule.
const STORES: [(&[Model], &str, &str); 2] = [
    (
        &[Model::Fragment],
        "fragmentStoresAndAtomics",
        "VUID-RuntimeSpirv-NonWritable-06340",
    ),
    (
        &[
            Model::Vertex,
            Model::TessellationControl,
            Model::TessellationEvaluation,
            Model::Geometry,
        ],
        "vertexPipelineStoresAndAtomics",
        "VUID-RuntimeSpirv-NonWritable-06341",
    ),
];

pub(super) fn add(
    m: &ModuleIndex<'_>,
    sorted: &Sorted<'_>,
    trees: &mut CallTrees<'_>,
    all: &mut Vec<Need>,
) {
    let globals = m.globals.iter().filter_map(|&offset| m.inst(offset));
    let mut writable = Vec::new();
    for inst in globals.filter(|inst| inst.op() == Op::Variable) {
        let Some(id) = inst.result() else { continue };
        let Some(ty) = inst.result_type().and_then(|ty| m.pointee(ty)) else {
            continue;
        };
        let resource = element(m, ty);
        if let Type::Image(image) = m.ty(resource) {
            of_image(m, inst, image, resource == ty, all);
        }
        if is_storage(m, StorageClass(inst.arg(0)), resource)
            && !is_decorated(m, id, resource, Decoration::NonWritable)
        {
            writable.push(id);
        }
    }
    let stages = |model| STORES.iter().find(|it| it.0.contains(&model));
    if writable.is_empty() || !m.entry_points.iter().any(|it| stages(it.model).is_some()) {
        return;
    }
    let used = used(m, sorted, &writable);
    for entry in &m.entry_points {
        let Some((_, name, vuid)) = stages(entry.model) else {
            continue;
        };
        let Some(reached) = trees.of(entry.function) else {
            continue;
        };
        let mut lists = reached.iter().map(|&index| &used[index as usize]);
        let Some(&variable) = lists.find_map(|list| list.first()) else {
            continue;
        };
        let variable = writable[variable as usize];
        all.extend(m.def(variable).map(|inst| Need {
            offset: inst.offset(),
            vuid,
            what: format!(
                "a variable in the stage `{}` that isn't `NonWritable`",
                entry.model
            ),
            wanted: feature(name),
        }));
    }
}

/// What arrays of resources are of.
fn element(m: &ModuleIndex<'_>, mut ty: Id) -> Id {
    // In Vulkan, resources are in one array.
    for _ in 0..4 {
        match m.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => ty = element,
            _ => break,
        }
    }
    ty
}

/// Whether it is a storage image, texel buffer, tensor or buffer.
fn is_storage(m: &ModuleIndex<'_>, class: StorageClass, resource: Id) -> bool {
    match class {
        StorageClass::StorageBuffer => true,
        StorageClass::Uniform => m.is_decorated(resource, Decoration::BufferBlock),
        StorageClass::UniformConstant => match m.ty(resource) {
            Type::Image(image) => image.sampled == 2 && is_in_memory(image.dim),
            _ => m.op_of(resource) == Op::TypeTensorARM,
        },
        _ => false,
    }
}

/// Whether images of a dimensionality are in memory, rather than attachments.
fn is_in_memory(dim: Dim) -> bool {
    !matches!(dim, Dim::SubpassData | Dim::TileImageDataEXT)
}

/// Whether a variable is decorated, or all members of its block are.
fn is_decorated(m: &ModuleIndex<'_>, id: Id, resource: Id, decoration: Decoration) -> bool {
    let count = m.members(resource).len();
    let of_members = || {
        let all = m
            .decorations(resource)
            .filter(|it| it.decoration == decoration);
        all.filter_map(|it| it.member).collect::<BTreeSet<u32>>()
    };
    m.is_decorated(id, decoration) || count > 0 && of_members().len() == count
}

fn of_image(
    m: &ModuleIndex<'_>,
    inst: Inst<'_>,
    image: Image,
    is_single: bool,
    all: &mut Vec<Need>,
) {
    let Some(id) = inst.result() else { return };
    let mut add = |vuid, what: String, wanted| {
        all.push(Need {
            offset: inst.offset(),
            vuid,
            what,
            wanted,
        });
    };
    let has_index = || m.is_decorated(id, Decoration::InputAttachmentIndex);
    if image.dim == Dim::SubpassData && is_single && !has_index() {
        add(
            "VUID-RuntimeSpirv-None-09558",
            "an attachment without `InputAttachmentIndex`".to_owned(),
            feature("dynamicRenderingLocalRead"),
        );
    }
    let is_formatless =
        image.sampled == 2 && image.format == ImageFormat::Unknown && is_in_memory(image.dim);
    for (decoration, name, vuid) in FORMATLESS.iter().filter(|_| is_formatless) {
        if m.is_decorated(id, *decoration) {
            continue;
        }
        let mut wanted = feature(name);
        if let Wanted::OneOf(all) = &mut wanted {
            all.push(Enable::Version(1, 3));
            all.push(Enable::Extension("VK_KHR_format_feature_flags2"));
        }
        let what = format!("an image without a format that isn't `{decoration}`");
        add(vuid, what, wanted);
    }
}
