//! Removing debugging instructions, one at a time: what is left is a valid module.

use crate::common::{SAMPLES, Sample};
use spirvkit_binary::{Header, Id};
use spirvkit_debuginfo::{DebugInfo, Field, Kind, RemoveError, Set, remove, remove_each};
use spirvkit_ir::Module;

/// What the validator says, by the rules of the version that the module is.
fn errors(words: &[u32]) -> Vec<String> {
    let version = Header::from_words(words).unwrap().version;
    let env = format!("spv{}.{}", version.major, version.minor);
    let options = spirvkit_validate::Options::for_env(env.parse().unwrap()).max_errors(usize::MAX);
    let report = spirvkit_validate::validate(words, &options);
    let messages = report.diagnostics().iter();
    messages.map(|it| it.message().to_owned()).collect()
}

fn text(words: &[u32]) -> String {
    let options = spirvkit_text::DisassembleOptions::default().friendly_names(false);
    spirvkit_text::disassemble(words, &options).unwrap().text
}

/// The debugging instructions of a module.
fn all(words: &[u32]) -> Vec<(Id, Kind)> {
    let info = DebugInfo::read(words).unwrap();
    info.entries().map(|it| (it.id(), it.kind())).collect()
}

fn without(words: &[u32], ids: &[Id]) -> Vec<u32> {
    let mut module = Module::load(words).unwrap();
    remove_each(&mut module, ids).unwrap();
    module.verify().unwrap();
    module.store()
}

#[test]
fn after_the_removal_of_any_one_the_module_is_valid() {
    for (set, sample) in SAMPLES {
        let words = spirvkit_testing::words(sample);
        assert_eq!(errors(&words), [""; 0], "{set}");
        for (id, kind) in all(&words) {
            let mut module = Module::load(&words).unwrap();
            let removed = match remove(&mut module, id) {
                Err(RemoveError::InUse(none)) => {
                    assert_eq!((none, kind), (id, Kind::InfoNone));
                    assert_eq!(module.store(), words);
                    continue;
                }
                other => other.unwrap(),
            };
            module.verify().unwrap();
            let left = module.store();
            let what = format!("without {kind:?} {id} of {set}");
            assert_eq!(errors(&left), [""; 0], "{what}\n{}", text(&left));
            assert_eq!(removed.instructions[0], (id, kind));
            assert!(all(&left).iter().all(|(left, _)| *left != id), "{what}");
            // In the first set, nothing else goes.
            if set == Set::DebugInfo {
                assert_eq!(removed.instructions.len(), 1, "{what}");
            }
            // All that is no debug information stays.
            let others = |words: &[u32]| {
                let info = DebugInfo::read(words).unwrap();
                let others = info
                    .instructions()
                    .filter(|it| info.entry_starting_at(it.offset()).is_none())
                    .filter(|it| !it.op().is_line());
                others.map(|it| it.words().to_vec()).collect::<Vec<_>>()
            };
            assert_eq!(others(&left), others(&words), "{what}");
        }
    }
}

#[test]
fn removing_one_after_the_other_leaves_a_valid_module() {
    for (set, sample) in SAMPLES {
        let words = spirvkit_testing::words(sample);
        let ids = all(&words);
        // From the front, from the back, and every third first.
        let mut shuffled: Vec<_> = (0..3)
            .flat_map(|start| ids.iter().skip(start).step_by(3))
            .collect();
        let front: Vec<_> = ids.iter().collect();
        let back: Vec<_> = ids.iter().rev().collect();
        for order in [front, back, std::mem::take(&mut shuffled)] {
            let mut module = Module::load(&words).unwrap();
            for &&(id, kind) in &order {
                match remove(&mut module, id) {
                    // It went with another.
                    Err(RemoveError::NotDebugInfo(_)) => continue,
                    Err(RemoveError::InUse(_)) if kind == Kind::InfoNone => continue,
                    other => drop(other.unwrap()),
                }
                module.verify().unwrap();
                let left = module.store();
                assert_eq!(
                    errors(&left),
                    [""; 0],
                    "{kind:?} {id} of {set}\n{}",
                    text(&left)
                );
            }
        }
    }
}

