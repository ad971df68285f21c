//! Whether a program has all that its instructions name.

use super::{Address, GroupOp, Inst, NO_REG, Object, Operand, Printed, Program, Reg};
use crate::special::Special;

impl Program {
    /// Whether all columns are there that instructions read and write. Where rules are broken
    /// that lowering relies on, some may not be.
    pub(crate) fn is_complete(&self) -> bool {
        let is = |column: &Reg| *column < self.columns;
        let is_scalar = |&(ty, [low, high]): &Operand| is(&low) && (ty.width() <= 32 || is(&high));
        let is_address = |address: &Address| {
            let has_object = match address.object {
                Object::Known(object) => (object as usize) < self.objects.len(),
                Object::Column(column) => is(&column),
            };
            has_object && (address.offset == NO_REG || is(&address.offset))
        };
        let are = |inst: &Inst| match inst {
            Inst::Copy { to, from } => is(to) && is(from),
            Inst::Unary { to, a, .. } => is(to) && is(a),
            Inst::Shift { to, a, by, .. } => is(to) && is(a) && is(by),
            Inst::Binary { to, a, b, .. } => is(to) && is(a) && is(b),
            Inst::Select {
                to,
                condition,
                a,
                b,
            } => is(to) && is(condition) && is(a) && is(b),
            Inst::Offset {
                to, base, index, ..
            } => is(to) && is(base) && is(&index[0]),
            Inst::CheckIndex { index, .. } => is(index),
            Inst::Load { to, cell } => {
                is(&(to + cell.leaf.columns() as u32 - 1)) && is_address(&cell.address)
            }
            Inst::Store { from, cell } => {
                from[..cell.leaf.columns()].iter().all(is) && is_address(&cell.address)
            }
            Inst::ClassOf { to, object } => is(to) && is(object),
            Inst::CheckAlignment { address, .. } => is_address(address),
            Inst::ArrayLength { to, address, .. } => is(to) && is_address(address),
            Inst::Branch { condition, .. } => is(condition),
            _ => true,
        };
        let takes_second = |op: GroupOp| {
            matches!(
                op,
                GroupOp::BallotBitExtract
                    | GroupOp::Broadcast
                    | GroupOp::Shuffle
                    | GroupOp::ShuffleXor
                    | GroupOp::ShuffleUp
                    | GroupOp::ShuffleDown
                    | GroupOp::Rotate
                    | GroupOp::Window { .. }
                    | GroupOp::QuadBroadcast
                    | GroupOp::QuadSwap
            )
        };
        // What removed operations had may be left in the table.
        let mut general = self.code.iter().filter_map(|inst| match inst {
            Inst::General(index) => self.general.get(*index as usize),
            _ => None,
        });
        self.code.iter().all(are)
            && general.all(|general| general.operands.iter().all(is_scalar))
            && self
                .vectors
                .iter()
                .all(|it| it.operands.iter().flatten().all(is_scalar))
            && self
                .atomics
                .iter()
                .all(|atomic| is_address(&atomic.address))
            && self.accesses.iter().all(|it| it.is_complete(is, is_scalar))
            && self.specials.iter().all(|special| {
                let is_part = match special {
                    Special::Part { inst, .. } => are(inst),
                    _ => true,
                };
                is_part && special.columns().iter().all(is)
            })
            && self
                .prints
                .iter()
                .flat_map(|it| &it.parts)
                .all(|part| match part {
                    Printed::Text(_) => true,
                    Printed::Value(_, components) => components.iter().all(is_scalar),
                })
            && self.switches.iter().all(|switch| is(&switch.low))
            && self.moves.iter().all(|(to, from)| is(to) && is(from))
            && self.groups.iter().all(|group| {
                let columns = group.to.iter().chain(&group.value).chain(&group.partition);
                let has_value = group.op == GroupOp::Elect || !group.value.is_empty();
                columns.into_iter().all(is)
                    && has_value
                    && (!takes_second(group.op) || is(&group.second))
            })
    }
}
