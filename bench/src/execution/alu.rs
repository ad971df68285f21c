//! A kernel that only computes, with a loop that lanes leave one by one, beside the same
//! arithmetic in plain Rust.

use std::hint::black_box;

use spirvkit_interp::Run;

/// How many pixels the picture is wide and high.
pub(crate) const SIDE: u32 = 256;

/// After how many turns a point counts as inside.
pub(crate) const TURNS: u32 = 256;

/// How many instructions of the module a turn of the loop is.
pub(crate) const PER_TURN: u64 = 17;

/// How many invocations a workgroup has.
const GROUP: u32 = 64;

const MANDELBROT: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"main\" %id %out
               OpExecutionMode %main LocalSize 64 1 1
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %words ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
       %void = OpTypeVoid
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %uint3 = OpTypeVector %uint 3
  %input_ptr = OpTypePointer Input %uint3
         %id = OpVariable %input_ptr Input
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
  %block_ptr = OpTypePointer StorageBuffer %block
   %word_ptr = OpTypePointer StorageBuffer %uint
        %out = OpVariable %block_ptr StorageBuffer
          %0 = OpConstant %uint 0
          %1 = OpConstant %uint 1
        %255 = OpConstant %uint 255
          %8 = OpConstant %uint 8
        %256 = OpConstant %uint 256
         %f0 = OpConstant %float 0
         %f4 = OpConstant %float 4
       %step = OpConstant %float 0.01171875
       %left = OpConstant %float -2.25
        %top = OpConstant %float -1.5
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %start = OpLabel
        %ids = OpLoad %uint3 %id
      %index = OpCompositeExtract %uint %ids 0
     %column = OpBitwiseAnd %uint %index %255
        %row = OpShiftRightLogical %uint %index %8
         %cf = OpConvertUToF %float %column
         %rf = OpConvertUToF %float %row
         %cs = OpFMul %float %cf %step
         %rs = OpFMul %float %rf %step
         %cx = OpFAdd %float %cs %left
         %cy = OpFAdd %float %rs %top
               OpBranch %loop
       %loop = OpLabel
          %x = OpPhi %float %f0 %start %next_x %again
          %y = OpPhi %float %f0 %start %next_y %again
       %turn = OpPhi %uint %0 %start %next_turn %again
         %xx = OpFMul %float %x %x
         %yy = OpFMul %float %y %y
     %square = OpFAdd %float %xx %yy
         %in = OpFOrdLessThanEqual %bool %square %f4
      %early = OpULessThan %bool %turn %256
       %goes = OpLogicalAnd %bool %in %early
               OpLoopMerge %end %again None
               OpBranchConditional %goes %again %end
      %again = OpLabel
       %real = OpFSub %float %xx %yy
     %next_x = OpFAdd %float %real %cx
         %xy = OpFMul %float %x %y
      %twice = OpFAdd %float %xy %xy
     %next_y = OpFAdd %float %twice %cy
  %next_turn = OpIAdd %uint %turn %1
               OpBranch %loop
        %end = OpLabel
      %place = OpAccessChain %word_ptr %out %0 %index
               OpStore %place %turn
               OpReturn
               OpFunctionEnd
";

/// The words of the kernel.
pub(crate) fn module() -> Vec<u32> {
    let assembled = spirvkit::text::assemble(MANDELBROT, &Default::default());
    assembled.map_or_else(|_| Vec::new(), |assembled| assembled.words)
}

/// How many turns each point takes, by running the kernel.
/// It is done so many times.
pub(crate) fn interpreted(words: &[u32], times: u32) -> Vec<u32> {
    let bytes = (SIDE * SIDE * 4) as usize;
    let run = Run::new(words).zeroed(0, 0, bytes);
    match run.dispatch([SIDE * SIDE / GROUP, times, 1]) {
        Ok(outcome) => outcome.read(0, 0),
        Err(errors) => panic!("{errors}"),
    }
}

/// The same in Rust, one point after the other.
pub(crate) fn native() -> Vec<u32> {
    let point = |index: u32| {
        let cx = (black_box(index) & 255) as f32 * 0.011_718_75 + -2.25;
        let cy = (index >> 8) as f32 * 0.011_718_75 + -1.5;
        let (mut x, mut y, mut turn) = (0.0f32, 0.0f32, 0);
        loop {
            let (xx, yy) = (x * x, y * y);
            if !(xx + yy <= 4.0 && turn < TURNS) {
                return turn;
            }
            let xy = x * y;
            x = (xx - yy) + cx;
            y = (xy + xy) + cy;
            turn += 1;
        }
    };
    (0..SIDE * SIDE).map(point).collect()
}
