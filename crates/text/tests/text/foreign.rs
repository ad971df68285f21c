//! Files that are neither modules nor assembly.

use spirvkit_diagnostics::Location;
use spirvkit_text::{AssembleOptions, assemble, looks_like};

use crate::common::part;

/// What the one error of a text says, and where.
fn reported(text: &str) -> (String, &str) {
    let errors = assemble(text, &AssembleOptions::default()).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    assert_eq!(errors[0].rule(), "text.other-language", "{text}");
    assert!(errors[0].help().is_some());
    let message = errors[0].message();
    let name = message.strip_prefix("this looks like ").unwrap();
    let name = name.strip_suffix(", not SPIR-V assembly").unwrap();
    (name.to_owned(), part(text, &errors[0]))
}

#[test]
fn languages_are_recognized_by_what_they_alone_have() {
    for (text, name, place) in [
        ("#version 450\nvoid main() {}\n", "GLSL", "#version"),
        (
            "void main() {\n  gl_FragColor = vec4(1.0);\n}\n",
            "GLSL",
            "void main(",
        ),
        ("// a shader\nuniform sampler2D image;\n", "GLSL", "uniform"),
        (
            "in vec4 color;\nout vec4 result;\nvoid main() { result = color; }",
            "GLSL",
            "in vec",
        ),
        (
            "float4 main() : SV_Target { return float4(1, 0, 0, 1); }",
            "HLSL or Slang",
            "float4",
        ),
        (
            "[numthreads(8, 8, 1)]\nvoid main() {}\n",
            "HLSL or Slang",
            "[numthreads(",
        ),
        (
            "cbuffer Constants : register(b0) { float4x4 view; };\n",
            "HLSL or Slang",
            "cbuffer",
        ),
        (
            "[shader(\"compute\")]\nvoid main(ParameterBlock<P> p) {}",
            "HLSL or Slang",
            "[shader(\"",
        ),
        (
            "@vertex\nfn main() -> @builtin(position) vec4<f32> {}\n",
            "WGSL",
            "@vertex",
        ),
        ("fn main() { let x = vec4f(1.0); }\n", "WGSL", "fn main("),
        (
            "#include <metal_stdlib>\nusing namespace metal;\nkernel void f() {}\n",
            "Metal Shading Language",
            "#include <metal_",
        ),
        (
            "__kernel void add(__global float *a) { a[get_global_id(0)] = 1; }\n",
            "OpenCL C",
            "__kernel",
        ),
        (
            "kernel void add(global float *a) {}\n",
            "OpenCL C",
            "kernel void",
        ),
        (
            "; ModuleID = 'a.ll'\ntarget triple = \"spir64\"\n",
            "LLVM IR",
            "; ModuleID =",
        ),
        ("define void @f() {\n  ret void\n}\n", "LLVM IR", "define"),
        (
            "#pragma once\nstruct A { int a; };\n",
            "C or C++",
            "#pragma",
        ),
        ("{ \"name\": 1 }\n", "JSON", "{"),
        ("[\n  {}\n]\n", "JSON", "["),
        ("\u{feff}{}", "JSON", "{"),
        ("<!DOCTYPE html><html></html>", "XML or HTML", "<!DOCTYPE"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "a Git LFS pointer",
            "version https://git-lfs.",
        ),
    ] {
        assert_eq!(reported(text), (name.to_owned(), place), "{text}");
        assert!(looks_like(text.as_bytes()).is_some(), "{text}");
    }
}

#[test]
fn a_long_text_has_one_error_too() {
    let text = format!(
        "#version 450\n{}void main() {{}}\n",
        "int f(int a) { return a + 1; }\n".repeat(5000)
    );
    assert_eq!(reported(&text).0, "GLSL");
}

#[test]
fn assembly_is_never_taken_for_another_language() {
    let shader = "#version 450\\nlayout(location = 0) in vec4 gl_Position; void main() {}";
    for text in [
        // All of these have an error.
        format!("OpSource GLSL 450 %1 \"{shader}\" foo"),
        format!("OpSouce GLSL 450 %1 \"{shader}\""),
        format!("  %1 = OpString \"{shader}\"\n  OpFoo"),
        format!("%1 = OpStrin \"{shader}\""),
        format!("; {shader}\n%1 = OpTypeFoo"),
        format!("\u{feff}OpFoo\n{shader}"),
        // Little enough to go by.
        "void main".to_owned(),
        "my_layout(3)".to_owned(),
        "hello, world".to_owned(),
        "%1".to_owned(),
        "= 5".to_owned(),
    ] {
        let errors = assemble(&text, &AssembleOptions::default()).expect_err(&text);
        let other = errors
            .iter()
            .find(|error| error.rule() == "text.other-language");
        assert_eq!(other, None, "{text}");
    }
    // Nor is what has none.
    assert!(
        assemble(
            "; #version 450\n; void main() {}\n",
            &AssembleOptions::default()
        )
        .is_ok()
    );
}

#[test]
fn formats_are_recognized_by_their_first_bytes() {
    for (bytes, name) in [
        (&b"DXBC\0\0\0\0"[..], "DXIL"),
        (b"BC\xc0\xde\x35", "LLVM"),
        (b"MTLB", "Metal"),
        (b"\x7fELF\x02", "ELF"),
        (b"PK\x03\x04", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\x89PNG\r\n", "PNG"),
    ] {
        let found = looks_like(bytes).unwrap();
        assert_eq!(found.rule(), "binary.other-format");
        assert_eq!(found.location(), Location::None);
        assert!(found.message().contains(name), "{}", found.message());
    }
    for bytes in [
        &b""[..],
        b"\x03\x02\x23\x07",
        b"\0\0\0\0",
        b"DX",
        b"\xff\xff",
    ] {
        assert_eq!(looks_like(bytes), None, "{bytes:?}");
    }
}

#[test]
fn formats_have_their_place_in_a_text() {
    for text in ["\u{7f}ELF\u{2}é", "BZh\nOpFoo", "!<arch>\n", "PK\u{3}\u{4}"] {
        let errors = assemble(text, &AssembleOptions::default()).expect_err(text);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].rule(), "binary.other-format");
        assert!(text.starts_with(part(text, &errors[0])), "{errors:?}");
    }
}

#[test]
fn a_module_within_another_file_is_found() {
    let file = b"\x7fELF....\0\0\x03\x02\x23\x07\0\0\x01\0";
    let help = looks_like(file).unwrap();
    assert!(help.help().unwrap().ends_with("byte 10"), "{help:?}");
}
