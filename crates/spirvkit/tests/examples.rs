//! What the examples make is valid, and is what they say.

use std::path::Path;

use spirvkit::debuginfo::DebugInfo;
use spirvkit::grammar::{Dim, Op};
use spirvkit::ir::{Lookup, Module};
use spirvkit::{DisassembleOptions, Indentation, ValidateOptions};

#[allow(dead_code, unreachable_pub)]
#[path = "../examples/bind_group_layout.rs"]
mod bind_group_layout;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/build_script.rs"]
mod build_script;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/count_stores.rs"]
mod count_stores;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/entry_points.rs"]
mod entry_points;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/expression_compiler.rs"]
mod expression_compiler;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/hot_lines.rs"]
mod hot_lines;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/shift_division.rs"]
mod shift_division;

fn words(text: &str) -> Vec<u32> {
    spirvkit::assemble(text, &Default::default()).unwrap().words
}

/// The text of a valid module, with numbers for ids.
fn valid_text(module: &Module, env: &str) -> String {
    module.verify().unwrap();
    let words = module.store();
    let options = ValidateOptions::for_env(env.parse().unwrap());
    let report = spirvkit::validate(&words, &options);
    let warnings = report.into_result().unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let options = DisassembleOptions::default()
        .friendly_names(false)
        .indentation(Indentation::None);
    spirvkit::disassemble(&words, &options).unwrap().text
}

/// The opcodes of a module's only function, up to its return.
fn ops(module: &Module) -> Vec<Op> {
    let function = module.functions().next().unwrap();
    let insts = module.function_instructions(function);
    insts.map(|inst| module.op(inst)).collect()
}

#[test]
fn interfaces_are_listed_with_types() {
    let tinted = words(include_str!("../../../samples/tinted.spvasm"));
    assert_eq!(
        entry_points::interfaces(&tinted).unwrap(),
        "Fragment \"main\"\n  %uv: vec2\n  %color: vec4\n"
    );
}

#[test]
fn divisions_by_powers_of_two_become_shifts() {
    let mut module = Module::load(&words(
        "; Version: 1.3
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpName %halved \"halved\"
OpDecorate %halved RelaxedPrecision
OpDecorate %f LinkageAttributes \"f\" Export
%uint = OpTypeInt 32 0
%type = OpTypeFunction %uint %uint
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%big = OpConstant %uint 2147483648
%zero = OpConstant %uint 0
%f = OpFunction %uint None %type
%x = OpFunctionParameter %uint
%l = OpLabel
%halved = OpUDiv %uint %x %two
%third = OpUDiv %uint %halved %three
%bit = OpUDiv %uint %third %big
%not = OpUDiv %uint %bit %zero
%reverse = OpUDiv %uint %two %not
OpReturnValue %reverse
OpFunctionEnd
",
    ))
    .unwrap();
    assert_eq!(shift_division::shift_divisions(&mut module).unwrap(), 2);
    let text = valid_text(&module, "spv1.3");
    for gone in ["OpName", "RelaxedPrecision"] {
        assert!(!text.contains(gone), "{text}");
    }
    let shift = Op::ShiftRightLogical;
    let expected = [shift, Op::UDiv, shift, Op::UDiv, Op::UDiv];
    assert_eq!(ops(&module)[3..8], expected, "{text}");
    // By 1 and by 31, both new.
    let amounts: Vec<u64> = module
        .instructions()
        .filter(|&inst| module.op(inst) == shift)
        .map(|inst| module.operand_id(inst, 1).unwrap())
        .map(|amount| (&module).constant_u64(amount).unwrap())
        .collect();
    assert_eq!(amounts, [1, 31]);
    assert_eq!(shift_division::shift_divisions(&mut module).unwrap(), 0);

    let lines = include_str!("../examples/shift_division.rs").lines();
    assert!(lines.count() <= 60);
}

#[test]
fn stores_are_counted_in_every_version() {
    for version in ["1.3", "1.5"] {
        let text = std::fs::read_to_string(sample("tinted.spvasm")).unwrap();
        let text = text.replace("; Version: 1.0", &format!("; Version: {version}"));
        // From version 1.4 on, the interface lists everything.
        let text = match version {
            "1.3" => text,
            _ => text.replace("%uv %color\n", "%uv %color %albedo\n"),
        };
        let mut module = Module::load(&words(&text)).unwrap();
        assert_eq!(count_stores::count_stores(&mut module).unwrap(), 1);
        let text = valid_text(&module, "vulkan1.3");
        let of_function = ops(&module);
        let at = of_function.iter().position(|&op| op == Op::Store).unwrap();
        let expected = [Op::AccessChain, Op::AtomicIAdd, Op::Store];
        assert_eq!(of_function[at - 2..=at], expected, "{text}");
    }
}

fn sample(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    folder.join(name)
}

