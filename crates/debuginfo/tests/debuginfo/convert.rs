//! Conversion: every instruction of each set to each other set and back again.

use crate::common;

use std::collections::BTreeSet;

use common::{SAMPLES, Sample};
use spirvkit_binary::{Id, Module as Borrowed, WordOffset};
use spirvkit_debuginfo::convert::{Conversion, Effect, Options, convert, describe};
use spirvkit_debuginfo::{DebugInfo, Entry, Field, Kind, Set};
use spirvkit_grammar::{Op, Quantifier};
use spirvkit_ir::Module;

/// More of what only some sets can say, put behind the samples' own instructions.
const MORE_SHADER: &str = r#"
  %d_layout = OpExtInst %void %set DebugTypeBasic %s_int %bits %u4 %flag17
   %d_long8 = OpExtInst %void %set DebugTypeVectorIdEXT %d_float %u8
  %d_atomic = OpExtInst %void %set DebugTypeQualifier %d_int %u3
%d_p_atomic = OpExtInst %void %set DebugTypePointer %d_atomic %u6 %u0
 %d_runtime = OpExtInst %void %set DebugTypeArray %d_int %u0
%d_fragment = OpExtInst %void %set DebugOperation %u9 %u0 %u16
  %d_pieces = OpExtInst %void %set DebugExpression %d_fragment
    %d_enum = OpExtInst %void %set DebugTypeEnum %s_phase %none %source %u3 %u6 %unit %bits %flag14 %bits0 %s_idle
      %main = OpFunction"#;

fn words_of(set: Set, text: &str) -> Sample {
    let mut text = text.to_owned();
    if set == Set::Shader {
        text = text.replacen(
            "      %main = OpFunction",
            MORE_SHADER.trim_start_matches('\n'),
            1,
        );
        text = text.replacen(
            "       %bool = OpTypeBool",
            "     %flag17 = OpConstant %int 0x20000\n     %flag14 = OpConstant %int 0x4000\n       %bool = OpTypeBool",
            1,
        );
    }
    Sample::new(&text)
}

fn read(words: &[u32]) -> DebugInfo<'_> {
    DebugInfo::read(words).expect("a header")
}

fn converted(words: &[u32], to: Set) -> (Vec<u32>, Conversion) {
    let mut module = Module::load(words).expect("a module");
    let conversion = convert(&mut module, to, &Options::default()).expect("a conversion");
    module.verify().expect("tables that agree");
    let words = module.store();
    let report = spirvkit_validate::validate(&words, &spirvkit_validate::Options::default());
    let first = report.diagnostics().first().map(|it| it.message());
    assert!(report.is_valid(), "to {to}: {first:?}");
    (words, conversion)
}

/// What stands in a field, without regard to how the set writes it.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Number(u64),
    Text(String),
    Ids(Vec<Id>),
}

/// Kinds that are something else in other sets, and are compared by what they mean.
fn is_said_elsewhere(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::InfoNone
            | Kind::Source
            | Kind::SourceContinued
            | Kind::Line
            | Kind::NoLine
            | Kind::FunctionDefinition
    )
}

