//! What else a file may be that is given as a module or as assembly text.

use memchr::memmem;
use spirvkit_diagnostics::{Diagnostic, Span};

use crate::kinds;
use crate::lexer::{is_opcode_name, start_of};

/// Says what the bytes of a file look like that is neither a module nor assembly text: the
/// source of a shading language, say, or a container of another kind of code. `None` for
/// what looks like nothing known, and for whatever may be assembly text.
///
/// ```
/// let found = spirvkit_text::looks_like(b"\x7fELF\x02\x01\x01").unwrap();
/// assert_eq!(found.rule(), "binary.other-format");
/// assert!(spirvkit_text::looks_like(b"OpNop ; layout(location = 0)").is_none());
/// ```
pub fn looks_like(bytes: &[u8]) -> Option<Diagnostic> {
    match Format::of(bytes) {
        Some(format) => Some(other_format(format, bytes)),
        None => str::from_utf8(bytes).ok().and_then(other_language),
    }
}

/// The same of a text, in which whatever is found has its place.
pub(crate) fn text_looks_like(text: &str) -> Option<Diagnostic> {
    let bytes = text.as_bytes();
    match Format::of(bytes) {
        Some(format) => {
            let (start, end) = (0, format.magic.len());
            Some(other_format(format, bytes).at_span(Span { start, end }))
        }
        None => other_language(text),
    }
}

/// A kind of file that is reported by its first bytes.
struct Format {
    magic: &'static [u8],
    /// With its article.
    name: &'static str,
    help: &'static str,
}

impl Format {
    fn of(bytes: &[u8]) -> Option<&'static Self> {
        FORMATS
            .iter()
            .find(|format| bytes.starts_with(format.magic))
    }
}

const fn format(magic: &'static [u8], name: &'static str, help: &'static str) -> Format {
    Format { magic, name, help }
}

const COMPILE_HLSL: &str = "compile the HLSL to SPIR-V instead, with `dxc -spirv`";
const COMPILE_LLVM: &str = "`llvm-spirv` converts LLVM bitcode to SPIR-V";
const NO_METAL: &str =
    "compiled Metal code can't be converted to SPIR-V: compile the source it was made from";
const TAKE_OUT: &str = "extract the SPIR-V module from it first";
const UNPACK: &str = "unpack it first";
const NO_CODE: &str = "it contains no code";

static FORMATS: [Format; 22] = [
    format(b"DXBC", "a DXBC or DXIL container", COMPILE_HLSL),
    format(b"BC\xc0\xde", "LLVM bitcode", COMPILE_LLVM),
    format(b"\xde\xc0\x17\x0b", "LLVM bitcode", COMPILE_LLVM),
    format(b"MTLB", "a Metal library", NO_METAL),
    format(
        b"LOMS",
        "a SMOL-V file, which is compressed SPIR-V",
        "`smolv` decodes it",
    ),
    format(b"\x7fELF", "an ELF file", TAKE_OUT),
    format(b"\xcf\xfa\xed\xfe", "a Mach-O file", TAKE_OUT),
    format(b"\xce\xfa\xed\xfe", "a Mach-O file", TAKE_OUT),
    format(b"MZ\x90\0", "a Windows program or library", TAKE_OUT),
    format(b"!<arch>\n", "an archive of object files", TAKE_OUT),
    format(b"\0asm", "a WebAssembly module", TAKE_OUT),
    format(b"PK\x03\x04", "a zip archive", UNPACK),
    format(b"\x1f\x8b", "a gzip file", UNPACK),
    format(b"\x28\xb5\x2f\xfd", "a Zstandard file", UNPACK),
    format(b"\xfd7zXZ\0", "an xz file", UNPACK),
    format(b"BZh", "a bzip2 file", UNPACK),
    format(b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    format(b"\x89PNG", "a PNG image", NO_CODE),
    format(b"\xff\xd8\xff", "a JPEG image", NO_CODE),
    format(b"\xabKTX ", "a KTX texture", NO_CODE),
    format(b"DDS ", "a DDS texture", NO_CODE),
    format(b"glTF", "a glTF model", NO_CODE),
];

fn other_format(format: &Format, bytes: &[u8]) -> Diagnostic {
    let message = format!("this looks like {}, not a SPIR-V module", format.name);
    let diagnostic = kinds::OTHER_FORMAT.error(message);
    let magic = spirvkit_binary::MAGIC;
    let orders = [magic.to_le_bytes(), magic.to_be_bytes()];
    let module = orders
        .iter()
        .filter_map(|word| memmem::find(bytes, word))
        .min();
    diagnostic.with_help(match module {
        Some(at) => format!("{}: one seems to start at byte {at}", TAKE_OUT),
        None => format.help.to_owned(),
    })
}

/// A language, or a kind of text, that is reported by what is in it.
struct Language {
    name: &'static str,
    help: &'static str,
    /// What hardly any other language has. One piece of it is enough.
    own: &'static [&'static str],
    /// What other languages have, too.
    shared: &'static [&'static str],
}

