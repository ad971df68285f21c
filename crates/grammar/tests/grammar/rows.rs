//! Rows checked by hand against the specification.

use spirvkit_grammar::{
    BuiltIn, Capability, Category, Class, Decoration, Enumeration, ExtInstSet, Op, OperandKind,
    Quantifier, Version,
};

#[test]
fn instructions_are_available_where_the_specification_says() {
    struct Row {
        name: &'static str,
        opcode: u16,
        since: Option<Version>,
        until: Option<Version>,
        capabilities: &'static [Capability],
    }
    let row = |name, opcode, since, until, capabilities| Row {
        name,
        opcode,
        since,
        until,
        capabilities,
    };
    let rows = [
        row("OpNop", 0, Some(Version::V1_0), None, &[]),
        row("OpLoad", 61, Some(Version::V1_0), None, &[]),
        row(
            "OpSizeOf",
            321,
            Some(Version::V1_1),
            None,
            &[Capability::Addresses],
        ),
        row("OpExecutionModeId", 331, Some(Version::V1_2), None, &[]),
        row(
            "OpGroupNonUniformElect",
            333,
            Some(Version::V1_3),
            None,
            &[Capability::GroupNonUniform],
        ),
        row("OpCopyLogical", 400, Some(Version::V1_4), None, &[]),
        row(
            "OpAtomicCompareExchangeWeak",
            231,
            Some(Version::V1_0),
            Some(Version::V1_3),
            &[Capability::Kernel],
        ),
        row(
            "OpTerminateInvocation",
            4416,
            Some(Version::V1_6),
            None,
            &[Capability::Shader],
        ),
        row(
            "OpTypeMatrix",
            24,
            Some(Version::V1_0),
            None,
            &[Capability::Matrix],
        ),
        row(
            "OpPtrDiff",
            403,
            Some(Version::V1_4),
            None,
            &[
                Capability::Addresses,
                Capability::VariablePointers,
                Capability::VariablePointersStorageBuffer,
            ],
        ),
    ];
    for row in rows {
        let op = Op::from_name(row.name).unwrap();
        assert_eq!(op, Op(row.opcode), "{}", row.name);
        let availability = op.info().unwrap().availability();
        assert_eq!(availability.since(), row.since, "{}", row.name);
        assert_eq!(availability.until(), row.until, "{}", row.name);
        assert_eq!(
            availability.capabilities(),
            row.capabilities,
            "{}",
            row.name
        );
        assert!(!availability.is_provisional(), "{}", row.name);
    }
}

#[test]
fn an_instruction_of_an_extension_names_it_and_is_in_no_version() {
    let info = Op::SubgroupBallotKHR.info().unwrap();
    assert_eq!(info.number(), 4421);
    assert_eq!(info.availability().since(), None);
    assert_eq!(
        info.availability().capabilities(),
        [Capability::SubgroupBallotKHR]
    );
    let extensions: Vec<&str> = info.availability().extensions().collect();
    assert_eq!(extensions, ["SPV_KHR_shader_ballot"]);
    assert!(info.availability().allows(Version::V1_0));
}

#[test]
fn availability_depends_on_the_version_unless_something_enables_it() {
    let copy_logical = Op::CopyLogical.info().unwrap().availability();
    assert!(!copy_logical.allows(Version::V1_3));
    assert!(copy_logical.allows(Version::V1_4));
    assert!(copy_logical.allows(Version::V1_6));
    let store = Op::Store.info().unwrap().availability();
    assert!(store.allows(Version::V1_0));
    // Core since 1.6, but its capability may come from an extension.
    assert!(
        Op::TerminateInvocation
            .info()
            .unwrap()
            .availability()
            .allows(Version::V1_0)
    );
}

#[test]
fn enumerants_are_as_the_specification_says() {
    let shader = Capability::Shader.info().unwrap();
    assert_eq!((shader.value(), shader.name()), (1, "Shader"));
    assert_eq!(shader.availability().capabilities(), [Capability::Matrix]);
    assert_eq!(shader.availability().since(), Some(Version::V1_0));

    let built_in = Decoration::BuiltIn.info().unwrap();
    assert_eq!((built_in.value(), built_in.name()), (11, "BuiltIn"));
    assert_eq!(built_in.parameters().len(), 1);
    assert_eq!(built_in.parameters()[0].kind(), OperandKind::BuiltIn);

    let linkage = Decoration::LinkageAttributes.info().unwrap();
    let kinds: Vec<_> = linkage
        .parameters()
        .iter()
        .map(|parameter| parameter.kind())
        .collect();
    assert_eq!(
        kinds,
        [OperandKind::LiteralString, OperandKind::LinkageType]
    );

    let local_size = OperandKind::ExecutionMode.enumerant(17).unwrap();
    assert_eq!(local_size.name(), "LocalSize");
    assert_eq!(local_size.parameters().len(), 3);
    assert!(
        local_size
            .parameters()
            .iter()
            .all(|p| p.kind() == OperandKind::LiteralInteger)
    );
    assert!(
        local_size
            .parameters()
            .iter()
            .all(|p| p.quantifier() == Quantifier::One)
    );

    let make_available = OperandKind::MemoryAccess.enumerant(0x8).unwrap();
    assert_eq!(make_available.name(), "MakePointerAvailable");
    assert_eq!(make_available.parameters()[0].kind(), OperandKind::IdScope);
}