#[test]
fn all_at_once_is_as_good() {
    for (set, sample) in SAMPLES {
        let words = spirvkit_testing::words(sample);
        let ids: Vec<Id> = all(&words).into_iter().map(|(id, _)| id).collect();
        let mut module = Module::load(&words).unwrap();
        remove_each(&mut module, &ids).unwrap();
        module.verify().unwrap();
        let left = module.store();
        assert_eq!(errors(&left), [""; 0], "{set}");
        assert_eq!(all(&left), [], "{set}");
    }
}

#[test]
fn only_debugging_instructions_are_removed() {
    for (_, sample) in SAMPLES {
        let sample = Sample::new(sample);
        let mut module = Module::load(&sample.words).unwrap();
        for id in [sample.id("void"), sample.id("int"), Id(0), Id(30_000)] {
            let error = remove(&mut module, id).unwrap_err();
            assert_eq!(error, RemoveError::NotDebugInfo(id));
        }
        assert_eq!(module.store(), sample.words);
    }
}

#[test]
fn in_the_first_set_none_takes_every_place() {
    let sample = Sample::new(SAMPLES[0].1);
    let words = without(&sample.words, &[sample.id("d_int")]);
    let info = DebugInfo::read(&words).unwrap();
    let none = info.of_kind(Kind::InfoNone).next().unwrap();
    // It stands before those that name it.
    assert_eq!(info.entries().next(), Some(none));
    for name in ["d_ptr", "d_const", "d_array"] {
        let entry = info.entry(sample.id(name)).unwrap();
        assert_eq!(entry.id_of(Field::BaseType), Some(none.id()), "{name}");
        assert!(entry.base_type().is_none());
    }
    let count = info.of_kind(Kind::InfoNone).count();
    assert_eq!(count, 1);
}

#[test]
fn what_was_in_a_block_is_in_the_function_then() {
    for (set, sample) in &SAMPLES[1..] {
        let sample = Sample::new(sample);
        let blocks = [sample.id("d_block"), sample.id("d_discr")];
        for asked in [&blocks[..1], &blocks[..]] {
            let words = without(&sample.words, asked);
            let info = DebugInfo::read(&words).unwrap();
            let y = info.entry(sample.id("d_y")).unwrap();
            assert_eq!(y.parent().unwrap().id(), sample.id("d_function"), "{set}");
        }
    }
}

#[test]
fn no_instruction_comes_into_another_scope() {
    for (set, sample) in SAMPLES {
        let sample = Sample::new(sample);
        let before = {
            let info = sample.info();
            let sum = info.definition(sample.id("sum")).unwrap();
            info.scope(sum.offset()).unwrap().scope.id()
        };
        assert_eq!(before, sample.id("d_helper"), "{set}");
        // The scope before it in the block must not come to hold for it.
        let words = without(&sample.words, &[sample.id("inside")]);
        let info = DebugInfo::read(&words).unwrap();
        let sum = info.definition(sample.id("sum")).unwrap();
        let scopes = info.entries().filter(|it| it.offset() < sum.offset());
        let last = scopes
            .filter(|it| matches!(it.kind(), Kind::Scope | Kind::NoScope))
            .last();
        assert_eq!(last.unwrap().kind(), Kind::NoScope, "{set}");
    }
}

#[test]
fn members_leave_their_composite() {
    for (set, sample) in &SAMPLES[1..] {
        let sample = Sample::new(sample);
        let words = without(&sample.words, &[sample.id("d_mass")]);
        let info = DebugInfo::read(&words).unwrap();
        let body = info.entry(sample.id("d_body")).unwrap();
        let members: Vec<Id> = body.members().map(|it| it.id()).collect();
        let mut expected = vec![sample.id("d_inherit"), sample.id("d_static")];
        // In whichever order the sample has them.
        expected.retain(|id| members.contains(id));
        assert_eq!(members, expected, "{set}");
        assert!(members.len() == 2, "{set}");
    }
}

