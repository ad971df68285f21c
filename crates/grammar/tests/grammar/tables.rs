//! Every row of the tables can be found again, by its number and by each of its
//! names.

use std::collections::HashSet;

use spirvkit_grammar::{Category, ExtInstSet, Op, OperandInfo, OperandKind, Quantifier};

#[test]
fn every_instruction_is_found_by_its_opcode_and_by_its_names() {
    assert!(Op::all().len() > 800);
    for info in Op::all() {
        let op = Op(u16::try_from(info.number()).unwrap());
        assert!(std::ptr::eq(op.info().unwrap(), info), "{}", info.name());
        assert_eq!(op.name(), Some(info.name()));
        assert_eq!(op.to_string(), info.name());
        for name in [info.name()].into_iter().chain(info.aliases()) {
            assert_eq!(Op::from_name(name), Some(op), "{name}");
            let bare = name
                .strip_prefix("Op")
                .expect("an opcode's name starts with Op");
            assert_eq!(Op::from_bare_name(bare), Some(op), "{name}");
            // Each form of look-up takes its own form of the name only.
            assert_eq!(Op::from_name(bare), None, "{bare}");
            assert_eq!(Op::from_bare_name(name), None, "{name}");
        }
    }
}

#[test]
fn every_opcode_is_a_row_or_unknown() {
    let assigned: HashSet<u32> = Op::all().iter().map(|info| info.number()).collect();
    assert_eq!(assigned.len(), Op::all().len(), "two rows have one opcode");
    assert_eq!(Op::COUNT, Op::all().len());
    for opcode in 0..=u16::MAX {
        let info = Op(opcode).info();
        assert_eq!(
            info.is_some(),
            assigned.contains(&opcode.into()),
            "{opcode}"
        );
        let by_index = Op(opcode).index().map(|index| Op::all()[index].number());
        assert_eq!(by_index, info.map(|info| info.number()), "{opcode}");
        assert!(
            info.is_none_or(|info| info.number() == u32::from(opcode)),
            "{opcode}"
        );
    }
}

#[test]
fn instructions_are_sorted_by_opcode() {
    assert!(Op::all().is_sorted_by(|a, b| a.number() < b.number()));
}

#[test]
fn bare_names_are_the_names_and_aliases_of_all_opcodes() {
    let mut expected: Vec<&str> = Op::all()
        .iter()
        .flat_map(|info| [info.name()].into_iter().chain(info.aliases()))
        .map(|name| &name[2..])
        .collect();
    let mut found: Vec<&str> = Op::bare_names().collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert!(
        found.windows(2).all(|pair| pair[0] != pair[1]),
        "a name stands for two opcodes"
    );
}

#[test]
fn every_enumerant_is_found_by_its_value_and_by_its_names() {
    for kind in OperandKind::all() {
        for info in kind.enumerants() {
            let found = kind.enumerant(info.value()).unwrap();
            assert!(std::ptr::eq(found, info), "{} {}", kind.name(), info.name());
            for name in [info.name()].into_iter().chain(info.aliases()) {
                let found = kind.enumerant_by_name(name).unwrap();
                assert!(std::ptr::eq(found, info), "{} {name}", kind.name());
            }
        }
        let values: HashSet<u32> = kind.enumerants().iter().map(|info| info.value()).collect();
        assert_eq!(values.len(), kind.enumerants().len(), "{}", kind.name());
        for value in (0..=8192)
            .chain((13..32).map(|bit| 1 << bit))
            .chain([u32::MAX, 0x7fff_ffff])
        {
            let known = kind.enumerant(value).is_some();
            assert_eq!(known, values.contains(&value), "{} {value}", kind.name());
        }
        assert!(
            kind.enumerants().is_sorted_by(|a, b| a.value() < b.value()),
            "{}",
            kind.name()
        );
    }
}

#[test]
fn enumerant_names_are_those_of_the_kind_alone() {
    for kind in OperandKind::all() {
        let mut expected: Vec<&str> = kind
            .enumerants()
            .iter()
            .flat_map(|info| [info.name()].into_iter().chain(info.aliases()))
            .collect();
        let mut found: Vec<&str> = kind.enumerant_names().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", kind.name());
    }
}

#[test]
fn only_enumerations_have_enumerants_and_only_composites_have_parts() {
    for kind in OperandKind::all() {
        let is_enum = matches!(kind.category(), Category::ValueEnum | Category::BitEnum);
        assert_eq!(!kind.enumerants().is_empty(), is_enum, "{}", kind.name());
        let is_composite = kind.category() == Category::Composite;
        assert_eq!(!kind.bases().is_empty(), is_composite, "{}", kind.name());
    }
}