#[test]
fn aliases_share_a_row() {
    let cases = [
        (
            OperandKind::BuiltIn,
            "SubgroupEqMask",
            "SubgroupEqMaskKHR",
            4416,
        ),
        (
            OperandKind::Capability,
            "ShaderNonUniform",
            "ShaderNonUniformEXT",
            5301,
        ),
        (OperandKind::MemoryModel, "Vulkan", "VulkanKHR", 3),
        (
            OperandKind::StorageClass,
            "PhysicalStorageBuffer",
            "PhysicalStorageBufferEXT",
            5349,
        ),
        (
            OperandKind::MemoryAccess,
            "NonPrivatePointer",
            "NonPrivatePointerKHR",
            0x20,
        ),
    ];
    for (kind, name, alias, value) in cases {
        let info = kind.enumerant_by_name(alias).unwrap();
        assert_eq!((info.name(), info.value()), (name, value), "{alias}");
        assert!(info.aliases().any(|other| other == alias), "{alias}");
        assert!(
            std::ptr::eq(info, kind.enumerant_by_name(name).unwrap()),
            "{alias}"
        );
    }
    assert_eq!(
        Op::from_name("OpDecorateStringGOOGLE"),
        Op::from_name("OpDecorateString")
    );
    assert_eq!(Op::DecorateString.name(), Some("OpDecorateString"));
    assert_eq!(
        BuiltIn::from_name("SubgroupEqMaskKHR"),
        Some(BuiltIn::SubgroupEqMask)
    );
}

#[test]
fn operands_are_as_the_specification_says() {
    use OperandKind as K;
    use Quantifier::{Many, One, Optional};
    type Operands = &'static [(OperandKind, Quantifier)];
    const TYPED: (K, Quantifier) = (K::IdResultType, One);
    const RESULT: (K, Quantifier) = (K::IdResult, One);
    const ID: (K, Quantifier) = (K::IdRef, One);
    let cases: [(Op, Class, Operands); 16] = [
        (Op::Nop, Class::Miscellaneous, &[]),
        (Op::Undef, Class::Miscellaneous, &[TYPED, RESULT]),
        (
            Op::Source,
            Class::Debug,
            &[
                (K::SourceLanguage, One),
                (K::LiteralInteger, One),
                (K::IdRef, Optional),
                (K::LiteralString, Optional),
            ],
        ),
        (
            Op::MemberName,
            Class::Debug,
            &[ID, (K::LiteralInteger, One), (K::LiteralString, One)],
        ),
        (
            Op::MemoryModel,
            Class::ModeSetting,
            &[(K::AddressingModel, One), (K::MemoryModel, One)],
        ),
        (
            Op::EntryPoint,
            Class::ModeSetting,
            &[
                (K::ExecutionModel, One),
                ID,
                (K::LiteralString, One),
                (K::IdRef, Many),
            ],
        ),
        (
            Op::TypeStruct,
            Class::TypeDeclaration,
            &[RESULT, (K::IdRef, Many)],
        ),
        (
            Op::TypeFloat,
            Class::TypeDeclaration,
            &[RESULT, (K::LiteralInteger, One), (K::FPEncoding, Optional)],
        ),
        (
            Op::Constant,
            Class::ConstantCreation,
            &[TYPED, RESULT, (K::LiteralContextDependentNumber, One)],
        ),
        (
            Op::SpecConstantOp,
            Class::ConstantCreation,
            &[TYPED, RESULT, (K::LiteralSpecConstantOpInteger, One)],
        ),
        (
            Op::ExtInst,
            Class::Extension,
            &[
                TYPED,
                RESULT,
                ID,
                (K::LiteralExtInstInteger, One),
                (K::IdRef, Many),
            ],
        ),
        (
            Op::Variable,
            Class::Memory,
            &[TYPED, RESULT, (K::StorageClass, One), (K::IdRef, Optional)],
        ),
        (
            Op::Store,
            Class::Memory,
            &[ID, ID, (K::MemoryAccess, Optional)],
        ),
        (
            Op::Phi,
            Class::ControlFlow,
            &[TYPED, RESULT, (K::PairIdRefIdRef, Many)],
        ),
        (
            Op::Switch,
            Class::ControlFlow,
            &[ID, ID, (K::PairLiteralIntegerIdRef, Many)],
        ),
        (
            Op::AtomicIIncrement,
            Class::Atomic,
            &[
                TYPED,
                RESULT,
                ID,
                (K::IdScope, One),
                (K::IdMemorySemantics, One),
            ],
        ),
    ];
    for (op, class, expected) in cases {
        let info = op.info().unwrap();
        let found: Vec<_> = info
            .operands()
            .iter()
            .map(|o| (o.kind(), o.quantifier()))
            .collect();
        assert_eq!(found, expected, "{op}");
        assert_eq!(info.class(), class, "{op}");
    }
}

