//! Valid shaders of any size, each of one kind of thing alone: what an optimizer looks through, and
//! does something with, in proportion to the number of these.

use std::fmt::Write as _;

/// A kind of shader.
pub(super) struct Shape {
    pub(super) name: &'static str,
    /// How many things the largest has.
    pub(super) most: usize,
    pub(super) make: fn(&mut Text, usize),
}

pub(super) const SHAPES: &[Shape] = &[
    shape("selections", 16_000, selections),
    shape("selections that are decided", 16_000, decided),
    shape("loops", 16_000, loops),
    shape("loops, some of two rounds", 16_000, short_loops),
    shape("loads, additions and stores", 16_000, statements),
    shape("dependent operations that are unused", 16_000, unused),
    shape("calls, each in the next", 16_000, call_chain),
    shape("functions with early returns", 16_000, functions),
    shape("selections, 500 in each other", 16_000, nested_selections),
    shape("loops, 500 in each other", 16_000, nested_loops),
    shape("phis of a loop, each of the next", 100_000, loop_phis),
    shape("phis of a selection", 100_000, selection_phis),
    shape("cases of a switch", 16_000, switch),
    shape("elements of an array", 16_000, array),
    shape("members of a structure", 16_000, structure),
    shape("variables of a function", 16_000, variables),
    shape("private variables", 16_000, private_variables),
    shape("variables beside a pointer", 16_000, pointer_parameter),
    shape(
        "variables that are written in a loop",
        16_000,
        loop_variables,
    ),
    shape("insertions, each into the last", 16_000, insertions),
    shape("constants", 16_000, constants),
    shape("entry points of one function", 2_000, entry_points),
];

const fn shape(name: &'static str, most: usize, make: fn(&mut Text, usize)) -> Shape {
    Shape { name, most, make }
}

/// The words of a shader.
pub(super) fn words(shape: &Shape, count: usize) -> Result<Vec<u32>, String> {
    let mut text = Text::default();
    (shape.make)(&mut text, count);
    let text = text.finish();
    match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => Ok(module.words),
        Err(errors) => Err(format!("{}: {errors}", shape.name)),
    }
}

const HEAD: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
";

const DECORATIONS: &str = "OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %elements ArrayStride 4
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%unary = OpTypeFunction %uint %uint
%elements = OpTypeRuntimeArray %uint
%block = OpTypeStruct %elements
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %uint
%ptr_local = OpTypePointer Function %uint
%ptr_private = OpTypePointer Private %uint
%true = OpConstantTrue %bool
%c0 = OpConstant %uint 0
%in = OpVariable %ptr_block StorageBuffer
%out = OpVariable %ptr_block StorageBuffer
";

/// A shader in the making.
#[derive(Default)]
pub(super) struct Text {
    entry_points: String,
    /// Types, constants and variables.
    globals: String,
    /// The numbers from 1 to this are constants.
    constants: usize,
    /// What stands first in the entry point's function.
    locals: String,
    main: String,
    /// Other functions.
    functions: String,
    ids: usize,
}

macro_rules! line {
    ($text:expr, $($format:tt)*) => {{
        let _ = writeln!($text, $($format)*);
    }};
}

impl Text {
    fn id(&mut self) -> usize {
        self.ids += 1;
        self.ids
    }

    /// The constant of a number.
    fn number(&mut self, number: usize) -> String {
        while self.constants < number {
            self.constants += 1;
            line!(self.globals, "%c{0} = OpConstant %uint {0}", self.constants);
        }
        format!("%c{number}")
    }

    /// Loads an element of the input.
    fn load(&mut self, index: usize) -> String {
        let (id, index) = (self.id(), self.number(index));
        line!(
            self.main,
            "%at{id} = OpAccessChain %ptr_element %in %c0 {index}"
        );
        line!(self.main, "%v{id} = OpLoad %uint %at{id}");
        format!("%v{id}")
    }

