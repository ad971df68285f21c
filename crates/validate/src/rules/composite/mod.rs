//! Composite instructions (specification, section 3.32.12).

mod path;
pub(super) use path::OUT_OF_BOUNDS;
mod qcom;
mod shuffle;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{Capability, Op};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Likeness, Module, Type};
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &DYNAMIC_RESULT,
        &DYNAMIC_VECTOR,
        &DYNAMIC_INDEX,
        &CONSTRUCT_RESULT,
        &CONSTRUCT_COUNT,
        &CONSTITUENT,
        &REPLICATED,
        &COPY_VOID,
        &COPY_TYPE,
        &TRANSPOSE_TYPE,
        &TRANSPOSE_SHAPE,
        &COPY_LOGICAL_SAME,
        &COPY_LOGICAL_MATCH,
        &CONDITIONAL_COPY,
        &path::NO_INDEXES,
        &path::TOO_MANY_INDEXES,
        &path::OUT_OF_BOUNDS,
        &path::NOT_COMPOSITE,
        &path::PART,
        &path::INSERT_RESULT,
        &shuffle::RESULT,
        &shuffle::VECTOR,
        &shuffle::COMPONENT,
        &shuffle::COUNT,
        &shuffle::INDEX,
        &qcom::MATRIX,
        &qcom::COMPONENT,
        &qcom::ROW,
        &qcom::ARRAY,
    ],
};

static DYNAMIC_RESULT: Rule = Rule {
    id: "composite.dynamic-result",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "The result of `OpVectorExtractDynamic` is a scalar, that of `OpVectorInsertDynamic` a vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%part = OpVectorExtractDynamic %v2f32 %v2f32_0 %u32_1",
        keeps: "%part = OpVectorExtractDynamic %f32 %v2f32_0 %u32_1",
    },
};

static DYNAMIC_VECTOR: Rule = Rule {
    id: "composite.dynamic-vector",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "`OpVectorExtractDynamic` takes a vector with components of the result type; `OpVectorInsertDynamic` takes \
           a vector of the result type and a value of its component type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%part = OpVectorExtractDynamic %u32 %v2f32_0 %u32_1",
        keeps: "%part = OpVectorExtractDynamic %u32 %v2u32_0 %u32_1",
    },
};

static DYNAMIC_INDEX: Rule = Rule {
    id: "composite.dynamic-index",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "The index of a component is an integer scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%part = OpVectorExtractDynamic %f32 %v2f32_0 %f32_1",
        keeps: "%part = OpVectorExtractDynamic %f32 %v2f32_0 %i32_1",
    },
};

static CONSTRUCT_RESULT: Rule = Rule {
    id: "composite.construct-result",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "The result of `OpCompositeConstruct` and `OpCompositeConstructReplicateEXT` is a vector, matrix, array, \
           structure or cooperative matrix.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%made = OpCompositeConstruct %f32 %f32_0",
        keeps: "%made = OpCompositeConstruct %v2f32 %f32_0 %f32_1",
    },
};

static CONSTRUCT_COUNT: Rule = Rule {
    id: "composite.construct-count",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "A composite is made of exactly as many constituents as it has parts. A vector is made of at least two \
           constituents, which together have as many components as the vector. A cooperative matrix is made of one, \
           the value of all its components.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%made = OpCompositeConstruct %v4f32 %v2f32_0 %f32_0",
        keeps: "%made = OpCompositeConstruct %v4f32 %v2f32_0 %f32_0 %f32_1",
    },
};

static CONSTITUENT: Rule = Rule {
    id: "composite.constituent",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "Each constituent has the type of the part that it becomes. A vector can also be made of shorter vectors \
           with the same component type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%made = OpCompositeConstruct %v2f32 %f32_0 %u32_1",
        keeps: "%made = OpCompositeConstruct %v2f32 %f32_0 %f32_1",
    },
};

static REPLICATED: Rule = Rule {
    id: "composite.replicated",
    class: InvalidData,
    section: "SPV_EXT_replicated_composites",
    vuids: &[],
    text: "The value that `OpCompositeConstructReplicateEXT` repeats has the type of the result's parts.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ReplicatedCompositesEXT
OpExtension \"SPV_EXT_replicated_composites\"
%made = OpCompositeConstructReplicateEXT %v2f32 %u32_1",
        keeps: "OpCapability ReplicatedCompositesEXT
OpExtension \"SPV_EXT_replicated_composites\"
%made = OpCompositeConstructReplicateEXT %v2f32 %f32_1",
    },
};

