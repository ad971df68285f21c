//! Linking.

mod broken;
mod debug;
mod errors;
mod merging;
mod options;
mod programs;
mod scale;

use spirvkit_diagnostics::Errors;
use spirvkit_ir::Module;
use spirvkit_testing::{assembled, numbered_text as text};
use spirvkit_text::AssembleOptions;
use spirvkit_transform::link::{Input, LinkError, LinkErrorKind, Options, link};
use spirvkit_validate::{Options as ValidateOptions, validate};

/// What all modules for OpenCL here begin with.
const KERNEL: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
";

/// A module from its text. The version is 1.2 unless a comment says otherwise.
#[track_caller]
fn module(text: &str) -> Module {
    let options = AssembleOptions::default().default_version(spirvkit_grammar::Version::V1_2);
    Module::load(&assembled(text, &options).words).unwrap()
}

/// A module for OpenCL from what follows the memory model.
#[track_caller]
fn kernel(text: &str) -> Module {
    module(&format!("{KERNEL}{text}"))
}

/// Links modules that are called `a`, `b` and so on.
#[track_caller]
fn try_link(modules: &[&Module], options: &Options) -> Result<Module, Errors<LinkError>> {
    let names = ["a", "b", "c", "d"];
    let inputs: Vec<Input<'_>> = (modules.iter().zip(names))
        .map(|(&module, name)| Input { name, module })
        .collect();
    let linked = link(&inputs, options);
    if let Ok(linked) = &linked {
        linked.verify().unwrap();
        let again = Module::load(&linked.store()).unwrap();
        again.verify().unwrap();
    }
    linked
}

/// What comes of linking, as text with numbers for ids, which has to be valid.
#[track_caller]
fn linked_with(modules: &[&Module], options: &Options, env: &str) -> String {
    let linked = match try_link(modules, options) {
        Ok(linked) => linked,
        Err(errors) => panic!("{errors:#?}"),
    };
    let words = linked.store();
    let text = text(&words);
    let report = validate(&words, &ValidateOptions::for_env(env.parse().unwrap()));
    let errors: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
    assert!(report.is_valid(), "{errors:#?}\n{text}");
    text
}

#[track_caller]
fn linked(modules: &[&Module]) -> String {
    linked_with(modules, &Options::default(), "opencl2.2")
}

/// The errors of linking.
#[track_caller]
fn errors(modules: &[&Module]) -> Errors<LinkError> {
    try_link(modules, &Options::default()).expect_err("there is an error")
}

/// The one error of linking, which is of this class.
#[track_caller]
fn error(modules: &[&Module], kind: LinkErrorKind) -> LinkError {
    let errors = errors(modules);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let error = errors[0].clone();
    assert_eq!(error.kind(), kind, "{error}");
    error
}

/// How many lines have this in them.
fn count(text: &str, part: &str) -> usize {
    text.lines().filter(|line| line.contains(part)).count()
}

/// A library with a function `square` of a float, and one who calls it.
fn library() -> Module {
    kernel(
        "OpName %square \"square\"
OpName %y \"y\"
OpDecorate %square LinkageAttributes \"square\" Export
%float = OpTypeFloat 32
%type = OpTypeFunction %float %float
%square = OpFunction %float Pure %type
%y = OpFunctionParameter %float
%label = OpLabel
%product = OpFMul %float %y %y
OpReturnValue %product
OpFunctionEnd
",
    )
}

fn user() -> Module {
    kernel(
        "OpEntryPoint Kernel %main \"main\"
OpExecutionMode %main ContractionOff
OpName %square \"imported\"
OpName %x \"x\"
OpDecorate %square LinkageAttributes \"square\" Import
OpDecorate %x FuncParamAttr NoCapture
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%two = OpConstant %float 2
%pointer = OpTypePointer CrossWorkgroup %float
%kernel = OpTypeFunction %void %pointer
%type = OpTypeFunction %float %float
%square = OpFunction %float None %type
%x = OpFunctionParameter %float
OpFunctionEnd
%main = OpFunction %void None %kernel
%out = OpFunctionParameter %pointer
%label = OpLabel
%four = OpFunctionCall %float %square %two
OpStore %out %four Aligned 4
OpReturn
OpFunctionEnd
",
    )
}