    /// Stores an element of the output.
    fn store(&mut self, index: usize, value: &str) {
        let (id, index) = (self.id(), self.number(index));
        line!(
            self.main,
            "%to{id} = OpAccessChain %ptr_element %out %c0 {index}"
        );
        line!(self.main, "OpStore %to{id} {value}");
    }

    /// Whether an element of the input is zero.
    fn condition(&mut self, index: usize) -> String {
        let value = self.load(index);
        let id = self.id();
        line!(self.main, "%if{id} = OpIEqual %bool {value} %c0");
        format!("%if{id}")
    }

    fn add(&mut self, a: &str, b: &str) -> String {
        let id = self.id();
        line!(self.main, "%v{id} = OpIAdd %uint {a} {b}");
        format!("%v{id}")
    }

    fn local(&mut self) -> String {
        let id = self.id();
        line!(self.locals, "%var{id} = OpVariable %ptr_local Function %c0");
        format!("%var{id}")
    }

    fn read(&mut self, variable: &str) -> String {
        let id = self.id();
        line!(self.main, "%v{id} = OpLoad %uint {variable}");
        format!("%v{id}")
    }

    fn write(&mut self, variable: &str, value: &str) {
        line!(self.main, "OpStore {variable} {value}");
    }

    /// Begins a selection, whose number it gives.
    fn begin_if(&mut self, condition: &str) -> usize {
        let id = self.id();
        line!(self.main, "OpSelectionMerge %end{id} None");
        line!(
            self.main,
            "OpBranchConditional {condition} %then{id} %end{id}"
        );
        line!(self.main, "%then{id} = OpLabel");
        id
    }

    fn end_if(&mut self, id: usize) {
        line!(self.main, "OpBranch %end{id}\n%end{id} = OpLabel");
    }

    /// Begins a loop that counts in a variable to an element of the input.
    fn begin_loop(&mut self, counter: &str) -> usize {
        let most = (self.ids + 1) % 64;
        self.begin_rounds(counter, |text| text.load(most))
    }

    /// Begins a loop of as many rounds as it is told at the start of each.
    fn begin_rounds(&mut self, counter: &str, most: impl Fn(&mut Self) -> String) -> usize {
        self.write(counter, "%c0");
        let id = self.id();
        line!(self.main, "OpBranch %head{id}\n%head{id} = OpLabel");
        line!(self.main, "OpLoopMerge %end{id} %next{id} None");
        line!(self.main, "OpBranch %test{id}\n%test{id} = OpLabel");
        let (count, most) = (self.read(counter), most(self));
        line!(self.main, "%less{id} = OpULessThan %bool {count} {most}");
        line!(
            self.main,
            "OpBranchConditional %less{id} %body{id} %end{id}"
        );
        line!(self.main, "%body{id} = OpLabel");
        id
    }

    fn end_loop(&mut self, id: usize, counter: &str) {
        line!(self.main, "OpBranch %next{id}\n%next{id} = OpLabel");
        let (count, one) = (self.read(counter), self.number(1));
        let more = self.add(&count, &one);
        self.write(counter, &more);
        line!(self.main, "OpBranch %head{id}\n%end{id} = OpLabel");
    }

    fn finish(self) -> String {
        let Self {
            entry_points,
            globals,
            locals,
            main,
            functions,
            ..
        } = self;
        let entry_points = match entry_points.is_empty() {
            true => "OpEntryPoint GLCompute %main \"main\"\n".to_owned(),
            false => entry_points,
        };
        format!(
            "{HEAD}{entry_points}OpExecutionMode %main LocalSize 1 1 1\n{DECORATIONS}{globals}\
             %main = OpFunction %void None %fn\n%entry = OpLabel\n{locals}{main}OpReturn\n\
             OpFunctionEnd\n{functions}"
        )
    }
}

fn selections(text: &mut Text, count: usize) {
    for index in 0..count {
        let condition = text.condition(index % 64);
        let id = text.begin_if(&condition);
        text.store(index, "%c0");
        text.end_if(id);
    }
}

fn decided(text: &mut Text, count: usize) {
    for index in 0..count {
        let id = text.begin_if("%true");
        text.store(index, "%c0");
        text.end_if(id);
    }
}

