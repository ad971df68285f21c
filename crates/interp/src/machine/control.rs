//! Lanes that part and come together again.
//!
//! This is maximal reconvergence (SPV_KHR_maximal_reconvergence, "Reconvergence"), which keeps
//! all weaker promises, too: lanes that part within a construct come together at its merge
//! block, those of a loop at its continue target and header, those of a call behind it, and
//! nowhere else.
//!
//! Every construct that lanes have entered together is a [`Frame`], which counts the paths and
//! frames within. When the last has left, those that wait at its end go on as one path. So no
//! path is ever looked for: each ends by itself, and tells its frame.

use std::collections::VecDeque;
use std::hash::Hasher;

use super::undefined::Shadows;
use crate::program::{Edge, FrameKind, NO_REG, Pc, Program, Reg, Switch};

/// Lanes that execute the same instructions together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) pc: Pc,
    /// A bit for each lane.
    pub(crate) mask: u64,
    pub(crate) frame: u32,
}

/// A construct that lanes have entered together, or a call.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    parent: u32,
    /// How many paths and frames there are within.
    inside: u32,
    /// The lanes that wait at its end; of a call, those that have returned.
    at_merge: u64,
    at_continue: u64,
    at_header: u64,
}

/// How many constructs there may be at once. A broken module may enter some without ever
/// leaving them; deeper ones then don't bring lanes together.
const MAX_FRAMES: usize = 1 << 16;

/// No frame: around the entry point.
const OUTSIDE: u32 = u32::MAX;

/// Where the entry point goes back to.
const NOWHERE: Pc = Pc::MAX;

/// The lanes that an instruction is executed for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active<const W: usize> {
    pub(crate) bits: u64,
    /// All bits of a word for each active lane.
    pub(crate) words: [u32; W],
    pub(crate) is_full: bool,
}

/// All bits of a word for each bit of four.
const FOURS: [[u32; 4]; 16] = {
    let mut all = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 64 {
        let (four, lane) = (bits / 4, bits % 4);
        if four >> lane & 1 != 0 {
            all[four][lane] = u32::MAX;
        }
        bits += 1;
    }
    all
};

impl<const W: usize> Active<W> {
    pub(crate) fn new(bits: u64) -> Self {
        let mut words = [0; W];
        for (index, four) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *four = FOURS[(bits >> (4 * index)) as usize & 15];
        }
        Self {
            bits,
            words,
            is_full: bits == u64::MAX >> (64 - W),
        }
    }

    /// Whether the active lanes have the same word in a column.
    #[inline]
    pub(crate) fn are_same(&self, column: &[u32; W]) -> bool {
        let first = column[self.bits.trailing_zeros() as usize % W];
        let differ = (0..W).fold(0, |all, lane| {
            all | (column[lane] ^ first) & self.words[lane]
        });
        differ == 0
    }

    /// The active lanes.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = usize> + use<W> {
        lanes(self.bits)
    }
}

/// The lanes of a mask.
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}

/// The lanes whose word's lowest bit is set.
#[inline]
pub(crate) fn truths<const W: usize>(words: &[u32; W]) -> u64 {
    // Four by four, each shifted to where the first of them belongs: this is done with
    // vectors. Lanes from the 32nd on are those of the upper half.
    let mut halves = [[0u32; 4]; 2];
    for (index, four) in words.as_chunks::<4>().0.iter().enumerate() {
        let half = &mut halves[index / 8];
        for lane in 0..4 {
            half[lane] |= (four[lane] & 1) << (index % 8 * 4);
        }
    }
    let [low, high] = halves.map(|half| half[0] | half[1] << 1 | half[2] << 2 | half[3] << 3);
    u64::from(high) << 32 | u64::from(low)
}

/// A subgroup.
#[derive(Clone)]
pub(crate) struct Gang<const W: usize> {
    pub(crate) columns: Vec<[u32; W]>,
    /// How many of them may be written for all lanes, as in [`Program::temporaries`].
    pub(crate) temporaries: u32,
    /// What each lane has in memory of its own, lane after lane.
    pub(crate) memory: Vec<u8>,
    /// The workgroup's.
    pub(crate) id: [u32; 3],
    /// The index in the workgroup of the first lane.
    pub(crate) first: u32,
    /// The lanes that there are.
    pub(crate) all: u64,
    /// How many a subgroup has that is full.
    pub(crate) size: u32,
    frames: Vec<Frame>,
    free: Vec<u32>,
    /// Paths that can go on; the last is the next.
    pub(crate) ready: VecDeque<Path>,
    /// Paths at a barrier, at the instruction behind it.
    pub(crate) waiting: Vec<Path>,
    /// What is known of undefined values.
    pub(crate) shadows: Shadows<W>,
}

