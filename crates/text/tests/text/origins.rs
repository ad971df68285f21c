//! The ways between a module's words and text: where each instruction came from,
//! and single instructions shown.

use spirvkit_diagnostics::{Location, ShaderLine, Span};
use spirvkit_grammar::Version;
use spirvkit_text::{AssembleOptions, Assembled, assemble, excerpts};

const TEXT: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
%file = OpString \"src/a.hlsl\"
OpLine %file 12 3
%float = OpTypeFloat
    32 ; on two lines
%7 = OpTypeVector %float 2
";

fn assembled(options: &AssembleOptions) -> Assembled {
    assemble(TEXT, options).unwrap()
}

/// The word offset of each instruction.
fn offsets(words: &[u32]) -> Vec<usize> {
    let mut offsets = Vec::new();
    let mut next = 5;
    while next < words.len() {
        offsets.push(next);
        next += (words[next] >> 16) as usize;
    }
    offsets
}

#[test]
fn every_word_leads_to_the_text_of_its_instruction() {
    let module = assembled(&AssembleOptions::default().origins(true));
    let offsets = offsets(&module.words);
    let shown = |offset| {
        module
            .origins
            .span(offset)
            .map(|Span { start, end }| &TEXT[start..end])
    };
    assert_eq!(shown(0), None);
    assert_eq!(shown(4), None);
    assert_eq!(shown(offsets[0]), Some("OpCapability Shader"));
    assert_eq!(shown(offsets[0] + 1), Some("OpCapability Shader"));
    assert_eq!(shown(offsets[4]), Some("%float = OpTypeFloat\n    32"));
    assert_eq!(shown(offsets[5] + 3), Some("%7 = OpTypeVector %float 2"));
    let elsewhere = Location::None;
    assert_eq!(module.origins.locate(TEXT, elsewhere), elsewhere);
    let word = Location::Word(offsets[0]);
    assert_eq!(
        module.origins.locate(TEXT, word),
        Location::Span(Span { start: 0, end: 19 })
    );
}

#[test]
fn names_are_those_of_the_text_and_numbers_have_none() {
    let module = assembled(&AssembleOptions::default().origins(true));
    let mut names: Vec<&str> = module.origins.names().map(|(_, name)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["file", "float"]);
}

#[test]
fn origins_are_kept_only_if_asked_for() {
    let module = assembled(&AssembleOptions::default());
    assert_eq!(module.origins.span(5), None);
    assert_eq!(module.origins.names().count(), 0);
}

#[test]
fn the_default_version_yields_to_what_the_text_and_the_target_say() {
    let version = |text: &str, options: &AssembleOptions| assemble(text, options).unwrap().words[1];
    let options = AssembleOptions::default().default_version(Version::V1_3);
    assert_eq!(version("OpNop", &options), 0x1_0300);
    assert_eq!(
        version("; SPIR-V\n; Version: 1.1\nOpNop", &options),
        0x1_0100
    );
    assert_eq!(
        version("OpNop", &options.target(Some(Version::V1_5))),
        0x1_0500
    );
    assert_eq!(version("OpNop", &AssembleOptions::default()), 0x1_0600);
}

#[test]
fn instructions_are_shown_with_numbers_and_the_shader_line() {
    let module = assembled(&AssembleOptions::default());
    let offsets = offsets(&module.words);
    // In any order, again, and where no instruction starts.
    let wanted = [offsets[5], offsets[0], offsets[5], offsets[0] + 1, 0];
    let shown = excerpts(&module.words, &wanted);
    let text: Vec<&str> = shown.iter().map(|excerpt| excerpt.text.as_str()).collect();
    let vector = "%7 = OpTypeVector %2 2";
    assert_eq!(text, [vector, "OpCapability Shader", vector, "", ""]);
    let mut line = ShaderLine::new("src/a.hlsl", 12);
    line.column = Some(3);
    assert_eq!(shown[0].shader_line, Some(line));
    assert_eq!(shown[1].shader_line, None);
}

#[test]
fn a_string_that_is_shown_still_names_its_file() {
    let module = assembled(&AssembleOptions::default());
    let offsets = offsets(&module.words);
    let shown = excerpts(&module.words, &[offsets[2], offsets[4]]);
    assert!(shown[0].text.ends_with("= OpString \"src/a.hlsl\""));
    assert_eq!(shown[1].shader_line.as_ref().unwrap().file, "src/a.hlsl");
}

#[test]
fn what_can_not_be_decoded_is_shown_word_by_word() {
    let mut words = assembled(&AssembleOptions::default()).words;
    let last = *offsets(&words).last().unwrap();
    words[last] = 4 << 16 | 0xfff0;
    let shown = excerpts(&words, &[last]);
    assert!(
        shown[0].text.starts_with("OpUnknown(65520, 4) "),
        "{shown:?}"
    );
    assert_eq!(excerpts(&[1, 2, 3], &[0])[0].text, "");
}

