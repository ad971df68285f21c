//! Each option of the disassembler, on one small module. The texts are those of
//! the established disassembler for the same module.

use crate::common;

use common::{friendly, raw, text};
use spirvkit_binary::Endianness;
use spirvkit_grammar::{Generator, Version};
use spirvkit_testing::{assembled, words};
use spirvkit_text::{AssembleOptions, DisassembleOptions, Indentation, disassemble_bytes};

/// The module, as its text without header, indentation and friendly names.
const MODULE: &str = r#"OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %2 "main" %3
OpExecutionMode %2 LocalSize 64 1 1
OpSource GLSL 450
OpName %2 "main"
OpName %4 "buffer data"
OpDecorate %3 BuiltIn GlobalInvocationId
OpDecorate %4 Block
OpMemberDecorate %4 0 Offset 0
OpDecorate %5 DescriptorSet 0
OpDecorate %5 Binding 3
%6 = OpTypeVoid
%7 = OpTypeFunction %6
%8 = OpTypeInt 32 1
%9 = OpTypeBool
%10 = OpTypeInt 32 0
%11 = OpTypeVector %10 3
%12 = OpTypePointer Input %11
%4 = OpTypeStruct %8
%13 = OpTypePointer Uniform %4
%14 = OpConstant %8 -7
%3 = OpVariable %12 Input
%5 = OpVariable %13 Uniform
%15 = OpConstantTrue %9
%2 = OpFunction %6 None %7
%16 = OpLabel
OpBranch %17
%17 = OpLabel
OpLoopMerge %18 %19 None
OpBranchConditional %15 %20 %18
%18 = OpLabel
OpReturn
%20 = OpLabel
%21 = OpIAdd %8 %14 %14
OpBranch %19
%19 = OpLabel
OpBranch %17
OpFunctionEnd
"#;

/// With header, names and indentation, as by default.
const FULL: &str = r#"; SPIR-V
; Version: 1.0
; Generator: Khronos SPIR-V Tools Assembler; 0
; Bound: 22
; Schema: 0
               OpCapability Shader
          %1 = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID
               OpExecutionMode %main LocalSize 64 1 1
               OpSource GLSL 450
               OpName %main "main"
               OpName %buffer_data "buffer data"
               OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId
               OpDecorate %buffer_data Block
               OpMemberDecorate %buffer_data 0 Offset 0
               OpDecorate %5 DescriptorSet 0
               OpDecorate %5 Binding 3
       %void = OpTypeVoid
          %7 = OpTypeFunction %void
        %int = OpTypeInt 32 1
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
     %v3uint = OpTypeVector %uint 3
%_ptr_Input_v3uint = OpTypePointer Input %v3uint
%buffer_data = OpTypeStruct %int
%_ptr_Uniform_buffer_data = OpTypePointer Uniform %buffer_data
     %int_n7 = OpConstant %int -7
%gl_GlobalInvocationID = OpVariable %_ptr_Input_v3uint Input
          %5 = OpVariable %_ptr_Uniform_buffer_data Uniform
       %true = OpConstantTrue %bool
       %main = OpFunction %void None %7
         %16 = OpLabel
               OpBranch %17
         %17 = OpLabel
               OpLoopMerge %18 %19 None
               OpBranchConditional %true %20 %18
         %18 = OpLabel
               OpReturn
         %20 = OpLabel
         %21 = OpIAdd %int %int_n7 %int_n7
               OpBranch %19
         %19 = OpLabel
               OpBranch %17
               OpFunctionEnd
"#;

/// With comments, without header and indentation.
const COMMENTS: &str = r#"OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID
OpExecutionMode %main LocalSize 64 1 1

; Debug Information
OpSource GLSL 450
OpName %main "main"                                 ; id %2
OpName %buffer_data "buffer data"                   ; id %4

; Annotations
OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId
OpDecorate %buffer_data Block
OpMemberDecorate %buffer_data 0 Offset 0
OpDecorate %5 DescriptorSet 0
OpDecorate %5 Binding 3