impl<const W: usize> Gang<W> {
    pub(crate) fn new(program: &Program) -> Self {
        let mut gang = Self {
            columns: vec![[0; W]; program.columns as usize],
            temporaries: program.temporaries,
            memory: vec![0; program.lane_bytes as usize * W],
            id: [0; 3],
            first: 0,
            all: 0,
            size: W as u32,
            frames: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            waiting: Vec::new(),
            shadows: Shadows::new(program),
        };
        gang.forget(program);
        gang
    }

    /// Forgets what workgroups before have left in registers.
    pub(crate) fn forget(&mut self, program: &Program) {
        self.columns.fill([0; W]);
        for &(column, word) in &program.constants {
            self.columns[column as usize] = [word; W];
        }
    }

    /// Puts so many lanes before the first instruction.
    pub(crate) fn begin(&mut self, program: &Program, id: [u32; 3], first: u32, count: u32) {
        self.id = id;
        self.first = first;
        self.all = u64::MAX >> (64 - count.clamp(1, 64));
        self.frames.clear();
        self.free.clear();
        self.frames.push(Frame {
            kind: FrameKind::Call { back: NOWHERE },
            parent: OUTSIDE,
            inside: 1,
            at_merge: 0,
            at_continue: 0,
            at_header: 0,
        });
        self.memory.fill(0);
        for &column in &program.zeroed {
            self.columns[column as usize] = [0; W];
        }
        self.shadows.begin(program);
        self.ready.clear();
        self.ready.push_back(Path {
            pc: program.functions[program.entry as usize],
            mask: self.all,
            frame: 0,
        });
    }

    /// Who some lanes are.
    pub(crate) fn invocations(&self, mask: u64) -> Invocations {
        Invocations {
            workgroup: self.id,
            first: self.first + mask.trailing_zeros().min(63),
            count: mask.count_ones(),
        }
    }

    /// Adds the constructs that are open to a hash.
    pub(crate) fn hash_frames(&self, hasher: &mut impl Hasher) {
        for frame in &self.frames {
            hasher.write_u32(frame.parent);
            hasher.write_u32(frame.inside);
            for mask in [frame.at_merge, frame.at_continue, frame.at_header] {
                hasher.write_u64(mask);
            }
        }
    }

    /// Keeps a part of the lanes of a path for later.
    pub(crate) fn stay(&mut self, part: Path) {
        self.frames[part.frame as usize].inside += 1;
        self.ready.push_back(part);
    }

    /// Whether all lanes wait at a barrier.
    pub(crate) fn all_wait(&self) -> bool {
        self.waiting.iter().fold(0, |all, path| all | path.mask) == self.all
    }

    pub(crate) fn pass_barrier(&mut self) {
        self.ready.extend(self.waiting.drain(..));
    }

    /// Opens a construct, unless the path is back at the header of the loop it is in.
    pub(crate) fn enter(&mut self, path: &mut Path, kind: FrameKind) {
        let is_deep = self.frames.len() - self.free.len() >= MAX_FRAMES;
        if self.frames[path.frame as usize].kind != kind && !is_deep {
            path.frame = self.open(kind, path.frame);
        }
    }

    pub(crate) fn call(&mut self, path: &mut Path, function: Pc) {
        path.frame = self.open(FrameKind::Call { back: path.pc }, path.frame);
        path.pc = function;
    }

    fn open(&mut self, kind: FrameKind, parent: u32) -> u32 {
        let frame = Frame {
            kind,
            parent,
            inside: 1,
            at_merge: 0,
            at_continue: 0,
            at_header: 0,
        };
        match self.free.pop() {
            Some(index) => {
                self.frames[index as usize] = frame;
                index
            }
            None => {
                self.frames.push(frame);
                self.frames.len() as u32 - 1
            }
        }
    }

