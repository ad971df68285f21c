//! Rules as data for people.

use std::fmt;

use spirvkit_analysis::ModuleIndex;
use spirvkit_diagnostics::{ErrorClass, Severity};
use spirvkit_grammar::{ExecutionModel, TargetEnv, Version};
use spirvkit_vulkan::{
    Binding, DataGraph, DescriptorType, Device, GraphConstant, GraphResource, MappingSource,
    PipelineFlags, PipelineLayout, PushConstantRange, SetLayout, ShaderStages, Subpass,
    TensorDescription,
};

use crate::example_frame;
use crate::options::{Env, Limits, Options};
use crate::pipeline::{Pipeline, Stage};
use crate::rule_text::{self, Section};
use crate::rules::FRAMES;
use crate::{Report, validate};

/// A rule, with everything that explains it to people.
pub struct Rule {
    /// The stable id: family and rule, such as `arithmetic.result-type`.
    pub id: &'static str,
    /// The class of its errors.
    pub class: ErrorClass,
    /// Its source: a section of the specification (numbered as in version 1.3), or the
    /// name of the extension or document.
    pub section: &'static str,
    /// The VUIDs of Vulkan that it checks, if any. If there is only one, every diagnostic
    /// has it; otherwise, each diagnostic names its own.
    pub vuids: &'static [&'static str],
    /// The usual severity of breaking it.
    severity: Severity,
    /// The Markdown file with its text and example.
    page: &'static str,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.id).finish()
    }
}

impl Rule {
    /// The rule of a section of `page`.
    pub(crate) const fn new(
        id: &'static str,
        class: ErrorClass,
        section: &'static str,
        vuids: &'static [&'static str],
        page: &'static str,
    ) -> Self {
        Self {
            id,
            class,
            section,
            vuids,
            severity: Severity::Error,
            page,
        }
    }

    /// The same with warnings as the usual severity, because tools accept modules that break
    /// the rule.
    pub(crate) const fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// What the rule requires and, where it helps, why.
    pub fn text(&self) -> String {
        rule_text::unwrapped(self.described().text)
    }

    /// Assembly that breaks it and assembly that keeps it.
    pub fn example(&self) -> Example {
        let described = self.described();
        let (breaks, keeps) = (described.breaks, described.keeps);
        let framed = Example::framed(described.frames, breaks, keeps);
        // `cargo xtask rules` and a test refuse unknown names.
        framed.unwrap_or_else(|_| Example::whole(Options::default().env, breaks, keeps))
    }

    fn described(&self) -> Section<'static> {
        let section = rule_text::sections(self.page).find(|section| section.id == self.id);
        section.unwrap_or_default()
    }

    /// Whether breaking it is usually worth a warning only.
    pub(crate) fn is_warning(&self) -> bool {
        self.severity == Severity::Warning
    }

    /// The usual severity of breaking it. Each diagnostic has its own.
    pub fn severity(&self) -> Severity {
        self.severity
    }
}

/// Two pieces of assembly text: one that breaks a rule, and one that keeps it.
///
/// A piece need not be a whole module: [`Example::breaking`] and
/// [`Example::keeping`] put it into a frame of declarations.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Example {
    /// What surrounds the pieces.
    pub frame: Frame,
    /// The environment to validate them for.
    pub env: TargetEnv,
    /// What the device has that they are validated for beyond what all devices have, as
    /// [`Device::grant`] takes it, with spaces between. `everything` first is a device that has
    /// everything within the limits behind it.
    pub device: String,
    /// Breaks the rule.
    pub breaks: String,
    /// Keeps the rule.
    pub keeps: String,
}