fn said(info: &DebugInfo<'_>, entry: Entry<'_>, field: Field) -> Said {
    let slot = entry.slots().iter().find(|slot| slot.field() == field);
    let Some(slot) = slot else {
        // What the set says in another way.
        let member = |composite: &Entry<'_>| composite.list(Field::Members).contains(&entry.id().0);
        return match (entry.kind(), field) {
            (Kind::TypeMember, Field::Parent) | (Kind::TypeInheritance, Field::Child) => {
                let composite = info.of_kind(Kind::TypeComposite).find(member);
                Said::Ids(composite.map(|it| it.id()).into_iter().collect())
            }
            (Kind::Function, Field::Function) => {
                let function = info.function_of(entry).map(|it| it.id);
                Said::Ids(function.into_iter().collect())
            }
            _ => Said::Nothing,
        };
    };
    if field == Field::Encoding {
        return Said::Number(u64::from(entry.encoding().map_or(u32::MAX, |it| it.0)));
    }
    if field == Field::Source {
        let file = entry.file().and_then(|it| info.file(it));
        return file.map_or(Said::Nothing, |it| Said::Text(it.name().to_owned()));
    }
    let is_absent = |id: &Id| {
        info.entry(*id)
            .is_some_and(|it| it.kind() == Kind::InfoNone)
    };
    if slot.quantifier() == Quantifier::Many {
        if field == Field::Operands {
            let operands = entry.operation().map_or(Vec::new(), |it| it.operands);
            return Said::Ids(operands.iter().map(|&it| Id(it as u32)).collect());
        }
        let ids = entry.list(field).iter().map(|&id| Id(id));
        return Said::Ids(ids.filter(|id| !is_absent(id)).collect());
    }
    if field.is_number() {
        return match entry.number(field).unwrap_or_default() {
            0 => Said::Nothing,
            number => Said::Number(number),
        };
    }
    match entry.id_of(field) {
        None => Said::Nothing,
        Some(id) if is_absent(&id) => Said::Nothing,
        Some(id) => match info.definition(id).map(|it| it.op()) {
            Some(Op::String) => match info.string(id).unwrap_or_default() {
                text if text.is_empty() => Said::Nothing,
                text => Said::Text(text),
            },
            Some(Op::Constant) => Said::Number(info.constant(id).unwrap_or_default()),
            Some(Op::TypeVoid) => Said::Nothing,
            _ => Said::Ids(vec![id]),
        },
    }
}

/// What is not the same in two modules: instructions, and fields of instructions.
fn differences(before: &DebugInfo<'_>, after: &DebugInfo<'_>) -> BTreeSet<(Id, Option<Field>)> {
    let mut different = BTreeSet::new();
    for entry in before.entries().filter(|it| !is_said_elsewhere(it.kind())) {
        match after.entry(entry.id()) {
            Some(other) if other.kind() == entry.kind() => {
                for slot in entry.slots() {
                    let field = slot.field();
                    let (own, its) = (said(before, entry, field), said(after, other, field));
                    if own != its && !(own == Said::Nothing && its == Said::Ids(Vec::new())) {
                        different.insert((entry.id(), Some(field)));
                    }
                }
            }
            _ => {
                different.insert((entry.id(), None));
            }
        }
    }
    different
}

fn listed(conversion: &Conversion) -> impl Iterator<Item = (Id, Option<Field>)> + '_ {
    let losses = conversion.losses.iter();
    losses.filter_map(|loss| Some((loss.id?, loss.field)))
}

#[test]
fn what_is_lost_on_the_way_there_and_back_is_what_is_listed() {
    for (from, text) in SAMPLES {
        let sample = words_of(from, text);
        let before = sample.info();
        for to in Set::ALL.into_iter().filter(|to| *to != from) {
            let (there, one_way) = converted(&sample.words, to);
            let (back, other_way) = converted(&there, from);
            assert_eq!(read(&there).sets().map(|it| it.1).collect::<Vec<_>>(), [to]);
            let after = read(&back);
            let different = differences(&before, &after);
            let listed: BTreeSet<_> = listed(&one_way).chain(listed(&other_way)).collect();
            let wholes: BTreeSet<Id> = listed
                .iter()
                .filter(|(_, field)| field.is_none())
                .map(|(id, _)| *id)
                .collect();
            let show = |(id, field): &(Id, Option<Field>)| {
                let entry = before.entry(*id);
                format!("{entry:?} {:?}", field.map(Field::name))
            };
            for it in &different {
                // What refers to an instruction that is gone, refers to it no more.
                let refers = before
                    .entry(it.0)
                    .zip(it.1)
                    .is_some_and(|(entry, field)| match said(&before, entry, field) {
                        Said::Ids(ids) => ids.iter().any(|id| wholes.contains(id)),
                        _ => false,
                    });
                let is_listed = listed.contains(it) || wholes.contains(&it.0);
                assert!(is_listed || refers, "{from} to {to} lost {}", show(it));
            }
            for it in &listed {
                // Lines and files are looked at by other tests.
                let elsewhere = before
                    .entry(it.0)
                    .is_none_or(|it| is_said_elsewhere(it.kind()));
                let is_lost = different.contains(it) || different.contains(&(it.0, None));
                assert!(is_lost || elsewhere, "{from} to {to} kept {}", show(it));
            }
        }
    }
}

