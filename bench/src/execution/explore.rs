//! How fast all outcomes of small programs are found, and how that grows with invocations.

use std::error::Error;
use std::fmt::Write as _;

use spirvkit_interp::Run;

use super::{best, milliseconds};

/// Each of `SIZE` invocations sets a flag of its own, counts itself, and reads the next one's
/// flag: each read has two sources, and the counts come in any order.
const RING: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"main\" %id %out
               OpExecutionMode %main LocalSize SIZE 1 1
               OpDecorate %id BuiltIn LocalInvocationIndex
               OpDecorate %words ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
  %input_ptr = OpTypePointer Input %uint
         %id = OpVariable %input_ptr Input
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
  %block_ptr = OpTypePointer StorageBuffer %block
   %word_ptr = OpTypePointer StorageBuffer %uint
        %out = OpVariable %block_ptr StorageBuffer
          %0 = OpConstant %uint 0
          %1 = OpConstant %uint 1
          %8 = OpConstant %uint 8
         %16 = OpConstant %uint 16
       %size = OpConstant %uint SIZE
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %start = OpLabel
      %index = OpLoad %uint %id
        %own = OpAccessChain %word_ptr %out %0 %index
               OpAtomicStore %own %1 %0 %1
    %counter = OpAccessChain %word_ptr %out %0 %16
        %old = OpAtomicIAdd %uint %counter %1 %0 %1
       %more = OpIAdd %uint %index %1
       %next = OpUMod %uint %more %size
       %flag = OpAccessChain %word_ptr %out %0 %next
       %seen = OpAtomicLoad %uint %flag %1 %0
      %place = OpIAdd %uint %index %8
     %result = OpAccessChain %word_ptr %out %0 %place
               OpStore %result %seen
               OpReturn
               OpFunctionEnd
";

/// Adds a table.
pub(super) fn table(rounds: u32, text: &mut String) -> Result<(), Box<dyn Error>> {
    text.push_str(
        "
### All outcomes of a small program

| invocations | executions | outcomes | ms | executions a second |
|---:|---:|---:|---:|---:|
",
    );
    for size in 2..=4 {
        let shader = RING.replace("SIZE", &size.to_string());
        let words = spirvkit::assemble(&shader, &Default::default());
        let words = words.map_err(|errors| errors.to_string())?.words;
        let explore = || {
            let run = Run::new(&words).storage(0, 0, &[0u32; 32]);
            run.explore().dispatch([1, 1, 1])
        };
        let explored = explore().map_err(|errors| errors.to_string())?;
        if let Some(why) = &explored.incomplete {
            return Err(why.clone().into());
        }
        let time = best(rounds, || drop(explore()));
        let _ = writeln!(
            text,
            "| {size} | {} | {} | {:.2} | {:.0} |",
            explored.executions,
            explored.outcomes().count(),
            milliseconds(time),
            explored.executions as f64 / time.as_secs_f64(),
        );
    }
    Ok(())
}