fn loops(text: &mut Text, count: usize) {
    let counter = text.local();
    for index in 0..count {
        let id = text.begin_loop(&counter);
        let value = text.read(&counter);
        text.store(index, &value);
        text.end_loop(id, &counter);
    }
}

fn short_loops(text: &mut Text, count: usize) {
    let counter = text.local();
    for index in 0..count {
        let rounds = if index % 2 == 0 { 1_000_000 } else { 2 };
        let most = format!("%most{rounds}");
        if index < 2 {
            line!(text.globals, "{most} = OpConstant %uint {rounds}");
        }
        let id = text.begin_rounds(&counter, |_| most.clone());
        let value = text.read(&counter);
        text.store(index, &value);
        text.end_loop(id, &counter);
    }
}

fn statements(text: &mut Text, count: usize) {
    let sum = text.local();
    for index in 0..count {
        let (value, last) = (text.load(index), text.read(&sum));
        let value = text.add(&last, &value);
        text.write(&sum, &value);
        text.store(index, &value);
    }
}

fn unused(text: &mut Text, count: usize) {
    let mut value = text.load(0);
    for index in 0..count {
        let number = text.number(index);
        value = text.add(&value, &number);
    }
}

/// Writes a function that returns at once if its argument is zero, and otherwise what the lines
/// give, which take `%pN`.
fn function(text: &mut Text, number: usize, lines: &str) {
    line!(text.functions, "%f{number} = OpFunction %uint None %unary");
    line!(text.functions, "%p{number} = OpFunctionParameter %uint");
    line!(text.functions, "%fe{number} = OpLabel");
    line!(
        text.functions,
        "%fz{number} = OpIEqual %bool %p{number} %c0"
    );
    line!(text.functions, "OpSelectionMerge %fm{number} None");
    line!(
        text.functions,
        "OpBranchConditional %fz{number} %fr{number} %fm{number}"
    );
    line!(text.functions, "%fr{number} = OpLabel\nOpReturnValue %c0");
    line!(text.functions, "%fm{number} = OpLabel\n{lines}");
    line!(text.functions, "OpReturnValue %r{number}\nOpFunctionEnd");
}

fn call(text: &mut Text, function: usize, argument: &str) -> String {
    let id = text.id();
    line!(
        text.main,
        "%v{id} = OpFunctionCall %uint %f{function} {argument}"
    );
    format!("%v{id}")
}

fn call_chain(text: &mut Text, count: usize) {
    for number in 0..count {
        let line = match number {
            0 => "%r0 = OpIMul %uint %p0 %p0".to_owned(),
            _ => format!(
                "%r{number} = OpFunctionCall %uint %f{} %p{number}",
                number - 1
            ),
        };
        function(text, number, &line);
    }
    let value = text.load(0);
    let value = call(text, count - 1, &value);
    text.store(0, &value);
}

fn functions(text: &mut Text, count: usize) {
    for number in 0..count {
        let constant = text.number(number);
        let line = format!("%r{number} = OpIMul %uint %p{number} {constant}");
        function(text, number, &line);
        let value = text.load(number);
        let value = call(text, number, &value);
        text.store(number, &value);
    }
}

/// How deep things are in each other.
const DEPTH: usize = 500;

fn nested_selections(text: &mut Text, count: usize) {
    let sum = text.local();
    for _ in 0..count / DEPTH {
        let mut open = Vec::new();
        for depth in 0..DEPTH {
            let condition = text.condition(depth);
            open.push(text.begin_if(&condition));
            let last = text.read(&sum);
            let value = text.add(&last, "%c0");
            text.write(&sum, &value);
        }
        for id in open.into_iter().rev() {
            text.end_if(id);
        }
    }
    let value = text.read(&sum);
    text.store(0, &value);
}

