//! Variables.

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Capability, Decoration, Op, StorageClass};

use super::vulkan_variables;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Module, Type, is_cross_workgroup};
use crate::pattern::{TYPED_POINTER, UNTYPED_POINTER};
use crate::rule::Rule;
use crate::rules::generated::variable;
use crate::rules::logical_pointers as logical_pointer_rules;
use crate::rules::small_types;
use crate::rules::types::pointers::class_exists;

/// A variable of either kind.
pub(super) struct Variable {
    pub(super) id: Id,
    pub(super) class: StorageClass,
    /// The type of what it holds, if the variable names one.
    data: Option<Id>,
    initializer: Option<Id>,
}

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match *at.inst.words() {
        // What is asked of those of functions without a value to begin with goes by the type.
        [first, ty, _, class] if StorageClass(class) == StorageClass::Function => {
            let signature = [first, ty, 0, 0, 0];
            at.m.sound.once(signature, || any_variable(at))
        }
        _ => any_variable(at),
    }
}

fn any_variable(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let class = StorageClass(at.inst.arg(0));
    let untyped = at.inst.op() == Op::UntypedVariableKHR;
    let result = at.result_type();
    let wanted = match untyped {
        true => UNTYPED_POINTER,
        false => TYPED_POINTER,
    };
    at.expect_result(&variable::TYPE, wanted)?;
    let optional = |index: usize| at.inst.optional(index).map(Id);
    let (data, initializer) = match untyped {
        true => (optional(1), optional(2)),
        false => (m.pointee(result), optional(1)),
    };
    let variable = Variable {
        id: at.inst.result().unwrap_or(Id(0)),
        class,
        data,
        initializer,
    };
    if class == StorageClass::Generic {
        return Err(at.finding(
            &variable::GENERIC,
            "a variable can't be in the storage class `Generic`",
        ));
    }
    if m.pointer_class(result) != Some(class) {
        let message = format!(
            "the variable is in the storage class `{class}`, but its type is {}",
            m.show_type(result)
        );
        let finding = at.finding(&variable::TYPE, message);
        return Err(finding.about(m, result, "the type is declared here"));
    }
    let exists = class_exists(at, class);
    let is_logical = expect(class != StorageClass::PhysicalStorageBuffer, || {
        let message = "a variable can't be in the storage class `PhysicalStorageBuffer`";
        at.finding(&variable::PHYSICAL, message)
    });
    let data_type = match untyped {
        true => data_type(at, &variable),
        false => Ok(()),
    };
    // What it may hold depends on the class.
    let contents = match variable.data {
        Some(data) if exists.is_ok() && is_logical.is_ok() => held(at, &variable, data),
        _ => Ok(()),
    };
    let initializer = initializer_of(at, &variable);
    all([exists, data_type, initializer, is_logical, contents])
}

/// Checks what a variable holds.
fn held(at: &InstCtx<'_, '_>, variable: &Variable, data: Id) -> CheckResult {
    let contents = contents(at, variable, data);
    match at.m.env.is_vulkan() {
        true => all([contents, vulkan_variables::check(at, variable, data)]),
        false => contents,
    }
}

fn data_type(at: &InstCtx<'_, '_>, variable: &Variable) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    if let Some(data) = variable.data {
        if m.ty(data) != Type::None {
            return Ok(());
        }
        let message = format!("the data type must be a type, but is {}", m.name(data));
        let finding = at.finding(&variable::DATA_TYPE, message);
        return Err(finding.about(m, data, "it is defined here"));
    }
    if matches!(
        class,
        StorageClass::Function | StorageClass::Private | StorageClass::Workgroup
    ) {
        let message = format!("an untyped variable in `{class}` must name the type of its data");
        return Err(at.finding(&variable::DATA_TYPE, message));
    }
    if !m.env.is_vulkan() {
        return Ok(());
    }
    if class != StorageClass::UniformConstant {
        let message =
            format!("in Vulkan, an untyped variable in `{class}` must name the type of its data");
        let finding = at.finding(&variable::DATA_TYPE_VULKAN, message);
        return Err(finding.vuid("VUID-StandaloneSpirv-OpUntypedVariableKHR-11167"));
    }
    let is_heap = m.own_decorations(variable.id).any(|decorated| {
        decorated.decoration == Decoration::BuiltIn
            && matches!(
                BuiltIn(decorated.param(0)),
                BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT
            )
    });
    if is_heap {
        return Ok(());
    }
    let message = "in Vulkan, an untyped variable that is not a descriptor heap must name the type of its data";
    let finding = at.finding(&variable::DATA_TYPE_VULKAN, message);
    Err(finding.vuid("VUID-StandaloneSpirv-OpUntypedVariableKHR-11347"))
}

