//! What invocations print. Expected texts are those of C.

use spirvkit_interp::Run;

use crate::kernels::kernel;
use crate::shader::{run, shader};

/// What a kernel of one invocation prints with this format and these operands.
#[track_caller]
fn printed(format: &str, globals: &str, operands: &str) -> String {
    let bytes: Vec<String> = format
        .bytes()
        .chain([0])
        .map(|it| format!("%c{it}"))
        .collect();
    let mut known: Vec<u8> = format.bytes().chain([0]).collect();
    known.sort_unstable();
    known.dedup();
    let constants: Vec<String> = known
        .iter()
        .map(|it| format!("%c{it} = OpConstant %u8 {it}"))
        .collect();
    let globals = format!(
        "{}
%format_length = OpConstant %u32 {}
%format_type = OpTypeArray %u8 %format_length
%format_ptr = OpTypePointer UniformConstant %format_type
%char_ptr = OpTypePointer UniformConstant %u8
%format_value = OpConstantComposite %format_type {}
%format = OpVariable %format_ptr UniformConstant %format_value
{globals}",
        constants.join("\n"),
        bytes.len(),
        bytes.join(" ")
    );
    let body = format!(
        "%chars = OpInBoundsAccessChain %char_ptr %format %u0
%result = OpExtInst %u32 %cl printf %chars {operands}"
    );
    let words = kernel(64, &globals, &[], &body);
    let run = Run::new(&words).argument("out", &[7u32]);
    let out = run.dispatch([1, 1, 1]).unwrap();
    out.assert_clean();
    assert_eq!(out.argument::<u32>("out"), [0]);
    out.printed().to_owned()
}

#[test]
fn integers_are_printed_as_in_c() {
    let globals = "%n = OpConstant %u32 4294967254
%b = OpConstant %u64 0x123456789abcdef";
    let print = |format: &str, operands: &str| printed(format, globals, operands);
    assert_eq!(print("%d|%i|%u", "%n %n %n"), "-42|-42|4294967254");
    assert_eq!(print("%5d|%-5d|%05d", "%n %n %n"), "  -42|-42  |-0042");
    assert_eq!(print("%+d|% d|%.4d", "%u5 %u5 %u5"), "+5| 5|0005");
    assert_eq!(
        print("%x|%X|%#x|%o|%#o", "%n %n %u10 %u10 %u10"),
        "ffffffd6|FFFFFFD6|0xa|12|012"
    );
    assert_eq!(print("%hhd|%hd|%hhu", "%n %n %n"), "-42|-42|214");
    assert_eq!(
        print("%lx|%ld", "%b %b"),
        "123456789abcdef|81985529216486895"
    );
    assert_eq!(print("100%% of %d%c", "%u5 %c100"), "100% of 5d");
}

#[test]
fn floats_are_printed_as_in_c() {
    let globals = "%x = OpConstant %f32 1.5
%y = OpConstant %f64 -1234.5678
%z = OpConstant %f64 1e-10
%zero = OpConstant %f64 0
%inf = OpConstant %f32 !0x7f800000";
    let print = |format: &str, operands: &str| printed(format, globals, operands);
    assert_eq!(print("%f|%.2f|%.0f", "%x %y %y"), "1.500000|-1234.57|-1235");
    assert_eq!(
        print("%e|%.1E|%e", "%y %y %zero"),
        "-1.234568e+03|-1.2E+03|0.000000e+00"
    );
    assert_eq!(
        print("%g|%g|%g|%.3g", "%x %y %z %y"),
        "1.5|-1234.57|1e-10|-1.23e+03"
    );
    assert_eq!(
        print("%10.2f|%-10.2f|%010.2f", "%y %y %y"),
        "  -1234.57|-1234.57  |-001234.57"
    );
    assert_eq!(
        print("%a|%a|%.1a|%A", "%x %zero %x %y"),
        "0x1.8p+0|0x0p+0|0x1.8p+0|-0X1.34A456D5CFAADP+10"
    );
    assert_eq!(print("%f|%F|%5f", "%inf %inf %inf"), "inf|INF|  inf");
}

#[test]
fn vectors_strings_and_pointers_are_printed() {
    let globals = "%v = OpConstantComposite %v4u32 %u1 %u2 %u3 %u4
%half = OpConstant %f32 0.5
%w = OpConstantComposite %v2f32 %half %half
%h = OpConstant %u8 104
%i = OpConstant %u8 105
%nul = OpConstant %u8 0
%text_type = OpTypeArray %u8 %u3
%text_ptr = OpTypePointer UniformConstant %text_type
%text_value = OpConstantComposite %text_type %h %i %nul
%text = OpVariable %text_ptr UniformConstant %text_value
%null = OpConstantNull %global";
    let print = |format: &str, operands: &str| printed(format, globals, operands);
    assert_eq!(print("%v4d|%2v4hlx", "%v %v"), "1,2,3,4| 1, 2, 3, 4");
    assert_eq!(print("%.1v2hlf", "%w"), "0.5,0.5");
    assert_eq!(
        print("%s|%4s|%-4s|%.1s", "%text %text %text %text"),
        "hi|  hi|hi  |h"
    );
    assert_eq!(print("%p", "%null"), "0x0");
}

#[test]
fn shaders_print_for_debugging() {
    let words = shader(
        "%debug = OpExtInstImport \"NonSemantic.DebugPrintf\"
%format = OpString \"%u is %v2u, %ul\n\"
%long = OpTypeInt 64 0
%l5 = OpConstant %long 5000000000",
        "%pair = OpCompositeConstruct %v2u32 %value %u3
%is_small = OpULessThan %bool %index %u2
OpSelectionMerge %printed None
OpBranchConditional %is_small %print %printed
%print = OpLabel
%none = OpExtInst %void %debug DebugPrintf %format %index %pair %l5
OpBranch %printed
%printed = OpLabel
%result = OpCopyObject %u32 %value",
    );
    for size in crate::shader::SIZES {
        let out = run(&words, size, &[8; 64]);
        assert_eq!(
            out.printed(),
            "0 is 8,3, 5000000000\n1 is 8,3, 5000000000\n"
        );
    }
}

#[test]
fn what_is_printed_is_bounded() {
    let words = shader(
        "%debug = OpExtInstImport \"NonSemantic.DebugPrintf\"
%format = OpString \"%u,\"",
        "%none = OpExtInst %void %debug DebugPrintf %format %u5
%result = OpCopyObject %u32 %value",
    );
    let print = |bytes| {
        let run = Run::new(&words)
            .max_printed(bytes)
            .storage(0, 0, &[0u32; 64]);
        let out = run.zeroed(0, 1, 256).dispatch([1, 1, 1]).unwrap();
        out.printed().to_owned()
    };
    assert_eq!(print(128), "5,".repeat(64));
    assert_eq!(
        print(127),
        format!("{}5\n[more was printed]\n", "5,".repeat(63))
    );
    assert_eq!(print(0), "");
}
