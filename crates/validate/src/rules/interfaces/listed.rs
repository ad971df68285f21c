//! The variables that entry points list.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Decoration, ExecutionModel, Op, StorageClass, Version};

use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Contents, EntryPoint, Inst, Module};
use crate::rule::{Example, Frame, Rule};

pub(super) static NO_VARIABLE: Rule = Rule {
    id: "interface.variable",
    class: InvalidId,
    section: "3.32.5",
    vuids: &[],
    text: "The interface of an entry point lists variables.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpEntryPoint GLCompute %main \"main\" %f32_0",
        keeps: "OpEntryPoint GLCompute %main \"main\" %private_f32",
    },
};

pub(super) static STORAGE_CLASS: Rule = Rule {
    id: "interface.storage-class",
    class: InvalidId,
    section: "3.32.5",
    vuids: &[],
    text: "The interface of an entry point lists input and output variables, and since SPIR-V 1.4 all variables \
           outside of functions.",
    example: Example {
        frame: Frame::WholeFor("spv1.3"),
        breaks: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %object
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Private %f32
%object = OpVariable %ptr Private
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %object
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Input %f32
%object = OpVariable %ptr Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static REPEATED: Rule = Rule {
    id: "interface.repeated",
    class: InvalidId,
    section: "3.32.5",
    vuids: &[],
    text: "Since SPIR-V 1.4, an entry point lists each variable only once.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpEntryPoint GLCompute %main \"main\" %private_f32 %private_f32",
        keeps: "OpEntryPoint GLCompute %main \"main\" %private_f32",
    },
};

pub(super) static FLAT: Rule = Rule {
    id: "interface.vulkan-flat",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-Flat-04744"],
    text: "Integers and 64-bit floats can't be interpolated: as inputs of a fragment shader they are decorated with \
           `Flat`.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.2"),
        breaks: "OpEntryPoint Fragment %main \"main\" %in
OpDecorate %in Location 0
%ptr = OpTypePointer Input %u32
%in = OpVariable %ptr Input",
        keeps: "OpEntryPoint Fragment %main \"main\" %in
OpDecorate %in Location 0
OpDecorate %in Flat
%ptr = OpTypePointer Input %u32
%in = OpVariable %ptr Input",
    },
};

pub(super) static INTERPOLATION: Rule = Rule {
    id: "interface.vulkan-interpolation",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-Flat-06201",
        "VUID-StandaloneSpirv-Flat-06202",
    ],
    text: "Neither the outputs of a fragment shader nor the inputs of a vertex shader are interpolated, so they are \
           not decorated with `Flat`, `NoPerspective`, `Sample` or `Centroid`.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.2"),
        breaks: "OpEntryPoint Fragment %main \"main\" %out
OpDecorate %out Location 0
OpDecorate %out Flat
%ptr = OpTypePointer Output %u32
%out = OpVariable %ptr Output",
        keeps: "OpEntryPoint Fragment %main \"main\" %out
OpDecorate %out Location 0
%ptr = OpTypePointer Output %u32
%out = OpVariable %ptr Output",
    },
};

pub(super) static ADDRESS: Rule = Rule {
    id: "interface.vulkan-address",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-Input-09557"],
    text: "Inputs and outputs hold no physical pointers: these are passed between stages as integers.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.3"),
        breaks: "OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint Vertex %main \"main\" %out
OpDecorate %out Location 0
OpDecorate %out RestrictPointer
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%address = OpTypePointer PhysicalStorageBuffer %f32
%ptr = OpTypePointer Output %address
%out = OpVariable %ptr Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %out
OpDecorate %out Location 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%address = OpTypeVector %u32 2
%ptr = OpTypePointer Output %address
%out = OpVariable %ptr Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static SMALL_FLOAT: Rule = Rule {
    id: "interface.vulkan-small-float",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeFloat-10823"],
    text: "Inputs and outputs hold no 8-bit floats.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.3"),
        breaks: "OpCapability Shader
