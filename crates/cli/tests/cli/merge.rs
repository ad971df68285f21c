//! `spv merge`.

use crate::common::Dir;

fn shader(model: &str) -> String {
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"main\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%x = OpLabel
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn modules_become_one_in_the_byte_order_of_the_first() {
    let dir = Dir::new();
    dir.write("in/a.spvasm", shader("Vertex"));
    dir.write("in/b.spvasm", shader("GLCompute"));
    let ran = dir.spv(&["merge", "in/a.spvasm", "in/b.spvasm", "-o", "out.spv"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let listed = dir.spv(&["split", "--list", "out.spv"]);
    assert_eq!(listed.text(), "Vertex\tmain\nGLCompute\tmain\n");
    assert_eq!(dir.spv(&["merge", "in"]).bytes(), dir.read("out.spv"));
    dir.spv(&["as", "--big-endian", "in/a.spvasm", "-o", "big.spv"]);
    let big = dir.spv(&["merge", "big.spv", "in/b.spvasm"]);
    assert_eq!(big.bytes()[..4], [0x07, 0x23, 0x02, 0x03]);
}

#[test]
fn conflicts_name_the_files_and_nothing_is_written() {
    let dir = Dir::new();
    dir.write("a.spvasm", shader("Vertex"));
    dir.write("b.spvasm", shader("Vertex"));
    let merge = ["merge", "a.spvasm", "b.spvasm", "-o", "out.spv"];
    let ran = dir.spv(&merge);
    ran.fails(1, "link.duplicate-entry-point");
    assert!(
        ran.stderr.contains("`a.spvasm` and `b.spvasm`"),
        "{}",
        ran.stderr
    );
    dir.write("b.spvasm", "OpNonsense\n");
    dir.spv(&merge).fails(1, "b.spvasm:1:1");
    dir.spv(&["merge", "a.spvasm", "missing.spv", "-o", "out.spv"])
        .fails(1, "missing.spv");
    dir.spv(&["merge", "a.spvasm", "-o", "."])
        .fails(2, "must name a file");
    assert_eq!(dir.files(), ["a.spvasm", "b.spvasm"]);
}
