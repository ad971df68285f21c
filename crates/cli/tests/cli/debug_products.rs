//! `spv debug` on modules that name what is large often: what is shown has an end, and
//! says so.

use std::fmt::Write as _;

use crate::common::Dir;

/// What may be shown of any module, however small, and of each byte.
const BASE: usize = 16 << 20;
const FACTOR: usize = 64;

/// A module in parts, with a function `%f` that was inlined into itself over and over.
struct Product {
    /// The name of `%f`.
    name: String,
    /// How often it was inlined.
    depth: usize,
    /// Debugging instructions outside of functions.
    described: String,
    /// Instructions where it was inlined most deeply.
    code: String,
}

impl Product {
    fn new() -> Self {
        Self {
            name: "f".into(),
            depth: 1,
            described: String::new(),
            code: "%here = OpFAdd %float %one %one\n".into(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString \"a.comp\"
%s_main = OpString \"main\"
%s_f = OpString \"{}\"
%s_x = OpString \"x\"
%s_float = OpString \"float\"
OpName %here \"here\"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u32 = OpConstant %uint 32
%one = OpConstant %float 1
%type = OpTypeFunction %void
%d_source = OpExtInst %void %debug DebugSource %file
%d_unit = OpExtInst %void %debug DebugCompilationUnit %u1 %u4 %d_source %u2
%d_float = OpExtInst %void %debug DebugTypeBasic %s_float %u32 %u3 %u0
%d_type = OpExtInst %void %debug DebugTypeFunction %u0 %void
%d_main = OpExtInst %void %debug DebugFunction %s_main %d_type %d_source %u1 %u1 %d_unit %s_main %u0 %u1
%d_f = OpExtInst %void %debug DebugFunction %s_f %d_type %d_source %u1 %u1 %d_unit %s_f %u0 %u1
%at0 = OpExtInst %void %debug DebugInlinedAt %u1 %d_main
",
            self.name
        );
        for number in 1..self.depth {
            let outer = number - 1;
            writeln!(
                text,
                "%at{number} = OpExtInst %void %debug DebugInlinedAt %u1 %d_f %at{outer}"
            )
            .unwrap();
        }
        let last = self.depth - 1;
        text += &self.described;
        write!(
            text,
            "%main = OpFunction %void None %type
%start = OpLabel
%is = OpExtInst %void %debug DebugFunctionDefinition %d_main %main
%in_f = OpExtInst %void %debug DebugScope %d_f %at{last}
%line = OpExtInst %void %debug DebugLine %d_source %u1 %u1 %u0 %u0
{}OpReturn
OpFunctionEnd
",
            self.code
        )
        .unwrap();
        text
    }

    /// Shows it by a command, and checks that there is no more than there may be. Returns
    /// what is shown, and how many rows are said to be left out.
    fn shown(&self, command: &[&str], format: &str) -> (String, usize) {
        let dir = Dir::new();
        let module = dir.module("a.spv", &self.text());
        let arguments = [&["debug"], command, &["--format", format]].concat();
        let ran = dir.spv(&arguments);
        let shown = ran.text();
        // The row with which the budget is spent has one long name, or two.
        let most = BASE + FACTOR * module.len() + 4 * self.name.len() + 10_000;
        assert!(shown.len() < most, "{} of {most}", shown.len());
        let left_out = match format {
            "json" => {
                let end = shown.strip_suffix("}\n").expect("an object");
                let number = end.rsplit_once("],\"left_out\":").map(|(_, number)| number);
                number.map_or(0, |number| number.parse().expect("a number"))
            }
            _ => {
                let last = shown.lines().last().unwrap_or_default();
                let number = last
                    .strip_prefix("… ")
                    .and_then(|it| it.strip_suffix(" rows more"));
                number.map_or(0, |it| it.replace(',', "").parse().expect("a number"))
            }
        };
        (shown.to_owned(), left_out)
    }
}

#[test]
fn long_names_of_many_functions() {
    let product = Product {
        name: "n".repeat(60_000),
        depth: 1000,
        ..Product::new()
    };
    let (shown, left_out) = product.shown(&["lookup", "a.spv", "%here"], "json");
    let frames = shown.matches("\"function\":{").count();
    assert!(frames > 100, "{frames}");
    // The last is the function into which all were inlined.
    assert_eq!(frames + left_out, 1000 + 1);
    // People see less of it, and that is all.
    let (shown, left_out) = product.shown(&["lookup", "a.spv", "%here"], "human");
    assert_eq!(shown.matches("  inlined into function").count(), 1000);
    assert_eq!(left_out, 0);
}

#[test]
fn long_names_in_many_stretches() {
    let mut code = String::new();
    for number in 0..600 {
        let at = number % 2;
        writeln!(
            code,
            "%scope{number} = OpExtInst %void %debug DebugScope %d_f %at{at}\n%sum{number} = OpFAdd %float %one %one"
        )
        .unwrap();
    }
    let product = Product {
        name: "n".repeat(60_000),
        depth: 2,
        code,
        ..Product::new()
    };
    let (shown, left_out) = product.shown(&["scopes", "a.spv"], "json");
    assert!(left_out > 100, "{left_out}");
    assert!(shown.starts_with("{\"version\":1,\"stretches\":[{\"start\":"));
    // Each name is cut short for people.
    let (shown, left_out) = product.shown(&["scopes", "a.spv"], "human");
    assert_eq!(left_out, 0);
    assert!(shown.lines().count() > 600 && shown.len() < 4_000_000);
}

#[test]
fn long_names_of_many_variables() {
    let mut described = String::new();
    for number in 0..600 {
        writeln!(
            described,
            "%v{number} = OpExtInst %void %debug DebugLocalVariable %s_f %d_float %d_source %u1 %u1 %d_f %u0"
        )
        .unwrap();
    }
    let product = Product {
        name: "n".repeat(60_000),
        described,
        ..Product::new()
    };
    for command in [&["vars", "a.spv"][..], &["vars", "a.spv", "%here"]] {
        let (shown, left_out) = product.shown(command, "json");
        let variables = shown.matches("{\"variable\":").count();
        assert_eq!(variables + left_out, 600, "{command:?}");
        assert!(left_out > 100, "{command:?}");
        let (shown, left_out) = product.shown(command, "human");
        assert_eq!((shown.lines().count(), left_out), (600, 0), "{command:?}");
    }
}

#[test]
fn variables_of_many_functions() {
    let mut described = String::new();
    for number in 0..600 {
        writeln!(
            described,
            "%v{number} = OpExtInst %void %debug DebugLocalVariable %s_x %d_float %d_source %u1 %u1 %d_f %u0"
        )
        .unwrap();
    }
    let product = Product {
        depth: 600,
        described,
        ..Product::new()
    };
    let (shown, left_out) = product.shown(&["vars", "a.spv", "%here"], "human");
    assert_eq!(shown.lines().count() - 1 + left_out, 600 * 600);
}

#[test]
fn one_expression_of_many_variables() {
    let operations = " %plus".repeat(20_000);
    let mut described = format!(
        "%plus = OpExtInst %void %debug DebugOperation %u2
%expression = OpExtInst %void %debug DebugExpression{operations}
%v = OpExtInst %void %debug DebugLocalVariable %s_x %d_float %d_source %u1 %u1 %d_f %u0
"
    );
    described.push('\n');
    let mut code = String::new();
    for number in 0..400 {
        writeln!(
            code,
            "%value{number} = OpExtInst %void %debug DebugValue %v %one %expression"
        )
        .unwrap();
    }
    let product = Product {
        described,
        code,
        ..Product::new()
    };
    let (shown, left_out) = product.shown(&["vars", "a.spv"], "json");
    assert!(shown.contains("{\"operation\":"));
    // Of the last place some operations are missing, and all places after it.
    assert!(left_out > 100, "{left_out}");
    // People see the start of each.
    let (shown, left_out) = product.shown(&["vars", "a.spv"], "human");
    assert_eq!(shown.lines().count(), 401);
    assert_eq!(left_out, 0);
    assert!(shown.lines().skip(1).all(|line| line.ends_with(", …")));
}

#[test]
fn long_lists_in_the_dump() {
    let product = Product {
        name: "n".repeat(1000),
        described: format!(
            "%list = OpExtInst %void %debug DebugTypeFunction %u0{}\n",
            " %s_f".repeat(60_000)
        ),
        ..Product::new()
    };
    let (shown, left_out) = product.shown(&["dump", "a.spv"], "json");
    // Each has the quotation marks of the text, as escapes, and those of the string.
    let values = shown.matches("n\\\"\"").count();
    assert!(values > 1000 && left_out > 1000, "{values} {left_out}");
    // The entries after it are left out, too, and the one function.
    assert!(values + left_out >= 60_000);
}
