//! What reports promise, and the levels that rules are reported at.

use spirvkit_binary::Id;
use spirvkit_diagnostics::Severity;
use spirvkit_testing::words;
use spirvkit_validate::{Level, Options, validate, validate_bytes, validate_named};

use crate::common::report;

/// A shader for the lines of a function's body.
fn shader(globals: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
{globals}
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
"
    )
}

/// Three errors.
const ERRORS: &str = "%float = OpTypeFloat 32
%a = OpTypeVector %float 5
%b = OpTypeVector %float 6
%c = OpTypeVector %float 7";

#[test]
fn a_report_is_cut_only_if_there_is_more() {
    let text = shader(ERRORS, "");
    for (most, reported, is_cut) in [(1, 1, true), (2, 2, true), (3, 3, false), (0, 3, false)] {
        let mut options = Options::default();
        options.max_errors = most;
        let report = report(&text, &options);
        assert_eq!(report.diagnostics().len(), reported);
        assert_eq!(report.is_cut(), is_cut, "with at most {most}");
    }
}

#[test]
fn diagnostics_come_in_module_order() {
    let text = shader(
        ERRORS,
        "%d = OpNot %void %uint_0\n%e = OpIAdd %uint %uint_0 %nowhere",
    );
    let options = Options::default();
    let report = report(&text, &options);
    let places: Vec<_> = report
        .diagnostics()
        .iter()
        .map(|d| d.word_offset())
        .collect();
    assert_eq!(places.len(), 5);
    assert!(places.is_sorted());
}

#[test]
fn warnings_leave_a_module_valid_and_do_not_count() {
    let text = shader("", "").replace(
        "OpMemoryModel",
        "OpExtension \"SPV_A\"\nOpExtension \"SPV_B\"\nOpMemoryModel",
    );
    let mut options = Options::default();
    options.max_errors = 1;
    let report = report(&text, &options);
    assert!(report.is_valid() && !report.is_cut());
    let severities: Vec<_> = report.diagnostics().iter().map(|d| d.severity()).collect();
    assert_eq!(severities, [Severity::Warning, Severity::Warning]);
}

#[test]
fn vulkans_identifiers_are_given_in_vulkan_only() {
    let text = shader("%float = OpTypeFloat 32\n%a = OpTypeVector %float 5", "")
        .replace("OpCapability Linkage\n", "");
    for (name, vuid) in [
        ("vulkan1.3", Some("VUID-StandaloneSpirv-None-12295")),
        ("spv1.6", None),
    ] {
        let options = Options::for_env(name.parse().unwrap());
        let report = report(&text, &options);
        let first = &report.diagnostics()[0];
        assert_eq!((first.rule(), first.vuid()), ("type.vector-size", vuid));
    }
}

#[test]
fn long_vectors_tell_why_a_variable_cannot_hold_them() {
    let types =
        "%float = OpTypeFloat 32\n%number = OpTypeInt 32 1\n%length = OpSpecConstant %number 5";
    let types =
        format!("{types}\n%long = OpTypeVector %float 5\n%open = OpTypeVectorIdEXT %float %length");
    for (vector, class, vuid) in [
        ("long", "Output", "VUID-StandaloneSpirv-Type-12297"),
        ("long", "RayPayloadKHR", "VUID-StandaloneSpirv-Type-12297"),
        (
            "open",
            "PushConstant",
            "VUID-StandaloneSpirv-Function-12294",
        ),
    ] {
        let variable =
            format!("%pointer = OpTypePointer {class} %{vector}\n%v = OpVariable %pointer {class}");
        let text = shader(&format!("{types}\n{variable}"), "").replace(
            "OpCapability Linkage\n",
            "OpCapability LongVectorEXT\nOpCapability RayTracingKHR\nOpExtension \"SPV_EXT_long_vector\"\nOpExtension \"SPV_KHR_ray_tracing\"\n",
        );
        let options = Options::for_env("vulkan1.3".parse().unwrap());
        let report = report(&text, &options);
        let mut diagnostics = report.diagnostics().iter();
        let found = diagnostics.find(|found| found.rule() == "variable.long-vector");
        assert_eq!(found.unwrap().vuid(), Some(vuid), "{class}");
    }
}

