//! The members of a block, spelled out.

use std::collections::{BTreeSet, VecDeque};

use spirvkit::binary::Id;
use spirvkit::grammar::StorageClass;
use spirvkit::reflect::{Member, Reflection, TypeKind};

/// The most rows of one block: structures of structures can be exponentially large.
const ROWS: usize = 400;

/// How deep structures are opened.
const DEPTH: usize = 12;

/// A row of a block's table.
pub(crate) struct Row<'r> {
    pub(crate) depth: usize,
    pub(crate) index: usize,
    pub(crate) member: &'r Member,
}

/// The members of a structure, those of structures within below theirs; and whether
/// some were left out.
pub(crate) fn rows(ty: Id, reflection: &Reflection) -> (Vec<Row<'_>>, bool) {
    let mut rows = Vec::new();
    let mut open: Vec<(usize, std::slice::Iter<'_, Member>)> = Vec::new();
    open.extend(members(ty, reflection).map(|members| (0, members.iter())));
    let mut cut = false;
    while let Some((index, members_left)) = open.last_mut() {
        let Some(member) = members_left.next() else {
            open.pop();
            continue;
        };
        let index = std::mem::replace(index, *index + 1);
        if rows.len() == ROWS {
            return (rows, true);
        }
        rows.push(Row {
            depth: open.len() - 1,
            index,
            member,
        });
        if let Some(within) = members(innermost(member.ty, reflection), reflection) {
            match open.len() < DEPTH {
                true => open.push((0, within.iter())),
                false => cut = true,
            }
        }
    }
    (rows, cut)
}

/// The structures to which pointers in descriptors and push constants lead, and pointers in
/// those, nearest first; but for those that are shown as descriptors or push constants.
pub(crate) fn behind_pointers(reflection: &Reflection) -> Vec<Id> {
    let descriptors = reflection.descriptors.iter().map(|found| found.ty);
    let push_constants = reflection.push_constants.iter().map(|found| found.ty);
    let mut waiting: VecDeque<Id> = descriptors.chain(push_constants).flatten().collect();
    let mut seen: BTreeSet<Id> = waiting.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(ty) = waiting.pop_front() {
        let mut next = |ty: Id| {
            let is_new = seen.insert(ty);
            waiting.extend(is_new.then_some(ty));
            is_new
        };
        match reflection.ty(ty).map(|ty| &ty.kind) {
            Some(TypeKind::Struct { members, .. }) => {
                members.iter().for_each(|member| _ = next(member.ty));
            }
            Some(TypeKind::Array { element, .. }) => _ = next(*element),
            Some(TypeKind::Pointer {
                storage_class: StorageClass::PhysicalStorageBuffer,
                pointee: Some(pointee),
            }) if next(*pointee) => found.push(*pointee),
            _ => {}
        }
    }
    found
}

fn members(ty: Id, reflection: &Reflection) -> Option<&[Member]> {
    match &reflection.ty(ty)?.kind {
        TypeKind::Struct { members, .. } => Some(members),
        _ => None,
    }
}

/// What an array is of at last.
fn innermost(ty: Id, reflection: &Reflection) -> Id {
    let mut ty = ty;
    for _ in 0..DEPTH {
        match reflection.ty(ty).map(|ty| &ty.kind) {
            Some(TypeKind::Array { element, .. }) => ty = *element,
            _ => break,
        }
    }
    ty
}