const C_HELP: &str =
    "arrays of a module's words or bytes can be read, but this one contains no SPIR-V magic number";

/// The languages, those that include others' markers first.
static LANGUAGES: [Language; 9] = [
    Language {
        name: "a Git LFS pointer",
        help: "`git lfs pull` downloads the file itself",
        own: &["version https://git-lfs."],
        shared: &[],
    },
    Language {
        name: "XML or HTML",
        help: "the file may be a page that was downloaded instead of the file",
        own: &["<?xml", "<!DOCTYPE", "<!doctype", "<html"],
        shared: &[],
    },
    Language {
        name: "LLVM IR",
        help: "`llvm-as` and `llvm-spirv`, or `llc -mtriple=spirv64`, convert it to SPIR-V",
        own: &[
            "; ModuleID =",
            "target triple =",
            "target datalayout =",
            "source_filename =",
        ],
        shared: &[
            "define ",
            "declare ",
            "getelementptr ",
            "alloca ",
            "ret void",
        ],
    },
    Language {
        name: "WGSL",
        help: "compile it first, for instance with `naga FILE FILE.spv`, or `tint` and `--format spirv`",
        own: &[
            "@vertex",
            "@fragment",
            "@compute",
            "@group(",
            "@builtin(",
            "@workgroup_size(",
            "var<storage",
            "var<uniform",
            "var<workgroup",
            "vec2<f32>",
            "vec3<f32>",
            "vec4<f32>",
        ],
        shared: &["fn main(", "@location(", "vec4f(", "-> vec4f"],
    },
    Language {
        name: "Metal Shading Language",
        help: NO_METAL,
        own: &[
            "#include <metal_",
            "using namespace metal",
            "[[buffer(",
            "[[texture(",
            "[[position]]",
            "[[stage_in]]",
            "[[thread_position_in_grid]]",
            "[[vertex_id]]",
        ],
        shared: &["kernel void"],
    },
    Language {
        name: "OpenCL C",
        help: "compile it first, for instance with `clang --target=spirv64 -c FILE -o FILE.spv`",
        own: &[
            "__kernel",
            "get_global_id(",
            "get_local_id(",
            "__global ",
            "__local ",
        ],
        shared: &["kernel void", "global float", "global int", "global uint"],
    },
    Language {
        name: "HLSL or Slang",
        help: "compile it first, for instance with `dxc -spirv -T ps_6_0 -E main FILE -Fo FILE.spv`, or \
               `slangc FILE -target spirv -o FILE.spv`",
        own: &[
            "SV_Position",
            "SV_POSITION",
            "SV_Target",
            "SV_TARGET",
            "SV_VertexID",
            "SV_DispatchThreadID",
            "SV_GroupID",
            "[numthreads(",
            "register(",
            "cbuffer ",
            "StructuredBuffer<",
            "ConstantBuffer<",
            "ParameterBlock<",
            "Texture2D",
            "SamplerState",
            "[shader(\"",
            "[[vk::",
        ],
        shared: &["float4 ", "float3 ", "float4(", "float4x4 ", "mul("],
    },
    Language {
        name: "GLSL",
        help: "compile it first, for instance with `glslangValidator -V FILE -o FILE.spv`, which goes by the file \
               extension (`.vert`, `.frag`, `.comp`, …), or with `glslc FILE -o FILE.spv`",
        own: &[
            "#version ",
            "#extension GL_",
            "gl_Position",
            "gl_FragCoord",
            "gl_FragColor",
            "gl_GlobalInvocationID",
            "gl_VertexIndex",
            "gl_VertexID",
            "layout(",
            "layout (",
            "sampler2D",
            "precision mediump",
            "precision highp",
        ],
        shared: &[
            "void main(",
            "uniform ",
            "varying ",
            "attribute ",
            "in vec",
            "out vec",
            "vec4(",
            "vec3(",
        ],
    },
    Language {
        name: "C or C++",
        help: C_HELP,
        own: &["#include ", "#pragma ", "#ifndef ", "#ifdef ", "int main("],
        shared: &[
            "struct ",
            "const ",
            "static ",
            "unsigned ",
            "void ",
            "uint32_t",
        ],
    },
];

