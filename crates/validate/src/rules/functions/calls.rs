//! Calls.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Inst, Likeness, Lookup, Module, Type};
use crate::pattern::{FUNCTION_TYPE, Pattern};
use crate::rules::generated::call;
use crate::rules::logical_pointers;

pub(super) fn call(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let callee = at.id(0);
    let Some(function) = m.def(callee).filter(|def| def.op() == Op::Function) else {
        // Nothing defines it, which is reported elsewhere.
        if m.op_of(callee) == Op::Nop {
            return Ok(());
        }
        let message = format!(
            "the callee must be a function, but is {}",
            m.show_value(callee)
        );
        let finding = at.finding(&call::CALLEE, message);
        return Err(finding.about(m, callee, "it is defined here"));
    };
    let returned = function.result_type().unwrap_or(Id(0));
    let result = expect(at.result_type() == returned, || {
        let message = format!(
            "{} returns {}, but the result type of the call is {}",
            m.name(callee),
            m.show_type(returned),
            m.show_type(at.result_type())
        );
        let finding = at.finding(&call::RESULT_TYPE, message);
        finding.about(m, callee, "the function is here")
    });
    all([result, arguments(at, callee, function)])
}

/// Checks the arguments of a call.
fn arguments(at: &InstCtx<'_, '_>, callee: Id, function: Inst<'_>) -> CheckResult {
    let m = at.m;
    // A function without a function type is reported itself.
    let Type::Function { parameters, .. } = m.ty(function.id(1)) else {
        return Ok(());
    };
    let arguments = at.inst.args().get(1..).unwrap_or_default();
    if arguments.len() != parameters.len() {
        let message = format!(
            "{} has {}, but the call has {}",
            m.name(callee),
            counted(parameters.len(), "parameter"),
            counted(arguments.len(), "argument")
        );
        let finding = at.finding(&call::ARGUMENT_COUNT, message);
        return Err(finding.about(m, callee, "the function is here"));
    }
    all(arguments
        .iter()
        .zip(parameters)
        .enumerate()
        .map(|(index, (&argument, &parameter))| {
            let (argument, parameter) = (Id(argument), Id(parameter));
            let given = m.type_of(argument).unwrap_or(Id(0));
            let fits = given == parameter
                || m.options.before_hlsl_legalization && logically_match(m, given, parameter);
            if !fits {
                let message = format!(
                    "argument {} of the call to {} must be {}, but is {}",
                    index + 1,
                    m.name(callee),
                    m.show_type(parameter),
                    m.show_value(argument)
                );
                let finding = at.finding(&call::ARGUMENT_TYPE, message);
                return Err(finding
                    .about(m, argument, "the argument is defined here")
                    .about(m, callee, "the function is here"));
            }
            if logical_pointers::has_logical_pointers(m)
                && !m.options.relax_logical_pointer
                && let Some(class) = m.pointer_class(parameter)
            {
                logical_pointer(at, index, argument, class)?;
            }
            Ok(())
        }))
}

fn logical_pointer(
    at: &InstCtx<'_, '_>,
    index: usize,
    argument: Id,
    class: StorageClass,
) -> CheckResult {
    let m = at.m;
    let storage = m.has(Capability::VariablePointersStorageBuffer);
    let fine = match class {
        StorageClass::UniformConstant
        | StorageClass::Function
        | StorageClass::Private
        | StorageClass::Workgroup
        | StorageClass::TileImageEXT
        | StorageClass::TileAttachmentQCOM
        | StorageClass::AtomicCounter => true,
        StorageClass::PhysicalStorageBuffer => return Ok(()),
        StorageClass::StorageBuffer => storage,
        _ => false,
    };
    if !fine {
        let message = format!(
            "argument {} is a pointer to `{class}`, which can't be passed to a function under logical addressing",
            index + 1
        );
        let finding = at.finding(&call::POINTER_CLASS, message);
        return Err(finding.about(m, argument, "the argument is defined here"));
    }
    let whole = matches!(
        m.op_of(argument),
        Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter
    );
    let variable_pointer = match class {
        StorageClass::StorageBuffer => storage,
        StorageClass::Workgroup => m.has(Capability::VariablePointers),
        // An element of an array of images is as good as a whole one.
        StorageClass::UniformConstant
        | StorageClass::TileImageEXT
        | StorageClass::TileAttachmentQCOM => true,
        _ => false,
    };
    if whole || variable_pointer || m.options.before_hlsl_legalization {
        return Ok(());
    }
    let message = format!(
        "argument {} is {}, but under logical addressing, only variables and parameters can be passed to \
         functions",
        index + 1,
        m.show_value(argument)
    );
    let finding = at.finding(&call::POINTER_ORIGIN, message);
    Err(finding.about(m, argument, "the argument is defined here"))
}

