//! What Intel's extensions let the invocations of a subgroup do together: exchange data and move
//! blocks of it (SPV_INTEL_subgroups, SPV_INTEL_media_block_io, SPV_INTEL_subgroup_buffer_prefetch,
//! SPV_INTEL_2d_block_io), and multiply matrices
//! (SPV_INTEL_subgroup_matrix_multiply_accumulate).

use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{DATA, I32, INT, NUMBER, Pattern, TYPE, U32, UNTYPED_POINTER};
use crate::rules::generated::intel_subgroup;

pub(crate) const FAMILY: Family = Family {
    ops: &OPS,
    check,
    check_module: None,
};

/// What an operand is.
#[derive(Clone, Copy)]
enum Arg {
    /// A value that is so.
    Is(Pattern),
    /// A value of the result type.
    Result,
    /// A pointer into a storage class, and what it points to if it is typed.
    Pointer(&'static [StorageClass], Pattern),
    /// An image that isn't sampled.
    Image,
    /// The document leaves open what it is.
    Any,
}

struct Row {
    op: Op,
    made: Option<Pattern>,
    args: &'static [Arg],
}

/// A value, of which each invocation has one.
const VALUE: Pattern = DATA.scalar_or_vector();
const VALUE_ARG: Arg = Arg::Is(VALUE);
/// Part of a matrix.
const MATRIX: Pattern = NUMBER.scalar_or_vector();
const MATRIX_ARG: Arg = Arg::Is(MATRIX);
/// An invocation, or the distance to one.
const INDEX: Arg = Arg::Is(I32);
const CONSTANT: Arg = Arg::Is(I32.constant());
const SIZE: Arg = Arg::Is(INT);
const COORDINATE: Arg = Arg::Is(INT.scalar_or_vector());
/// Where values are in a row: at any place in memory.
const PLACE: Arg = Arg::Pointer(&[], DATA);
/// Where they are in memory that all share, for a cache.
const CACHED: Arg = Arg::Pointer(GLOBAL, INT);
const GLOBAL: &[StorageClass] = &[StorageClass::CrossWorkgroup];
/// Memory in two dimensions.
const PLANE: Arg = Arg::Pointer(GLOBAL, TYPE);
/// Where an invocation has its part of a block.
const OWN: Arg = Arg::Pointer(PRIVATE, TYPE);
const OWN_PACKED: Arg = Arg::Pointer(PRIVATE, I32);
const PRIVATE: &[StorageClass] = &[StorageClass::Function];
const PAIR: Arg = Arg::Is(INT.vector_of(&[2]));

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
    SubgroupShuffleINTEL: Some(VALUE), &[Arg::Result, INDEX];
    SubgroupShuffleDownINTEL: Some(VALUE), &[Arg::Result, Arg::Result, INDEX];
    SubgroupShuffleUpINTEL: Some(VALUE), &[Arg::Result, Arg::Result, INDEX];
    SubgroupShuffleXorINTEL: Some(VALUE), &[Arg::Result, INDEX];
    SubgroupBlockReadINTEL: Some(VALUE), &[PLACE];
    SubgroupBlockWriteINTEL: None, &[PLACE, VALUE_ARG];
    SubgroupImageBlockReadINTEL: Some(VALUE), &[Arg::Image, COORDINATE];
    SubgroupImageBlockWriteINTEL: None, &[Arg::Image, COORDINATE, VALUE_ARG];
    SubgroupImageMediaBlockReadINTEL: Some(VALUE), &[Arg::Image, Arg::Is(INT.vector()), Arg::Any, Arg::Any];
    SubgroupImageMediaBlockWriteINTEL: None, &[Arg::Image, Arg::Is(INT.vector()), Arg::Any, Arg::Any, VALUE_ARG];
    SubgroupBlockPrefetchINTEL: None, &[CACHED, Arg::Is(U32.constant())];
    Subgroup2DBlockLoadINTEL: None, &[CONSTANT, CONSTANT, CONSTANT, CONSTANT, PLANE, SIZE, SIZE, SIZE, PAIR, OWN];
    Subgroup2DBlockLoadTransformINTEL: None, &[CONSTANT, CONSTANT, CONSTANT, CONSTANT, PLANE, SIZE, SIZE, SIZE, PAIR, OWN_PACKED];
    Subgroup2DBlockLoadTransposeINTEL: None, &[CONSTANT, CONSTANT, CONSTANT, CONSTANT, PLANE, SIZE, SIZE, SIZE, PAIR, OWN];
    Subgroup2DBlockPrefetchINTEL: None, &[CONSTANT, CONSTANT, CONSTANT, CONSTANT, PLANE, SIZE, SIZE, SIZE, PAIR];
    Subgroup2DBlockStoreINTEL: None, &[CONSTANT, CONSTANT, CONSTANT, CONSTANT, OWN, PLANE, SIZE, SIZE, SIZE, PAIR];
    SubgroupMatrixMultiplyAccumulateINTEL: Some(MATRIX), &[CONSTANT, MATRIX_ARG, MATRIX_ARG, MATRIX_ARG];
};

