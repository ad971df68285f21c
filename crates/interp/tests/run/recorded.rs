//! A race is found whichever instructions access the memory, and what is ordered is not
//! reported.

use spirvkit_interp::{AddressMode, Dimension, Filter, Image, Outcome, Run, Sampler};

use crate::kernels::kernel;
use crate::picture::{format, picture};
use crate::shader::shader;

const SIZES: [u32; 3] = [4, 8, 32];

/// The messages of races, which are all that is found.
fn races(out: &Outcome) -> Vec<String> {
    for found in &out.findings {
        assert_eq!(found.rule(), "run.race", "{found}");
    }
    let messages = out.findings.iter().map(|found| found.message().to_owned());
    messages.collect()
}

/// Expects races with this in the first message, or none, in subgroups of all sizes.
#[track_caller]
fn expect(of: &Run<'_>, groups: u32, expected: Option<&str>) {
    for size in SIZES {
        let run = of.clone().race(true).subgroup_size(size);
        let found = races(&run.dispatch([groups, 1, 1]).unwrap());
        match (expected, found.first()) {
            (None, None) => {}
            (Some(message), Some(found)) if found.contains(message) => {}
            _ => panic!("subgroups of {size}: {found:?}, and not {expected:?}"),
        }
    }
}

const ALL_MEMORY: &str = "OpControlBarrier %u2 %u1 %all";

/// A shader of 64 invocations whose body has a place for a barrier.
#[track_caller]
fn in_a_workgroup(globals: &str, body: &str) {
    let globals = format!("%all = OpConstant %u32 0x948\n%u63 = OpConstant %u32 63\n{globals}");
    for (barrier, expected) in [("", Some("races with")), (ALL_MEMORY, None)] {
        let words = shader(&globals, &body.replace("BARRIER", barrier));
        let run = Run::new(&words).storage(0, 0, &[0u32; 256]);
        expect(&run.zeroed(0, 1, 256), 1, expected);
    }
}

/// What each does with its own element, and with that of the next.
const NEXT: &str = "%more = OpIAdd %u32 %index %u1
%next = OpBitwiseAnd %u32 %more %u63
%own_at = OpAccessChain %ptr_element %in %u0 %index
%next_at = OpAccessChain %ptr_element %in %u0 %next";

#[test]
fn loads_stores_and_copies() {
    in_a_workgroup(
        "",
        &format!("{NEXT}\nOpStore %own_at %index\nBARRIER\n%result = OpLoad %u32 %next_at"),
    );
    in_a_workgroup(
        "",
        &format!(
            "{NEXT}
%result = OpLoad %u32 %next_at
BARRIER
OpCopyMemory %own_at %shared"
        ),
    );
    in_a_workgroup(
        "",
        &format!(
            "{NEXT}
OpStore %own_at %index
BARRIER
%to = OpAccessChain %ptr_element %out %u0 %index
OpCopyMemory %to %next_at
%result = OpCopyObject %u32 %value"
        ),
    );
}

/// Which variable it is, is not known before.
#[test]
fn pointers_to_one_of_several() {
    let globals = "%row = OpTypeArray %u32 %u64
%ptr_row = OpTypePointer Workgroup %row
%first = OpVariable %ptr_row Workgroup
%second = OpVariable %ptr_row Workgroup";
    let body = "%odd = OpBitwiseAnd %u32 %index %u1
%is_odd = OpIEqual %bool %odd %u1
%other_index = OpBitwiseXor %u32 %index %u1
%a = OpAccessChain %ptr_shared %first %index
%b = OpAccessChain %ptr_shared %second %index
%at = OpSelect %ptr_shared %is_odd %a %b
OpStore %at %index
BARRIER
%c = OpAccessChain %ptr_shared %first %other_index
%d = OpAccessChain %ptr_shared %second %other_index
%other = OpSelect %ptr_shared %is_odd %d %c
%result = OpLoad %u32 %other";
    in_a_workgroup(globals, body);
}