; Types, variables and constants
%void = OpTypeVoid
%7 = OpTypeFunction %void
%int = OpTypeInt 32 1
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3uint = OpTypeVector %uint 3
%_ptr_Input_v3uint = OpTypePointer Input %v3uint
%buffer_data = OpTypeStruct %int                    ; Block
%_ptr_Uniform_buffer_data = OpTypePointer Uniform %buffer_data
%int_n7 = OpConstant %int -7
%gl_GlobalInvocationID = OpVariable %_ptr_Input_v3uint Input    ; BuiltIn GlobalInvocationId
%5 = OpVariable %_ptr_Uniform_buffer_data Uniform               ; DescriptorSet 0, Binding 3
%true = OpConstantTrue %bool

; Function main
%main = OpFunction %void None %7
%16 = OpLabel
OpBranch %17
%17 = OpLabel
OpLoopMerge %18 %19 None
OpBranchConditional %true %20 %18
%18 = OpLabel
OpReturn
%20 = OpLabel
%21 = OpIAdd %int %int_n7 %int_n7
OpBranch %19
%19 = OpLabel
OpBranch %17
OpFunctionEnd
"#;

/// Nested and reordered blocks, comments and offsets, without header.
const EVERYTHING: &str = r#"               OpCapability Shader                  ; 0x00000014
          %1 = OpExtInstImport "GLSL.std.450"       ; 0x0000001c
               OpMemoryModel Logical GLSL450        ; 0x00000034
               OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID   ; 0x00000040
               OpExecutionMode %main LocalSize 64 1 1                       ; 0x00000058

               ; Debug Information
               OpSource GLSL 450                                            ; 0x00000070
               OpName %main "main"                                          ; 0x0000007c, id %2
               OpName %buffer_data "buffer data"                            ; 0x0000008c, id %4

               ; Annotations
               OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId     ; 0x000000a0
               OpDecorate %buffer_data Block                                    ; 0x000000b0
               OpMemberDecorate %buffer_data 0 Offset 0                         ; 0x000000bc
               OpDecorate %5 DescriptorSet 0                                    ; 0x000000d0
               OpDecorate %5 Binding 3                                          ; 0x000000e0

               ; Types, variables and constants
       %void = OpTypeVoid                                                       ; 0x000000f0
          %7 = OpTypeFunction %void                                             ; 0x000000f8
        %int = OpTypeInt 32 1                                                   ; 0x00000104
       %bool = OpTypeBool                                                       ; 0x00000114
       %uint = OpTypeInt 32 0                                                   ; 0x0000011c
     %v3uint = OpTypeVector %uint 3                                             ; 0x0000012c
%_ptr_Input_v3uint = OpTypePointer Input %v3uint                                ; 0x0000013c
%buffer_data = OpTypeStruct %int                                                ; 0x0000014c, Block
%_ptr_Uniform_buffer_data = OpTypePointer Uniform %buffer_data                  ; 0x00000158
     %int_n7 = OpConstant %int -7                                               ; 0x00000168
%gl_GlobalInvocationID = OpVariable %_ptr_Input_v3uint Input                    ; 0x00000178, BuiltIn GlobalInvocationId
          %5 = OpVariable %_ptr_Uniform_buffer_data Uniform                     ; 0x00000188, DescriptorSet 0, Binding 3
       %true = OpConstantTrue %bool                                             ; 0x00000198


               ; Function main
       %main = OpFunction %void None %7                                         ; 0x000001a4

         %16 = OpLabel                                                          ; 0x000001b8
                 OpBranch %17                                                   ; 0x000001c0

         %17 = OpLabel                                                          ; 0x000001c8
                 OpLoopMerge %18 %19 None                                       ; 0x000001d0
                 OpBranchConditional %true %20 %18                              ; 0x000001e0

         %20 =     OpLabel                                                      ; 0x000001fc
         %21 =       OpIAdd %int %int_n7 %int_n7                                ; 0x00000204
                     OpBranch %19                                               ; 0x00000218

         %19 =   OpLabel                                                        ; 0x00000220
                   OpBranch %17                                                 ; 0x00000228

         %18 = OpLabel                                                          ; 0x000001f0
                 OpReturn                                                       ; 0x000001f8
               OpFunctionEnd                                                    ; 0x00000230
"#;

/// The function, with nested blocks in their own order, without indentation.
const NESTED: &str = r#"%main = OpFunction %void None %7

%16 = OpLabel
  OpBranch %17

%17 = OpLabel
  OpLoopMerge %18 %19 None
  OpBranchConditional %true %20 %18

%18 = OpLabel
  OpReturn

%20 =     OpLabel
%21 =       OpIAdd %int %int_n7 %int_n7
      OpBranch %19

