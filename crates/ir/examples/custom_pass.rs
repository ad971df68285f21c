//! A pass of one's own over a module, with nothing but what the crates offer everybody:
//! it makes additions of multiplications by 2, and drops stores to local variables that
//! nothing reads.
//!
//! With the path of a module it prints what becomes of that one; otherwise it shows what
//! it does on a small one.

use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::{Inst, Module};

/// Makes `x + x` of `x * 2` and `2 * x`, for integers and floating-point numbers;
/// returns how many there were.
pub fn double_by_adding(module: &mut Module) -> usize {
    let products: Vec<Inst> = module
        .instructions()
        .filter(|&inst| matches!(module.op(inst), Op::IMul | Op::FMul))
        .collect();
    let mut count = 0;
    for inst in products {
        let &[_, ty, result, left, right] = module.get(inst).words() else {
            continue;
        };
        let doubled = match (is_two(module, Id(left)), is_two(module, Id(right))) {
            (_, true) => left,
            (true, _) => right,
            _ => continue,
        };
        let op = match module.op(inst) {
            Op::IMul => Op::IAdd,
            _ => Op::FAdd,
        };
        let replaced = module.replace(inst, op, &[ty, result, doubled, doubled]);
        count += usize::from(replaced.is_ok());
    }
    count
}

/// Whether an id is the constant 2 of a type of at most 32 bits.
fn is_two(module: &Module, id: Id) -> bool {
    let Some(constant) = module.definition(id) else {
        return false;
    };
    let &[_, ty, _, bits] = module.get(constant).words() else {
        return false;
    };
    let ty = module.definition(Id(ty)).map(|ty| module.get(ty));
    let two = match ty.map(|ty| (ty.op(), ty.operand_words().get(1).copied())) {
        Some((Op::TypeInt, _)) => 2,
        Some((Op::TypeFloat, Some(32))) => 2.0_f32.to_bits(),
        _ => return false,
    };
    module.op(constant) == Op::Constant && bits == two
}

/// Drops the stores to variables of functions that are stored to and nothing else, and
/// the variables; returns how many stores there were.
pub fn drop_dead_stores(module: &mut Module) -> usize {
    let variables: Vec<(Inst, Id)> = module
        .instructions()
        .filter(|&inst| {
            module.op(inst) == Op::Variable
                && module.get(inst).words().get(3) == Some(&StorageClass::Function.0)
        })
        .filter_map(|inst| Some((inst, module.result(inst)?)))
        .collect();
    let mut count = 0;
    for (variable, id) in variables {
        let users: Vec<_> = module.uses(id).collect();
        let is_store = |op: Op, word: usize| op == Op::Store && word == 1;
        let is_note = |op: Op| matches!(op, Op::Name | Op::Decorate);
        let is_dead = users.iter().all(|found| {
            let op = module.op(found.inst);
            is_store(op, found.word) || is_note(op)
        });
        if !is_dead {
            continue;
        }
        for found in users {
            count += usize::from(module.op(found.inst) == Op::Store);
            // It was there a moment ago, and neither begins nor ends anything.
            module.remove(found.inst).expect("an instruction");
        }
        module.remove(variable).expect("an instruction");
    }
    count
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
    let doubled = double_by_adding(&mut module);
    let dropped = drop_dead_stores(&mut module);
    let text = spirvkit_text::disassemble(&module.store(), &Default::default());
    print!("{}", text.expect("readable words").text);
    println!("; {doubled} multiplications replaced, {dropped} stores dropped");
    Ok(())
}
