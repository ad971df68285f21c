//! What is reported of modules that differ in something known.

use spirvkit_diff::{Change, Diff, Options, PartKind, Side, TextOptions, diff};
use spirvkit_grammar::Op;
use spirvkit_ir::Module;

const SHADER: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %main \"main\"
";

const TYPES: &str = "\
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%bool = OpTypeBool
%ptr = OpTypePointer Function %uint
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%true = OpConstantTrue %bool
";

const MAIN: &str = "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
const END: &str = "OpReturn\nOpFunctionEnd\n";

fn load(text: &str) -> Module {
    Module::from_words(spirvkit_testing::words(text)).unwrap()
}

fn compare(a: &str, b: &str) -> Diff {
    diff(&load(a), &load(b), &Options::default())
}

/// A shader with this in its only function.
fn shader(body: &str) -> String {
    format!("{SHADER}{TYPES}{MAIN}{body}{END}")
}

/// The changed lines with their marks, without indentation.
fn changes(diff: &Diff) -> Vec<String> {
    let options = TextOptions::default().indent(false);
    let text = diff.to_text(&options);
    let lines = text.lines().filter(|line| line.starts_with(['-', '+']));
    lines.map(str::to_owned).collect()
}

#[test]
fn ids_and_the_order_of_declarations_are_no_difference() {
    let a = format!("{SHADER}{TYPES}{MAIN}{END}");
    let reversed = "\
%1 = OpTypeFloat 32
%2 = OpTypeBool
%3 = OpConstantTrue %2
%4 = OpTypeInt 32 1
%5 = OpTypeInt 32 0
%6 = OpConstant %5 2
%7 = OpConstant %5 1
%8 = OpTypePointer Function %5
%void = OpTypeVoid
%fn = OpTypeFunction %void
";
    let b = format!("{SHADER}{reversed}{MAIN}{END}");
    let diff = compare(&a, &b);
    assert!(diff.is_empty(), "{:?}", changes(&diff));
    assert_eq!(diff.to_text(&TextOptions::default()), "");
}

#[test]
fn a_changed_literal_is_a_difference() {
    let a = shader("");
    let b = a.replace("OpConstant %uint 2", "OpConstant %uint 3");
    let diff = compare(&a, &b);
    let [removed, added] = diff.counts();
    assert_eq!((removed, added), (1, 1), "{:?}", changes(&diff));
    assert!(!diff.is_empty());
}

#[test]
fn swapped_operands_are_a_difference() {
    let a = shader("%x = OpISub %uint %one %two\n");
    let b = shader("%x = OpISub %uint %two %one\n");
    assert_eq!(compare(&a, &b).counts(), [1, 1]);
}

#[test]
fn a_declaration_that_others_are_made_of_changes_alone() {
    let declarations = "\
%length = OpConstant %uint 8
%array = OpTypeArray %float %length
%struct = OpTypeStruct %array %array
%private = OpTypePointer Private %struct
%variable = OpVariable %private Private
";
    let a = format!("{SHADER}{TYPES}{declarations}{MAIN}{END}");
    let b = a.replace("OpConstant %uint 8", "OpConstant %uint 9");
    assert_eq!(compare(&a, &b).counts(), [1, 1]);
    // Where it is used for something else, too, both are there.
    let used = format!("{SHADER}{TYPES}{declarations}{MAIN}%y = OpIAdd %uint %length %one\n{END}");
    let other = used.replace("OpTypeArray %float %length", "OpTypeArray %float %two");
    assert_eq!(compare(&used, &other).counts(), [1, 1]);
}

#[test]
fn what_follows_a_changed_instruction_stays() {
    let body = "%x = OpIAdd %uint %one %two\n%y = OpIMul %uint %x %x\n%z = OpISub %uint %y %x\n";
    let a = shader(body);
    let b = shader(&body.replace("%x = OpIAdd", "%x = OpBitwiseXor"));
    assert_eq!(compare(&a, &b).counts(), [1, 1]);
}

#[test]
fn an_inserted_instruction_is_one_line_with_an_id_of_its_own() {
    let a = shader("%x = OpIAdd %uint %one %two\n");
    let b = shader("%new = OpIMul %uint %two %two\n%x = OpIAdd %uint %one %two\n");
    let diff = compare(&a, &b);
    let lines = changes(&diff);
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    let id: u32 = line
        .strip_prefix("+%")
        .and_then(|rest| rest.split_once(" = OpIMul "))
        .and_then(|(id, _)| id.parse().ok())
        .unwrap_or_else(|| panic!("{line}"));
    assert!(diff.id_pairs().iter().all(|(a, _)| a.0 != id));
}

