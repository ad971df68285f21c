//! Composite instructions (specification, section 3.32.12).

mod path;
mod qcom;
mod shuffle;

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Op};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Likeness, Lookup, Module, Type};
use crate::pattern::{BOOL, DATA, INT, MATRIX, POINTER, Pattern, VECTOR};
use crate::rules::generated::composite;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::VectorExtractDynamic,
        Op::VectorInsertDynamic,
        Op::VectorShuffle,
        Op::CompositeConstruct,
        Op::CompositeExtract,
        Op::CompositeInsert,
        Op::CopyObject,
        Op::Transpose,
        Op::CopyLogical,
        Op::CompositeConstructReplicateEXT,
        Op::CompositeConstructCoopMatQCOM,
        Op::CompositeExtractCoopMatQCOM,
        Op::ExtractSubArrayQCOM,
        Op::BitCastArrayQCOM,
        Op::CompositeConstructContinuedINTEL,
        Op::ConditionalCopyObjectINTEL,
    ],
    check,
    check_module: None,
};

/// What a vector can be made of.
const COMPONENT: Pattern = Pattern::either(&[DATA, POINTER]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_values(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::VectorExtractDynamic => check_extract_dynamic(o),
        Op::VectorInsertDynamic => check_insert_dynamic(o),
        Op::VectorShuffle => shuffle::check(o),
        Op::CompositeConstruct => check_construct(o),
        Op::CompositeExtract => path::check_extract(o),
        Op::CompositeInsert => path::check_insert(o),
        Op::CopyObject => check_copy(o),
        Op::Transpose => check_transpose(o),
        Op::CopyLogical => check_copy_logical(o),
        Op::CompositeConstructReplicateEXT => check_replicate(o),
        Op::CompositeConstructCoopMatQCOM
        | Op::CompositeExtractCoopMatQCOM
        | Op::ExtractSubArrayQCOM
        | Op::BitCastArrayQCOM => qcom::check(o),
        Op::ConditionalCopyObjectINTEL => check_conditional_copy(o),
        _ => Ok(()),
    }
}

fn check_extract_dynamic(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let makes = o.expect_result(&composite::DYNAMIC_RESULT, COMPONENT);
    let takes = o.expect_operand(&composite::DYNAMIC_VECTOR, 0, VECTOR);
    let vector = all([makes, takes]).and_then(|()| {
        expect(m.component_type(o.ty(0)) == o.result, || {
            let wanted = "components of the result type";
            o.mismatch(&composite::DYNAMIC_VECTOR, 0, wanted)
        })
    });
    all([vector, check_dynamic_index(o, 1)])
}

fn check_insert_dynamic(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&composite::DYNAMIC_RESULT, VECTOR)?;
    all([
        o.expect_result_type(&composite::DYNAMIC_VECTOR, 0),
        expect(o.ty(1) == m.component_type(o.result), || {
            let wanted = "the type of the result's components";
            o.mismatch(&composite::DYNAMIC_VECTOR, 1, wanted)
        }),
        check_dynamic_index(o, 2),
    ])
}

fn check_dynamic_index(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&composite::DYNAMIC_INDEX, index, INT)
}

fn check_construct(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let given = o.args.len();
    match m.ty(o.result) {
        Type::Vector { component, count } => check_vector(o, component, u64::from(count)),
        Type::LongVector { component, .. } => {
            check_vector(o, component, u64::from(m.dimension(o.result)))
        }
        Type::Matrix { column, count } => all([
            check_count(o, u64::from(count), "columns"),
            check_constituents(o, column),
        ]),
        Type::Array { element, .. } => {
            let count = match m.array_length(o.result) {
                Some(length) => check_count(o, length, "elements"),
                None => Ok(()),
            };
            all([count, check_constituents(o, element)])
        }
        Type::Struct { members } => {
            let count = check_count(o, members.len() as u64, "members");
            let each = all(members
                .iter()
                .enumerate()
                .take(given)
                .map(|(index, &member)| {
                    expect(o.ty(index) == Id(member), || {
                        let wanted =
                            format!("the type of member {index} ({})", m.show_type(Id(member)));
                        o.mismatch(&composite::CONSTITUENT, index, &wanted)
                    })
                }));
            all([count, each])
        }
        Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
            if given != 1 {
                let message = format!(
                    "OpCompositeConstruct needs one constituent for a cooperative matrix, but has {given}"
                );
                return Err(o.finding(&composite::CONSTRUCT_COUNT, message));
            }
            check_constituents(o, matrix.component)
        }
        // Tensors of a known shape are composites; of their parts nothing is said.
        Type::Other(Op::TypeTensorARM)
            if m.def(o.result).is_some_and(|def| def.optional(2).is_some()) =>
        {
            Ok(())
        }
        _ => Err(o.result_finding(&composite::CONSTRUCT_RESULT, "a composite")),
    }
}

fn check_count(o: &Operation<'_, '_, '_>, wanted: u64, parts: &str) -> CheckResult {
    let given = o.args.len() as u64;
    // With `SPV_INTEL_long_composites` more constituents may follow.
    let is_fine = match o.m.has(Capability::LongCompositesINTEL) {
        true => given <= wanted,
        false => given == wanted,
    };
    if is_fine {
        return Ok(());
    }
    let message = format!(
        "the number of constituents of {} must be {wanted}, the number of {parts} of {}, but is {given}",
        o.op,
        o.m.show_type(o.result)
    );
    let finding = o.finding(&composite::CONSTRUCT_COUNT, message);
    Err(finding.about(o.m, o.result, "the result type is declared here"))
}

fn check_constituents(o: &Operation<'_, '_, '_>, part: Id) -> CheckResult {
    all((0..o.args.len()).map(|index| {
        expect(o.ty(index) == part, || {
            o.mismatch(
                &composite::CONSTITUENT,
                index,
                "the type of the result's parts",
            )
        })
    }))
}

