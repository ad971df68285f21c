//! Modules that are built by calls, in whatever order.

use spirvkit::Version;
use spirvkit::binary::Id;
use spirvkit::grammar::{Capability, Decoration, FunctionControl, Op, StorageClass};
use spirvkit::ir::builder::Builder;

use crate::load_words;
use crate::recipe::Recipe;

/// How deep constructs are opened within each other.
const DEPTH: usize = 40;

/// A recipe for calls of a builder. What they make can be stored and loaded, or each error
/// has a message.
pub fn built_module(bytes: &[u8]) {
    let mut recipe = Recipe::new(bytes);
    let versions = [Version::V1_0, Version::V1_3, Version::V1_6];
    let version = recipe.pick(&versions).unwrap_or(Version::V1_6);
    let mut builder = Builder::new(version);
    let mut ids = Ids(vec![Id(0), Id(1), Id(u32::MAX)]);
    while !recipe.is_empty() {
        step(&mut builder, &mut ids, &mut recipe, 0);
    }
    match builder.finish() {
        Ok(module) => {
            if let Err(error) = module.verify() {
                panic!("{error}");
            }
            load_words(&module.store());
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            assert!(errors.iter().all(|error| !error.to_string().is_empty()));
        }
    }
}

/// What may be named: some of it isn't there.
struct Ids(Vec<Id>);

impl Ids {
    fn one(&self, recipe: &mut Recipe<'_>) -> Id {
        // Mostly what was made last.
        match recipe.once_in(4) {
            true => recipe.pick(&self.0).unwrap_or(Id(1)),
            false => self.0[self.0.len() - 1 - recipe.below(self.0.len().min(8))],
        }
    }

    fn some(&self, recipe: &mut Recipe<'_>) -> Vec<Id> {
        (0..recipe.below(5)).map(|_| self.one(recipe)).collect()
    }
}

/// Some steps inside of a construct.
fn inside(b: &mut Builder, ids: &mut Ids, recipe: &mut Recipe<'_>, depth: usize) {
    for _ in 0..recipe.below(4) {
        step(b, ids, recipe, depth + 1);
    }
}

fn step(b: &mut Builder, ids: &mut Ids, recipe: &mut Recipe<'_>, depth: usize) {
    let choice = match depth < DEPTH {
        true => recipe.below(36),
        false => recipe.below(24),
    };
    let (one, two) = (ids.one(recipe), ids.one(recipe));
    let number = recipe.word();
    let made = match choice {
        0 => b.type_void(),
        1 => b.type_bool(),
        2 => b.type_int(number & 127, number >> 31),
        3 => b.type_float(32, None),
        4 => b.type_vector(one, number & 7),
        5 => {
            let members = ids.some(recipe);
            b.type_struct(&members)
        }
        6 => b.type_pointer(StorageClass(number & 15), one),
        7 => b.constant(one, u64::from(number) << 16),
        8 => b.spec_constant(one, number.into()),
        9 => b.constant_u32(number),
        10 => b.constant_bool(number & 1 == 0),
        11 => b.local(one),
        12 => b.global(StorageClass(number & 15), one),
        13 => b.forward(),
        14 => {
            b.define(one);
            return;
        }
        15 => b.label(),
        16 => {
            b.begin_block(one);
            return;
        }
        17 => {
            b.end_function();
            return;
        }
        18 => {
            let operands: Vec<u32> = ids.some(recipe).iter().map(|id| id.0).collect();
            let op = Op(number as u16 & 511);
            b.declare(op, Some(one), &operands)
        }
        19 => {
            b.capability(Capability(number & 63));
            return;
        }
        20 => {
            b.decorate_text(one, Decoration::UserSemantic, "text\u{1b}");
            return;
        }
        21 => {
            b.set_line(one, number, 1);
            return;
        }
        22 => b.import_set(["GLSL.std.450", "OpenCL.std", "no set"][number as usize % 3]),
        23 => b.i_add(one, two, two),
        24 => {
            let types = ids.some(recipe);
            let control = FunctionControl(number & 15);
            let (function, parameters) = b.begin_function(one, control, &types);
            ids.0.extend(parameters);
            function
        }
        25 => {
            let types = ids.some(recipe);
            let control = FunctionControl(0);
            b.declare_function(one, control, &types).0
        }
        26 => {
            b.return_();
            return;
        }
        27 => {
            b.switch(one, two, &[(number.into(), two), (1, one)]);
            return;
        }
        28 | 29 => {
            b.if_(one, |b| inside(b, ids, recipe, depth));
            return;
        }
        30 => {
            b.loop_(|b, this| {
                inside(b, ids, recipe, depth);
                match number & 3 {
                    0 => b.break_(this),
                    1 => b.continue_(this),
                    _ => {}
                }
            });
            return;
        }
        31 => {
            b.for_(one..two, two, |b, _, _| inside(b, ids, recipe, depth));
            return;
        }
        32 => {
            b.continue_function(one);
            return;
        }
        33 => {
            b.select_block(one);
            return;
        }
        34 => {
            ids.0.extend(b.interface_of(one));
            return;
        }
        _ => {
            b.export(one, "name");
            return;
        }
    };
    ids.0.push(made);
}
