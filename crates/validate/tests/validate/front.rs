//! What the first pass over a module promises, beyond `tests/cases/every_instruction.spvasm`.

use spirvkit_grammar::Op;
use spirvkit_testing::words;
use spirvkit_validate::{Options, validate};

#[test]
fn the_type_of_a_literal_may_be_a_value_by_mistake() {
    for (ty, what) in [
        ("%one", "is not an integer or float"),
        ("%nowhere", "is not defined"),
    ] {
        let text = format!(
            "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%float = OpTypeFloat 32
%one = OpConstant %float 1
!0x0004002b {ty} %constant !5
"
        );
        let report = validate(&words(&text), &Options::default());
        let mut reported = report.diagnostics().iter().map(|d| d.message());
        assert!(reported.any(|message| message.contains(what)), "{ty}");
    }
}

#[test]
fn an_instruction_that_ends_too_early_may_use_id_0() {
    let text = "OpCapability Shader
OpCapability Linkage
OpCapability TensorAddressingNV
OpExtension \"SPV_NV_tensor_addressing\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%layout = OpTypeTensorLayoutNV %one %one
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
%zero = OpCreateTensorLayoutNV %layout
%short = OpTensorLayoutSetStrideNV %layout %zero %one
OpReturn
OpFunctionEnd
";
    let mut words = words(text);
    let start = |words: &[u32], op: Op| {
        let is_op = |word: &u32| *word as u16 == op.0 && *word >> 16 > 0;
        words.iter().position(is_op).unwrap()
    };
    let create = start(&words, Op::CreateTensorLayoutNV);
    words[create + 2] = 0;
    let short = start(&words, Op::TensorLayoutSetStrideNV);
    words[short] = 3 << 16 | u32::from(Op::TensorLayoutSetStrideNV.0);
    words.drain(short + 3..short + 5);
    assert!(!validate(&words, &Options::default()).is_valid());
}