#[test]
fn masks_name_single_bits() {
    for kind in OperandKind::all().filter(|kind| kind.category() == Category::BitEnum) {
        for info in kind.enumerants() {
            let name = info.name();
            // In DebugInfo and OpenCL.DebugInfo.100, "public" is both of the others.
            let expected = if name == "FlagIsPublic" { 2 } else { 1 };
            let bits = info.value().count_ones();
            assert!(
                bits == expected || info.value() == 0,
                "{} {name}",
                kind.name()
            );
        }
    }
}

#[test]
fn every_extended_instruction_is_found_by_its_number_and_by_its_names() {
    for set in ExtInstSet::all() {
        assert!(!set.instructions().is_empty(), "{set}");
        for info in set.instructions() {
            let found = set.instruction(info.number()).unwrap();
            assert!(std::ptr::eq(found, info), "{set} {}", info.name());
            for name in [info.name()].into_iter().chain(info.aliases()) {
                let found = set.instruction_by_name(name).unwrap();
                assert!(std::ptr::eq(found, info), "{set} {name}");
            }
            assert!(
                !info.has_result() && !info.has_result_type(),
                "{set} {}",
                info.name()
            );
        }
        let numbers: HashSet<u32> = set
            .instructions()
            .iter()
            .map(|info| info.number())
            .collect();
        assert_eq!(numbers.len(), set.instructions().len(), "{set}");
        for number in (0..=6000).chain([65_535, 65_536, u32::MAX]) {
            let known = set.instruction(number).is_some();
            assert_eq!(known, numbers.contains(&number), "{set} {number}");
        }
        assert!(set.instruction_by_name("NoSuchInstruction").is_none());
    }
}

#[test]
fn every_set_is_found_by_its_import_name() {
    for set in ExtInstSet::all() {
        let name = match set.is_versioned() {
            true => format!("{}7", set.import_name()),
            false => set.import_name().to_owned(),
        };
        assert_eq!(ExtInstSet::from_import_name(&name), Some(set), "{name}");
        assert_eq!(set.to_string(), set.import_name());
    }
}

#[test]
fn results_are_the_first_operands_and_the_flags_agree_with_them() {
    for info in Op::all() {
        let kinds: Vec<OperandKind> = info.operands().iter().map(OperandInfo::kind).collect();
        let ty = kinds
            .iter()
            .position(|kind| *kind == OperandKind::IdResultType);
        let result = kinds.iter().position(|kind| *kind == OperandKind::IdResult);
        assert_eq!(info.has_result_type(), ty.is_some(), "{}", info.name());
        assert_eq!(info.has_result(), result.is_some(), "{}", info.name());
        assert!(ty.is_none_or(|at| at == 0), "{}", info.name());
        assert!(
            result.is_none_or(|at| at == usize::from(ty.is_some())),
            "{}",
            info.name()
        );
    }
}

#[test]
fn ids_say_that_they_are() {
    let core = Op::all().iter().flat_map(|info| info.operands());
    let sets = ExtInstSet::all()
        .flat_map(|set| set.instructions())
        .flat_map(|info| info.operands());
    let parameters = OperandKind::all()
        .flat_map(|kind| kind.enumerants())
        .flat_map(|info| info.parameters());
    for operand in core.chain(sets).chain(parameters) {
        assert_eq!(
            operand.is_id(),
            operand.kind().category() == Category::Id,
            "{operand:?}"
        );
    }
}

#[test]
fn nothing_required_follows_something_repeated() {
    for info in Op::all() {
        let after = info
            .operands()
            .iter()
            .skip_while(|operand| operand.quantifier() == Quantifier::One)
            .find(|operand| operand.quantifier() == Quantifier::One);
        assert!(after.is_none(), "{}: {after:?}", info.name());
    }
}

#[test]
fn names_that_do_not_exist_are_not_found() {
    for name in [
        "", "Op", "OpNope", "opload", "OPLOAD", "OpLoad ", "Load", "OpOpLoad", "OpLoadé",
    ] {
        assert_eq!(Op::from_name(name), None, "{name}");
    }
    for name in ["", "shader", "Shader ", "Simple", "OpLoad"] {
        assert!(
            OperandKind::Capability.enumerant_by_name(name).is_none(),
            "{name}"
        );
    }
    // A name belongs to one kind: `Input` is a storage class and no capability.
    assert!(
        OperandKind::StorageClass
            .enumerant_by_name("Input")
            .is_some()
    );
    assert!(OperandKind::Capability.enumerant_by_name("Input").is_none());
    assert!(OperandKind::IdRef.enumerant_by_name("Input").is_none());
    assert!(OperandKind::IdRef.enumerant(0).is_none());
}