%19 =   OpLabel
    OpBranch %17
OpFunctionEnd
"#;

/// The function with its blocks reordered, raw ids, without indentation.
const REORDERED: &str = r#"%2 = OpFunction %6 None %7
%16 = OpLabel
OpBranch %17
%17 = OpLabel
OpLoopMerge %18 %19 None
OpBranchConditional %15 %20 %18
%20 = OpLabel
%21 = OpIAdd %8 %14 %14
OpBranch %19
%19 = OpLabel
OpBranch %17
%18 = OpLabel
OpReturn
OpFunctionEnd
"#;

/// The first lines with offsets and raw ids: a long line moves the column.
const OFFSETS: &str = r#"               OpCapability Shader                  ; 0x00000014
          %1 = OpExtInstImport "GLSL.std.450"       ; 0x0000001c
               OpMemoryModel Logical GLSL450        ; 0x00000034
               OpEntryPoint GLCompute %2 "main" %3  ; 0x00000040
               OpExecutionMode %2 LocalSize 64 1 1  ; 0x00000058
               OpSource GLSL 450                    ; 0x00000070
               OpName %2 "main"                     ; 0x0000007c
               OpName %4 "buffer data"              ; 0x0000008c
               OpDecorate %3 BuiltIn GlobalInvocationId     ; 0x000000a0
               OpDecorate %4 Block                          ; 0x000000b0
               OpMemberDecorate %4 0 Offset 0               ; 0x000000bc
               OpDecorate %5 DescriptorSet 0                ; 0x000000d0
"#;

/// The module's words: version 1.0, written by the established assembler.
fn module() -> Vec<u32> {
    let options = AssembleOptions::default()
        .target(Some(Version::V1_0))
        .generator(Some(Generator(0x0007_0000)));
    assembled(MODULE, &options).words
}

#[test]
fn raw_text_is_what_was_assembled() {
    assert_eq!(text(&module(), &raw()), MODULE);
}

#[test]
fn the_default_has_header_names_and_indentation() {
    assert_eq!(text(&module(), &DisassembleOptions::default()), FULL);
}

#[test]
fn the_header_can_be_left_out() {
    let header_end = FULL.find("               OpCapability").unwrap();
    let options = DisassembleOptions::default().header(false);
    assert_eq!(text(&module(), &options), FULL[header_end..]);
}

#[test]
fn the_header_says_what_the_header_says() {
    let words = [0x0723_0203, 0x0001_0900, 0xffff_0003, 0, 7];
    assert_eq!(
        text(&words, &DisassembleOptions::default()),
        "; SPIR-V\n; Version: 1.9\n; Generator: Unknown(65535); 3\n; Bound: 0\n; Schema: 7\n"
    );
}

#[test]
fn indentation_puts_instructions_into_a_column() {
    // A result too long for the column moves its own line only.
    let options = friendly().indentation(Indentation::Column);
    let header_end = FULL.find("               OpCapability").unwrap();
    assert_eq!(text(&module(), &options), FULL[header_end..]);
    let unindented: String = FULL[header_end..]
        .lines()
        .map(|line| line.trim_start().to_owned() + "\n")
        .collect();
    assert_eq!(text(&module(), &friendly()), unindented);
}

#[test]
fn comments_head_sections_and_repeat_decorations() {
    assert_eq!(text(&module(), &friendly().comments(true)), COMMENTS);
}

#[test]
fn offsets_stand_in_a_column() {
    let options = raw().indentation(Indentation::Column).offsets(true);
    let found = text(&module(), &options);
    assert!(found.starts_with(OFFSETS), "{found}");
    assert!(
        found.ends_with("OpFunctionEnd                                ; 0x00000230\n"),
        "{found}"
    );
}

#[test]
fn blocks_can_be_indented_by_their_nesting() {
    let found = text(&module(), &friendly().nested_indentation(true));
    assert!(found.ends_with(NESTED), "{found}");
}

#[test]
fn blocks_can_be_reordered() {
    let found = text(&module(), &raw().reorder_blocks(true));
    assert!(found.ends_with(REORDERED), "{found}");
}

#[test]
fn options_combine() {
    let options = DisassembleOptions::default()
        .header(false)
        .nested_indentation(true)
        .reorder_blocks(true)
        .comments(true)
        .offsets(true);
    assert_eq!(text(&module(), &options), EVERYTHING);
}

