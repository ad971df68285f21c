//! What the tests of transforms share.
use spirvkit_ir::Module;
use spirvkit_testing::words;
use spirvkit_validate::{Options, validate};

/// A shader's first lines.
pub(crate) const SHADER: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";

pub(crate) fn load(text: &str) -> Module {
    Module::load(&words(text)).unwrap()
}

/// The module as text with its names, an instruction a line.
pub(crate) fn show(module: &Module) -> String {
    spirvkit_testing::text(&module.store())
}

/// Whether the module is valid for an environment.
pub(crate) fn is_valid(module: &Module, env: &str) -> bool {
    let options = Options::for_env(env.parse().unwrap());
    validate(&module.store(), &options).is_valid()
}

/// Checks that a module's tables are right and that it is valid.
#[track_caller]
pub(crate) fn check(module: &Module, env: &str) {
    module.verify().unwrap();
    let options = Options::for_env(env.parse().unwrap());
    let report = validate(&module.store(), &options);
    assert!(
        report.is_valid(),
        "{:#?}\n{}",
        report.diagnostics(),
        show(module)
    );
}

/// The instructions of a module with these opcodes.
pub(crate) fn count(module: &Module, name: &str) -> usize {
    let has_name = |inst: &spirvkit_ir::Inst| module.op(*inst).to_string() == name;
    module.instructions().filter(has_name).count()
}