/// What surrounds the lines of an example: see `crates/validate/src/frames`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// Nothing: the text is a whole module.
    Whole,
    /// A compute shader with common types and constants.
    Shader,
    /// The same with a fragment shader.
    Fragment,
    /// A kernel with common types and constants.
    Kernel,
    /// The shader frame, validated with limits of [`FEW`](Self::FEW) for everything that
    /// section 2.17 limits except the id bound.
    Limited,
    /// A small compute shader, validated for a [device](Options::devices) of the environment's version of
    /// Vulkan that has nothing but what all such devices have, and [`Example::device`].
    Device,
    /// The same for a device of Vulkan 1.0.
    OldDevice,
    /// Functions for the stages of a pipeline. The examples declare entry points; those called "main",
    /// and "other" if there is one, are checked as stages of one [`Pipeline`] as well.
    Pipeline,
    /// The same with a pipeline layout, which `pipeline_layout.md` describes: for the vertex shader, some
    /// bindings of set 0, and 16 bytes of push constants. Of flags, the pipeline has `RAY_TRACING_SKIP_AABBS` and
    /// `DISALLOW_OPACITY_MICROMAP`.
    PipelineLayout,
    /// The same in a pipeline with the flag `DESCRIPTOR_HEAP`.
    PipelineHeap,
    /// Nothing, but the entry point "main" for a graph is checked as a data graph [`Pipeline`] as well, with a
    /// layout that `pipeline_layout.md` describes.
    DataGraph,
    /// The same as [`Pipeline`](Self::Pipeline), for a [device](Self::Device).
    PipelineDevice,
}

impl Frame {
    /// The limits of [`Limited`](Self::Limited) examples.
    pub const FEW: u32 = 3;

    /// The frame of this name.
    fn named(name: &str) -> Option<Self> {
        match name {
            "shader" => Some(Self::Shader),
            "fragment" => Some(Self::Fragment),
            "kernel" => Some(Self::Kernel),
            "limited" => Some(Self::Limited),
            "device" => Some(Self::Device),
            "old-device" => Some(Self::OldDevice),
            "pipeline" => Some(Self::Pipeline),
            "pipeline-layout" => Some(Self::PipelineLayout),
            "pipeline-heap" => Some(Self::PipelineHeap),
            "data-graph" => Some(Self::DataGraph),
            "pipeline-device" => Some(Self::PipelineDevice),
            _ => None,
        }
    }
}

/// A name is neither that of a frame nor that of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFrame(String);

impl fmt::Display for UnknownFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no frame or environment `{}`", self.0)
    }
}

impl std::error::Error for UnknownFrame {}

impl Example {
    /// Two pieces in the named frames. The names are listed from the outermost to the
    /// innermost, followed by the environment, with or without commas: `shader, matrices,
    /// spv1.6`. What the frame's device has stands behind: `device, vulkan1.2 with
    /// maxVectorComponents=4`.
    ///
    /// # Errors
    ///
    /// If there is no frame, environment, feature or property with such a name, or the name is in
    /// the wrong place.
    pub fn framed(frames: &str, breaks: &str, keeps: &str) -> Result<Self, UnknownFrame> {
        let (frames, device) = frames.split_once(" with ").unwrap_or((frames, ""));
        let mut names = frames.split([',', ' ']).filter(|name| !name.is_empty());
        let unknown = |name: &str| UnknownFrame(name.to_owned());
        let env = names.next_back().unwrap_or_default();
        let env = env.parse().map_err(|_| unknown(env))?;
        let mut example = Self::whole(env, breaks, keeps);
        let mut names = names.peekable();
        if let Some(frame) = names.peek().copied().and_then(Frame::named) {
            example.frame = frame;
            names.next();
        }
        let inner: Vec<&str> = names.collect();
        for name in inner.into_iter().rev() {
            let is_it = |frame: &&(&str, &str)| frame.0 == name && Frame::named(name).is_none();
            let (_, frame) = FRAMES.iter().find(is_it).ok_or_else(|| unknown(name))?;
            example.breaks = example_frame::fill(frame, &example.breaks);
            example.keeps = example_frame::fill(frame, &example.keeps);
        }
        for each in granted(device) {
            let mut known = Device::new("", (1, 0));
            known.grant(each).map_err(|_| unknown(each))?;
        }
        example.device = device.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(example)
    }

    /// Two whole modules.
    fn whole(env: TargetEnv, breaks: &str, keeps: &str) -> Self {
        Self {
            frame: Frame::Whole,
            env,
            device: String::new(),
            breaks: breaks.to_owned(),
            keeps: keeps.to_owned(),
        }
    }

