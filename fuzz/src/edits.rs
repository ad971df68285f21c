//! Owned modules, loaded, changed and stored.

use spirvkit::binary::{Id, Section};
use spirvkit::grammar::{FunctionControl, Op};
use spirvkit::ir::{Block, Function, Inst, Lookup, Module, Place};
use spirvkit::words_from_bytes;

use crate::RECIPE;
use crate::recipe::Recipe;

/// Whatever is loaded is stored as it was, and the module's tables agree with it.
pub fn load_module(bytes: &[u8]) {
    if let Ok((words, _)) = words_from_bytes(bytes) {
        load_words(&words);
    }
}

/// The same with words.
pub fn load_words(words: &[u32]) {
    let Ok(module) = Module::load(words) else {
        return;
    };
    assert_eq!(module.store(), words, "stored otherwise than loaded");
    check(&module);
}

fn check(module: &Module) {
    let _ = module.is_used(Id(1));
    if let Err(error) = module.verify() {
        panic!("{error}");
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it, after each of
/// which its tables agree with it; and what it then stores can be loaded and stored
/// again.
pub fn edited_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        edit_words(&words, recipe);
    }
}

/// The same with words and a recipe of any length.
pub fn edit_words(words: &[u32], recipe: &[u8]) {
    let Ok(mut module) = Module::load(words) else {
        return;
    };
    let mut recipe = Recipe::new(recipe);
    // The uses are found before all changes, in between, or not at all.
    if recipe.once_in(2) {
        let _ = module.is_used(Id(1));
    }
    while !recipe.is_empty() {
        edit(&mut module, &mut recipe);
        if let Err(error) = module.verify() {
            panic!("{error}");
        }
    }
    check(&module);
    let stored = module.store();
    load_words(&stored);
}

/// Makes one change. Whether it is possible is the module's business.
fn edit(module: &mut Module, recipe: &mut Recipe<'_>) {
    let kind = recipe.byte();
    let inst = any_inst(module, recipe);
    // A change that can't be made has an error, and leaves everything as it was.
    let _ = match kind % 23 {
        0 | 1 => module.remove(inst),
        2 => {
            let place = any_place(module, recipe);
            module.move_to(inst, place)
        }
        3 | 4 => {
            let place = any_place(module, recipe);
            let (op, operands) = any_instruction(module, recipe);
            module.insert(place, op, &operands).map(drop)
        }
        5 => {
            let (op, operands) = any_instruction(module, recipe);
            module.replace(inst, op, &operands)
        }
        6 => {
            let word = recipe.below(8);
            let value = any_id(module, recipe).0;
            module.set_word(inst, word, value)
        }
        7 => {
            let (old, new) = (any_id(module, recipe), any_id(module, recipe));
            module.replace_uses(old, new);
            Ok(())
        }
        8 | 9 => {
            let label = module.fresh_id();
            module.split_block(inst, label).map(drop)
        }
        10 | 11 => {
            let (first, second) = (any_block(module, recipe), any_block(module, recipe));
            module.merge_blocks(first, second)
        }
        12 => {
            // Blocks that were just split can be merged.
            let first = any_block(module, recipe);
            match module.next_block(first) {
                Some(second) => module.merge_blocks(first, second),
                None => Ok(()),
            }
        }
        13 => {
            let block = any_block(module, recipe);
            module.remove_block(block)
        }
        14 => {
            let (block, behind) = (any_block(module, recipe), any_block(module, recipe));
            module.move_block(block, behind)
        }
        15 => {
            let function = any_function(module, recipe);
            let after = recipe.once_in(2).then(|| any_block(module, recipe));
            let label = module.fresh_id();
            module.add_block(function, after, label).map(drop)
        }
        16 => {
            let function = any_function(module, recipe);
            module.remove_function(function)
        }
        17 => {
            let (ty, id) = (any_id(module, recipe), module.fresh_id());
            let control = FunctionControl(0);
            match recipe.once_in(2) {
                true => module.add_function(ty, id, control, ty),
                false => module.add_declaration(ty, id, control, ty),
            };
            Ok(())
        }
        18 => {
            let line = match recipe.once_in(2) {
                true => Some(any_inst(module, recipe)),
                false => None,
            };
            module.set_line(inst, line.filter(|&line| module.is_place(line)));
            Ok(())
        }
        19 => {
            let from = any_inst(module, recipe);
            module.copy_place(from, inst);
            Ok(())
        }
        20 => module.erase(inst),
        21 => {
            let value = any_id(module, recipe);
            module.replace_with(inst, value).map(drop)
        }
        _ => {
            let place = any_place(module, recipe);
            call_in(module, place, recipe.word());
            Ok(())
        }
    };
}

