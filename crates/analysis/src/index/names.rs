//! What debug instructions call ids (specification, section 3.32.2).

use alloc::vec::Vec;

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::Op;

use super::ModuleIndex;

/// Where a module gives names, sorted by what they name. Of several of one thing, the
/// last counts.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Ids, and the offsets of their `OpName`.
    of_ids: Vec<(u32, u32)>,
    /// Structures, members, and the offsets of their `OpMemberName`.
    of_members: Vec<(u32, u32, u32)>,
}

impl Names {
    fn new(index: &ModuleIndex<'_>) -> Self {
        let mut names = Self::default();
        let declarations = index.all_instructions();
        for inst in declarations.take_while(|inst| inst.op() != Op::Function) {
            let offset = inst.offset();
            match inst.op() {
                Op::Name => names.of_ids.push((inst.arg(0), offset)),
                Op::MemberName => names.of_members.push((inst.arg(0), inst.arg(1), offset)),
                _ => {}
            }
        }
        names.of_ids.sort_unstable();
        names.of_members.sort_unstable();
        names
    }
}

impl<'a> ModuleIndex<'a> {
    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(self))
    }

    /// The name that an `OpName` gives an id; that of the last, if there are several.
    /// The first call looks at all names.
    pub fn name_of(&self, id: Id) -> Option<LiteralString<'a>> {
        let names = &self.names().of_ids;
        let end = names.partition_point(|name| name.0 <= id.0);
        let &(named, offset) = names.get(end.checked_sub(1)?)?;
        self.inst(offset).filter(|_| named == id.0)?.string(1)
    }

    /// The name that an `OpMemberName` gives a member; that of the last, if there are
    /// several.
    pub fn member_name(&self, structure: Id, member: u32) -> Option<LiteralString<'a>> {
        let names = &self.names().of_members;
        let end = names.partition_point(|name| (name.0, name.1) <= (structure.0, member));
        let &(of, named, offset) = names.get(end.checked_sub(1)?)?;
        let is_it = (of, named) == (structure.0, member);
        self.inst(offset).filter(|_| is_it)?.string(2)
    }

    /// The members of a structure that `OpMemberName` gives names, and these, sorted by
    /// member; of several of one member, the last counts.
    pub fn member_names(
        &self,
        structure: Id,
    ) -> impl Iterator<Item = (u32, LiteralString<'a>)> + '_ {
        let names = &self.names().of_members;
        let start = names.partition_point(|name| name.0 < structure.0);
        let own = names[start..]
            .iter()
            .take_while(move |name| name.0 == structure.0);
        own.filter_map(|&(_, member, offset)| Some((member, self.inst(offset)?.string(2)?)))
    }
}