static COPY_VOID: Rule = Rule {
    id: "composite.copy-void",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "A value of type void can't be copied.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%nothing = OpFunctionCall %void %other
%copy = OpCopyObject %void %nothing
%other = OpFunction %void None %fn_void
%other_entry = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "%copy = OpCopyObject %u32 %u32_1",
    },
};

static COPY_TYPE: Rule = Rule {
    id: "composite.copy-type",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "The result of a copy has the type of its operand.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%copy = OpCopyObject %u32 %i32_1",
        keeps: "%copy = OpCopyObject %u32 %u32_1",
    },
};

static TRANSPOSE_TYPE: Rule = Rule {
    id: "composite.transpose-type",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "`OpTranspose` takes a matrix, and its result is a matrix with the same component type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%turned = OpTranspose %mat4 %v4f32_0",
        keeps: "%turned = OpTranspose %mat4 %mat4_0",
    },
};

static TRANSPOSE_SHAPE: Rule = Rule {
    id: "composite.transpose-shape",
    class: InvalidData,
    section: "3.32.12",
    vuids: &[],
    text: "The result of `OpTranspose` has as many rows as the matrix has columns, and the other way round.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%turned = OpTranspose %mat3 %mat4_0",
        keeps: "%turned = OpTranspose %mat4 %mat4_0",
    },
};

static COPY_LOGICAL_SAME: Rule = Rule {
    id: "composite.copy-logical-same",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "`OpCopyLogical` copies between different types; within one type, use `OpCopyObject`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%one = OpTypeStruct %u32 %f32
%value = OpConstantNull %one
%copy = OpCopyLogical %one %value",
        keeps: "%one = OpTypeStruct %u32 %f32
%value = OpConstantNull %one
%copy = OpCopyObject %one %value",
    },
};

static COPY_LOGICAL_MATCH: Rule = Rule {
    id: "composite.copy-logical-match",
    class: InvalidId,
    section: "3.32.12",
    vuids: &[],
    text: "`OpCopyLogical` copies between types that match logically: structures with the same number of members, or \
           arrays of the same length, whose parts have the same type or match logically, too.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%one = OpTypeStruct %u32 %f32
%other = OpTypeStruct %f32 %u32
%value = OpConstantNull %one
%copy = OpCopyLogical %other %value",
        keeps: "%one = OpTypeStruct %u32 %f32
%other = OpTypeStruct %u32 %f32
%value = OpConstantNull %one
%copy = OpCopyLogical %other %value",
    },
};

static CONDITIONAL_COPY: Rule = Rule {
    id: "composite.conditional-copy",
    class: InvalidData,
    section: "SPV_INTEL_function_variants",
    vuids: &[],
    text: "`OpConditionalCopyObjectINTEL` takes pairs of a boolean and a value of the result type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability SpecConditionalINTEL
OpExtension \"SPV_INTEL_function_variants\"
%copy = OpConditionalCopyObjectINTEL %u32 %true %f32_1",
        keeps: "OpCapability SpecConditionalINTEL
OpExtension \"SPV_INTEL_function_variants\"
%copy = OpConditionalCopyObjectINTEL %u32 %true %u32_1",
    },
};

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
    let makes = expect(m.is_scalar(o.result) || m.is_pointer(o.result), || {
        o.result_finding(&DYNAMIC_RESULT, "a scalar")
    });
    let takes = expect(m.is_vector(o.ty(0)), || {
        o.operand_finding(&DYNAMIC_VECTOR, 0, "a vector")
    });
    let vector = all([makes, takes]).and_then(|()| {
        expect(m.component_type(o.ty(0)) == o.result, || {
            o.mismatch(&DYNAMIC_VECTOR, 0, "components of the result type")
        })
    });
    all([vector, check_dynamic_index(o, 1)])
}

fn check_insert_dynamic(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if !m.is_vector(o.result) {
        return Err(o.result_finding(&DYNAMIC_RESULT, "a vector"));
    }
    all([
        expect(o.ty(0) == o.result, || {
            o.mismatch(&DYNAMIC_VECTOR, 0, "the result type")
        }),
        expect(o.ty(1) == m.component_type(o.result), || {
            o.mismatch(&DYNAMIC_VECTOR, 1, "the type of the result's components")
        }),
        check_dynamic_index(o, 2),
    ])
}