const TEXTS: &str = r#"
               OpCapability Shader
               OpCapability Linkage
               OpExtension "SPV_KHR_non_semantic_info"
          %1 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
               OpMemoryModel Logical GLSL450
          %2 = OpString "a.glsl"
          %3 = OpString "b.glsl"
          %4 = OpString "one
"
          %5 = OpTypeVoid
         %10 = OpExtInst %5 %1 DebugSource %2 %4
         %11 = OpExtInst %5 %1 DebugSourceContinued %4
         %12 = OpExtInst %5 %1 DebugSourceContinued %4
         %20 = OpExtInst %5 %1 DebugSource %3 %4
         %21 = OpExtInst %5 %1 DebugSourceContinued %4
"#;

#[test]
fn texts_are_there_as_a_whole_or_not_at_all() {
    let words = spirvkit_testing::words(TEXTS);
    let texts = |asked: u32| {
        let words = without(&words, &[Id(asked)]);
        let info = DebugInfo::read(&words).unwrap();
        let files = info
            .files()
            .map(|(id, file)| (file.name().to_owned(), info.text_of(id)));
        files.collect::<Vec<_>>()
    };
    let a = |text: Option<&str>| ("a.glsl".to_owned(), text.map(str::to_owned));
    let b = |text: Option<&str>| ("b.glsl".to_owned(), text.map(str::to_owned));
    let (three, two) = (Some("one\none\none\n"), Some("one\none\n"));
    assert_eq!(texts(11), [a(None), b(two)]);
    assert_eq!(texts(12), [a(None), b(two)]);
    assert_eq!(texts(21), [a(three), b(None)]);
    // What continued a source must not continue the one before it.
    assert_eq!(texts(20), [a(three)]);
}

const FORWARD: &str = r#"
               OpCapability Shader
               OpCapability Linkage
               OpExtension "SPV_KHR_non_semantic_info"
               OpExtension "SPV_KHR_relaxed_extended_instruction"
          %1 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
               OpMemoryModel Logical GLSL450
          %2 = OpString "a.glsl"
               OpName %12 "pointer"
               OpName %11 "member"
          %3 = OpTypeVoid
          %4 = OpTypeInt 32 0
          %5 = OpConstant %4 0
          %6 = OpConstant %4 1
          %7 = OpConstant %4 64
          %8 = OpExtInst %3 %1 DebugSource %2
          %9 = OpExtInst %3 %1 DebugCompilationUnit %6 %6 %8 %6
         %10 = OpExtInstWithForwardRefsKHR %3 %1 DebugTypeComposite %2 %6 %8 %6 %6 %9 %2 %7 %5 %11
         %12 = OpExtInst %3 %1 DebugTypePointer %10 %6 %5
         %11 = OpExtInst %3 %1 DebugTypeMember %2 %12 %8 %6 %6 %5 %7 %5
"#;

#[test]
fn what_refers_to_nothing_later_any_more_is_an_ordinary_instruction() {
    let words = spirvkit_testing::words(FORWARD);
    assert_eq!(errors(&words), [""; 0]);
    let left = without(&words, &[Id(11)]);
    assert_eq!(errors(&left), [""; 0], "{}", text(&left));
    assert!(!text(&left).contains("OpExtInstWithForwardRefsKHR"));
    // Its name went with it.
    assert!(!text(&left).contains("OpName %11"));
    assert!(text(&left).contains("OpName %12"));
    // The pointer takes the member with it, and leaves the composite.
    let left = without(&words, &[Id(12)]);
    assert_eq!(errors(&left), [""; 0], "{}", text(&left));
    let kinds: Vec<Kind> = all(&left).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(
        kinds,
        [Kind::Source, Kind::CompilationUnit, Kind::TypeComposite]
    );
}