#[test]
fn messages_use_the_names_of_the_text() {
    let text = shader(
        "%alpha = OpTypeFloat 32",
        "%beta = OpIAdd %uint %uint_0 %alpha",
    );
    let options = Options::default();
    let words = words(&text);
    let number = words.len() as u32;
    let report = validate(&words, &options);
    assert!(!report.diagnostics()[0].message().contains("%alpha"));
    let id = (1..number)
        .find(|id| {
            report.diagnostics()[0]
                .message()
                .contains(&format!("`%{id}`"))
        })
        .unwrap();
    let names = |asked: Id| (asked.0 == id).then(|| "alpha".to_owned());
    let report = validate_named(&words, &options, &names);
    let message = report.diagnostics()[0].message();
    assert!(message.contains("`%alpha`"), "{message}");
    let mut raw = options.clone();
    raw.raw_ids = true;
    let report = validate_named(&words, &raw, &names);
    assert!(!report.diagnostics()[0].message().contains("%alpha"));
}

#[test]
fn bytes_of_either_order_are_validated() {
    let words = words(&shader("", ""));
    for swap in [false, true] {
        let bytes: Vec<u8> = words
            .iter()
            .flat_map(|word| {
                if swap {
                    word.to_be_bytes()
                } else {
                    word.to_le_bytes()
                }
            })
            .collect();
        assert!(validate_bytes(&bytes, &Options::default()).is_valid());
        let cut = validate_bytes(&bytes[..bytes.len() - 1], &Options::default());
        assert_eq!(cut.diagnostics()[0].rule(), "binary.truncated");
    }
}

/// Nothing defines `%nothing`; the sum of its kind is wrong by itself.
fn two_findings() -> Vec<u32> {
    let body = "%first = OpIAdd %uint %uint_0 %nothing
%second = OpFAdd %uint %uint_0 %uint_0";
    words(&shader("", body))
}

fn reported(words: &[u32], options: &Options) -> Vec<(Severity, &'static str)> {
    let report = validate(words, options);
    let all = report.diagnostics().iter();
    all.map(|each| (each.severity(), each.rule())).collect()
}

#[test]
fn rules_are_reported_at_the_levels_that_are_set() {
    let words = two_findings();
    let mut options = Options::default();
    let undefined = (Severity::Error, "id.undefined");
    let wrong = (Severity::Error, "arithmetic.float-result");
    assert_eq!(reported(&words, &options), [undefined, wrong]);
    options.levels.set("arithmetic.*", Level::Warn);
    let warned = (Severity::Warning, wrong.1);
    assert_eq!(reported(&words, &options), [undefined, warned]);
    options.levels.set("arithmetic.float-result", Level::Allow);
    assert_eq!(reported(&words, &options), [undefined]);
    assert!(!validate(&words, &options).is_valid());
    // What is allowed hides nothing: now the sum itself is looked at.
    options.levels.set("id", Level::Allow);
    let other = reported(&words, &options);
    assert!(
        other
            .iter()
            .all(|(_, rule)| *rule == "arithmetic.integer-operand"),
        "{other:?}"
    );
}

#[test]
fn warnings_can_be_errors_and_errors_are_counted_as_reported() {
    let words = words(&shader("", "").replacen(
        "OpMemoryModel",
        "OpExtension \"SPV_NOBODY_knows\"\nOpMemoryModel",
        1,
    ));
    let mut options = Options::default();
    assert_eq!(
        reported(&words, &options),
        [(Severity::Warning, "extension.unknown")]
    );
    assert!(validate(&words, &options).is_valid());
    options.levels.set("extension.unknown", Level::Deny);
    assert_eq!(
        reported(&words, &options),
        [(Severity::Error, "extension.unknown")]
    );
    assert!(!validate(&words, &options).is_valid());

    let words = two_findings();
    let mut options = Options::default();
    options.max_errors = 1;
    let report = validate(&words, &options);
    assert!(report.is_cut() && report.diagnostics().len() == 1);
    options.levels.set("id.undefined", Level::Warn);
    let report = validate(&words, &options);
    assert!(!report.is_cut(), "{report:?}");
}

#[test]
fn what_can_not_be_read_is_always_an_error() {
    let mut options = Options::default();
    options.levels.set("*", Level::Allow);
    options.levels.set("binary.malformed", Level::Allow);
    assert!(!validate(&[1, 2, 3], &options).is_valid());
    let mut words = two_findings();
    words.push(0);
    assert!(!validate(&words, &options).is_valid());
    words.pop();
    assert!(validate(&words, &options).is_valid());
}
