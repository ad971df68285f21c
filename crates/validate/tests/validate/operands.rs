//! Which operand is at fault.

use spirvkit_diagnostics::Diagnostic;
use spirvkit_text::Assembled;
use spirvkit_validate::{Options, find_rule, validate, validate_named};

use crate::common::assembled;

/// What of the text is at fault; empty if it is a whole instruction.
fn at_fault<'t>(found: &Diagnostic, text: &'t str, module: &Assembled) -> &'t str {
    let span = found
        .operand()
        .and_then(|word| module.origins.operand(text, word));
    span.map_or("", |span| &text[span.start..span.end])
}

/// Rules and what is at fault where their examples break them.
const AT_FAULT: &[(&str, &str)] = &[
    ("abort.message", "%u32_1"),
    ("access-chain.struct-bounds", "%u32_2"),
    ("access-chain.too-far", "%u32_0"),
    ("annotation.member-index", "1"),
    ("annotation.vulkan-packing", "GLSLShared"),
    ("arithmetic.float-operand", "%v2f32_0"),
    ("arithmetic.float-result", "%u32"),
    ("atomic.pointer", "%u32_0"),
    ("binary.malformed", "!2"),
    ("branch.weight-sum", "0"),
    ("builtin.not-in-vulkan", "VertexId"),
    ("builtin.execution-model", "%coord"),
    ("call.pointer-class", "%output"),
    ("capability.operand", "Rect"),
    ("clspv-reflection.version", "PrintfInfo"),
    ("composite.constituent", "%u32_1"),
    ("constant.high-bits", "!256"),
    ("constant.spec-op-opcode", "!83"),
    ("constant.specialized-constituent", "%part"),
    ("debug.file", "%u32_0"),
    ("debug-info.array-length", "%f1"),
    ("decoration.vulkan-rounding", "RTP"),
    ("dominance.other-function", "%sum"),
    ("entry-point.fragment-modes", "Fragment"),
    ("ext-inst.unknown", "200"),
    ("extension.operand", "MultiView"),
    ("extension.unknown", "\"SPV_KHR_variable_pointer\""),
    ("function.parameter", "%f32"),
    ("function.return-type", "%u32"),
    ("glsl.interpolate-sample", "%f32_0"),
    ("glsl.not-supported", "IMix"),
    ("id.bound", "%1"),
    ("id.forward-reference", "%later"),
    ("id.redefined", "%sum"),
    ("id.result-type", "%f32_0"),
    ("id.type-as-value", "%f32"),
    ("id.undefined", "%nowhere"),
    ("id.zero", "!0"),
    ("image.operand-size", "%v3f32_0"),
    ("interface.location-missing", "%out"),
    ("interface.member-location-missing", "%f32"),
    ("layout.overlap", "%f32"),
    ("layout.array-stride", "%array"),
    ("limit.function-arguments", "%u32"),
    ("literal.string", "!0x610061"),
    ("literal.switch-extension", "!0x12345"),
    ("memory.alignment", "3"),
    ("merge.same-label", "%next"),
    ("misc.clock-scope", "%u32_2"),
    ("mode-setting.addressing-model", "Logical"),
    ("mode-setting.workgroup-empty", "0"),
    ("phi.result", "%sampler"),
    ("ray-query.opacity-micromap-mode", "%u32_1"),
    ("relational.select-size", "%true"),
    ("scope.type", "%u64_1"),
    ("semantics.unequal-storage", "%uniform"),
    ("structured.exit", "%outer_merge"),
    ("switch.order", "%two"),
    ("type.float-encoding", "!0"),
    ("type.float-width", "24"),
    ("type.image-flags", "3"),
    ("type.image-tile", "1"),
    ("type.int-signedness", "2"),
    ("type.matrix-size", "5"),
    ("type.struct-member", "%void"),
    ("type.tensor-rank", "%u32_0"),
    ("type.vector-size", "5"),
    ("variable.initializer-payload", "%u32_1"),
    ("version.operand", "BufferBlock"),
    // The instruction as such.
    ("capability.instruction", ""),
    ("layout.sections", ""),
    ("return.without-value", ""),
];