/// The instructions of functions that are no debug information, in order.
fn bodies(words: &[u32]) -> Vec<(usize, Vec<u32>)> {
    let module = Borrowed::new(words).expect("a header");
    let instructions = module.instructions().map(|it| it.expect("an instruction"));
    let bodies = instructions.skip_while(|it| it.op() != Op::Function);
    let own = bodies.filter(|it| !matches!(it.op(), Op::ExtInst | Op::Line | Op::NoLine));
    own.map(|it| (it.offset().0, it.words().to_vec())).collect()
}

#[test]
fn places_scopes_and_calls_stay() {
    for (from, text) in SAMPLES {
        let sample = words_of(from, text);
        let before = sample.info();
        for to in Set::ALL.into_iter().filter(|to| *to != from) {
            let (words, _) = converted(&sample.words, to);
            let after = read(&words);
            let (own, its) = (bodies(&sample.words), bodies(&words));
            assert_eq!(own.len(), its.len());
            for ((at, own), (now, its)) in own.iter().zip(&its) {
                assert_eq!(own, its, "{from} to {to}");
                let place = |info: &DebugInfo<'_>, offset: usize| {
                    let position = info.position(WordOffset(offset));
                    let file = |it| info.file(it).map(|file| file.name().to_owned());
                    let frames = info.frames(WordOffset(offset)).collect::<Vec<_>>();
                    let frames: Vec<_> = frames
                        .iter()
                        .map(|it| (it.scope.id(), it.inlined_at.map(|it| it.id())))
                        .collect();
                    (
                        position.map(|it| (file(it.file), it.line, it.column)),
                        frames,
                    )
                };
                // Where variables are declared, the newest set has no scope.
                if own[0] as u16 != Op::Variable.0 {
                    assert_eq!(place(&before, *at), place(&after, *now), "{from} to {to}");
                }
            }
        }
    }
}

#[test]
fn files_keep_their_texts() {
    for (from, text) in SAMPLES {
        let sample = words_of(from, text);
        let texts = |info: &DebugInfo<'_>| {
            let files = info.files();
            let texts = files.map(|(id, file)| (file.name().to_owned(), info.text_of(id)));
            texts.collect::<BTreeSet<_>>()
        };
        for to in Set::ALL.into_iter().filter(|to| *to != from) {
            let (words, _) = converted(&sample.words, to);
            assert_eq!(
                texts(&sample.info()),
                texts(&read(&words)),
                "{from} to {to}"
            );
        }
    }
}

#[test]
fn types_read_the_same() {
    for (from, text) in SAMPLES {
        let sample = words_of(from, text);
        let before = sample.info();
        for to in Set::ALL.into_iter().filter(|to| *to != from) {
            let (words, conversion) = converted(&sample.words, to);
            let after = read(&words);
            let lost: BTreeSet<Id> = listed(&conversion).map(|(id, _)| id).collect();
            for entry in before.entries().filter(|it| it.kind().is_type()) {
                let refers = entry.base_type().is_some_and(|it| lost.contains(&it.id()));
                if lost.contains(&entry.id()) || refers {
                    continue;
                }
                let other = after.entry(entry.id()).expect("the type");
                assert_eq!(entry.type_text(), other.type_text(), "{from} to {to}");
            }
        }
    }
}

