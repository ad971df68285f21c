//! Sizes and alignments of types under the rules of a layout (Vulkan, section
//! "Offset and Stride Assignment").

use hashbrown::{HashMap, HashSet};

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use super::members::{self, Member};
use crate::finding::Finding;
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::layout;

/// By which rules types are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rules {
    pub(super) kind: Kind,
    /// Lets vectors stand where their components may.
    pub(super) relaxed: bool,
    /// For messages.
    pub(super) class: StorageClass,
}

/// How large alignments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Arrays, structures and matrices are aligned to 16 bytes: "std140".
    Extended,
    /// "std430".
    Standard,
    /// Everything is aligned to its components.
    Scalar,
}

impl Rules {
    pub(super) fn name(self) -> &'static str {
        match self.kind {
            Kind::Extended => "extended",
            Kind::Standard => "standard",
            Kind::Scalar => "scalar",
        }
    }

    /// The options that permit more, from the least on, and the rules with each.
    pub(super) fn wider(self) -> impl Iterator<Item = (&'static str, Self)> {
        let scalar = match self.class {
            StorageClass::Workgroup => {
                "the feature workgroupMemoryExplicitLayoutScalarBlockLayout (--workgroup-scalar-block-layout) \
                 permits it"
            }
            _ => "the feature scalarBlockLayout (--scalar-block-layout) permits it",
        };
        let with_kind = |kind| Self { kind, ..self };
        let all = [
            (
                !self.relaxed,
                "the extension VK_KHR_relaxed_block_layout (--relax-block-layout) permits it",
                Self {
                    relaxed: true,
                    ..self
                },
            ),
            (
                self.kind == Kind::Extended,
                "the feature uniformBufferStandardLayout (--uniform-buffer-standard-layout) permits it",
                with_kind(Kind::Standard),
            ),
            (true, scalar, with_kind(Kind::Scalar)),
        ];
        let is_scalar = self.kind == Kind::Scalar;
        let changing = all.into_iter().filter(move |each| each.0 && !is_scalar);
        changing.map(|(_, advice, rules)| (advice, rules))
    }
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MatrixLayout {
    pub(super) stride: u64,
    pub(super) row_major: bool,
}

/// As many types as most modules lay out at once.
const LIKELY: usize = 14;

/// What is known of a type's layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) size: u64,
    pub(super) alignment: u64,
    /// The offsets, modulo 16, at which a vector within the type would cross a
    /// boundary of 16 bytes that it must not cross: one bit each.
    pub(super) straddles: u16,
}

pub(super) const UNKNOWN: Layout = Layout {
    size: 0,
    alignment: 1,
    straddles: 0,
};

/// Lays out types; each once.
pub(super) struct Layouts<'m, 'a> {
    pub(super) m: &'m Module<'a>,
    pub(super) rules: Rules,
    /// The size of images and samplers for which the options give none.
    descriptor_size: u64,
    known: HashMap<u32, Layout>,
    /// Types of which something is wrong, or of which a part is such a type.
    unsound: HashSet<u32>,
    /// Types with strides that were told of.
    reported: HashSet<u32>,
}

/// What is wrong with the layout of a type.
pub(super) struct Found {
    /// A structure, or an array outside of structures.
    pub(super) ty: Id,
    pub(super) finding: Finding,
}