const MATRIX: &str = "%a_type = OpTypeCooperativeMatrixKHR %u32 %u3 %u8 %u8 %u0
%five = OpConstantComposite %a_type %u5
%small = OpTypeCooperativeMatrixKHR %u32 %u3 %u2 %u1 %u0
%small_five = OpConstantComposite %small %u5";

/// Of each matrix subgroups have one together, so each of them reads and writes all of it.
#[test]
fn cooperative_matrices() {
    let to = "%to = OpAccessChain %ptr_element %in %u0 %u64";
    in_a_workgroup(
        MATRIX,
        &format!(
            "{to}
%a = OpCooperativeMatrixLoadKHR %a_type %to %u0 %u8
BARRIER
%own = OpIAdd %u32 %index %u64
%at = OpAccessChain %ptr_element %in %u0 %own
OpStore %at %index
%result = OpCopyObject %u32 %value"
        ),
    );
    // Here fewer invocations than there are have elements.
    in_a_workgroup(
        MATRIX,
        &format!(
            "{to}
%first = OpIEqual %bool %index %u0
OpSelectionMerge %stored None
OpBranchConditional %first %store %stored
%store = OpLabel
OpStore %to %index
OpBranch %stored
%stored = OpLabel
BARRIER
%a = OpCooperativeMatrixLoadKHR %small %to %u0 %u1
%result = OpCopyObject %u32 %value"
        ),
    );
}

/// Which invocation of the subgroup writes an element is not said: that the one that reads it
/// is the one that holds it is no order.
#[test]
fn elements_of_matrices_are_accessed_by_anyone() {
    let body = "%subgroup = OpISub %u32 %index %lane_index
%skip = OpIMul %u32 %subgroup %u64
%start = OpIAdd %u32 %skip %u64
%to = OpAccessChain %ptr_element %in %u0 %start
OpCooperativeMatrixStoreKHR %to %five %u0 %u8
BARRIER
%own = OpIAdd %u32 %start %lane_index
%at = OpAccessChain %ptr_element %in %u0 %own
%result = OpLoad %u32 %at";
    let orders = "OpControlBarrier %u3 %u3 %all";
    for (barrier, expected) in [("", Some("races with")), (orders, None)] {
        let globals = format!("%all = OpConstant %u32 0x948\n{MATRIX}");
        let words = shader(&globals, &body.replace("BARRIER", barrier));
        let run = Run::new(&words).storage(0, 0, &[0u32; 64 * 65]);
        expect(&run.zeroed(0, 1, 256), 1, expected);
    }
}

/// Two subgroups write one matrix to the same place; one by itself is no race.
#[test]
fn one_place_for_all_elements() {
    let body = "%to = OpAccessChain %ptr_element %in %u0 %u64
OpCooperativeMatrixStoreKHR %to %small_five %u0 %u0
%result = OpCopyObject %u32 %value";
    let words = shader(MATRIX, body);
    let run = Run::new(&words).storage(0, 0, &[0u32; 128]);
    let run = run.zeroed(0, 1, 256).race(true);
    let alone = run.clone().subgroup_size(64).dispatch([1, 1, 1]).unwrap();
    assert_eq!(races(&alone), [""; 0]);
    let several = run.subgroup_size(32).dispatch([1, 1, 1]).unwrap();
    assert!(!races(&several).is_empty());
}

/// A kernel of eight invocations with a buffer `in` and memory of the workgroup `l`.
#[track_caller]
fn in_a_kernel(body: &str, barriers: [(&str, Option<&str>); 2]) {
    let globals = "%event = OpTypeEvent
%no_event = OpConstantNull %event
%private_event = OpTypePointer Function %event
%both = OpConstant %u32 0x310";
    let parameters = [("in", "%global"), ("l", "%local")];
    let events = "%events = OpVariable %private_event Function";
    for bits in [32, 64] {
        for (barrier, expected) in barriers {
            let body = format!("{events}\n{body}").replace("BARRIER", barrier);
            let words = kernel(bits, globals, &parameters, &body);
            let run = Run::new(&words).local_size([8, 1, 1]);
            let run = run.argument(0, &[1u32; 16]).local_argument("l", 64);
            expect(&run.argument("out", &[0u32; 8]), 1, expected);
        }
    }
}

