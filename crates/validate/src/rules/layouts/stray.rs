//! Decorations of explicit layouts where there is none.

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, StorageClass, Version};

use super::instance;
use crate::finding::{Finding, Reporter};
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::layout;

/// Whether types in memory of a class may be laid out explicitly.
fn allows_layout(m: &Module<'_>, class: StorageClass, ty: Id) -> bool {
    match class {
        StorageClass::UniformConstant => false,
        StorageClass::Workgroup => {
            m.has(Capability::WorkgroupMemoryExplicitLayoutKHR)
                && m.structure_facts(m.without_arrays(ty)).is_block
        }
        StorageClass::Function | StorageClass::Private => m.version <= Version::new(1, 4),
        _ => true,
    }
}

/// Which decoration of a type, or of a type within it, is one of a layout. Each
/// type is looked at once.
struct Decorated<'m, 'a> {
    m: &'m Module<'a>,
    known: HashMap<u32, Option<Decoration>>,
}

impl Decorated<'_, '_> {
    fn find(&mut self, root: Id) -> Option<Decoration> {
        let m = self.m;
        if !m.is_aggregate(root) {
            return None;
        }
        if let Some(&found) = self.known.get(&root.0) {
            return found;
        }
        let mut todo = vec![(root, false)];
        while let Some((ty, parts_are_known)) = todo.pop() {
            if !parts_are_known && self.known.contains_key(&ty.0) {
                continue;
            }
            let parts: &[u32] = match m.ty(ty) {
                Type::Struct { members } => members,
                Type::Array { .. } | Type::RuntimeArray { .. } => m
                    .def(ty)
                    .and_then(|def| def.args().get(..1))
                    .unwrap_or_default(),
                _ => {
                    self.known.insert(ty.0, None);
                    continue;
                }
            };
            if !parts_are_known {
                // Stands for "being looked at", so that no type is twice.
                self.known.insert(ty.0, None);
                todo.push((ty, true));
                todo.extend(parts.iter().map(|&part| (Id(part), false)));
                continue;
            }
            let own = m.decorations(ty).find(|decorated| {
                matches!(
                    decorated.decoration,
                    Decoration::Block
                        | Decoration::BufferBlock
                        | Decoration::Offset
                        | Decoration::OffsetIdEXT
                        | Decoration::ArrayStride
                        | Decoration::ArrayStrideIdEXT
                        | Decoration::MatrixStride
                )
            });
            let found = match own {
                Some(own) => Some(own.decoration),
                None => parts
                    .iter()
                    .find_map(|part| self.known.get(part).copied().flatten()),
            };
            self.known.insert(ty.0, found);
        }
        self.known.get(&root.0).copied().flatten()
    }
}

/// Checks all variables, and accesses through untyped pointers.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let mut decorated = Decorated {
        m,
        known: HashMap::new(),
    };
    let variables = m.globals.iter().chain(&m.locals);
    for inst in variables.filter_map(|&offset| m.inst(offset)) {
        let Some(instance) = instance(m, inst) else {
            continue;
        };
        if allows_layout(m, instance.class, instance.ty) {
            continue;
        }
        if let Some(decoration) = decorated.find(instance.ty) {
            let message = format!(
                "memory in `{}` has no explicit layout, but {} is laid out with `{decoration}`",
                instance.class,
                m.show_type(instance.ty)
            );
            reporter.add(Finding::new(&layout::STRAY, inst.offset(), message).about(
                m,
                instance.ty,
                "the type is declared here",
            ));
            if reporter.is_full() {
                return;
            }
        }
    }
}