impl<'m, 'a> Layouts<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>, rules: Rules) -> Self {
        Self {
            m,
            rules,
            descriptor_size: bindless_size(m),
            known: HashMap::with_capacity(LIKELY),
            unsound: HashSet::new(),
            reported: HashSet::new(),
        }
    }

    /// Lays out a type and all types within it, and checks each that was not
    /// checked before.
    pub(super) fn lay_out(&mut self, root: Id, found: &mut Vec<Found>) {
        let m = self.m;
        let mut pending = Vec::with_capacity(LIKELY);
        let mut todo = Vec::with_capacity(LIKELY);
        todo.push(root);
        while let Some(ty) = todo.pop() {
            if !m.is_aggregate(ty) || self.known.contains_key(&ty.0) {
                continue;
            }
            // So that it isn't met again.
            self.known.insert(ty.0, UNKNOWN);
            pending.push(ty);
            todo.extend(m.parts(ty).iter().map(|&part| Id(part)));
        }
        // Types come after those that they hold.
        pending.sort_unstable_by_key(|&ty| m.def_offset(ty));
        let mut reporter = Vec::new();
        for ty in pending {
            let layout = match m.ty(ty) {
                Type::Struct { members } => members::check(self, ty, members, &mut reporter),
                // Arrays of matrices are laid out with their members.
                _ if self.is_matrix(ty) => UNKNOWN,
                _ => self.array(ty, MatrixLayout::default(), &mut reporter),
            };
            self.known.insert(ty.0, layout);
            if !reporter.is_empty() || self.has_unsound_part(ty) {
                self.unsound.insert(ty.0);
            }
            let own = m.def_offset(ty);
            for finding in reporter.drain(..) {
                // The stride of an array is not told of with each of its members.
                if finding.offset() == own || self.reported.insert(finding.offset()) {
                    found.push(Found { ty, finding });
                }
            }
        }
    }

    fn has_unsound_part(&self, ty: Id) -> bool {
        if self.unsound.is_empty() {
            return false;
        }
        match self.m.ty(ty) {
            Type::Struct { members } => members.iter().any(|part| self.unsound.contains(part)),
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                self.unsound.contains(&element.0)
            }
            _ => false,
        }
    }

    /// Whether nothing is wrong with a type that has been laid out, nor with what
    /// it holds.
    pub(super) fn is_sound(&self, ty: Id) -> bool {
        !self.unsound.contains(&ty.0)
    }

    pub(super) fn is_vector(&self, ty: Id) -> bool {
        matches!(self.m.ty(ty), Type::Vector { .. })
    }

    /// Whether the type is a matrix or arrays of them.
    pub(super) fn is_matrix(&self, ty: Id) -> bool {
        matches!(self.m.ty(self.m.without_arrays(ty)), Type::Matrix { .. })
    }

    /// The layout of a type whose parts have been laid out; of arrays only, if
    /// they hold matrices.
    pub(super) fn layout(&self, ty: Id, matrix: MatrixLayout, found: &mut Vec<Finding>) -> Layout {
        let m = self.m;
        match m.ty(ty) {
            Type::Int { width, .. } | Type::Float { width, .. } => {
                let size = u64::from(width.div_ceil(8));
                Layout {
                    size,
                    alignment: size.max(1),
                    straddles: 0,
                }
            }
            Type::Bool => Layout {
                size: 4,
                alignment: 4,
                straddles: 0,
            },
            Type::Vector { component, count } => self.vector(component, u64::from(count)),
            Type::LongVector { component, count } => {
                self.vector(component, m.constant_u64(count).unwrap_or(0))
            }
            Type::Matrix { column, count } => self.matrix(column, u64::from(count), matrix),
            Type::Pointer { .. } | Type::UntypedPointer { .. } => Layout {
                size: 8,
                alignment: 8,
                straddles: 0,
            },
            Type::Array { .. } | Type::RuntimeArray { .. } if self.is_matrix(ty) => {
                self.matrix_arrays(ty, matrix, found)
            }
            Type::Sampler => self.descriptor(m.options.sampler_descriptor, self.descriptor_size),
            Type::Image(_) => self.descriptor(m.options.image_descriptor, self.descriptor_size),
            Type::Other(Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR) => {
                self.descriptor(m.options.buffer_descriptor, 0)
            }
            _ => self.known.get(&ty.0).copied().unwrap_or(UNKNOWN),
        }
    }

    fn descriptor(&self, layout: crate::options::DescriptorLayout, default: u64) -> Layout {
        let given = |value: u32| match value {
            0 => default,
            _ => value.into(),
        };
        Layout {
            size: given(layout.size),
            alignment: given(layout.alignment).max(1),
            straddles: 0,
        }
    }

    fn vector(&self, component: Id, count: u64) -> Layout {
        let width = u64::from(self.m.bit_width(component).div_ceil(8)).max(1);
        let size = width.saturating_mul(count);
        let alignment = match (self.rules.kind, count) {
            (Kind::Scalar, _) | (_, 0 | 1 | 5..) => width,
            (_, 2) => 2 * width,
            _ => 4 * width,
        };
        let mut straddles = 0;
        if self.rules.kind != Kind::Scalar && count <= 4 {
            for offset in 0..16 {
                let crosses = match size <= 16 {
                    true => offset + size > 16,
                    false => offset != 0,
                };
                straddles |= u16::from(crosses) << offset;
            }
        }
        Layout {
            size,
            alignment,
            straddles,
        }
    }

    fn matrix(&self, column: Id, columns: u64, matrix: MatrixLayout) -> Layout {
        let rows = u64::from(self.m.dimension(column));
        let component = self.m.component_type(column);
        let width = u64::from(self.m.bit_width(component).div_ceil(8));
        let (lines, across) = match matrix.row_major {
            true => (rows, columns),
            false => (columns, rows),
        };
        let alignment = self.vector(component, across).alignment;
        let size = (lines.saturating_sub(1))
            .saturating_mul(matrix.stride)
            .saturating_add(across * width);
        Layout {
            size,
            alignment: self.extend(alignment),
            straddles: 0,
        }
    }

    /// The alignment of something that is made of parts.
    pub(super) fn extend(&self, alignment: u64) -> u64 {
        match self.rules.kind {
            Kind::Extended => round_up(alignment, 16),
            _ => alignment,
        }
    }

    /// Arrays of arrays of matrices, from the inside out.
    fn matrix_arrays(&self, ty: Id, matrix: MatrixLayout, found: &mut Vec<Finding>) -> Layout {
        let m = self.m;
        let mut arrays = Vec::new();
        let mut inner = ty;
        while let Type::Array { element, .. } | Type::RuntimeArray { element } = m.ty(inner) {
            // A broken module's array may be made of itself.
            if m.def_offset(element) >= m.def_offset(inner) {
                return UNKNOWN;
            }
            arrays.push(inner);
            inner = element;
        }
        let mut layout = self.layout(inner, matrix, found);
        while let Some(array) = arrays.pop() {
            layout = self.array_of(array, layout, found);
        }
        layout
    }

    fn array(&self, ty: Id, matrix: MatrixLayout, found: &mut Vec<Finding>) -> Layout {
        let element = match self.m.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            _ => return UNKNOWN,
        };
        let layout = self.layout(element, matrix, found);
        self.array_of(ty, layout, found)
    }

    /// Lays out and checks an array of elements with this layout. Without a sound
    /// stride, only its alignment is known.
    fn array_of(&self, ty: Id, element: Layout, found: &mut Vec<Finding>) -> Layout {
        let m = self.m;
        let stride = m.own_decorations(ty).find(|decorated| {
            matches!(
                decorated.decoration,
                Decoration::ArrayStride | Decoration::ArrayStrideIdEXT
            )
        });
        let alignment = self.extend(element.alignment);
        let only_aligned = Layout {
            size: 0,
            alignment,
            straddles: 0,
        };
        let Some(stride) = stride else {
            // What a heap's descriptors look like to a buffer is left open.
            if self.rules.class != StorageClass::UniformConstant && self.holds_descriptors(ty) {
                return UNKNOWN;
            }
            let message = format!("{} needs a stride", m.show_type(ty));
            let finding = self.finding(&layout::MISSING, ty, message);
            found.push(finding.help("decorate the array with ArrayStride"));
            return only_aligned;
        };
        let value = match stride.decoration {
            Decoration::ArrayStride => Some(u64::from(stride.param(0))),
            _ => m.constant_u64(Id(stride.param(0))),
        };
        // A stride that specialization says is not known.
        let Some(value) = value else {
            return only_aligned;
        };
        let at = stride.inst.offset();
        let mut wrong = |message: String| {
            let finding = self.finding(&layout::ARRAY_STRIDE, ty, message);
            found.push(finding.at(at, "the stride is given here"));
            only_aligned
        };
        if !m.options.skip_block_layout {
            if value == 0 {
                return wrong(format!("the stride of {} is 0", m.show_type(ty)));
            }
            if !value.is_multiple_of(alignment) {
                return wrong(format!(
                    "the stride of {} must be a multiple of {alignment}, but is {value}",
                    m.show_type(ty)
                ));
            }
            if value < element.size {
                return wrong(format!(
                    "the stride of {} is {value}, but its elements have {}",
                    m.show_type(ty),
                    counted(element.size as usize, "byte")
                ));
            }
        }
        let count = match m.ty(ty) {
            Type::Array { length, .. } => m.constant_u64(length).unwrap_or(0),
            _ => 0,
        };
        let size = match count.checked_sub(1) {
            Some(before) => before.saturating_mul(value).saturating_add(element.size),
            None => 0,
        };
        let is_runtime = matches!(m.ty(ty), Type::RuntimeArray { .. });
        let repeated = if is_runtime { 16 } else { count.clamp(1, 16) };
        let straddles = (0..repeated).fold(0, |all, index| {
            all | shifted(element.straddles, index.wrapping_mul(value))
        });
        Layout {
            size,
            alignment,
            straddles,
        }
    }

    /// Whether the type is an array of descriptors.
    fn holds_descriptors(&self, ty: Id) -> bool {
        let m = self.m;
        matches!(
            m.ty(m.without_arrays(ty)),
            Type::Sampler
                | Type::Image(_)
                | Type::Other(Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR)
        )
    }

    /// A finding of a type that must be laid out by the rules.
    #[cold]
    pub(super) fn finding(
        &self,
        rule: &'static crate::rule::Rule,
        ty: Id,
        message: String,
    ) -> Finding {
        let message = format!(
            "{message} (by the {} rules for {})",
            self.rules.name(),
            self.rules.class
        );
        // Types that it holds are named only to say what it is.
        self.m.mentions.borrow_mut().clear();
        self.m.mention(ty);
        Finding::new(rule, self.m.def_offset(ty), message)
    }

    /// Where a member's alignment must be looked for: vectors under relaxed
    /// rules need only that of their components.
    pub(super) fn member_alignment(&self, member: &Member) -> u64 {
        match self.m.ty(member.ty) {
            Type::Vector { component, .. } if self.rules.relaxed => {
                u64::from(self.m.bit_width(component).div_ceil(8)).max(1)
            }
            _ => member.layout.alignment,
        }
    }
}

/// The size of images and samplers where they are numbers
/// (`SPV_NV_bindless_texture`), else 0.
fn bindless_size(m: &Module<'_>) -> u64 {
    if !m.has(Capability::BindlessTextureNV) {
        return 0;
    }
    let mut globals = m
        .all_instructions()
        .take_while(|inst| inst.op() != Op::Function);
    let mode = globals.find(|inst| inst.op() == Op::SamplerImageAddressingModeNV);
    mode.map_or(0, |mode| u64::from(mode.arg(0) / 8))
}

/// The straddles of a type that stands at an offset within another.
pub(super) fn shifted(straddles: u16, offset: u64) -> u16 {
    straddles.rotate_right((offset % 16) as u32)
}

pub(super) fn round_up(value: u64, alignment: u64) -> u64 {
    value
        .div_ceil(alignment.max(1))
        .saturating_mul(alignment.max(1))
}
