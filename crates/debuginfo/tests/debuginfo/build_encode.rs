//! What the encoder writes for one draft in each set.

use spirvkit_binary::Id;
use spirvkit_debuginfo::build::{Draft, EncodeError, Encoder, Operand};
use spirvkit_debuginfo::{Encoding, Field, Flags, Kind, Set, Tag};
use spirvkit_grammar::Version;
use spirvkit_ir::Module;

fn module(text: &str) -> Module {
    Module::load(&spirvkit_testing::words(text)).unwrap()
}

/// The text, without names that the disassembler makes up.
fn text(module: &Module) -> String {
    module.verify().unwrap();
    let options = spirvkit_text::DisassembleOptions::default()
        .header(false)
        .friendly_names(false)
        .indentation(spirvkit_text::Indentation::None);
    let text = spirvkit_text::disassemble(&module.store(), &options);
    text.unwrap().text
}

#[test]
fn nothing_is_made_twice() {
    let mut m = module(
        r#"
        OpCapability Shader
        OpExtension "SPV_KHR_non_semantic_info"
   %1 = OpExtInstImport "NonSemantic.Shader.DebugInfo.101"
        OpMemoryModel Logical GLSL450
   %2 = OpString "float"
   %3 = OpTypeVoid
   %4 = OpTypeInt 32 0
   %5 = OpConstant %4 32
   %6 = OpExtInst %3 %1 DebugInfoNone
"#,
    );
    let before = text(&m);
    let mut encoder = Encoder::new(&m, Set::Shader);
    let float = Draft::new(Kind::TypeBasic)
        .with(Field::Name, "float")
        .with(Field::Size, 32u32);
    encoder.add(&mut m, None, &float).unwrap();
    encoder.add(&mut m, None, &float).unwrap();
    let member = Draft::new(Kind::TypePtrToMember);
    encoder.add(&mut m, Some(Id(20)), &member).unwrap();
    let expected = format!(
        "{before}%8 = OpConstant %4 0\n\
         %7 = OpExtInst %3 %1 DebugTypeBasic %2 %5 %8 %8\n\
         %9 = OpExtInst %3 %1 DebugTypeBasic %2 %5 %8 %8\n\
         %20 = OpExtInst %3 %1 DebugTypePtrToMember %6 %6\n"
    );
    assert_eq!(text(&m), expected);
    assert!(encoder.left_out().is_empty());
}

#[test]
fn a_set_that_is_not_there_is_imported() {
    for (version, set, extension) in [
        (Version::V1_3, Set::Shader, true),
        (Version::V1_6, Set::Shader, false),
        (Version::V1_3, Set::OpenCl100, false),
        (Version::V1_0, Set::DebugInfo, false),
    ] {
        let mut m = Module::new(version);
        let mut encoder = Encoder::new(&m, set);
        let first = encoder.none(&mut m).unwrap();
        assert_eq!(encoder.none(&mut m).unwrap(), first);
        let text = text(&m);
        assert_eq!(text.contains("SPV_KHR_non_semantic_info"), extension);
        assert!(text.contains(&format!("OpExtInstImport \"{set}\"")));
        assert!(text.contains("= OpTypeVoid"));
        assert_eq!(text.matches("DebugInfoNone").count(), 1);
    }
}

#[test]
fn enumerations_go_by_their_names() {
    let basic = Draft::new(Kind::TypeBasic).with(Field::Encoding, Encoding::UnsignedChar.0);
    for (set, literal) in [(Set::DebugInfo, 8), (Set::OpenCl100, 7)] {
        let mut m = Module::new(Version::V1_0);
        let id = Encoder::new(&m, set).add(&mut m, None, &basic).unwrap();
        let words = m.get(m.definition(id).unwrap()).words().to_vec();
        assert_eq!(words.last(), Some(&literal), "{set}");
    }
    // The first set has no fragments, nor atomic types.
    let fragment = Draft::new(Kind::Operation).with(Field::OpCode, 9u32);
    let mut m = Module::new(Version::V1_0);
    let mut encoder = Encoder::new(&m, Set::DebugInfo);
    let error = encoder.add(&mut m, None, &fragment).unwrap_err();
    assert!(matches!(
        error,
        EncodeError::NoSuchValue {
            kind: Kind::Operation,
            field: Field::OpCode,
            value: 9,
            ..
        }
    ));
}

