//! Primitives (specification, section 3.32.19).

use spirvkit_grammar::{ExecutionModel, Op};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models};
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
        Op::EmitStreamVertex | Op::EndStreamPrimitive => check_stream(at),
        _ => Ok(()),
    };
    all([
        stream,
        at.expect_models(&primitive::EXECUTION_MODEL, GEOMETRY),
    ])
}

fn check_stream(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if m.is_int_scalar(at.type_of_arg(0)) && m.is_constant(at.id(0)) {
        return Ok(());
    }
    let message = format!(
        "the stream of {} must be an integer constant, but {} is not",
        at.inst.op(),
        m.show_value(at.id(0))
    );
    Err(at
        .finding(&primitive::STREAM, message)
        .about(m, at.id(0), "the stream is defined here"))
}
