//! Every function of `GLSL.std.450` and `OpenCL.std` that `eval` computes, with all types that it
//! takes, on scalars, vectors of all widths and matrices: the former in shaders, the latter in
//! kernels.
//!
//! Nothing is listed here: what `eval` computes of zeros is what is tried.

use std::collections::HashSet;
use std::fmt::Write;

use spirvkit_eval::{
    Environment, Scalar, ScalarType, evaluate_glsl_pair, evaluate_glsl_scalar,
    evaluate_glsl_vector, evaluate_opencl_pair, evaluate_opencl_scalar, evaluate_opencl_vector,
};
use spirvkit_grammar::{ExtInstSet, GlslStd450, OpenClStd};
use spirvkit_interp::Run;
use spirvkit_text::{AssembleOptions, assemble};

use super::{F16, F32, F64, I16, I32, I64, Random, samples};

const I8: ScalarType = ScalarType::Integer { width: 8 };

const TYPES: [ScalarType; 7] = [I8, I16, I32, I64, F16, F32, F64];

/// A scalar, vector or square matrix: the type, the number of components of a column, and that of
/// columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    ty: ScalarType,
    size: usize,
    columns: usize,
}

impl Shape {
    fn vector(ty: ScalarType, size: usize) -> Self {
        let columns = 1;
        Self { ty, size, columns }
    }

    fn components(self) -> usize {
        self.size * self.columns
    }

    fn bytes(self) -> usize {
        self.components() * self.ty.width() as usize / 8
    }

    fn scalar_name(self) -> String {
        match self.ty {
            ScalarType::Float(_) => format!("%f{}", self.ty.width()),
            _ => format!("%u{}", self.ty.width()),
        }
    }

    fn vector_name(self) -> String {
        match self.size {
            1 => self.scalar_name(),
            size => format!("%v{size}{}", &self.scalar_name()[1..]),
        }
    }

    fn name(self) -> String {
        match self.columns {
            1 => self.vector_name(),
            columns => format!("%m{columns}{}", &self.vector_name()[1..]),
        }
    }

    /// The indexes of a component as literals.
    fn path(self, component: usize) -> String {
        match (self.size, self.columns) {
            (1, 1) => String::new(),
            (_, 1) => format!(" {component}"),
            (size, _) => format!(" {} {}", component / size, component % size),
        }
    }
}

/// How a function gives its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Component by component.
    Components,
    /// On the whole.
    Whole,
    /// Component by component, with a second result that is stored.
    Stored,
    /// The same as a structure.
    Structure,
}

/// A function with the types of its results and operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Case {
    set: ExtInstSet,
    number: u32,
    form: Form,
    /// One or two.
    results: Vec<Shape>,
    operands: Vec<Shape>,
}

impl Case {
    /// What `eval` gives; `None` if it can't be computed.
    fn evaluate(&self, operands: &[&[Scalar]]) -> Option<Vec<Vec<Scalar>>> {
        let mut results: Vec<Vec<Scalar>> = vec![Vec::new(); self.results.len()];
        let [first, ..] = self.results[..] else {
            return None;
        };
        if self.form == Form::Whole {
            results[0] = vec![Scalar::zero(first.ty); first.components()];
            self.whole(operands, &mut results[0]).then_some(())?;
            return Some(results);
        }
        for index in 0..first.size {
            let scalars: Vec<Scalar> = operands.iter().map(|it| it[index]).collect();
            if self.form == Form::Components {
                results[0].push(self.component(&scalars)?);
                continue;
            }
            let pair = match self.set {
                ExtInstSet::GlslStd450 => {
                    evaluate_glsl_pair(GlslStd450(self.number), &scalars, &Environment::default())
                }
                _ => {
                    evaluate_opencl_pair(OpenClStd(self.number), &scalars, &Environment::default())
                }
            };
            for (result, part) in results.iter_mut().zip(pair.ok()?.common()) {
                result.push(part);
            }
        }
        Some(results)
    }

    fn component(&self, operands: &[Scalar]) -> Option<Scalar> {
        let Shape { ty, size, .. } = self.results[0];
        if self.set == ExtInstSet::GlslStd450 {
            let function = GlslStd450(self.number);
            let outcome = evaluate_glsl_scalar(function, ty, operands, &Environment::default());
            return Some(outcome.ok()?.common());
        }
        let function = OpenClStd(self.number);
        let outcome =
            evaluate_opencl_scalar(function, ty, operands, &Environment::default()).ok()?;
        // Of vectors, it asks for the highest bit (OpenCL.std, `select`).
        if function == OpenClStd::select && size > 1 {
            let is_set = operands[2].sign_extended() < 0;
            return Some(operands[usize::from(is_set)]);
        }
        Some(outcome.common())
    }