#[test]
fn losses_name_instruction_field_and_reason() {
    let (_, text) = SAMPLES[2];
    let sample = words_of(Set::Shader, text);
    let (_, conversion) = converted(&sample.words, Set::DebugInfo);
    let of = |name: &str| {
        let id = sample.id(name);
        let losses = conversion.losses.iter();
        losses.filter(|it| it.id == Some(id)).collect::<Vec<_>>()
    };
    let [matrix] = of("d_matrix")[..] else {
        panic!("one loss")
    };
    assert_eq!(
        (matrix.instruction, matrix.field),
        ("DebugTypeMatrix", None)
    );
    assert_eq!(matrix.effect, Effect::Approximated);
    let [flags] = of("d_layout")[..] else {
        panic!("one loss")
    };
    assert_eq!(
        (flags.field, flags.effect),
        (Some(Field::Flags), Effect::Lost)
    );
    let [fragment] = of("d_fragment")[..] else {
        panic!("one loss")
    };
    assert_eq!(fragment.field, Some(Field::OpCode));
    assert_eq!(of("entry")[0].effect, Effect::Lost);
    let offsets: Vec<_> = conversion.losses.iter().filter_map(|it| it.id).collect();
    assert!(offsets.contains(&sample.id("line")), "a range of columns");
    let count: usize = conversion.summary().iter().map(|it| it.count).sum();
    assert_eq!(count, conversion.losses.len());
    assert!(
        matrix
            .to_string()
            .contains("DebugTypeMatrix is approximated")
    );
}

/// A module whose structure holds a pointer to itself.
const LIST: &str = r#"
               OpCapability Addresses
               OpCapability Linkage
               OpCapability Kernel
        %set = OpExtInstImport "OpenCL.DebugInfo.100"
               OpMemoryModel Physical64 OpenCL
       %file = OpString "list.cl"
     %s_node = OpString "node"
     %s_next = OpString "next"
       %void = OpTypeVoid
        %int = OpTypeInt 32 0
     %bits64 = OpConstant %int 64
      %bits0 = OpConstant %int 0
     %source = OpExtInst %void %set DebugSource %file
       %unit = OpExtInst %void %set DebugCompilationUnit 1 4 %source OpenCL_C
       %node = OpExtInst %void %set DebugTypeComposite %s_node Structure %source 1 1 %unit %s_node %bits64 None %next
    %pointer = OpExtInst %void %set DebugTypePointer %node CrossWorkgroup None
       %next = OpExtInst %void %set DebugTypeMember %s_next %pointer %source 2 1 %node %bits0 %bits64 FlagIsPublic
"#;

#[test]
fn a_structure_that_points_to_itself_refers_forwards_or_loses_the_pointer() {
    let sample = Sample::new(LIST);
    let (words, conversion) = converted(&sample.words, Set::Shader);
    assert_eq!(conversion.losses, []);
    let module = Borrowed::new(&words).expect("a header");
    let forward: Vec<Id> = module
        .instructions()
        .map(|it| it.expect("an instruction"))
        .filter(|it| it.op() == Op::ExtInstWithForwardRefsKHR)
        .filter_map(|it| it.result())
        .collect();
    assert_eq!(forward, [sample.id("node")]);

    let options = Options::default().forward_references(false);
    let mut module = Module::load(&sample.words).expect("a module");
    let conversion = convert(&mut module, Set::Shader, &options).expect("a conversion");
    let lost: Vec<_> = listed(&conversion).collect();
    assert_eq!(lost, [(sample.id("node"), Some(Field::Members))]);
    let words = module.store();
    let report = spirvkit_validate::validate(&words, &Default::default());
    assert!(report.is_valid());
    let node = sample.id("node");
    assert_eq!(
        read(&words).entry(node).map(|it| it.members().count()),
        Some(0)
    );
}

/// What `void *` points to: nothing in one set, a type of that name in others.
#[test]
fn a_pointer_to_nothing_is_one_to_void() {
    let text = LIST.replace("OpenCL.DebugInfo.100", "DebugInfo");
    let first = text.find("     %source =").expect("the first");
    let text = format!(
        "{}%none = OpExtInst %void %set DebugInfoNone\n%pointer = OpExtInst %void %set DebugTypePointer %none CrossWorkgroup None\n",
        &text[..first]
    );
    let sample = Sample::new(&text);
    let pointer = sample.id("pointer");
    for to in [Set::OpenCl100, Set::Shader] {
        let (words, conversion) = converted(&sample.words, to);
        let lost: Vec<_> = listed(&conversion).collect();
        assert_eq!(lost, [(pointer, Some(Field::BaseType))]);
        let info = read(&words);
        let text = info.entry(pointer).map(|it| it.type_text());
        assert_eq!(text.as_deref(), Some("void *"));
    }
}