/// Whether two pointer types point to types that differ in their ids only, and
/// in decorations that the first has and the second hasn't.
fn logically_match(m: &Module<'_>, given: Id, wanted: Id) -> bool {
    // What legalizes the module makes the storage classes agree.
    let (Some(pointee), Some(wanted_pointee)) = (m.pointee(given), m.pointee(wanted)) else {
        return false;
    };
    if !decorations_match(m, given, wanted) {
        return false;
    }
    m.are_alike(
        Likeness::Parameter,
        (pointee, wanted_pointee),
        |given, wanted, todo| {
            if !decorations_match(m, given, wanted) {
                return None;
            }
            match (m.ty(given), m.ty(wanted)) {
                (
                    Type::Array { element, length },
                    Type::Array {
                        element: wanted_element,
                        length: wanted_length,
                    },
                ) => {
                    let same = length == wanted_length
                        || m.constant_u64(length).is_some()
                            && m.constant_u64(length) == m.constant_u64(wanted_length);
                    if !same {
                        return None;
                    }
                    todo.push((element, wanted_element));
                }
                (
                    Type::RuntimeArray { element },
                    Type::RuntimeArray {
                        element: wanted_element,
                    },
                ) => todo.push((element, wanted_element)),
                (Type::Struct { members }, Type::Struct { members: wanted }) => {
                    if members.len() != wanted.len() {
                        return None;
                    }
                    todo.extend(members.iter().zip(wanted).map(|(&a, &b)| (Id(a), Id(b))));
                }
                _ => return None,
            }
            Some(())
        },
    )
}

/// What a decoration says.
fn meaning<'a>(decorated: Decorated<'a>) -> (Option<u32>, u32, &'a [u32]) {
    (decorated.member, decorated.decoration.0, decorated.params)
}

/// Whether all decorations that are wanted are given.
fn decorations_match(m: &Module<'_>, given: Id, wanted: Id) -> bool {
    let mut all = m.decorations(wanted).peekable();
    if all.peek().is_none() {
        return true;
    }
    let given: HashSet<_> = m.decorations(given).map(meaning).collect();
    all.all(|wanted| {
        wanted.decoration == Decoration::RelaxedPrecision || given.contains(&meaning(wanted))
    })
}

#[cold]
fn indirect_finding(at: &InstCtx<'_, '_>, id: Id, message: String) -> Finding {
    at.finding(&call::FUNCTION_POINTER, message)
        .about(at.m, id, "it is defined here")
}

/// What functions are called through.
const FUNCTION_POINTER: Pattern = Pattern::pointer_to(&FUNCTION_TYPE);

/// `OpConstantFunctionPointerINTEL`.
pub(super) fn function_pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = at.expect_result(&call::FUNCTION_POINTER, FUNCTION_POINTER);
    let function = at.id(0);
    // What nothing defines is reported elsewhere.
    let is_function = matches!(m.op_of(function), Op::Function | Op::Nop);
    let target = expect(is_function, || {
        let message = format!(
            "a function pointer must point to a function, but points to {}",
            m.show_value(function)
        );
        indirect_finding(at, function, message)
    });
    all([ty, target])
}

/// `OpFunctionPointerCallINTEL`.
pub(super) fn pointer_call(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let pointer = at.id(0);
    let pointee = m.pointee(at.type_of_arg(0)).unwrap_or(Id(0));
    let Type::Function { result, parameters } = m.ty(pointee) else {
        return at.expect_operand(&call::FUNCTION_POINTER, 0, FUNCTION_POINTER);
    };
    let returned = expect(result == at.result_type(), || {
        let message = format!(
            "the functions that {} points to return {}, but the call's type is {}",
            m.name(pointer),
            m.show_type(result),
            m.show_type(at.result_type())
        );
        indirect_finding(at, pointee, message)
    });
    let arguments = at.inst.args().get(1..).unwrap_or_default();
    if arguments.len() != parameters.len() {
        let message = format!(
            "the functions that {} points to have {}, but the call has {}",
            m.name(pointer),
            counted(parameters.len(), "parameter"),
            counted(arguments.len(), "argument")
        );
        return all([returned, Err(indirect_finding(at, pointee, message))]);
    }
    let arguments = all(arguments
        .iter()
        .zip(parameters)
        .map(|(&argument, &parameter)| {
            if m.type_of(Id(argument)) != Some(Id(parameter)) {
                let message = format!(
                    "the argument must be {}, but is {}",
                    m.show_type(Id(parameter)),
                    m.show_value(Id(argument))
                );
                return Err(indirect_finding(at, Id(argument), message));
            }
            Ok(())
        }));
    all([returned, arguments])
}
