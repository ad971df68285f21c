//! Functions give in the engine what `eval` gives, bit by bit; how exact that is, `eval`'s own tests
//! show. `cargo xtask conformance precision` takes more inputs than usual.

mod sets;

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_glsl_scalar, evaluate_glsl_vector};
use spirvkit_grammar::{ExtInstSet, GlslStd450 as Glsl};
use spirvkit_interp::Run;
use spirvkit_text::{AssembleOptions, assemble};

const F16: ScalarType = ScalarType::Float(FloatFormat::Half);
const F32: ScalarType = ScalarType::Float(FloatFormat::Single);
const F64: ScalarType = ScalarType::Float(FloatFormat::Double);
const I16: ScalarType = ScalarType::Integer { width: 16 };
const I32: ScalarType = ScalarType::Integer { width: 32 };
const I64: ScalarType = ScalarType::Integer { width: 64 };

/// Functions of one, two and three numbers that take any format.
const FLOATS: &[&[Glsl]] = &[
    &[
        Glsl::Round,
        Glsl::RoundEven,
        Glsl::Trunc,
        Glsl::FAbs,
        Glsl::FSign,
        Glsl::Floor,
        Glsl::Ceil,
        Glsl::Fract,
        Glsl::Sqrt,
        Glsl::InverseSqrt,
    ],
    &[Glsl::FMin, Glsl::FMax, Glsl::NMin, Glsl::NMax, Glsl::Step],
    &[
        Glsl::FClamp,
        Glsl::NClamp,
        Glsl::FMix,
        Glsl::SmoothStep,
        Glsl::Fma,
    ],
];

/// Those that take no numbers of 64 bits.
const NARROW: &[&[Glsl]] = &[
    &[
        Glsl::Radians,
        Glsl::Degrees,
        Glsl::Sin,
        Glsl::Cos,
        Glsl::Tan,
        Glsl::Asin,
        Glsl::Acos,
        Glsl::Atan,
        Glsl::Sinh,
        Glsl::Cosh,
        Glsl::Tanh,
        Glsl::Asinh,
        Glsl::Acosh,
        Glsl::Atanh,
        Glsl::Exp,
        Glsl::Log,
        Glsl::Exp2,
        Glsl::Log2,
    ],
    &[Glsl::Atan2, Glsl::Pow],
];

const INTEGERS: &[&[Glsl]] = &[
    &[Glsl::SAbs, Glsl::SSign],
    &[Glsl::UMin, Glsl::UMax, Glsl::SMin, Glsl::SMax],
    &[Glsl::UClamp, Glsl::SClamp],
];

/// Those of whole vectors of four bytes or two halves, with the number of components of operand
/// and result.
const PACKING: &[(Glsl, usize, usize)] = &[
    (Glsl::PackSnorm4x8, 4, 1),
    (Glsl::PackUnorm4x8, 4, 1),
    (Glsl::PackSnorm2x16, 2, 1),
    (Glsl::PackUnorm2x16, 2, 1),
    (Glsl::PackHalf2x16, 2, 1),
    (Glsl::UnpackSnorm4x8, 1, 4),
    (Glsl::UnpackUnorm4x8, 1, 4),
    (Glsl::UnpackSnorm2x16, 1, 2),
    (Glsl::UnpackUnorm2x16, 1, 2),
    (Glsl::UnpackHalf2x16, 1, 2),
    (Glsl::Length, 3, 1),
    (Glsl::Normalize, 3, 3),
    (Glsl::Length, 4, 1),
];

/// How many inputs each function gets, in whole workgroups of 64.
fn samples() -> usize {
    let samples = std::env::var("SAMPLES").ok();
    let samples = samples.map_or(256, |it| it.parse().expect("a number"));
    usize::div_ceil(samples, 64) * 64
}

fn name(ty: ScalarType) -> &'static str {
    match ty {
        F16 => "%f16",
        F32 => "%f32",
        F64 => "%f64",
        I16 => "%u16",
        I64 => "%u64",
        _ => "%u32",
    }
}