    /// Takes a branch that all lanes take; false if they wait there for others.
    #[inline]
    pub(crate) fn jump(
        &mut self,
        program: &Program,
        active: &mut Active<W>,
        path: &mut Path,
        edge: Edge,
    ) -> bool {
        self.make_moves(program, active, edge);
        if !edge.joins {
            path.pc = edge.target;
            return true;
        }
        self.join(active, path, edge.target)
    }

    /// Comes to where lanes may have to wait for others; false if they do.
    fn join(&mut self, active: &mut Active<W>, path: &mut Path, target: Pc) -> bool {
        let mask = path.mask;
        if !self.join_last(path, target) {
            if self.arrive(path.frame, target, mask) {
                self.leave(path.frame);
                return false;
            }
            path.pc = target;
        }
        if path.mask != mask {
            *active = Active::new(path.mask);
        }
        true
    }

    /// Lets the last path within a construct go on at its end, continue target or header,
    /// together with the lanes that wait there. It is what [`arrive`](Self::arrive) and
    /// [`leave`](Self::leave) come to; false, with nothing done, if there is more to do.
    fn join_last(&mut self, path: &mut Path, target: Pc) -> bool {
        let Some(frame) = self.frames.get_mut(path.frame as usize) else {
            return false;
        };
        if frame.inside != 1 {
            return false;
        }
        let (is_end, waiting) = match frame.kind {
            FrameKind::Selection { merge } if merge == target => (true, frame.at_merge),
            FrameKind::Loop { merge, .. } if merge == target => {
                if frame.at_continue | frame.at_header != 0 {
                    return false;
                }
                (true, frame.at_merge)
            }
            FrameKind::Loop {
                continue_target, ..
            } if continue_target == target => (false, std::mem::take(&mut frame.at_continue)),
            FrameKind::Loop { header, .. } if header == target && frame.at_continue == 0 => {
                // The header begins by opening the construct, which it is in already.
                path.pc = target + 1;
                path.mask |= std::mem::take(&mut frame.at_header);
                return true;
            }
            _ => return false,
        };
        path.mask |= waiting;
        path.pc = target;
        if is_end {
            self.free.push(path.frame);
            path.frame = frame.parent;
        }
        true
    }

    /// Takes a branch with some lanes each way; false if all wait for others.
    pub(crate) fn part(
        &mut self,
        program: &Program,
        path: &mut Path,
        active: &mut Active<W>,
        ways: impl IntoIterator<Item = (Edge, u64)>,
    ) -> bool {
        let frame = path.frame;
        let all = path.mask;
        let mut next: Option<Path> = None;
        for (edge, mask) in ways {
            if mask == 0 {
                continue;
            }
            if mask == all {
                return self.jump(program, active, path, edge);
            }
            if edge.moves.0 != edge.moves.1 {
                self.make_moves(program, &Active::new(mask), edge);
            }
            if edge.joins && self.arrive(frame, edge.target, mask) {
                continue;
            }
            let way = Path {
                pc: edge.target,
                mask,
                frame,
            };
            match next {
                None => next = Some(way),
                Some(_) => {
                    self.ready.push_back(way);
                    self.frames[frame as usize].inside += 1;
                }
            }
        }
        match next {
            Some(way) => {
                *path = way;
                *active = Active::new(way.mask);
                true
            }
            None => {
                self.leave(frame);
                false
            }
        }
    }

    #[inline(always)]
    fn make_moves(&mut self, program: &Program, active: &Active<W>, edge: Edge) {
        if edge.moves.0 != edge.moves.1 {
            self.make_some_moves(program, active, edge);
        }
    }

    #[inline(never)]
    fn make_some_moves(&mut self, program: &Program, active: &Active<W>, edge: Edge) {
        if program.undefined.is_some() {
            self.follow_moves(program, active, edge);
        }
        for &(to, from) in &program.moves[edge.moves.0 as usize..edge.moves.1 as usize] {
            self.copy(active, to, from);
        }
    }

    /// Lets lanes wait at the end, continue target or header of a construct that they are in;
    /// false if the target is none of these.
    fn arrive(&mut self, frame: u32, target: Pc, mask: u64) -> bool {
        let mut next = frame;
        while let Some(frame) = self.frames.get_mut(next as usize) {
            match frame.kind {
                FrameKind::Selection { merge } if merge == target => {
                    frame.at_merge |= mask;
                    return true;
                }
                FrameKind::Loop { merge, .. } if merge == target => {
                    frame.at_merge |= mask;
                    return true;
                }
                FrameKind::Loop {
                    continue_target, ..
                } if continue_target == target => {
                    frame.at_continue |= mask;
                    return true;
                }
                FrameKind::Loop { header, .. } if header == target => {
                    frame.at_header |= mask;
                    return true;
                }
                FrameKind::Call { .. } => return false,
                _ => next = frame.parent,
            }
        }
        false
    }