#[test]
fn the_operand_at_fault_is_known() {
    let mut wrong = String::new();
    for &(id, expected) in AT_FAULT {
        let example = find_rule(id).unwrap().example();
        let text = example.breaking();
        let options = example.options();
        let module = assembled(&text, &options);
        let report = validate(&module.words, &options);
        let found = at_fault(&report.diagnostics()[0], &text, &module);
        if found != expected {
            wrong += &format!("{id}: `{found}`, not `{expected}`\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn operands_of_what_specialization_does_stand_behind_the_opcode() {
    let text = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%one = OpConstant %f32 1
%part = OpSpecConstant %u32 1
%sum = OpSpecConstantOp %u32 IAdd %part %one
";
    let options = Options::default();
    let module = assembled(text, &options);
    let report = validate(&module.words, &options);
    assert_eq!(at_fault(&report.diagnostics()[0], text, &module), "%one");
}

#[test]
fn related_places_are_results() {
    let text = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%array = OpTypeRuntimeArray %void
";
    let options = Options::default();
    let module = assembled(text, &options);
    let report = validate(&module.words, &options);
    let label = &report.diagnostics()[0].labels()[0];
    let span = module
        .origins
        .operand(text, label.operand.unwrap())
        .unwrap();
    assert_eq!(&text[span.start..span.end], "%void");
    assert_eq!(span.start, text.find("%void").unwrap());
}

/// The advice about ids that nothing defines.
fn advice(text: &str, named: bool) -> Vec<Option<String>> {
    let options = Options::default();
    let module = assembled(text, &options);
    let names = |id| module.origins.name_of(id).map(str::to_owned);
    let report = match named {
        true => validate_named(&module.words, &options, &names),
        false => validate(&module.words, &options),
    };
    let all = report.diagnostics().iter();
    let undefined = all.filter(|found| found.rule() == "id.undefined");
    undefined
        .map(|found| found.help().map(str::to_owned))
        .collect()
}

#[test]
fn for_undefined_ids_a_like_name_is_suggested() {
    let text = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpName %float \"float\"
OpName %flaot \"flaot\"
%float = OpTypeFloat 32
%v2 = OpTypeVector %flaot 2
%v3 = OpTypeVector %teapot 3
%v4 = OpTypeVector %v9 4
";
    let like = Some("did you mean `%float`?".to_owned());
    assert_eq!(advice(text, true), [like, None, None]);
    let by_number = &advice(text, false)[0];
    assert!(
        by_number.as_ref().unwrap().ends_with(" (\"float\")?"),
        "{by_number:?}"
    );
    // A name is given only by what is there.
    let text = text.replace("OpName %flaot \"flaot\"\n", "");
    assert_eq!(advice(&text, false)[0], None);
}

#[test]
fn a_missing_memory_model_is_reported_as_that() {
    let reported = |text: &str| {
        let options = Options::default();
        let report = validate(&assembled(text, &options).words, &options);
        let found = &report.diagnostics()[0];
        assert_eq!(found.rule(), "layout.memory-model");
        format!("{}\n{}", found.message(), found.help().unwrap_or_default())
    };
    let missing = reported("OpCapability Shader\nOpCapability Linkage\n%void = OpTypeVoid\n");
    assert!(
        missing.starts_with("the module has no OpMemoryModel"),
        "{missing}"
    );
    assert!(
        missing.contains("`OpMemoryModel Logical GLSL450`"),
        "{missing}"
    );
    let missing = reported("OpCapability Kernel\nOpCapability Linkage\n");
    assert!(
        missing.starts_with("the module has no OpMemoryModel"),
        "{missing}"
    );
    assert!(
        missing.contains("`OpMemoryModel Physical64 OpenCL`"),
        "{missing}"
    );
    let late = reported(
        "OpCapability Shader\nOpCapability Linkage\n%void = OpTypeVoid\nOpMemoryModel Logical GLSL450\n",
    );
    assert!(
        late.contains("comes before the module's OpMemoryModel"),
        "{late}"
    );
}
