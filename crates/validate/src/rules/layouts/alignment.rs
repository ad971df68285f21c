//! How types must be aligned (Vulkan, section "Offset and Stride Assignment").

use spirvkit_analysis::layout;
use spirvkit_grammar::StorageClass;

/// By which rules types are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rules {
    /// How large alignments are.
    pub(super) alignment: layout::Rules,
    /// Lets vectors stand where their components may.
    pub(super) relaxed: bool,
    /// For messages.
    pub(super) class: StorageClass,
}

impl Rules {
    /// What Vulkan calls the alignments.
    pub(super) fn name(self) -> &'static str {
        match self.alignment {
            layout::Rules::Std140 => "extended",
            layout::Rules::Std430 => "standard",
            layout::Rules::Scalar | layout::Rules::Explicit => "scalar",
        }
    }

    /// Whether everything is aligned as its components are.
    pub(super) fn is_scalar(self) -> bool {
        self.alignment == layout::Rules::Scalar
    }

    /// The options that permit more, from the least on, and the rules with each.
    pub(super) fn wider(self) -> impl Iterator<Item = (&'static str, Self)> {
        let scalar = match self.class {
            StorageClass::Workgroup => {
                "the feature `workgroupMemoryExplicitLayoutScalarBlockLayout` (`--workgroup-scalar-block-layout`) \
                 permits it"
            }
            _ => "the feature `scalarBlockLayout` (`--scalar-block-layout`) permits it",
        };
        let aligned = |alignment| Self { alignment, ..self };
        let all = [
            (
                !self.relaxed,
                "the extension `VK_KHR_relaxed_block_layout` (`--relax-block-layout`) permits it",
                Self {
                    relaxed: true,
                    ..self
                },
            ),
            (
                self.alignment == layout::Rules::Std140,
                "the feature `uniformBufferStandardLayout` (`--uniform-buffer-standard-layout`) permits it",
                aligned(layout::Rules::Std430),
            ),
            (true, scalar, aligned(layout::Rules::Scalar)),
        ];
        let changing = all
            .into_iter()
            .filter(move |each| each.0 && !self.is_scalar());
        changing.map(|(_, advice, rules)| (advice, rules))
    }
}