    /// The options to validate the pieces with.
    pub fn options(&self) -> Options {
        let mut options = Options::for_env(self.env);
        options.devices = self.made_for().into_iter().collect();
        if self.frame == Frame::Limited {
            options.limits = Limits {
                id_bound: options.limits.id_bound,
                struct_members: Frame::FEW,
                struct_depth: Frame::FEW,
                local_variables: Frame::FEW,
                global_variables: Frame::FEW,
                switch_branches: Frame::FEW,
                function_args: Frame::FEW,
                control_flow_nesting_depth: Frame::FEW,
                access_chain_indexes: Frame::FEW,
            };
        }
        options
    }

    /// The device that the pieces are validated for, if there is one.
    fn made_for(&self) -> Option<Device> {
        let version = match self.frame {
            Frame::Device | Frame::PipelineDevice => Env::new(self.env).api_version,
            Frame::OldDevice => Version::V1_0,
            _ if self.device.is_empty() => return None,
            _ => Env::new(self.env).api_version,
        };
        let mut device = match self.device.starts_with(EVERYTHING) {
            true => Device::with_everything("the device"),
            false => Device::new("the device", (version.major.into(), version.minor.into())),
        };
        for each in granted(&self.device) {
            // They were tried when the example was made.
            let _ = device.grant(each);
        }
        Some(device)
    }

    /// What is reported of a piece, assembled as a whole module: by [`validate`] and, of a pipeline's
    /// stages, by [`Pipeline::check`].
    pub fn report(&self, words: &[u32]) -> Report {
        let options = self.options();
        let report = validate(words, &options);
        let layout = match self.frame {
            Frame::Pipeline | Frame::PipelineDevice => None,
            Frame::PipelineLayout => Some(example_layout()),
            Frame::PipelineHeap => Some(PipelineLayout {
                flags: Some(PipelineFlags::DESCRIPTOR_HEAP),
                ..example_layout()
            }),
            Frame::DataGraph => Some(example_graph_layout()),
            _ => return report,
        };
        let named = |name: &'static str| Stage::new(words).entry_point(name);
        let has_other = ModuleIndex::new(words).is_ok_and(|m| {
            let mut all = m.entry_points.iter();
            all.any(|entry| entry.name() == "other")
        });
        let stages = [Some("main"), has_other.then_some("other")];
        let mut pipeline = Pipeline::new(stages.into_iter().flatten().map(named));
        if let Some(layout) = &layout {
            pipeline = pipeline.layout(layout);
        }
        let together = pipeline.check(&options).into_diagnostics();
        let mut all = report.into_diagnostics();
        all.extend(together.into_iter().map(|it| it.diagnostic));
        Report::new(all)
    }

    /// The piece that breaks the rule, as a whole module.
    pub fn breaking(&self) -> String {
        self.module(&self.breaks)
    }

    /// The piece that keeps the rule, as a whole module.
    pub fn keeping(&self) -> String {
        self.module(&self.keeps)
    }

    fn module(&self, piece: &str) -> String {
        example_frame::module(self.frame, self.env, piece)
    }
}

const EVERYTHING: &str = "everything";

/// What is granted to a device one by one.
fn granted(device: &str) -> impl Iterator<Item = &str> {
    let all = device.split_whitespace();
    all.filter(|each| *each != EVERYTHING)
}