OpCapability Float8EXT
OpExtension \"SPV_EXT_float8\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %out
OpDecorate %out Location 0
%void = OpTypeVoid
%f8 = OpTypeFloat 8 Float8E4M3EXT
%ptr = OpTypePointer Output %f8
%out = OpVariable %ptr Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %out
OpDecorate %out Location 0
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Output %f32
%out = OpVariable %ptr Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static INVARIANT: Rule = Rule {
    id: "interface.vulkan-invariant",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-Invariant-04677"],
    text: "A variable with the decoration `Invariant`, or with a member that has it, is an input or an output.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpDecorate %private_f32 Invariant",
        keeps: "OpDecorate %in Invariant
%ptr = OpTypePointer Input %f32
%in = OpVariable %ptr Input",
    },
};

/// A variable of an interface.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) id: Id,
    pub(super) inst: Inst<'a>,
    pub(super) class: StorageClass,
    /// What it holds, if that is known.
    pub(super) ty: Option<Id>,
}

pub(super) fn is_variable(op: Op) -> bool {
    matches!(op, Op::Variable | Op::UntypedVariableKHR)
}

/// An id as a variable.
pub(super) fn variable<'a>(m: &Module<'a>, id: Id) -> Option<Listed<'a>> {
    let inst = m.def(id).filter(|inst| is_variable(inst.op()))?;
    Some(Listed {
        id,
        inst,
        class: StorageClass(inst.arg(0)),
        ty: match inst.op() {
            Op::UntypedVariableKHR => inst.optional(1).map(Id),
            _ => inst.result_type().and_then(|ty| m.pointee(ty)),
        },
    })
}

/// The variables that an entry point lists; what is none is left out.
pub(super) fn variables<'m, 'a>(
    m: &'m Module<'a>,
    entry: &EntryPoint<'a>,
) -> impl Iterator<Item = Listed<'a>> + use<'m, 'a> {
    let ids = entry.interface.iter();
    ids.filter_map(move |&id| variable(m, Id(id)))
}

/// Checks the list of an entry point.
pub(super) fn check(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    let offset = entry.inst.offset();
    let is_new = m.version >= Version::new(1, 4);
    let listed = all(entry.interface.iter().map(|&id| {
        let id = Id(id);
        let Some(listed) = variable(m, id) else {
            if m.def_offset(id) == 0 {
                return Ok(());
            }
            let message = format!(
                "the interface of \"{}\" lists {}, which is not a variable",
                entry.name(),
                m.show_value(id)
            );
            return Err(Finding::new(&NO_VARIABLE, offset, message).about(m, id, "this is listed"));
        };
        let class = listed.class;
        let is_fine = match is_new {
            true => class != StorageClass::Function,
            false => matches!(class, StorageClass::Input | StorageClass::Output),
        };
        if !is_fine {
            let wanted = match is_new {
                true => "variables outside of functions",
                false => "input and output variables before SPIR-V 1.4",
            };
            let message = format!(
                "an interface can list only {wanted}, but {} is in {class}",
                m.name(id)
            );
            return Err(Finding::new(&STORAGE_CLASS, offset, message).about(
                m,
                id,
                "the variable is declared here",
            ));
        }
        Ok(())
    }));
    all([listed, check_repeated(m, entry, is_new)])
}

/// Checks that no variable is listed twice.
fn check_repeated(m: &Module<'_>, entry: &EntryPoint<'_>, is_new: bool) -> CheckResult {
    if !is_new || entry.interface.len() < 2 {
        return Ok(());
    }
    let mut sorted = entry.interface.to_vec();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    all(groups.filter(|group| group.len() > 1).map(|group| {
        let id = Id(group[0]);
        let message = format!("\"{}\" lists {} twice", entry.name(), m.name(id));
        let finding = Finding::new(&REPEATED, entry.inst.offset(), message);
        Err(finding.about(m, id, "this variable"))
    }))
}

/// Checks what Vulkan asks of the variables that an entry point lists.
pub(super) fn check_vulkan(m: &Module<'_>, entry: &EntryPoint<'_>) -> CheckResult {
    all(variables(m, entry).map(|listed| {
        if matches!(listed.class, StorageClass::Input | StorageClass::Output) {
            check_stage_variable(m, entry, &listed)?;
        }
        Ok(())
    }))
}