/// A vector of so many components, or an unknown number of them if that is 0.
fn check_vector(o: &Operation<'_, '_, '_>, component: Id, count: u64) -> CheckResult {
    let m = o.m;
    let mut given = 0;
    let mut is_known = count > 0;
    all((0..o.args.len()).map(|index| {
        let ty = o.ty(index);
        if ty == component {
            given += 1;
            return Ok(());
        }
        if !m.is_vector(ty) || m.component_type(ty) != component {
            let wanted = "the type of the result's components, or be a vector of them";
            return Err(o.mismatch(&composite::CONSTITUENT, index, wanted));
        }
        let dimension = u64::from(m.dimension(ty));
        is_known &= dimension > 0;
        given += dimension;
        Ok(())
    }))?;
    // `SPV_EXT_long_vector` has vectors made of one constituent.
    if o.args.len() < 2 && is_known && !m.has(Capability::LongVectorEXT) {
        let message = format!(
            "OpCompositeConstruct needs at least two constituents for a vector, but has {}",
            o.args.len()
        );
        return Err(o.finding(&composite::CONSTRUCT_COUNT, message));
    }
    if is_known && given != count {
        let message = format!(
            "the constituents of OpCompositeConstruct have {given} components in all, but {} has {count}",
            m.show_type(o.result)
        );
        let finding = o.finding(&composite::CONSTRUCT_COUNT, message);
        return Err(finding.about(m, o.result, "the result type is declared here"));
    }
    Ok(())
}

fn check_replicate(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let part = match m.ty(o.result) {
        Type::Matrix { column, .. } => Some(column),
        Type::Vector { component, .. } | Type::LongVector { component, .. } => Some(component),
        Type::Array { element, .. } => Some(element),
        Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
            Some(matrix.component)
        }
        // Of tensors of several dimensions the parts are tensors.
        Type::Other(Op::TypeTensorARM) => Some(match m.ty(o.ty(0)) {
            Type::Other(Op::TypeTensorARM) => o.ty(0),
            _ => m.def(o.result).map_or(Id(0), |def| def.id(0)),
        }),
        // All members have the value's type, then.
        Type::Struct { members } => {
            let mut other = members.iter().filter(|&&member| Id(member) != o.ty(0));
            Some(other.next().map_or(o.ty(0), |&member| Id(member)))
        }
        _ => None,
    };
    let Some(part) = part else {
        return Err(o.result_finding(&composite::CONSTRUCT_RESULT, "a composite"));
    };
    if o.ty(0) != part {
        return Err(o.mismatch(&composite::REPLICATED, 0, "the type of the result's parts"));
    }
    Ok(())
}

fn check_copy(o: &Operation<'_, '_, '_>) -> CheckResult {
    if o.m.is_void(o.result) {
        let message = "OpCopyObject can't copy a value of type void";
        return Err(o.finding(&composite::COPY_VOID, message).arg(o.at, 0));
    }
    o.expect_result_type(&composite::COPY_TYPE, 0)
}

fn check_transpose(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&composite::TRANSPOSE_TYPE, MATRIX)?;
    o.expect_operand(&composite::TRANSPOSE_TYPE, 0, MATRIX)?;
    let (new, old) = (o.result, o.ty(0));
    if m.component_type(new) != m.component_type(old) {
        return Err(o.mismatch(&composite::TRANSPOSE_TYPE, 0, "components of the same type"));
    }
    let rows = |ty: Id| match m.ty(ty) {
        Type::Matrix { column, .. } => m.dimension(column),
        _ => 0,
    };
    if rows(new) != m.dimension(old) || rows(old) != m.dimension(new) {
        return Err(o.mismatch(&composite::TRANSPOSE_SHAPE, 0, "rows and columns swapped"));
    }
    Ok(())
}

fn check_copy_logical(o: &Operation<'_, '_, '_>) -> CheckResult {
    let from = o.ty(0);
    if from == o.result {
        let finding = o.mismatch(
            &composite::COPY_LOGICAL_SAME,
            0,
            "a type other than the result's",
        );
        return Err(finding.help("use OpCopyObject to copy within one type"));
    }
    if !match_logically(o.m, from, o.result) {
        return Err(o.mismatch(
            &composite::COPY_LOGICAL_MATCH,
            0,
            "a type that logically matches the result type",
        ));
    }
    Ok(())
}

/// Whether two types match logically (specification, section 2.2.2).
/// Linear in the pairs of nested types.
pub(super) fn match_logically(m: &Module<'_>, a: Id, b: Id) -> bool {
    m.are_alike(Likeness::Logical, (a, b), |a, b, todo| {
        match (m.ty(a), m.ty(b)) {
            (
                Type::Array { element, length },
                Type::Array {
                    element: other,
                    length: other_length,
                },
            ) => {
                let (known, other_known) = (m.constant_u64(length), m.constant_u64(other_length));
                let same = length == other_length || known.is_some() && known == other_known;
                if !same {
                    return None;
                }
                todo.push((element, other));
            }
            (Type::Struct { members }, Type::Struct { members: others }) => {
                if members.len() != others.len() {
                    return None;
                }
                let pairs = members.iter().zip(others);
                todo.extend(pairs.map(|(&member, &other)| (Id(member), Id(other))));
            }
            _ => return None,
        }
        Some(())
    })
}

fn check_conditional_copy(o: &Operation<'_, '_, '_>) -> CheckResult {
    all((0..o.args.len()).map(|index| match index % 2 {
        0 => o.expect_operand(&composite::CONDITIONAL_COPY, index, BOOL),
        _ => o.expect_result_type(&composite::CONDITIONAL_COPY, index),
    }))
}
