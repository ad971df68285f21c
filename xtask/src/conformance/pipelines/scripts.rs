//! The pipelines of Amber's scripts.

use std::fs;
use std::path::{Path, PathBuf};

use spirvkit::PipelineStage;
use spirvkit::amber::{
    Attachment, CompileError, Compiler, DescriptorKind, FileFormat, Host, Language, Pipeline,
    PipelineKind, Resource, Script, Source, Stage, parse, shader_words,
};
use spirvkit::binary::Id;
use spirvkit::grammar::ExecutionModel;
use spirvkit::ir::Module;
use spirvkit::transform::spec_constants;
use spirvkit::vulkan::{
    Binding, DescriptorType, PipelineLayout, PushConstantRange, SetLayout, ShaderStages,
};

use super::Case;

/// The files beside a script, and a compiler.
struct Files {
    folder: PathBuf,
    compiler: Result<Compiler, String>,
}

impl Host for Files {
    fn read_file(&self, _: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.folder.join(path)).map_err(|error| error.to_string())
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let compiler = self.compiler.as_ref();
        compiler
            .map_err(|why| CompileError::NoCompiler(why.clone()))?
            .compile(source)
    }
}

/// What a passthrough shader does, with a block of the built-ins that Amber's has.
const PASSTHROUGH: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in %out
OpDecorate %in Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn Position
OpMemberDecorate %block 1 BuiltIn PointSize
OpMemberDecorate %block 2 BuiltIn ClipDistance
%void = OpTypeVoid
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%vec4 = OpTypeVector %float 4
%one = OpConstant %uint 1
%zero = OpConstant %int 0
%floats = OpTypeArray %float %one
%block = OpTypeStruct %vec4 %float %floats
%to_in = OpTypePointer Input %vec4
%to_out = OpTypePointer Output %block
%to_position = OpTypePointer Output %vec4
%in = OpVariable %to_in Input
%out = OpVariable %to_out Output
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
%read = OpLoad %vec4 %in
%position = OpAccessChain %to_position %out %zero
OpStore %position %read
OpReturn
OpFunctionEnd
";

/// The pipelines of a script; those that can't be made say why.
pub(super) fn cases(file: &Path) -> Vec<Result<Case, String>> {
    let script = match super::text(file).map(|text| parse(&text)) {
        Ok(Ok(script)) => script,
        Ok(Err(_)) => return vec![Err("a script can't be parsed".to_owned())],
        Err(why) => return vec![Err(why)],
    };
    let files = Files {
        folder: file.parent().unwrap_or(Path::new(".")).to_owned(),
        compiler: Compiler::find(None),
    };
    let pipelines = script.pipelines.iter();
    let pipelines = pipelines.filter(|it| !matches!(it.kind, PipelineKind::RayTracing));
    pipelines
        .filter(|it| !it.shaders.is_empty())
        .map(|pipeline| {
            let stages = pipeline.shaders.iter();
            let stages = stages.map(|attachment| stage(&script, attachment, &files));
            let mut shaders = pipeline.shaders.iter().map(|it| script[it.shader].language);
            Ok(Case {
                passes_nothing: shaders.any(|it| it == Language::Passthrough),
                name: format!("{} ({})", file.display(), pipeline.name),
                stages: stages.collect::<Result<_, String>>()?,
                layout: layout(pipeline),
            })
        })
        .collect()
}

fn stage(script: &Script, attachment: &Attachment, files: &Files) -> Result<PipelineStage, String> {
    let shader = &script[attachment.shader];
    let words = match shader.language {
        Language::Passthrough => {
            let assembled = spirvkit::assemble(PASSTHROUGH, &Default::default());
            assembled.map_err(|errors| errors.to_string())?.words
        }
        _ => shader_words(script, attachment, files)
            .map_err(|_| "a shader can't be compiled".to_owned())?,
    };
    let mut values: Vec<(Id, u64)> = Vec::new();
    if !attachment.specialization.is_empty() {
        let module = Module::load(&words).map_err(|error| error.to_string())?;
        for constant in spec_constants(&module) {
            let mut given = attachment.specialization.iter();
            let given = given.rfind(|it| Some(it.id) == constant.spec_id);
            let number = given.and_then(|it| it.value.to_integer());
            values.extend(number.map(|number| (constant.id, number as u64 & 0xffff_ffff)));
        }
    }
    let stage = PipelineStage::new(&shader.name, words)
        .entry_point(&attachment.entry_point)
        .model(model(attachment.stage)?);
    stage.specialize(&values)
}

fn model(stage: Stage) -> Result<ExecutionModel, String> {
    Ok(match stage {
        Stage::Vertex => ExecutionModel::Vertex,
        Stage::TessellationControl => ExecutionModel::TessellationControl,
        Stage::TessellationEvaluation => ExecutionModel::TessellationEvaluation,
        Stage::Geometry => ExecutionModel::Geometry,
        Stage::Fragment => ExecutionModel::Fragment,
        Stage::Compute => ExecutionModel::GLCompute,
        _ => return Err("a stage is of no graphics or compute pipeline".to_owned()),
    })
}

/// The layout that what is bound makes; none if only its names are known.
fn layout(pipeline: &Pipeline) -> Option<PipelineLayout> {
    let mut layout = PipelineLayout::default();
    for bound in &pipeline.bindings {
        let (ty, count) = match &bound.resource {
            Resource::Buffers { kind, buffers, .. } => (descriptor(*kind)?, buffers.len()),
            Resource::Samplers(all) => (DescriptorType::SAMPLER, all.len()),
            _ => return None,
        };
        let set = bound.set as usize;
        if layout.sets.len() <= set {
            layout.sets.resize(set + 1, SetLayout::default());
        }
        layout.sets[set].bindings.push(Binding {
            count: u32::try_from(count).ok()?,
            ..Binding::new(bound.binding, ty)
        });
    }
    if pipeline.push_constants.is_some() {
        layout.push_constants.push(PushConstantRange {
            stages: ShaderStages::ALL,
            offset: 0,
            size: 1 << 16,
        });
    }
    Some(layout)
}

fn descriptor(kind: DescriptorKind) -> Option<DescriptorType> {
    Some(match kind {
        DescriptorKind::Uniform => DescriptorType::UNIFORM_BUFFER,
        DescriptorKind::Storage => DescriptorType::STORAGE_BUFFER,
        DescriptorKind::UniformDynamic => DescriptorType::UNIFORM_BUFFER_DYNAMIC,
        DescriptorKind::StorageDynamic => DescriptorType::STORAGE_BUFFER_DYNAMIC,
        DescriptorKind::UniformTexelBuffer => DescriptorType::UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageTexelBuffer => DescriptorType::STORAGE_TEXEL_BUFFER,
        DescriptorKind::StorageImage => DescriptorType::STORAGE_IMAGE,
        DescriptorKind::SampledImage => DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::CombinedImageSampler => DescriptorType::COMBINED_IMAGE_SAMPLER,
        _ => return None,
    })
}
