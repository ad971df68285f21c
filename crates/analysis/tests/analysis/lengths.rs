//! Lengths of arrays that specialization constants and operations on these give.

use spirvkit_analysis::layout::{Extent, NoLayout, Rules};

use crate::layout::{HEAD, NUMBERS, module};

#[test]
fn specialization_shows() {
    let module = module(
        &format!("{HEAD}\nOpName %quarter \"quarter\"\nOpName %lost \"lost\""),
        &format!(
            "{NUMBERS}%spec = OpSpecConstant %u32 24
%i32 = OpTypeInt 32 1
%minus8 = OpConstant %i32 -8
%uv2 = OpTypeVector %u32 2
%pair = OpConstantComposite %uv2 %u32_2 %u32_3
%product = OpSpecConstantOp %i32 SDiv %spec %minus8
%five = OpSpecConstantOp %u32 ISub %u32_2 %product
%less = OpSpecConstantOp %bool SLessThan %product %u32_2
%five_again = OpSpecConstantOp %u32 Select %less %five %u32_2
%sum = OpSpecConstantOp %uv2 IAdd %pair %pair
%unknown = OpSpecConstantOp %u32 CompositeExtract %sum 0
%quarter = OpTypeArray %f32 %five_again
%lost = OpTypeArray %f32 %unknown
%s = OpTypeStruct %quarter %v4 %lost %f32"
        ),
    );
    let layouts = module.types().lay_out(Rules::Std430);
    // 2 - 24 / -8 elements.
    let array = layouts.get(module.id("quarter")).unwrap();
    assert_eq!(array.size, Extent::Default(20));
    assert_eq!(array.array_stride, Some(Extent::Fixed(4)));
    let members = layouts.members(module.id("s"));
    assert_eq!(members[1].offset, Ok(Extent::Default(32)));
    assert_eq!(members[2].offset, Err(NoLayout::UnknownNumber));
    assert_eq!(members[3].offset, Err(NoLayout::UnknownNumber));
    assert_eq!(members[3].layout.unwrap().size, Extent::Fixed(4));
    assert_eq!(layouts.get(module.id("s")), Err(NoLayout::UnknownNumber));
}

#[test]
fn lengths_are_worked_out() {
    let cases = [
        ("%u32 IAdd %seven %three", 10),
        ("%u32 IMul %seven %three", 21),
        ("%u32 UDiv %seven %three", 2),
        ("%u32 UMod %seven %three", 1),
        // Of two's complement: -7 / 3 is -2, with -1 left, or 2 above -9.
        ("%u32 ISub %zero %minus_seven", 7),
        ("%u32 SMod %minus_seven %three", 2),
        ("%u32 SNegate %minus_seven", 7),
        ("%u32 ShiftLeftLogical %seven %three", 56),
        ("%u32 ShiftRightLogical %minus_seven %thirty", 3),
        ("%u32 ShiftRightLogical %seven %three", 0),
        ("%u32 BitwiseAnd %seven %three", 3),
        ("%u32 BitwiseXor %seven %three", 4),
        ("%u32 Not %minus_seven", 6),
        // The low 16 bits of -7 are 65529.
        ("%u32 UConvert %short", 65529),
        ("%u64 UConvert %seven", 7),
    ];
    for (operation, length) in cases {
        let module = module(
            HEAD,
            &format!(
                "{NUMBERS}%i32 = OpTypeInt 32 1
%i16 = OpTypeInt 16 1
%zero = OpConstant %u32 0
%seven = OpSpecConstant %u32 7
%three = OpConstant %u32 3
%thirty = OpConstant %u32 30
%minus_seven = OpConstant %i32 -7
%short = OpConstant %i16 -7
%length = OpSpecConstantOp {operation}
%s = OpTypeArray %u8 %length"
            ),
        );
        let layout = module.types().lay_out(Rules::Scalar).get(module.id("s"));
        assert_eq!(layout.unwrap().size, Extent::Default(length), "{operation}");
    }
    for operation in [
        "%u32 UDiv %u32_2 %u32_0",
        "%u32 ShiftLeftLogical %u32_2 %u32_wide",
    ] {
        let body = format!(
            "{NUMBERS}%u32_wide = OpConstant %u32 32
%length = OpSpecConstantOp {operation}
%s = OpTypeArray %u8 %length"
        );
        let module = module(HEAD, &body);
        let layout = module.types().lay_out(Rules::Scalar).get(module.id("s"));
        assert_eq!(layout, Err(NoLayout::UnknownNumber), "{operation}");
    }
}

/// Constants of which each holds the one before twice, and operations of which each takes the one
/// before, are each looked at once.
#[test]
fn lengths_from_deep_constants_are_worked_out_once() {
    let mut body = format!(
        "{NUMBERS}%spec = OpSpecConstant %u32 3
%a0 = OpSpecConstantOp %u32 IAdd %spec %u32_2
%t0 = OpTypeStruct %u32 %u32
%c0 = OpSpecConstantComposite %t0 %a0 %a0\n"
    );
    for depth in 1..100 {
        let above = depth - 1;
        body += &format!(
            "%t{depth} = OpTypeStruct %t{above} %t{above}
%c{depth} = OpSpecConstantComposite %t{depth} %c{above} %c{above}\n"
        );
    }
    for number in 1..20_000 {
        let before = number - 1;
        body += &format!("%a{number} = OpSpecConstantOp %u32 BitwiseXor %a{before} %u32_2\n");
    }
    let path = " 0".repeat(100);
    body += &format!(
        "%deep = OpSpecConstantOp %u32 CompositeExtract %c99{path}
%length = OpSpecConstantOp %u32 IAdd %deep %a19999
%s = OpTypeArray %u8 %length"
    );
    let module = module(HEAD, &body);
    let layout = module.types().lay_out(Rules::Scalar).get(module.id("s"));
    // 5, and 5 with a bit changed an odd number of times.
    assert_eq!(layout.unwrap().size, Extent::Default(5 + 7));
}

#[test]
fn operations_are_worked_out_again_when_sizes_become_known() {
    let body = format!(
        "{NUMBERS}%sampler = OpTypeSampler
%size = OpConstantSizeOfEXT %u32 %sampler
%length = OpSpecConstantOp %u32 IAdd %size %u32_2
%s = OpTypeArray %u8 %length"
    );
    let module = module(HEAD, &body);
    let types = module.types();
    let unknown = types.lay_out(Rules::Scalar).get(module.id("s"));
    assert_eq!(unknown, Err(NoLayout::UnknownNumber));
    let types = types.with_descriptor_sizes(|_| Some(32));
    let layout = types.lay_out(Rules::Scalar).get(module.id("s"));
    assert_eq!(layout.unwrap().size, Extent::Fixed(34));
}
