//! What all commands that change modules have in common, shown with `compact-ids`.

use crate::common::{Dir, FAULTY, TEXT, word};

/// The number of the module's one id, and the bound.
fn id_and_bound(module: &[u8]) -> (u32, u32) {
    (word(module, module.len() / 4 - 1), word(module, 3))
}

#[test]
fn modules_are_taken_in_every_form() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    assert_eq!(id_and_bound(&module), (10, 40));
    dir.write("a.spvasm", TEXT);
    let hex: Vec<String> = module.iter().map(|byte| format!("{byte:02x}")).collect();
    dir.write("a.hex", hex.join(" "));
    for input in ["a.spv", "a.spvasm", "a.hex"] {
        let ran = dir.spv(&["compact-ids", input]);
        assert_eq!(id_and_bound(ran.bytes()), (1, 2), "{input}");
        let ran = dir.spv_with_input(&["compact-ids", "-"], &dir.read(input));
        assert_eq!(id_and_bound(ran.bytes()), (1, 2), "{input}");
    }
}

#[test]
fn the_byte_order_is_kept() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    dir.spv(&["as", "--big-endian", "a.spvasm", "-o", "big.spv"]);
    let ran = dir.spv(&["compact-ids", "big.spv"]);
    let bytes = ran.bytes();
    assert_eq!(bytes[..4], [0x07, 0x23, 0x02, 0x03]);
    assert_eq!(bytes[12..16], [0, 0, 0, 2]);
}

#[test]
fn a_module_may_be_changed_in_its_place_and_a_directory_into_another() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    dir.write("in/a.spv", &module);
    dir.write("in/sub/b.spv", &module);
    dir.write("in/sub/c.spvasm", TEXT);
    let ran = dir.spv(&["compact-ids", "in", "-o", "out"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    for output in ["out/a.spv", "out/sub/b.spv", "out/sub/c.spv"] {
        assert_eq!(id_and_bound(&dir.read(output)), (1, 2), "{output}");
    }
    let ran = dir.spv(&["compact-ids", "in/a.spv", "-o", "in/a.spv"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert_eq!(id_and_bound(&dir.read("in/a.spv")), (1, 2));
    let several = dir.spv(&["compact-ids", "in", "out/a.spv"]);
    several.fails(2, "name a directory with `-o DIR`");
}

#[test]
fn errors_name_the_file_and_nothing_of_it_is_written() {
    let dir = Dir::new();
    dir.write("faulty.spvasm", FAULTY);
    let mut unknown = dir.module("unknown.spv", TEXT);
    unknown.extend(0x0002_4550_u32.to_le_bytes());
    unknown.extend(7_u32.to_le_bytes());
    dir.write("unknown.spv", &unknown);
    unknown.truncate(unknown.len() - 4);
    dir.write("cut.spv", &unknown);
    dir.module("good.spv", TEXT);
    for (input, rule) in [
        ("faulty.spvasm", "text.unknown-enumerant"),
        ("unknown.spv", "transform.opaque-instruction"),
        ("cut.spv", "binary.truncated"),
        ("missing.spv", "io.read"),
    ] {
        let ran = dir.spv(&["compact-ids", input, "-o", "out.spv"]);
        ran.fails(1, &format!("error[{rule}]"));
        assert!(ran.stderr.contains(input), "{}", ran.stderr);
    }
    let inputs = [
        "compact-ids",
        "unknown.spv",
        "good.spv",
        "cut.spv",
        "-o",
        "out/",
    ];
    dir.spv(&inputs).fails(1, "2 of 3 inputs failed");
    let written = dir
        .files()
        .into_iter()
        .filter(|file| file.starts_with("out"));
    assert_eq!(written.collect::<Vec<_>>(), ["out/good.spv"]);
}

#[test]
fn what_goes_is_reported_on_request_and_nothing_is_written_in_a_dry_run() {
    let dir = Dir::new();
    let text = "OpCapability Matrix\nOpCapability Shader\nOpCapability Geometry\n\
                OpMemoryModel Logical GLSL450\nOpName %1 \"esc\u{1b}[2J\"\n%1 = OpTypeVoid\n";
    let module = dir.module("a.spv", text);
    dir.write("b.spv", &module);
    let dry = dir.spv(&["trim-capabilities", "--dry-run", "a.spv", "b.spv"]);
    assert_eq!((dry.code, &*dry.stdout), (0, &b""[..]));
    let expected = "a.spv: 6 → 5 instructions, 80 → 72 bytes, id bound 2 → 2
  OpCapability Geometry
b.spv: 6 → 5 instructions, 80 → 72 bytes, id bound 2 → 2
  OpCapability Geometry
";
    assert_eq!(dry.stderr, expected);
    assert_eq!(dir.files(), ["a.spv", "b.spv"]);
    let verbose = dir.spv(&["trim-capabilities", "--all", "-v", "a.spv", "-o", "c.spv"]);
    assert_eq!(verbose.code, 0);
    assert!(verbose.stderr.contains("\n  OpCapability Matrix\n"));
    assert_eq!(dir.read("c.spv").len(), 64);
    // In names, there may be anything.
    let stripped = dir.spv(&["strip", "--verbose", "a.spv"]);
    assert!(
        stripped
            .stderr
            .contains("\n  OpName %1 \"esc\\u001b[2J\"\n")
    );
    assert!(stripped.bytes().len() < module.len());
    let json = dir.spv(&["strip", "--dry-run", "--format", "json", "a.spv"]);
    let reported: serde_json::Value = serde_json::from_str(json.stderr.trim()).unwrap();
    assert_eq!(reported["file"], "a.spv");
    assert_eq!(
        reported["instructions"],
        serde_json::json!({"before": 6, "after": 5})
    );
    assert_eq!(reported["removed"], serde_json::json!({"OpName": 1}));
    let compact = dir.spv(&["compact-ids", "--dry-run", "a.spv"]);
    assert!(
        compact.stderr.ends_with("id bound 2 → 2\n"),
        "{}",
        compact.stderr
    );
    dir.spv(&["strip", "--dry-run", "a.spv", "-o", "d.spv"])
        .fails(2, "cannot be used");
}