/// A chain of so many pointers, each to the one before, and as many structures that hold
/// each other.
fn chain(count: usize) -> String {
    use std::fmt::Write as _;
    let mut text = LIST.to_owned();
    for number in 0..count {
        let before = match number {
            0 => "%node".to_owned(),
            _ => format!("%p{}", number - 1),
        };
        let _ = writeln!(
            text,
            "%p{number} = OpExtInst %void %set DebugTypePointer {before} CrossWorkgroup None"
        );
        let _ = writeln!(
            text,
            "%c{number} = OpExtInst %void %set DebugTypeComposite %s_node Structure %source 1 1 %unit %s_node %bits64 None %m{number}\n\
             %m{number} = OpExtInst %void %set DebugTypeMember %s_next %q{number} %source 2 1 %c{number} %bits0 %bits64 FlagIsPublic"
        );
    }
    for number in 0..count {
        let next = (number + 1) % count;
        let q = format!(
            "%q{number} = OpExtInst %void %set DebugTypePointer %c{next} CrossWorkgroup None"
        );
        let _ = writeln!(text, "{q}");
    }
    text
}

#[test]
fn long_chains_and_cycles_take_no_longer_than_they_are() {
    let words = spirvkit_testing::words(&chain(5_000));
    for to in [Set::Shader, Set::DebugInfo] {
        let mut module = Module::load(&words).expect("a module");
        let conversion = convert(&mut module, to, &Options::default()).expect("a conversion");
        assert_eq!(conversion.instructions, 4 * 5_000 + 5);
    }
}

/// A shader without debug information but lines, names and a source.
const PLAIN: &str = r#"
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %file = OpString "light.comp"
               OpSource GLSL 450 %file "struct light { float power; vec3 place; };
float twice(float x) { return x + x; }
void main() {
  float y = twice(1.0);
}
"
               OpName %main "main"
               OpName %twice "twice(f1;"
               OpName %x "x"
               OpName %y "y"
               OpName %light "light"
               OpMemberName %light 0 "power"
               OpMemberName %light 1 "place"
               OpName %lights "lights"
               OpName %turn "turn"
       %void = OpTypeVoid
      %float = OpTypeFloat 32
       %vec3 = OpTypeVector %float 3
       %mat3 = OpTypeMatrix %vec3 3
       %uint = OpTypeInt 32 0
          %4 = OpConstant %uint 4
        %one = OpConstant %float 1
      %light = OpTypeStruct %float %vec3
      %array = OpTypeArray %light %4
    %private = OpTypePointer Private %array
    %turning = OpTypePointer Private %mat3
      %local = OpTypePointer Function %float
       %unit = OpTypeFunction %void
      %maths = OpTypeFunction %float %float
     %lights = OpVariable %private Private
       %turn = OpVariable %turning Private
       %main = OpFunction %void None %unit
      %start = OpLabel
          %y = OpVariable %local Function
               OpLine %file 4 13
     %called = OpFunctionCall %float %twice %one
               OpStore %y %called
               OpReturn
               OpFunctionEnd
               OpLine %file 2 1
      %twice = OpFunction %float None %maths
          %x = OpFunctionParameter %float
       %only = OpLabel
               OpLine %file 2 31
        %sum = OpFAdd %float %x %x
               OpReturnValue %sum
               OpFunctionEnd
"#;

