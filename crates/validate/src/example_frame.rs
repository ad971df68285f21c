//! The modules around the rules' examples.

use spirvkit_grammar::{TargetEnv, Version};

use crate::rule::Frame;

const SHADER: &str = include_str!("frames/shader.spvasm");
const FRAGMENT: &str = include_str!("frames/fragment.spvasm");
const DEVICE: &str = include_str!("frames/device.spvasm");
const PIPELINE: &str = include_str!("frames/pipeline.spvasm");
const KERNEL: &str = include_str!("frames/kernel.spvasm");

/// Where a line of a piece belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Header,
    Capability,
    Extension,
    Import,
    MemoryModel,
    EntryPoint,
    Mode,
    Debug,
    Annotation,
    Global,
    Entry,
    Body,
    Exit,
    Function,
}

/// The line of a frame, or between the parts of a piece, that stands for what the other has.
const GAP: &str = "; ...\n";

/// The parts of a piece in the gaps of a frame, in order.
pub(crate) fn fill(frame: &str, piece: &str) -> String {
    let mut parts = piece.split(GAP);
    let filled = lines_of(frame).split(GAP).enumerate().map(|(index, text)| {
        let part = if index == 0 { None } else { parts.next() };
        [part.unwrap_or_default(), text].concat()
    });
    filled.collect()
}

/// A frame's text without its first line, which says what it is.
fn lines_of(frame: &str) -> &str {
    frame.split_once('\n').map_or("", |(_, lines)| lines)
}

type Line<'t> = (Place, &'t str);

/// The whole module of a piece of assembly text. Each line goes where its
/// opcode belongs; lines with `OpMemoryModel` or `OpEntryPoint` replace the
/// frame's; lines from an `OpFunction` to its `OpFunctionEnd` come behind the
/// frame's function, and others end up in the body of that function, which
/// returns after them unless they end with a terminator. The frame's own entry
/// point lists the variables that it must.
pub(crate) fn module(frame: Frame, env: TargetEnv, piece: &str) -> String {
    let frames: &[&str] = match frame {
        Frame::Whole | Frame::DataGraph => return piece.to_owned(),
        Frame::Shader | Frame::Limited => &[SHADER],
        Frame::Device | Frame::OldDevice => &[DEVICE],
        Frame::Fragment => &[SHADER, FRAGMENT],
        Frame::Pipeline | Frame::PipelineLayout | Frame::PipelineHeap | Frame::PipelineDevice => {
            &[PIPELINE]
        }
        Frame::Kernel => &[KERNEL],
    };
    let mut all = Vec::new();
    for frame in frames {
        add(&mut all, frame_lines(frame));
    }
    let piece = piece_lines(piece);
    let has_entry_point = has(&piece, "OpEntryPoint");
    add(&mut all, piece);
    let interface = match has_entry_point {
        true => String::new(),
        false => interface(env, &all),
    };
    // The sort is stable: lines of one place stay in order.
    all.sort_by_key(|line| line.0);
    let last = all.iter().rfind(|line| line.0 == Place::Body);
    let ends = last.is_some_and(|line| TERMINATORS.contains(&opcode(line.1)));
    all.retain(|line| !(ends && line.0 == Place::Exit && opcode(line.1) == "OpReturn"));
    let written = all.iter().flat_map(|line| match line.0 {
        Place::EntryPoint => [line.1, &*interface, "\n"],
        _ => [line.1, "", "\n"],
    });
    written.collect()
}

/// The lines of a frame; the function around its gap is apart from what goes there.
fn frame_lines(frame: &str) -> Vec<Line<'_>> {
    let (before, after) = lines_of(frame)
        .split_once(GAP)
        .unwrap_or((lines_of(frame), ""));
    let before = before.lines().map(|line| match opcode(line) {
        "OpFunction" | "OpLabel" => (Place::Entry, line),
        _ => (place(line), line),
    });
    let after = after.lines().map(|line| (Place::Exit, line));
    before.chain(after).collect()
}

/// The lines of a piece.
fn piece_lines(piece: &str) -> Vec<Line<'_>> {
    let mut in_function = false;
    let lines = piece.lines().map(str::trim).filter(|line| !line.is_empty());
    let placed = lines.map(|line| {
        in_function |= opcode(line) == "OpFunction";
        let place = match in_function {
            true => Place::Function,
            false => place(line),
        };
        in_function &= opcode(line) != "OpFunctionEnd";
        (place, line)
    });
    placed.collect()
}

