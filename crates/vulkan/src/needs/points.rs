//! The sizes of points, which shaders write on each way or on none (`VK_KHR_maintenance5`).

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::EntryPoint;
use spirvkit_analysis::ways::{Step, states_at_end, writes_of};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, ExecutionModel as Model, Op};

use super::{CallTrees, Need, Wanted};
use crate::tables::{Enable, Feature};

/// What is true on a way: the size is not written; it is; a vertex was emitted without it. Once that
/// is so, it stays so.
const WRITE: Step = [1, 1, 2, 2];
const EMIT: Step = [2, 0, 2, 2];

/// The variables that are or hold a size, with what writes it.
#[derive(Default)]
pub(super) struct Writes(HashMap<Id, Option<Vec<u32>>>);

impl Writes {
    /// Adds what an entry point needs for the size in this output.
    pub(super) fn add(
        &mut self,
        m: &ModuleIndex<'_>,
        entry: &EntryPoint<'_>,
        output: Id,
        trees: &mut CallTrees<'_>,
    ) -> Option<Need> {
        let (vuid, what, wrong) = match entry.model {
            Model::Vertex | Model::TessellationControl | Model::TessellationEvaluation => (
                "VUID-RuntimeSpirv-maintenance5-09190",
                "writing `PointSize` on some ways through a shader and not on others",
                0,
            ),
            Model::Geometry => (
                "VUID-RuntimeSpirv-maintenance5-10934",
                "writing `PointSize` for some vertices and not for others",
                2,
            ),
            _ => return None,
        };
        let known = self.0.entry(output);
        let writes = known.or_insert_with(|| writes_of(m, output, BuiltIn::PointSize));
        let writes = writes.as_deref()?;
        let tree = trees.of(entry.function)?;
        let functions = tree.iter().filter_map(|&it| m.functions.get(it as usize));
        let words: usize = functions.map(|function| function.range.len()).sum();
        if !trees.take(words + writes.len() + m.functions.len()) {
            return None;
        }
        let reached: HashSet<u32> = tree.iter().copied().collect();
        let is_reached = |&&at: &&u32| m.function_at(at).is_some_and(|it| reached.contains(&it));
        let first = *writes.iter().find(is_reached)?;
        let ends = states_at_end(m, entry.function, |inst| match inst.op() {
            Op::EmitVertex | Op::EmitStreamVertex => Some(EMIT),
            Op::Store | Op::CopyMemory | Op::CopyMemorySized => {
                let is_one = writes.binary_search(&inst.offset()).is_ok();
                is_one.then_some(WRITE)
            }
            _ => None,
        })?;
        let is_wrong = ends.contains(wrong) && (wrong == 2 || ends.contains(1));
        let feature = Feature::named("maintenance5")?.0;
        is_wrong.then(|| Need {
            offset: first,
            vuid,
            what: what.to_owned(),
            wanted: Wanted::OneOf(vec![Enable::Lacking { feature }]),
        })
    }
}