    fn whole(&self, operands: &[&[Scalar]], results: &mut [Scalar]) -> bool {
        let ty = self.results[0].ty;
        let outcome = match self.set {
            ExtInstSet::GlslStd450 => {
                let function = GlslStd450(self.number);
                evaluate_glsl_vector(function, ty, operands, &Environment::default(), results)
            }
            _ => {
                let function = OpenClStd(self.number);
                evaluate_opencl_vector(function, ty, operands, &Environment::default(), results)
            }
        };
        outcome.is_ok()
    }

    fn is_computable(&self) -> bool {
        let zeros: Vec<Vec<Scalar>> = self
            .operands
            .iter()
            .map(|it| vec![Scalar::zero(it.ty); it.components()])
            .collect();
        let zeros: Vec<&[Scalar]> = zeros.iter().map(Vec::as_slice).collect();
        let results = self.evaluate(&zeros);
        results.is_some_and(|results| {
            let types = results.iter().map(|it| it[0].ty());
            types.eq(self.results.iter().map(|it| it.ty))
        })
    }

    /// A module that applies the function to what is in the buffers behind those of the results.
    fn module(&self) -> Vec<u32> {
        let is_kernel = self.set == ExtInstSet::OpenClStd;
        let shapes: Vec<Shape> = [&self.results[..], &self.operands].concat();
        let mut types = Vec::new();
        let mut decorations = String::new();
        for (buffer, &shape) in shapes.iter().enumerate() {
            declare(shape, &mut types);
            let (scalar, class) = (shape.scalar_name(), class(is_kernel));
            let element = format!("%p{} = OpTypePointer {class} {scalar}", &scalar[1..]);
            types.push(element);
            if is_kernel {
                continue;
            }
            let size = shape.ty.width() / 8;
            let _ = write!(
                decorations,
                "OpDecorate %b{buffer} DescriptorSet 0\nOpDecorate %b{buffer} Binding {buffer}\n\
                 OpDecorate %s{buffer} Block\nOpMemberDecorate %s{buffer} 0 Offset 0\n\
                 OpDecorate %a{buffer} ArrayStride {size}\n"
            );
            types.push(format!(
                "%a{buffer} = OpTypeRuntimeArray {scalar}\n%s{buffer} = OpTypeStruct %a{buffer}\n\
                 %q{buffer} = OpTypePointer StorageBuffer %s{buffer}\n\
                 %b{buffer} = OpVariable %q{buffer} StorageBuffer"
            ));
        }
        let mut result = self.results[0].name();
        if self.form == Form::Structure {
            let second = self.results[1].name();
            types.push(format!("%both = OpTypeStruct {result} {second}"));
            result = "%both".to_owned();
        }
        let mut seen = HashSet::new();
        types.retain(|line| seen.insert(line.clone()));
        let mut body = String::new();
        let mut arguments = String::new();
        for (buffer, &shape) in shapes.iter().enumerate().skip(self.results.len()) {
            read(buffer, shape, is_kernel, &mut body);
            let _ = write!(arguments, " %x{buffer}");
        }
        let mut variable = String::new();
        if self.form == Form::Stored {
            let second = self.results[1].name();
            types.push(format!("%pointer = OpTypePointer Function {second}"));
            variable = "%variable = OpVariable %pointer Function\n".to_owned();
            arguments += " %variable";
        }
        let function = self.set.instruction(self.number).unwrap().name();
        let _ = writeln!(
            body,
            "%result = OpExtInst {result} %set {function}{arguments}"
        );
        if self.form == Form::Stored {
            let _ = writeln!(
                body,
                "%stored = OpLoad {} %variable",
                self.results[1].name()
            );
        }
        for (buffer, &shape) in self.results.iter().enumerate() {
            let (whole, member) = match (self.form, buffer) {
                (Form::Structure, _) => ("%result", format!(" {buffer}")),
                (_, 0) => ("%result", String::new()),
                _ => ("%stored", String::new()),
            };
            write_to(buffer, shape, is_kernel, (whole, &member), &mut body);
        }
        let text = match is_kernel {
            true => kernel(&shapes, &types.join("\n"), &(variable + &body)),
            false => shader(&decorations, &types.join("\n"), &(variable + &body)),
        };
        let options = AssembleOptions::default();
        assemble(&text, &options)
            .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
            .words
    }

