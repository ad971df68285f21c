//! Functions applied to cooperative matrices: reductions and per-element
//! operations.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{CooperativeMatrixReduce, Op};

use super::super::operation::Operation;
use super::shapes::{Use, different};
use super::with_matrices;
use crate::fault::{Verdict, all};
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

const SECTION: &str = "SPV_NV_cooperative_matrix2, SPV_EXT_cooperative_matrix_maintenance1";

/// The declarations and the functions that the examples share.
macro_rules! with_functions {
    ($text:literal) => {
        with_matrices!(
            $text,
            "OpCapability CooperativeMatrixReductionsEXT
OpCapability CooperativeMatrixPerElementOperationsEXT
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
%combine_type = OpTypeFunction %f32 %f32 %f32
%element_type = OpTypeFunction %f32 %u32 %u32 %f32
%combine = OpFunction %f32 None %combine_type
%combine_a = OpFunctionParameter %f32
%combine_b = OpFunctionParameter %f32
%combine_entry = OpLabel
OpReturnValue %combine_a
OpFunctionEnd
%element = OpFunction %f32 None %element_type
%element_row = OpFunctionParameter %u32
%element_column = OpFunctionParameter %u32
%element_value = OpFunctionParameter %f32
%element_entry = OpLabel
OpReturnValue %element_value
OpFunctionEnd
"
        )
    };
}

pub(super) static REDUCE_MATRIX: Rule = Rule {
    id: "cooperative-matrix.reduce-matrix",
    class: InvalidData,
    section: SECTION,
    vuids: &[],
    text: "A reduction makes an Accumulator of an Accumulator with the same scope and component type.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %a %c_0 Row %combine"),
        keeps: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Row %combine"),
    },
};

pub(super) static REDUCE_MASK: Rule = Rule {
    id: "cooperative-matrix.reduce-mask",
    class: InvalidData,
    section: SECTION,
    vuids: &[],
    text: "A reduction combines rows, columns, both, or blocks of two rows and two columns.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Row|2x2 %combine"),
        keeps: with_functions!(
            "%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Row|Column %combine"
        ),
    },
};

pub(super) static REDUCE_SHAPE: Rule = Rule {
    id: "cooperative-matrix.reduce-shape",
    class: InvalidData,
    section: SECTION,
    vuids: &[],
    text: "A reduction of rows keeps the number of rows, one of columns the number of columns; one of blocks halves \
           both.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 2x2 %combine"),
        keeps: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Column %combine"),
    },
};

pub(super) static REDUCE_FUNCTION: Rule = Rule {
    id: "cooperative-matrix.reduce-function",
    class: InvalidId,
    section: SECTION,
    vuids: &[],
    text: "The function of a reduction combines two values of the component type to one.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Row %element"),
        keeps: with_functions!("%reduced = OpCooperativeMatrixReduceEXT %c %c_0 Row %combine"),
    },
};

pub(super) static ELEMENT_MATRIX: Rule = Rule {
    id: "cooperative-matrix.element-matrix",
    class: InvalidId,
    section: SECTION,
    vuids: &[],
    text: "A per-element operation keeps the type of its matrix; further matrices have the same scope, shape and use.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%made = OpCooperativeMatrixPerElementOpEXT %f32 %c_0 %element"),
        keeps: with_functions!("%made = OpCooperativeMatrixPerElementOpEXT %c %c_0 %element"),
    },
};

pub(super) static ELEMENT_FUNCTION: Rule = Rule {
    id: "cooperative-matrix.element-function",
    class: InvalidId,
    section: SECTION,
    vuids: &[],
    text: "The function of a per-element operation makes a component of its row and column, 32-bit integers, of the \
           component there, and of the further operands; for a matrix it is given the component.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_functions!("%made = OpCooperativeMatrixPerElementOpEXT %c %c_0 %combine"),
        keeps: with_functions!("%made = OpCooperativeMatrixPerElementOpEXT %c %c_0 %element"),
    },
};

