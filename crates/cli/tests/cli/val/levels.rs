//! Levels of rules, and warnings that are denied.

use super::*;

#[test]
fn warnings_fail_only_if_they_are_denied() {
    let dir = Dir::new();
    let text = format!("OpExtension \"SPV_NOBODY_knows\"\n{VALID}");
    let text = text.replacen("OpCapability Shader\n", "", 1);
    dir.write("a.spvasm", format!("OpCapability Shader\n{text}"));
    let ran = dir.spv(&["val", "a.spvasm"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.starts_with("warning["), "{}", ran.stderr);
    let ran = dir.spv(&["val", "--deny-warnings", "a.spvasm"]);
    assert_eq!(ran.code, 1);
    let ran = dir.spv(&["val", "--format=json", "a.spvasm"]);
    let objects = objects(output(&ran));
    assert_eq!(objects[0]["valid"], true);
    assert_eq!(objects[0]["diagnostics"][0]["severity"], "warning");
}

/// Two errors and a warning, none of which has to do with another.
const WITH_WARNING: &str = "\
OpCapability Shader
OpCapability Linkage
OpExtension \"SPV_NOBODY_knows\"
OpMemoryModel Logical GLSL450
%odd = OpTypeFloat 24
%odder = OpTypeInt 12 0
";

#[test]
fn rules_are_allowed_warned_of_and_denied() {
    let dir = Dir::new();
    dir.write("a.spvasm", WITH_WARNING);
    // The exit code, errors and warnings.
    let val = |arguments: &[&str]| {
        let ran = dir.spv(&[&["val", "a.spvasm"], arguments].concat());
        let count = |what: &str| ran.stderr.matches(what).count();
        (ran.code, count("error["), count("warning["))
    };
    assert_eq!(val(&[]), (1, 2, 1));
    assert_eq!(val(&["--warn", "type.float-width"]), (1, 1, 2));
    assert_eq!(val(&["--warn", "type.*"]), (0, 0, 3));
    assert_eq!(val(&["--warn=type.*", "--deny-warnings"]), (1, 0, 3));
    assert_eq!(val(&["--allow", "type"]), (0, 0, 1));
    assert_eq!(val(&["--allow", "*"]), (0, 0, 0));
    assert_eq!(val(&["--allow", "*", "--deny-warnings"]), (0, 0, 0));
    assert_eq!(val(&["--deny", "extension.unknown"]), (1, 3, 0));
    // A rule's own name counts for more than its family's, else the last one.
    assert_eq!(val(&["--deny=type.int-width", "--allow=type.*"]), (1, 1, 1));
    assert_eq!(val(&["--deny", "type.*", "--allow", "type.*"]), (0, 0, 1));
    assert_eq!(val(&["--allow", "type.*", "--deny", "type.*"]), (1, 2, 1));
    // Errors are counted as they are reported.
    assert_eq!(val(&["--max-errors=1"]), (1, 1, 0));
    assert_eq!(val(&["--max-errors=1", "--warn=type.*"]), (0, 0, 3));
    let ran = dir.spv(&["val", "a.spvasm", "--format=json", "--warn=type.*"]);
    assert_eq!(objects(output(&ran))[0]["valid"], true);
    let ran = dir.spv(&["val", "a.spvasm", "--format=sarif", "--warn=type.*"]);
    let log: Value = serde_json::from_str(output(&ran)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert!(results.iter().all(|result| result["level"] == "warning"));
}

#[test]
fn warnings_of_the_text_have_levels_as_well() {
    let dir = Dir::new();
    dir.write("a.spvasm", format!("; SPIR-V\n; Bound: many\n{VALID}"));
    let val = |arguments: &[&str]| {
        let ran = dir.spv(&[&["val", "a.spvasm"], arguments].concat());
        (
            ran.code,
            ran.stderr.split(':').next().unwrap_or_default().to_owned(),
        )
    };
    let reported = |how: &str| format!("{how}[text.bad-header-comment]");
    assert_eq!(val(&[]), (0, reported("warning")));
    assert_eq!(
        val(&["--deny", "text.bad-header-comment"]),
        (1, reported("error"))
    );
    assert_eq!(val(&["--allow", "text.*"]), (0, String::new()));
    // An error leaves no module to validate.
    dir.spv(&["val", "--allow", "text.open-string", "a.spvasm"])
        .fails(2, "no rule or family");
}

#[test]
fn rules_that_there_are_not_are_a_wrong_usage() {
    let dir = Dir::new();
    dir.write("a.spvasm", VALID);
    for (name, said) in [
        ("id.undefind", "did you mean `id.undefined`?"),
        ("debug-inf.*", "did you mean `debug-info.*`?"),
        (
            "VUID-StandaloneSpirv-None-04633",
            "did you mean `entry-point.",
        ),
        ("teapot", "`spv explain --list`"),
        ("binary.malformed", "always an error"),
    ] {
        for option in ["--allow", "--warn", "--deny"] {
            dir.spv(&["val", option, name, "a.spvasm"]).fails(2, said);
        }
    }
}

#[test]
fn a_log_lists_all_rules_that_it_refers_to_with_their_levels() {
    let dir = Dir::new();
    dir.write("in/a.spvasm", WITH_WARNING);
    dir.write("in/b.spvasm", "OpCapability Shadr\n\"open");
    dir.write("in/c.spv", "\x03\x02#\x07");
    dir.write("in/d.spvasm", "; Bound: many\nOpNop %1\n");
    dir.write("in/e.spv", "0x07230203, 0x0001000g");
    let ran = dir.spv(&[
        "val",
        "in",
        "none",
        "--format=sarif",
        "--warn=type.*",
        "--allow=layout",
    ]);
    let log: Value = serde_json::from_str(output(&ran)).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert!(ids.is_sorted_by(|a, b| a < b));
    let results = run["results"].as_array().unwrap();
    let reported: Vec<&str> = results
        .iter()
        .map(|result| result["ruleId"].as_str().unwrap())
        .collect();
    for id in &reported {
        assert!(ids.contains(id), "{id}");
    }
    for family in ["io.", "text.", "binary.", "type.", "extension.", "hex."] {
        assert!(
            reported.iter().any(|id| id.starts_with(family)),
            "{family} {reported:?}"
        );
    }
    let configured = |id: &str| {
        let at = ids.iter().position(|each| *each == id).unwrap();
        &rules[at]["defaultConfiguration"]
    };
    assert_eq!(configured("id.undefined")["level"], "error");
    assert_eq!(configured("type.int-width")["level"], "warning");
    assert_eq!(configured("extension.unknown")["level"], "warning");
    assert_eq!(configured("layout.overlap")["enabled"], false);
    assert_eq!(configured("io.read")["level"], "error");
}
