//! What holds for all passes.

use spirvkit_ir::Module;
use spirvkit_opt::classic::ROWS;
use spirvkit_opt::{Changed, Options, Pass, PassError, Recipe, Watch};
use spirvkit_testing::words;

use crate::classic::{BUFFER, compute};

/// Keeps whether a pass said that it changed a module, and whether it did.
struct Told(Vec<(Changed, bool)>, Vec<u32>);

impl Watch for Told {
    fn before(&mut self, _: &dyn Pass, module: &Module) -> Result<(), PassError> {
        self.1 = module.store();
        Ok(())
    }

    fn after(&mut self, _: &dyn Pass, module: &Module, it: Changed) -> Result<(), PassError> {
        self.0.push((it, module.store() != self.1));
        Ok(())
    }
}

#[test]
fn no_pass_changes_a_module_without_saying_so() {
    let group =
        "OpName %B \"B\"\nOpDecorate %g NonWritable\n%g = OpDecorationGroup\nOpGroupDecorate %g %b";
    let module = compute(
        &format!("{group}\n{}", BUFFER[0]),
        &format!(
            "{}\n%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%both = OpTypeSampledImage %image
%to_both = OpTypePointer UniformConstant %both",
            BUFFER[1]
        ),
        "OpReturn",
    );
    let module = words(&module);
    let given = [
        "struct-packing=B:std430",
        "convert-to-sampled-image=0:0",
        "switch-descriptorset=0:0",
        "set-spec-const-default-value=1:1",
        "modify-maximal-reconvergence=remove",
    ];
    let names = ROWS.iter().map(|row| row.name);
    for flag in names.chain(given) {
        let Ok(recipe) = Recipe::parse(flag) else {
            continue;
        };
        let mut told = Told(Vec::new(), Vec::new());
        let done = recipe.run_watched(&module, &Options::default(), &mut told);
        assert!(done.is_ok(), "{flag}: {done:?}");
        let silent = told.0.contains(&(Changed::No, true));
        assert!(!silent, "{flag}");
    }
}

#[test]
fn numbers_of_any_width_make_nothing_panic() {
    for width in ["0 0", "1 1", "65 0", "4294967295 1"] {
        let module = compute(
            "OpDecorate %o Location 4294967295\nOpDecorate %o Offset 4294967295",
            &format!(
                "%odd = OpTypeInt {width}\n%vec = OpTypeVector %odd 4\n%n = OpConstant %uint 9
%own = OpTypeArray %uint %n\n%to_own = OpTypePointer Private %own
%to_uint = OpTypePointer Private %uint\n%a = OpVariable %to_own Private
%to_odd = OpTypePointer Private %odd\n%b = OpVariable %to_odd Private
%vecs = OpTypeArray %vec %n\n%to_vecs = OpTypePointer Output %vecs
%o = OpVariable %to_vecs Output"
            ),
            "%i = OpLoad %odd %b\n%p = OpAccessChain %to_uint %a %i\n%x = OpLoad %uint %p\nOpReturn",
        );
        let words = words(&module);
        for row in ROWS {
            if let Ok(recipe) = Recipe::parse(row.name) {
                // Whether it can be done doesn't matter.
                let _ = recipe.run(&words, &Options::default());
            }
        }
    }
}
