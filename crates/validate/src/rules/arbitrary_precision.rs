//! Numbers whose parts have any number of bits, floating-point and fixed-point, in integers
//! (SPV_ALTERA_arbitrary_precision_floating_point, SPV_ALTERA_arbitrary_precision_fixed_point).

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{BOOL, INT, Pattern};
use crate::rules::generated::arbitrary_precision;

pub(crate) const FAMILY: Family = Family {
    ops: &OPS,
    check,
    check_module: None,
};

/// What an operand is.
#[derive(Clone, Copy)]
enum Arg {
    /// A number.
    Number,
    /// How many bits the mantissa of the operand before has.
    Mantissa,
    /// How many the mantissa of the result has.
    ResultMantissa,
    /// One of so many choices.
    Choice(u32),
    /// How to round to a precision that may be left to the device, or where the point is.
    Any,
}

struct Row {
    op: Op,
    made: Pattern,
    args: &'static [Arg],
}

/// Sine and cosine: two components in the document, but compilers write one integer for both.
const BOTH: Pattern = Pattern::either(&[INT.vector_of(&[2]), INT]);

/// What follows the numbers of nearly all: whether there are subnormal numbers, how to round, and whether
/// that must be right.
const FROM_ONE: &[Arg] = &[
    Arg::Number,
    Arg::Mantissa,
    Arg::ResultMantissa,
    Arg::Choice(2),
    Arg::Any,
    Arg::Choice(2),
];
const FROM_TWO: &[Arg] = &[
    Arg::Number,
    Arg::Mantissa,
    Arg::Number,
    Arg::Mantissa,
    Arg::ResultMantissa,
    Arg::Choice(2),
    Arg::Any,
    Arg::Choice(2),
];
/// The second number is an integer, with or without sign.
const WITH_INTEGER: &[Arg] = &[
    Arg::Number,
    Arg::Mantissa,
    Arg::Number,
    Arg::Any,
    Arg::ResultMantissa,
    Arg::Choice(2),
    Arg::Any,
    Arg::Choice(2),
];
const FROM_INTEGER: &[Arg] = &[
    Arg::Number,
    Arg::ResultMantissa,
    Arg::Any,
    Arg::Choice(2),
    Arg::Any,
    Arg::Choice(2),
];
/// Compilers say of the integer whether it has a sign without saying so in its type.
const TO_INTEGER: &[Arg] = &[
    Arg::Number,
    Arg::Mantissa,
    Arg::Any,
    Arg::Choice(2),
    Arg::Any,
    Arg::Choice(2),
];
const COMPARED: &[Arg] = &[Arg::Number, Arg::Mantissa, Arg::Number, Arg::Mantissa];
/// Signs, points, quantization, overflow.
const FIXED: &[Arg] = &[
    Arg::Number,
    Arg::Choice(2),
    Arg::Any,
    Arg::Any,
    Arg::Choice(8),
    Arg::Choice(4),
];

macro_rules! rows {
    ($($name:ident: $made:expr, $args:expr;)*) => {
        &[$(Row {
            op: Op::$name,
            made: $made,
            args: $args,
        }),*]
    };
}