fn check_dynamic_index(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.m.is_int_scalar(o.ty(index)) {
        true => Ok(()),
        false => Err(o.operand_finding(&DYNAMIC_INDEX, index, "an integer scalar")),
    }
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
                            format!("the type of member {index}, {},", m.show_type(Id(member)));
                        o.mismatch(&CONSTITUENT, index, &wanted)
                    })
                }));
            all([count, each])
        }
        Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
            if given != 1 {
                let message = format!(
                    "OpCompositeConstruct needs one constituent for a cooperative matrix, but has {given}"
                );
                return Err(o.finding(&CONSTRUCT_COUNT, message));
            }
            check_constituents(o, matrix.component)
        }
        // Tensors of a known shape are composites; of their parts nothing is said.
        Type::Other(Op::TypeTensorARM)
            if m.def(o.result).is_some_and(|def| def.optional(2).is_some()) =>
        {
            Ok(())
        }
        _ => Err(o.result_finding(&CONSTRUCT_RESULT, "a composite")),
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
        "{} has {given} constituents for the {wanted} {parts} of {}",
        o.op,
        o.m.show_type(o.result)
    );
    let finding = o.finding(&CONSTRUCT_COUNT, message);
    Err(finding.about(o.m, o.result, "the result type is declared here"))
}

fn check_constituents(o: &Operation<'_, '_, '_>, part: Id) -> CheckResult {
    all((0..o.args.len()).map(|index| {
        if o.ty(index) != part {
            return Err(o.mismatch(&CONSTITUENT, index, "the type of the result's parts"));
        }
        Ok(())
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
            return Err(o.mismatch(&CONSTITUENT, index, wanted));
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
        return Err(o.finding(&CONSTRUCT_COUNT, message));
    }
    if is_known && given != count {
        let message = format!(
            "the constituents of OpCompositeConstruct have {given} components in all, but {} has {count}",
            m.show_type(o.result)
        );
        let finding = o.finding(&CONSTRUCT_COUNT, message);
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
        return Err(o.result_finding(&CONSTRUCT_RESULT, "a composite"));
    };
    if o.ty(0) != part {
        return Err(o.mismatch(&REPLICATED, 0, "the type of the result's parts"));
    }
    Ok(())
}

fn check_copy(o: &Operation<'_, '_, '_>) -> CheckResult {
    if o.m.is_void(o.result) {
        let message = "OpCopyObject can't copy a value of type void";
        return Err(o.finding(&COPY_VOID, message).arg(o.at, 0));
    }
    if o.ty(0) != o.result {
        return Err(o.mismatch(&COPY_TYPE, 0, "the result type"));
    }
    Ok(())
}

fn check_transpose(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let Type::Matrix { column, count } = m.ty(o.result) else {
        return Err(o.result_finding(&TRANSPOSE_TYPE, "a matrix"));
    };
    let Type::Matrix {
        column: old_column,
        count: old_count,
    } = m.ty(o.ty(0))
    else {
        return Err(o.operand_finding(&TRANSPOSE_TYPE, 0, "a matrix"));
    };
    if m.component_type(column) != m.component_type(old_column) {
        return Err(o.mismatch(&TRANSPOSE_TYPE, 0, "components of the same type"));
    }
    if m.dimension(column) != old_count || m.dimension(old_column) != count {
        return Err(o.mismatch(&TRANSPOSE_SHAPE, 0, "rows and columns swapped"));
    }
    Ok(())
}

fn check_copy_logical(o: &Operation<'_, '_, '_>) -> CheckResult {
    let from = o.ty(0);
    if from == o.result {
        let finding = o.mismatch(&COPY_LOGICAL_SAME, 0, "a type other than the result's");
        return Err(finding.help("use OpCopyObject to copy within one type"));
    }
    if !match_logically(o.m, from, o.result) {
        return Err(o.mismatch(&COPY_LOGICAL_MATCH, 0, "a type that matches logically"));
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
    all((0..o.args.len()).map(|index| {
        if index % 2 == 0 {
            if !o.m.is_bool_scalar(o.ty(index)) {
                return Err(o.operand_finding(&CONDITIONAL_COPY, index, "a boolean"));
            }
        } else if o.ty(index) != o.result {
            return Err(o.mismatch(&CONDITIONAL_COPY, index, "the result type"));
        }
        Ok(())
    }))
}