#[test]
fn composites_have_their_parts_in_order() {
    use OperandKind as K;
    let cases = [
        (K::PairLiteralIntegerIdRef, [K::LiteralInteger, K::IdRef]),
        (K::PairIdRefLiteralInteger, [K::IdRef, K::LiteralInteger]),
        (K::PairIdRefIdRef, [K::IdRef, K::IdRef]),
    ];
    for (kind, parts) in cases {
        assert_eq!(kind.category(), Category::Composite);
        assert_eq!(kind.bases(), parts, "{}", kind.name());
    }
}

#[test]
fn kinds_have_names_and_descriptions_in_words() {
    assert_eq!(OperandKind::ExecutionMode.name(), "ExecutionMode");
    assert_eq!(OperandKind::ExecutionMode.description(), "execution mode");
    for kind in OperandKind::all() {
        assert!(
            !kind.name().is_empty() && !kind.description().is_empty(),
            "{kind:?}"
        );
    }
}

#[test]
fn extended_instructions_are_as_their_documents_say() {
    let cases = [
        (ExtInstSet::GlslStd450, "Round", 1, 1),
        (ExtInstSet::GlslStd450, "Sqrt", 31, 1),
        (ExtInstSet::GlslStd450, "FMix", 46, 3),
        (ExtInstSet::OpenClStd, "acos", 0, 1),
        (ExtInstSet::OpenClStd, "fma", 26, 3),
        (ExtInstSet::OpenClStd, "sqrt", 61, 1),
    ];
    for (set, name, number, operands) in cases {
        let info = set.instruction_by_name(name).unwrap();
        assert_eq!(info.number(), number, "{set} {name}");
        assert_eq!(info.operands().len(), operands, "{set} {name}");
        assert!(
            info.operands()
                .iter()
                .all(|operand| operand.kind() == OperandKind::IdRef)
        );
    }
    let printf = ExtInstSet::OpenClStd.instruction_by_name("printf").unwrap();
    assert_eq!(printf.number(), 184);
    assert_eq!(
        printf.operands().last().unwrap().quantifier(),
        Quantifier::Many
    );
}

#[test]
fn import_names_lead_to_their_sets() {
    let cases = [
        ("GLSL.std.450", Some(ExtInstSet::GlslStd450)),
        ("OpenCL.std", Some(ExtInstSet::OpenClStd)),
        ("OpenCL.DebugInfo.100", Some(ExtInstSet::OpenClDebugInfo100)),
        ("DebugInfo", Some(ExtInstSet::DebugInfo)),
        ("SPV_AMD_shader_ballot", Some(ExtInstSet::AmdShaderBallot)),
        ("NonSemantic.DebugPrintf", Some(ExtInstSet::DebugPrintf)),
        // Sets whose names carry a version take any.
        (
            "NonSemantic.ClspvReflection.1",
            Some(ExtInstSet::ClspvReflection),
        ),
        (
            "NonSemantic.ClspvReflection.5",
            Some(ExtInstSet::ClspvReflection),
        ),
        (
            "NonSemantic.ClspvReflection.999",
            Some(ExtInstSet::ClspvReflection),
        ),
        // An exact name goes before a prefix.
        (
            "NonSemantic.Shader.DebugInfo.100",
            Some(ExtInstSet::ShaderDebugInfo100),
        ),
        (
            "NonSemantic.Shader.DebugInfo.101",
            Some(ExtInstSet::ShaderDebugInfo),
        ),
        ("NonSemantic.ClspvReflection", None),
        ("NonSemantic.Nobody.Knows", None),
        ("GLSL.std.450 ", None),
        ("glsl.std.450", None),
        ("GLSL.std.45", None),
        ("", None),
    ];
    for (name, set) in cases {
        assert_eq!(ExtInstSet::from_import_name(name), set, "{name:?}");
    }
}

#[test]
fn non_semantic_sets_are_those_whose_names_say_so() {
    for set in ExtInstSet::all() {
        assert_eq!(
            set.is_non_semantic(),
            set.import_name().starts_with("NonSemantic."),
            "{set}"
        );
    }
    assert!(ExtInstSet::is_non_semantic_name("NonSemantic.Nobody.Knows"));
    assert!(!ExtInstSet::is_non_semantic_name("NonSemantic"));
    assert!(!ExtInstSet::GlslStd450.is_non_semantic());
    assert!(ExtInstSet::DebugPrintf.is_non_semantic());
}

#[test]
fn what_follows_the_result_begins_behind_it() {
    let first = |op: Op| op.first_argument();
    assert_eq!(first(Op::Store), 1);
    assert_eq!(first(Op::TypeInt), 2);
    assert_eq!(first(Op::Load), 3);
    assert_eq!(first(Op(0xffff)), 1);
    for info in Op::all() {
        let op = Op(info.number() as u16);
        let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
        assert_eq!(first(op), 1 + results, "{op}");
        assert!(info.has_result() || !info.has_result_type(), "{op}");
    }
}