fn initializer_of(at: &InstCtx<'_, '_>, variable: &Variable) -> CheckResult {
    let m = at.m;
    let Some(initializer) = variable.initializer else {
        return Ok(());
    };
    let op = m.op_of(initializer);
    let is_global = op.is_variable() && m.block_of(initializer).is_none();
    if !m.is_constant(initializer) && !is_global {
        let message = format!(
            "the initializer of a variable must be a constant or a global variable, but is {}",
            m.show_value(initializer)
        );
        let finding = at.finding(&variable::INITIALIZER, message);
        return Err(finding.about(m, initializer, "it is defined here"));
    }
    if variable.data.is_some() && m.type_of(initializer) != variable.data {
        let message = format!(
            "the variable holds {}, but its initializer is {}",
            m.show_type(variable.data.unwrap_or(Id(0))),
            m.show_value(initializer)
        );
        let finding = at.finding(&variable::INITIALIZER, message);
        return Err(finding.about(m, initializer, "the initializer is defined here"));
    }
    let always_bare = match variable.class {
        StorageClass::TaskPayloadWorkgroupEXT => Some("a task payload"),
        StorageClass::HitObjectAttributeEXT | StorageClass::HitObjectAttributeNV => {
            Some("a variable for attributes of hit objects")
        }
        _ => None,
    };
    if let Some(what) = always_bare {
        let message = format!("{what} can't have an initializer");
        return Err(at
            .finding(&variable::INITIALIZER_PAYLOAD, message)
            .arg(at, 1));
    }
    if !m.env.is_vulkan() {
        let is_fine = !matches!(
            variable.class,
            StorageClass::Input
                | StorageClass::PushConstant
                | StorageClass::ShaderRecordBufferKHR
                | StorageClass::TileImageEXT
        );
        return expect(is_fine, || {
            let message = format!(
                "variables in `{}` are read-only and get their values from outside, so they can't have initializers",
                variable.class
            );
            at.finding(&variable::INITIALIZER_CLASS, message)
        });
    }
    match variable.class {
        StorageClass::Output | StorageClass::Private | StorageClass::Function => Ok(()),
        StorageClass::Workgroup if op == Op::ConstantNull => Ok(()),
        StorageClass::Workgroup => {
            let message =
                "in Vulkan, variables in `Workgroup` can be initialized only with OpConstantNull";
            let finding = at.finding(&variable::INITIALIZER_VULKAN, message);
            Err(finding.vuid("VUID-StandaloneSpirv-OpVariable-04734"))
        }
        class => {
            let message = format!("in Vulkan, a variable in `{class}` can't have an initializer");
            let finding = at.finding(&variable::INITIALIZER_VULKAN, message);
            Err(finding.vuid("VUID-StandaloneSpirv-OpVariable-04651"))
        }
    }
}

#[cold]
pub(super) fn finding(
    at: &InstCtx<'_, '_>,
    rule: &'static Rule,
    data: Id,
    message: &str,
) -> Finding {
    let message = format!("{message}, but this one holds {}", at.m.show_type(data));
    at.finding(rule, message)
        .about(at.m, data, "its type is declared here")
}