/// Makes instructions at a place by the builder's calls. What there is by value is there once.
fn call_in(module: &mut Module, place: Place, value: u32) {
    let made = module.edit(|b| {
        b.insert_at(place);
        let number = b.constant_u32(value);
        let uint = b.type_int(32, 0);
        b.i_add(uint, number, number);
        b.local(uint);
        assert_eq!(b.constant_u32(value), number);
        assert_eq!(b.type_int(32, 0), uint);
        number
    });
    let Ok(number) = made else {
        return;
    };
    assert_eq!((&*module).constant_u64(number), Some(value.into()));
}

fn any_inst(module: &Module, recipe: &mut Recipe<'_>) -> Inst {
    let index = recipe.below(module.inst_count().max(1));
    let mut all = module.instructions();
    match module.first() {
        Some(first) => all.nth(index).unwrap_or(first),
        // There is nothing; any handle will do.
        None => Module::load(&[0x0723_0203, 0x0001_0000, 0, 1, 0, 1 << 16])
            .ok()
            .and_then(|other| other.first())
            .unwrap_or_else(|| unreachable!("one instruction was loaded")),
    }
}

fn any_block(module: &Module, recipe: &mut Recipe<'_>) -> Block {
    let index = recipe.below(module.block_count().max(1));
    let mut all = module
        .functions()
        .flat_map(|function| module.blocks(function));
    all.nth(index).unwrap_or_else(stray_block)
}

fn any_function(module: &Module, recipe: &mut Recipe<'_>) -> Function {
    let index = recipe.below(module.function_count().max(1));
    let mut all = module.functions();
    all.nth(index).unwrap_or_else(|| stray().1)
}

fn stray_block() -> Block {
    stray().0
}

/// Handles from another module.
fn stray() -> (Block, Function) {
    let mut other = Module::new(spirvkit::Version::V1_0);
    let function = other.add_function(Id(1), Id(2), FunctionControl(0), Id(3));
    match other.add_block(function, None, Id(4)) {
        Ok(block) => (block, function),
        Err(error) => unreachable!("{error}"),
    }
}

fn any_id(module: &mut Module, recipe: &mut Recipe<'_>) -> Id {
    match recipe.byte() % 16 {
        0 => module.fresh_id(),
        1 => Id(recipe.word()),
        _ => Id(recipe.below(module.header().bound.clamp(1, 4096) as usize) as u32),
    }
}

fn any_place(module: &Module, recipe: &mut Recipe<'_>) -> Place {
    match recipe.byte() % 5 {
        0 => Place::Before(any_inst(module, recipe)),
        1 => Place::After(any_inst(module, recipe)),
        2 => Place::Head(any_block(module, recipe)),
        3 => Place::Tail(any_block(module, recipe)),
        _ => Place::Section(recipe.pick(&Section::ALL).unwrap_or(Section::Types)),
    }
}

fn any_instruction(module: &mut Module, recipe: &mut Recipe<'_>) -> (Op, Vec<u32>) {
    let op = match recipe.byte() % 8 {
        0 => Op(recipe.word() as u16),
        _ => {
            let common = [
                Op::IAdd,
                Op::Branch,
                Op::Phi,
                Op::Return,
                Op::TypeInt,
                Op::Constant,
                Op::Switch,
                Op::ExtInst,
                Op::ExtInstImport,
                Op::Line,
                Op::NoLine,
                Op::Name,
                Op::Label,
            ];
            recipe.pick(&common).unwrap_or(Op::Nop)
        }
    };
    let count = recipe.below(7);
    let operands = (0..count).map(|_| any_id(module, recipe).0).collect();
    (op, operands)
}
