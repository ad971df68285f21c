//! Broken modules: whatever comes of them, nothing panics.

use proptest::prelude::*;

use super::*;

fn parts() -> Vec<Vec<u32>> {
    let grouped = "OpDecorate %f LinkageAttributes \"square\" Import
OpDecorate %g FuncParamAttr NoCapture
%g = OpDecorationGroup
OpGroupDecorate %g %x %y
OpMemberDecorate %s 0 Volatile
OpTypeForwardPointer %p CrossWorkgroup
%float = OpTypeFloat 32
%s = OpTypeStruct %p %float
%p = OpTypePointer CrossWorkgroup %s
%type = OpTypeFunction %float %float
%f = OpFunction %float None %type
%x = OpFunctionParameter %float
OpFunctionEnd
%h = OpFunction %float None %type
%y = OpFunctionParameter %float
%l = OpLabel
%z = OpFunctionCall %float %f %y
OpReturnValue %z
OpFunctionEnd
";
    let modules = [
        user(),
        library(),
        kernel(grouped),
        debug::described("a.cl", "f"),
    ];
    modules.iter().map(Module::store).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_panics(
        changes in prop::collection::vec((0..4usize, 0..400usize, prop_oneof![0..40u32, any::<u32>()]), 1..8),
        options in 0..16u32,
    ) {
        let mut parts = parts();
        for (part, at, value) in changes {
            let words = &mut parts[part];
            let at = 5 + at % (words.len() - 5);
            // Word counts stay, or there would hardly be a module.
            words[at] = match value % 3 {
                0 => words[at] & 0xffff_0000 | value & 0xffff,
                _ => value,
            };
        }
        let modules: Vec<Module> = parts.iter().filter_map(|words| Module::load(words).ok()).collect();
        let modules: Vec<&Module> = modules.iter().collect();
        let set = Options::default().create_library(options & 1 != 0).allow_partial_linkage(options & 2 != 0).use_highest_version(options & 4 != 0).allow_pointer_mismatch(options & 8 != 0);
        let _ = try_link(&modules, &set);
    }
}
