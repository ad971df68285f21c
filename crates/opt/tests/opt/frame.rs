//! A shader around what a test is about, and what becomes of it as text.

use std::collections::HashMap;
use std::fmt::Write as _;

use spirvkit_opt::{Options, optimize};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

/// The start of a fragment shader: inputs `a`, `b` (float), `v` (vec4), `i`, `j` (int); outputs
/// `o` (float), `w` (vec4), `k` (int); `Private` variables `p`, `q` (float); a buffer `data` of
/// floats, one, `other`, of two, and one, `count`, of an integer.
pub(crate) const HEAD: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %a %b %v %i %j %o %w %k
OpExecutionMode %main OriginUpperLeft
OpName %a \"a\"
OpName %b \"b\"
OpName %v \"v\"
OpName %i \"i\"
OpName %j \"j\"
OpName %o \"o\"
OpName %w \"w\"
OpName %k \"k\"
OpName %p \"p\"
OpName %q \"q\"
OpName %data \"data\"
OpName %other \"other\"
OpName %count \"count\"
OpName %main \"main\"
";

pub(crate) const DECORATIONS: &str = "OpDecorate %a Location 0
OpDecorate %b Location 1
OpDecorate %v Location 2
OpDecorate %i Location 3
OpDecorate %i Flat
OpDecorate %j Location 4
OpDecorate %j Flat
OpDecorate %o Location 0
OpDecorate %w Location 1
OpDecorate %k Location 2
OpDecorate %floats ArrayStride 4
OpDecorate %Data Block
OpMemberDecorate %Data 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %Other Block
OpMemberDecorate %Other 0 Offset 0
OpMemberDecorate %Other 1 Offset 4
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
OpDecorate %Count Block
OpMemberDecorate %Count 0 Offset 0
OpDecorate %count DescriptorSet 0
OpDecorate %count Binding 2
";

pub(crate) const DECLARATIONS: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%floats = OpTypeRuntimeArray %float
%Data = OpTypeStruct %floats
%Other = OpTypeStruct %float %float
%Count = OpTypeStruct %int
%pair = OpTypeStruct %float %int
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%0 = OpConstant %int 0
%1 = OpConstant %int 1
%2 = OpConstant %int 2
%barrier = OpConstant %int 72
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%in_float = OpTypePointer Input %float
%in_vec4 = OpTypePointer Input %vec4
%in_int = OpTypePointer Input %int
%out_float = OpTypePointer Output %float
%out_vec4 = OpTypePointer Output %vec4
%out_int = OpTypePointer Output %int
%own_float = OpTypePointer Private %float
%to_float = OpTypePointer Function %float
%to_int = OpTypePointer Function %int
%to_pair = OpTypePointer Function %pair
%in_data = OpTypePointer StorageBuffer %float
%to_data = OpTypePointer StorageBuffer %Data
%in_count = OpTypePointer StorageBuffer %int
%to_count = OpTypePointer StorageBuffer %Count
%to_other = OpTypePointer StorageBuffer %Other
%a = OpVariable %in_float Input
%b = OpVariable %in_float Input
%v = OpVariable %in_vec4 Input
%i = OpVariable %in_int Input
%j = OpVariable %in_int Input
%o = OpVariable %out_float Output
%w = OpVariable %out_vec4 Output
%k = OpVariable %out_int Output
%p = OpVariable %own_float Private
%q = OpVariable %own_float Private
%data = OpVariable %to_data StorageBuffer
%other = OpVariable %to_other StorageBuffer
%count = OpVariable %to_count StorageBuffer
";

/// Optimizes a module that is valid, and checks that the result is, too.
#[track_caller]
pub(crate) fn optimized(module: &str) -> Vec<u32> {
    optimized_by(&Options::default(), module)
}

#[track_caller]
pub(crate) fn optimized_by(options: &Options, module: &str) -> Vec<u32> {
    let before = words(module);
    let report = validate(&before, &Default::default());
    assert!(report.is_valid(), "{:#?}\n{module}", report.diagnostics());
    let after = optimize(&before, options).unwrap().words;
    let report = validate(&after, &Default::default());
    let shown = text(&after);
    assert!(report.is_valid(), "{:#?}\n{shown}", report.diagnostics());
    after
}

/// The module with this body of `main`, and functions behind it.
pub(crate) fn module(decorations: &str, declarations: &str, body: &str) -> String {
    let main =
        format!("%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpFunctionEnd\n");
    [
        HEAD,
        DECORATIONS,
        decorations,
        DECLARATIONS,
        declarations,
        &main,
    ]
    .concat()
}

/// A text whose values without names are numbered as they appear, so that two texts that differ
/// only in numbers are the same.
pub(crate) fn renumbered(text: &str) -> String {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut result = String::new();
    for line in text.lines() {
        for (index, word) in line.split(' ').enumerate() {
            if index > 0 {
                result.push(' ');
            }
            match word
                .strip_prefix('%')
                .filter(|id| id.parse::<u32>().is_ok())
            {
                Some(id) => {
                    let next = numbers.len() + 1;
                    let number = *numbers.entry(id.to_owned()).or_insert(next);
                    let _ = write!(result, "%{number}");
                }
                None => result.push_str(word),
            }
        }
        result.push('\n');
    }
    result
}

/// The functions of a module as text.
pub(crate) fn functions(words: &[u32]) -> String {
    let text = text(words);
    let start = text.find("= OpFunction ").unwrap_or(text.len());
    let start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    renumbered(&text[start..])
}

/// The body of `main` without its first label, after it was optimized.
#[track_caller]
pub(crate) fn body(module: &str) -> String {
    let functions = functions(&optimized(module));
    let start = functions.find("%main = OpFunction").unwrap();
    let lines = functions[start..].lines().skip(2);
    let lines: Vec<&str> = lines.take_while(|line| *line != "OpFunctionEnd").collect();
    renumbered(&(lines.join("\n") + "\n"))
}

/// Checks what a body of `main` becomes.
#[track_caller]
pub(crate) fn becomes(before: &str, after: &str) {
    becomes_with("", "", before, after);
}

/// The same with more decorations and declarations.
#[track_caller]
pub(crate) fn becomes_with(decorations: &str, declarations: &str, before: &str, after: &str) {
    let found = body(&module(decorations, declarations, before));
    let expected = renumbered(&(after.trim_end().to_owned() + "\n"));
    assert!(found == expected, "found:\n{found}\nexpected:\n{expected}");
}