#[test]
fn the_order_of_instructions_is_a_difference() {
    let store = "%v = OpVariable %ptr Function\nOpStore %v %one\nOpStore %v %two\n";
    let other = "%v = OpVariable %ptr Function\nOpStore %v %two\nOpStore %v %one\n";
    assert_eq!(compare(&shader(store), &shader(other)).counts(), [1, 1]);
}

#[test]
fn the_order_of_blocks_cases_and_edges_is_no_difference() {
    let a = shader(
        "OpSelectionMerge %merge None
OpSwitch %one %default 5 %five 7 %seven
%five = OpLabel\n%x = OpIAdd %uint %one %two\nOpBranch %merge
%seven = OpLabel\n%y = OpIMul %uint %one %two\nOpBranch %merge
%default = OpLabel\n%z = OpISub %uint %one %two\nOpBranch %merge
%merge = OpLabel\n%phi = OpPhi %uint %x %five %y %seven %z %default\n",
    );
    let b = shader(
        "OpSelectionMerge %1 None
OpSwitch %one %2 7 %4 5 %3
%2 = OpLabel\n%5 = OpISub %uint %one %two\nOpBranch %1
%4 = OpLabel\n%7 = OpIMul %uint %one %two\nOpBranch %1
%3 = OpLabel\n%6 = OpIAdd %uint %one %two\nOpBranch %1
%1 = OpLabel\n%phi = OpPhi %uint %5 %2 %6 %3 %7 %4\n",
    );
    let diff = compare(&a, &b);
    assert!(diff.is_empty(), "{:?}", changes(&diff));
    // But which case leads where is one.
    let c = b.replace("7 %4 5 %3", "7 %3 5 %4");
    assert!(!compare(&a, &c).is_empty());
}

#[test]
fn moved_functions_are_recognised() {
    let f = |name: &str, op: &str| {
        format!(
            "%{name} = OpFunction %void None %fn\n%l{name} = OpLabel\n%x{name} = {op} %uint %one %two\n{END}"
        )
    };
    let calls = "%c1 = OpFunctionCall %void %f\n%c2 = OpFunctionCall %void %g\n";
    let (main, f, g) = (
        format!("{MAIN}{calls}{END}"),
        f("f", "OpIAdd"),
        f("g", "OpIMul"),
    );
    let a = format!("{SHADER}{TYPES}{main}{f}{g}");
    let b = format!("{SHADER}{TYPES}{g}{main}{f}");
    let diff = compare(&a, &b);
    assert!(diff.is_empty(), "{:?}", changes(&diff));
    let moved = diff
        .parts()
        .iter()
        .filter(|part| matches!(part.kind, PartKind::Function { moved: true, .. }));
    assert_eq!(moved.count(), 1);
    let c = format!("{SHADER}{TYPES}{main}{f}");
    let c = c.replace("%c2 = OpFunctionCall %void %g\n", "");
    let diff = compare(&a, &c);
    // The call and the function with four more instructions.
    assert_eq!(diff.counts(), [6, 0], "{:?}", changes(&diff));
}

#[test]
fn functions_with_the_same_content_are_distinguished_by_their_callers() {
    let calls = "%c1 = OpFunctionCall %void %f\n%c2 = OpFunctionCall %void %g\n";
    let function = |name: &str, variable: &str| {
        format!(
            "%{name} = OpFunction %void None %fn\n%l{name} = OpLabel\nOpStore %{variable} %one\n{END}"
        )
    };
    let variables = "%private = OpTypePointer Private %uint\n%v = OpVariable %private Private\n%w = OpVariable %private Private\n";
    let (f, g) = (function("f", "v"), function("g", "w"));
    let a = format!("{SHADER}{TYPES}{variables}{MAIN}{calls}{END}{f}{g}");
    let b = format!("{SHADER}{TYPES}{variables}{MAIN}{calls}{END}{g}{f}");
    assert!(compare(&a, &b).is_empty());
    // Both functions store to the same variable now.
    let c = a.replace("OpStore %w", "OpStore %v");
    assert_eq!(compare(&a, &c).counts(), [1, 1]);
}