pub(super) fn check_reduce(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let accumulator = |ty: Id| match m.ty(ty) {
        Type::CooperativeMatrix(matrix) => {
            let fits = Use::of(m, &matrix).is_none_or(|found| found == Use::Accumulator);
            fits.then_some(matrix)
        }
        _ => None,
    };
    if m.type_of(o.id(0)).is_none() {
        return Ok(());
    }
    let Some(to) = accumulator(o.result) else {
        return Err(o.result_fault(
            &REDUCE_MATRIX,
            "a cooperative matrix that is an Accumulator",
        ));
    };
    let Some(from) = accumulator(o.ty(0)) else {
        let wanted = "a cooperative matrix that is an Accumulator";
        return Err(o.operand_fault(&REDUCE_MATRIX, 0, wanted));
    };
    if from.component != to.component || different(m, from.scope, to.scope).is_some() {
        return Err(o.mismatch(
            &REDUCE_MATRIX,
            0,
            "the scope and component type of the result",
        ));
    }
    let mask = CooperativeMatrixReduce(o.arg(1));
    const BOTH: CooperativeMatrixReduce =
        CooperativeMatrixReduce(CooperativeMatrixReduce::Row.0 | CooperativeMatrixReduce::Column.0);
    match mask {
        CooperativeMatrixReduce::Row => {
            if different(m, from.rows, to.rows).is_some() {
                return Err(o.mismatch(&REDUCE_SHAPE, 0, "as many rows as the result"));
            }
        }
        CooperativeMatrixReduce::Column => {
            if different(m, from.columns, to.columns).is_some() {
                return Err(o.mismatch(&REDUCE_SHAPE, 0, "as many columns as the result"));
            }
        }
        BOTH => {}
        CooperativeMatrixReduce::CooperativeMatrixReduce2x2 => {
            for (old, new) in [(from.rows, to.rows), (from.columns, to.columns)] {
                if let (Some(old), Some(new)) = (m.constant_u64(old), m.constant_u64(new))
                    && new.checked_mul(2) != Some(old)
                {
                    let wanted = "twice the rows and columns of the result";
                    return Err(o.mismatch(&REDUCE_SHAPE, 0, wanted));
                }
            }
        }
        _ => {
            let message = format!("{} combines Row, Column, both or 2x2, but has {mask}", o.op);
            return Err(o.fault(&REDUCE_MASK, message));
        }
    }
    let component = to.component;
    let Some(def) = m.def(o.id(2)) else {
        return Ok(());
    };
    let is_fine = def.op() == Op::Function
        && match m.ty(def.id(1)) {
            Type::Function { result, parameters } => {
                result == component
                    && parameters.len() == 2
                    && parameters
                        .iter()
                        .all(|&parameter| Id(parameter) == component)
            }
            _ => false,
        };
    if !is_fine {
        let message = format!(
            "{} needs a function that makes one {} of two, which {} is not",
            o.op,
            m.show_type(component),
            m.name(o.id(2))
        );
        let fault = o.fault(&REDUCE_FUNCTION, message);
        return Err(fault.about(m, o.id(2), "it is defined here"));
    }
    Ok(())
}

pub(super) fn check_per_element(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let further = o.args.get(2..).unwrap_or_default();
    if m.type_of(o.id(0)).is_none() || further.iter().any(|&id| m.type_of(Id(id)).is_none()) {
        return Ok(());
    }
    let Type::CooperativeMatrix(matrix) = m.ty(o.result) else {
        return Err(o.result_fault(&ELEMENT_MATRIX, "a cooperative matrix"));
    };
    if o.ty(0) != o.result {
        return Err(o.mismatch(&ELEMENT_MATRIX, 0, "the result type"));
    }
    let fault = |what: &str| {
        let message = format!("{} of {} {what}", m.name(o.id(1)), o.op);
        let fault = o.fault(&ELEMENT_FUNCTION, message);
        fault.about(m, o.id(1), "it is defined here")
    };
    let Some(def) = m.def(o.id(1)) else {
        return Ok(());
    };
    if def.op() != Op::Function {
        return Err(fault("is not a function"));
    }
    let Type::Function { result, parameters } = m.ty(def.id(1)) else {
        return Ok(());
    };
    if result != matrix.component {
        return Err(fault("must return the matrix's component type"));
    }
    if parameters.len() != further.len() + 3 {
        return Err(fault(
            "must have a parameter for row, column, component and each further operand",
        ));
    }
    let parameter = |index: usize| Id(parameters.get(index).copied().unwrap_or(0));
    all((0..2).map(|index| {
        if !m.is_int_scalar_of(parameter(index), 32) {
            return Err(fault("must have 32-bit integers for row and column"));
        }
        Ok(())
    }))?;
    if parameter(2) != matrix.component {
        return Err(fault("must have the component type as its third parameter"));
    }
    all((0..further.len()).map(|index| {
        let ty = o.ty(index + 2);
        let wanted = match m.ty(ty) {
            Type::CooperativeMatrix(other) => {
                let is_other = different(m, other.scope, matrix.scope).is_some()
                    || different(m, other.rows, matrix.rows).is_some()
                    || different(m, other.columns, matrix.columns).is_some()
                    || different(m, other.matrix_use, matrix.matrix_use).is_some();
                if is_other {
                    let wanted = "the scope, shape and use of the result";
                    return Err(o.mismatch(&ELEMENT_MATRIX, index + 2, wanted));
                }
                other.component
            }
            Type::CooperativeMatrixNv(_) => {
                let wanted = "the kind of cooperative matrix that the result is";
                return Err(o.mismatch(&ELEMENT_MATRIX, index + 2, wanted));
            }
            _ => ty,
        };
        if parameter(index + 3) != wanted {
            return Err(fault(
                "must have parameters of the types of the further operands",
            ));
        }
        Ok(())
    }))
}
