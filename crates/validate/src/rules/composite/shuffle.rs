//! `OpVectorShuffle`.

use super::super::operation::Operation;
use crate::finding::{CheckResult, all, both, expect};
use crate::module::Lookup;
use crate::pattern::VECTOR;
use crate::rules::generated::composite;

/// The index of a component that is left undefined.
const NOTHING: u32 = u32::MAX;

pub(super) fn check(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&composite::SHUFFLE_RESULT, VECTOR)?;
    let indexes = o.args.get(2..).unwrap_or_default();
    let wanted = m.dimension(o.result) as usize;
    let count = expect(wanted == 0 || indexes.len() == wanted, || {
        let message = format!(
            "OpVectorShuffle needs one index for each component of its result, but has {} for {wanted}",
            indexes.len()
        );
        let finding = o.finding(&composite::SHUFFLE_COUNT, message);
        finding.about(m, o.result, "the result type is declared here")
    });
    let component = m.component_type(o.result);
    let vector = |index: usize| {
        let ty = o.ty(index);
        o.expect_operand(&composite::SHUFFLE_VECTOR, index, VECTOR)?;
        if m.component_type(ty) != component {
            let wanted = "components of the same type";
            return Err(o.mismatch(&composite::SHUFFLE_COMPONENT, index, wanted));
        }
        Ok(u64::from(m.dimension(ty)))
    };
    let (first, second) = match both(vector(0), vector(1)) {
        // How long they are, specialization says.
        Ok((0, _) | (_, 0)) => return count,
        Ok(lengths) => lengths,
        Err(finding) => return all([count, Err(finding)]),
    };
    let available = first + second;
    let is_astray = |index: u32| index != NOTHING && u64::from(index) >= available;
    let astray = indexes.iter().filter(|&&index| is_astray(index));
    let bounds = all(astray.map(|index| {
        let message = format!(
            "OpVectorShuffle selects component {index}, but both vectors together have only {available}"
        );
        let finding = o.finding(&composite::SHUFFLE_INDEX, message);
        Err(finding
            .about(m, o.id(0), "the first vector is defined here")
            .about(m, o.id(1), "the second vector is defined here"))
    }));
    all([count, bounds])
}
