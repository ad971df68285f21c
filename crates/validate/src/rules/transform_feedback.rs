//! What stages capture with transform feedback (Vulkan, "Transform Feedback").

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Decoration, ExecutionModel, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Lookup, Module, Type};
use crate::rules::generated::transform_feedback as rule;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

/// An output variable or a member of an output block, with what its decorations say, and the
/// offset of the instruction that says it.
#[derive(Clone, Copy)]
struct Output {
    variable: Id,
    member: Option<u32>,
    ty: Id,
    offset: Option<Said>,
    buffer: Option<Said>,
    stride: Option<Said>,
    stream: Option<Said>,
}

/// A number, and where it is given.
#[derive(Clone, Copy)]
struct Said {
    number: u32,
    at: u32,
}

/// What is known of a type: how many bytes it takes at least, and the sizes of its scalars.
#[derive(Clone, Copy, Default)]
struct Extent {
    bytes: u64,
    has_wide: bool,
    /// Something that isn't of 32 or 64 bits.
    has_other: bool,
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() {
        return;
    }
    if !m.has(Capability::TransformFeedback) {
        return check_offsets(m, reporter);
    }
    let extents = extents(m);
    let extent = |ty: Id| extents.get(&ty.0).copied().unwrap_or_default();
    let mut known: HashMap<Id, Vec<Output>> = HashMap::new();
    // Entry points that list the same large blocks again and again are not looked at in full.
    let mut left = m.words.len().saturating_mul(4) + (1 << 16);
    for entry in &m.entry_points {
        let mut outputs = Vec::new();
        let mut listed = HashSet::new();
        for id in entry.interface.iter().map(|&id| Id(id)) {
            let is_output =
                m.type_of(id).and_then(|ty| m.pointer_class(ty)) == Some(StorageClass::Output);
            if !is_output || !listed.insert(id) {
                continue;
            }
            if left == 0 {
                return;
            }
            let own = known.entry(id).or_insert_with(|| {
                let own = outputs_of(m, id);
                reporter.note(check_variable(m, &own, extent));
                own
            });
            left = left.saturating_sub(own.len());
            outputs.extend_from_slice(own);
        }
        if left == 0 || reporter.is_full() {
            return;
        }
        reporter.note(check_buffers(m, &mut outputs, extent));
    }
}

/// Where nothing is captured, outputs have no offsets, but for what NVIDIA's task shaders pass on.
fn check_offsets(m: &Module<'_>, reporter: &mut Reporter) {
    let mut seen = HashSet::new();
    let entries = m.entry_points.iter();
    for entry in entries.filter(|entry| entry.model != ExecutionModel::TaskNV) {
        for id in entry.interface.iter().map(|&id| Id(id)) {
            let ty = m.type_of(id).filter(|_| seen.insert(id));
            if ty.and_then(|ty| m.pointer_class(ty)) != Some(StorageClass::Output) {
                continue;
            }
            let is_offset = |it: Decorated<'_>| it.decoration == Decoration::Offset;
            let pointee = ty.and_then(|ty| m.pointee(ty)).unwrap_or(Id(0));
            let block = m.without_arrays(pointee);
            // Many variables can be of one large block.
            let in_block = m.is_block(block) && seen.insert(block);
            if m.own_decorations(id).any(is_offset)
                || in_block && m.decorations(block).any(is_offset)
            {
                let outputs = outputs_of(m, id);
                let output = outputs.iter().find(|output| output.offset.is_some());
                reporter.note(output.map_or(Ok(()), |output| check_buffer(m, output)));
            }
            if reporter.is_full() {
                return;
            }
        }
    }
}

/// What an entry point captures of an output: where it ends in which buffer, in bytes, and of which
/// stream.
pub(crate) struct Captured {
    pub(crate) variable: Id,
    pub(crate) buffer: u32,
    pub(crate) end: u64,
    pub(crate) stream: u32,
}