#[test]
fn text_with_any_options_assembles_to_the_same_module_up_to_ids() {
    let assemble = |text: &str| {
        spirvkit_text::assemble(text, &Default::default())
            .unwrap()
            .words
    };
    let default = DisassembleOptions::default();
    let exact = [
        default.clone().friendly_names(false),
        default
            .clone()
            .friendly_names(false)
            .comments(true)
            .offsets(true),
        default
            .clone()
            .friendly_names(false)
            .nested_indentation(true),
        default
            .clone()
            .friendly_names(false)
            .handle_unknown_opcodes(true)
            .lenient(true),
    ];
    for options in exact {
        assert_eq!(
            assemble(&text(&module(), &options)),
            module(),
            "{options:?}"
        );
    }
    let named = assemble(FULL);
    assert_eq!(named.len(), module().len());
    assert_eq!(
        text(&named, &friendly()).lines().count(),
        MODULE.lines().count()
    );
}

#[test]
fn colour_marks_results_ids_numbers_and_strings() {
    let colored = text(&module(), &raw().color(true));
    let (blue, yellow, red, green, reset) =
        ("\x1b[34m", "\x1b[33m", "\x1b[31m", "\x1b[32m", "\x1b[0m");
    for expected in [
        format!("\n{blue}%8{reset} = OpTypeInt {red}32{reset} {red}1{reset}\n"),
        format!("OpName {yellow}%2{reset} \"{green}main{reset}\"\n"),
        format!("{blue}%14{reset} = OpConstant {yellow}%8{reset} {red}-7{reset}\n"),
    ] {
        assert!(colored.contains(&expected), "{expected:?} in {colored:?}");
    }
}

#[test]
fn colour_changes_nothing_else() {
    let everything = DisassembleOptions::default()
        .comments(true)
        .offsets(true)
        .nested_indentation(true);
    for options in [raw(), DisassembleOptions::default(), everything] {
        let colored = text(&module(), &options.clone().color(true));
        assert!(colored.contains('\x1b'));
        let (plain, expected) = (without_escapes(&colored), text(&module(), &options));
        for (line, expected) in plain.lines().zip(expected.lines()) {
            assert_eq!(line, expected);
        }
        assert_eq!(plain, expected);
    }
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn text_in_colour_assembles_again_whatever_its_strings_hold() {
    let controls = ('\u{1}'..='\u{1f}').chain('\u{7f}'..='\u{9f}');
    let directions = ('\u{2028}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
    let every: String = controls.chain(directions).collect();
    let source =
        format!("OpName %1 \"{every}\\\\u001b\\\"\\u0041\"\n%1 = OpString \"\\{every}\"\n");
    let words = words(&source);
    let plain = text(&words, &raw());
    assert!(plain.contains(&every), "elsewhere the text is exact");
    assert_eq!(common::body(&plain), words[5..]);
    let colored = without_escapes(&text(&words, &raw().color(true)));
    let acts = |c| spirvkit_diagnostics::is_disruptive(c) && c != '\n' && c != '\t';
    assert!(!colored.contains(acts), "{colored:?}");
    assert_eq!(common::body(&colored), words[5..], "{colored}");
}

#[test]
fn both_byte_orders_give_the_same_text() {
    for endianness in [Endianness::Little, Endianness::Big] {
        let bytes = spirvkit_binary::bytes_from_words(&module(), endianness);
        let found = disassemble_bytes(&bytes, &DisassembleOptions::default()).unwrap();
        assert_eq!(found.text, FULL);
        assert!(found.warnings.is_empty());
    }
}

#[test]
fn decorations_with_line_breaks_stay_in_their_comment() {
    let source = "OpDecorate %1 LinkageAttributes \"a\nOpNop\" Export %1 = OpTypeStruct";
    let words = words(source);
    let found = text(&words, &raw().comments(true));
    assert_eq!(common::body(&found), words[5..], "{found}");
}

#[test]
fn colour_does_not_move_the_comments_of_decorated_ids() {
    let source = "OpDecorate %1 DescriptorSet 0 OpDecorate %1 Binding 3 %1 = OpTypeStruct";
    let options = raw().comments(true).offsets(true);
    let words = words(source);
    let colored = without_escapes(&text(&words, &options.clone().color(true)));
    assert_eq!(colored, text(&words, &options));
}
