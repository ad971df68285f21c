//! What the examples build is valid, and does what they say.

use spirvkit_grammar::Op;
use spirvkit_ir::Module;
use spirvkit_validate::{Options, validate};

#[allow(dead_code, unreachable_pub)]
#[path = "../examples/custom_pass.rs"]
mod custom_pass;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/kernel.rs"]
mod kernel;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/saxpy.rs"]
mod saxpy;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/triangle.rs"]
mod triangle;

fn assert_valid(module: &Module, env: &str) {
    module.verify().unwrap();
    let words = module.store();
    let report = validate(&words, &Options::for_env(env.parse().unwrap()));
    let text = spirvkit_text::disassemble(&words, &Default::default()).unwrap();
    assert!(
        report.diagnostics().is_empty(),
        "{:#?}\n{}",
        report.diagnostics(),
        text.text
    );
}

fn count(module: &Module, op: Op) -> usize {
    module
        .instructions()
        .filter(|&inst| module.op(inst) == op)
        .count()
}

#[test]
fn compute_shader() {
    let module = saxpy::build();
    assert_valid(&module, "vulkan1.1");
    assert_eq!(count(&module, Op::LoopMerge), 1);
    assert_eq!(count(&module, Op::Capability), 1);
    // Both buffers have the same array.
    assert_eq!(count(&module, Op::TypeRuntimeArray), 1);
}

#[test]
fn vertex_and_fragment_shader() {
    let module = triangle::build();
    assert_valid(&module, "vulkan1.2");
    assert_eq!(count(&module, Op::EntryPoint), 2);
}

#[test]
fn opencl_kernel() {
    let module = kernel::build();
    assert_valid(&module, "opencl2.2");
    assert_eq!(count(&module, Op::Switch), 1);
    let lines = Module::load(&module.store()).unwrap();
    assert_eq!(count(&lines, Op::Line), 4);
}

#[test]
fn pass_of_ones_own() {
    let mut module = custom_pass::small_module();
    assert_valid(&module, "spv1.3");
    assert_eq!(custom_pass::double_by_adding(&mut module).unwrap(), 1);
    assert_eq!(custom_pass::drop_dead_stores(&mut module), Ok(1));
    assert_valid(&module, "spv1.3");
    for gone in [Op::IMul, Op::Store, Op::Variable, Op::Name] {
        assert_eq!(count(&module, gone), 0, "{gone}");
    }
    assert_eq!(count(&module, Op::IAdd), 1);
}