/// What is captured of these outputs, as far as decorations say it.
pub(crate) fn captured(m: &Module<'_>, outputs: impl Iterator<Item = Id>) -> Vec<Captured> {
    let extents = extents(m);
    let all = outputs.flat_map(|variable| outputs_of(m, variable));
    let all = all.filter_map(|output| {
        let bytes = extents.get(&output.ty.0).map_or(0, |it| it.bytes);
        Some(Captured {
            variable: output.variable,
            buffer: output.buffer?.number,
            end: u64::from(output.offset?.number).saturating_add(bytes),
            stream: output.stream.map_or(0, |it| it.number),
        })
    });
    all.collect()
}

/// The extents of all types that hold numbers.
fn extents(m: &Module<'_>) -> HashMap<u32, Extent> {
    let mut known: HashMap<u32, Extent> = HashMap::new();
    // Types stand behind those that they hold.
    for inst in m.declared.iter().filter_map(|&offset| m.inst(offset)) {
        let Some(id) = inst.result().filter(|_| inst.op().is_type()) else {
            continue;
        };
        let times = |ty: Id, count: u64| {
            let part = known.get(&ty.0).copied().unwrap_or_default();
            Extent {
                bytes: part.bytes.saturating_mul(count),
                ..part
            }
        };
        let extent = match m.ty(id) {
            Type::Int { .. } | Type::Float { .. } => {
                let bits = m.bit_width(id);
                Extent {
                    bytes: u64::from(bits / 8),
                    has_wide: bits == 64,
                    has_other: !matches!(bits, 32 | 64),
                }
            }
            Type::Vector { component, count } => times(component, count.into()),
            Type::Matrix { column, count } => times(column, count.into()),
            // What specialization says is at least one.
            Type::Array { element, .. } => times(element, m.array_length(id).unwrap_or(1)),
            Type::Struct { members } => {
                let parts = members.iter().map(|&member| times(Id(member), 1));
                parts.fold(Extent::default(), |sum, part| Extent {
                    bytes: sum.bytes.saturating_add(part.bytes),
                    has_wide: sum.has_wide || part.has_wide,
                    has_other: sum.has_other || part.has_other,
                })
            }
            Type::Bool => Extent {
                has_other: true,
                ..Extent::default()
            },
            _ => continue,
        };
        known.insert(id.0, extent);
    }
    known
}

/// The variable, or the members of the block that it is, with their decorations.
fn outputs_of(m: &Module<'_>, variable: Id) -> Vec<Output> {
    let pointee = m.type_of(variable).and_then(|ty| m.pointee(ty));
    let ty = pointee.unwrap_or(Id(0));
    let mut whole = Output {
        variable,
        member: None,
        ty,
        offset: None,
        buffer: None,
        stride: None,
        stream: None,
    };
    for decorated in m.own_decorations(variable) {
        whole.note(
            decorated.decoration,
            decorated.param(0),
            decorated.inst.offset(),
        );
    }
    let inner = m.without_arrays(ty);
    if !m.is_block(inner) {
        return vec![whole];
    }
    // What is said of the block is said of its members, but for its offset.
    let mut members: Vec<Output> = m
        .members(inner)
        .iter()
        .zip(0..)
        .map(|(&ty, index)| Output {
            member: Some(index),
            ty: Id(ty),
            offset: None,
            ..whole
        })
        .collect();
    for decorated in m.decorations(inner) {
        let (decoration, number) = (decorated.decoration, decorated.param(0));
        let at = decorated.inst.offset();
        match decorated.member {
            Some(index) => {
                if let Some(member) = members.get_mut(index as usize) {
                    member.note(decoration, number, at);
                }
            }
            None if decoration != Decoration::Offset => {
                for member in &mut members {
                    member.note_inherited(decoration, number, at);
                }
            }
            None => {}
        }
    }
    members
}