#[test]
fn types_that_contain_themselves_are_compared() {
    let list = |member: &str| {
        format!(
            "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage
OpMemoryModel Physical32 OpenCL
OpTypeForwardPointer %p Private\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32
%s = OpTypeStruct {member} %p\n%p = OpTypePointer Private %s\n"
        )
    };
    assert!(compare(&list("%uint"), &list("%uint")).is_empty());
    assert_eq!(compare(&list("%uint"), &list("%float")).counts(), [1, 1]);
}

#[test]
fn lines_of_source_belong_to_what_they_tell_about() {
    let with = |first: &str, second: &str| {
        format!(
            "OpCapability Linkage\nOpMemoryModel Logical Simple\n%file = OpString \"f\"\n{first}{second}"
        )
    };
    let uint = "OpLine %file 1 1\n%uint = OpTypeInt 32 0\n";
    let float = "OpLine %file 2 1\n%float = OpTypeFloat 32\n";
    assert!(compare(&with(uint, float), &with(float, uint)).is_empty());
    let moved = "OpLine %file 1 1\n%float = OpTypeFloat 32\n";
    assert_eq!(
        compare(&with(uint, float), &with(uint, moved)).counts(),
        [1, 1]
    );
    // One line for both is the same as that line for each.
    let both = "OpLine %file 1 1\n%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n";
    assert!(compare(&with(uint, moved), &with(both, "")).is_empty());
}

#[test]
fn what_is_ignored_is_no_difference() {
    let variable = "%p = OpTypePointer Uniform %uint\n%v = OpVariable %p Uniform\n";
    let text = |extra: &str| format!("{SHADER}{extra}{TYPES}{variable}{MAIN}{END}");
    let a = text("OpName %v \"a\"\nOpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 1\n");
    type Case = (&'static str, &'static str, fn(&mut Options));
    let cases: [Case; 3] = [
        ("\"a\"", "\"b\"", |options| options.ignore.names = true),
        ("\"a\"", "\"b\"", |options| options.ignore.debug = true),
        ("Binding 1", "Binding 2", |options| {
            options.ignore.set_binding = true
        }),
    ];
    for (old, new, ignore) in cases {
        let (a, b) = (load(&a), load(&a.replace(old, new)));
        assert_eq!(diff(&a, &b, &Options::default()).counts(), [1, 1], "{new}");
        let mut options = Options::default();
        ignore(&mut options);
        assert!(diff(&a, &b, &options).is_empty(), "{new}");
    }
}

#[test]
fn the_header_counts_unless_it_is_ignored() {
    let a = load(&shader(""));
    let mut b = a.clone();
    b.set_version(spirvkit_grammar::Version::V1_3);
    let mut options = Options::default();
    let found = diff(&a, &b, &options);
    assert_eq!(found.header_changes().len(), 1);
    assert_eq!(found.counts(), [0, 0]);
    assert!(!found.is_empty());
    assert!(
        found
            .to_text(&TextOptions::default())
            .contains("+; Version: 1.3\n")
    );
    options.ignore.header = true;
    assert!(diff(&a, &b, &options).is_empty());
}

#[test]
fn context_and_places_are_those_of_unified_diffs() {
    let a = shader("%x = OpISub %uint %one %two\n");
    let b = shader("%x = OpISub %uint %two %one\n");
    let found = compare(&a, &b);
    let mut options = TextOptions::default();
    options.context = Some(1);
    let text = found.to_text(&options);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    // Five instructions stand before the types, ten types and constants, then the
    // function, its label and the difference.
    assert!(
        lines[0].starts_with("@@ -17,3 +17,3 @@ function %"),
        "{text}"
    );
    assert!(lines[1].ends_with("= OpLabel") && lines[4].ends_with("OpReturn"));
    options.context = None;
    let all = found.to_text(&options);
    assert_eq!(
        all.lines().filter(|line| !line.starts_with('@')).count(),
        21
    );
}

#[test]
fn json_tells_the_same() {
    let a = shader("%x = OpISub %uint %one %two\n");
    let b = shader("%x = OpISub %uint %two %one\n");
    let json: serde_json::Value =
        serde_json::from_str(&compare(&a, &b).to_json(["a", "b"], false)).unwrap();
    assert_eq!(json["version"], 1);
    assert_eq!(json["equal"], false);
    assert_eq!((&json["removed"], &json["added"]), (&1.into(), &1.into()));
    let changes = json["parts"][0]["changes"].as_array().unwrap();
    assert_eq!(changes[0]["change"], "removed");
    assert_eq!(changes[1]["change"], "added");
    assert_eq!(changes[1]["opcode"], "OpISub");
    assert_eq!(changes[0]["id"], changes[1]["id"]);
}

