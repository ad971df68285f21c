//! Modules as the stages of a pipeline.

use spirvkit::binary::HEADER_WORDS;
use spirvkit::grammar::{ExecutionModel, Op, StorageClass};
use spirvkit::validate::{Pipeline, Stage};
use spirvkit::vulkan::{
    Binding, DataGraph, DescriptorType, Device, GraphConstant, GraphResource, MappingSource,
    PipelineFlags, PipelineLayout, SetLayout, Subpass, TensorDescription,
};
use spirvkit::{PipelineStage, ValidateOptions, validate_pipeline, words_from_bytes};

use crate::{RECIPE, mutate};

/// A module follows a recipe of [`RECIPE`] bytes for another one like it. What is found of both as
/// stages has its places in them, is no more than asked for, names a rule that can be explained, and is
/// the same again.
pub fn staged_modules(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        stage_words(&words, recipe);
    }
}

/// The same with words and a recipe of any length.
pub fn stage_words(words: &[u32], recipe: &[u8]) {
    let other = mutate(words, recipe);
    let kinds = [
        ExecutionModel::Vertex,
        ExecutionModel::TessellationControl,
        ExecutionModel::TessellationEvaluation,
        ExecutionModel::Geometry,
        ExecutionModel::MeshEXT,
        ExecutionModel::Fragment,
        ExecutionModel::RayGenerationKHR,
        ExecutionModel::MissKHR,
    ];
    let kind = |index: usize| {
        let byte = recipe.get(index).copied().unwrap_or(0);
        kinds[usize::from(byte) % kinds.len()]
    };
    // What one reads, the other writes.
    let words = &as_stage(
        words,
        kind(1),
        Some((StorageClass::Input, StorageClass::Output)),
    );
    let other = as_stage(&other, kind(2), None);
    let mut options = ValidateOptions::for_env("vulkan1.3".parse().expect("it is known"));
    options.devices.push(Device::new("a device", (1, 3)));
    let layout = layout();
    let flags = recipe.first().copied().unwrap_or(0);
    let layout = (flags & 1 != 0).then_some(&layout);
    let modules: [&[u32]; 2] = [words, &other];
    let check = |options: &ValidateOptions| {
        let mut pipeline = Pipeline::new(modules.iter().map(|words| Stage::new(words)));
        if let Some(layout) = layout {
            pipeline = pipeline.layout(layout);
        }
        pipeline.check(options)
    };
    let report = check(&options);
    for found in report.diagnostics() {
        let rule = found.diagnostic.rule();
        assert!(spirvkit::find_rule(rule).is_some(), "{rule} is not listed");
        let place = found.diagnostic.word_offset().expect("it has a place");
        assert!(place <= modules[found.stage].len());
        for note in &found.notes {
            assert!(note.word <= modules[note.stage].len());
        }
    }
    assert!(report.diagnostics().len() <= 2 * options.max_errors);
    let again = check(&options);
    assert_eq!(format!("{again:?}"), format!("{report:?}"));
    // Less to say doesn't change the verdict.
    options.max_errors = 1;
    assert_eq!(check(&options).is_valid(), report.is_valid());
    let stages = modules.map(|words| PipelineStage::new("a module", words.to_vec()));
    let shown = validate_pipeline(&stages, layout, &options);
    assert_eq!(shown.is_valid(), report.is_valid());
}

/// A layout that tells something of everything.
fn layout() -> PipelineLayout {
    let types = [
        DescriptorType::STORAGE_BUFFER,
        DescriptorType::COMBINED_IMAGE_SAMPLER,
        DescriptorType::SAMPLED_IMAGE,
        DescriptorType::INPUT_ATTACHMENT,
    ];
    let bindings = types.into_iter().zip(0..).map(|(ty, number)| Binding {
        has_ycbcr: number % 2 == 1,
        is_unnormalized: Some(false),
        mapping: MappingSource::all().nth(3 + number as usize),
        ..Binding::new(number, ty)
    });
    let tensor = || TensorDescription {
        format: "R32_UINT".to_owned(),
        dimensions: vec![2],
    };
    PipelineLayout {
        sets: vec![SetLayout {
            bindings: bindings.collect(),
        }],
        flags: Some(PipelineFlags::RAY_TRACING_SKIP_AABBS),
        required_subgroup_size: Some(32),
        subpass: Some(Subpass {
            is_fragment_region: true,
            view_mask: Some(0b110),
            input_attachment_aspects: vec![Some(1), None, Some(2)],
        }),
        graph: Some(DataGraph {
            constants: vec![GraphConstant {
                id: 0,
                tensor: tensor(),
            }],
            resources: vec![GraphResource {
                set: 0,
                binding: 0,
                array_element: 0,
                tensor: tensor(),
            }],
        }),
        ..PipelineLayout::default()
    }
}

/// A module whose entry points are of this model, with variables of one storage class in another.
fn as_stage(
    words: &[u32],
    model: ExecutionModel,
    class: Option<(StorageClass, StorageClass)>,
) -> Vec<u32> {
    let mut words = words.to_vec();
    let mut at = HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        let operand = match Op(first as u16) {
            Op::EntryPoint => Some((1, words.get(at + 1).copied(), model.0)),
            Op::TypePointer => class.map(|(from, to)| (2, Some(from.0), to.0)),
            Op::Variable => class.map(|(from, to)| (3, Some(from.0), to.0)),
            _ => None,
        };
        if let Some((operand, from, to)) = operand
            && operand < count
            && let Some(word) = words.get_mut(at + operand)
            && Some(*word) == from
        {
            *word = to;
        }
        at += count.max(1);
    }
    words
}
