//! Debug information.

use spirvkit::grammar::{Op, StorageClass};

use super::maker::Maker;
use super::{Shape, shape};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "shared-source",
        "sources × lines of their text",
        shared_source,
    ),
    shape(
        "long-file-name",
        "positions × name of the file",
        long_file_name,
    ),
    shape(
        "long-source-line",
        "instructions × line of source",
        long_source_line,
    ),
    shape("many-sources", "files × files", many_sources),
    shape("same-file", "sources × the same name", same_file),
    shape(
        "long-debug-name",
        "scopes and types × name",
        long_debug_name,
    ),
    shape("nested-scopes", "instructions × depth", nested_scopes),
    shape("inlined-chain", "frames × variables", inlined_chain),
    shape(
        "inlined-positions",
        "instructions × frames",
        inlined_positions,
    ),
    shape(
        "one-variable",
        "frames × bindings of one variable",
        one_variable,
    ),
    shape(
        "shared-expression",
        "bindings × operations",
        shared_expression,
    ),
    shape(
        "debug-type-chain",
        "types × depth of their names",
        debug_type_chain,
    ),
    shape(
        "debug-parameters",
        "functions × types of parameters",
        debug_parameters,
    ),
    shape(
        "debug-members",
        "variables × members of their type",
        debug_members,
    ),
    shape("opaque-types", "opaque types × name", opaque_types),
    shape(
        "build-identifiers",
        "identifiers × their digits",
        build_identifiers,
    ),
    shape(
        "debug-circle",
        "types that lead to themselves",
        debug_circle,
    ),
];

/// What stands around most debug information: a source and a unit.
struct Frame {
    source: u32,
    unit: u32,
    zero: u32,
    one: u32,
    word: u32,
    name: u32,
    /// A basic type and the type of a procedure.
    int: u32,
    procedure: u32,
}

fn frame(maker: &mut Maker, name: &str) -> Frame {
    let file = maker.string("file.glsl");
    let name = maker.string(name);
    let [zero, one, four, word, hundred] = [0, 1, 4, 32, 100].map(|number| maker.number(number));
    let source = maker.debug("DebugSource", &[file]);
    let unit = maker.debug("DebugCompilationUnit", &[hundred, four, source, one]);
    let int = maker.debug("DebugTypeBasic", &[name, word, four, zero]);
    let void = maker.void;
    Frame {
        source,
        unit,
        zero,
        one,
        word,
        name,
        int,
        procedure: maker.debug("DebugTypeFunction", &[zero, void]),
    }
}

impl Frame {
    fn function(&self, maker: &mut Maker, ty: u32, parent: u32) -> u32 {
        let Self {
            source,
            zero,
            one,
            name,
            ..
        } = *self;
        let operands = [name, ty, source, one, one, parent, name, zero, one];
        maker.debug("DebugFunction", &operands)
    }

    fn block(&self, maker: &mut Maker, parent: u32) -> u32 {
        maker.debug(
            "DebugLexicalBlock",
            &[self.source, self.one, self.one, parent],
        )
    }

    fn variable(&self, maker: &mut Maker, scope: u32) -> u32 {
        let Self {
            source,
            zero,
            one,
            name,
            int,
            ..
        } = *self;
        maker.debug(
            "DebugLocalVariable",
            &[name, int, source, one, one, scope, zero],
        )
    }
}

/// One text of many lines, which many sources name.
fn shared_source(maker: &mut Maker) {
    let file = maker.string("file.glsl");
    let text = maker.string(&maker.long(40).replace('n', "\n"));
    let mut sources = vec![maker.debug("DebugSource", &[file, text])];
    while maker.left(75) > 0 {
        sources.push(maker.debug("DebugSource", &[file, text]));
    }
    let [one, four, hundred] = [1, 4, 100].map(|number| maker.number(number));
    maker.debug("DebugCompilationUnit", &[hundred, four, sources[0], one]);
    maker.main(|maker| {
        for source in sources.into_iter().cycle() {
            if maker.left(100) == 0 {
                break;
            }
            maker.debug("DebugLine", &[source, one, one, one, one]);
        }
    });
}

fn long_file_name(maker: &mut Maker) {
    let file = maker.string(&maker.long(30));
    let ty = maker.uint;
    maker.main(|maker| {
        let mut line = 1;
        while maker.left(100) > 0 {
            maker.put(Op::Line, &[file, line, 1]);
            maker.value(Op::Undef, ty, &[]);
            line += 1;
        }
    });
}