    /// Runs the function on so many operands, and compares all bits.
    fn check(&self, samples: usize) {
        let words = self.module();
        let types = self.operands.iter().map(|it| u64::from(it.ty.width()));
        let seed = types.fold(u64::from(self.number), |all, it| all << 8 | it);
        let mut random = Random(seed);
        let largest = self.operands.iter().map(|it| it.components()).max();
        let invocations = samples.div_ceil(largest.unwrap_or(1)).next_multiple_of(64);
        // The buffers are no larger than necessary.
        for start in (0..invocations).step_by(MOST) {
            self.check_some((invocations - start).min(MOST), &words, &mut random);
        }
    }

    fn check_some(&self, count: usize, words: &[u32], random: &mut Random) {
        let mut buffers: Vec<Vec<u8>> = Vec::new();
        for shape in &self.results {
            buffers.push(vec![0; count * shape.bytes()]);
        }
        let inputs: Vec<Vec<Scalar>> = self
            .operands
            .iter()
            .map(|it| {
                let count = count * it.components();
                (0..count).map(|_| random.scalar(it.ty)).collect()
            })
            .collect();
        buffers.extend(inputs.iter().map(|it| bytes(it)));
        let mut run = Run::new(words);
        for (index, buffer) in (0..).zip(&buffers) {
            run = match self.set {
                ExtInstSet::OpenClStd => run.argument(index, buffer),
                _ => run.storage(0, index, buffer),
            };
        }
        if self.set == ExtInstSet::OpenClStd {
            run = run.local_size([64, 1, 1]);
        }
        let out = run.dispatch([count as u32 / 64, 1, 1]);
        let out = out.unwrap_or_else(|errors| panic!("{self:?}: {errors}"));
        for invocation in 0..count {
            let operands: Vec<&[Scalar]> = inputs
                .iter()
                .zip(&self.operands)
                .map(|(input, shape)| {
                    let size = shape.components();
                    &input[invocation * size..(invocation + 1) * size]
                })
                .collect();
            let expected = self.evaluate(&operands).unwrap();
            for ((index, shape), expected) in (0..).zip(&self.results).zip(expected) {
                let found = match self.set {
                    ExtInstSet::OpenClStd => out.argument_bytes(index),
                    _ => out.bytes(0, index),
                };
                let size = shape.bytes();
                let found = &found[invocation * size..(invocation + 1) * size];
                assert_eq!(
                    found,
                    bytes(&expected),
                    "result {index}: {self:?} {operands:?}"
                );
            }
        }
    }
}

/// How many invocations there are at once.
const MOST: usize = 1 << 14;

fn bytes(scalars: &[Scalar]) -> Vec<u8> {
    let size = |it: &Scalar| it.ty().width() as usize / 8;
    let all = scalars.iter();
    all.flat_map(|it| it.bits().to_le_bytes().into_iter().take(size(it)))
        .collect()
}

fn class(is_kernel: bool) -> &'static str {
    match is_kernel {
        true => "CrossWorkgroup",
        false => "StorageBuffer",
    }
}

/// Declares a type with what it is made of.
fn declare(shape: Shape, types: &mut Vec<String>) {
    let (scalar, vector, whole) = (shape.scalar_name(), shape.vector_name(), shape.name());
    if shape.size > 1 {
        types.push(format!("{vector} = OpTypeVector {scalar} {}", shape.size));
    }
    if shape.columns > 1 {
        types.push(format!("{whole} = OpTypeMatrix {vector} {}", shape.columns));
    }
}

/// A pointer to a component of an invocation's share of a buffer.
fn pointer(buffer: usize, shape: Shape, component: usize, is_kernel: bool) -> String {
    let ty = format!("%p{}", &shape.scalar_name()[1..]);
    let (id, count) = (format!("{buffer}_{component}"), shape.components());
    let mut text = format!("%first{id} = OpIMul %u32 %i %c{count}\n");
    let _ = writeln!(text, "%index{id} = OpIAdd %u32 %first{id} %c{component}");
    let _ = match is_kernel {
        true => writeln!(
            text,
            "%at{id} = OpInBoundsPtrAccessChain {ty} %b{buffer} %index{id}"
        ),
        false => writeln!(
            text,
            "%at{id} = OpAccessChain {ty} %b{buffer} %c0 %index{id}"
        ),
    };
    text
}

