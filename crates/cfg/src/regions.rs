//! Which regions there are, and which one each block is in.

use spirvkit_analysis::constructs::{ConstructKind, Constructs};
use spirvkit_analysis::control_flow::HeaderKind;
use spirvkit_analysis::loops::LoopNest;
use spirvkit_analysis::{ControlFlow, Node};

use crate::model::{Block, Edge, MAX_DEPTH, Region, RegionIndex, RegionKind};

/// The regions of a function, and for each block the innermost it is in.
pub(crate) struct Regions {
    pub(crate) all: Vec<Region>,
    pub(crate) innermost: Vec<Option<RegionIndex>>,
}

impl Regions {
    /// The structured constructs; or, if there is a loop that isn't declared, the
    /// natural loops.
    pub(crate) fn of(flow: &ControlFlow, constructs: &Constructs) -> Self {
        let nest = LoopNest::of(flow);
        let is_declared = |header: Node| {
            let header = flow.header(header);
            header.is_some_and(|header| matches!(header.kind, HeaderKind::Loop { .. }))
        };
        match nest.loops().iter().all(|found| is_declared(found.header)) {
            true => Self::structured(flow, constructs),
            false => Self::natural(flow, &nest),
        }
    }

    fn structured(flow: &ControlFlow, constructs: &Constructs) -> Self {
        let mut builder = Builder::default();
        for construct in constructs.all() {
            let is_continue = construct.kind == ConstructKind::Continue;
            let parent = match is_continue {
                // A continue construct comes right behind its loop.
                true => builder.last(),
                false => builder.region(construct.parent()),
            };
            // A block that continues to itself is a loop and nothing else.
            if is_continue && construct.continue_target() == Some(construct.header) {
                builder.stand_for(parent);
                continue;
            }
            builder.add(Region {
                kind: match construct.kind {
                    ConstructKind::Selection => RegionKind::Selection,
                    ConstructKind::Switch => RegionKind::Switch,
                    ConstructKind::Case => RegionKind::Case,
                    ConstructKind::Loop => RegionKind::Loop,
                    ConstructKind::Continue => RegionKind::Continue,
                },
                title: String::new(),
                header: construct.header,
                entry: construct.entry,
                merge: Some(construct.merge),
                continue_target: construct.continue_target(),
                parent,
                depth: 0,
            });
        }
        builder.finish(flow, |node| constructs.innermost(node))
    }

    fn natural(flow: &ControlFlow, nest: &LoopNest) -> Self {
        let mut builder = Builder::default();
        for found in nest.loops() {
            builder.add(Region {
                kind: RegionKind::NaturalLoop,
                title: String::new(),
                header: found.header,
                entry: found.header,
                merge: None,
                continue_target: None,
                parent: builder.region(found.parent),
                depth: 0,
            });
        }
        builder.finish(flow, |node| nest.innermost(node))
    }
}

/// Gives regions their titles.
pub(crate) fn entitle(regions: &mut [Region], blocks: &[Block], edges: &[Edge]) {
    let ends = |edge: &Edge| (edge.from, edge.to);
    let mut by_ends: Vec<&Edge> = edges.iter().collect();
    by_ends.sort_unstable_by_key(|edge| ends(edge));
    for region in regions {
        let entry = blocks.get(region.entry as usize);
        let entry = || entry.map_or_else(String::new, |block| block.name.clone());
        let what = match region.kind {
            RegionKind::Case => {
                let place =
                    by_ends.binary_search_by_key(&(region.header, region.entry), |edge| ends(edge));
                place.map_or_else(|_| entry(), |place| by_ends[place].label())
            }
            _ => entry(),
        };
        let kind = match region.kind {
            RegionKind::NaturalLoop => "loop",
            kind => kind.name(),
        };
        region.title = format!("{kind} {what}");
    }
}

/// Takes constructs or loops one by one, each after those around it.
#[derive(Default)]
struct Builder {
    all: Vec<Region>,
    /// For each construct or loop the region that it is, or is in.
    regions: Vec<Option<RegionIndex>>,
}

impl Builder {
    /// The region that the last construct is, or is in.
    fn last(&self) -> Option<RegionIndex> {
        self.regions.last().copied().flatten()
    }

    /// The region that a construct is, or is in.
    fn region(&self, construct: Option<u32>) -> Option<RegionIndex> {
        self.regions.get(construct? as usize).copied().flatten()
    }

    /// Takes a construct that is no region of its own.
    fn stand_for(&mut self, region: Option<RegionIndex>) {
        self.regions.push(region);
    }

    /// Takes a construct, unless it is too deep.
    fn add(&mut self, region: Region) {
        let parent = region
            .parent
            .and_then(|parent| self.all.get(parent as usize));
        let depth = parent.map_or(0, |parent| parent.depth) + 1;
        if depth > MAX_DEPTH {
            return self.stand_for(region.parent);
        }
        self.regions.push(Some(self.all.len() as RegionIndex));
        self.all.push(Region { depth, ..region });
    }

    fn finish(self, flow: &ControlFlow, innermost: impl Fn(Node) -> Option<u32>) -> Regions {
        let nodes = 0..flow.graph().len();
        Regions {
            innermost: nodes.map(|node| self.region(innermost(node))).collect(),
            all: self.all,
        }
    }
}
