//! A pass of one's own over a module, with nothing but what the crates offer everybody:
//! it makes additions of multiplications by 2, and drops stores to local variables that
//! nothing reads.
//!
//! With the path of a module it prints what becomes of that one; otherwise it shows what
//! it does on a small one.

use spirvkit_binary::{Id, NumberType};
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::builder::BuildError;
use spirvkit_ir::{EditError, Inst, Lookup, Module, Place, Use};

/// Makes `x + x` of `x * 2` and `2 * x`, for integers and floating-point numbers;
/// returns how many there were.
pub fn double_by_adding(module: &mut Module) -> Result<usize, Errors<BuildError>> {
    let products = module.instructions();
    let doublings: Vec<_> = products
        .filter_map(|inst| Some((inst, doubled(module, inst)?)))
        .collect();
    module.edit(|b| {
        for &(product, (ty, x)) in &doublings {
            let is_integer = b.module().op(product) == Op::IMul;
            b.insert_at(Place::Before(product));
            let sum = match is_integer {
                true => b.i_add(ty, x, x),
                false => b.f_add(ty, x, x),
            };
            b.replace_with(product, sum);
        }
        doublings.len()
    })
}

/// The type of a product of something and 2, and that something.
fn doubled(module: &Module, inst: Inst) -> Option<(Id, Id)> {
    if !matches!(module.op(inst), Op::IMul | Op::FMul) {
        return None;
    }
    let (left, right) = (module.operand_id(inst, 0)?, module.operand_id(inst, 1)?);
    let ty = module.result_type(inst)?;
    match (is_two(module, left), is_two(module, right)) {
        (_, true) => Some((ty, left)),
        (true, _) => Some((ty, right)),
        _ => None,
    }
}

/// Whether an id is the constant 2, of an integer type or `float`.
fn is_two(module: &Module, id: Id) -> bool {
    match module.number_constant(id) {
        Some((NumberType::Integer { .. }, bits)) => bits == 2,
        Some((ty, bits)) => ty.width() == 32 && bits == u64::from(2.0_f32.to_bits()),
        None => false,
    }
}

/// Drops the stores to variables of functions that are stored to and nothing else, and
/// the variables; returns how many stores there were.
pub fn drop_dead_stores(module: &mut Module) -> Result<usize, EditError> {
    let is_local = |inst: &Inst| {
        let class = module.operand_word(*inst, 0).map(StorageClass);
        module.op(*inst) == Op::Variable && class == Some(StorageClass::Function)
    };
    let variables: Vec<Inst> = module.instructions().filter(is_local).collect();
    let mut count = 0;
    for variable in variables {
        // Names and decorations don't count.
        let uses = module.uses_of(variable);
        let uses: Vec<Use> = uses.filter(|&found| !module.is_about(found)).collect();
        // Its first operand is where a store goes; elsewhere, the variable's address is stored.
        let is_store = |found: &Use| found.word == 1 && module.op(found.inst) == Op::Store;
        if !uses.iter().all(is_store) {
            continue;
        }
        for found in &uses {
            module.remove(found.inst)?;
        }
        module.erase(variable)?;
        count += uses.len();
    }
    Ok(count)
}

/// A function `int f(int x) { int unused = x; return x * 2; }`.
pub fn small_module() -> Module {
    use spirvkit_grammar::{AddressingModel, FunctionControl, MemoryModel, Version};
    let mut b = spirvkit_ir::builder::Builder::new(Version::V1_3);
    b.capability(spirvkit_grammar::Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let int = b.type_int(32, 1);
    let two = b.constant_i32(2);
    let f = b.function(int, FunctionControl::None, &[int], |b, parameters| {
        let unused = b.local(int);
        b.name(unused, "unused");
        b.store(unused, parameters[0], None);
        let product = b.i_mul(int, parameters[0], two);
        b.return_value(product);
    });
    b.export(f, "f");
    b.finish().expect("a function in order")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut module = match std::env::args().nth(1) {
        Some(path) => {
            let bytes = std::fs::read(path)?;
            let (words, _) = spirvkit_binary::words_from_bytes(&bytes)?;
            Module::from_words(words)?
        }
        None => small_module(),
    };
    let doubled = double_by_adding(&mut module)?;
    let dropped = drop_dead_stores(&mut module)?;
    let text = spirvkit_text::disassemble(&module.store(), &Default::default())?;
    print!("{}", text.text);
    println!("; {doubled} multiplications replaced, {dropped} stores dropped");
    Ok(())
}