#[test]
fn plain_modules_are_described_in_each_set() {
    // Names stand before types.
    let name = "               OpName %turn \"turn\"\n";
    let text = PLAIN
        .replace(name, "")
        .replace("       %void =", &format!("{name}       %void ="));
    let sample = Sample::new(&text);
    for set in Set::ALL {
        let mut module = Module::load(&sample.words).expect("a module");
        assert_eq!(describe(&mut module, set), Ok(true));
        module.verify().expect("tables that agree");
        let words = module.store();
        let report = spirvkit_validate::validate(&words, &Default::default());
        let first = report.diagnostics().first().map(|it| it.message());
        assert!(report.is_valid(), "{set}: {first:?}");

        let info = read(&words);
        let (file, _) = info.files().next().expect("a file");
        assert!(
            info.text_of(file)
                .is_some_and(|text| text.starts_with("struct light"))
        );
        let declared = |kind| {
            let entries = info.of_kind(kind);
            entries.map(|it| it.declaration_text()).collect::<Vec<_>>()
        };
        let turn = match set {
            Set::Shader => "float3x3 turn",
            _ => "float3 turn[3]",
        };
        assert_eq!(
            declared(Kind::GlobalVariable),
            ["struct light lights[4]", turn]
        );
        assert_eq!(declared(Kind::LocalVariable), ["float y", "float x"]);
        let functions: Vec<_> = info
            .of_kind(Kind::Function)
            .map(|it| (it.name().unwrap_or_default(), it.line(), it.type_text()))
            .collect();
        let main = ("main".to_owned(), Some(4), "void ()".to_owned());
        let twice = ("twice".to_owned(), Some(2), "float (float)".to_owned());
        assert_eq!(functions, [main, twice]);

        let sum = info.definition(sample.id("sum")).expect("the sum").offset();
        let position = info.position(sum).map(|it| (it.line, it.column));
        assert_eq!(position, Some((2, 31)));
        let frames: Vec<_> = info.frames(sum).collect();
        let names: Vec<_> = frames
            .iter()
            .filter_map(|it| it.function()?.name())
            .collect();
        assert_eq!(names, ["twice"]);
        let visible: Vec<_> = info
            .variables(sum)
            .map(|it| it.variable.declaration_text())
            .collect();
        assert!(visible.contains(&"float x".to_owned()), "{visible:?}");
        let power = info.of_kind(Kind::TypeMember).next().expect("a member");
        assert_eq!(
            (power.offset_in_bits(), power.size_in_bits()),
            (Some(0), Some(32))
        );
        // It has debug information now.
        assert_eq!(describe(&mut module, set), Ok(false));
    }
}

#[test]
fn columns_that_the_text_lacks_are_no_columns() {
    let text = PLAIN.replace("OpLine %file 4 13", "OpLine %file 4 130");
    let sample = Sample::new(&text);
    let mut module = Module::load(&sample.words).expect("a module");
    assert_eq!(describe(&mut module, Set::OpenCl100), Ok(true));
    let (words, conversion) = converted(&module.store(), Set::Shader);
    let losses: Vec<_> = conversion.losses.iter().map(|it| it.instruction).collect();
    assert!(
        losses.contains(&"OpLine") && losses.contains(&"DebugFunction"),
        "{losses:?}"
    );
    let info = read(&words);
    let called = info
        .definition(sample.id("called"))
        .expect("the call")
        .offset();
    let position = info.position(called).map(|it| (it.line, it.column));
    assert_eq!(position, Some((4, 0)));
}

#[test]
fn one_id_may_be_of_an_unknown_instruction_and_of_another() {
    let module = |first: &str, second: &str| {
        format!(
            "OpCapability Shader
OpCapability Linkage
OpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%entry = OpLabel
!0x0005000c %void %twice %set {first}
!0x0005000c %void %twice %set {second}
OpReturn
OpFunctionEnd
"
        )
    };
    // DebugNoLine, and what nobody knows.
    for (first, second) in [("!104", "!9999"), ("!9999", "!104")] {
        let text = module(first, second);
        let words = spirvkit_testing::words(&text);
        let mut module = Module::load(&words).unwrap();
        let _ = convert(&mut module, Set::OpenCl100, &Options::default());
        module.verify().unwrap();
    }
}