/// Whoever copies does so at any time up to the wait.
#[test]
fn copies_by_workgroups() {
    const COPY: &str = "%begun = OpGroupAsyncCopy %event %u2 %l %in %size8 %size2 %no_event
OpStore %events %begun";
    const WAIT: &str = "OpGroupWaitEvents %u2 %u1 %events";
    const FENCE: &str = "OpControlBarrier %u2 %u2 %both";
    let reads = "%at = OpInBoundsPtrAccessChain %local %l %index
%result = OpLoad %u32 %at Aligned 4";
    let race = Some("races with");
    let expected = [("", race), (WAIT, None)];
    in_a_kernel(&format!("{COPY}\nBARRIER\n{reads}"), expected);
    // What is copied is read until then, even what the invocation writes itself.
    let own = "%twice = OpIMul %u32 %index %u2
%from = OpInBoundsPtrAccessChain %global %in %twice
OpStore %from %index Aligned 4
%result = OpCopyObject %u32 %index";
    in_a_kernel(&format!("{COPY}\nBARRIER\n{own}"), expected);
    let expected = [("", race), (FENCE, None)];
    in_a_kernel(&format!("{own}\nBARRIER\n{COPY}\n{WAIT}"), expected);
}

/// Each copies two words to where others do: of a number of bytes that is a constant or not.
#[test]
fn copies_of_bytes() {
    for count in ["%size8", "%many"] {
        let place = |start: &str| {
            format!(
                "%first = OpCompositeExtract %size %ids 0
%none = OpISub %size %first %first
%many = OpIAdd %size %none %size8
%twice = OpIMul %u32 %index %u2
%at = OpInBoundsPtrAccessChain %global %in %twice
%to = OpInBoundsPtrAccessChain %local %l {start}
OpCopyMemorySized %to %at {count} Aligned 4
BARRIER
%further = OpIAdd %u32 %twice %u1
%theirs = OpInBoundsPtrAccessChain %local %l %further
%result = OpLoad %u32 %theirs Aligned 4"
            )
        };
        let wide = place("%twice").replace("%l %further", "%l %u5");
        let fence = "OpControlBarrier %u2 %u2 %both";
        in_a_kernel(&wide, [("", Some("races with")), (fence, None)]);
        // Here several copy to one place, whatever comes behind.
        let same = place("%u0");
        in_a_kernel(
            &same,
            [("", Some("races with")), (fence, Some("races with"))],
        );
    }
}

/// An image of four texels, of which four invocations each access one; and one of them all.
fn texels() -> Image {
    Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 1, 1]).numbers(&[1.0f32; 4])
}

const STORAGE: &str = "%stored_type = OpTypeImage %f32 2D 0 0 0 2 R32f
%ptr_stored = OpTypePointer UniformConstant %stored_type
%stored = OpVariable %ptr_stored UniformConstant
%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled_type = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %sampled_type
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32
%u2 = OpConstant %u32 2
%orders = OpConstant %u32 0x848
%others = OpConstant %u32 0x148
%fhalf = OpConstant %f32 0.5
%fquarter = OpConstant %f32 0.25
%ones = OpConstantComposite %v4f32 %f1 %f1 %f1 %f1
%ptr_texel = OpTypePointer Image %f32
OpDecorate %stored DescriptorSet 0
OpDecorate %stored Binding 1";