impl Output {
    fn place(&mut self, decoration: Decoration) -> Option<&mut Option<Said>> {
        Some(match decoration {
            Decoration::Offset => &mut self.offset,
            Decoration::XfbBuffer => &mut self.buffer,
            Decoration::XfbStride => &mut self.stride,
            Decoration::Stream => &mut self.stream,
            _ => return None,
        })
    }

    fn note(&mut self, decoration: Decoration, number: u32, at: u32) {
        if let Some(place) = self.place(decoration) {
            *place = Some(Said { number, at });
        }
    }

    fn note_inherited(&mut self, decoration: Decoration, number: u32, at: u32) {
        if let Some(place) = self.place(decoration) {
            place.get_or_insert(Said { number, at });
        }
    }

    fn show(&self, m: &Module<'_>) -> String {
        match self.member {
            Some(member) => format!("member {member} of {}", m.name(self.variable)),
            None => m.name(self.variable),
        }
    }

    /// Where a part of it begins and ends in its buffer, if it is captured.
    fn range(&self, bytes: u64) -> Option<(u64, u64)> {
        let start = u64::from(self.offset?.number);
        Some((start, start.saturating_add(bytes)))
    }
}

/// Checks what a variable or each member of a block says by itself, and members together.
fn check_variable(
    m: &Module<'_>,
    outputs: &[Output],
    extent: impl Fn(Id) -> Extent + Copy,
) -> CheckResult {
    let captured = || outputs.iter().filter(|output| output.offset.is_some());
    let has_wide = captured().any(|output| extent(output.ty).has_wide);
    let each = captured().enumerate().map(|(number, output)| {
        // The first member of a block is aligned like the widest.
        let is_wide = extent(output.ty).has_wide || number == 0 && has_wide;
        all([
            check_type(m, output, extent(output.ty)),
            check_alignment(m, output, is_wide, extent(output.ty)),
            check_buffer(m, output),
        ])
    });
    all([all(each), check_one_buffer(m, outputs)])
}

fn check_type(m: &Module<'_>, output: &Output, extent: Extent) -> CheckResult {
    expect(!extent.has_other, || {
        let message = format!(
            "{} is captured, so it can hold only 32-bit and 64-bit numbers, but is of type {}",
            output.show(m),
            m.show_type(output.ty)
        );
        let at = output.offset.map_or(0, |said| said.at);
        let finding = Finding::new(&rule::TYPE, at, message);
        finding.about(m, output.variable, "the variable is declared here")
    })
}

fn check_alignment(m: &Module<'_>, output: &Output, is_wide: bool, extent: Extent) -> CheckResult {
    let Some(Said { number, at }) = output.offset else {
        return Ok(());
    };
    let alignment = if is_wide { 8 } else { 4 };
    let is_aligned = extent.has_other || extent.bytes == 0 || number.is_multiple_of(alignment);
    expect(is_aligned, || {
        let (because, vuid) = match (is_wide, extent.has_wide) {
            (false, _) => ("", rule::ALIGNMENT.vuids[0]),
            (true, true) => (" for 64-bit numbers", rule::ALIGNMENT.vuids[1]),
            (true, false) => (
                " for the 64-bit numbers in its block",
                rule::ALIGNMENT.vuids[2],
            ),
        };
        let message = format!(
            "the offset of {} must be a multiple of {alignment}{because}, but is {number}",
            output.show(m)
        );
        let finding = Finding::new(&rule::ALIGNMENT, at, message).vuid(vuid);
        finding.about(m, output.variable, "the variable is declared here")
    })
}

fn check_buffer(m: &Module<'_>, output: &Output) -> CheckResult {
    let missing = match (output.buffer, output.stride) {
        (None, _) => "XfbBuffer",
        (_, None) => "XfbStride",
        _ => return Ok(()),
    };
    let message = format!("{} has an `Offset`, but no `{missing}`", output.show(m));
    let at = output.offset.map_or(0, |said| said.at);
    let finding = Finding::new(&rule::BUFFER, at, message);
    Err(finding.about(m, output.variable, "the variable is declared here"))
}

