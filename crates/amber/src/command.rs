//! What a script does.

use spirvkit_diagnostics::Span;

use crate::number::Number;
use crate::pipeline::Pipeline;
use crate::script::{Buffer, Handle};
use crate::types::{DataType, Layout};
use crate::words::{Comparator, Topology};

/// A command, and where it is in the script.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its place in the script, for reports of failures.
    pub span: Span,
    /// What to do.
    pub action: Action,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Runs a pipeline.
    Run(Run),
    /// Runs a pipeline while a debugger looks at it.
    Debug(Run, Vec<Thread>),
    /// Sets the colour to which a pipeline clears, red first, from 0 to 1.
    ClearColor(Handle<Pipeline>, [f32; 4]),
    /// Sets the depth to which a pipeline clears.
    ClearDepth(Handle<Pipeline>, f32),
    /// Sets the stencil value to which a pipeline clears.
    ClearStencil(Handle<Pipeline>, u32),
    /// Clears a pipeline's attachments.
    Clear(Handle<Pipeline>),
    /// Copies all of a buffer.
    Copy {
        /// What is copied.
        from: Handle<Buffer>,
        /// Where to.
        to: Handle<Buffer>,
    },
    /// Writes values into a buffer.
    Write(Values),
    /// Fails if an expectation isn't met.
    Expect(Expect),
    /// Does something several times.
    Repeat {
        /// How often.
        count: u32,
        /// What.
        commands: Vec<Command>,
    },
}

/// A run of a pipeline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The pipeline.
    pub pipeline: Handle<Pipeline>,
    /// Whether to measure its time.
    pub is_timed: bool,
    /// What it works on.
    pub work: Work,
}

/// The work of a pipeline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Work {
    /// This number of workgroups in each dimension.
    Compute([u32; 3]),
    /// A rectangle of two triangles.
    Rectangle {
        /// Where.
        area: Area,
        /// Whether its corners are a patch.
        is_patch: bool,
    },
    /// Rectangles of two triangles each, in columns and rows.
    Grid {
        /// Where.
        area: Area,
        /// How many columns and rows.
        cells: [u32; 2],
    },
    /// The vertex data.
    Array {
        /// The primitives that vertices form.
        topology: Topology,
        /// Whether the index data selects vertices.
        is_indexed: bool,
        /// The first vertex, or what is added to indices.
        first: u32,
        /// How many vertices or indices; if `None`, all that follow.
        count: Option<u32>,
        /// The first instance.
        first_instance: u32,
        /// How many instances.
        instances: u32,
    },
    /// Rays.
    Rays {
        /// The tables of ray generation, misses, hits and calls, as places in the lists of
        /// the pipeline.
        tables: [Option<usize>; 4],
        /// How many rays in each dimension.
        size: [u32; 3],
    },
}

/// A rectangle that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The unit of the numbers.
    pub unit: Unit,
    /// The corner with the least coordinates.
    pub position: [f32; 2],
    /// Width and height.
    pub size: [f32; 2],
}

/// A unit of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pixels of the framebuffer, from 0.
    Pixel,
    /// Those of vertices, from −1 to 1 over the framebuffer.
    Clip,
    /// Shares of the framebuffer, from 0 to 1.
    Share,
}

/// Numbers in a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The buffer.
    pub buffer: Handle<Buffer>,
    /// Where the first element starts, in bytes.
    pub offset: u64,
    /// What an element is.
    pub ty: DataType,
    /// How elements are laid out.
    pub layout: Layout,
    /// The numbers, element by element; the last may be incomplete.
    pub numbers: Vec<Number>,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expect {
    /// Numbers in a buffer compare with these in this way.
    Values {
        /// The numbers, and where.
        values: Values,
        /// The comparison, with the buffer's contents on the left.
        comparator: Comparator,
        /// How far equal values may be apart, for each component of a vector or column. One
        /// is for all; if there is none, they are [exact](crate::compare::values).
        tolerances: Vec<Tolerance>,
    },
    /// Texels have this colour.
    Color {
        /// The image.
        buffer: Handle<Buffer>,
        /// Which texels; if `None`, all.
        area: Option<Area>,
        /// Red, green, blue and perhaps alpha, as a shader reads them.
        color: Vec<f64>,
        /// How far a texel may be off, for each component, in the unit of the colour; one is
        /// for all, and if there is none, 0.002. AmberScript gives both in shares of 255.
        tolerances: Vec<Tolerance>,
    },
    /// Two buffers are alike.
    Buffers {
        /// One.
        left: Handle<Buffer>,
        /// The other.
        right: Handle<Buffer>,
        /// How alike.
        likeness: Likeness,
    },
}

/// How far apart is still equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// This far.
    Absolute(f64),
    /// This many hundredths of what is expected.
    Percent(f64),
}

/// How alike buffers must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likeness {
    /// In every byte.
    Equal,
    /// The root of the mean of squared differences is at most this.
    RootMeanSquareError(f64),
    /// The earth mover's distance of the histograms of each channel is at most this.
    HistogramDistance(f64),
}

/// What a debugger does with one invocation of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The invocation.
    pub invocation: Invocation,
    /// What to do, in this order.
    pub steps: Vec<DebugStep>,
}

/// Which invocation of a shader is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// The one with this `GlobalInvocationId`.
    Compute([u32; 3]),
    /// The one for the vertex of this index.
    Vertex(u32),
    /// The one for this pixel.
    Fragment([u32; 2]),
}

/// What a debugger does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DebugStep {
    /// Goes to the next line, into calls.
    StepIn,
    /// Goes to the next line, over calls.
    StepOver,
    /// Goes behind the call of this function.
    StepOut,
    /// Goes on.
    Continue,
    /// The invocation is at this line.
    ExpectLocation {
        /// The name of the file.
        file: String,
        /// The line, from 1.
        line: u32,
        /// What the line holds, if that matters.
        text: Option<String>,
    },
    /// A variable has this value.
    ExpectLocal {
        /// The variable, with `.` between it and its members.
        name: String,
        /// The value.
        value: String,
    },
    /// These functions are being called.
    ExpectCallstack(Vec<Frame>),
}

/// A function that is being called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line, if that matters.
    pub line: Option<u32>,
}
