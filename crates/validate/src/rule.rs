//! Rules as data for people.

use std::fmt;

use spirvkit_diagnostics::{ErrorClass, Severity};
use spirvkit_grammar::TargetEnv;

use crate::example_frame;
use crate::options::{Limits, Options};
use crate::rule_text::{self, Section};
use crate::rules::FRAMES;

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
    /// The Markdown file with its text and example.
    page: &'static str,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.id).finish()
    }
}

/// The rules that give only a warning, always or in most instruction sets, because tools
/// accept modules that break them.
const WARNINGS: &[&str] = &[
    "debug-info.listed-once",
    "extension.unknown",
    "literal.string",
    "non-uniform.cluster-power",
    "switch.same-literals",
];

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
            page,
        }
    }

    /// What the rule requires and, where it helps, why.
    pub fn text(&self) -> String {
        rule_text::unwrapped(self.described().text)
    }

    /// Assembly that breaks it and assembly that keeps it.
    pub fn example(&self) -> Example {
        let described = self.described();
        Example::framed(described.frames, described.breaks, described.keeps)
    }

    fn described(&self) -> Section<'static> {
        let section = rule_text::sections(self.page).find(|section| section.id == self.id);
        section.unwrap_or_default()
    }

    /// The usual severity of breaking it. Each diagnostic has its own.
    pub fn severity(&self) -> Severity {
        match WARNINGS.contains(&self.id) {
            true => Severity::Warning,
            false => Severity::Error,
        }
    }
}

/// Two pieces of assembly text: one that breaks a rule, and one that keeps it.
///
/// A piece need not be a whole module: [`Example::breaking`] and
/// [`Example::keeping`] put it into a frame of declarations.
#[derive(Clone, Debug)]
pub struct Example {
    /// What surrounds the pieces.
    pub frame: Frame,
    /// Breaks the rule.
    pub breaks: String,
    /// Keeps the rule.
    pub keeps: String,
}

/// What surrounds the lines of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// Nothing: the text is a whole module. Validated for SPIR-V 1.6.
    Whole,
    /// Nothing; validated for the environment of this name.
    WholeFor(&'static str),
    /// A compute shader with common types and constants: see
    /// `crates/validate/src/frames`. Validated for SPIR-V 1.6.
    Shader,
    /// The same with a fragment shader.
    Fragment,
    /// The shader frame, validated for the environment of this name.
    ShaderFor(&'static str),
    /// The fragment frame, validated for the environment of this name.
    FragmentFor(&'static str),
    /// A kernel with common types and constants. Validated for SPIR-V 1.6.
    Kernel,
    /// The same, validated for the environment of this name.
    KernelFor(&'static str),
    /// The shader frame, validated for SPIR-V 1.6 with limits of [`FEW`](Self::FEW) for
    /// everything that section 2.17 limits except the id bound.
    Limited,
}

impl Frame {
    /// The limits of [`Limited`](Self::Limited) examples.
    pub const FEW: u32 = 3;

    /// The options to validate the example with.
    pub fn options(self) -> Options {
        let env = self.environment().parse();
        let mut options = env.map_or_else(|_| Options::default(), Options::for_env);
        if self == Self::Limited {
            options.limits = Limits {
                id_bound: options.limits.id_bound,
                struct_members: Self::FEW,
                struct_depth: Self::FEW,
                local_variables: Self::FEW,
                global_variables: Self::FEW,
                switch_branches: Self::FEW,
                function_args: Self::FEW,
                control_flow_nesting_depth: Self::FEW,
                access_chain_indexes: Self::FEW,
            };
        }
        options
    }

    /// The name of the environment to validate the example for.
    pub fn environment(self) -> &'static str {
        match self {
            Self::Whole | Self::Shader | Self::Fragment | Self::Kernel | Self::Limited => "spv1.6",
            Self::WholeFor(env)
            | Self::ShaderFor(env)
            | Self::FragmentFor(env)
            | Self::KernelFor(env) => env,
        }
    }
}

impl Example {
    /// Two pieces in the named frames. The names are listed from the outermost to the
    /// innermost, followed by the environment, with or without commas: `shader, matrices,
    /// spv1.6`. An unknown environment is taken as SPIR-V 1.6; unknown frames are ignored.
    pub fn framed(frames: &str, breaks: &str, keeps: &str) -> Self {
        let mut frames = frames.split([',', ' ']).filter(|name| !name.is_empty());
        let environment = frames.next_back().and_then(|name| name.parse().ok());
        let environment = environment.map_or("spv1.6", TargetEnv::name);
        let mut example = Self {
            frame: Frame::WholeFor(environment),
            breaks: breaks.to_owned(),
            keeps: keeps.to_owned(),
        };
        for name in frames.rev() {
            match name {
                "shader" => example.frame = Frame::ShaderFor(environment),
                "fragment" => example.frame = Frame::FragmentFor(environment),
                "kernel" => example.frame = Frame::KernelFor(environment),
                "limited" => example.frame = Frame::Limited,
                _ => example.fill(name),
            }
        }
        example
    }

    /// The piece that breaks the rule, as a whole module.
    pub fn breaking(&self) -> String {
        example_frame::module(self.frame, &self.breaks)
    }

    /// The piece that keeps the rule, as a whole module.
    pub fn keeping(&self) -> String {
        example_frame::module(self.frame, &self.keeps)
    }

    /// Puts both pieces into a frame that several rules share.
    fn fill(&mut self, name: &str) {
        if let Some((_, frame)) = FRAMES.iter().find(|frame| frame.0 == name) {
            self.breaks = example_frame::fill(frame, &self.breaks);
            self.keeps = example_frame::fill(frame, &self.keeps);
        }
    }
}