    /// The constructs that a frame lies in, from itself outwards.
    pub(super) fn constructs(&self, frame: u32) -> Vec<FrameKind> {
        let mut all = Vec::new();
        let mut next = frame;
        while let Some(frame) = self.frames.get(next as usize) {
            all.push(frame.kind);
            next = frame.parent;
        }
        all
    }

    /// Lets the last path within a call go on behind it, together with the lanes that have
    /// returned; false, with nothing done, if there is more to do.
    pub(crate) fn return_last(&mut self, active: &mut Active<W>, path: &mut Path) -> bool {
        let Some(frame) = self.frames.get(path.frame as usize) else {
            return false;
        };
        let FrameKind::Call { back } = frame.kind else {
            return false;
        };
        if frame.inside != 1 || back == NOWHERE {
            return false;
        }
        let mask = path.mask | frame.at_merge;
        self.free.push(path.frame);
        path.pc = back;
        path.frame = frame.parent;
        if mask != path.mask {
            path.mask = mask;
            *active = Active::new(mask);
        }
        true
    }

    /// Ends a path whose lanes return from the function they are in.
    pub(crate) fn give_back(&mut self, path: &Path) {
        let mut next = path.frame;
        while let Some(frame) = self.frames.get_mut(next as usize) {
            if let FrameKind::Call { .. } = frame.kind {
                frame.at_merge |= path.mask;
                break;
            }
            next = frame.parent;
        }
        self.leave(path.frame);
    }

    /// Notes that a path has left a frame. If it was the last, those that wait go on.
    pub(crate) fn leave(&mut self, frame: u32) {
        let mut next = frame;
        while let Some(frame) = self.frames.get_mut(next as usize) {
            frame.inside -= 1;
            if frame.inside > 0 {
                return;
            }
            if let FrameKind::Loop {
                header,
                continue_target,
                ..
            } = frame.kind
            {
                let (pc, mask) = match frame.at_continue {
                    0 => (header, std::mem::take(&mut frame.at_header)),
                    _ => (continue_target, std::mem::take(&mut frame.at_continue)),
                };
                if mask != 0 {
                    frame.inside = 1;
                    let frame = next;
                    self.ready.push_back(Path { pc, mask, frame });
                    return;
                }
            }
            let pc = match frame.kind {
                FrameKind::Selection { merge } | FrameKind::Loop { merge, .. } => merge,
                FrameKind::Call { back } => back,
            };
            let (mask, parent) = (frame.at_merge, frame.parent);
            self.free.push(next);
            if mask != 0 && pc != NOWHERE {
                self.ready.push_back(Path {
                    pc,
                    mask,
                    frame: parent,
                });
                return;
            }
            next = parent;
        }
    }

    /// The lanes for which a Boolean is true.
    pub(crate) fn truths(&self, condition: Reg) -> u64 {
        truths(&self.columns[condition as usize])
    }

    /// Which lanes take which way of a switch. Those with the same target go together.
    pub(crate) fn cases(&self, switch: &Switch, mask: u64) -> Vec<(Edge, u64)> {
        let low = &self.columns[switch.low as usize];
        let mut ways: Vec<(Edge, u64)> = Vec::new();
        for lane in lanes(mask) {
            let high = match switch.high {
                NO_REG => 0,
                high => self.columns[high as usize][lane],
            };
            let selector = u64::from(high) << 32 | u64::from(low[lane]);
            let found = switch.cases.binary_search_by_key(&selector, |case| case.0);
            let edge = found.map_or(switch.default, |index| switch.cases[index].1);
            match ways.iter_mut().find(|way| way.0.target == edge.target) {
                Some(way) => way.1 |= 1 << lane,
                None => ways.push((edge, 1 << lane)),
            }
        }
        ways
    }
}

/// Some of those that run the entry point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invocations {
    pub(crate) workgroup: [u32; 3],
    /// The index in the workgroup of the first.
    pub(crate) first: u32,
    pub(crate) count: u32,
}
