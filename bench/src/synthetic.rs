//! A module of any size.

use spirvkit::grammar::{AddressingModel, Capability, FunctionControl, MemoryModel, Op};

use crate::writer::Writer;

/// Writes a module of about this many bytes: one function that does arithmetic
/// on its last results, so that the ids grow with the module.
pub fn module(bytes: usize) -> Vec<u32> {
    let mut module = Writer::with_capacity(bytes / 4 + 64);
    let void = module.id();
    let function_type = module.id();
    let (int, float) = (module.id(), module.id());
    let (int_constant, float_constant) = (module.id(), module.id());
    let (function, label) = (module.id(), module.id());

    module.instruction(Op::Capability, &[Capability::Shader.0]);
    module.instruction(Op::Capability, &[Capability::Linkage.0]);
    module.instruction(
        Op::MemoryModel,
        &[AddressingModel::Logical.0, MemoryModel::GLSL450.0],
    );
    module.instruction(Op::TypeVoid, &[void]);
    module.instruction(Op::TypeFunction, &[function_type, void]);
    module.instruction(Op::TypeInt, &[int, 32, 1]);
    module.instruction(Op::TypeFloat, &[float, 32]);
    module.instruction(Op::Constant, &[int, int_constant, 7]);
    module.instruction(Op::Constant, &[float, float_constant, 1.5f32.to_bits()]);
    module.instruction(
        Op::Function,
        &[void, function, FunctionControl::None.0, function_type],
    );
    module.instruction(Op::Label, &[label]);
    let (mut integer, mut number) = (int_constant, float_constant);
    while module.bytes() < bytes {
        for op in [Op::IAdd, Op::BitwiseXor, Op::IMul, Op::ShiftLeftLogical] {
            let result = module.id();
            module.instruction(op, &[int, result, integer, int_constant]);
            integer = result;
        }
        for op in [Op::FAdd, Op::FMul, Op::FSub] {
            let result = module.id();
            module.instruction(op, &[float, result, number, float_constant]);
            number = result;
        }
        let result = module.id();
        module.instruction(Op::ConvertSToF, &[float, result, integer]);
    }
    module.instruction(Op::Return, &[]);
    module.instruction(Op::FunctionEnd, &[]);
    module.finish()
}
