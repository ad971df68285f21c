//! Do several stages fit together as one Vulkan pipeline?
//!
//! [`stages`] asks which stages there are, [`matching`] whether the inputs of each are the outputs
//! of the one before, [`built_ins`] the same of built-ins, [`mesh`] and [`rays`] what else stages pass
//! to each other, [`modes`] whether execution modes agree, [`resources`] whether descriptors and push
//! constants fit each other and the layout, [`limits`] whether devices have room for these, [`alone`]
//! what each stage takes of devices without the others, [`features`] whether they have the stages,
//! [`matrices`] whether they multiply matrices of these sizes, [`subgroups`] whether subgroups divide
//! workgroups, [`graphs`] what data graph pipelines are like, [`flags`], [`mappings`], [`samplers`] and
//! [`subpass`] what else the application says of the pipeline.

pub(crate) mod alone;
mod built_ins;
mod elements;
mod features;
mod flags;
mod graphs;
mod limits;
mod mappings;
mod matching;
mod matrices;
mod mesh;
mod modes;
mod part;
mod problems;
mod rays;
mod resources;
mod samplers;
mod stages;
mod subgroups;
mod subpass;

use std::cell::OnceCell;

use spirvkit_analysis::layout::Types;
use spirvkit_binary::{Header, Id};
use spirvkit_diagnostics::{Diagnostic, Severity};
use spirvkit_grammar::ExecutionModel;
use spirvkit_vulkan::PipelineLayout;

use crate::module::{GivenNames, Module};
use crate::options::{Env, Options};
use crate::phases;
use part::Part;
use problems::Problems;
use resources::Uses;

/// A module as a stage of a [`Pipeline`], or as several.
///
/// Without an [entry point](Self::entry_point), all of the module's are stages.
#[derive(Clone)]
pub struct Stage<'a> {
    words: &'a [u32],
    entry_point: Option<String>,
    model: Option<ExecutionModel>,
    constants: Vec<(Id, u64)>,
    names: Option<GivenNames<'a>>,
}

impl<'a> Stage<'a> {
    /// A module, given as words in host order.
    pub fn new(words: &'a [u32]) -> Self {
        Self {
            words,
            entry_point: None,
            model: None,
            constants: Vec::new(),
            names: None,
        }
    }

    /// Only its entry points of this name.
    #[must_use]
    pub fn entry_point(mut self, name: impl Into<String>) -> Self {
        self.entry_point = Some(name.into());
        self
    }

    /// Only its entry points of this model.
    #[must_use]
    pub fn model(mut self, model: ExecutionModel) -> Self {
        self.model = Some(model);
        self
    }

    /// The bits of constants that specialization changes, those computed from others included. All
    /// others have their defaults.
    #[must_use]
    pub fn constants(mut self, values: impl IntoIterator<Item = (Id, u64)>) -> Self {
        self.constants = values.into_iter().collect();
        self.constants.sort_unstable();
        self
    }

    /// The names of ids for messages, without the `%`.
    #[must_use]
    pub fn names(mut self, names: &'a dyn Fn(Id) -> Option<String>) -> Self {
        self.names = Some(names);
        self
    }
}

/// The stages of a pipeline, and the layout that it is to have.
///
/// ```
/// use spirvkit_validate::{Options, Pipeline, Stage};
///
/// let shader = |model: &str, class: &str, ty: &str| {
///     let text = format!("OpCapability Shader
///         OpMemoryModel Logical GLSL450
///         OpEntryPoint {model} %main \"main\" %color
///         OpDecorate %color Location 0
///         %void = OpTypeVoid
///         %float = OpTypeFloat 32
///         %int = OpTypeInt 32 1
///         %pointer = OpTypePointer {class} {ty}
///         %color = OpVariable %pointer {class}
///         %signature = OpTypeFunction %void
///         %main = OpFunction %void None %signature
///         %entry = OpLabel
///         OpReturn
///         OpFunctionEnd");
///     spirvkit_text::assemble(&text, &Default::default()).unwrap().words
/// };
/// let vertex = shader("Vertex", "Output", "%float");
/// let fragment = shader("Fragment", "Input", "%int");
/// let options = Options::for_env("vulkan1.3".parse().unwrap());
///
/// let report = Pipeline::new([Stage::new(&vertex), Stage::new(&fragment)]).check(&options);
/// assert_eq!(report.diagnostics()[0].diagnostic.rule(), "pipeline.type");
/// assert_eq!(report.diagnostics()[0].stage, 1);
/// ```
#[derive(Clone)]
pub struct Pipeline<'a> {
    stages: Vec<Stage<'a>>,
    layout: Option<&'a PipelineLayout>,
}

impl<'a> Pipeline<'a> {
    /// A pipeline of these stages, in any order.
    pub fn new(stages: impl IntoIterator<Item = Stage<'a>>) -> Self {
        Self {
            stages: stages.into_iter().collect(),
            layout: None,
        }
    }