fn contents(at: &InstCtx<'_, '_>, variable: &Variable, data: Id) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    let contents = m.contents(data);
    let local = matches!(class, StorageClass::Function | StorageClass::Private);
    let has_booleans = contents.has(Contents::BOOLEAN) && !booleans_may_be_in(m, variable, data);
    let booleans = expect(!has_booleans, || {
        let message = match class {
            StorageClass::Input | StorageClass::Output => {
                "inputs and outputs can hold booleans only if they are built-ins".to_owned()
            }
            _ => format!("variables in `{class}` can't hold booleans"),
        };
        let is_stage = matches!(class, StorageClass::Input | StorageClass::Output);
        finding(at, &variable::BOOLEAN, data, &message).vuid_if(is_stage)
    });
    let cooperative = expect(local || !contents.has(Contents::COOPERATIVE), || {
        let message = format!("variables in `{class}` can't hold cooperative matrices and vectors");
        finding(at, &variable::COOPERATIVE, data, &message)
    });
    let tiny = expect(local || !contents.has(Contents::TINY_FLOAT), || {
        let message = format!("variables in `{class}` can't hold floats of 4 or 6 bits");
        finding(at, &variable::TINY_FLOAT, data, &message)
    });
    let long = long_vectors(at, variable, data, contents);
    let specialized = match m.env.is_vulkan() && contents.has(Contents::SPECIALIZED_VECTOR) {
        true => vulkan_variables::specialized_vectors(at, variable, data),
        false => Ok(()),
    };
    let arrays = match m.env.is_vulkan() && contents.has(Contents::SPECIALIZED_ARRAY) {
        true => vulkan_variables::specialized_arrays(at, variable, data),
        false => Ok(()),
    };
    let small = match m.has(Capability::Shader) {
        true => small(at, variable, data, contents),
        false => Ok(()),
    };
    let unsized_arrays = match m.env.is_vulkan() && contents.has(Contents::RUNTIME_ARRAY) {
        true => vulkan_variables::runtime_arrays(at, variable, data),
        false => Ok(()),
    };
    let pointers = logical_pointers(at, variable, data, contents);
    all([
        booleans,
        pointers,
        cooperative,
        tiny,
        long,
        specialized,
        arrays,
        small,
        unsized_arrays,
    ])
}

/// Checks that vectors of more than four components are where `SPV_EXT_long_vector` lets
/// them be, and in Vulkan, however they came about, neither inputs nor outputs.
fn long_vectors(
    at: &InstCtx<'_, '_>,
    variable: &Variable,
    data: Id,
    contents: Contents,
) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    let is_wrong = match m.has(Capability::LongVectorEXT) {
        true => !takes_long_vectors(class),
        false => m.env.is_vulkan() && matches!(class, StorageClass::Input | StorageClass::Output),
    };
    if !is_wrong || !contents.has(Contents::LONG_VECTOR) {
        return Ok(());
    }
    let message = format!("variables in `{class}` can't hold vectors of more than 4 components");
    let finding = finding(at, &variable::LONG_VECTOR, data, &message);
    Err(finding.vuid("VUID-StandaloneSpirv-Type-12297"))
}

/// Whether `SPV_EXT_long_vector` lets long vectors be in a storage class.
fn takes_long_vectors(class: StorageClass) -> bool {
    is_cross_workgroup(class)
        || matches!(
            class,
            StorageClass::Function
                | StorageClass::Private
                | StorageClass::UniformConstant
                | StorageClass::Uniform
                | StorageClass::Workgroup
                | StorageClass::StorageBuffer
                | StorageClass::PhysicalStorageBuffer
                | StorageClass::PushConstant
                | StorageClass::ShaderRecordBufferKHR
                | StorageClass::Generic
        )
}

fn booleans_may_be_in(m: &Module<'_>, variable: &Variable, data: Id) -> bool {
    match variable.class {
        StorageClass::Input | StorageClass::Output => {
            m.is_decorated(variable.id, Decoration::BuiltIn)
                || m.has_decoration_anywhere(m.without_arrays(data), Decoration::BuiltIn)
        }
        // What must be laid out explicitly has no place for them.
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PhysicalStorageBuffer
        | StorageClass::PushConstant
        | StorageClass::ShaderRecordBufferKHR => false,
        _ => true,
    }
}

fn logical_pointers(
    at: &InstCtx<'_, '_>,
    variable: &Variable,
    data: Id,
    contents: Contents,
) -> CheckResult {
    let m = at.m;
    let storage_pointer = contents.has(Contents::STORAGE_POINTER);
    let workgroup_pointer = contents.has(Contents::WORKGROUP_POINTER);
    let other_pointer = contents.has(Contents::OTHER_POINTER);
    let any = storage_pointer || workgroup_pointer || other_pointer;
    if !any
        || !logical_pointer_rules::has_logical_pointers(m)
        || m.options.relax_logical_pointer
        || m.options.before_hlsl_legalization
    {
        return Ok(());
    }
    let class = variable.class;
    let local = matches!(class, StorageClass::Function | StorageClass::Private);
    let message = if other_pointer {
        "under logical addressing, variables can hold only pointers to `StorageBuffer` and `Workgroup`".to_owned()
    } else if storage_pointer && !m.has(Capability::VariablePointersStorageBuffer) {
        "under logical addressing, variables can hold pointers only with the capability \
         `VariablePointersStorageBuffer`"
            .to_owned()
    } else if workgroup_pointer && !m.has(Capability::VariablePointers) {
        "under logical addressing, variables can hold pointers to `Workgroup` only with the capability \
         `VariablePointers`"
            .to_owned()
    } else if !local {
        format!("under logical addressing, variables in `{class}` can't hold pointers")
    } else {
        return Ok(());
    };
    Err(finding(at, &variable::LOGICAL_POINTERS, data, &message))
}

