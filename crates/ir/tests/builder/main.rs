//! What the builder makes of calls, and what it says of wrong ones.

mod enabling;
mod errors;
mod flow;
mod parts;

use spirvkit_binary::Id;
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::*;
use spirvkit_ir::builder::{BuildError, BuildErrorKind, Builder};
use spirvkit_validate::{Options, validate};

fn shader() -> Builder {
    let mut b = Builder::new(Version::V1_3);
    b.capability(Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    b
}

/// The module's text, an instruction a line, after the validator found nothing wrong.
fn valid(b: Builder, env: &str) -> Vec<String> {
    let module = b.finish().unwrap();
    module.verify().unwrap();
    let words = module.store();
    let text = spirvkit_testing::numbered_text(&words);
    let report = validate(&words, &Options::for_env(env.parse().unwrap()));
    assert!(
        report.diagnostics().is_empty(),
        "{:#?}\n{text}",
        report.diagnostics()
    );
    text.lines().map(str::to_owned).collect()
}

fn errors(b: Builder) -> Errors<BuildError> {
    b.finish().expect_err("something to be wrong")
}

/// The only error, which has to be about this opcode.
fn error(b: Builder, op: Op) -> BuildErrorKind {
    let errors = errors(b);
    assert_eq!(errors.len(), 1, "{errors}");
    let error = errors[0].clone();
    assert_eq!(error.op, op, "{error}");
    assert!(error.to_string().starts_with(&format!("{op}")), "{error}");
    error.kind
}

fn count(lines: &[String], part: &str) -> usize {
    lines.iter().filter(|line| line.contains(part)).count()
}

fn find(lines: &[String], part: &str) -> usize {
    let found = lines.iter().position(|line| line.contains(part));
    found.unwrap_or_else(|| panic!("no {part} in\n{}", lines.join("\n")))
}

/// A function without parameters and result.
fn in_function(b: &mut Builder, body: impl FnOnce(&mut Builder)) -> Id {
    let void = b.type_void();
    b.function(void, FunctionControl::None, &[], |b, _| body(b))
}
