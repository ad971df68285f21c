//! Builds a compute shader for Vulkan, `y[i] = a * x[i] + y[i]` for every i below a
//! count, with a loop in which each invocation takes every n-th element, and prints it.

use spirvkit_binary::Id;
use spirvkit_grammar::{
    AddressingModel, BuiltIn, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    LoopControl, MemoryModel, StorageClass, Version,
};
use spirvkit_ir::Module;
use spirvkit_ir::builder::Builder;

/// How many invocations there are in a workgroup.
const WORKGROUP: u32 = 64;

/// A buffer `{ float values[]; }` at a binding.
fn buffer(b: &mut Builder, name: &str, binding: u32) -> Id {
    let float = b.type_float(32, None);
    let values = b.type_runtime_array_with_stride(float, 4);
    let block = b.type_struct(&[values]);
    b.decorate(block, Decoration::Block, &[]);
    b.member_decorate(block, 0, Decoration::Offset, &[0]);
    let buffer = b.global(StorageClass::StorageBuffer, block);
    b.decorate(buffer, Decoration::DescriptorSet, &[0]);
    b.decorate(buffer, Decoration::Binding, &[binding]);
    b.name(buffer, name);
    buffer
}

/// The push constants `{ float a; uint count; }`.
fn parameters(b: &mut Builder) -> Id {
    let (float, uint) = (b.type_float(32, None), b.type_int(32, 0));
    let block = b.type_struct(&[float, uint]);
    b.decorate(block, Decoration::Block, &[]);
    b.member_decorate(block, 0, Decoration::Offset, &[0]);
    b.member_decorate(block, 1, Decoration::Offset, &[4]);
    b.member_name(block, 0, "a");
    b.member_name(block, 1, "count");
    let parameters = b.global(StorageClass::PushConstant, block);
    b.name(parameters, "parameters");
    parameters
}

/// A three-component built-in that the stage reads.
fn built_in(b: &mut Builder, built_in: BuiltIn) -> Id {
    let uint = b.type_int(32, 0);
    let vector = b.type_vector(uint, 3);
    let variable = b.global(StorageClass::Input, vector);
    b.decorate(variable, Decoration::BuiltIn, &[built_in.0]);
    variable
}

/// Loads a number of this type from where the indexes lead.
fn load(b: &mut Builder, class: StorageClass, ty: Id, base: Id, indexes: &[Id]) -> Id {
    let pointer = b.type_pointer(class, ty);
    let pointer = b.access_chain(pointer, base, indexes);
    b.load(ty, pointer, None)
}

/// The shader.
pub fn build() -> Module {
    let mut b = Builder::new(Version::V1_3);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let (void, float, uint) = (b.type_void(), b.type_float(32, None), b.type_int(32, 0));
    let (x, y) = (buffer(&mut b, "x", 0), buffer(&mut b, "y", 1));
    let parameters = parameters(&mut b);
    let invocation = built_in(&mut b, BuiltIn::GlobalInvocationId);
    let groups = built_in(&mut b, BuiltIn::NumWorkgroups);
    let (zero, one) = (b.constant_u32(0), b.constant_u32(1));
    let size = b.constant_u32(WORKGROUP);

    let main = b.function(void, FunctionControl::None, &[], |b, _| {
        let first = load(b, StorageClass::Input, uint, invocation, &[zero]);
        let groups = load(b, StorageClass::Input, uint, groups, &[zero]);
        let stride = b.i_mul(uint, groups, size);
        let a = load(b, StorageClass::PushConstant, float, parameters, &[zero]);
        let count = load(b, StorageClass::PushConstant, uint, parameters, &[one]);
        b.loop_control(LoopControl::DontUnroll, &[]);
        b.for_(first..count, stride, |b, i, _| {
            let of_x = load(b, StorageClass::StorageBuffer, float, x, &[zero, i]);
            let pointer = b.type_pointer(StorageClass::StorageBuffer, float);
            let y_i = b.access_chain(pointer, y, &[zero, i]);
            let of_y = b.load(float, y_i, None);
            let product = b.f_mul(float, a, of_x);
            let sum = b.f_add(float, product, of_y);
            b.store(y_i, sum, None);
        });
        b.return_();
    });
    b.name(main, "main");
    b.entry_point(
        ExecutionModel::GLCompute,
        main,
        "main",
        &[invocation, groups],
    );
    b.execution_mode(main, ExecutionMode::LocalSize, &[WORKGROUP, 1, 1]);
    // The shader is right, so there is nothing to tell.
    b.finish().expect("a shader in order")
}

fn main() {
    let words = build().store();
    let text = spirvkit_text::disassemble(&words, &Default::default());
    print!("{}", text.expect("readable words").text);
}