/// A type that 30,000 pointers, each to the one before, are made of, and blocks within
/// blocks.
#[test]
fn however_much_depends_on_it_the_time_grows_linearly() {
    use spirvkit_debuginfo::build::{Draft, Encoder};
    for set in [Set::OpenCl100, Set::DebugInfo, Set::Shader] {
        let mut module = Module::new(spirvkit_grammar::Version::V1_6);
        let mut encoder = Encoder::new(&module, set);
        let basic = Draft::new(Kind::TypeBasic).with(Field::Size, 32u32);
        let basic = encoder.add(&mut module, None, &basic).unwrap();
        let mut last = basic;
        for _ in 0..30_000 {
            let pointer = Draft::new(Kind::TypePointer).with(Field::BaseType, last);
            last = encoder.add(&mut module, None, &pointer).unwrap();
        }
        let unit = encoder
            .add(&mut module, None, &Draft::new(Kind::CompilationUnit))
            .unwrap();
        let mut blocks = Vec::new();
        let mut around = unit;
        for _ in 0..30_000 {
            let block = Draft::new(Kind::LexicalBlock).with(Field::Parent, around);
            around = encoder.add(&mut module, None, &block).unwrap();
            blocks.push(around);
        }
        let variable = Draft::new(Kind::LocalVariable)
            .with(Field::Type, basic)
            .with(Field::Parent, around);
        let variable = encoder.add(&mut module, None, &variable).unwrap();
        let mut other = module.clone();
        let removed = remove(&mut other, basic).unwrap();
        let expected = if set == Set::DebugInfo { 1 } else { 30_002 };
        assert_eq!(removed.instructions.len(), expected);
        remove_each(&mut module, &blocks).unwrap();
        let words = module.store();
        let info = DebugInfo::read(&words).unwrap();
        let parent = info.entry(variable).unwrap().parent().map(|it| it.id());
        let expected = (set != Set::DebugInfo).then_some(unit);
        assert_eq!(parent, expected);
    }
}

/// The modules of real compilers.
fn fixtures() -> Vec<(String, Vec<u32>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut modules: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "spv"))
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let (words, _) = bytes.as_chunks::<4>();
            let words = words.iter().map(|word| u32::from_le_bytes(*word));
            (path.display().to_string(), words.collect())
        })
        .collect();
    modules.sort();
    modules
}

#[test]
fn the_whole_set_goes_without_a_trace() {
    use spirvkit_transform::{Strip, strip};
    let samples = SAMPLES.map(|(set, text)| (set.to_string(), spirvkit_testing::words(text)));
    for (name, words) in samples.into_iter().chain(fixtures()) {
        assert!(!all(&words).is_empty(), "{name}");
        let mut module = Module::load(&words).unwrap();
        let options = Strip::default().debug_info(true);
        strip(&mut module, &options);
        module.verify().unwrap();
        let left = module.store();
        assert_eq!(all(&left), [], "{name}");
        // Some have errors of their own.
        let before = errors(&words);
        let after = errors(&left);
        assert!(
            after.iter().all(|it| before.contains(it)),
            "{name}: {after:#?}"
        );
        assert_eq!(DebugInfo::read(&left).unwrap().sets().count(), 0, "{name}");
        let text = text(&left);
        assert!(!text.contains("SPV_KHR_non_semantic_info"), "{name}");
    }
}

/// Real producers write what the validator refuses, `DebugInfoNone` where it may not
/// stand, so it is only asked that nothing gets worse.
#[test]
fn modules_of_real_compilers_get_no_worse() {
    for (name, words) in fixtures() {
        let before = errors(&words).len();
        let ids = all(&words);
        for &(id, kind) in ids.iter().step_by(ids.len().div_ceil(10)) {
            let mut module = Module::load(&words).unwrap();
            if remove(&mut module, id).is_err() {
                continue;
            }
            module.verify().unwrap();
            let after = errors(&module.store());
            assert!(
                after.len() <= before,
                "{name} without {kind:?} {id}: {after:#?}"
            );
        }
    }
}