fn check_stage_variable(
    m: &Module<'_>,
    entry: &EntryPoint<'_>,
    listed: &Listed<'_>,
) -> CheckResult {
    let offset = entry.inst.offset();
    let is_input = listed.class == StorageClass::Input;
    let mut interpolation = None;
    let mut is_flat = false;
    for decorated in m.own_decorations(listed.id) {
        match decorated.decoration {
            Decoration::Flat => {
                is_flat = true;
                interpolation = interpolation.or(Some(decorated));
            }
            Decoration::NoPerspective | Decoration::Sample | Decoration::Centroid => {
                interpolation = interpolation.or(Some(decorated));
            }
            _ => {}
        }
    }
    let vuid = match entry.model {
        ExecutionModel::Fragment if !is_input => Some(INTERPOLATION.vuids[0]),
        ExecutionModel::Vertex if is_input => Some(INTERPOLATION.vuids[1]),
        _ => None,
    };
    if let (Some(vuid), Some(found)) = (vuid, interpolation) {
        let message = format!(
            "{} is not interpolated, so it can't be decorated with {}",
            m.name(listed.id),
            found.decoration
        );
        let finding = Finding::new(&INTERPOLATION, listed.inst.offset(), message).vuid(vuid);
        return Err(finding.at(found.inst.offset(), "it is decorated here"));
    }
    let needs_flat = is_input
        && entry.model == ExecutionModel::Fragment
        && !is_flat
        && listed
            .ty
            .is_some_and(|ty| m.is_int_scalar_or_vector(ty) || m.is_float_scalar_of(ty, 64));
    if needs_flat {
        let message = format!(
            "{} can't be interpolated, so it must be decorated with Flat",
            m.name(listed.id)
        );
        return Err(Finding::new(&FLAT, listed.inst.offset(), message)
            .at(offset, "it is an input of this fragment shader"));
    }
    Ok(())
}

/// Checks input and output, listed or not.
pub(super) fn check_variables(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() {
        return;
    }
    let locals = m.locals.iter().filter_map(|&offset| m.inst(offset));
    for local in locals.filter_map(|inst| variable(m, inst.result()?)) {
        reporter.note(check_invariant(m, &local));
    }
    let globals = m.globals.iter().filter_map(|&offset| m.inst(offset));
    for inst in globals {
        let Some(listed) = inst.result().and_then(|id| variable(m, id)) else {
            continue;
        };
        let is_stage = matches!(listed.class, StorageClass::Input | StorageClass::Output);
        if !is_stage {
            reporter.note(check_invariant(m, &listed));
        }
        let Some(ty) = listed.ty.filter(|_| is_stage) else {
            continue;
        };
        let contents = m.contents(ty);
        let (rule, what) = match () {
            () if contents.has(Contents::ADDRESS) => (&ADDRESS, "a physical pointer"),
            () if contents.has(Contents::SMALL_ENCODED_FLOAT) => {
                (&SMALL_FLOAT, "a float of 8 bits or less")
            }
            () => continue,
        };
        let message = format!(
            "{} is in {}, so it can't hold {what}",
            m.name(listed.id),
            listed.class
        );
        reporter.add(Finding::new(rule, inst.offset(), message));
    }
}

/// Checks that nothing of a variable that is neither input nor output is
/// invariant.
fn check_invariant(m: &Module<'_>, listed: &Listed<'_>) -> CheckResult {
    let is_invariant = |decoration: Decoration| decoration == Decoration::Invariant;
    let mut own = m.own_decorations(listed.id);
    let found = own.find(|decorated| is_invariant(decorated.decoration));
    let found = found.or_else(|| {
        let ty = listed
            .ty
            .filter(|&ty| m.structure_facts(ty).has_invariants)?;
        let mut members = m.decorations(ty);
        members.find(|decorated| is_invariant(decorated.decoration))
    });
    let Some(found) = found else {
        return Ok(());
    };
    let message = format!(
        "{} is in {}, but only inputs and outputs can be Invariant",
        m.name(listed.id),
        listed.class
    );
    Err(Finding::new(&INVARIANT, listed.inst.offset(), message)
        .at(found.inst.offset(), "it is decorated here"))
}