/// The layout of [`Frame::PipelineLayout`].
fn example_layout() -> PipelineLayout {
    let stages = ShaderStages::of(ExecutionModel::Vertex);
    let binding = |number, ty| Binding {
        stages,
        ..Binding::new(number, ty)
    };
    let attachment = |number| Binding::new(number, DescriptorType::INPUT_ATTACHMENT);
    let mapped = |number, mapping| Binding {
        mapping: Some(mapping),
        ..binding(number, DescriptorType::STORAGE_BUFFER)
    };
    let bindings = vec![
        Binding {
            count: 2,
            ..binding(0, DescriptorType::UNIFORM_BUFFER)
        },
        Binding {
            has_ycbcr: true,
            ..binding(1, DescriptorType::COMBINED_IMAGE_SAMPLER)
        },
        binding(2, DescriptorType::STORAGE_BUFFER),
        Binding {
            count: 2,
            ..mapped(3, MappingSource::INDIRECT_ADDRESS)
        },
        mapped(4, MappingSource::HEAP_WITH_CONSTANT_OFFSET),
        mapped(5, MappingSource::HEAP_WITH_PUSH_INDEX),
        Binding {
            count: 16,
            ..binding(6, DescriptorType::INLINE_UNIFORM_BLOCK)
        },
        Binding {
            mapping: Some(MappingSource::PUSH_DATA),
            ..binding(8, DescriptorType::COMBINED_IMAGE_SAMPLER)
        },
        Binding {
            mapping: Some(MappingSource::PUSH_DATA),
            ..binding(9, DescriptorType::UNIFORM_BUFFER)
        },
    ];
    let sampler = |number, is_unnormalized| Binding {
        is_unnormalized: Some(is_unnormalized),
        ..Binding::new(number, DescriptorType::SAMPLER)
    };
    let others = vec![
        attachment(0),
        attachment(1),
        sampler(2, false),
        sampler(3, true),
        Binding::new(4, DescriptorType::BLOCK_MATCH_IMAGE),
    ];
    let flags = PipelineFlags::RAY_TRACING_SKIP_AABBS;
    let flags = flags.or(PipelineFlags::DISALLOW_OPACITY_MICROMAP);
    PipelineLayout {
        flags: Some(flags),
        sets: vec![SetLayout { bindings }, SetLayout { bindings: others }],
        push_constants: vec![PushConstantRange {
            stages,
            offset: 0,
            size: 16,
        }],
        required_subgroup_size: Some(32),
        subpass: Some(Subpass {
            is_fragment_region: true,
            view_mask: Some(0b11),
            input_attachment_aspects: vec![Some(2), Some(1)],
        }),
        graph: None,
    }
}

/// The layout of [`Frame::DataGraph`].
fn example_graph_layout() -> PipelineLayout {
    let tensor = || TensorDescription {
        format: "R32_UINT".to_owned(),
        dimensions: vec![2],
    };
    let resource = |binding| GraphResource {
        set: 0,
        binding,
        array_element: 0,
        tensor: tensor(),
    };
    let binding = |number| Binding::new(number, DescriptorType::TENSOR);
    let image = Binding::new(3, DescriptorType::STORAGE_IMAGE);
    PipelineLayout {
        sets: vec![SetLayout {
            bindings: vec![binding(0), binding(1), binding(2), image],
        }],
        graph: Some(DataGraph {
            constants: vec![GraphConstant {
                id: 1,
                tensor: tensor(),
            }],
            resources: vec![resource(0), resource(1), resource(3)],
        }),
        ..PipelineLayout::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ALL;

    #[test]
    fn pages_name_frames_that_there_are() {
        for rule in ALL {
            let frames = rule.described().frames;
            let framed = Example::framed(frames, "", "");
            assert!(framed.is_ok(), "{}: {framed:?}", rule.id);
        }
    }

    #[test]
    fn unknown_frames_are_errors() {
        let unknown = |frames| Example::framed(frames, "", "").unwrap_err().0;
        assert_eq!(unknown("shader, vulkan9.9"), "vulkan9.9");
        assert_eq!(unknown("shadr, spv1.6"), "shadr");
        assert_eq!(unknown("shader, matrixes, spv1.6"), "matrixes");
        // Only one frame is outermost.
        assert_eq!(unknown("matrices, shader, spv1.6"), "shader");
        assert_eq!(unknown("shader"), "shader");
        assert_eq!(unknown(""), "");
        let framed = Example::framed("fragment, matrices, vulkan1.1", "", "").unwrap();
        assert_eq!(framed.frame, Frame::Fragment);
        assert_eq!(framed.options().env.name(), "vulkan1.1");
    }
}
