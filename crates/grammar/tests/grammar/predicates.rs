//! What sort of instruction each opcode is, asked of the names, classes and operands
//! that the tables have for it.

use spirvkit_grammar::{
    BuiltIn, Class, ExecutionModel, InstructionInfo, Op, OperandInfo, OperandKind,
};

/// The names of the opcodes for which a predicate holds.
fn names(holds: impl Fn(Op) -> bool) -> Vec<&'static str> {
    chosen(|info| holds(op(info)))
}

/// The names of the opcodes of which their rows tell something.
fn chosen(tells: impl Fn(&InstructionInfo) -> bool) -> Vec<&'static str> {
    let rows = Op::all().iter().filter(|info| tells(info));
    rows.map(InstructionInfo::name).collect()
}

fn op(info: &InstructionInfo) -> Op {
    Op(info.number() as u16)
}

fn has_operand(info: &InstructionInfo, name: &str) -> bool {
    info.operands().iter().any(|operand| operand.name() == name)
}

/// Opcodes as extensions have named them: a suffix is added.
fn is_any(info: &InstructionInfo, names: &[&str]) -> bool {
    names.iter().any(|name| {
        let rest = info.name().strip_prefix(name);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_uppercase()))
    })
}

#[test]
fn what_is_declared_as_a_type_is_one() {
    let types = names(Op::is_type);
    assert_eq!(
        types,
        chosen(|info| info.name().starts_with("OpType") && info.has_result())
    );
    // The class says so of most, and of nothing else.
    for info in Op::all().iter().filter(|info| info.has_result()) {
        match info.class() {
            Class::TypeDeclaration => assert!(op(info).is_type(), "{}", info.name()),
            Class::Excluded | Class::Reserved => {}
            _ => assert!(!op(info).is_type(), "{}", info.name()),
        }
    }
    assert!(Op::TypeNodePayloadArrayAMDX.is_type() && Op::TypeVmeImageINTEL.is_type());
    assert!(!Op::TypeForwardPointer.is_type() && !Op::TypeStructContinuedINTEL.is_type());
    assert!(types.iter().all(|name| {
        let op = Op::from_name(name).unwrap();
        !op.info().unwrap().has_result_type() && op.info().unwrap().has_result()
    }));
}

#[test]
fn constants_are_known_by_their_names_and_their_class() {
    let is_constant = |info: &InstructionInfo| {
        let name = info.name();
        name.starts_with("OpConstant") || name.starts_with("OpSpec")
    };
    assert_eq!(
        names(Op::is_constant),
        chosen(|info| is_constant(info) && info.has_result())
    );
    for info in Op::all().iter().filter(|info| info.has_result()) {
        let is_class = info.class() == Class::ConstantCreation;
        assert!(!is_class || op(info).is_constant(), "{}", info.name());
    }
    // Of these the class says something else.
    for op in [
        Op::ConstantPipeStorage,
        Op::ConstantFunctionPointerINTEL,
        Op::ConstantStringAMDX,
        Op::SpecConstantStringAMDX,
    ] {
        assert!(op.is_constant(), "{op}");
    }
    for op in [
        Op::Undef,
        Op::PoisonKHR,
        Op::ConstantCompositeContinuedINTEL,
        Op::SpecConstantCompositeContinuedINTEL,
        Op::GraphConstantARM,
        Op(65_000),
    ] {
        assert!(!op.is_constant(), "{op}");
    }
}

#[test]
fn specialization_changes_what_is_named_after_it() {
    assert_eq!(
        names(Op::is_spec_constant),
        chosen(|info| info.name().starts_with("OpSpecConstant") && info.has_result())
    );
    assert!(Op::SpecConstantDataKHR.is_spec_constant());
    assert!(Op::SpecConstantStringAMDX.is_spec_constant());
    assert!(!Op::Constant.is_spec_constant());

    for op in Op::all().iter().map(op) {
        let info = op.info().unwrap();
        let bare = info
            .name()
            .trim_start_matches("OpSpec")
            .trim_start_matches("Op");
        let is_scalar = matches!(bare, "Constant" | "ConstantTrue" | "ConstantFalse");
        assert_eq!(op.is_scalar_constant(), is_scalar, "{op}");
        assert_eq!(
            op.is_scalar_spec_constant(),
            is_scalar && op.is_spec_constant(),
            "{op}"
        );
        let is_composite = bare.starts_with("ConstantComposite") && info.has_result();
        assert_eq!(op.is_composite_constant(), is_composite, "{op}");
    }
}

#[test]
fn annotations_decorate_but_for_the_group_itself() {
    assert_eq!(
        names(Op::is_decoration),
        chosen(|info| info.class() == Class::Annotation && info.name() != "OpDecorationGroup")
    );
    assert_eq!(
        names(|op| op.is_decorate() || op.is_member_decorate() || op.is_group_decorate()),
        names(Op::is_decoration)
    );
    // Each is distinguished from the others by its operands.
    let starts_with = |info: &InstructionInfo, wanted: &[&str]| {
        let operands = info.operands().iter().map(OperandInfo::name);
        operands.take(wanted.len()).eq(wanted.iter().copied())
    };
    assert_eq!(
        names(Op::is_member_decorate),
        chosen(|info| info.class() == Class::Annotation && has_operand(info, "Member"))
    );
    assert_eq!(
        names(Op::is_group_decorate),
        chosen(|info| starts_with(info, &["Decoration Group", "Targets"]))
    );
    assert!(Op::MemberDecorateIdEXT.is_member_decorate());
    assert!(!Op::DecorationGroup.is_decoration());
}

