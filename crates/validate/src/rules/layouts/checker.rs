//! Checks of what decorations declare against the rules.

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::layout::{DeclaredLayouts, Extent, Layout, OpaqueLayout, Types};
use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use super::alignment::Rules;
use super::members;
use super::straddles::repeated;
use crate::finding::Finding;
use crate::module::{Lookup, Module, Type};
use crate::options::DescriptorLayout;
use crate::rules::generated::layout;

/// Checks types by the same rules; each once.
pub(super) struct Checker<'t, 'a> {
    pub(super) m: &'t Module<'a>,
    pub(super) rules: Rules,
    pub(super) layouts: DeclaredLayouts<'t>,
    /// Structures and arrays of which something is wrong, or of which a part is such a
    /// type, with the number of bytes that what is right of them takes at least.
    unsound: HashMap<u32, u64>,
    /// Of structures and arrays that have any: see [`super::straddles`].
    pub(super) straddles: HashMap<u32, u16>,
    /// Types with strides that were reported.
    reported: HashSet<u32>,
}

/// What is wrong with the layout of a type.
pub(super) struct Found {
    /// A structure, or an array outside of structures.
    pub(super) ty: Id,
    pub(super) finding: Finding,
}

impl<'t, 'a> Checker<'t, 'a> {
    pub(super) fn new(
        m: &'t Module<'a>,
        types: &'t Types<'t>,
        rules: Rules,
        opaque: OpaqueLayout<'t>,
    ) -> Self {
        Self {
            m,
            rules,
            layouts: DeclaredLayouts::new(types, rules.alignment, opaque),
            unsound: HashMap::new(),
            straddles: HashMap::new(),
            reported: HashSet::new(),
        }
    }

    /// Checks a type and all types within it that were not checked before.
    pub(super) fn check(&mut self, root: Id, found: &mut Vec<Found>) {
        let m = self.m;
        let mut findings = Vec::new();
        for ty in self.layouts.lay_out(root) {
            let (straddles, size) = match m.ty(ty) {
                Type::Struct { .. } => members::check(self, ty, &mut findings),
                Type::Array { element, .. } | Type::RuntimeArray { element } => {
                    self.array(ty, element, &mut findings)
                }
                _ => (0, 0),
            };
            if straddles != 0 {
                self.straddles.insert(ty.0, straddles);
            }
            if !findings.is_empty() || self.has_unsound_part(ty) {
                self.unsound.insert(ty.0, size);
            }
            let own = m.def_offset(ty);
            for finding in findings.drain(..) {
                // The stride of an array is not reported with each of its members.
                if finding.offset() == own || self.reported.insert(finding.offset()) {
                    let finding = self.with_stride(finding);
                    found.push(Found { ty, finding });
                }
            }
        }
    }

    fn has_unsound_part(&self, ty: Id) -> bool {
        let parts = || self.m.parts(ty).iter();
        !self.unsound.is_empty() && parts().any(|part| self.unsound.contains_key(part))
    }

    /// Whether nothing is wrong with a type that has been checked, nor with what it
    /// holds.
    pub(super) fn is_sound(&self, ty: Id) -> bool {
        !self.unsound.contains_key(&ty.0)
    }

    /// How many bytes a type that has been checked takes at least. What is wrong within
    /// it counts for nothing.
    pub(super) fn least_size(&self, ty: Id, layout: &Layout) -> u64 {
        let unsound = self.unsound.get(&ty.0).copied();
        unsound.unwrap_or_else(|| least(layout.size))
    }

    /// Checks an array, but for arrays of matrices, which are checked with members. Returns
    /// its straddles and its least size.
    fn array(&self, ty: Id, element: Id, found: &mut Vec<Finding>) -> (u16, u64) {
        let (array, inner) = (self.layouts.get(ty), self.layouts.get(element));
        if array.matrix.is_some() {
            return (0, 0);
        }
        let size = self.least_size(element, &inner);
        self.check_stride(ty, &array, size, found);
        if !found.is_empty() {
            // Of what is wrong, the size says nothing.
            return (0, 0);
        }
        let straddles = match (array.array_stride, self.straddles(element, &inner)) {
            (Some(Extent::Fixed(stride)), straddles) if straddles != 0 => {
                repeated(straddles, stride, self.repetitions(ty))
            }
            _ => 0,
        };
        // The last element may end sooner.
        let left_out = least(inner.size).saturating_sub(size);
        (straddles, least(array.size).saturating_sub(left_out))
    }

