//! Specialization constants.

use spirvkit_interp::Run;

use super::shader::shader;

#[test]
fn constants_with_the_same_number_get_the_same_value() {
    let globals = "OpDecorate %a SpecId 3\nOpDecorate %b SpecId 3
%a = OpSpecConstant %u32 1\n%b = OpSpecConstant %u32 2";
    let words = shader(globals, "%result = OpIAdd %u32 %a %b");
    let given = |run: Run<'_>| {
        let run = run.storage(0, 0, &[0u32; 64]).zeroed(0, 1, 256);
        run.dispatch([1, 1, 1]).unwrap().read::<u32>(0, 1)[0]
    };
    assert_eq!(given(Run::new(&words)), 3);
    assert_eq!(given(Run::new(&words).spec(3, 20u32)), 40);
}
