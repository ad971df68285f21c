//! What runs report.

use spirvkit_diagnostics::kinds;

kinds! {
    /// What keeps a module from being run, and what running it can show.
    pub static KINDS;

    UNSUPPORTED = "run.unsupported", InvalidValue {
        text: "The entry point uses something that can't be run yet.",
        advice: "`docs/execution.md` lists what is supported. Nothing was run.",
    }
    INVALID = "run.invalid", InvalidValue {
        text: "The module breaks a rule that running it relies on.",
        advice: "`spv val` reports all errors in it.",
    }
    INTERFACE = "run.interface", InvalidValue {
        text: "What was given to the run doesn't match what the module declares.",
        advice: "`spv info` lists entry points, bindings, push constants and specialization constants.",
    }
    BOUNDS = "run.bounds", InvalidValue {
        text: "Memory is accessed beyond the end of the object that the pointer points into. What is read is undefined, and what is written may be lost or end up anywhere.",
        advice: "Compare the index with the length (`OpArrayLength`), or make the buffer larger.",
    }
    INDEX = "run.index", InvalidValue {
        text: "An index into an array, vector or matrix is not below the number of its elements, so the behaviour is undefined, even where the object is large enough.",
        advice: "Compare the index with the length, or clamp it.",
    }
    NULL = "run.null", InvalidValue {
        text: "Memory is accessed through a null pointer or an address that belongs to no object, or an element of an array of descriptors is used to which nothing is bound.",
        advice: "Check where the address or the index comes from, or bind something to the element.",
    }
    ALIGNMENT = "run.alignment", InvalidValue {
        text: "Memory is accessed at an address that is not a multiple of the alignment which the instruction promises, or an atomic of its size.",
        advice: "Align the address, or correct the `Aligned` operand.",
    }
    READ_ONLY = "run.read-only", InvalidValue {
        text: "A write to something that is declared as not writable, belongs to a uniform buffer or the push constants, or is a pipe whose type is read-only.",
        advice: "Remove `NonWritable`, or the write.",
    }
    WRITE_ONLY = "run.write-only", InvalidValue {
        text: "A read of an image that is declared as not readable, or of a pipe whose type is write-only.",
        advice: "Remove `NonReadable`, give the pipe the access qualifier `ReadOnly`, or remove the read.",
    }
    IMAGE = "run.image", InvalidValue {
        text: "An image is used in another way than it is made for: its format is not the one that the module declares, or its texels are numbers of another kind than the instruction reads or writes. What is read or written is undefined.",
        advice: "Give the image the format that the module declares, and components of the type that the instruction has.",
    }
    SAMPLER = "run.sampler", InvalidValue {
        text: "A sampler doesn't suit the instruction or the image: it compares where the instruction doesn't, or the other way round, or has coordinates in texels where they can't be. The result is undefined.",
        advice: "Set the sampler's comparison for instructions with a reference, and for no others. Coordinates in texels are for one or two dimensions without layers, with the same filter and edges or borders, and for instructions with an explicit level of detail, without projection and offsets.",
    }
    DIVISION = "run.division", InvalidValue {
        text: "An integer is divided by zero, or the smallest integer by -1. The behaviour is undefined.",
        advice: "Check the divisor first.",
    }
    UNDEFINED = "run.undefined", InvalidValue {
        text: "The result of an operation is undefined for the operands that it has here: a shift by the width or more, a conversion of a number out of range, a bit field beyond the last bit.",
        advice: "Check the operands first.",
    }
    BARRIER = "run.barrier", InvalidValue {
        text: "Not all invocations of a workgroup reach the same barrier: some wait at another one, or have ended. Or too few subgroups reach a named barrier, or only a part of one.",
        advice: "Move the barrier out of the branch or loop, or make its condition the same for the whole workgroup.",
    }
    PIPE = "run.pipe", InvalidValue {
        text: "A pipe is used in a way that OpenCL leaves undefined: with a packet of another size, with a reservation that is not valid, of another pipe or already committed, with an index beyond it, with reservations that are not committed at the end or of which not all packets are written, in both directions by one kernel, or together by invocations that don't all come there with the same operands.",
        advice: "Use a reservation only after `OpIsValidReserveId`, for indexes below the number of packets, and commit it once.",
    }
    ENQUEUE = "run.enqueue", InvalidValue {
        text: "A queue or an event is used in a way that OpenCL leaves undefined: an event that there isn't, a status that can't be set, what is no kernel captured. Or a kernel waits for an event that never completes, or the run allows no more to be enqueued.",
        advice: "Check that events come from where they may, are released once, and that user events get a status. Raise the limit if the kernels really need more.",
    }
    MATRIX = "run.matrix", InvalidValue {
        text: "Not all invocations of the scope of a cooperative matrix execute an instruction on it together. The behaviour is undefined.",
        advice: "Move the instruction out of the branch or loop, or make its condition the same for the whole scope.",
    }
    ASSUME = "run.assume", InvalidValue {
        text: "The operand of `OpAssumeTrueKHR` is false. The behaviour is undefined: compilers may rely on it.",
        advice: "Check what the shader assumes, or remove the assumption.",
    }
    ABORT = "run.abort", InvalidValue {
        text: "`OpAbortKHR` is executed: the shader has found that something is wrong.",
        advice: "Check what the shader tests before it aborts.",
    }
    LIVELOCK = "run.livelock", InvalidValue {
        text: "All invocations that have not ended go round loops without writing anything, in states that they were in before. They wait for what never comes.",
        advice: "Check what ends the loop: invocations of a subgroup that take a lock may wait for each other where they come together again.",
    }
    ORDER = "run.order", InvalidValue {
        text: "A buffer holds something else after a run in another order of invocations. Where that is not meant, invocations don't wait for what they need.",
        advice: "Look for data races, and for results that depend on which invocation comes first.",
    }
    RACE = "run.race", InvalidValue {
        text: "Two invocations access the same memory, at least one of them writes, and nothing orders the accesses: a data race, so the behaviour is undefined.",
        advice: "Put a barrier between the accesses whose semantics include the memory's storage class, order them by atomics that release and acquire, or make both atomic.",
    }
    UNINITIALIZED = "run.uninitialized", InvalidValue {
        text: "A branch, an address or an atomic depends on a value that is undefined: memory or a variable to which nothing was written, `OpUndef`, or what an invocation has that takes no part in an operation of the group.",
        advice: "Give the variable an initial value, or write to it on all ways that lead here. Memory of workgroups is written by all invocations only behind a barrier.",
    }
    UNREACHABLE = "run.unreachable", InvalidValue {
        text: "`OpUnreachable` is executed. The behaviour is undefined.",
        advice: "Check the branches that lead there.",
    }
    STEPS = "run.steps", InvalidValue {
        text: "The run was stopped because it took more steps than allowed. There may be a loop that never ends, or invocations that wait for each other forever.",
        advice: "Raise the limit if the shader really needs so many.",
    }
}