/// A shader that applies a function to what is in buffers 1, 2 and 3, and writes buffer 0. A
/// vector's components are behind each other.
fn shader(
    function: Glsl,
    (result, results): (ScalarType, usize),
    operands: &[(ScalarType, usize)],
) -> Vec<u32> {
    let function = ExtInstSet::GlslStd450
        .instruction(function.0)
        .unwrap()
        .name();
    let mut decorations = String::new();
    let mut types = String::new();
    let mut body = String::new();
    let all = [(result, results)]
        .into_iter()
        .chain(operands.iter().copied());
    let mut names = Vec::new();
    for (binding, (ty, count)) in all.enumerate() {
        let (component, size) = (name(ty), ty.width() / 8);
        let stride = size as usize * count;
        decorations += &format!(
            "OpDecorate %b{binding} DescriptorSet 0\nOpDecorate %b{binding} Binding {binding}\n\
             OpDecorate %s{binding} Block\nOpMemberDecorate %s{binding} 0 Offset 0\n\
             OpDecorate %a{binding} ArrayStride {stride}\nOpDecorate %e{binding} ArrayStride {size}\n"
        );
        types += &format!(
            "%n{binding} = OpConstant %u32 {count}\n\
             %e{binding} = OpTypeArray {component} %n{binding}\n\
             %a{binding} = OpTypeRuntimeArray %e{binding}\n\
             %s{binding} = OpTypeStruct %a{binding}\n\
             %ps{binding} = OpTypePointer StorageBuffer %s{binding}\n\
             %pe{binding} = OpTypePointer StorageBuffer {component}\n\
             %b{binding} = OpVariable %ps{binding} StorageBuffer\n"
        );
        let vector = match count {
            1 => component.to_owned(),
            _ => format!("%v{count}{}", &component[1..]),
        };
        if count > 1 {
            let line = format!("{vector} = OpTypeVector {component} {count}\n");
            if !types.contains(&line) {
                types += &line;
            }
        }
        names.push(vector.clone());
        if binding == 0 {
            continue;
        }
        let mut parts = String::new();
        for part in 0..count {
            body += &format!(
                "%at{binding}_{part} = OpAccessChain %pe{binding} %b{binding} %u0 %i %u{part}\n\
                 %in{binding}_{part} = OpLoad {component} %at{binding}_{part}\n"
            );
            parts += &format!(" %in{binding}_{part}");
        }
        body += &match count {
            1 => format!("%x{binding} = OpCopyObject {component}{parts}\n"),
            _ => format!("%x{binding} = OpCompositeConstruct {vector}{parts}\n"),
        };
    }
    let arguments: String = (1..=operands.len()).map(|it| format!(" %x{it}")).collect();
    body += &format!(
        "%result = OpExtInst {} %glsl {function}{arguments}\n",
        names[0]
    );
    for part in 0..results {
        let value = match results {
            1 => "%result".to_owned(),
            _ => {
                let extract = format!(
                    "%out{part} = OpCompositeExtract {} %result {part}\n",
                    name(result)
                );
                body += &extract;
                format!("%out{part}")
            }
        };
        body += &format!(
            "%to{part} = OpAccessChain %pe0 %b0 %u0 %i %u{part}\nOpStore %to{part} {value}\n"
        );
    }
    let text = format!(
        "OpCapability Shader
OpCapability Int64
OpCapability Float64
OpCapability Int16
OpCapability Float16
OpCapability StorageBuffer16BitAccess
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
{decorations}%void = OpTypeVoid
%fn = OpTypeFunction %void
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%ids = OpTypeVector %u32 3
%p_id = OpTypePointer Input %ids
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%id = OpVariable %p_id Input
{types}%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %ids %id
%i = OpCompositeExtract %u32 %three 0
{body}OpReturn
OpFunctionEnd
"
    );
    let assembled = assemble(&text, &AssembleOptions::default());
    assembled
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Any bits, or a number between -8 and 8.
    fn scalar(&mut self, ty: ScalarType) -> Scalar {
        let bits = self.bits();
        let number = (bits >> 8) as f64 / (1u64 << 52) as f64 - 8.0;
        match ty {
            F64 if bits & 1 == 0 => Scalar::new(ty, number.to_bits()),
            F32 if bits & 1 == 0 => Scalar::new(ty, (number as f32).to_bits().into()),
            F16 if bits & 1 == 0 => {
                // Of its exponents, those around 1.
                Scalar::new(ty, 0x3000 | bits >> 40 & 0x8fff | bits >> 20 & 0x1c00)
            }
            // Short integers as often as long ones.
            I16 | I32 | I64 => Scalar::new(ty, self.bits() >> (bits % 64)),
            ty => Scalar::new(ty, self.bits()),
        }
    }
}