/// All instructions come from one line, which is long.
fn long_source_line(maker: &mut Maker) {
    let file = maker.string("file.glsl");
    maker.put_text(Op::Source, &[2, 450, file], Some(&maker.long(40)), &[]);
    let [one, ty] = [maker.number(1), maker.uint];
    maker.main(|maker| {
        while maker.left(100) > 0 {
            maker.put(Op::Line, &[file, 1, 1]);
            maker.value(Op::IAdd, ty, &[one, one]);
        }
    });
}

fn many_sources(maker: &mut Maker) {
    let text = maker.string("void main() {}\n");
    let mut number = 0;
    while maker.left(100) > 0 {
        let file = maker.string(&format!("{number}.h"));
        maker.debug("DebugSource", &[file, text]);
        number += 1;
    }
    maker.main(|_| {});
}

fn same_file(maker: &mut Maker) {
    let file = maker.string("file.h");
    let text = maker.string("void main() {}\n");
    while maker.left(100) > 0 {
        maker.debug("DebugSource", &[file, text]);
    }
    maker.main(|_| {});
}

fn long_debug_name(maker: &mut Maker) {
    let name = maker.long(30);
    let frame = frame(maker, &name);
    while maker.left(50) > 0 {
        let function = frame.function(maker, frame.procedure, frame.unit);
        frame.variable(maker, function);
    }
    let function = frame.function(maker, frame.procedure, frame.unit);
    let Frame {
        one, zero, source, ..
    } = frame;
    let expression = maker.debug("DebugExpression", &[]);
    let variable = frame.variable(maker, function);
    maker.main(|maker| {
        let main = maker.function.unwrap_or_default();
        maker.debug("DebugFunctionDefinition", &[function, main]);
        while maker.left(100) > 0 {
            maker.debug("DebugScope", &[function]);
            maker.debug("DebugLine", &[source, one, one, one, one]);
            maker.debug("DebugValue", &[variable, zero, expression]);
        }
    });
}

/// Each block is in the last, and each has instructions.
fn nested_scopes(maker: &mut Maker) {
    let frame = frame(maker, "f");
    let mut scopes = vec![frame.function(maker, frame.procedure, frame.unit)];
    while maker.left(50) > 0 {
        scopes.push(frame.block(maker, scopes[scopes.len() - 1]));
    }
    let [one, ty] = [frame.one, maker.uint];
    maker.main(|maker| {
        for scope in scopes.into_iter().rev() {
            maker.debug("DebugScope", &[scope]);
            maker.value(Op::IAdd, ty, &[one, one]);
        }
    });
}

/// A function whose calls of itself are inlined into each other, as often as there is
/// room; where it's inlined deepest, and everywhere.
fn chain(maker: &mut Maker, frame: &Frame, hundredths: usize) -> (u32, u32, Vec<u32>) {
    let function = frame.function(maker, frame.procedure, frame.unit);
    let mut inlined = vec![maker.debug("DebugInlinedAt", &[frame.one, function])];
    while maker.left(hundredths) > 0 {
        let last = inlined[inlined.len() - 1];
        inlined.push(maker.debug("DebugInlinedAt", &[frame.one, function, last]));
    }
    (function, inlined[inlined.len() - 1], inlined)
}

fn inlined_chain(maker: &mut Maker) {
    let frame = frame(maker, "f");
    let (function, deepest, _) = chain(maker, &frame, 35);
    let expression = maker.debug("DebugExpression", &[]);
    let mut variables = Vec::new();
    while maker.left(65) > 0 {
        variables.push(frame.variable(maker, function));
    }
    let [one, ty] = [frame.one, maker.uint];
    maker.main(|maker| {
        maker.debug("DebugScope", &[function, deepest]);
        for variable in variables {
            maker.debug("DebugValue", &[variable, one, expression]);
        }
        maker.value(Op::IAdd, ty, &[one, one]);
    });
}

fn inlined_positions(maker: &mut Maker) {
    let frame = frame(maker, "f");
    let (function, _, inlined) = chain(maker, &frame, 50);
    let [one, ty] = [frame.one, maker.uint];
    maker.main(|maker| {
        for inlined in inlined.into_iter().rev() {
            if maker.left(100) == 0 {
                break;
            }
            maker.debug("DebugScope", &[function, inlined]);
            maker.value(Op::IAdd, ty, &[one, one]);
        }
    });
}

/// One variable, bound in each of many frames.
fn one_variable(maker: &mut Maker) {
    let frame = frame(maker, "f");
    let (function, deepest, inlined) = chain(maker, &frame, 35);
    let expression = maker.debug("DebugExpression", &[]);
    let variable = frame.variable(maker, function);
    let [one, ty] = [frame.one, maker.uint];
    maker.main(|maker| {
        for inlined in inlined {
            maker.debug("DebugScope", &[function, inlined]);
            maker.debug("DebugValue", &[variable, one, expression]);
        }
        maker.debug("DebugScope", &[function, deepest]);
        maker.value(Op::IAdd, ty, &[one, one]);
    });
}

