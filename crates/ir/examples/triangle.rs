//! Builds a vertex and a fragment shader for Vulkan in one module, and prints it: the
//! three corners of a triangle from a table, each with its colour, and a lamp's gamma
//! curve on what is between them.

use spirvkit_binary::Id;
use spirvkit_grammar::{
    AddressingModel, BuiltIn, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    GlslStd450, MemoryModel, StorageClass, Version,
};
use spirvkit_ir::Module;
use spirvkit_ir::builder::Builder;

const CORNERS: [[f32; 2]; 3] = [[0.0, -0.5], [0.5, 0.5], [-0.5, 0.5]];
const COLOURS: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A constant vector.
fn vector(b: &mut Builder, components: &[f32]) -> Id {
    let float = b.type_float(32, None);
    let ty = b.type_vector(float, components.len() as u32);
    let components: Vec<Id> = components
        .iter()
        .map(|&each| b.constant_f32(each))
        .collect();
    b.constant_composite(ty, &components)
}

/// A constant array of vectors, in a variable, so that it can be indexed.
fn table<const N: usize>(b: &mut Builder, rows: &[[f32; N]]) -> Id {
    let float = b.type_float(32, None);
    let row = b.type_vector(float, N as u32);
    let length = b.constant_u32(rows.len() as u32);
    let array = b.type_array(row, length);
    let rows: Vec<Id> = rows.iter().map(|row| vector(b, row)).collect();
    let rows = b.constant_composite(array, &rows);
    let pointer = b.type_pointer(StorageClass::Private, array);
    b.variable(pointer, StorageClass::Private, Some(rows))
}

/// An input or output at a location.
fn at_location(b: &mut Builder, class: StorageClass, ty: Id, name: &str) -> Id {
    let variable = b.global(class, ty);
    b.decorate(variable, Decoration::Location, &[0]);
    b.name(variable, name);
    variable
}

/// The vertex shader.
fn vertex(b: &mut Builder) {
    let (void, float, int) = (b.type_void(), b.type_float(32, None), b.type_int(32, 1));
    let (vec2, vec3, vec4) = (
        b.type_vector(float, 2),
        b.type_vector(float, 3),
        b.type_vector(float, 4),
    );
    let (corners, colours) = (table(b, &CORNERS), table(b, &COLOURS));
    let index = b.global(StorageClass::Input, int);
    b.decorate(index, Decoration::BuiltIn, &[BuiltIn::VertexIndex.0]);
    let position = b.global(StorageClass::Output, vec4);
    b.decorate(position, Decoration::BuiltIn, &[BuiltIn::Position.0]);
    let colour = at_location(b, StorageClass::Output, vec3, "vertex_colour");
    let (zero, one) = (b.constant_f32(0.0), b.constant_f32(1.0));

    let main = b.function(void, FunctionControl::None, &[], |b, _| {
        let index = b.load(int, index, None);
        let pointer = b.type_pointer(StorageClass::Private, vec2);
        let corner = b.access_chain(pointer, corners, &[index]);
        let corner = b.load(vec2, corner, None);
        let whole = b.composite_construct(vec4, &[corner, zero, one]);
        b.store(position, whole, None);
        let pointer = b.type_pointer(StorageClass::Private, vec3);
        let of_corner = b.access_chain(pointer, colours, &[index]);
        let of_corner = b.load(vec3, of_corner, None);
        b.store(colour, of_corner, None);
        b.return_();
    });
    let interface = b.interface_of(main);
    b.entry_point(ExecutionModel::Vertex, main, "vertex_main", &interface);
}

/// The fragment shader.
fn fragment(b: &mut Builder) {
    let (void, bool, float) = (b.type_void(), b.type_bool(), b.type_float(32, None));
    let (vec3, vec4) = (b.type_vector(float, 3), b.type_vector(float, 4));
    let colour = at_location(b, StorageClass::Input, vec3, "fragment_colour");
    let output = at_location(b, StorageClass::Output, vec4, "output");
    let (one, gamma) = (b.constant_f32(1.0), b.constant_f32(1.0 / 2.2));
    let (knee, slope) = (b.constant_f32(0.0031308), b.constant_f32(12.92));

    // A straight line where it is dark, and a power above.
    let curve = b.function(float, FunctionControl::None, &[float], |b, parameters| {
        let value = parameters[0];
        let is_dark = b.f_ord_less_than(bool, value, knee);
        let curved = b.if_value(
            float,
            is_dark,
            |b| b.f_mul(float, value, slope),
            |b| b.glsl(float, GlslStd450::Pow, &[value, gamma]),
        );
        b.return_value(curved);
    });
    b.name(curve, "curve");

    let main = b.function(void, FunctionControl::None, &[], |b, _| {
        let colour = b.load(vec3, colour, None);
        let mut channels: Vec<Id> = Vec::new();
        for channel in 0..3 {
            let value = b.composite_extract(float, colour, &[channel]);
            channels.push(b.function_call(float, curve, &[value]));
        }
        channels.push(one);
        let whole = b.composite_construct(vec4, &channels);
        b.store(output, whole, None);
        b.return_();
    });
    let interface = b.interface_of(main);
    b.entry_point(ExecutionModel::Fragment, main, "fragment_main", &interface);
    b.execution_mode(main, ExecutionMode::OriginUpperLeft, &[]);
}

/// Both shaders.
pub fn build() -> Module {
    let mut b = Builder::new(Version::V1_5);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    vertex(&mut b);
    fragment(&mut b);
    b.finish().expect("shaders in order")
}

fn main() {
    let words = build().store();
    let text = spirvkit_text::disassemble(&words, &Default::default());
    print!("{}", text.expect("readable words").text);
}
