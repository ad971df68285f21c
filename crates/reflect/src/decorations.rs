//! What decorations (specification, section 3.20) say of one target.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Decorated;
use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{BuiltIn, Decoration};

/// What decorations say of an id or a member. Of several of one kind, the last
/// counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Decorations<'a> {
    pub(crate) set: Option<u32>,
    pub(crate) binding: Option<u32>,
    pub(crate) location: Option<u32>,
    pub(crate) component: Option<u32>,
    pub(crate) index: Option<u32>,
    pub(crate) built_in: Option<BuiltIn>,
    pub(crate) input_attachment: Option<u32>,
    pub(crate) spec_id: Option<u32>,
    pub(crate) counter: Option<Id>,
    pub(crate) semantic: Option<LiteralString<'a>>,
    pub(crate) user_type: Option<LiteralString<'a>>,
    pub(crate) stream: Option<u32>,
    pub(crate) xfb_buffer: Option<u32>,
    pub(crate) xfb_stride: Option<u32>,
    pub(crate) offset: Option<u32>,
    /// The constant that gives an offset, and the one that gives an array's stride.
    pub(crate) offset_id: Option<Id>,
    pub(crate) stride_id: Option<Id>,
    /// Bits of [`FLAGS`].
    flags: u64,
    /// Bits of attributes of function parameters.
    attributes: u32,
}

/// Decorations without operands that say something of a resource or an interface.
const FLAGS: &[Decoration] = &[
    Decoration::Block,
    Decoration::BufferBlock,
    Decoration::NonWritable,
    Decoration::NonReadable,
    Decoration::Restrict,
    Decoration::Aliased,
    Decoration::Volatile,
    Decoration::Constant,
    Decoration::Coherent,
    Decoration::RestrictPointer,
    Decoration::AliasedPointer,
    Decoration::Flat,
    Decoration::NoPerspective,
    Decoration::Centroid,
    Decoration::Sample,
    Decoration::Patch,
    Decoration::Invariant,
    Decoration::RelaxedPrecision,
    Decoration::ExplicitInterpAMD,
    Decoration::PerVertexKHR,
    Decoration::PerPrimitiveEXT,
    Decoration::PerViewNV,
    Decoration::PerTaskNV,
    Decoration::PassthroughNV,
    Decoration::ViewportRelativeNV,
    Decoration::OverrideCoverageNV,
    Decoration::WeightTextureQCOM,
    Decoration::BlockMatchTextureQCOM,
    Decoration::BlockMatchSamplerQCOM,
];

impl<'a> Decorations<'a> {
    /// What is said of an id itself, not of its members.
    pub(crate) fn of(index: &ModuleIndex<'a>, id: Id) -> Self {
        let mut own = Self::default();
        index.own_decorations(id).for_each(|each| own.note(&each));
        own
    }

    /// What is said of a structure itself and of each of its so many members. All are
    /// read at once, as there may be very many.
    pub(crate) fn of_structure(
        index: &ModuleIndex<'a>,
        id: Id,
        members: usize,
    ) -> (Self, Vec<Self>) {
        let mut own = Self::default();
        let mut of_members = vec![Self::default(); members];
        for each in index.decorations(id) {
            let target = match each.member {
                Some(member) => of_members.get_mut(member as usize),
                None => Some(&mut own),
            };
            target.into_iter().for_each(|target| target.note(&each));
        }
        (own, of_members)
    }

    /// Whether a decoration without operands is there.
    pub(crate) fn has(&self, decoration: Decoration) -> bool {
        // Most have none.
        self.flags != 0 && self.flags & flag(decoration) != 0
    }

    /// The decorations without operands, but for what makes blocks.
    pub(crate) fn flags(&self) -> Vec<Decoration> {
        let mut left = self.flags;
        let set = std::iter::from_fn(|| {
            let lowest = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            FLAGS.get(lowest).copied()
        });
        set.filter(|decoration| !matches!(*decoration, Decoration::Block | Decoration::BufferBlock))
            .collect()
    }

    /// Whether a function parameter has the attribute with this number.
    pub(crate) fn has_attribute(&self, attribute: u32) -> bool {
        attribute < 32 && self.attributes & 1 << attribute != 0
    }

    fn note(&mut self, decorated: &Decorated<'a>) {
        let (decoration, words) = (decorated.decoration, decorated.params);
        let Some(&first) = words.first() else {
            self.flags |= flag(decoration);
            return;
        };
        let string = || LiteralString::at_start_of(words);
        match decoration {
            Decoration::DescriptorSet => self.set = Some(first),
            Decoration::Binding => self.binding = Some(first),
            Decoration::Location => self.location = Some(first),
            Decoration::Component => self.component = Some(first),
            Decoration::Index => self.index = Some(first),
            Decoration::BuiltIn => self.built_in = Some(BuiltIn(first)),
            Decoration::InputAttachmentIndex => self.input_attachment = Some(first),
            Decoration::SpecId => self.spec_id = Some(first),
            Decoration::CounterBuffer => self.counter = Some(Id(first)),
            Decoration::UserSemantic => self.semantic = string(),
            Decoration::UserTypeGOOGLE => self.user_type = string(),
            Decoration::Stream => self.stream = Some(first),
            Decoration::XfbBuffer => self.xfb_buffer = Some(first),
            Decoration::XfbStride => self.xfb_stride = Some(first),
            Decoration::Offset => self.offset = Some(first),
            Decoration::OffsetIdEXT => self.offset_id = Some(Id(first)),
            Decoration::ArrayStrideIdEXT => self.stride_id = Some(Id(first)),
            Decoration::FuncParamAttr if first < 32 => self.attributes |= 1 << first,
            _ => self.flags |= flag(decoration),
        }
    }
}

/// The bit of a decoration; none if it isn't one of [`FLAGS`].
fn flag(decoration: Decoration) -> u64 {
    let place = FLAGS.iter().position(|&flag| flag == decoration);
    place.map_or(0, |place| 1 << place)
}
