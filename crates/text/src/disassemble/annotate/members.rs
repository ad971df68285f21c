//! The members of structures.

use std::fmt::Write as _;

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::{Annotations, COMMENT};
use crate::disassemble::names::Names;
use crate::disassemble::plain::push_plain;

/// More members than fit a comment.
const MEMBERS: usize = COMMENT / 2;

/// What decorations say of a member.
#[derive(Clone, Default)]
struct Member {
    offset: Option<u32>,
    decorations: String,
}

/// What the layout of nearly every matrix in a block is.
fn is_usual_layout(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::ColMajor | Decoration::MatrixStride)
}

impl Annotations<'_> {
    /// Writes `{ vec3 position @0, float radius @12 }`.
    pub(super) fn members(&self, out: &mut String, structure: Id, types: &[u32], names: &Names) {
        let types = &types[..types.len().min(MEMBERS)];
        let decorated = self.decorated_members(structure, types.len(), names);
        out.push_str(" {");
        let start = out.len();
        for (index, (&ty, member)) in (0..).zip(types.iter().zip(decorated)) {
            if out.len() > COMMENT {
                break;
            }
            if out.len() > start {
                out.push(',');
            }
            out.push(' ');
            self.mention(out, Id(ty), names);
            let name = self.member_name(structure, index);
            if !name.is_empty() {
                let _ = write!(out, " {name}");
            }
            if let Some(offset) = member.offset {
                let _ = write!(out, " @{offset}");
            }
            if !member.decorations.is_empty() {
                let _ = write!(out, " ({})", member.decorations);
            }
        }
        out.push_str(" }");
    }

    /// What decorations say of so many members of a structure.
    fn decorated_members(&self, structure: Id, count: usize, names: &Names) -> Vec<Member> {
        let mut members = vec![Member::default(); count];
        for decorated in self.index.decorations(structure) {
            let index = decorated.member.map(|index| index as usize);
            let Some(member) = index.and_then(|index| members.get_mut(index)) else {
                continue;
            };
            match decorated.decoration {
                Decoration::Offset => member.offset = Some(decorated.param(0)),
                decoration if is_usual_layout(decoration) => {}
                _ => self.decoration(&mut member.decorations, &decorated, names),
            }
        }
        members
    }

    /// What the module calls a member; empty if nothing.
    fn member_name(&self, structure: Id, member: u32) -> String {
        let mut text = String::new();
        if let Some(name) = self.index.member_name(structure, member) {
            push_plain(&mut text, &name.to_text_lossy(), super::NAME);
        }
        text
    }

    /// Writes a member of a structure as written after the structure's name.
    pub(super) fn push_member(&self, out: &mut String, structure: Id, member: u32) {
        out.push('.');
        match self.member_name(structure, member) {
            name if name.is_empty() => {
                let _ = write!(out, "{member}");
            }
            name => out.push_str(&name),
        }
    }
}