/// The instructions.
const ROWS: &[Row] = rows! {
    ArbitraryFloatSinCosPiALTERA: BOTH, FROM_ONE;
    ArbitraryFloatCastALTERA: INT, FROM_ONE;
    ArbitraryFloatCastFromIntALTERA: INT, FROM_INTEGER;
    ArbitraryFloatCastToIntALTERA: INT, TO_INTEGER;
    ArbitraryFloatAddALTERA: INT, FROM_TWO;
    ArbitraryFloatSubALTERA: INT, FROM_TWO;
    ArbitraryFloatMulALTERA: INT, FROM_TWO;
    ArbitraryFloatDivALTERA: INT, FROM_TWO;
    ArbitraryFloatGTALTERA: BOOL, COMPARED;
    ArbitraryFloatGEALTERA: BOOL, COMPARED;
    ArbitraryFloatLTALTERA: BOOL, COMPARED;
    ArbitraryFloatLEALTERA: BOOL, COMPARED;
    ArbitraryFloatEQALTERA: BOOL, COMPARED;
    ArbitraryFloatRecipALTERA: INT, FROM_ONE;
    ArbitraryFloatRSqrtALTERA: INT, FROM_ONE;
    ArbitraryFloatCbrtALTERA: INT, FROM_ONE;
    ArbitraryFloatHypotALTERA: INT, FROM_TWO;
    ArbitraryFloatSqrtALTERA: INT, FROM_ONE;
    ArbitraryFloatLogINTEL: INT, FROM_ONE;
    ArbitraryFloatLog2INTEL: INT, FROM_ONE;
    ArbitraryFloatLog10INTEL: INT, FROM_ONE;
    ArbitraryFloatLog1pINTEL: INT, FROM_ONE;
    ArbitraryFloatExpINTEL: INT, FROM_ONE;
    ArbitraryFloatExp2INTEL: INT, FROM_ONE;
    ArbitraryFloatExp10INTEL: INT, FROM_ONE;
    ArbitraryFloatExpm1INTEL: INT, FROM_ONE;
    ArbitraryFloatSinINTEL: INT, FROM_ONE;
    ArbitraryFloatCosINTEL: INT, FROM_ONE;
    ArbitraryFloatSinCosINTEL: BOTH, FROM_ONE;
    ArbitraryFloatSinPiINTEL: INT, FROM_ONE;
    ArbitraryFloatCosPiINTEL: INT, FROM_ONE;
    ArbitraryFloatASinINTEL: INT, FROM_ONE;
    ArbitraryFloatASinPiINTEL: INT, FROM_ONE;
    ArbitraryFloatACosINTEL: INT, FROM_ONE;
    ArbitraryFloatACosPiINTEL: INT, FROM_ONE;
    ArbitraryFloatATanINTEL: INT, FROM_ONE;
    ArbitraryFloatATanPiINTEL: INT, FROM_ONE;
    ArbitraryFloatATan2INTEL: INT, FROM_TWO;
    ArbitraryFloatPowINTEL: INT, FROM_TWO;
    ArbitraryFloatPowRINTEL: INT, FROM_TWO;
    ArbitraryFloatPowNINTEL: INT, WITH_INTEGER;
    FixedSqrtALTERA: INT, FIXED;
    FixedRecipALTERA: INT, FIXED;
    FixedRsqrtALTERA: INT, FIXED;
    FixedSinALTERA: INT, FIXED;
    FixedCosALTERA: INT, FIXED;
    FixedSinCosALTERA: BOTH, FIXED;
    FixedSinPiALTERA: INT, FIXED;
    FixedCosPiALTERA: INT, FIXED;
    FixedSinCosPiALTERA: BOTH, FIXED;
    FixedLogALTERA: INT, FIXED;
    FixedExpALTERA: INT, FIXED;
};

const OPS: [Op; ROWS.len()] = ops_of!(ROWS, op);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_values(at, check_operation)
}

fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    let Some(row) = ROWS.iter().find(|row| row.op == o.op) else {
        return Ok(());
    };
    let made = o.expect_result(&arbitrary_precision::RESULT, row.made);
    let args = row.args.iter().enumerate();
    let args = args.map(|(index, &arg)| match arg {
        Arg::Any => Ok(()),
        Arg::Number => o.expect_operand(&arbitrary_precision::OPERAND, index, INT),
        Arg::Mantissa => check_mantissa(o, index, o.ty(index.saturating_sub(1))),
        Arg::ResultMantissa => check_mantissa(o, index, o.result),
        Arg::Choice(count) => check_choice(o, index, count),
    });
    all([made, all(args)])
}

/// Checks that a mantissa leaves room for the sign in the integer that both are in.
fn check_mantissa(o: &Operation<'_, '_, '_>, index: usize, ty: Id) -> CheckResult {
    let m = o.m;
    let number = m.scalar_or_vector_component(ty);
    // What is no integer is reported as such.
    if !INT.matches(m, number) {
        return Ok(());
    }
    let (bits, width) = (o.arg(index), m.bit_width(number));
    expect(bits < width, || {
        let message = format!(
            "{} of {} must be less than {width}, the width of {}, but is {bits}",
            m.operand_name(&o.at.inst, index),
            o.op,
            m.show_type(number)
        );
        let finding = o.finding(&arbitrary_precision::MANTISSA, message);
        let finding = finding.arg(o.at, index);
        // Where only the sign has no room, a compiler's own tests would be refused.
        match bits == width {
            true => finding.warning(),
            false => finding,
        }
    })
}

fn check_choice(o: &Operation<'_, '_, '_>, index: usize, count: u32) -> CheckResult {
    let chosen = o.arg(index);
    expect(chosen < count, || {
        let message = format!(
            "{} of {} must be at most {}, but is {chosen}",
            o.m.operand_name(&o.at.inst, index),
            o.op,
            count.saturating_sub(1)
        );
        o.finding(&arbitrary_precision::CHOICE, message)
            .arg(o.at, index)
    })
}
