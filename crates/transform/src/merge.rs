//! Several modules as one.

use spirvkit_binary::Id;
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::{BuiltIn, Decoration, Op};
use spirvkit_ir::Module;

use crate::link::{Input, LinkError, LinkErrorKind, Options, link, list};
use crate::split::entry_points;

/// Combines the entry points of several modules in one, as [`link`](crate::link::link) does
/// for modules that need each other: with the capabilities and extensions of all, equal types
/// and constants once, and ids from 1 without gaps. Unlike there, exports stay, and imports
/// may stay (those that another module exports are resolved). The version is the highest
/// among the modules.
///
/// # Errors
///
/// All errors at once: different addressing or memory models, an entry point that two modules
/// have by the same name for the same execution model, something that the highest version no
/// longer has, and `WorkgroupSize` constants that would apply to entry points of other
/// modules.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::link::Input;
/// use spirvkit_transform::{entry_points, merge};
///
/// # let shader = |model: &str| Module::load(&spirvkit_text::assemble(&format!(
/// #     "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint {model} %f \"main\"\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"),
/// #     &Default::default()).unwrap().words).unwrap();
/// # let (vertex, compute) = (shader("Vertex"), shader("GLCompute"));
/// let merged = merge(&[
///     Input { name: "vertex.spv", module: &vertex },
///     Input { name: "compute.spv", module: &compute },
/// ]);
/// assert_eq!(entry_points(&merged.unwrap()).len(), 2);
/// ```
pub fn merge(inputs: &[Input<'_>]) -> Result<Module, Errors<LinkError>> {
    let options = Options {
        create_library: true,
        allow_partial_linkage: true,
        use_highest_version: true,
        ..Options::default()
    };
    match (link(inputs, &options), check_work_groups(inputs)) {
        (Ok(module), None) => {
            check_sizes(inputs, &module)?;
            Ok(module)
        }
        (Ok(_), Some(error)) => Err(error.into()),
        (Err(mut errors), another) => {
            errors.extend(another);
            Err(errors)
        }
    }
}

/// A `WorkgroupSize` constant holds for all entry points of its module (specification,
/// section 3.21), so all modules with work groups have one, or none has.
fn check_work_groups(inputs: &[Input<'_>]) -> Option<LinkError> {
    let names = |wanted: &dyn Fn(&Input<'_>) -> bool| -> Vec<&str> {
        let wanted = inputs.iter().filter(|&input| wanted(input));
        wanted.map(|input| input.name).collect()
    };
    let with = names(&|input| !work_group_sizes(input.module).is_empty());
    let without = names(&|input| {
        let has_groups = entry_points(input.module)
            .iter()
            .any(|it| it.model.has_workgroups());
        has_groups && work_group_sizes(input.module).is_empty()
    });
    if with.is_empty() || without.is_empty() {
        return None;
    }
    let message = format!(
        "the `WorkgroupSize` constant of {} would also apply to the entry points of {}",
        list(with.iter().copied()),
        list(without.iter().copied())
    );
    let error = LinkError::new(LinkErrorKind::WorkgroupSize, message);
    Some(error.in_modules(with.into_iter().chain(without)))
}

/// The constants that are now one are, in all modules, the same.
fn check_sizes(inputs: &[Input<'_>], merged: &Module) -> Result<(), LinkError> {
    if work_group_sizes(merged).len() < 2 {
        return Ok(());
    }
    let with = inputs
        .iter()
        .filter(|input| !work_group_sizes(input.module).is_empty());
    let with: Vec<&str> = with.map(|input| input.name).collect();
    let message = format!(
        "the `WorkgroupSize` constants of {} differ, but each would apply to all entry points",
        list(with.iter().copied())
    );
    let error = LinkError::new(LinkErrorKind::WorkgroupSize, message);
    Err(error.in_modules(with))
}

/// The constants that give the size of work groups.
fn work_group_sizes(module: &Module) -> Vec<Id> {
    let sizes = module.globals().filter_map(|inst| {
        match (module.op(inst), module.get(inst).operand_words()) {
            (Op::Decorate, &[target, decoration, built_in])
                if Decoration(decoration) == Decoration::BuiltIn
                    && BuiltIn(built_in) == BuiltIn::WorkgroupSize =>
            {
                Some(Id(target))
            }
            _ => None,
        }
    });
    sizes.collect()
}
