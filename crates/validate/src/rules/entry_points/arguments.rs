//! What kernels take (OpenCL SPIR-V Environment Specification, "Kernel Arguments").

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, FunctionParameterAttribute, Op, StorageClass};

use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::module::{Contents, EntryPoint, Lookup, Module, Type, is_cross_workgroup};
use crate::rules::generated::entry_point;

/// Checks that the API can pass what kernels take: what the specification lists, and types of
/// extensions, which may add to that.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let mut seen = HashSet::new();
    for entry in &m.entry_points {
        if entry.model == ExecutionModel::Kernel && seen.insert(entry.function) {
            reporter.note(check_kernel(m, entry));
        }
    }
}

fn check_kernel(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    let function = m.function_index(entry.function);
    let function = function.and_then(|index| m.functions.get(index as usize));
    let head = m.instructions(function.map_or(0..0, |function| function.range.clone()));
    let parameters = head
        .take_while(|inst| inst.op() != Op::Label)
        .filter(|inst| inst.op() == Op::FunctionParameter);
    let arguments = parameters.filter_map(|inst| Some((inst.result()?, inst.result_type()?)));
    all(arguments.enumerate().map(|(index, (parameter, ty))| {
        expect(is_passed(m, parameter, ty), || {
            let message = format!(
                "argument {index} of the kernel {} is of type {}, which OpenCL can't pass",
                m.name(entry.function),
                m.show_type(ty)
            );
            let offset = entry.inst.offset();
            let finding = Finding::new(&entry_point::KERNEL_ARGUMENT, offset, message);
            finding.about(m, ty, "the type is declared here")
        })
    }))
}

/// Whether an argument of this type is passed to a parameter.
fn is_passed(m: &Module<'_>, parameter: Id, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Bool | Type::Matrix { .. } | Type::Array { .. } | Type::RuntimeArray { .. } => false,
        Type::Struct { .. } | Type::Vector { .. } | Type::LongVector { .. } => {
            let unfit = Contents::BOOLEAN | Contents::MATRIX | Contents::OPAQUE;
            !m.contents(ty).has(unfit)
        }
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => {
            is_shared(class) || class == StorageClass::Function && is_by_value(m, parameter)
        }
        Type::Other(op) => !matches!(op, Op::TypeEvent | Op::TypeDeviceEvent | Op::TypeReserveId),
        _ => true,
    }
}

/// Whether kernels take pointers to such memory.
fn is_shared(class: StorageClass) -> bool {
    is_cross_workgroup(class)
        || matches!(
            class,
            StorageClass::Workgroup
                | StorageClass::UniformConstant
                | StorageClass::CodeSectionINTEL
        )
}

/// Whether a parameter is a pointer that stands for what it points to.
fn is_by_value(m: &Module<'_>, parameter: Id) -> bool {
    let mut own = m.own_decorations(parameter);
    own.any(|it| {
        it.decoration == Decoration::FuncParamAttr
            && FunctionParameterAttribute(it.param(0)) == FunctionParameterAttribute::ByVal
    })
}
