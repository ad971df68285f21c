//! How structures lie in memory, by several rules.

use spirvkit::analysis::ModuleIndex;
use spirvkit::analysis::layout::{Comparison, Rules, Types};

use crate::RECIPE;
use crate::recipe::Recipe;
use crate::shapes::{Side, changed};

/// How many structures are compared.
const COMPARED: usize = 64;

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. The layouts of its
/// structures by all rules can be compared: each row says which structure it
/// holds, and no layout differs from itself.
pub fn compared_layouts(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let Some(words) = changed(&mut Recipe::new(recipe), module, Side::First) else {
        return;
    };
    let Ok(index) = ModuleIndex::new(&words) else {
        return;
    };
    let types = Types::of(&index);
    let layouts = types.lay_out_all();
    let comparison = Comparison::new(&types, &layouts);
    let all: Vec<_> = types.iter().collect();
    for &ty in all.iter().step_by(all.len() / COMPARED + 1) {
        for row in comparison.rows(ty) {
            if row.inner.is_some() {
                assert_eq!(row.inner, layouts[0].structure_in(row.ty));
            }
        }
        let [declared, ..] = &layouts;
        assert_eq!(types.differences(declared, declared, ty), Vec::new());
        for (rules, ruled) in Rules::ALL.into_iter().zip(&layouts) {
            assert_eq!(ruled.rules(), rules);
            types.differences(declared, ruled, ty);
        }
    }
}