#[test]
fn debugging_instructions_are_distinguished() {
    assert_eq!(names(Op::is_line), ["OpLine", "OpNoLine"]);
    assert_eq!(
        names(Op::is_name),
        chosen(|info| info.class() == Class::Debug && has_operand(info, "Name"))
    );
    assert!(!Op::String.is_name() && !Op::Source.is_line());
}

#[test]
fn variants_of_extensions_count_with_what_they_vary() {
    assert_eq!(
        names(Op::is_ext_inst),
        chosen(|info| has_operand(info, "Instruction") && has_operand(info, "Set"))
    );
    assert_eq!(
        names(Op::is_entry_point),
        chosen(|info| has_operand(info, "Entry Point") && has_operand(info, "Interface"))
    );
    assert_eq!(
        names(Op::is_execution_mode),
        chosen(|info| has_operand(info, "Mode") && has_operand(info, "Entry Point"))
    );
    assert_eq!(
        names(Op::is_variable),
        chosen(|info| is_any(info, &["OpVariable", "OpUntypedVariable"]))
    );
    assert_eq!(
        names(Op::is_pointer_type),
        chosen(|info| is_any(info, &["OpTypePointer", "OpTypeUntypedPointer"]))
    );
    assert_eq!(
        names(Op::is_array_type),
        ["OpTypeArray", "OpTypeRuntimeArray"]
    );
    assert!(!Op::TypeForwardPointer.is_pointer_type());
    assert!(!Op::VariableLengthArrayINTEL.is_variable());
}

#[test]
fn access_chains_are_distinguished_by_their_operands() {
    let chains = chosen(|info| {
        let name = info.name().trim_end_matches("KHR");
        name.ends_with("AccessChain") && info.class() == Class::Memory
    });
    assert_eq!(names(Op::is_access_chain), chains);
    assert_eq!(
        names(Op::is_ptr_access_chain),
        chosen(|info| chains.contains(&info.name()) && has_operand(info, "Element"))
    );
    assert_eq!(
        names(Op::is_untyped_access_chain),
        chosen(|info| chains.contains(&info.name()) && has_operand(info, "Base Type"))
    );
    assert!(!Op::RawAccessChainNV.is_access_chain());
}

#[test]
fn atomics_and_copies_access_memory() {
    assert_eq!(
        names(Op::is_atomic),
        chosen(|info| info.name().starts_with("OpAtomic"))
    );
    assert_eq!(
        names(Op::is_copy_memory),
        chosen(|info| info.name().starts_with("OpCopyMemory"))
    );
    assert!(!Op::Load.is_atomic() && !Op::CopyObject.is_copy_memory());
}

#[test]
fn blocks_end_with_termination_instructions() {
    // Of the class of control flow, what is left over stands inside of blocks.
    let inside = [
        "OpPhi",
        "OpLoopMerge",
        "OpSelectionMerge",
        "OpLabel",
        "OpLifetimeStart",
        "OpLifetimeStop",
        "OpDemoteToHelperInvocation",
    ];
    for info in Op::all() {
        let is_control = info.class() == Class::ControlFlow && !inside.contains(&info.name());
        let is_reserved = [
            "OpIgnoreIntersectionKHR",
            "OpTerminateRayKHR",
            "OpEmitMeshTasksEXT",
        ]
        .contains(&info.name());
        assert_eq!(
            op(info).is_terminator(),
            is_control || is_reserved,
            "{}",
            info.name()
        );
        // None of them gives anything.
        assert!(!op(info).is_terminator() || !info.has_result());
    }
    assert_eq!(
        names(Op::is_merge),
        chosen(|info| has_operand(info, "Merge Block"))
    );
}

#[test]
fn groups_and_graphs_have_their_own() {
    assert_eq!(
        names(Op::is_amd_group),
        chosen(|info| info.name().ends_with("NonUniformAMD"))
    );
    assert_eq!(
        names(Op::is_in_graphs),
        chosen(|info| {
            let stands_elsewhere = op(info).is_type() || info.name() == "OpGraphConstantARM";
            info.class() == Class::Graph && !stands_elsewhere
        })
    );
}

#[test]
fn compute_kernels_and_mesh_shaders_have_workgroups() {
    let infos = OperandKind::ExecutionModel.enumerants().iter();
    let found = infos.filter(|info| ExecutionModel(info.value()).has_workgroups());
    let names: Vec<&str> = found.map(|info| info.name()).collect();
    let wanted = [
        "GLCompute",
        "Kernel",
        "TaskNV",
        "MeshNV",
        "TaskEXT",
        "MeshEXT",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn built_ins_change_while_rays_are_traced() {
    let changing = |model: ExecutionModel| -> Vec<&str> {
        let infos = OperandKind::BuiltIn.enumerants().iter();
        let found = infos.filter(|info| BuiltIn(info.value()).changing_models().contains(&model));
        found.map(|info| info.name()).collect()
    };
    let intersection = changing(ExecutionModel::IntersectionKHR);
    assert_eq!(intersection.len(), 10, "{intersection:?}");
    assert!(intersection.contains(&"RayTmaxKHR") && intersection.contains(&"SubgroupSize"));
    let miss = changing(ExecutionModel::MissKHR);
    assert_eq!(miss.len(), 9, "{miss:?}");
    assert!(!miss.contains(&"RayTmaxKHR"));
    assert!(changing(ExecutionModel::AnyHitKHR).is_empty());
}