    /// The layout that it is to have.
    #[must_use]
    pub fn layout(mut self, layout: &'a PipelineLayout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Checks whether the stages fit each other, the layout and the [devices](Options::devices).
    /// What is wrong with a module by itself, on these devices, too, only [`validate`](crate::validate)
    /// says; but no module makes this panic.
    ///
    /// Memory and time are in proportion to the modules together, for each of their entry points.
    pub fn check(&self, options: &Options) -> PipelineReport {
        let mut problems = Problems::new(options, self.stages.iter().map(|it| it.words.len()));
        let mut indexed: Vec<Option<Module<'_>>> = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            match Header::from_words(stage.words) {
                Ok(header) => {
                    indexed.push(Some(Module::index(
                        stage.words,
                        header,
                        options,
                        stage.names.filter(|_| !options.raw_ids),
                    )));
                }
                Err(error) => {
                    problems.add_unread(number, phases::binary_finding(&error));
                    indexed.push(None);
                }
            }
        }
        let types: Vec<Option<Types<'_>>> = indexed
            .iter()
            .map(|it| Some(Types::of(it.as_ref()?)))
            .collect();
        let layouts = vec![OnceCell::new(); indexed.len()];
        let mut parts = Vec::new();
        let mut graphs = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            if let (Some(m), Some(types)) = (&indexed[number], &types[number]) {
                let own = graphs::parts(number, stage, m, types);
                let laid_out = (types, &layouts[number]);
                let found = part::parts(number, stage, m, laid_out);
                if found.is_empty() && own.is_empty() {
                    problems.add_unread(number, part::nothing_meant(stage, m));
                }
                parts.extend(found);
                graphs.extend(own);
            }
        }
        parts.sort_by_key(Part::order);
        let env = Env::new(options.env);
        if env.is_vulkan() {
            match (parts.first(), graphs.first()) {
                (Some(part), Some(graph)) => graph.refuse(part.kind(), &mut problems),
                _ => graphs::check(&graphs, self.layout, &mut problems),
            }
        }
        if stages::check(&parts, &mut problems) && env.is_vulkan() {
            for (producer, consumer) in stages::neighbours(&parts) {
                matching::check(producer, consumer, &mut problems);
                built_ins::check(producer, consumer, &mut problems);
            }
            modes::check(&parts, &mut problems);
            let uses = self.uses(&parts);
            resources::check(&uses, self.layout, &mut problems);
            mesh::check(&parts, &uses, &mut problems);
            rays::check(&uses, &mut problems);
            flags::check(&uses, self.layout.and_then(|it| it.flags), &mut problems);
            if let Some(subpass) = self.layout.and_then(|it| it.subpass.as_ref()) {
                subpass::check(&uses, subpass, &mut problems);
            }
            if let Some(layout) = self.layout {
                for uses in &uses {
                    matrices::check(uses.part, layout, &mut problems);
                }
            }
            subgroups::check(&parts, self.layout, &mut problems);
            features::check(&parts, &mut problems);
            limits::check(&uses, self.layout, &mut problems);
        }
        problems.into_report(env.is_vulkan())
    }
}

impl Pipeline<'_> {
    /// What stages use. A ray tracing pipeline may have any number of stages, all of which may reach all
    /// of one module; beyond all sense, those that come are left unchecked.
    fn uses<'p, 'm, 'a>(&self, parts: &'p [Part<'m, 'a>]) -> Vec<Uses<'p, 'm, 'a>> {
        const FOR_EACH_WORD: usize = 64;
        const FOR_ANY_PIPELINE: usize = 4 << 20;
        let words = self.stages.iter().map(|it| it.words.len());
        let words = words.fold(0, usize::saturating_add);
        let mut left = words
            .saturating_mul(FOR_EACH_WORD)
            .saturating_add(FOR_ANY_PIPELINE);
        let fits = |part: &&Part<'_, '_>| {
            let rest = left.checked_sub(part.m.words.len());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        parts.iter().take_while(fits).map(Uses::of).collect()
    }
}

/// Something that is wrong with the stages of a pipeline.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StageDiagnostic {
    /// The number of the [`Stage`] that its locations are in, from 0.
    pub stage: usize,
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// What other stages have to do with it.
    pub notes: Vec<StageNote>,
}

impl StageDiagnostic {
    /// Something that other stages have nothing to do with.
    pub fn new(stage: usize, diagnostic: Diagnostic) -> Self {
        Self {
            stage,
            diagnostic,
            notes: Vec::new(),
        }
    }
}

/// A place in another stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageNote {
    /// The number of the stage, from 0.
    pub stage: usize,
    /// The instruction, in words from the start of the module.
    pub word: usize,
    /// The operand that is meant, counted in the same way, if it is not the whole instruction.
    pub operand: Option<usize>,
    /// What is there.
    pub message: String,
}

/// The result of checking a [`Pipeline`].
#[derive(Clone, Debug, Default)]
pub struct PipelineReport {
    diagnostics: Vec<StageDiagnostic>,
    is_cut: bool,
}

impl PipelineReport {
    /// Errors and warnings, in the order of the pipeline's stages.
    pub fn diagnostics(&self) -> &[StageDiagnostic] {
        &self.diagnostics
    }

    /// The same, by value.
    pub fn into_diagnostics(self) -> Vec<StageDiagnostic> {
        self.diagnostics
    }

    /// The same with these diagnostics instead, for those who add to them.
    #[must_use]
    pub fn with_diagnostics(self, diagnostics: Vec<StageDiagnostic>) -> Self {
        Self {
            is_cut: self.is_cut || diagnostics.len() < self.diagnostics.len(),
            diagnostics,
        }
    }

    /// Whether there is no error.
    pub fn is_valid(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.all(|it| it.diagnostic.severity() != Severity::Error)
    }

    /// Whether there may be more errors than [`Options::max_errors`] allowed, or than are in
    /// proportion to the modules.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}