/// Checks that the members of a block go to the same buffer.
fn check_one_buffer(m: &Module<'_>, outputs: &[Output]) -> CheckResult {
    let mut buffers = outputs.iter().filter_map(|it| Some((it, it.buffer?)));
    let Some((first, one)) = buffers.next() else {
        return Ok(());
    };
    let Some((other, said)) = buffers.find(|(_, said)| said.number != one.number) else {
        return Ok(());
    };
    let message = format!(
        "{} is captured into buffer {}, but member {} of the same block into buffer {}",
        other.show(m),
        said.number,
        first.member.unwrap_or(0),
        one.number
    );
    Err(Finding::new(&rule::ONE_BUFFER, said.at, message)
        .at(one.at, "the other buffer is given here"))
}

/// Checks what all that an entry point captures into one buffer must agree on.
fn check_buffers(
    m: &Module<'_>,
    outputs: &mut [Output],
    extent: impl Fn(Id) -> Extent,
) -> CheckResult {
    let has_streams = outputs.iter().any(|output| output.stream.is_some());
    outputs.sort_by_key(|it| (it.buffer.map(|it| it.number), it.offset.map(|it| it.number)));
    let groups =
        outputs.chunk_by(|a, b| a.buffer.map(|it| it.number) == b.buffer.map(|it| it.number));
    let groups = groups.filter(|group| group[0].buffer.is_some());
    all(groups.map(|group| {
        let streams = match has_streams {
            true => check_same(m, group, &rule::STREAM, "stream", |it| {
                let at = it.buffer.map_or(0, |said| said.at);
                Some(it.stream.unwrap_or(Said { number: 0, at }))
            }),
            false => Ok(()),
        };
        let strides = check_same(m, group, &rule::STRIDE, "stride", |it| it.stride);
        all([strides, streams, check_overlap(m, group, &extent)])
    }))
}

/// Checks that what goes to one buffer has the same number of a kind.
fn check_same(
    m: &Module<'_>,
    group: &[Output],
    rule: &'static crate::rule::Rule,
    what: &str,
    number: impl Fn(&Output) -> Option<Said>,
) -> CheckResult {
    let mut said = group.iter().filter_map(|it| Some((it, number(it)?)));
    let Some((one, first)) = said.next() else {
        return Ok(());
    };
    let Some((other, second)) = said.find(|(_, said)| said.number != first.number) else {
        return Ok(());
    };
    let buffer = one.buffer.map_or(0, |said| said.number);
    let message = format!(
        "{} and {} are captured into buffer {buffer}, but one has the {what} {} and the other {}",
        one.show(m),
        other.show(m),
        first.number,
        second.number
    );
    Err(Finding::new(rule, second.at, message).at(first.at, "the first one is given here"))
}

/// Checks that no two outputs, which are sorted by their offsets, overlap.
fn check_overlap(m: &Module<'_>, group: &[Output], extent: impl Fn(Id) -> Extent) -> CheckResult {
    let mut last: Option<(&Output, u64)> = None;
    for output in group {
        let Some((start, end)) = output.range(extent(output.ty).bytes) else {
            continue;
        };
        if let Some((other, taken)) = last
            && start < taken
            && start < end
        {
            let bytes = counted((taken - start) as usize, "byte");
            let message = format!(
                "{} and {} are captured into the same buffer and overlap by {bytes}",
                other.show(m),
                output.show(m)
            );
            let at = output.offset.map_or(0, |said| said.at);
            let finding = Finding::new(&rule::OVERLAP, at, message);
            return Err(finding.at(
                other.offset.map_or(0, |said| said.at),
                "the first is placed here",
            ));
        }
        if last.is_none_or(|(_, taken)| end > taken) {
            last = Some((output, end));
        }
    }
    Ok(())
}