fn check(
    function: Glsl,
    result: (ScalarType, usize),
    operands: &[(ScalarType, usize)],
    evaluate: impl Fn(&[&[Scalar]], &mut [Scalar]),
) {
    let words = shader(function, result, operands);
    let mut random = Random(u64::from(function.0) << 8 | u64::from(result.0.width()));
    let samples = samples();
    // The buffers are no larger than necessary.
    let most = 1 << 14;
    for start in (0..samples).step_by(most) {
        let count = (samples - start).min(most);
        let inputs: Vec<Vec<Scalar>> = operands
            .iter()
            .map(|&(ty, size)| (0..count * size).map(|_| random.scalar(ty)).collect())
            .collect();
        let bytes = |scalars: &[Scalar]| -> Vec<u8> {
            let size = |it: &Scalar| it.ty().width() as usize / 8;
            let all = scalars.iter();
            all.flat_map(|it| it.bits().to_le_bytes().into_iter().take(size(it)))
                .collect()
        };
        let size = result.0.width() as usize / 8;
        let mut run = Run::new(&words).zeroed(0, 0, count * result.1 * size);
        for (binding, input) in (1..).zip(&inputs) {
            run = run.storage(0, binding, &bytes(input));
        }
        let out = run.dispatch([count as u32 / 64, 1, 1]).unwrap();
        let mut expected = vec![Scalar::zero(result.0); result.1];
        let mut found = out.bytes(0, 0).chunks_exact(size * result.1);
        for index in 0..count {
            let chosen: Vec<&[Scalar]> = inputs
                .iter()
                .zip(operands)
                .map(|(input, &(_, size))| &input[index * size..(index + 1) * size])
                .collect();
            evaluate(&chosen, &mut expected);
            let found = found.next().unwrap();
            assert_eq!(
                found,
                bytes(&expected),
                "{function:?} {result:?} {chosen:?}"
            );
        }
    }
}

fn check_scalars(function: Glsl, ty: ScalarType, operands: &[ScalarType]) {
    let operands: Vec<(ScalarType, usize)> = operands.iter().map(|&ty| (ty, 1)).collect();
    check(function, (ty, 1), &operands, |operands, results| {
        let operands: Vec<Scalar> = operands.iter().map(|it| it[0]).collect();
        let outcome = evaluate_glsl_scalar(function, ty, &operands, &Environment::default());
        results[0] = outcome.unwrap().common();
    });
}

#[test]
fn numbers() {
    for (table, types) in [
        (FLOATS, &[F16, F32, F64][..]),
        (NARROW, &[F16, F32]),
        (INTEGERS, &[I16, I32, I64]),
    ] {
        for (functions, count) in table.iter().zip(1..) {
            for &function in *functions {
                for &ty in types {
                    check_scalars(function, ty, &vec![ty; count]);
                }
            }
        }
    }
    for function in [Glsl::FindILsb, Glsl::FindUMsb, Glsl::FindSMsb] {
        check_scalars(function, I32, &[I32]);
    }
    for ty in [F16, F32, F64] {
        check_scalars(Glsl::Ldexp, ty, &[ty, I32]);
    }
}

#[test]
fn vectors() {
    for &(function, components, results) in PACKING {
        let (operand, result) = match (components, results) {
            (1, _) => (I32, F32),
            (_, 1) if function != Glsl::Length => (F32, I32),
            _ => (F32, F32),
        };
        let operands = [(operand, components)];
        check(function, (result, results), &operands, |operands, found| {
            let environment = Environment::default();
            let outcome = evaluate_glsl_vector(function, result, operands, &environment, found);
            let _ = outcome.unwrap();
        });
    }
}

/// What the standard library says is not the same everywhere, or is the host's own.
const OF_THE_HOST: &[&str] = &[
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10",
    "powf", "powi", "cbrt", "hypot", "gamma", "ln_gamma", "mul_add",
];

/// `eval` is built without the standard library, which has these; here it is to be seen that the
/// engine doesn't use them either.
#[test]
fn no_function_of_the_host_takes_part() {
    let mut folders = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src"
    ))];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for name in OF_THE_HOST {
                for call in [
                    format!(".{name}("),
                    format!("f32::{name}"),
                    format!("f64::{name}"),
                ] {
                    assert!(!code.contains(&call), "{}: {call}", path.display());
                }
            }
        }
    }
    assert!(files > 50, "{files} files");
}
