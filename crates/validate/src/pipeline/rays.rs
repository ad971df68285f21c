//! What the stages of a ray tracing pipeline pass to each other (Vulkan, "Ray Tracing Pipeline
//! Interface").
//!
//! Which stages a ray or a call leads to is decided at run time, so only what no stage passes is
//! reported, as a warning.

use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionModel as E, StorageClass as S};

use super::matching::are_equivalent;
use super::part::Part;
use super::problems::{Problems, note_about};
use super::resources::Uses;
use super::stages::Bind;
use crate::finding::Finding;
use crate::module::{Lookup, Type};
use crate::rules::generated::pipeline;
use crate::rules::interfaces::places::Budget;

/// What one stage passes to others.
struct Passing {
    /// The storage class in which it is passed, and by which stages, if not by all.
    from: S,
    only_from: Option<E>,
    /// That in which it is received.
    to: S,
    what: &'static str,
}

const PASSINGS: &[Passing] = &[
    Passing {
        from: S::RayPayloadKHR,
        only_from: None,
        to: S::IncomingRayPayloadKHR,
        what: "the payload of a ray",
    },
    Passing {
        from: S::CallableDataKHR,
        only_from: None,
        to: S::IncomingCallableDataKHR,
        what: "the data of a call",
    },
    Passing {
        from: S::HitAttributeKHR,
        only_from: Some(E::IntersectionKHR),
        to: S::HitAttributeKHR,
        what: "the attributes of a hit",
    },
];

/// A variable of a stage.
struct Passed<'p, 'm, 'a> {
    part: &'p Part<'m, 'a>,
    variable: Id,
    ty: Id,
}

/// Checks the stages of a ray tracing pipeline.
pub(super) fn check(uses: &[Uses<'_, '_, '_>], problems: &mut Problems<'_>) {
    let is_ray = |it: &&Uses<'_, '_, '_>| Bind::of(it.part.model()) == Bind::RayTracing;
    for passing in PASSINGS {
        let variables = |class: S| {
            let parts = uses.iter().filter(is_ray);
            parts.flat_map(move |uses| {
                let own = uses.others.iter().filter(move |it| it.class == class);
                own.filter_map(|it| {
                    Some(Passed {
                        part: uses.part,
                        variable: it.id,
                        ty: it.ty?,
                    })
                })
            })
        };
        let is_from = |it: &Passed<'_, '_, '_>| {
            let only = passing.only_from;
            only.is_none_or(|model| it.part.model() == model)
        };
        let from: Vec<Passed<'_, '_, '_>> = variables(passing.from).filter(is_from).collect();
        // Of a library, not all stages are there.
        let Some(example) = from.first() else {
            continue;
        };
        let mut budget = Budget::of(example.part.m);
        for to in variables(passing.to) {
            let is_receiver = Some(to.part.model()) != passing.only_from;
            let is_of_triangle = passing.to == S::HitAttributeKHR && is_barycentric(&to);
            let mut senders = from.iter();
            let is_passed =
                senders.any(|from| are_equivalent(from.part, from.ty, to.part, to.ty, &mut budget));
            if !is_receiver || is_of_triangle || is_passed {
                continue;
            }
            let message = format!(
                "{}, {} in the {}, is {}, but no stage passes such; the {} passes {}",
                to.part.m.name(to.variable),
                passing.what,
                to.part.kind(),
                to.part.m.show_type(to.ty),
                example.part.kind(),
                example.part.m.show_type(example.ty)
            );
            let offset = to.part.m.def_offset(to.variable);
            let finding = Finding::new(&pipeline::RAY_INTERFACE, offset, message);
            let note = note_about(example.part, example.variable, "this is passed");
            problems.add(to.part, finding, vec![note]);
        }
    }
}

/// Whether it may be what triangles give: two 32-bit floats.
fn is_barycentric(it: &Passed<'_, '_, '_>) -> bool {
    let m = it.part.m;
    let is_pair = matches!(m.ty(it.ty), Type::Vector { count: 2, .. });
    let scalar = m.scalar_or_vector_component(it.ty);
    is_pair && matches!(m.ty(scalar), Type::Float { width: 32, .. })
}
