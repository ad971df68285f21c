//! What must be the same for all views, so that it can't depend on `ViewIndex`.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};

use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Function, Inst, Lookup, Module};
use crate::rules::generated::mesh;

/// Checks the functions that mesh shaders reach.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let with = |built_in: BuiltIn| {
        let all = m.all_decorated_with(Decoration::BuiltIn);
        all.filter(move |(_, it)| it.member.is_none() && it.param(0) == built_in.0)
            .map(|(id, _)| id)
    };
    let views: HashSet<Id> = with(BuiltIn::ViewIndex).collect();
    if views.is_empty() {
        return;
    }
    let indices = [
        BuiltIn::PrimitivePointIndicesEXT,
        BuiltIn::PrimitiveLineIndicesEXT,
        BuiltIn::PrimitiveTriangleIndicesEXT,
    ];
    let indices: HashSet<Id> = indices.into_iter().flat_map(with).collect();
    for function in &m.functions {
        if !function.models.contains(ExecutionModel::MeshEXT) {
            continue;
        }
        let mut view = View {
            m,
            views: &views,
            indices: &indices,
            plain: plain_variables(m, function),
            held: HashSet::new(),
            dependent: HashSet::new(),
        };
        for inst in m.instructions(function.range.clone()) {
            reporter.note(view.check(inst));
            view.follow(inst);
        }
    }
}

/// The values of a function that are made from the view's index.
struct View<'m, 'a> {
    m: &'m Module<'a>,
    views: &'m HashSet<Id>,
    /// The variables with the indices of primitives.
    indices: &'m HashSet<Id>,
    /// The function's variables that are stored to once, and else only loaded.
    plain: HashSet<Id>,
    /// Those of them that such a value was stored to.
    held: HashSet<Id>,
    dependent: HashSet<u32>,
}

/// The variables of a function that one instruction stores to, and others only load.
fn plain_variables(m: &Module<'_>, function: &Function) -> HashSet<Id> {
    let mut stores: HashMap<Id, u32> = HashMap::new();
    for inst in m.instructions(function.range.clone()) {
        match inst.op() {
            // An initializer is one more.
            Op::Variable => {
                let initial = u32::from(inst.optional(1).is_some());
                stores.extend(inst.result().map(|id| (id, initial)));
            }
            Op::Load => {}
            Op::Store => {
                if let Some(count) = stores.get_mut(&inst.id(0)) {
                    *count += 1;
                }
                // What is stored as a pointer may be used anywhere.
                stores.remove(&inst.id(1));
            }
            _ if m.is_remark(inst) => {}
            // A literal may look like a variable: then this is not followed.
            _ => {
                for &word in inst.args() {
                    stores.remove(&Id(word));
                }
            }
        }
    }
    let plain = stores.into_iter().filter(|&(_, count)| count == 1);
    plain.map(|(id, _)| id).collect()
}

impl View<'_, '_> {
    /// Notes the result of an instruction that loads the index, or calculates with what depends
    /// on it. Calls aren't followed, nor memory but for plain variables.
    fn follow(&mut self, inst: Inst<'_>) {
        let Some(result) = inst.result() else {
            let holds = inst.op() == Op::Store && self.depends(inst.id(1));
            if holds && self.plain.contains(&inst.id(0)) {
                self.held.insert(inst.id(0));
            }
            return;
        };
        let depends = match inst.op() {
            Op::FunctionCall => false,
            Op::Load if self.held.contains(&inst.id(0)) => true,
            Op::Load if self.views.contains(&self.m.pointer_origin(inst.id(0))) => true,
            _ if self.dependent.is_empty() => false,
            _ => self.names_dependent(inst),
        };
        if depends {
            self.dependent.insert(result.0);
        }
    }

    fn names_dependent(&self, inst: Inst<'_>) -> bool {
        let words = inst.args();
        if !words.iter().any(|word| self.dependent.contains(word)) {
            return false;
        }
        // A literal may look like an id.
        inst.decoded().is_some_and(|decoded| {
            let mut operands = decoded.operands(&self.m.definitions).flatten();
            operands.any(|operand| match operand.value {
                Value::Id(id) => Some(id) != inst.result() && self.depends(id),
                _ => false,
            })
        })
    }

    fn depends(&self, id: Id) -> bool {
        self.dependent.contains(&id.0)
    }

    fn check(&self, inst: Inst<'_>) -> CheckResult {
        if self.dependent.is_empty() {
            return Ok(());
        }
        let index = |what: &str, which: usize, from: usize| {
            let ids = inst.args().iter().skip(from).map(|&id| Id(id));
            all(ids
                .filter(|&id| self.depends(id))
                .map(|id| Err(self.finding(inst, id, what, which))))
        };
        match inst.op() {
            Op::SetMeshOutputsEXT => index("the number of outputs", 0, 0),
            Op::AccessChain | Op::InBoundsAccessChain => {
                let origin = self.m.pointer_origin(inst.id(0));
                if self.indices.contains(&origin) {
                    return index("the place of a primitive's indices", 1, 1);
                }
                let class = inst.result_type().and_then(|ty| self.m.pointer_class(ty));
                match class {
                    Some(StorageClass::Workgroup | StorageClass::Private) => {
                        index("an index into workgroup or private memory", 3, 1)
                    }
                    _ => Ok(()),
                }
            }
            Op::Store if self.indices.contains(&self.m.pointer_origin(inst.id(0))) => {
                match self.depends(inst.id(1)) {
                    true => Err(self.finding(inst, inst.id(1), "a primitive's index", 2)),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn finding(&self, inst: Inst<'_>, id: Id, what: &str, which: usize) -> Finding {
        let message = format!(
            "{what} can't depend on `ViewIndex`, but {} does",
            self.m.name(id)
        );
        let finding = Finding::new(&mesh::VIEW_INDEX, inst.offset(), message);
        let finding = finding.vuid(mesh::VIEW_INDEX.vuids[which]);
        finding.about(self.m, id, "the value is calculated here")
    }
}
