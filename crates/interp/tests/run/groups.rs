//! Operations of groups beyond those of `OpGroupNonUniform…` that other tests have.

use crate::shader::{SIZES, gives, run, shader};

#[test]
fn groups_of_the_workgroup() {
    let inputs: Vec<u32> = (0..64).map(|index| index * index % 23).collect();
    let sum_before = |index: u32| inputs[..index as usize].iter().sum::<u32>();
    let body = "%result = OpGroupIAdd %u32 %u2 Reduce %value";
    gives("", body, &inputs, |_, _| sum_before(64));
    let body = "%result = OpGroupIAdd %u32 %u2 ExclusiveScan %value";
    gives("", body, &inputs, |index, _| sum_before(index));
    let body = "%result = OpGroupUMax %u32 %u2 InclusiveScan %value";
    gives("", body, &inputs, |index, _| {
        let before = inputs[..=index as usize].iter();
        before.copied().max().unwrap_or(0)
    });
    let body = "%result = OpGroupBroadcast %u32 %u2 %value %u31";
    gives("", body, &inputs, |_, _| inputs[31]);
    let body = "%less = OpULessThan %bool %value %u31
%all = OpGroupAll %bool %u2 %less
%never = OpUGreaterThan %bool %value %u31
%any = OpGroupAny %bool %u2 %never
%one = OpSelect %u32 %all %u1 %u0
%two = OpSelect %u32 %any %u2 %u0
%result = OpIAdd %u32 %one %two";
    gives("", body, &inputs, |_, _| 1);
}

#[test]
fn groups_of_the_subgroup_in_older_forms() {
    let inputs: Vec<u32> = (0..64).map(|index| index * 5 % 17).collect();
    for size in SIZES {
        let first = |index: usize| index / size as usize * size as usize;
        let cases: [(&str, &dyn Fn(usize) -> u32); 6] = [
            ("%result = OpGroupIMulKHR %u32 %u3 Reduce %u2", &|_| {
                1u32.checked_shl(size).unwrap_or(0)
            }),
            (
                "%result = OpSubgroupFirstInvocationKHR %u32 %value",
                &|index| inputs[first(index)],
            ),
            (
                "%result = OpSubgroupReadInvocationKHR %u32 %value %u3",
                &|index| inputs[first(index) + 3],
            ),
            (
                "%result = OpSubgroupShuffleXorINTEL %u32 %value %u1",
                &|index| inputs[index ^ 1],
            ),
            (
                "%result = OpSubgroupShuffleDownINTEL %u32 %value %index %u3",
                &|index| match index - first(index) + 3 < size as usize {
                    true => inputs[index + 3],
                    false => (index + 3 - size as usize) as u32,
                },
            ),
            (
                "%result = OpSubgroupShuffleUpINTEL %u32 %index %value %u3",
                &|index| match index - first(index) >= 3 {
                    true => inputs[index - 3],
                    false => (index + size as usize - 3) as u32,
                },
            ),
        ];
        for (body, expected) in cases {
            let out = run(&shader("", body), size, &inputs);
            out.assert_clean();
            let expected: Vec<u32> = (0..64).map(expected).collect();
            assert_eq!(
                out.read::<u32>(0, 1),
                expected,
                "{body}, subgroups of {size}"
            );
        }
    }
}

#[test]
fn votes_of_quads() {
    // The third invocation of each second quad differs.
    let inputs: Vec<u32> = (0..64).map(|index| u32::from(index % 8 != 6)).collect();
    let body = "%truth = OpINotEqual %bool %value %u0
%all = OpGroupNonUniformQuadAllKHR %bool %truth
%not = OpLogicalNot %bool %truth
%any = OpGroupNonUniformQuadAnyKHR %bool %not
%one = OpSelect %u32 %all %u1 %u0
%two = OpSelect %u32 %any %u2 %u0
%result = OpIAdd %u32 %one %two";
    gives(
        "",
        body,
        &inputs,
        |index, _| if index % 8 < 4 { 1 } else { 2 },
    );
}

#[test]
fn partitions() {
    let inputs: Vec<u32> = (0..64).map(|index| index % 3).collect();
    for size in SIZES {
        let alike = |index: usize| {
            let first = index / size as usize * size as usize;
            let all = first..first + size as usize;
            all.filter(move |other| other % 3 == index % 3)
        };
        let body = "%ballot = OpGroupNonUniformPartitionEXT %v4u32 %value
%result = OpCompositeExtract %u32 %ballot 0";
        let out = run(&shader("", body), size, &inputs);
        let expected = (0..64).map(|index| {
            let lanes = alike(index).map(|other| other % size as usize);
            lanes
                .filter(|&lane| lane < 32)
                .fold(0, |all, lane| all | 1u32 << lane)
        });
        assert_eq!(out.read::<u32>(0, 1), expected.collect::<Vec<u32>>());
        let body = "%ballot = OpGroupNonUniformPartitionEXT %v4u32 %value
%sum = OpGroupNonUniformIAdd %u32 %u3 PartitionedReduceEXT %index %ballot
%before = OpGroupNonUniformIAdd %u32 %u3 PartitionedExclusiveScanEXT %u1 %ballot
%much = OpIMul %u32 %before %u64
%more = OpIMul %u32 %much %u64
%result = OpIAdd %u32 %sum %more";
        let out = run(&shader("", body), size, &inputs);
        out.assert_clean();
        let expected = (0..64).map(|index| {
            let sum: usize = alike(index).sum();
            let before = alike(index).filter(|&other| other < index).count();
            (sum + before * 4096) as u32
        });
        assert_eq!(out.read::<u32>(0, 1), expected.collect::<Vec<u32>>());
    }
}

#[test]
fn ballots_have_as_many_bits_as_a_subgroup() {
    let globals = "%ones = OpConstant %u32 0xffffffff
%full = OpConstantComposite %v4u32 %ones %ones %ones %ones";
    for size in [1, 2, 4, 8, 16, 32, 64] {
        for (op, expected) in [
            ("OpGroupNonUniformBallotBitCount %u32 %u3 Reduce", size),
            ("OpGroupNonUniformBallotFindMSB %u32 %u3", size - 1),
        ] {
            let words = shader(globals, &format!("%result = {op} %full"));
            let out = run(&words, size, &[0; 64]);
            assert_eq!(out.read::<u32>(0, 1), [expected; 64], "{op} of {size}");
        }
    }
}