const WITH_SOURCE: &str = "OpCapability Shader
%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%file = OpString \"a.comp\"
%other = OpString \"b.comp\"
%text = OpString \"first
  second
third\"
OpSource GLSL 450 %other \"void main() {
  spin();
}\"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%two = OpConstant %u32 2
%three = OpConstant %u32 3
%source = OpExtInst %void %debug DebugSource %file %text
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpLine %other 2 3
%one = OpUndef %u32
OpLine %other 1 0
%next = OpUndef %u32
%line = OpExtInst %void %debug DebugLine %source %two %two %three %three
%last = OpUndef %u32
OpReturn
OpFunctionEnd
";

#[test]
fn shader_lines_have_their_columns_and_texts() {
    let module = assemble(WITH_SOURCE, &AssembleOptions::default()).unwrap();
    let undefined = offsets(&module.words)
        .into_iter()
        .filter(|&offset| module.words[offset] & 0xffff == 1);
    let undefined: Vec<usize> = undefined.collect();
    let shown = excerpts(&module.words, &undefined);
    let lines: Vec<(String, Option<&str>)> = shown
        .iter()
        .map(|excerpt| excerpt.shader_line.as_ref().unwrap())
        .map(|line| (line.to_string(), line.text.as_deref()))
        .collect();
    assert_eq!(
        lines,
        [
            ("b.comp:2:3".to_owned(), Some("  spin();")),
            ("b.comp:1".to_owned(), Some("void main() {")),
            ("a.comp:2:3".to_owned(), Some("  second")),
        ]
    );
}

#[test]
fn words_lead_to_operands_in_the_text_and_in_excerpts() {
    let module = assembled(&AssembleOptions::default().origins(true));
    let offsets = offsets(&module.words);
    let of_text = |word| {
        let span = module.origins.operand(TEXT, word);
        span.map(|Span { start, end }| &TEXT[start..end])
    };
    assert_eq!(of_text(offsets[4]), None);
    assert_eq!(of_text(offsets[4] + 1), Some("%float"));
    assert_eq!(of_text(offsets[4] + 2), Some("32"));
    assert_eq!(of_text(offsets[5] + 3), Some("2"));
    assert_eq!(of_text(offsets[2] + 3), Some("\"src/a.hlsl\""));
    assert_eq!(of_text(3), None);
    assert_eq!(of_text(module.words.len()), None);
    let excerpt = &excerpts(&module.words, &[offsets[5]])[0];
    let quote = excerpt.quote(2);
    let Span { start, end } = quote.operand().unwrap();
    assert_eq!(&quote.text()[start..end], "%2");
    assert_eq!(excerpt.quote(0).operand(), None);
    let Location::Span(span) = module.origins.locate(TEXT, Location::Word(offsets[5] + 2)) else {
        panic!("no span");
    };
    assert_eq!(&TEXT[span.start..span.end], "%float");
}

#[test]
fn declarations_have_the_places_that_debug_instructions_give_them() {
    let text = "OpCapability Shader
%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
%file = OpString \"a.comp\"
%text = OpString \"buffer;
  void main()\"
OpDecorate %variable Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%ptr = OpTypePointer Private %u32
%variable = OpVariable %ptr Private
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%three = OpConstant %u32 3
%source = OpExtInst %void %debug DebugSource %file %text
%unit = OpExtInst %void %debug DebugCompilationUnit %one %one %source %two
%kind = OpExtInst %void %debug DebugTypeBasic %file %one %one %zero
%signature = OpExtInst %void %debug DebugTypeFunction %zero %void
%described = OpExtInst %void %debug DebugFunction %file %signature %source %two %three %unit %file %zero %two
%global = OpExtInst %void %debug DebugGlobalVariable %file %kind %source %one %one %unit %file %variable %zero
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
%definition = OpExtInst %void %debug DebugFunctionDefinition %described %main
OpReturn
OpFunctionEnd
";
    let options = AssembleOptions::default().origins(true);
    let module = assemble(text, &options).unwrap();
    let place = |start: &str| {
        let mut all = offsets(&module.words).into_iter();
        let offset = all.find(|&offset| {
            let span = module.origins.span(offset).unwrap();
            text[span.start..].starts_with(start)
        });
        let shown = excerpts(&module.words, &[offset.unwrap()]);
        let line = shown[0].shader_line.clone()?;
        Some((line.to_string(), line.text.unwrap().to_string()))
    };
    let declared = |place: &str, text: &str| Some((place.to_owned(), text.to_owned()));
    for start in ["%variable =", "OpDecorate"] {
        assert_eq!(place(start), declared("a.comp:1:1", "buffer;"), "{start}");
    }
    for start in ["%main =", "OpEntryPoint"] {
        assert_eq!(
            place(start),
            declared("a.comp:2:3", "  void main()"),
            "{start}"
        );
    }
    assert_eq!(place("%ptr ="), None);
}