fn nested_loops(text: &mut Text, count: usize) {
    let counters: Vec<String> = (0..DEPTH).map(|_| text.local()).collect();
    let sum = text.local();
    for _ in 0..count / DEPTH {
        let mut open = Vec::new();
        for counter in &counters {
            open.push((text.begin_loop(counter), counter));
            let (last, count) = (text.read(&sum), text.read(counter));
            let value = text.add(&last, &count);
            text.write(&sum, &value);
        }
        for (id, counter) in open.into_iter().rev() {
            text.end_loop(id, counter);
        }
    }
    let value = text.read(&sum);
    text.store(0, &value);
}

/// In each iteration, each becomes what the next was.
fn loop_phis(text: &mut Text, count: usize) {
    let (first, most) = (text.load(0), text.load(1));
    let one = text.number(1);
    line!(text.main, "OpBranch %head\n%head = OpLabel");
    line!(text.main, "%i = OpPhi %uint %c0 %entry %more %next");
    for number in 0..count {
        let start = if number == 0 { &first } else { "%c0" };
        let other = (number + 1) % count;
        line!(
            text.main,
            "%x{number} = OpPhi %uint {start} %entry %x{other} %next"
        );
    }
    line!(
        text.main,
        "OpLoopMerge %end %next None\nOpBranch %test\n%test = OpLabel"
    );
    line!(text.main, "%less = OpULessThan %bool %i {most}");
    line!(
        text.main,
        "OpBranchConditional %less %next %end\n%next = OpLabel"
    );
    line!(
        text.main,
        "%more = OpIAdd %uint %i {one}\nOpBranch %head\n%end = OpLabel"
    );
    text.store(0, "%x0");
}

fn selection_phis(text: &mut Text, count: usize) {
    let condition = text.condition(0);
    let id = text.begin_if(&condition);
    line!(text.main, "OpBranch %end{id}\n%end{id} = OpLabel");
    for number in 0..count {
        let constant = text.number(number % 16_000 + 1);
        line!(
            text.main,
            "%x{number} = OpPhi %uint %c0 %entry {constant} %then{id}"
        );
    }
    let mut sum = "%c0".to_owned();
    for number in 0..count {
        sum = text.add(&sum, &format!("%x{number}"));
    }
    text.store(0, &sum);
}

fn switch(text: &mut Text, count: usize) {
    let value = text.load(0);
    line!(text.main, "OpSelectionMerge %end None");
    let cases: Vec<String> = (0..count).map(|it| format!("{it} %case{it}")).collect();
    line!(text.main, "OpSwitch {value} %other {}", cases.join(" "));
    let mut phi = "%c0 %other".to_owned();
    for number in 0..count {
        line!(text.main, "%case{number} = OpLabel");
        let value = text.load(number);
        let _ = write!(phi, " {value} %case{number}");
        line!(text.main, "OpBranch %end");
    }
    line!(text.main, "%other = OpLabel\nOpBranch %end\n%end = OpLabel");
    line!(text.main, "%which = OpPhi %uint {phi}");
    text.store(0, "%which");
}

/// Each element is written and read, by a constant index.
fn array(text: &mut Text, count: usize) {
    let length = text.number(count);
    line!(text.globals, "%array = OpTypeArray %uint {length}");
    line!(text.globals, "%ptr_array = OpTypePointer Function %array");
    line!(
        text.locals,
        "%elements_here = OpVariable %ptr_array Function"
    );
    for number in 0..count {
        let value = text.load(number);
        let index = text.number(number);
        line!(
            text.main,
            "%place{number} = OpAccessChain %ptr_local %elements_here {index}"
        );
        text.write(&format!("%place{number}"), &value);
    }
    for number in 0..count {
        let value = text.read(&format!("%place{number}"));
        text.store(number, &value);
    }
}