#[test]
fn what_a_set_lacks_is_reported() {
    let composite = Draft::new(Kind::TypeComposite)
        .with(Field::Tag, Tag::Structure.0)
        .with(Field::LinkageName, "linked")
        .with(
            Field::Flags,
            Flags::FlagIsLocal.0 | Flags::FlagTypePassByValue.0,
        );
    let mut m = Module::new(Version::V1_0);
    let mut encoder = Encoder::new(&m, Set::DebugInfo);
    encoder.add(&mut m, None, &composite).unwrap();
    let left = encoder.left_out();
    let left: Vec<_> = left.iter().map(|it| (it.field, it.flags)).collect();
    let flags = Some(Flags::FlagTypePassByValue.0);
    assert_eq!(left, [(Field::LinkageName, None), (Field::Flags, flags)]);

    let matrix = Draft::new(Kind::TypeMatrix);
    let error = encoder.add(&mut m, None, &matrix).unwrap_err();
    let (set, kind) = (Set::DebugInfo, Kind::TypeMatrix);
    assert_eq!(error, EncodeError::NoSuchKind { set, kind });
    // Only the later versions have this one.
    for (version, is_fine) in [("100", false), ("101", true)] {
        let mut m = Module::new(Version::V1_6);
        let name = format!("NonSemantic.Shader.DebugInfo.{version}");
        let mut encoder = Encoder::with_import_name(&m, Set::Shader, &name);
        let vector = Draft::new(Kind::TypeVectorIdEXT);
        assert_eq!(encoder.add(&mut m, None, &vector).is_ok(), is_fine);
    }
}

#[test]
fn wide_numbers_need_a_type() {
    let draft = Draft::new(Kind::TypeBasic).with(Field::Size, 1u64 << 32);
    let mut m = Module::new(Version::V1_0);
    let mut encoder = Encoder::new(&m, Set::OpenCl100);
    let error = encoder.add(&mut m, None, &draft).unwrap_err();
    assert!(matches!(
        error,
        EncodeError::TooLarge {
            field: Field::Size,
            ..
        }
    ));
    let mut m = module("%1 = OpTypeInt 64 0\n");
    let mut encoder = Encoder::new(&m, Set::OpenCl100);
    encoder.add(&mut m, None, &draft).unwrap();
    assert!(text(&m).contains("OpConstant %1 4294967296"));
    // A literal can't have more than 32 bits at all.
    let line = Draft::new(Kind::LexicalBlock).with(Field::Line, 1u64 << 32);
    assert!(encoder.add(&mut m, None, &line).is_err());
}

#[test]
fn operands_that_do_not_suit_are_refused() {
    let mut m = module("%1 = OpTypeInt 32 0\n%2 = OpConstant %1 7\n%3 = OpConstantTrue %1\n");
    let mut encoder = Encoder::new(&m, Set::OpenCl100);
    let unsuited = |operand: Operand| {
        let draft = Draft::new(Kind::LexicalBlock).with(Field::Line, operand);
        let mut m = m.clone();
        encoder.add(&mut m, None, &draft).is_err()
    };
    let mut unsuited = unsuited;
    assert!(unsuited(Operand::Text("7".to_owned())));
    assert!(unsuited(Operand::List(Vec::new())));
    assert!(unsuited(Operand::Id(Id(3))));
    assert!(!unsuited(Operand::Id(Id(2))));
    let draft = Draft::new(Kind::LexicalBlock).with(Field::Line, Id(2));
    let mut encoder = Encoder::new(&m, Set::OpenCl100);
    let block = encoder.add(&mut m, None, &draft).unwrap();
    let words = m.get(m.definition(block).unwrap()).words();
    assert_eq!(words[6], 7);
}

