//! What is said of small modules, written for the purpose.

mod hostile;
mod kernels;
mod types;
mod unusual;
mod usage;

use spirvkit_reflect::{Extent, Member, Reflection, TypeKind, reflect};

fn reflect_text(text: &str) -> Reflection {
    reflect(&spirvkit_testing::words(text)).unwrap()
}

/// A module whose `main` has this body, with these annotations and declarations.
fn shader(modes: &str, annotations: &str, declarations: &str, body: &str) -> Reflection {
    reflect_text(&format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        {modes}
        {annotations}
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %vec2 = OpTypeVector %float 2
        %vec3 = OpTypeVector %float 3
        %vec4 = OpTypeVector %float 4
        %zero = OpConstant %uint 0
        %two = OpConstant %uint 2
        {declarations}
        %main = OpFunction %void None %function
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd"
    ))
}

fn members<'r>(reflection: &'r Reflection, name: &str) -> &'r [Member] {
    let named = |ty: &&spirvkit_reflect::Type| ty.name.as_deref() == Some(name);
    match &reflection.types.iter().find(named).unwrap().kind {
        TypeKind::Struct { members, .. } => members,
        other => panic!("{other:?}"),
    }
}

fn fixed(amount: Option<Extent>) -> u64 {
    match amount {
        Some(Extent::Fixed(number)) => number,
        other => panic!("{other:?}"),
    }
}