/// Bindings that share one expression of many operations.
fn shared_expression(maker: &mut Maker) {
    let frame = frame(maker, "f");
    let function = frame.function(maker, frame.procedure, frame.unit);
    let mut operations = Vec::new();
    while maker.left(25) > 0 {
        operations.push(maker.debug("DebugOperation", &[frame.zero]));
    }
    let expression = maker.debug("DebugExpression", &operations);
    let mut variables = Vec::new();
    while maker.left(60) > 0 {
        variables.push(frame.variable(maker, function));
    }
    let [one, ty] = [frame.one, maker.uint];
    maker.main(|maker| {
        maker.debug("DebugScope", &[function]);
        for variable in variables {
            maker.debug("DebugValue", &[variable, one, expression]);
        }
        maker.value(Op::IAdd, ty, &[one, one]);
    });
}

/// Types of types: pointers, arrays, qualified, with variables of all of them.
fn debug_type_chain(maker: &mut Maker) {
    let frame = frame(maker, "t");
    let Frame {
        source,
        unit,
        zero,
        one,
        name,
        word,
        ..
    } = frame;
    let mut ty = frame.int;
    while maker.left(100) > 0 {
        let class = maker.number(StorageClass::Function.0);
        ty = maker.debug("DebugTypePointer", &[ty, class, zero]);
        ty = maker.debug("DebugTypeArray", &[ty, word]);
        ty = maker.debug("DebugTypeQualifier", &[ty, zero]);
        ty = maker.debug("DebugTypeFunction", &[zero, ty, ty]);
        let operands = [name, ty, source, one, one, unit, name, zero, zero];
        maker.debug("DebugGlobalVariable", &operands);
    }
    maker.main(|_| {});
}

/// Functions of one type with many parameters of a type with a long name.
fn debug_parameters(maker: &mut Maker) {
    let name = maker.long(10);
    let frame = frame(maker, &name);
    let void = maker.void;
    let count = maker.count(20, 1).min(60_000);
    let operands = [&[frame.zero, void][..], &vec![frame.int; count]].concat();
    let ty = maker.debug("DebugTypeFunction", &operands);
    while maker.left(100) > 0 {
        frame.function(maker, ty, frame.unit);
    }
    maker.main(|_| {});
}

/// Variables of one type, which has many members.
fn debug_members(maker: &mut Maker) {
    let frame = frame(maker, "s");
    let Frame {
        source,
        unit,
        zero,
        one,
        name,
        word,
        int,
        ..
    } = frame;
    let mut members = Vec::new();
    while maker.left(40) > 0 {
        let operands = [name, int, source, one, one, zero, word, zero];
        members.push(maker.debug("DebugTypeMember", &operands));
    }
    let operands = [name, one, source, one, one, unit, name, word, zero];
    let composite = maker.debug("DebugTypeComposite", &[&operands[..], &members].concat());
    while maker.left(100) > 0 {
        let operands = [name, composite, source, one, one, unit, name, zero, zero];
        maker.debug("DebugGlobalVariable", &operands);
    }
    maker.main(|_| {});
}

/// Types that lead to each other in a cycle, which the set forbids.
fn debug_circle(maker: &mut Maker) {
    let frame = frame(maker, "t");
    let count = maker.count(100, 14);
    let class = maker.number(StorageClass::Function.0);
    let first = maker.upcoming();
    for number in 0..count as u32 {
        let next = first + (number + 1) % count as u32;
        maker.debug("DebugTypePointer", &[next, class, frame.zero]);
    }
    maker.main(|_| {});
}

/// Structures without a size, which mark their name in one of the sets.
fn opaque_types(maker: &mut Maker) {
    let name = maker.long(30);
    let frame = frame(maker, &name);
    let Frame {
        source,
        unit,
        one,
        zero,
        name,
        ..
    } = frame;
    let none = maker.debug("DebugInfoNone", &[]);
    while maker.left(100) > 0 {
        let operands = [name, one, source, one, one, unit, name, none, zero];
        maker.debug("DebugTypeComposite", &operands);
    }
    maker.main(|_| {});
}

/// One long identifier, which is named often.
fn build_identifiers(maker: &mut Maker) {
    let identifier = maker.string(&maker.long(40).replace('n', "0"));
    let zero = maker.number(0);
    while maker.left(100) > 0 {
        maker.debug("DebugBuildIdentifier", &[identifier, zero]);
    }
    maker.main(|_| {});
}