/// Each writes its texel; `reads` reads `%there`, where the next one wrote, or around there.
#[track_caller]
fn of_texels(reads: &str, filter: Filter) {
    let (decorations, globals): (Vec<&str>, Vec<&str>) = STORAGE
        .lines()
        .partition(|line| line.starts_with("OpDecorate"));
    let cases = [
        ("", Some("races with")),
        (
            "OpControlBarrier %u2 %u2 %others",
            Some("its semantics lack `ImageMemory`"),
        ),
        ("OpControlBarrier %u2 %u2 %orders", None),
    ];
    for (barrier, expected) in cases {
        let body = format!(
            "%i = OpLoad %stored_type %stored
%at = OpCompositeConstruct %v2i32 %me %i0
OpImageWrite %i %at %ones
{barrier}
%more = OpIAdd %i32 %me %i1
%next = OpBitwiseAnd %i32 %more %i3
%there = OpCompositeConstruct %v2i32 %next %i0
%both = OpLoad %sampled_type %image
%float = OpConvertSToF %f32 %next
%middle = OpFAdd %f32 %float %fhalf
%part = OpFMul %f32 %middle %fquarter
%coordinates = OpCompositeConstruct %v2f32 %part %fhalf
{reads}
%result = OpBitcast %v4i32 %texel"
        );
        let words = picture(&decorations.join("\n"), &globals.join("\n"), &body);
        let sampler = Sampler::default()
            .mag_filter(filter)
            .min_filter(filter)
            .address_modes([AddressMode::ClampToEdge; 3]);
        // One image is bound to be written, and to be sampled.
        let run = Run::new(&words)
            .sampled_image(0, 0, texels(), sampler)
            .image(0, 1, texels())
            .share((0, 1, 0), (0, 0, 0))
            .zeroed(1, 0, 128)
            .zeroed(1, 1, 64);
        expect(&run, 1, expected);
    }
}

#[test]
fn texels_that_are_read_or_fetched() {
    of_texels("%texel = OpImageRead %v4f32 %i %there", Filter::Nearest);
    let fetch = "%of = OpImage %image_type %both\n%texel = OpImageFetch %v4f32 %of %there";
    of_texels(fetch, Filter::Nearest);
}

#[test]
fn texels_that_are_sampled_or_gathered() {
    let sample = "%texel = OpImageSampleExplicitLod %v4f32 %both %coordinates Lod %f0";
    of_texels(sample, Filter::Nearest);
    of_texels(sample, Filter::Linear);
    let gather = "%texel = OpImageGather %v4f32 %both %coordinates %i0";
    of_texels(gather, Filter::Nearest);
}

/// A texel is counted by all, and read or written by each.
#[test]
fn texels_that_are_counted_with() {
    let globals = "%image_type = OpTypeImage %u32 2D 0 0 0 2 R32ui
%ptr_image = OpTypePointer UniformConstant %image_type
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32
%ptr_texel = OpTypePointer Image %u32
%u0 = OpConstant %u32 0
%u2 = OpConstant %u32 2
%orders = OpConstant %u32 0x848";
    let count = "%at = OpCompositeConstruct %v2i32 %i0 %i0
%texel = OpImageTexelPointer %ptr_texel %image %at %i0
%old = OpAtomicIAdd %u32 %texel %u1 %u0 %u1";
    let read = "%i = OpLoad %image_type %image
%got = OpImageRead %v4u32 %i %at";
    let fence = "OpControlBarrier %u2 %u2 %orders";
    let cases = [
        (count.to_owned(), None),
        (
            format!("{count}\n{read}"),
            Some("one of them is not atomic"),
        ),
        (format!("{count}\n{fence}\n{read}"), None),
    ];
    for (body, expected) in cases {
        let body = format!("{body}\n%result = OpCopyObject %v4i32 %zeros");
        let words = picture("", globals, &body);
        let image = Image::new(Dimension::D2, format("R32_UINT"), [1, 1, 1]);
        let run = Run::new(&words).image(0, 0, image);
        expect(&run.zeroed(1, 0, 128).zeroed(1, 1, 64), 1, expected);
    }
}