/// The capabilities that let values of a size into a storage class; `None` if
/// none does.
fn storage_capabilities(class: StorageClass, bits: u32) -> Option<Capability> {
    Some(match (class, bits) {
        (
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::ShaderRecordBufferKHR,
            8,
        ) => Capability::StorageBuffer8BitAccess,
        (
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::ShaderRecordBufferKHR,
            _,
        ) => Capability::StorageBuffer16BitAccess,
        (StorageClass::Uniform, 8) => Capability::UniformAndStorageBuffer8BitAccess,
        (StorageClass::Uniform, _) => Capability::UniformAndStorageBuffer16BitAccess,
        (StorageClass::PushConstant, 8) => Capability::StoragePushConstant8,
        (StorageClass::PushConstant, _) => Capability::StoragePushConstant16,
        (StorageClass::Workgroup, 8) => Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
        (StorageClass::Workgroup, _) => Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        (StorageClass::Input | StorageClass::Output, 16) => Capability::StorageInputOutput16,
        _ => return None,
    })
}

/// What Vulkan says of values of a size in a storage class.
fn small_vuid(class: StorageClass, bits: u32) -> Option<&'static str> {
    let index = match (class, bits) {
        (
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::ShaderRecordBufferKHR,
            8,
        ) => 0,
        (StorageClass::Uniform, 8) => 1,
        (StorageClass::PushConstant, 8) => 2,
        (StorageClass::Workgroup, 8) => 3,
        (
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::ShaderRecordBufferKHR,
            _,
        ) => 4,
        (StorageClass::Uniform, _) => 5,
        (StorageClass::PushConstant, _) => 6,
        (StorageClass::Input | StorageClass::Output, 16) => 7,
        (StorageClass::Workgroup, _) => 8,
        _ => return None,
    };
    variable::SMALL.vuids.get(index).copied()
}

fn small(at: &InstCtx<'_, '_>, variable: &Variable, data: Id, contents: Contents) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    let has_16 = contents.has(Contents::INT16) && !m.has(Capability::Int16)
        || contents.has(Contents::FLOAT16) && !m.has(Capability::Float16);
    let has_8 = contents.has(Contents::INT8) && !m.has(Capability::Int8);
    all([(16, has_16), (8, has_8)]
        .into_iter()
        .map(|(bits, present)| {
            if !present {
                return Ok(());
            }
            let needed = storage_capabilities(class, bits);
            let storage_buffer = match bits {
                8 => Capability::StorageBuffer8BitAccess,
                _ => Capability::StorageBuffer16BitAccess,
            };
            // A uniform variable of a buffer block is a storage buffer.
            let fine = needed.is_some_and(|needed| m.has(needed))
                || class == StorageClass::Uniform
                    && m.has(storage_buffer)
                    && m.is_decorated(m.without_arrays(data), Decoration::BufferBlock);
            if !fine {
                let message = match needed {
                    Some(needed) => {
                        format!("variables in `{class}` can hold {bits}-bit values only with the capability \
                                 `{needed}`")
                    }
                    None => {
                        format!("variables in `{class}` can't hold {bits}-bit values in this module")
                    }
                };
                let finding = finding(at, &variable::SMALL, data, &message);
                let finding = match small_vuid(class, bits) {
                    Some(vuid) => finding.vuid(vuid),
                    None => finding,
                };
                return Err(match &needed {
                    Some(needed) => finding.needs(std::slice::from_ref(needed)),
                    None => finding.needs(small_types::CALCULATION),
                });
            }
            Ok(())
        }))
}
