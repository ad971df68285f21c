//! Parts of buffers by name: `x`, `x.a[3]`, `0:1:f32[0..8]`.

use std::collections::HashSet;
use std::fmt;

use spirvkit::binary::{FloatFormat, Id, NumberType};
use spirvkit::eval::ScalarType;
use spirvkit::interp::Run;
use spirvkit::reflect::{Descriptor, Extent, Order, Reflection, TypeKind};

use super::arguments::{Binding, Memory, Type};
use super::slices::Slice;

/// How deep types may be nested whose parts are read and written one by one.
const MAX_DEPTH: usize = 32;

/// How many parts are gone through to read or write numbers. A broken module may have more than
/// any buffer.
const MAX_PARTS: u64 = 1 << 28;

/// What users write for a part of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// As it was written.
    pub(super) text: String,
    base: Base,
    steps: Vec<Step>,
    /// As what numbers to take what is there, whatever its type.
    pub(super) ty: Option<Type>,
    range: Option<(u64, u64)>,
}

#[derive(Clone, Debug)]
enum Base {
    Binding(Binding),
    Name(String),
}

/// A step into a type.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Member(String),
    Index(u64),
}

/// Whose bytes they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// Of a buffer: the set, the binding, the element of an array.
    Buffer(u32, u32, u32),
    /// Of a kernel's argument.
    Argument(String),
    /// Of memory that only addresses lead to, which one.
    Memory(usize),
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer(set, binding, 0) => write!(f, "{set}:{binding}"),
            Self::Buffer(set, binding, element) => write!(f, "{set}:{binding}[{element}]"),
            Self::Argument(name) => f.write_str(name),
            Self::Memory(index) => write!(f, "memory {index}"),
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) home: Home,
    /// What is there, if the module says so.
    pub(super) part: Option<Part>,
    /// Whether it is all of it.
    pub(super) is_whole: bool,
    /// Which of its elements, or numbers.
    pub(super) range: Option<(u64, u64)>,
    /// Which part of an image.
    pub(super) slice: Option<Slice>,
}

/// A part of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) ty: Id,
    pub(super) offset: u64,
    /// How matrices in it are laid out.
    matrix: Option<(u64, Order)>,
    /// How many bytes apart the components of a vector are, if it is the column of a row-major
    /// matrix.
    apart: Option<u64>,
}

impl Wanted {
    /// What it is called where it is shown: without type and range.
    pub(super) fn label(&self) -> String {
        let mut label = match &self.base {
            Base::Binding(binding) => binding.to_string(),
            Base::Name(name) => name.clone(),
        };
        for step in &self.steps {
            match step {
                Step::Member(name) => label.extend([".", name]),
                Step::Index(index) => label += &format!("[{index}]"),
            }
        }
        label
    }

    /// Why nothing can be written there: it says as what, or which elements, to show.
    pub(super) fn only_shown(&self) -> Result<(), String> {
        match (self.ty, self.range) {
            (_, Some(_)) => Err("a range can be shown, but not written".into()),
            (Some(ty), _) => Err(format!(
                "what is written has the type that the module declares, not one that is named (`:{}`)",
                ty.name
            )),
            _ => Ok(()),
        }
    }

    /// The set and the binding, if it is a whole buffer that is given by them.
    pub(super) fn binding(&self) -> Option<Binding> {
        match self.base {
            Base::Binding(binding) if self.steps.is_empty() => Some(binding),
            _ => None,
        }
    }
}