const OPS: [Op; ROWS.len()] = ops_of!(ROWS, op);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(row) = ROWS.iter().find(|row| row.op == at.inst.op()) else {
        return Ok(());
    };
    let made = match row.made {
        Some(wanted) => at.expect_result(&intel_subgroup::RESULT, wanted),
        None => Ok(()),
    };
    let args = row.args.iter().enumerate();
    let args = all(args.map(|(index, &arg)| check_operand(at, index, arg)));
    // What follows goes by what these are.
    all([made, args])?;
    match row.op {
        Op::SubgroupBlockReadINTEL => check_moved(at, at.result_type()),
        Op::SubgroupBlockWriteINTEL => check_moved(at, at.type_of_arg(1)),
        Op::Subgroup2DBlockLoadINTEL
        | Op::Subgroup2DBlockLoadTransformINTEL
        | Op::Subgroup2DBlockLoadTransposeINTEL
        | Op::Subgroup2DBlockPrefetchINTEL
        | Op::Subgroup2DBlockStoreINTEL => check_block(at),
        _ => Ok(()),
    }
}

fn check_operand(at: &InstCtx<'_, '_>, index: usize, arg: Arg) -> CheckResult {
    match arg {
        Arg::Any => Ok(()),
        Arg::Is(wanted) => at.expect_operand(&intel_subgroup::OPERAND, index, wanted),
        Arg::Result => at.expect_result_type(&intel_subgroup::DATA, index),
        Arg::Pointer(classes, pointee) => check_pointer(at, index, classes, pointee),
        Arg::Image => check_image(at, index),
    }
}

fn check_pointer(
    at: &InstCtx<'_, '_>,
    index: usize,
    classes: &'static [StorageClass],
    wanted: Pattern,
) -> CheckResult {
    let m = at.m;
    at.expect_operand(
        &intel_subgroup::POINTER,
        index,
        Pattern::pointer_into(classes),
    )?;
    let ty = at.type_of_arg(index);
    let is_fine = UNTYPED_POINTER.matches(m, ty)
        || m.pointee(ty)
            .is_some_and(|pointee| wanted.matches(m, pointee));
    match is_fine {
        true => Ok(()),
        false => {
            let wanted = format!("a pointer to {wanted}");
            Err(at.operand_finding(&intel_subgroup::POINTER, index, &wanted))
        }
    }
}

fn check_image(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let is_fine = matches!(
        at.m.ty(at.type_of_arg(index)),
        Type::Image(image) if matches!(image.sampled, 0 | 2)
    );
    let wanted = "an image with `Sampled` 0 or 2";
    at.expect_operand_that(&intel_subgroup::IMAGE, index, is_fine, wanted)
}

/// Checks that what is read or written in a row is of what the pointer points to.
fn check_moved(at: &InstCtx<'_, '_>, value: Id) -> CheckResult {
    let m = at.m;
    let component = m.scalar_or_vector_component(value);
    let pointee = m.pointee(at.type_of_arg(0));
    if pointee.is_none_or(|pointee| pointee == component) {
        return Ok(());
    }
    let wanted = format!("a pointer to {}", m.show_type(component));
    Err(at.operand_finding(&intel_subgroup::POINTER, 0, &wanted))
}

/// Checks the size of the elements of a block, and the length of its rows.
fn check_block(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (size, width) = (m.constant_u64(at.id(0)), m.constant_u64(at.id(1)));
    let Some(size) = size else {
        return Ok(());
    };
    if !matches!(size, 1 | 2 | 4 | 8) {
        let message =
            format!("the elements of a block must have 1, 2, 4 or 8 bytes, but have {size}");
        return Err(at.finding(&intel_subgroup::BLOCK_SIZE, message).arg(at, 0));
    }
    let unit = 4_u64.div_ceil(size);
    match width {
        Some(width) if !width.is_multiple_of(unit) => {
            let message = format!(
                "the width of a block whose elements have a size of {size} must be a multiple of {unit}, but is {width}"
            );
            Err(at.finding(&intel_subgroup::BLOCK_SIZE, message).arg(at, 1))
        }
        _ => Ok(()),
    }
}
