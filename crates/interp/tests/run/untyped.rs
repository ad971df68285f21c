//! Pointers that don't say what they point to (`SPV_KHR_untyped_pointers`).

use crate::shader::gives;

/// An untyped variable of the workgroup, an untyped pointer to the storage buffer, and types to
/// look at them with.
const GLOBALS: &str = "OpCapability UntypedPointersKHR
%untyped = OpTypeUntypedPointerKHR StorageBuffer
%untyped_shared = OpTypeUntypedPointerKHR Workgroup
%untyped_local = OpTypeUntypedPointerKHR Function
%u16 = OpTypeInt 16 0
%halves = OpTypeVector %u16 2
%four = OpTypeArray %u32 %u64
%room = OpUntypedVariableKHR %untyped_shared Workgroup %four
%ptr_four = OpTypePointer Workgroup %four
%typed_room = OpVariable %ptr_four Workgroup";

#[test]
fn chains_say_what_they_go_through() {
    gives(
        GLOBALS,
        "%at = OpUntypedAccessChainKHR %untyped %block %in %u0 %index
%loaded = OpLoad %u32 %at
%first = OpUntypedInBoundsAccessChainKHR %untyped %array %in %index
%same = OpLoad %u32 %first
%result = OpIAdd %u32 %loaded %same",
        &[5, 6, 7, 8],
        |_, value| value * 2,
    );
}

#[test]
fn memory_is_read_as_another_type() {
    gives(
        GLOBALS,
        "%at = OpUntypedAccessChainKHR %untyped %array %in %index
%parts = OpLoad %halves %at
%high = OpCompositeExtract %u16 %parts 1
%result = OpUConvert %u32 %high",
        &[0x1234_5678, 0xffff_0000],
        |_, value| value >> 16,
    );
}

#[test]
fn elements_lie_as_far_apart_as_their_type_is_large() {
    gives(
        GLOBALS,
        "%base = OpUntypedAccessChainKHR %untyped %array %in %u0
%at = OpUntypedPtrAccessChainKHR %untyped %u32 %base %index
%result = OpLoad %u32 %at",
        &[9, 8, 7],
        |_, value| value,
    );
}

#[test]
fn variables_have_a_type_of_their_own() {
    gives(
        GLOBALS,
        "%mine = OpUntypedVariableKHR %untyped_local Function %u32 %u5
%to = OpUntypedAccessChainKHR %untyped_shared %four %room %index
OpStore %to %value
%from = OpLoad %u32 %to
%five = OpLoad %u32 %mine
OpStore %mine %from
%halved = OpLoad %halves %mine
%low = OpCompositeExtract %u16 %halved 0
%wide = OpUConvert %u32 %low
%result = OpIAdd %u32 %wide %five",
        &[70_000, 3],
        |_, value| (value & 0xffff) + 5,
    );
}

#[test]
fn lengths_and_copies_know_their_types() {
    gives(
        GLOBALS,
        "%length = OpUntypedArrayLengthKHR %u32 %block %in 0
%typed = OpAccessChain %ptr_shared %typed_room %index
%from = OpUntypedAccessChainKHR %untyped %array %in %index
OpCopyMemory %typed %from
%copied = OpLoad %u32 %typed
%result = OpIAdd %u32 %copied %length",
        &[1, 2, 3],
        |_, value| value + 64,
    );
}
