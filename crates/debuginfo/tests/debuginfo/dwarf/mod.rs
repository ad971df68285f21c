//! DWARF says what the sources say, read back with `gimli`.
#![cfg(feature = "dwarf")]

mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use self::read::{Die, Read};
use gimli::{
    AttributeValue, DebuggingInformationEntry, DwAt, EndianSlice, LittleEndian, Reader as _, Unit,
};
use serde_json::Value;
use spirvkit_binary::{Id, words_from_bytes};
use spirvkit_debuginfo::DebugInfo;
use spirvkit_debuginfo::dwarf::{
    self, Address, ByteOffsets, CodeMap, Options, Place, Sections, Version,
};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

fn words(path: PathBuf) -> Vec<u32> {
    let bytes = fs::read(path).expect("the module is there");
    words_from_bytes(&bytes).expect("words").0
}

const VERSIONS: [Version; 2] = [Version::V4, Version::V5];

/// Calls `check` with what is expected of each module of real compilers, and what was
/// written of it.
fn of_fixtures(check: impl Fn(&Value, &Read, &str)) {
    for entry in fs::read_dir(folder("fixtures")).expect("a folder") {
        let path = entry.expect("it can be read").path();
        if !path.to_string_lossy().ends_with(".expect.json") {
            continue;
        }
        let text = fs::read_to_string(path).expect("expectations");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        for group in expected["groups"].as_array().expect("groups") {
            for module in group["modules"].as_array().expect("modules") {
                let name = module["module"].as_str().expect("a name");
                let words = words(folder("fixtures").join(name));
                for version in VERSIONS {
                    let read = Read::of(&words, &ByteOffsets, version);
                    check(group, &read, name);
                }
            }
        }
    }
}

fn list<'a>(group: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + 'a {
    group[name].as_array().into_iter().flatten()
}

#[test]
fn lines_with_code_have_rows() {
    of_fixtures(|group, read, module| {
        let lines: BTreeSet<u64> = read.rows.iter().map(|row| row.2).collect();
        for line in list(group, "lines") {
            if line["code"].as_bool() == Some(true) {
                let number = line["line"].as_u64().expect("a line");
                assert!(lines.contains(&number), "{module}: line {number}");
            }
        }
    });
}