/// Adds lines, which replace some that can't stand twice.
fn add<'t>(all: &mut Vec<Line<'t>>, more: Vec<Line<'t>>) {
    let replaces_modes = has(&more, "OpExecutionMode") || has(&more, "OpExecutionModeId");
    all.retain(|line| match opcode(line.1) {
        single @ ("OpMemoryModel" | "OpEntryPoint") => !has(&more, single),
        "OpExecutionMode" => !replaces_modes,
        _ => true,
    });
    all.extend(more);
}

/// Whether lines outside of functions have this opcode.
fn has(lines: &[Line<'_>], wanted: &str) -> bool {
    let mut outside = lines.iter().filter(|line| line.0 != Place::Function);
    outside.any(|line| opcode(line.1) == wanted)
}

/// The variables that are used in functions and that the entry point lists:
/// input and output, and since version 1.4 all others, too.
fn interface(env: TargetEnv, lines: &[Line<'_>]) -> String {
    let lists_all = env.version() >= Version::V1_4;
    let is_used = |name: &str| {
        let mut bodies = lines.iter().filter(|line| line.0 >= Place::Body);
        bodies.any(|line| line.1.split_whitespace().any(|word| word == name))
    };
    let globals = lines.iter().filter(|line| line.0 == Place::Global);
    let names = globals.filter_map(|line| {
        let mut words = line.1.split_whitespace();
        let name = words.next()?;
        let opcode = words.nth(1)?;
        let class = words.nth(1)?;
        let is_variable = matches!(opcode, "OpVariable" | "OpUntypedVariableKHR");
        let is_listed = lists_all || matches!(class, "Input" | "Output");
        (is_variable && is_listed && is_used(name)).then_some(name)
    });
    names.flat_map(|name| [" ", name]).collect()
}

const TERMINATORS: &[&str] = &[
    "OpBranch",
    "OpBranchConditional",
    "OpSwitch",
    "OpReturn",
    "OpReturnValue",
    "OpKill",
    "OpUnreachable",
    "OpTerminateInvocation",
    "OpIgnoreIntersectionKHR",
    "OpTerminateRayKHR",
    "OpEmitMeshTasksEXT",
    "OpAbortKHR",
];

/// The opcode's name in a line of assembly.
fn opcode(line: &str) -> &str {
    let mut words = line.split_whitespace();
    let mut word = words.next().unwrap_or_default();
    if word.starts_with('%') {
        word = words.nth(1).unwrap_or_default();
    }
    word
}

fn place(line: &str) -> Place {
    let opcode = opcode(line);
    match opcode {
        // The version, which is read at the top.
        ";" => Place::Header,
        "OpVariable" | "OpUntypedVariableKHR" => {
            match line.split_whitespace().nth(4) == Some("Function") {
                true => Place::Body,
                false => Place::Global,
            }
        }
        "OpCapability" | "OpConditionalCapabilityINTEL" => Place::Capability,
        "OpExtension" | "OpConditionalExtensionINTEL" => Place::Extension,
        "OpExtInstImport" => Place::Import,
        "OpMemoryModel" | "OpSamplerImageAddressingModeNV" => Place::MemoryModel,
        "OpEntryPoint" | "OpConditionalEntryPointINTEL" => Place::EntryPoint,
        "OpExecutionMode" | "OpExecutionModeId" => Place::Mode,
        "OpString" | "OpSource" | "OpSourceExtension" | "OpSourceContinued" | "OpName"
        | "OpMemberName" | "OpModuleProcessed" => Place::Debug,
        // They stand between both.
        "OpAliasDomainDeclINTEL" | "OpAliasScopeDeclINTEL" | "OpAliasScopeListDeclINTEL" => {
            Place::Debug
        }
        "OpDecorationGroup" => Place::Annotation,
        _ if opcode.contains("Decorate") => Place::Annotation,
        "OpAsmTargetINTEL" | "OpAsmINTEL" => Place::Global,
        _ if opcode.starts_with("OpType")
            || opcode.starts_with("OpConstant")
            || opcode.starts_with("OpSpecConstant") =>
        {
            Place::Global
        }
        _ => Place::Body,
    }
}