/// A constant structure, of which each member is taken out, and one that is made of them.
fn structure(text: &mut Text, count: usize) {
    let types = " %uint".repeat(count);
    let parts: Vec<String> = (0..count).map(|it| text.number(it)).collect();
    line!(text.globals, "%structure = OpTypeStruct{types}");
    line!(
        text.globals,
        "%whole = OpConstantComposite %structure {}",
        parts.join(" ")
    );
    let mut made = Vec::new();
    for number in 0..count {
        line!(
            text.main,
            "%part{number} = OpCompositeExtract %uint %whole {number}"
        );
        let value = text.load(number);
        made.push(text.add(&value, &format!("%part{number}")));
    }
    line!(
        text.main,
        "%made = OpCompositeConstruct %structure {}",
        made.join(" ")
    );
    for number in 0..count {
        line!(
            text.main,
            "%taken{number} = OpCompositeExtract %uint %made {number}"
        );
        text.store(number, &format!("%taken{number}"));
    }
}

fn variables(text: &mut Text, count: usize) {
    let variables: Vec<String> = (0..count).map(|_| text.local()).collect();
    for (number, variable) in variables.iter().enumerate() {
        let value = text.load(number);
        text.write(variable, &value);
    }
    let condition = text.condition(0);
    let id = text.begin_if(&condition);
    text.write(&variables[0], "%c0");
    text.end_if(id);
    for (number, variable) in variables.iter().enumerate() {
        let value = text.read(variable);
        text.store(number, &value);
    }
}

fn private_variables(text: &mut Text, count: usize) {
    for number in 0..count {
        line!(
            text.globals,
            "%own{number} = OpVariable %ptr_private Private"
        );
        let value = text.load(number);
        text.write(&format!("%own{number}"), &value);
    }
    for number in 0..count {
        let value = text.read(&format!("%own{number}"));
        text.store(number, &value);
    }
}

/// A function with a pointer that may lead to any of the variables that it writes.
fn pointer_parameter(text: &mut Text, count: usize) {
    line!(
        text.globals,
        "%of_pointer = OpTypeFunction %void %ptr_private\n%shared = OpVariable %ptr_private Private"
    );
    for number in 0..count {
        line!(
            text.globals,
            "%own{number} = OpVariable %ptr_private Private"
        );
        let value = text.read("%pointer");
        text.write(&format!("%own{number}"), &value);
    }
    for number in 0..count {
        let value = text.read(&format!("%own{number}"));
        text.store(number, &value);
    }
    let body = std::mem::take(&mut text.main);
    line!(
        text.functions,
        "%aside = OpFunction %void DontInline %of_pointer\n\
         %pointer = OpFunctionParameter %ptr_private\n\
         %beside = OpLabel\n{body}OpReturn\nOpFunctionEnd"
    );
    line!(text.main, "%call = OpFunctionCall %void %aside %shared");
}

/// Each has a phi in the loop's header.
fn loop_variables(text: &mut Text, count: usize) {
    let counter = text.local();
    let variables: Vec<String> = (0..count).map(|_| text.local()).collect();
    let id = text.begin_loop(&counter);
    for variable in &variables {
        let (last, count) = (text.read(variable), text.read(&counter));
        let value = text.add(&last, &count);
        text.write(variable, &value);
    }
    text.end_loop(id, &counter);
    for (number, variable) in variables.iter().enumerate() {
        let value = text.read(variable);
        text.store(number, &value);
    }
}

fn insertions(text: &mut Text, count: usize) {
    line!(text.globals, "%vector = OpTypeVector %uint 4");
    line!(
        text.globals,
        "%zeros = OpConstantComposite %vector %c0 %c0 %c0 %c0"
    );
    let mut last = "%zeros".to_owned();
    for number in 0..count {
        let value = text.load(number);
        let place = number % 4;
        line!(
            text.main,
            "%in{number} = OpCompositeInsert %vector {value} {last} {place}"
        );
        last = format!("%in{number}");
    }
    line!(text.main, "%last = OpCompositeExtract %uint {last} 1");
    text.store(0, "%last");
}

fn constants(text: &mut Text, count: usize) {
    for number in 0..count {
        let index = text.number(number + 1);
        text.store(number, &index);
    }
}

fn entry_points(text: &mut Text, count: usize) {
    for number in 0..count {
        line!(
            text.entry_points,
            "OpEntryPoint GLCompute %main \"main{number}\""
        );
        let value = text.load(number);
        text.store(number, &value);
    }
}
