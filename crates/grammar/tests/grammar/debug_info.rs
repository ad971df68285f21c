//! What stands in the fields of debugging instructions.

use spirvkit_grammar::Quantifier;
use spirvkit_grammar::debug_info::{Field, Kind, Kinds, Requirement, Role, Set, Slot};

/// Every field of every instruction of every set.
fn slots() -> impl Iterator<Item = (Set, Kind, &'static Slot)> {
    Set::ALL.into_iter().flat_map(|set| {
        let kinds = Kind::ALL.iter().copied();
        kinds.flat_map(move |kind| {
            let slots = set.fields(kind).unwrap_or_default().iter();
            slots.map(move |slot| (set, kind, slot))
        })
    })
}

#[test]
fn what_a_set_writes_as_a_literal_is_a_number() {
    for (set, kind, slot) in slots() {
        let field = slot.field();
        let (requirement, role) = (set.requirement(kind, field), kind.role(field));
        if slot.is_literal() || field.is_number() {
            assert!(requirement.is_number(), "{set}, {kind:?}, {field:?}");
            assert_eq!(role, Role::Number, "{set}, {kind:?}, {field:?}");
        }
        assert!(
            slot.values().is_none() || requirement == Requirement::Number,
            "{set}, {kind:?}, {field:?}"
        );
    }
}

#[test]
fn the_role_follows_from_what_is_required_in_each_set() {
    for (set, kind, slot) in slots() {
        use Requirement::*;
        let field = slot.field();
        let requirement = set.requirement(kind, field);
        let fits = match kind.role(field) {
            Role::Text => requirement == Text,
            Role::Number => requirement.is_number(),
            Role::Bits => matches!(requirement, Integer | PositiveInteger | SpecInteger),
            Role::Constant => {
                matches!(requirement, Constant | SpecConstant | Integer | SpecInteger)
            }
            Role::Source => match (set, requirement) {
                (Set::DebugInfo, requirement) => requirement == Text,
                (_, Debug(kinds) | TextOr(kinds)) => kinds.iter().eq([Kind::Source]),
                _ => false,
            },
            Role::Scope => matches!(
                requirement,
                Debug(Kinds::SCOPES | Kinds::SCOPES_AND_DISCRIMINATORS)
            ),
            Role::Composite => match requirement {
                Debug(kinds) => kinds.iter().eq([Kind::TypeComposite]),
                requirement => requirement == ClassOrStructure,
            },
            Role::Type | Role::TypeOrParameter => {
                let is_type = |kind: Kind| kind.name().contains("Type");
                matches!(requirement, Debug(kinds) if kinds.iter().all(is_type))
            }
            Role::FunctionType => {
                matches!(requirement, Debug(kinds) if kinds.iter().eq([Kind::TypeFunction]))
            }
            Role::Result => matches!(requirement, DebugOrVoid(_)),
            Role::Function => requirement == Function,
            _ => !requirement.is_number() && requirement != Text,
        };
        assert!(fits, "{set}, {kind:?}, {field:?}: {requirement:?}");
    }
}

#[test]
fn an_instruction_requires_what_the_set_has() {
    for (set, kind, slot) in slots() {
        use Requirement::*;
        let (field, name) = (slot.field(), slot.field().name());
        let requirement = set.requirement(kind, field);
        if let Debug(kinds) | DebugOrVoid(kinds) = requirement {
            let has_some = kinds.iter().any(|kind| set.fields(kind).is_some());
            assert!(has_some, "{set}, {kind:?}, {name}");
        }
        assert!(
            requirement != Enumerators || slot.quantifier() == Quantifier::Many,
            "{set}, {kind:?}, {name}"
        );
    }
}

#[test]
fn types_and_sources_stand_where_their_names_say() {
    for (_, kind, slot) in slots() {
        let field = slot.field();
        let role = kind.role(field);
        let is_type = matches!(
            role,
            Role::Type | Role::TypeOrParameter | Role::FunctionType | Role::Result
        );
        let name = field.name();
        assert!(!is_type || name.contains("Type"), "{kind:?}, {name}");
        assert_eq!(
            role == Role::Source,
            field == Field::Source,
            "{kind:?}, {name}"
        );
        let is_name = name.ends_with("Name") || matches!(field, Field::Text | Field::Path);
        assert!(!is_name || role == Role::Text, "{kind:?}, {name}");
    }
}

#[test]
fn one_field_has_different_roles_in_different_instructions() {
    for (kind, field, role) in [
        (Kind::MacroDef, Field::Value, Role::Text),
        (Kind::TypeMember, Field::Value, Role::Constant),
        (Kind::Value, Field::Value, Role::Any),
        (Kind::TypeMember, Field::Parent, Role::Composite),
        (Kind::Function, Field::Parent, Role::Scope),
        (Kind::Function, Field::Type, Role::FunctionType),
        (Kind::GlobalVariable, Field::Type, Role::Type),
        (Kind::LocalVariable, Field::Type, Role::TypeOrParameter),
        (Kind::InlinedAt, Field::Scope, Role::Scope),
        (Kind::TypeCooperativeMatrixKHR, Field::Scope, Role::Number),
    ] {
        assert_eq!(kind.role(field), role, "{kind:?}, {field:?}");
    }
}

#[test]
fn sets_differ_in_what_they_require() {
    use Requirement::*;
    let length = (Kind::TypeArray, Field::ComponentCounts);
    let value = (Kind::TypeMember, Field::Value);
    let size = (Kind::TypeMember, Field::Size);
    let of_basic = (Kind::TypeBasic, Field::Size);
    let scope = (Kind::LexicalBlock, Field::Parent);
    let discriminators = Debug(Kinds::SCOPES_AND_DISCRIMINATORS);
    let scopes = Debug(Kinds::SCOPES);
    let of_variables = IntegerOr(Kinds::VARIABLES);
    for ((kind, field), expected) in [
        (length, [of_variables, FixedLength, Length]),
        (value, [SpecConstant, Constant, SpecConstant]),
        (size, [Integer, Integer, SpecInteger]),
        (of_basic, [Integer, Integer, Integer]),
        (scope, [discriminators, scopes, scopes]),
    ] {
        let found = Set::ALL.map(|set| set.requirement(kind, field));
        assert_eq!(found, expected, "{kind:?}, {field:?}");
    }
}

#[test]
fn enumerators_are_numbers_and_names_in_turn() {
    let turns = [0, 1, 2, 3].map(|place| Requirement::Enumerators.at(place));
    let [number, name] = [Requirement::Integer, Requirement::Text];
    assert_eq!(turns, [number, name, number, name]);
    assert_eq!(Requirement::Length.at(1), Requirement::Length);
}