#[test]
fn descriptors_are_entries_of_bind_groups() {
    use bind_group_layout::{BindGroupLayoutEntry, BindingType, ShaderStage, layouts};
    let module = words(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %in NonWritable
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %array ArrayStride 4
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 4
OpDecorate %texture DescriptorSet 1
OpDecorate %texture Binding 0
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%three = OpConstant %uint 3
%array = OpTypeArray %uint %three
%block = OpTypeStruct %array
%ptr_in = OpTypePointer StorageBuffer %block
%in = OpVariable %ptr_in StorageBuffer
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%ptr_image = OpTypePointer UniformConstant %image
%texture = OpVariable %ptr_image UniformConstant
%sampler_type = OpTypeSampler
%ptr_sampler = OpTypePointer UniformConstant %sampler_type
%sampler = OpVariable %ptr_sampler UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%loaded = OpLoad %block %in
OpReturn
OpFunctionEnd
",
    );
    valid_text(&Module::load(&module).unwrap(), "vulkan1.3");
    let groups = layouts(&spirvkit::reflect(&module).unwrap()).unwrap();
    let entry = |binding, visibility: &[ShaderStage], ty| BindGroupLayoutEntry {
        binding,
        visibility: visibility.to_vec(),
        ty,
        count: None,
    };
    let read_only = BindingType::StorageBuffer {
        read_only: true,
        min_size: Some(12),
    };
    let texture = BindingType::Texture {
        dimension: Dim::Dim2D,
        multisampled: false,
    };
    assert_eq!(
        groups[&0],
        [
            entry(1, &[], BindingType::Sampler),
            entry(4, &[ShaderStage::Compute], read_only)
        ]
    );
    assert_eq!(groups[&1], [entry(0, &[], texture)]);

    // WebGPU has no images with samplers in them.
    let tinted = std::fs::read_to_string(sample("tinted.spvasm")).unwrap();
    let reflection = spirvkit::reflect(&words(&tinted)).unwrap();
    assert!(layouts(&reflection).unwrap_err().contains("albedo"));
}

#[test]
fn expressions_are_compiled_by_their_precedence() {
    let [add, sub, mul, div, ext] = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::ExtInst];
    let compiled = |expression: &str| -> Vec<Op> {
        let module = expression_compiler::compile(expression).expect(expression);
        valid_text(&module, "vulkan1.1");
        let ops = ops(&module);
        let is_arithmetic = |op: &Op| [add, sub, mul, div, ext].contains(op);
        ops.into_iter().filter(is_arithmetic).collect()
    };
    assert_eq!(compiled("x"), []);
    assert_eq!(compiled("1 + 2 * x"), [mul, add]);
    assert_eq!(compiled("(1 + 2) * x"), [add, mul]);
    assert_eq!(compiled("8 / x - 1 - x"), [div, sub, sub]);
    assert_eq!(compiled("sqrt(x * x) * 0.5"), [mul, ext, mul]);
    assert_eq!(compiled("sin(cos(x))"), [ext, ext]);
    for wrong in ["", "1 +", "(x", "x)", "x x", "y", "1 $ 2", "sqrt"] {
        assert!(expression_compiler::compile(wrong).is_err(), "{wrong}");
    }
    // However deep it is, nothing recurses.
    let depth = 50_000;
    let deep = format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(compiled(&deep), []);
}

#[test]
fn build_scripts_show_all_errors() {
    let options = ValidateOptions::for_env("spv1.6".parse().unwrap());
    let folder = std::env::temp_dir().join(format!("spirvkit-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let good = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
    let bad = format!("{good}%float = OpTypeFloat 32\n%v = OpTypeVector %float 5\n");
    std::fs::write(folder.join("good.spvasm"), good).unwrap();
    assert_eq!(build_script::check_folder(&folder, &options).unwrap(), "");
    std::fs::write(folder.join("bad.spvasm"), &bad).unwrap();
    let module = spirvkit::bytes_from_words(&words(&bad), spirvkit::Endianness::Little);
    std::fs::write(folder.join("worse.spv"), module).unwrap();
    let errors = build_script::check_folder(&folder, &options).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        errors.matches("error[type.vector-size]").count(),
        2,
        "{errors}"
    );
    assert!(errors.contains("bad.spvasm:5:"), "{errors}");
    assert!(
        errors.contains(" 5 | %v = OpTypeVector %float 5\n"),
        "{errors}"
    );
}

#[test]
fn lines_with_most_instructions_come_first() {
    let module = words(
        "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%file = OpString \"a.comp\"
OpSource GLSL 450 %file \"first\n  second\nthird\"
%uint = OpTypeInt 32 0
%type = OpTypeFunction %uint %uint
%f = OpFunction %uint None %type
%x = OpFunctionParameter %uint
%l = OpLabel
OpLine %file 1 0
%a = OpIAdd %uint %x %x
OpLine %file 2 0
%b = OpIAdd %uint %a %x
%c = OpIAdd %uint %b %x
OpReturnValue %c
OpFunctionEnd
",
    );
    let lines = hot_lines::hot_lines(&DebugInfo::read(&module).unwrap());
    let shown: Vec<_> = lines
        .iter()
        .map(|it| (it.file.as_str(), it.line, it.instructions, it.text.as_str()))
        .collect();
    let expected = [("a.comp", 2, 3, "second"), ("a.comp", 1, 1, "first")];
    assert_eq!(shown, expected);
}