#[test]
fn words_that_nobody_can_read_keep_their_numbers() {
    let a = "OpCapability Shader\n%1 = OpTypeVoid\n%2 = OpTypeBool\nOpUnknown(60000, 2) !1\n";
    let b = "OpCapability Shader\n%2 = OpTypeVoid\n%1 = OpTypeBool\nOpUnknown(60000, 2) !1\n";
    assert!(compare(a, a).is_empty());
    assert!(!compare(a, b).is_empty(), "the word may name either type");
}

#[test]
fn very_much_of_the_same_takes_no_time() {
    let many = |count: usize, piece: &dyn Fn(usize) -> String| -> String {
        (0..count).map(piece).collect()
    };
    let constants = |count| {
        let all = many(count, &|index| format!("%c{index} = OpConstant %uint 7\n"));
        format!("{SHADER}{TYPES}{all}{MAIN}{END}")
    };
    let blocks = |count| {
        shader(&many(count, &|index| {
            format!("OpBranch %b{index}\n%b{index} = OpLabel\n")
        }))
    };
    let same = |count| {
        shader(&many(count, &|index| {
            format!("%x{index} = OpIAdd %uint %one %one\n")
        }))
    };
    let cases: [&dyn Fn(usize) -> String; 3] = [&constants, &blocks, &same];
    for case in cases {
        let [removed, added] = compare(&case(20_000), &case(19_000)).counts();
        assert!(
            added == 0 && removed <= 2_001,
            "{removed} removed, {added} added"
        );
    }
}

#[test]
fn each_instruction_of_either_module_stands_in_one_line() {
    let a = load(&shader("%x = OpISub %uint %one %two\n"));
    let b = load(&format!("{SHADER}{TYPES}{MAIN}{END}"));
    let found = diff(&a, &b, &Options::default());
    let lines = found.parts().iter().flat_map(|part| &part.lines);
    let count = |change: Change| lines.clone().filter(|line| line.change() != change).count();
    assert_eq!(count(Change::Added), a.instructions().count());
    assert_eq!(count(Change::Removed), b.instructions().count());
}

#[test]
fn blocks_that_would_run_into_others_stay_where_they_are() {
    // Words that nobody can read pair the labels by their numbers, so the first block of one
    // is the last of the other.
    let module = |blocks: &str| {
        load(&format!(
            "OpCapability Shader
            %1 = OpTypeVoid
            %2 = OpTypeFunction %1
            %3 = OpTypeInt 32 0
            %4 = OpConstant %3 1
            %5 = OpFunction %1 None %2
            {blocks}
            OpFunctionEnd
            OpUnknown(60000, 3) !21 !22"
        ))
    };
    let a = module("%20 = OpLabel\nOpBranch %21\n%21 = OpLabel\nOpKill\n%22 = OpLabel\nOpKill");
    let b = module("%22 = OpLabel\nOpKill\n%23 = OpUndef %3\n%21 = OpLabel\n%24 = OpIAdd %3 %4 %4");
    let found = diff(&a, &b, &Options::default());
    let mut parts = found.parts().iter();
    let function = parts.find(|part| matches!(part.kind, PartKind::Function { .. }));
    let lines = function.unwrap().lines.iter();
    let of_b = lines.filter_map(|line| found.instruction(*line, Side::B));
    let opcodes: Vec<Op> = of_b.map(|instruction| instruction.op()).collect();
    let in_b = [
        Op::Function,
        Op::Label,
        Op::Kill,
        Op::Undef,
        Op::Label,
        Op::IAdd,
        Op::FunctionEnd,
    ];
    assert_eq!(opcodes, in_b);
}

#[test]
fn what_is_new_stands_behind_what_is_removed() {
    let module = |names: &str, constants: &str| {
        let types = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n";
        format!("{SHADER}OpName %uint \"{names}\"\n{types}{constants}{MAIN}{END}")
    };
    let [old, new] = [
        "%a = OpConstant %uint 1\n",
        "%a = OpConstantNull %fn\n%b = OpUndef %void\n",
    ];
    let a = module("u", &format!("{old}{}", old.replace("%a", "%c")));
    let b = module("unsigned", new);
    let marks = changes(&compare(&a, &b)).into_iter();
    let marks: String = marks.filter_map(|line| line.chars().next()).collect();
    assert_eq!(marks, "-+--++");
}