/// Makes `%x` with the number of a buffer of what an invocation has there.
fn read(buffer: usize, shape: Shape, is_kernel: bool, body: &mut String) {
    let scalar = shape.scalar_name();
    let size = shape.ty.width() / 8;
    let mut parts = Vec::new();
    for component in 0..shape.components() {
        *body += &pointer(buffer, shape, component, is_kernel);
        let _ = writeln!(
            body,
            "%in{buffer}_{component} = OpLoad {scalar} %at{buffer}_{component} Aligned {size}"
        );
        parts.push(format!("%in{buffer}_{component}"));
    }
    let mut columns = Vec::new();
    for (column, parts) in parts.chunks(shape.size).enumerate() {
        match shape.size {
            1 => columns.extend_from_slice(parts),
            _ => {
                let (id, vector) = (format!("%column{buffer}_{column}"), shape.vector_name());
                let parts = parts.join(" ");
                let _ = writeln!(body, "{id} = OpCompositeConstruct {vector} {parts}");
                columns.push(id);
            }
        }
    }
    let whole = shape.name();
    let _ = match &columns[..] {
        [only] => writeln!(body, "%x{buffer} = OpCopyObject {whole} {only}"),
        all => {
            let all = all.join(" ");
            writeln!(body, "%x{buffer} = OpCompositeConstruct {whole} {all}")
        }
    };
}

/// Writes a part of a value to an invocation's share of a buffer.
fn write_to(
    buffer: usize,
    shape: Shape,
    is_kernel: bool,
    (whole, member): (&str, &str),
    body: &mut String,
) {
    let scalar = shape.scalar_name();
    let size = shape.ty.width() / 8;
    for component in 0..shape.components() {
        *body += &pointer(buffer, shape, component, is_kernel);
        let path = format!("{member}{}", shape.path(component));
        let id = format!("{buffer}_{component}");
        let _ = match path.is_empty() {
            true => writeln!(body, "%out{id} = OpCopyObject {scalar} {whole}"),
            false => writeln!(body, "%out{id} = OpCompositeExtract {scalar} {whole}{path}"),
        };
        let _ = writeln!(body, "OpStore %at{id} %out{id} Aligned {size}");
    }
}

const SCALARS: &str = "%void = OpTypeVoid
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%c6 = OpConstant %u32 6
%c7 = OpConstant %u32 7
%c8 = OpConstant %u32 8
%c9 = OpConstant %u32 9
%c10 = OpConstant %u32 10
%c11 = OpConstant %u32 11
%c12 = OpConstant %u32 12
%c13 = OpConstant %u32 13
%c14 = OpConstant %u32 14
%c15 = OpConstant %u32 15
%c16 = OpConstant %u32 16
";

fn shader(decorations: &str, types: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability Int64
OpCapability Float64
OpCapability Int16
OpCapability Int8
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability StorageBuffer8BitAccess
%set = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
{decorations}{SCALARS}%fn = OpTypeFunction %void
%ids = OpTypeVector %u32 3
%p_id = OpTypePointer Input %ids
%id = OpVariable %p_id Input
{}
%main = OpFunction %void None %fn
%entry = OpLabel
{}OpReturn
OpFunctionEnd
",
        types.replace("%v3u32 = OpTypeVector %u32 3\n", ""),
        in_order(
            body,
            "%three = OpLoad %ids %id\n%i = OpCompositeExtract %u32 %three 0\n"
        )
    )
    .replace("%v3u32", "%ids")
}

fn kernel(buffers: &[Shape], types: &str, body: &str) -> String {
    let pointers: Vec<String> = buffers
        .iter()
        .map(|it| format!("%p{}", &it.scalar_name()[1..]))
        .collect();
    let parameters: String = pointers
        .iter()
        .enumerate()
        .map(|(buffer, ty)| format!("%b{buffer} = OpFunctionParameter {ty}\n"))
        .collect();
    format!(
        "OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float64
OpCapability Float16
OpCapability Vector16
%set = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\" %id
OpDecorate %id BuiltIn GlobalInvocationId
{SCALARS}%ids = OpTypeVector %u64 3
%p_id = OpTypePointer Input %ids
%id = OpVariable %p_id Input
{}
%fn = OpTypeFunction %void {}
%main = OpFunction %void None %fn
{parameters}%entry = OpLabel
{}OpReturn
OpFunctionEnd
",
        types.replace("%v3u64 = OpTypeVector %u64 3\n", ""),
        pointers.join(" "),
        in_order(
            body,
            "%three = OpLoad %ids %id\n%long = OpCompositeExtract %u64 %three 0\n\
             %i = OpUConvert %u32 %long\n"
        )
    )
    .replace("%v3u64", "%ids")
}