/// No text is looked at any further.
const MAX_SAMPLE_LENGTH: usize = 1 << 16;

/// Says what a text looks like that is not assembly, at the first place that tells.
fn other_language(text: &str) -> Option<Diagnostic> {
    if has_instructions(text) {
        return None;
    }
    if let Some(place) = json_start(text) {
        return Some(not_assembly(
            "JSON",
            "give the module's own file, not one that describes it",
            place,
        ));
    }
    let mut end = text.len().min(MAX_SAMPLE_LENGTH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let sample = &text[..end];
    let mut best: Option<(usize, &Language, Span)> = None;
    for language in &LANGUAGES {
        let Some((score, place)) = language.score(sample) else {
            continue;
        };
        if score >= 2 && best.is_none_or(|(highest, ..)| score > highest) {
            best = Some((score, language, place));
        }
    }
    let (_, language, place) = best?;
    Some(not_assembly(language.name, language.help, place))
}

fn not_assembly(name: &str, help: &str, place: Span) -> Diagnostic {
    let message = format!("this looks like {name}, not SPIR-V assembly");
    let diagnostic = kinds::OTHER_LANGUAGE.error(message);
    diagnostic.at_span(place).with_help(help)
}

/// Whether an instruction starts in some line of a text, known or not.
fn has_instructions(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line[start_of(line)..].trim_start();
        let instruction = match line.strip_prefix('%') {
            Some(_) => line
                .split_once('=')
                .map_or("", |(_, right)| right.trim_start()),
            None => line,
        };
        let word = instruction
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next();
        word.is_some_and(is_opcode_name)
    })
}

impl Language {
    /// How much of a language a text has, and the first place of it.
    fn score(&self, text: &str) -> Option<(usize, Span)> {
        let own = self.own.iter().map(|marker| (marker, 2));
        let shared = self.shared.iter().map(|marker| (marker, 1));
        let found = own
            .chain(shared)
            .filter_map(|(marker, score)| Some((score, find_word(text, marker)?)));
        found.reduce(|(score, place), (more, another)| {
            let first = if another.start < place.start {
                another
            } else {
                place
            };
            (score + more, first)
        })
    }
}

/// The first place of a marker that is not the middle of a word.
fn find_word(text: &str, marker: &str) -> Option<Span> {
    let within_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        before.is_some_and(is_name) && marker.starts_with(is_name)
    };
    let start = text
        .match_indices(marker)
        .map(|(at, _)| at)
        .find(|&at| !within_word(at))?;
    let end = start + marker.trim_end().len();
    Some(Span { start, end })
}

/// Where a text starts as an object or array of JSON does.
fn json_start(text: &str) -> Option<Span> {
    let code = text[start_of(text)..].trim_start();
    let start = text.len() - code.len();
    let mut characters = code.chars().filter(|c| !c.is_whitespace());
    let is_json = match (characters.next()?, characters.next()?) {
        ('{', second) => matches!(second, '"' | '}'),
        ('[', second) => matches!(second, '"' | '{' | ']'),
        _ => false,
    };
    is_json.then_some(Span {
        start,
        end: start + 1,
    })
}