/// `BASE[.MEMBER|[INDEX]]…[:TYPE][[START..END]]`.
pub(super) fn wanted(text: &str) -> Result<Wanted, String> {
    let end_of = |text: &str| text.find(['.', '[', ':']).unwrap_or(text.len());
    let (first, mut rest) = text.split_at(end_of(text));
    if first.is_empty() {
        return Err("it must begin with SET:BINDING or a name".into());
    }
    let mut base = Base::Name(first.to_owned());
    if let (Ok(set), Some(after)) = (first.parse(), rest.strip_prefix(':')) {
        let (binding, after) = after.split_at(end_of(after));
        // An argument of a kernel goes by its number, perhaps with a type behind.
        if Type::named(binding).is_err() {
            let number = binding.parse();
            let binding =
                number.map_err(|_| format!("`{binding}` is not the number of a set or binding"))?;
            base = Base::Binding(Binding { set, binding });
            rest = after;
        }
    }
    let mut wanted = Wanted {
        text: text.to_owned(),
        base,
        steps: Vec::new(),
        ty: None,
        range: None,
    };
    while !rest.is_empty() {
        if wanted.range.is_some() {
            return Err(format!("`{rest}` stands behind a range"));
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (member, after) = after.split_at(end_of(after));
            wanted.steps.push(Step::Member(member.to_owned()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix(':') {
            let (name, after) = after.split_at(end_of(after));
            wanted.ty = Some(Type::named(name)?);
            rest = after;
        } else {
            let inside = rest.strip_prefix('[').and_then(|it| it.split_once(']'));
            let Some((inside, after)) = inside else {
                return Err(format!("`{rest}` is not an index, such as [3] or [0..8]"));
            };
            let number = |text: &str, default: u64| match text {
                "" => Ok(default),
                text => text
                    .parse()
                    .map_err(|_| format!("`{text}` is not an index")),
            };
            match inside.split_once("..") {
                Some((start, end)) => {
                    wanted.range = Some((number(start, 0)?, number(end, u64::MAX)?));
                }
                None if inside.is_empty() => return Err("`[]` lacks an index".into()),
                None => wanted.steps.push(Step::Index(number(inside, 0)?)),
            }
            rest = after;
        }
    }
    Ok(wanted)
}

/// A module's blocks by names, and memory that only addresses lead to.
pub(super) struct Blocks<'r> {
    pub(super) reflection: &'r Reflection,
    memories: Vec<Named>,
}

/// Memory by its name.
struct Named {
    name: String,
    address: u64,
    /// The structure that lies there.
    ty: Option<Id>,
}

impl<'r> Blocks<'r> {
    pub(super) fn new(reflection: &'r Reflection, memories: &[Memory]) -> Result<Self, String> {
        // Addresses follow from the order in which memory is given.
        let mut run = Run::new(&[]);
        let mut named: Vec<Named> = Vec::new();
        for Memory { name, ty, .. } in memories {
            if named.iter().any(|it| it.name == *name) {
                return Err(format!("there is memory `{name}` twice"));
            }
            let is_it = |it: &&spirvkit::reflect::Type| {
                matches!(it.kind, TypeKind::Struct { .. }) && it.name == *ty
            };
            let found = reflection.types.iter().find(is_it).map(|it| it.id);
            let found = found.filter(|_| ty.is_some());
            if let (Some(ty), None) = (ty, found) {
                return Err(format!("`{name}`: there is no structure `{ty}`"));
            }
            named.push(Named {
                name: name.clone(),
                address: run.memory::<u8>(&[]),
                ty: found,
            });
        }
        Ok(Self {
            reflection,
            memories: named,
        })
    }

    /// The address that is written `&NAME` or `&NAME+OFFSET`.
    pub(super) fn address(&self, text: &str) -> Result<u64, String> {
        let text = text.trim_start_matches('&');
        let (name, offset) = match text.split_once('+') {
            Some((name, offset)) => (name, offset),
            None => (text, "0"),
        };
        let memory = self.memories.iter().find(|it| it.name == name);
        let memory = memory.ok_or_else(|| format!("there is no memory `{name}`; see --memory"))?;
        let number = NumberType::Integer {
            width: 64,
            signed: false,
        };
        Ok(memory.address.wrapping_add(Type::of(number).parse(offset)?))
    }

    /// The address of memory by its number.
    pub(super) fn address_of(&self, memory: usize) -> u64 {
        self.memories.get(memory).map_or(0, |it| it.address)
    }

    fn kind(&self, ty: Id) -> Option<&'r TypeKind> {
        self.reflection.ty(ty).map(|ty| &ty.kind)
    }

    /// What a user means.
    pub(super) fn find(&self, wanted: &Wanted) -> Result<Found, String> {
        let (home, ty, mut steps) = self.base(wanted)?;
        let mut home = home;
        if let (&Home::Buffer(set, binding, _), [Step::Index(index), rest @ ..]) =
            (&home, &steps[..])
            && self.is_array(set, binding)
        {
            let index = *index;
            let count = self.descriptor(&home).and_then(|it| it.count.known());
            if count.is_some_and(|count| index >= count) {
                return Err(format!("there is no element {index} at {set}:{binding}"));
            }
            let element = u32::try_from(index).unwrap_or(u32::MAX);
            home = Home::Buffer(set, binding, element);
            steps = rest.to_vec();
        }
        let is_whole = steps.is_empty() && wanted.range.is_none() && wanted.ty.is_none();
        let mut slice = None;
        if !steps.is_empty() && (self.is_image(&home) || ty.is_none()) {
            slice = Some(match Slice::of(&steps) {
                Ok(slice) => slice,
                Err(why) if ty.is_some() => return Err(why),
                Err(_) => return Err(format!("the module doesn't say what `{}` is", wanted.text)),
            });
            steps.clear();
        }
        let Some(ty) = ty else {
            return Ok(Found {
                home,
                part: None,
                is_whole,
                range: wanted.range,
                slice,
            });
        };
        let mut part = Part {
            ty,
            offset: 0,
            matrix: None,
            apart: None,
        };
        for step in &steps {
            part = self.step(part, step)?;
        }
        // All of something may be shown whether it has elements or not.
        let range = wanted.range.filter(|&it| it != (0, u64::MAX));
        let has_elements = || self.is_image(&home) || self.count(self.only(part), 0).is_some();
        if range.is_some() && wanted.ty.is_none() && !has_elements() {
            return Err(format!("{} has no elements", self.spelling(part)));
        }
        Ok(Found {
            home,
            part: Some(part),
            is_whole,
            range: wanted.range,
            slice,
        })
    }

    /// Where a name leads, its type, and the steps that are left.
    fn base(&self, wanted: &Wanted) -> Result<(Home, Option<Id>, Vec<Step>), String> {
        let steps = wanted.steps.clone();
        let descriptors = &self.reflection.descriptors;
        let name = match &wanted.base {
            Base::Binding(Binding { set, binding }) => {
                let is_it = |it: &&spirvkit::reflect::Descriptor| {
                    (it.set, it.binding) == (Some(*set), Some(*binding))
                };
                let found = descriptors.iter().find(is_it);
                let home = Home::Buffer(*set, *binding, 0);
                return Ok((home, found.and_then(|it| it.ty), steps));
            }
            Base::Name(name) => name,
        };
        if let Some(index) = self.memories.iter().position(|it| it.name == *name) {
            return Ok((Home::Memory(index), self.memories[index].ty, steps));
        }
        let bound: Vec<_> = descriptors
            .iter()
            .filter_map(|it| Some((it, Home::Buffer(it.set?, it.binding?, 0))))
            .collect();
        let type_name = |ty: Option<Id>| {
            let ty = ty.and_then(|ty| self.reflection.ty(ty));
            ty.and_then(|ty| ty.name.as_deref())
        };
        if let Some((found, home)) = bound
            .iter()
            .find(|(it, _)| it.name.as_deref() == Some(name))
        {
            return Ok((home.clone(), found.ty, steps));
        }
        if let Some((found, home)) = bound.iter().find(|(it, _)| type_name(it.ty) == Some(name)) {
            return Ok((home.clone(), found.ty, steps));
        }
        let has_member = |ty: Option<Id>| match ty.and_then(|ty| self.kind(ty)) {
            Some(TypeKind::Struct { members, .. }) => {
                members.iter().any(|it| it.name.as_deref() == Some(name))
            }
            _ => false,
        };
        let having: Vec<_> = bound.iter().filter(|(it, _)| has_member(it.ty)).collect();
        if let [(found, home)] = having[..] {
            let mut all = vec![Step::Member(name.clone())];
            all.extend(steps);
            return Ok((home.clone(), found.ty, all));
        }
        let mut arguments = self.reflection.kernels.iter().flat_map(|it| &it.arguments);
        let is_argument = |it: &spirvkit::reflect::KernelArgument| {
            it.name.as_deref() == Some(name) || it.index.to_string() == *name
        };
        if arguments.any(is_argument) || self.has_parameter(name) {
            return Ok((Home::Argument(name.clone()), None, steps));
        }
        let names: Vec<String> = bound
            .iter()
            .map(
                |(it, home)| match it.name.as_deref().filter(|it| !it.is_empty()) {
                    Some(name) => format!("`{name}` ({home})"),
                    None => match type_name(it.ty) {
                        Some(name) => format!("`{name}` ({home})"),
                        None => home.to_string(),
                    },
                },
            )
            .collect();
        Err(match (having.len(), names.is_empty()) {
            (0, true) => format!("there is no `{name}`; the module has no buffers"),
            (0, false) => format!("there is no `{name}`, but {}", names.join(", ")),
            _ => format!("several buffers have a member `{name}`; name the buffer before it"),
        })
    }

    /// Whether a module of kernels may have a parameter that is called so: names of those are
    /// known when it runs.
    fn has_parameter(&self, _name: &str) -> bool {
        let is_kernel = |it: &spirvkit::reflect::EntryPoint| it.stage == Some("kernel");
        self.reflection.entry_points.iter().any(is_kernel)
    }

    /// A part of the push constants, by the name of a member.
    pub(super) fn find_push(&self, wanted: &Wanted) -> Result<Part, String> {
        let blocks = self.reflection.push_constants.iter();
        let block = blocks.clone().find(|it| it.used).or(blocks.clone().next());
        let Some((block, ty)) = block.and_then(|it| Some((it, it.ty?))) else {
            return Err("the module has no push constants".into());
        };
        let mut part = Part {
            ty,
            offset: 0,
            matrix: None,
            apart: None,
        };
        if let Base::Name(name) = &wanted.base
            && block.name.as_deref() != Some(name)
        {
            part = self.step(part, &Step::Member(name.clone()))?;
        }
        for step in &wanted.steps {
            part = self.step(part, step)?;
        }
        Ok(part)
    }

    fn is_array(&self, set: u32, binding: u32) -> bool {
        let mut descriptors = self.reflection.descriptors.iter();
        descriptors
            .any(|it| (it.set, it.binding) == (Some(set), Some(binding)) && !it.array.is_empty())
    }

    fn spelling(&self, part: Part) -> String {
        let ty = self.reflection.ty(part.ty);
        ty.map_or_else(|| part.ty.to_string(), |ty| ty.spelling.clone())
    }

    /// What the module declares where something is bound.
    pub(super) fn descriptor(&self, home: &Home) -> Option<&'r Descriptor> {
        let Home::Buffer(set, binding, _) = *home else {
            return None;
        };
        let mut descriptors = self.reflection.descriptors.iter();
        descriptors.find(|it| (it.set, it.binding) == (Some(set), Some(binding)))
    }

    fn step(&self, part: Part, step: &Step) -> Result<Part, String> {
        let part = match step {
            Step::Index(_) => self.only(part),
            Step::Member(_) => part,
        };
        let spelling = || self.spelling(part);
        match (self.kind(part.ty), step) {
            (Some(TypeKind::Struct { members, .. }), Step::Member(name)) => {
                let found = members
                    .iter()
                    .position(|it| it.name.as_deref() == Some(name));
                let by_number = || name.parse().ok().filter(|&index| index < members.len());
                let Some(index) = found.or_else(by_number) else {
                    let names: Vec<&str> = members
                        .iter()
                        .filter_map(|member| member.name.as_deref())
                        .collect();
                    return Err(format!(
                        "there is no member `{name}` in {}, which has {}",
                        spelling(),
                        names.join(", ")
                    ));
                };
                self.member(part, index)
                    .ok_or_else(|| format!("the module doesn't say where `{name}` is"))
            }
            (_, Step::Index(index)) => {
                if self
                    .count(part, u64::MAX)
                    .is_some_and(|count| *index >= count)
                {
                    return Err(format!("{} has no element {index}", spelling()));
                }
                self.element(part, *index)
                    .ok_or_else(|| format!("{} has no elements", spelling()))
            }
            (_, Step::Member(name)) => {
                Err(format!("there is no member `{name}` in {}", spelling()))
            }
        }
    }

    /// What a structure with a single member consists of.
    pub(super) fn only(&self, part: Part) -> Part {
        let mut part = part;
        for _ in 0..MAX_DEPTH {
            match (self.members(part).map(|it| it.len()), self.member(part, 0)) {
                (Some(1), Some(only)) => part = only,
                _ => break,
            }
        }
        part
    }

    /// A member of a structure.
    pub(super) fn member(&self, part: Part, index: usize) -> Option<Part> {
        let Some(TypeKind::Struct { members, .. }) = self.kind(part.ty) else {
            return None;
        };
        let member = members.get(index)?;
        Some(Part {
            ty: member.ty,
            offset: part.offset.checked_add(member.offset?.known()?)?,
            matrix: member.matrix_stride.zip(member.matrix_order),
            apart: None,
        })
    }

    /// The names of a structure's members, `None` for those without one.
    pub(super) fn members(&self, part: Part) -> Option<Vec<Option<&'r str>>> {
        match self.kind(part.ty)? {
            TypeKind::Struct { members, .. } => {
                Some(members.iter().map(|it| it.name.as_deref()).collect())
            }
            _ => None,
        }
    }

    /// How many elements it has in a buffer of so many bytes, if it has any.
    pub(super) fn count(&self, part: Part, bytes: u64) -> Option<u64> {
        match self.kind(part.ty)? {
            TypeKind::Vector { count, .. } => count.known(),
            TypeKind::Matrix { columns, .. } => Some(u64::from(*columns)),
            TypeKind::Array { length, stride, .. } => match length {
                Extent::Runtime => {
                    let stride = (*stride)?.known()?.max(1);
                    Some(bytes.saturating_sub(part.offset) / stride)
                }
                length => length.known(),
            },
            _ => None,
        }
    }

    /// Whether it is an array whose length the buffer decides.
    pub(super) fn is_open(&self, part: Part) -> bool {
        let length = match self.kind(part.ty) {
            Some(TypeKind::Array { length, .. }) => Some(*length),
            _ => None,
        };
        length == Some(Extent::Runtime)
    }

    /// Where a part ends in its buffer; nothing if the buffer decides it.
    pub(super) fn end(&self, part: Part) -> Option<u64> {
        let mut part = part;
        for _ in 0..MAX_DEPTH {
            if let Some((_, size)) = self.number(part.ty) {
                return part.offset.checked_add(size.into());
            }
            part = match self.members(part) {
                Some(members) => {
                    let members = (0..members.len()).filter_map(|it| self.member(part, it));
                    members.max_by_key(|it| it.offset)?
                }
                None if self.is_open(part) => return None,
                None => self.element(part, self.count(part, 0)?.checked_sub(1)?)?,
            };
        }
        None
    }

    /// How many bytes a buffer has with so many bytes written to it, so that an array whose length
    /// the buffer decides ends with a whole element.
    pub(super) fn padded(&self, whole: Part, bytes: u64) -> u64 {
        let mut part = whole;
        for _ in 0..MAX_DEPTH {
            if self.is_open(part) {
                let first = part.offset;
                let stride = self.element(part, 1).map_or(1, |it| it.offset - first);
                let length = bytes.saturating_sub(first).next_multiple_of(stride.max(1));
                return first.saturating_add(length).max(bytes);
            }
            let last = self.members(part).map(|members| members.len());
            match last.and_then(|last| self.member(part, last.checked_sub(1)?)) {
                Some(last) => part = last,
                None => break,
            }
        }
        bytes
    }

    /// The whole of what is bound somewhere.
    pub(super) fn whole(&self, home: &Home) -> Option<Part> {
        let ty = match home {
            Home::Memory(index) => self.memories.get(*index)?.ty,
            _ => self.descriptor(home)?.ty,
        };
        Some(Part {
            ty: ty?,
            offset: 0,
            matrix: None,
            apart: None,
        })
    }

    /// An element of an array, a vector or a matrix.
    pub(super) fn element(&self, part: Part, index: u64) -> Option<Part> {
        let (ty, stride, apart) = match self.kind(part.ty)? {
            TypeKind::Vector { component, .. } => {
                let own = u64::from(self.number(*component)?.1);
                (*component, part.apart.unwrap_or(own), None)
            }
            TypeKind::Matrix { column, .. } => {
                let (stride, order) = part.matrix?;
                match order {
                    Order::ColumnMajor => (*column, stride, None),
                    Order::RowMajor => {
                        let TypeKind::Vector { component, .. } = self.kind(*column)? else {
                            return None;
                        };
                        let own = u64::from(self.number(*component)?.1);
                        (*column, own, Some(stride))
                    }
                }
            }
            TypeKind::Array {
                element, stride, ..
            } => (*element, (*stride)?.known()?, None),
            _ => return None,
        };
        Some(Part {
            ty,
            offset: part.offset.checked_add(index.checked_mul(stride)?)?,
            matrix: part.matrix,
            apart,
        })
    }

    /// What a number is, and how many bytes it takes.
    pub(super) fn number(&self, ty: Id) -> Option<(NumberType, u32)> {
        let number = match self.kind(ty)? {
            TypeKind::Int {
                width: width @ (8 | 16 | 32 | 64),
                signed,
            } => NumberType::Integer {
                width: u8::try_from(*width).ok()?,
                signed: *signed,
            },
            TypeKind::Float {
                width,
                encoding: None,
            } => NumberType::Float(match width {
                16 => FloatFormat::Half,
                32 => FloatFormat::Single,
                64 => FloatFormat::Double,
                _ => return None,
            }),
            // An address.
            TypeKind::Pointer { .. } => NumberType::Integer {
                width: 64,
                signed: false,
            },
            _ => return None,
        };
        Some((number, ScalarType::from(number).width() / 8))
    }

    /// Visits the numbers of a part in a buffer of so many bytes, in order, until `visit` says
    /// that it is enough.
    ///
    /// # Errors
    ///
    /// What is in the way.
    pub(super) fn walk(
        &self,
        part: Part,
        bytes: u64,
        visit: &mut dyn FnMut(u64, NumberType, u32) -> bool,
    ) -> Result<bool, String> {
        self.walk_within(part, bytes, MAX_DEPTH, &mut { MAX_PARTS }, visit)
    }

    fn walk_within(
        &self,
        part: Part,
        bytes: u64,
        depth: usize,
        room: &mut u64,
        visit: &mut dyn FnMut(u64, NumberType, u32) -> bool,
    ) -> Result<bool, String> {
        if let Some((number, size)) = self.number(part.ty) {
            return Ok(visit(part.offset, number, size));
        }
        *room = room.saturating_sub(1);
        if depth == 0 || *room == 0 {
            return Err("there are too many parts, or too deep ones".into());
        }
        let parts = |index: u64| self.element(part, index);
        if let Some(members) = self.members(part) {
            for index in 0..members.len() {
                let member = self
                    .member(part, index)
                    .ok_or_else(|| self.no_layout(part))?;
                if !self.walk_within(member, bytes, depth - 1, room, visit)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let count = self.count(part, bytes);
        for index in 0..count.ok_or_else(|| self.no_layout(part))? {
            let element = parts(index).ok_or_else(|| self.no_layout(part))?;
            if !self.walk_within(element, bytes, depth - 1, room, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a part can be read number by number, wherever its layout says so.
    ///
    /// # Errors
    ///
    /// What is in the way.
    pub(super) fn check_layout(&self, part: Part) -> Result<(), String> {
        let mut todo = vec![(part, 0)];
        let mut seen = HashSet::new();
        while let Some((part, depth)) = todo.pop() {
            // A type lies alike wherever it is, but for matrices, of which members say it.
            if self.number(part.ty).is_some() || !seen.insert((part.ty.0, part.matrix.is_some())) {
                continue;
            }
            if depth >= MAX_DEPTH {
                return Err(format!("types are nested more than {MAX_DEPTH} deep"));
            }
            let parts: Option<Vec<Part>> = match self.members(part) {
                Some(members) => (0..members.len())
                    .map(|index| self.member(part, index))
                    .collect(),
                None => {
                    let first = self.count(part, 0).and_then(|_| self.element(part, 0));
                    first.map(|first| vec![first])
                }
            };
            let parts = parts.ok_or_else(|| self.no_layout(part))?;
            todo.extend(parts.into_iter().map(|part| (part, depth + 1)));
        }
        Ok(())
    }

    /// Why a part can't be read or written number by number.
    pub(super) fn no_layout(&self, part: Part) -> String {
        format!("{} is not laid out as numbers", self.spelling(part))
    }
}