#[test]
fn structures_have_their_members() {
    of_fixtures(|group, read, module| {
        for ty in list(group, "types") {
            let tag = match ty["kind"].as_str() {
                Some("structure") => "structure_type",
                Some("class") => "class_type",
                Some("union") => "union_type",
                _ => continue,
            };
            let name = ty["name"].as_str().expect("a name");
            let die = read.named(tag, name);
            let size = ty["size_bits"].as_i64().filter(|&size| size > 0);
            if let Some(size) = size {
                assert_eq!(
                    die.number(gimli::DW_AT_byte_size),
                    Some(size / 8),
                    "{module} {name}"
                );
            }
            for member in list(ty, "members") {
                let field = member["name"].as_str().expect("a name");
                let mut members = read.children(die).filter(|die| die.tag == "member");
                let found = members.find(|die| die.name == field);
                let found = found.unwrap_or_else(|| panic!("{module}: {name}::{field}"));
                if let Some(offset) = member["offset_bits"].as_i64().filter(|_| size.is_some()) {
                    let at = found.number(gimli::DW_AT_data_member_location);
                    let is_static = found.number(gimli::DW_AT_declaration) == Some(1);
                    assert!(
                        is_static || at == Some(offset / 8),
                        "{module}: {name}::{field} {at:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn enumerators_have_their_values() {
    of_fixtures(|group, read, module| {
        for ty in list(group, "enums") {
            let name = ty["name"].as_str().expect("a name");
            let die = read.named("enumeration_type", name);
            for (name, value) in ty["values"].as_object().expect("values") {
                let mut enumerators = read.children(die);
                let found = enumerators.find(|die| die.name == *name);
                let found = found.unwrap_or_else(|| panic!("{module}: {name}"));
                assert_eq!(
                    found.number(gimli::DW_AT_const_value),
                    value.as_i64(),
                    "{module}"
                );
            }
        }
    });
}

#[test]
fn functions_have_their_lines_and_parameters() {
    of_fixtures(|group, read, module| {
        for function in list(group, "functions") {
            let name = function["name"].as_str().expect("a name");
            let Some(line) = function["line"].as_i64() else {
                continue;
            };
            let is_called = |die: &&Die| die.name == name || die.origin == name;
            let mut functions = read.tagged("subprogram").filter(is_called);
            let at = |die: &Die| die.number(gimli::DW_AT_decl_line) == Some(line);
            assert!(functions.any(at), "{module}: {name} at {line}");
        }
        let names = |tag: &str| -> BTreeSet<&str> {
            let dies = read.dies.iter().filter(|die| die.tag == tag);
            dies.map(|die| die.name.as_str()).collect()
        };
        let (parameters, variables) = (names("formal_parameter"), names("variable"));
        for variable in list(group, "variables") {
            let name = variable["name"].as_str().expect("a name");
            let known = match variable["argument"].as_u64() {
                // Some modules have the number in a form that their set doesn't have.
                Some(1..) if !module.contains(".ns") => parameters.contains(name),
                Some(1..) => parameters.contains(name) || variables.contains(name),
                _ => variables.contains(name),
            };
            assert!(known, "{module}: {name}");
        }
    });
}

#[test]
fn code_of_scopes_is_in_that_of_their_functions() {
    of_fixtures(|_, read, module| {
        let mut open: Vec<&Die> = Vec::new();
        for die in &read.dies {
            open.truncate(die.depth as usize);
            let outer = open.iter().rev().find(|outer| !outer.ranges.is_empty());
            if let Some(outer) = outer {
                for range in &die.ranges {
                    let inside =
                        |outer: &Range<u64>| outer.start <= range.start && range.end <= outer.end;
                    assert!(outer.ranges.iter().any(inside), "{module}: {die:?}");
                }
            }
            open.push(die);
        }
    });
}

/// A function that calls another that was inlined, with a variable of values.
const INLINED: &str = r#"
            OpCapability Kernel
            OpCapability Addresses
            OpCapability Linkage
     %set = OpExtInstImport "OpenCL.DebugInfo.100"
            OpMemoryModel Physical64 OpenCL
    %path = OpString "/src/inlined.cl"
 %n_outer = OpString "outer"
 %n_inner = OpString "inner"
     %n_x = OpString "x"
     %n_y = OpString "y"
   %n_int = OpString "int"
   %empty = OpString ""
            OpName %outer "outer"
    %void = OpTypeVoid
     %int = OpTypeInt 32 0
      %32 = OpConstant %int 32
       %7 = OpConstant %int 7
      %fn = OpTypeFunction %void %int
    %none = OpExtInst %void %set DebugInfoNone
  %source = OpExtInst %void %set DebugSource %path
    %unit = OpExtInst %void %set DebugCompilationUnit 100 5 %source OpenCL_C
   %d_int = OpExtInst %void %set DebugTypeBasic %n_int %32 Signed
    %d_fn = OpExtInst %void %set DebugTypeFunction None %void %d_int
 %d_outer = OpExtInst %void %set DebugFunction %n_outer %d_fn %source 10 1 %unit %empty FlagIsDefinition 10 %outer
 %d_inner = OpExtInst %void %set DebugFunction %n_inner %d_fn %source 3 1 %unit %empty FlagIsDefinition 3 %none
   %block = OpExtInst %void %set DebugLexicalBlock %source 4 1 %d_inner
 %twofold = OpExtInst %void %set DebugLexicalBlockDiscriminator %source 2 %block
      %at = OpExtInst %void %set DebugInlinedAt 12 %d_outer
     %v_x = OpExtInst %void %set DebugLocalVariable %n_x %d_int %source 10 1 %d_outer None 1
     %v_y = OpExtInst %void %set DebugLocalVariable %n_y %d_int %source 4 1 %block None
   %plain = OpExtInst %void %set DebugExpression
   %outer = OpFunction %void None %fn
       %x = OpFunctionParameter %int
   %label = OpLabel
   %scope = OpExtInst %void %set DebugScope %d_outer
   %bound = OpExtInst %void %set DebugValue %v_x %x %plain
            OpLine %path 11 1
       %a = OpIAdd %int %x %x
  %inside = OpExtInst %void %set DebugScope %twofold %at
            OpLine %path 5 1
 %known_y = OpExtInst %void %set DebugValue %v_y %7 %plain
       %b = OpIAdd %int %a %a
   %then_y = OpExtInst %void %set DebugValue %v_y %b %plain
       %c = OpIAdd %int %b %b
   %again = OpExtInst %void %set DebugScope %d_outer
            OpLine %path 13 1
            OpReturn
            OpFunctionEnd
"#;

#[test]
fn inlined_calls_are_inside_their_callers() {
    for version in VERSIONS {
        let read = Read::of(&spirvkit_testing::words(INLINED), &ByteOffsets, version);
        let outer = read.named("subprogram", "outer");
        assert_eq!(outer.ranges.len(), 1);
        let inner = read.named("subprogram", "inner");
        assert_eq!(inner.number(gimli::DW_AT_inline), Some(1));
        assert!(inner.ranges.is_empty());
        let call = read
            .children(outer)
            .find(|die| die.tag == "inlined_subroutine");
        let call = call.expect("the call");
        assert_eq!(call.origin, "inner");
        assert_eq!(call.number(gimli::DW_AT_call_line), Some(12));
        let block = read.children(call).find(|die| die.tag == "lexical_block");
        let block = block.expect("its block");
        let y = read
            .children(block)
            .find(|die| die.origin == "y")
            .expect("y");
        // First a constant, then what an instruction gives.
        assert_eq!(y.locations.len(), 2, "{y:?}");
        assert!(y.locations[0].ends_with("constu 7, stack_value"), "{y:?}");
        assert!(y.locations[1].ends_with("drop, piece 32+0"), "{y:?}");
        let rows: Vec<_> = read.rows.iter().map(|row| (row.2, row.3)).collect();
        assert!(rows.contains(&(5, 2)), "the discriminator: {rows:?}");
        assert!(rows.contains(&(13, 0)), "{rows:?}");
    }
}

/// A backend that puts every word's code at a place of its own, from the back to the
/// front, and values into registers.
struct Backwards;

impl CodeMap for Backwards {
    fn ranges(&self, words: Range<usize>) -> Vec<Range<u64>> {
        let code = |word: usize| 0x10_000 - 16 * word as u64;
        words.map(|word| code(word)..code(word) + 8).collect()
    }

    fn places(&self, id: Id, code: Range<u64>) -> Vec<(Range<u64>, Place)> {
        vec![(code, Place::Register(id.0 as u16 % 16))]
    }

    fn frame_base(&self, _: Id) -> Option<Place> {
        Some(Place::Register(6))
    }
}

#[test]
fn backends_say_where_code_and_values_are() {
    for version in VERSIONS {
        let read = Read::of(&spirvkit_testing::words(INLINED), &Backwards, version);
        let outer = read.named("subprogram", "outer");
        assert!(outer.ranges.len() > 10, "code with gaps");
        assert!(outer.ranges.is_sorted_by_key(|range| range.start));
        assert_eq!(outer.origin, "reg 6", "the frame base");
        let x = read.children(outer).find(|die| die.name == "x").expect("x");
        assert!(x.locations.iter().all(|at| at.contains(" reg ")), "{x:?}");
    }
}

/// Where `%pointer` is.
struct Where(Place);

impl CodeMap for Where {
    fn ranges(&self, words: Range<usize>) -> Vec<Range<u64>> {
        ByteOffsets.ranges(words)
    }

    fn places(&self, _: Id, code: Range<u64>) -> Vec<(Range<u64>, Place)> {
        vec![(code, self.0)]
    }
}

/// A variable with a binding and an expression.
fn bound(binding: &str, operations: &[&str]) -> Vec<u32> {
    let mut declared = String::new();
    let mut ids = String::new();
    for (number, operation) in operations.iter().enumerate() {
        declared += &format!("%op{number} = OpExtInst %void %set DebugOperation {operation}\n");
        ids += &format!(" %op{number}");
    }
    let text = format!(
        r#"
            OpCapability Kernel
            OpCapability Addresses
     %set = OpExtInstImport "OpenCL.DebugInfo.100"
            OpMemoryModel Physical64 OpenCL
    %path = OpString "a.cl"
    %name = OpString "v"
    %void = OpTypeVoid
     %int = OpTypeInt 32 0
      %64 = OpConstant %int 64
     %ptr = OpTypePointer Function %int
      %fn = OpTypeFunction %void
  %source = OpExtInst %void %set DebugSource %path
    %unit = OpExtInst %void %set DebugCompilationUnit 100 5 %source OpenCL_C
  %d_long = OpExtInst %void %set DebugTypeBasic %name %64 Signed
    %d_fn = OpExtInst %void %set DebugTypeFunction None %void
     %d_f = OpExtInst %void %set DebugFunction %name %d_fn %source 1 1 %unit %name FlagIsDefinition 1 %f
       %v = OpExtInst %void %set DebugLocalVariable %name %d_long %source 2 1 %d_f None
{declared}
    %expr = OpExtInst %void %set DebugExpression{ids}
       %f = OpFunction %void None %fn
   %label = OpLabel
 %pointer = OpVariable %ptr Function
   %bound = OpExtInst %void %set {binding} %v %pointer %expr
            OpReturn
            OpFunctionEnd
"#
    );
    spirvkit_testing::words(&text)
}

#[test]
fn expressions_become_location_descriptions() {
    let declare = "DebugDeclare";
    let value = "DebugValue";
    let frame = Place::Pointer(Address::Frame(-16));
    let register = Place::Register(3);
    let memory = Place::Memory(Address::Fixed(0x80));
    for (binding, operations, place, expected) in [
        // A pointer to a slot of the frame: the variable is there.
        (declare, &[][..], frame, "fbreg -16"),
        (
            declare,
            &["PlusUconst 8"][..],
            frame,
            "fbreg -16, plus_uconst 8",
        ),
        (declare, &["Deref"][..], frame, "fbreg -16, deref"),
        (declare, &[][..], register, "breg 3 0"),
        (declare, &[][..], memory, "addr 0x80, deref"),
        // A value: the variable is it, or what the expression makes of it.
        (value, &[][..], register, "reg 3"),
        (value, &[][..], memory, "addr 0x80"),
        (value, &[][..], frame, "fbreg -16, stack_value"),
        (value, &["Deref"][..], register, "breg 3 0"),
        (
            value,
            &["Constu 4", "Plus", "StackValue"][..],
            register,
            "breg 3 0, constu 4, Plus, stack_value",
        ),
        (
            value,
            &["Fragment 32 32"][..],
            register,
            "piece 32+0, reg 3, piece 32+0",
        ),
        (
            value,
            &["Fragment 3 5"][..],
            register,
            "piece 3+0, reg 3, piece 5+0",
        ),
    ] {
        for version in VERSIONS {
            let read = Read::of(&bound(binding, operations), &Where(place), version);
            let found = read.named("variable", "v");
            let location = found.locations.first().map_or("", |at| at.as_str());
            let location = match found.has_list {
                true => location.split_once(' ').map_or("", |(_, what)| what),
                false => location,
            };
            assert_eq!(location, expected, "{binding} {operations:?} {place:?}");
        }
    }
}

/// All instructions of each set.
const SAMPLES: [&str; 3] = ["first", "opencl", "shader"];

fn sample(name: &str) -> Vec<u32> {
    let path = folder("samples").join(format!("{name}.spvasm"));
    spirvkit_testing::words(&fs::read_to_string(path).expect("the sample is there"))
}

#[test]
fn macros_are_listed() {
    for name in SAMPLES {
        for version in VERSIONS {
            let read = Read::of(&sample(name), &ByteOffsets, version);
            let has = |what: &str| read.macros.iter().any(|line| line.contains(what));
            assert!(has(" define "), "{name}: {:?}", read.macros);
            assert!(has(" undef "), "{name}: {:?}", read.macros);
            let count = |what: &str| read.macros.iter().filter(|line| *line == what).count();
            assert_eq!(count("start"), count("end"), "{name}");
        }
    }
}

#[test]
fn every_kind_of_type_has_its_tag() {
    for name in SAMPLES {
        for version in VERSIONS {
            let read = Read::of(&sample(name), &ByteOffsets, version);
            for tag in [
                "base_type",
                "pointer_type",
                "const_type",
                "array_type",
                "typedef",
                "subroutine_type",
                "enumeration_type",
                "member",
                "inheritance",
                "ptr_to_member_type",
                "GNU_template_template_param",
                "subprogram",
                "variable",
                "formal_parameter",
            ] {
                assert!(read.tagged(tag).next().is_some(), "{name}: {tag}");
            }
            let mut tags = read.dies.iter().map(|die| die.tag.as_str());
            if name == "first" {
                let pack = read.named("GNU_template_parameter_pack", "Ts");
                assert_eq!(read.children(pack).count(), 1);
            }
            let of_templates = ["template_type_parameter", "template_value_parameter"];
            assert!(tags.any(|tag| of_templates.contains(&tag)), "{name}");
        }
    }
}

#[test]
fn modules_without_a_set_have_lines_and_functions() {
    let text = r#"
            OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main "main"
            OpExecutionMode %main LocalSize 1 1 1
    %file = OpString "plain.comp"
            OpSource GLSL 450 %file
            OpName %helper "helper(f1;"
    %void = OpTypeVoid
      %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
   %entry = OpLabel
            OpLine %file 3 1
    %call = OpFunctionCall %void %helper
            OpReturn
            OpFunctionEnd
  %helper = OpFunction %void None %fn
   %start = OpLabel
            OpLine %file 8 1
            OpReturn
            OpFunctionEnd
"#;
    for version in VERSIONS {
        let read = Read::of(&spirvkit_testing::words(text), &ByteOffsets, version);
        assert_eq!(read.named("compile_unit", "plain.comp").ranges.len(), 1);
        assert_eq!(read.named("subprogram", "main").ranges.len(), 1);
        assert_eq!(read.named("subprogram", "helper(f1;").ranges.len(), 1);
        let lines: BTreeSet<u64> = read.rows.iter().map(|row| row.2).collect();
        assert!(lines.is_superset(&[3, 8].into()));
        assert!(read.rows.iter().all(|row| row.1 == "plain.comp"));
    }
}

#[test]
fn cycles_and_depths_end() {
    // Structures inside each other, blocks far inside each other, calls inlined into
    // themselves.
    let mut text = String::from(
        r#"
            OpCapability Kernel
            OpCapability Addresses
     %set = OpExtInstImport "OpenCL.DebugInfo.100"
            OpMemoryModel Physical64 OpenCL
    %path = OpString "a.cl"
    %name = OpString "v"
    %void = OpTypeVoid
     %int = OpTypeInt 32 0
      %64 = OpConstant %int 64
      %fn = OpTypeFunction %void
  %source = OpExtInst %void %set DebugSource %path
    %unit = OpExtInst %void %set DebugCompilationUnit 100 5 %source OpenCL_C
     %one = OpExtInst %void %set DebugTypeComposite %name Class %source 1 1 %two %name %64 None %one
     %two = OpExtInst %void %set DebugTypeComposite %name Class %source 1 1 %one %name %64 None %two
    %d_fn = OpExtInst %void %set DebugTypeFunction None %void
     %d_f = OpExtInst %void %set DebugFunction %name %d_fn %source 1 1 %unit %name FlagIsDefinition 1 %f
     %d_g = OpExtInst %void %set DebugFunction %name %d_fn %source 1 1 %unit %name FlagIsDefinition 1 %void
     %at1 = OpExtInst %void %set DebugInlinedAt 12 %d_g %at2
     %at2 = OpExtInst %void %set DebugInlinedAt 12 %d_g %at1
      %b0 = OpExtInst %void %set DebugLexicalBlock %source 4 1 %d_f
"#,
    );
    for number in 1..5000 {
        let outer = number - 1;
        text +=
            &format!("%b{number} = OpExtInst %void %set DebugLexicalBlock %source 4 1 %b{outer}\n");
    }
    text += "
       %f = OpFunction %void None %fn
   %label = OpLabel
      %s1 = OpExtInst %void %set DebugScope %b4999
            OpNop
      %s2 = OpExtInst %void %set DebugScope %d_g %at1
            OpReturn
            OpFunctionEnd
";
    for version in VERSIONS {
        let read = Read::of(&spirvkit_testing::words(&text), &ByteOffsets, version);
        assert!(read.dies.iter().all(|die| die.depth < 1000));
        assert_eq!(read.tagged("class_type").count(), 2);
        assert_eq!(read.tagged("lexical_block").count(), 5000);
    }
}

#[test]
fn damaged_modules_do_no_harm() {
    // A simple generator of numbers: the same every time.
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for name in SAMPLES {
        let original = sample(name);
        for round in 0..100 {
            let mut words = original.clone();
            for _ in 0..1 + round % 4 {
                let at = 5 + next() as usize % (words.len() - 5);
                let bound = words[3].max(1);
                words[at] = match next() % 3 {
                    0 => next() % bound,
                    1 => words[at] ^ 1 << (next() % 32),
                    _ => words[5 + next() as usize % (words.len() - 5)],
                };
            }
            let Ok(info) = DebugInfo::read(&words) else {
                continue;
            };
            for version in VERSIONS {
                let options = Options::default().version(version).embed_sources(true);
                let sections = dwarf::sections(&info, &ByteOffsets, &options).expect("DWARF");
                Read::sections(&sections);
                let again = dwarf::sections(&info, &ByteOffsets, &options).expect("DWARF");
                assert!(sections.iter().eq(again.iter()), "the same each time");
            }
        }
    }
}

#[test]
fn objects_hold_the_module_and_its_functions() {
    use object::read::elf::ElfFile64;
    use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
    let words = spirvkit_testing::words(INLINED);
    let info = DebugInfo::read(&words).expect("a module");
    let object = dwarf::object(&info, &Options::default()).expect("an object");
    let file: ElfFile64<'_> = ElfFile64::parse(object.as_slice()).expect("ELF");
    let text = file.section_by_name(".text").expect("the module");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(text.data().expect("bytes"), bytes);
    assert_eq!(text.address(), 0);
    let function = &info.functions()[0];
    let mut symbols = file.symbols();
    let symbol = symbols
        .find(|symbol| symbol.name() == Ok("outer"))
        .expect("a symbol");
    assert_eq!(symbol.address(), function.words.start as u64 * 4);
    assert_eq!(symbol.size(), function.words.len() as u64 * 4);
}

#[test]
fn parameters_of_one_type_are_written_as_often_as_there_is_room() {
    let many = " %d_int".repeat(40_000);
    let mut text = format!(
        r#"
            OpCapability Kernel
            OpCapability Addresses
     %set = OpExtInstImport "OpenCL.DebugInfo.100"
            OpMemoryModel Physical64 OpenCL
    %path = OpString "a.cl"
    %name = OpString "v"
    %void = OpTypeVoid
     %int = OpTypeInt 32 0
      %32 = OpConstant %int 32
  %source = OpExtInst %void %set DebugSource %path
    %unit = OpExtInst %void %set DebugCompilationUnit 100 5 %source OpenCL_C
   %d_int = OpExtInst %void %set DebugTypeBasic %name %32 Signed
    %few  = OpExtInst %void %set DebugTypeFunction None %void{many}
    %d_fn = OpExtInst %void %set DebugTypeFunction None %void{many}
"#
    );
    for number in 0..8 {
        text += &format!(
            "%d_f{number} = OpExtInst %void %set DebugFunction %name %d_fn %source 1 1 %unit \
             %name FlagIsDefinition 1 %void\n"
        );
    }
    let words = spirvkit_testing::words(&text);
    let info = DebugInfo::read(&words).expect("a module");
    let sections = dwarf::sections(&info, &ByteOffsets, &Options::default()).expect("sections");
    // Each takes six bytes there, and 64 times as much while it is made.
    let most = (64 * words.len() * 4 + (16 << 20)) / 64;
    let size = sections.get(".debug_info").expect("it").len();
    assert!((40_000 * 5..most).contains(&size), "{size} of {most}");
}

#[test]
fn a_function_with_the_id_of_another_has_no_symbol() {
    use object::Object as _;
    use object::read::elf::ElfFile64;
    let mut words = spirvkit_testing::words(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpName %f \"f\"\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %f = OpFunction %void None %fn\n%1 = OpLabel\nOpReturn\nOpFunctionEnd\n\
         %g = OpFunction %void None %fn\n%2 = OpLabel\nOpReturn\nOpFunctionEnd\n",
    );
    let symbols = |words: &[u32]| {
        let info = DebugInfo::read(words).expect("a module");
        let object = dwarf::object(&info, &Options::default()).expect("an object");
        let file: ElfFile64<'_> = ElfFile64::parse(object.as_slice()).expect("ELF");
        file.symbols().count()
    };
    let of_two = symbols(&words);
    let functions: Vec<usize> = DebugInfo::read(&words)
        .expect("a module")
        .functions()
        .iter()
        .map(|function| function.words.start + 2)
        .collect();
    words[functions[1]] = words[functions[0]];
    assert_eq!(symbols(&words), of_two - 1);
}
