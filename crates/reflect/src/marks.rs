//! Decorations (specification, section 3.20), by their targets.

use spirvkit_binary::{Id, IdMap, Instruction, LiteralString};
use spirvkit_grammar::{BuiltIn, Decoration, Op};

/// What decorations say of an id or a member. Of several of one kind, the last
/// counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks<'a> {
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

impl<'a> Marks<'a> {
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

    /// Notes a decoration with the words behind it.
    fn note(&mut self, decoration: Decoration, words: &'a [u32]) {
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

    /// Adds what was said later, by way of a group.
    fn add(&mut self, later: &Self) {
        *self = Self {
            set: later.set.or(self.set),
            binding: later.binding.or(self.binding),
            location: later.location.or(self.location),
            component: later.component.or(self.component),
            index: later.index.or(self.index),
            built_in: later.built_in.or(self.built_in),
            input_attachment: later.input_attachment.or(self.input_attachment),
            spec_id: later.spec_id.or(self.spec_id),
            counter: later.counter.or(self.counter),
            semantic: later.semantic.or(self.semantic),
            user_type: later.user_type.or(self.user_type),
            stream: later.stream.or(self.stream),
            xfb_buffer: later.xfb_buffer.or(self.xfb_buffer),
            xfb_stride: later.xfb_stride.or(self.xfb_stride),
            offset: later.offset.or(self.offset),
            offset_id: later.offset_id.or(self.offset_id),
            stride_id: later.stride_id.or(self.stride_id),
            flags: self.flags | later.flags,
            attributes: self.attributes | later.attributes,
        };
    }
}

/// The bit of a decoration; none if it isn't one of [`FLAGS`].
fn flag(decoration: Decoration) -> u64 {
    let place = FLAGS.iter().position(|&flag| flag == decoration);
    place.map_or(0, |place| 1 << place)
}

/// One decoration of a target.
#[derive(Clone, Copy, Debug)]
enum Entry<'a> {
    /// A decoration with the words behind it.
    Own(Decoration, &'a [u32]),
    /// All that a group has: the index of it.
    Group(u32),
}

/// An id, or one of its members.
type Target = (u32, Option<u32>);

/// All decorations of a module.
#[derive(Debug)]
pub(crate) struct Decorations<'a> {
    entries: Vec<(Target, Entry<'a>)>,
    /// What each group has: decorations come before the groups that get them.
    groups: Vec<Marks<'a>>,
    /// One more than the index of a group.
    places: IdMap<u32>,
    /// Whether all have been noted, and `entries` is in order.
    sorted: bool,
}

impl<'a> Decorations<'a> {
    /// No decorations, of a module of this many words.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            entries: Vec::new(),
            groups: Vec::new(),
            places: IdMap::new(0, words),
            sorted: false,
        }
    }

    /// Notes an annotation instruction.
    pub(crate) fn note(&mut self, instruction: &Instruction<'a>) {
        match (instruction.op(), instruction.operand_words()) {
            // Said of results only, and of many.
            (Op::Decorate, &[_, decoration])
                if Decoration(decoration) == Decoration::NoContraction => {}
            (op, &[target, decoration, ref words @ ..]) if op.is_decorate() => {
                let entry = Entry::Own(Decoration(decoration), words);
                self.entries.push(((target, None), entry));
            }
            (op, &[target, member, decoration, ref words @ ..]) if op.is_member_decorate() => {
                let entry = Entry::Own(Decoration(decoration), words);
                self.entries.push(((target, Some(member)), entry));
            }
            (Op::DecorationGroup, &[group]) => self.add_group(group),
            (Op::GroupDecorate, &[group, ref targets @ ..]) => {
                let Some(group) = self.places.get(Id(group)).checked_sub(1) else {
                    return;
                };
                let entry = Entry::Group(group);
                let targets = targets.iter().map(|&target| ((target, None), entry));
                self.entries.extend(targets);
            }
            (Op::GroupMemberDecorate, &[group, ref targets @ ..]) => {
                let Some(group) = self.places.get(Id(group)).checked_sub(1) else {
                    return;
                };
                let targets = targets.chunks_exact(2);
                let entry = Entry::Group(group);
                let targets = targets.map(|pair| ((pair[0], Some(pair[1])), entry));
                self.entries.extend(targets);
            }
            _ => {}
        }
    }

    fn add_group(&mut self, id: u32) {
        // An id keeps its first definition.
        if self.places.get(Id(id)) != 0 {
            return;
        }
        self.groups.push(Marks::default());
        self.places.replace(Id(id), self.groups.len() as u32);
    }

    /// Gets ready to be asked: all have been noted.
    pub(crate) fn finish(&mut self) {
        let mut groups = std::mem::take(&mut self.groups);
        if !groups.is_empty() {
            for &((target, member), entry) in &self.entries {
                let group = self.places.get(Id(target)).checked_sub(1);
                let group = group.filter(|_| member.is_none());
                let group = group.and_then(|group| groups.get_mut(group as usize));
                if let (Some(group), Entry::Own(decoration, words)) = (group, entry) {
                    group.note(decoration, words);
                }
            }
        }
        self.groups = groups;
        // Stable: later decorations of a target stay behind earlier ones.
        self.entries.sort_by_key(|&(target, _)| target);
        self.sorted = true;
    }

    /// What is said of an id.
    pub(crate) fn of(&self, id: Id) -> Marks<'a> {
        self.get((id.0, None))
    }

    /// What is said of a member of a structure.
    pub(crate) fn of_member(&self, id: Id, member: u32) -> Marks<'a> {
        self.get((id.0, Some(member)))
    }

    fn get(&self, target: Target) -> Marks<'a> {
        debug_assert!(self.sorted);
        let start = self.entries.partition_point(|&(found, _)| found < target);
        let mut marks = Marks::default();
        let entries = self.entries.iter().skip(start);
        for (_, entry) in entries.take_while(|&&(found, _)| found == target) {
            match *entry {
                Entry::Own(decoration, words) => marks.note(decoration, words),
                Entry::Group(group) => {
                    if let Some(group) = self.groups.get(group as usize) {
                        marks.add(group);
                    }
                }
            }
        }
        marks
    }

    /// The targets with a decoration of this kind, and the first word behind it, in
    /// the order of targets; groups are left out.
    pub(crate) fn all(&self, decoration: Decoration) -> impl Iterator<Item = (Id, u32)> + '_ {
        self.entries.iter().filter_map(move |entry| match *entry {
            ((target, None), Entry::Own(found, &[word, ..])) if found == decoration => {
                Some((Id(target), word))
            }
            _ => None,
        })
    }
}
