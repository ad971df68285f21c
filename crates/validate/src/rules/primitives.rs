//! Primitives (specification, section 3.32.19).

use spirvkit_grammar::{ExecutionModel, Op};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::INT;
use crate::rules::generated::primitive;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::EmitVertex,
        Op::EndPrimitive,
        Op::EmitStreamVertex,
        Op::EndStreamPrimitive,
    ],
    check,
    check_module: None,
};

const GEOMETRY: Models = Models::of(&[ExecutionModel::Geometry]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let stream = match at.inst.op() {
        Op::EmitStreamVertex | Op::EndStreamPrimitive => {
            at.expect_operand(&primitive::STREAM, 0, INT.constant())
        }
        _ => Ok(()),
    };
    all([
        stream,
        at.expect_models(&primitive::EXECUTION_MODEL, GEOMETRY),
    ])
}