    /// How many elements an array has at least; of run-time arrays, as many as matter.
    fn repetitions(&self, array: Id) -> u64 {
        match self.m.op_of(array) {
            Op::TypeRuntimeArray => u64::MAX,
            _ => self.m.array_length(array).unwrap_or(0),
        }
    }

    /// Checks how far apart the elements of an array are, of which each has so many bytes at
    /// least.
    pub(super) fn check_stride(
        &self,
        ty: Id,
        layout: &Layout,
        size: u64,
        found: &mut Vec<Finding>,
    ) {
        let m = self.m;
        let stride = match layout.array_stride {
            Some(Extent::Fixed(stride)) => stride,
            None => {
                // What a heap's descriptors look like to a buffer is left open.
                if self.rules.class == StorageClass::UniformConstant || !self.holds_descriptors(ty)
                {
                    let message = format!("{} needs a stride", m.show_type(ty));
                    let finding = self.finding(&layout::MISSING, ty, message);
                    found.push(finding.help("decorate the array with `ArrayStride`"));
                }
                return;
            }
            // A stride that specialization says is not known.
            _ => return,
        };
        if m.options.skip_block_layout {
            return;
        }
        let name = || m.show_type(ty);
        let message = match layout.alignment {
            _ if stride == 0 => format!("the stride of {} is 0", name()),
            alignment if !stride.is_multiple_of(alignment) => format!(
                "the stride of {} must be a multiple of {alignment}, but is {stride}",
                name()
            ),
            _ if stride < size => format!(
                "the stride of {} is {stride}, but its elements have {}",
                name(),
                counted(size as usize, "byte")
            ),
            _ => return,
        };
        found.push(self.finding(&layout::ARRAY_STRIDE, ty, message));
    }

    /// Shows where a stride is given of which something is wrong.
    fn with_stride(&self, finding: Finding) -> Finding {
        if !std::ptr::eq(finding.rule(), &layout::ARRAY_STRIDE) {
            return finding;
        }
        let array = self.m.inst(finding.offset()).and_then(|inst| inst.result());
        let own = array.into_iter().flat_map(|id| self.m.own_decorations(id));
        let given = own.filter(|decorated| {
            let decoration = decorated.decoration;
            decoration == Decoration::ArrayStride || decoration == Decoration::ArrayStrideIdEXT
        });
        match given.last() {
            Some(given) => finding.at(given.inst.offset(), "the stride is given here"),
            None => finding,
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
}

/// The number of bytes that a size stands for at least.
pub(super) fn least(size: Extent) -> u64 {
    match size {
        Extent::Fixed(bytes) => bytes,
        Extent::TooLarge => u64::MAX,
        _ => 0,
    }
}

/// The size and the alignment of types for which no layout has rules: those of booleans
/// as front ends store them, those of descriptors from the options. Everything else is
/// of no size, because other rules forbid it where there is a layout.
pub(super) fn opaque(m: &Module<'_>) -> impl Fn(Id) -> (u64, u64) {
    let bindless = bindless_size(m);
    let descriptor = |layout: DescriptorLayout, default: u64| {
        let given = |value: u32| match value {
            0 => default,
            _ => value.into(),
        };
        (given(layout.size), given(layout.alignment).max(1))
    };
    move |ty| match (m.ty(ty), descriptor_layout(m, ty)) {
        (Type::Bool, _) => (4, 4),
        (Type::Sampler | Type::Image(_), Some(layout)) => descriptor(layout, bindless),
        (_, Some(layout)) => descriptor(layout, 0),
        (_, None) => (0, 1),
    }
}

/// What the options say of a type's descriptors, if it has any.
pub(super) fn descriptor_layout(m: &Module<'_>, ty: Id) -> Option<DescriptorLayout> {
    Some(match m.ty(ty) {
        Type::Sampler => m.options.sampler_descriptor,
        Type::Image(_) => m.options.image_descriptor,
        Type::Other(Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR) => {
            m.options.buffer_descriptor
        }
        Type::Other(Op::TypeTensorARM) => m.options.tensor_descriptor,
        _ => return None,
    })
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