/// A list: struct node { struct node *next; };
#[test]
fn each_stands_behind_what_it_refers_to() {
    for set in Set::ALL {
        let mut m = Module::new(Version::V1_5);
        let mut encoder = Encoder::new(&m, set);
        let [node, pointer, next, unit, source] = [(); 5].map(|()| m.fresh_id());
        let mut drafts = vec![
            (
                next,
                Draft::new(Kind::TypeMember)
                    .with(Field::Name, "next")
                    .with(Field::Type, pointer)
                    .with(Field::Size, 64u32)
                    .with(Field::Source, source),
            ),
            (
                pointer,
                Draft::new(Kind::TypePointer)
                    .with(Field::BaseType, node)
                    .with(Field::StorageClass, 7u32),
            ),
            (
                node,
                Draft::new(Kind::TypeComposite)
                    .with(Field::Tag, Tag::Structure.0)
                    .with(Field::Source, source)
                    .with(Field::Parent, unit)
                    .with(Field::Size, 64u32)
                    .with(Field::Members, [next].as_slice()),
            ),
            (
                unit,
                Draft::new(Kind::CompilationUnit)
                    .with(Field::Version, 100u32)
                    .with(Field::DwarfVersion, 4u32)
                    .with(Field::Language, 2u32)
                    .with(Field::Source, source),
            ),
        ];
        if set == Set::Shader {
            let draft = Draft::new(Kind::Source).with(Field::File, "list.c");
            drafts.push((source, draft));
        } else {
            drafts[0].1.set(Field::Parent, node);
            match set {
                Set::OpenCl100 => {
                    let draft = Draft::new(Kind::Source).with(Field::File, "list.c");
                    drafts.push((source, draft));
                }
                _ => {
                    let file = encoder.text(&mut m, "list.c").unwrap();
                    for (_, draft) in &mut drafts {
                        draft.set(Field::Source, file);
                    }
                }
            }
        }
        encoder.add_all(&mut m, &drafts).unwrap();
        let text = text(&m);
        let is_relaxed = text.contains("SPV_KHR_relaxed_extended_instruction");
        assert_eq!(is_relaxed, set == Set::Shader, "{text}");
        let later = text.matches("OpExtInstWithForwardRefsKHR").count();
        assert_eq!(later, usize::from(set == Set::Shader), "{text}");
        let at = |kind: &str| text.find(kind).unwrap();
        if set != Set::Shader {
            // Only the members of a composite may be defined behind it.
            assert!(at("DebugTypeComposite") < at("DebugTypePointer"));
            assert!(at("DebugTypePointer") < at("DebugTypeMember"));
        }
        assert!(at("DebugCompilationUnit") < at("DebugTypeComposite"));
    }
}

#[test]
fn a_chain_of_any_length_is_ordered() {
    let mut m = Module::new(Version::V1_5);
    let ids: Vec<Id> = (0..100_000).map(|_| m.fresh_id()).collect();
    // Each names the next.
    let drafts = ids.windows(2).map(|pair| {
        let draft = Draft::new(Kind::TypePointer).with(Field::BaseType, pair[1]);
        (pair[0], draft)
    });
    let mut drafts: Vec<_> = drafts.collect();
    drafts.push((ids[99_999], Draft::new(Kind::TypeBasic)));
    let mut encoder = Encoder::new(&m, Set::Shader);
    encoder.add_all(&mut m, &drafts).unwrap();
    let later = |inst| m.op(inst) == spirvkit_grammar::Op::ExtInstWithForwardRefsKHR;
    assert!(!m.instructions().any(later));
}