/// Puts something before a body, but behind its variable.
fn in_order(body: &str, first: &str) -> String {
    match body.strip_prefix("%variable") {
        Some(rest) => {
            let (variable, rest) = rest.split_once('\n').unwrap();
            format!("%variable{variable}\n{first}{rest}")
        }
        None => format!("{first}{body}"),
    }
}

/// The types of operands that are tried: alike, but for the first or the last.
fn operand_types() -> Vec<Vec<ScalarType>> {
    let mut all = Vec::new();
    for first in TYPES {
        for count in 1..=3 {
            all.push(vec![first; count]);
        }
        for other in TYPES.into_iter().filter(|&it| it != first) {
            all.push(vec![first, other]);
            all.push(vec![first, first, other]);
        }
    }
    all
}

/// What `eval` computes of a function.
fn cases(set: ExtInstSet, number: u32, widths: &[usize]) -> Vec<Vec<Case>> {
    let mut all = Vec::new();
    let is_struct = set == ExtInstSet::GlslStd450
        && matches!(
            GlslStd450(number),
            GlslStd450::ModfStruct | GlslStd450::FrexpStruct
        );
    let pairs = if is_struct {
        Form::Structure
    } else {
        Form::Stored
    };
    for types in operand_types() {
        let with_width = |form: Form, results: &[ScalarType]| {
            let of_width = |&width: &usize| Case {
                set,
                number,
                form,
                results: results.iter().map(|&it| Shape::vector(it, width)).collect(),
                operands: types.iter().map(|&it| Shape::vector(it, width)).collect(),
            };
            widths.iter().map(of_width).collect::<Vec<Case>>()
        };
        for result in TYPES {
            all.push(with_width(Form::Components, &[result]));
            if result == types[0] || result == I32 {
                all.push(with_width(pairs, &[types[0], result]));
            }
        }
    }
    for ty in TYPES {
        for result in TYPES {
            let mut sizes: Vec<Case> = Vec::new();
            for size in 1..=4 {
                for results in [1, 2, 4, size] {
                    let vectors = |sizes: &[usize]| {
                        let operands = sizes.iter().map(|&size| Shape::vector(ty, size));
                        Case {
                            set,
                            number,
                            form: Form::Whole,
                            results: vec![Shape::vector(result, results)],
                            operands: operands.collect(),
                        }
                    };
                    sizes.push(vectors(&[size]));
                    sizes.push(vectors(&[size, size]));
                    sizes.push(vectors(&[size, size, size]));
                    sizes.push(vectors(&[size, size, 1]));
                }
                let matrix = Shape {
                    ty,
                    size,
                    columns: size,
                };
                for result in [
                    Shape::vector(result, 1),
                    Shape {
                        ty: result,
                        ..matrix
                    },
                ] {
                    sizes.push(Case {
                        set,
                        number,
                        form: Form::Whole,
                        results: vec![result],
                        operands: vec![matrix],
                    });
                }
            }
            all.extend(sizes.into_iter().map(|case| vec![case]));
        }
    }
    let mut seen = HashSet::new();
    all.retain(|cases| cases[0].is_computable() && seen.insert(cases[0].clone()));
    all
}

/// Checks all functions of a set but these, which do something else than compute.
fn check(set: ExtInstSet, widths: &[usize], others: impl Fn(u32) -> bool) {
    let samples = samples();
    let is_thorough = samples > 256;
    for info in set.instructions() {
        let number = info.number();
        let cases = cases(set, number, widths);
        assert_eq!(cases.is_empty(), others(number), "{}", info.name());
        for (index, cases) in cases.iter().enumerate() {
            match is_thorough {
                true => cases.iter().for_each(|it| it.check(samples / cases.len())),
                false => cases[(index + number as usize) % cases.len()].check(64),
            }
        }
    }
}

#[test]
fn glsl() {
    check(ExtInstSet::GlslStd450, &[1, 2, 3, 4], |number| {
        matches!(
            GlslStd450(number),
            GlslStd450::InterpolateAtCentroid
                | GlslStd450::InterpolateAtSample
                | GlslStd450::InterpolateAtOffset
                | GlslStd450::IMix
        )
    });
}

#[test]
fn opencl() {
    check(ExtInstSet::OpenClStd, &[1, 2, 3, 4, 8, 16], |number| {
        let name = ExtInstSet::OpenClStd.instruction(number).unwrap().name();
        name.starts_with("vload")
            || name.starts_with("vstore")
            || ["shuffle", "shuffle2", "printf", "prefetch"].contains(&name)
    });
}
