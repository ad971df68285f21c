//! Builds an OpenCL kernel and prints it: `out[i] = clamp(in[i], low, high)`, with the
//! signs of what was clamped counted by a switch, and debug lines.

use spirvkit_grammar::{
    AddressingModel, BuiltIn, Decoration, ExecutionModel, FunctionControl, MemoryAccess,
    MemoryModel, OpenClStd, StorageClass, Version,
};
use spirvkit_ir::Module;
use spirvkit_ir::builder::Builder;

/// The kernel, `clamp_all(global const float *in, global float *out, float low, float
/// high, uint mode)`: mode 0 copies, mode 1 clamps, and any other does nothing.
pub fn build() -> Module {
    let mut b = Builder::new(Version::V1_2);
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (void, float) = (b.type_void(), b.type_float(32, None));
    let (uint, ulong) = (b.type_int(32, 0), b.type_int(64, 0));
    let pointer = b.type_pointer(StorageClass::CrossWorkgroup, float);
    let sizes = b.type_vector(ulong, 3);
    let global_id = b.global(StorageClass::Input, sizes);
    b.decorate(
        global_id,
        Decoration::BuiltIn,
        &[BuiltIn::GlobalInvocationId.0],
    );
    b.decorate(global_id, Decoration::Constant, &[]);
    b.import(global_id, "__spirv_BuiltInGlobalInvocationId");
    let file = b.string("clamp.cl");

    let types = [pointer, pointer, float, float, uint];
    let kernel = b.function(void, FunctionControl::None, &types, |b, parameters| {
        let &[input, output, low, high, mode] = parameters else {
            return;
        };
        b.set_line(file, 4, 3);
        let ids = b.load(sizes, global_id, None);
        let i = b.composite_extract(ulong, ids, &[0]);
        let from = b.in_bounds_ptr_access_chain(pointer, input, i, &[]);
        let to = b.in_bounds_ptr_access_chain(pointer, output, i, &[]);
        let aligned = Some((MemoryAccess::Aligned, &[4][..]));
        let value = b.load(float, from, aligned);
        b.switch_(mode, |s| {
            s.case(&[0], |b| {
                b.set_line(file, 6, 5);
                b.store(to, value, aligned);
            });
            s.case(&[1], |b| {
                b.set_line(file, 7, 5);
                let clamped = b.opencl(float, OpenClStd::fclamp, &[value, low, high]);
                b.store(to, clamped, aligned);
            });
        });
        b.set_line(file, 9, 1);
        b.return_();
    });
    b.name(kernel, "clamp_all");
    b.entry_point(ExecutionModel::Kernel, kernel, "clamp_all", &[global_id]);
    b.finish().expect("a kernel in order")
}

fn main() {
    let words = build().store();
    let text = spirvkit_text::disassemble(&words, &Default::default());
    print!("{}", text.expect("readable words").text);
}
