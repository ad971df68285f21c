//! Removing capabilities and extensions that nothing needs.

use crate::common::{check, load, show};
use spirvkit_binary::LiteralString;
use spirvkit_grammar::{Capability, Op};
use spirvkit_ir::Module;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_transform::{Trim, trim_capabilities};
use spirvkit_validate::{rules, validate};

/// All that nothing needs.
fn all() -> Trim {
    Trim::default().base(true)
}

fn capabilities(module: &Module) -> Vec<String> {
    let all = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::Capability);
    all.map(|inst| Capability(module.get(inst).operand_words()[0]).to_string())
        .collect()
}

fn extensions(module: &Module) -> Vec<String> {
    let all = module
        .globals()
        .filter(|&inst| module.op(inst) == Op::Extension);
    let name = |inst| LiteralString::at_start_of(module.get(inst).operand_words());
    all.map(|inst| name(inst).unwrap().to_text().unwrap())
        .collect()
}

/// A compute shader of a version with these declarations and this at module scope.
fn shader(version: &str, declarations: &str, globals: &str) -> Module {
    load(&format!(
        "; Version: {version}
{declarations}
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
{globals}
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
"
    ))
}

#[track_caller]
fn trims(mut module: Module, capability: &[&str], extension: &[&str]) {
    check(&module, "spv1.6");
    let before = module.instructions().count();
    let removed = trim_capabilities(&mut module, &all());
    assert_eq!(module.instructions().count(), before - removed);
    check(&module, "spv1.6");
    assert_eq!(capabilities(&module), capability, "{}", show(&module));
    assert_eq!(extensions(&module), extension, "{}", show(&module));
    assert_eq!(trim_capabilities(&mut module, &all()), 0);
}

#[test]
fn what_is_unused_implied_or_said_twice_goes() {
    let declarations = "OpCapability Matrix\nOpCapability Shader\nOpCapability Float64
OpCapability Shader\nOpCapability Int64\nOpCapability Geometry";
    trims(
        shader("1.0", declarations, "%f64 = OpTypeFloat 64"),
        &["Shader", "Float64"],
        &[],
    );
}

#[test]
fn what_says_the_sort_of_a_module_stays_unless_all_is_to_go() {
    let declarations = "OpCapability Matrix\nOpCapability Shader\nOpCapability Shader
OpCapability Geometry\nOpCapability Int64";
    let mut module = shader("1.0", declarations, "");
    assert_eq!(trim_capabilities(&mut module, &Trim::default()), 3);
    assert_eq!(capabilities(&module), ["Matrix", "Shader"]);
    assert_eq!(trim_capabilities(&mut module, &all()), 1);
    assert_eq!(capabilities(&module), ["Shader"]);
    let kernel = "OpCapability Kernel\nOpCapability Linkage\nOpMemoryModel Logical OpenCL\n";
    let mut module = load(&format!("OpCapability Addresses\n{kernel}"));
    assert_eq!(trim_capabilities(&mut module, &Trim::default()), 1);
    assert_eq!(capabilities(&module), ["Kernel", "Linkage"]);
}

#[test]
fn extensions_go_with_what_they_bring() {
    let declarations = "OpCapability Shader\nOpCapability VariablePointers
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpExtension \"SPV_KHR_variable_pointers\"\nOpExtension \"SPV_KHR_variable_pointers\"
OpExtension \"SPV_OWN_extension\"";
    let storage = "%s = OpTypeStruct %fn2\n%p = OpTypePointer StorageBuffer %s";
    let storage = storage.replace("%fn2", "%u32");
    let storage = format!("%u32 = OpTypeInt 32 0\n{storage}");
    trims(
        shader("1.0", declarations, &storage),
        &["Shader"],
        &["SPV_KHR_storage_buffer_storage_class", "SPV_OWN_extension"],
    );
    // Later versions have the storage class by themselves.
    trims(
        shader("1.3", declarations, &storage),
        &["Shader"],
        &["SPV_OWN_extension"],
    );
    trims(
        shader("1.0", declarations, ""),
        &["Shader"],
        &["SPV_OWN_extension"],
    );
}

#[test]
fn extensions_for_instruction_sets_stay_while_one_is_imported() {
    let shader = |imports: &str| {
        let extensions = "OpExtension \"SPV_KHR_non_semantic_info\"
OpExtension \"SPV_AMD_gcn_shader\"";
        shader(
            "1.0",
            &format!("OpCapability Shader\n{extensions}\n{imports}"),
            "",
        )
    };
    trims(shader(""), &["Shader"], &[]);
    let own = "%own = OpExtInstImport \"NonSemantic.Own\"";
    trims(shader(own), &["Shader"], &["SPV_KHR_non_semantic_info"]);
    let amd = "%amd = OpExtInstImport \"SPV_AMD_gcn_shader\"";
    trims(shader(amd), &["Shader"], &["SPV_AMD_gcn_shader"]);
}

#[test]
fn what_is_not_known_stays() {
    let mut words = shader("1.0", "OpCapability Shader\nOpCapability Float64", "").store();
    assert_eq!(words[8], Capability::Float64.0);
    words[8] = 65_000;
    let mut module = Module::load(&words).unwrap();
    assert_eq!(trim_capabilities(&mut module, &all()), 0);
}

#[test]
fn a_hundred_thousand_declarations_take_no_time() {
    let mut declarations = "OpCapability Shader\n".repeat(100_000);
    declarations += &"OpExtension \"SPV_KHR_variable_pointers\"\n".repeat(100_000);
    for index in 0..100_000 {
        declarations += &format!("OpExtension \"SPV_OWN_{index}\"\n");
    }
    let mut module = shader("1.0", &declarations, "");
    let start = std::time::Instant::now();
    assert_eq!(trim_capabilities(&mut module, &all()), 199_999);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// All examples of the validator's rules that keep them stay valid, and no capability
/// that is left could be spared, but for those that are kept in doubt.
#[test]
fn examples_of_all_rules_stay_valid_with_the_least_capabilities() {
    let mut spared = std::collections::BTreeMap::<String, Vec<&str>>::new();
    let mut count = 0;
    for rule in rules() {
        let options = rule.example().options();
        let assembling = AssembleOptions::default().default_version(options.env.version());
        let words = assemble(&rule.example().keeping(), &assembling)
            .unwrap()
            .words;
        let is_valid = |module: &Module| validate(&module.store(), &options).is_valid();
        let mut module = Module::load(&words).unwrap();
        if !is_valid(&module) {
            continue;
        }
        count += 1;
        trim_capabilities(&mut module, &all());
        assert!(is_valid(&module), "{}: {}", rule.id, show(&module));
        let left = module
            .globals()
            .filter(|&inst| module.op(inst) == Op::Capability);
        for inst in left {
            let mut less = module.clone();
            less.remove(inst).unwrap();
            if is_valid(&less) {
                let capability = Capability(module.get(inst).operand_words()[0]);
                spared
                    .entry(capability.to_string())
                    .or_default()
                    .push(rule.id);
            }
        }
    }
    assert!(count > 500, "{count}");
    // Those that decide what rules there are, or on which something may rest that
    // can't be seen.
    let kept_in_doubt = [
        "CooperativeMatrixLayoutsARM",
        "ImageBasic",
        // The registry doesn't say that the loop control of its name needs it.
        "MultipleWaitQueuesQCOM",
        "Shader",
    ];
    spared.retain(|capability, _| !kept_in_doubt.contains(&capability.as_str()));
    assert!(spared.is_empty(), "{spared:?}");
}
