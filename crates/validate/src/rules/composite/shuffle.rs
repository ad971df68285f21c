//! `OpVectorShuffle`.

use spirvkit_diagnostics::ErrorClass::InvalidId;

use super::super::operation::Operation;
use crate::finding::{CheckResult, all, both, expect};
use crate::rule::{Example, Frame, Rule};

pub(super) static RESULT: Rule = Rule {
    id: "composite.shuffle-result",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "The result of `OpVectorShuffle` is a vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%mixed = OpVectorShuffle %f32 %v2f32_0 %v2f32_0 0",
        keeps: "%mixed = OpCompositeExtract %f32 %v2f32_0 0",
    },
};

pub(super) static VECTOR: Rule = Rule {
    id: "composite.shuffle-vector",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "The first two operands of `OpVectorShuffle` are vectors.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %f32_0 0 2",
        keeps: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %v2f32_0 0 2",
    },
};

pub(super) static COMPONENT: Rule = Rule {
    id: "composite.shuffle-component",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "The components of both vectors and of the result of `OpVectorShuffle` have the same type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %v2u32_0 0 2",
        keeps: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %v3f32_0 0 2",
    },
};

pub(super) static COUNT: Rule = Rule {
    id: "composite.shuffle-count",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "`OpVectorShuffle` has one index for each component of its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%mixed = OpVectorShuffle %v3f32 %v2f32_0 %v2f32_0 0 2",
        keeps: "%mixed = OpVectorShuffle %v3f32 %v2f32_0 %v2f32_0 0 2 0",
    },
};

pub(super) static INDEX: Rule = Rule {
    id: "composite.shuffle-index",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "The indexes of `OpVectorShuffle` number the components of both vectors, those of the first before those of \
           the second. 0xFFFFFFFF means a component without a source.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %v2f32_0 0 4",
        keeps: "%mixed = OpVectorShuffle %v2f32 %v2f32_0 %v2f32_0 0 0xFFFFFFFF",
    },
};

/// The index of a component that is left undefined.
const NOTHING: u32 = u32::MAX;

pub(super) fn check(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if !m.is_vector(o.result) {
        return Err(o.result_finding(&RESULT, "a vector"));
    }
    let indexes = o.args.get(2..).unwrap_or_default();
    let wanted = m.dimension(o.result) as usize;
    let count = expect(wanted == 0 || indexes.len() == wanted, || {
        let message = format!(
            "OpVectorShuffle needs one index for each component of its result, but has {} for {wanted}",
            indexes.len()
        );
        let finding = o.finding(&COUNT, message);
        finding.about(m, o.result, "the result type is declared here")
    });
    let component = m.component_type(o.result);
    let vector = |index: usize| {
        let ty = o.ty(index);
        if !m.is_vector(ty) {
            return Err(o.operand_finding(&VECTOR, index, "a vector"));
        }
        if m.component_type(ty) != component {
            return Err(o.mismatch(&COMPONENT, index, "components of the same type"));
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
        let finding = o.finding(&INDEX, message);
        Err(finding
            .about(m, o.id(0), "the first vector is defined here")
            .about(m, o.id(1), "the second vector is defined here"))
    }));
    all([count, bounds])
}
