//! Scripts of both languages, what buffers hold, and what is compared.

mod commands;
mod comparisons;
mod data;
mod errors;
mod mutations;
mod runs;
mod scripts;
mod vk_scripts;

use spirvkit_amber::{Script, parse};
use spirvkit_diagnostics::Source;

/// Reads a script that must be right.
fn read(text: &str) -> Script {
    let script = parse(text);
    script.unwrap_or_else(|errors| panic!("{}", errors.render(&Source::new("script", text))))
}

/// AmberScript behind its first line.
fn amber(text: &str) -> Script {
    read(&format!("#!amber\n{text}"))
}

/// A compute pipeline and a graphics pipeline with all they need, for commands.
const PIPELINES: &str = "\
SHADER compute c SPIRV-ASM
END
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL TARGET_ENV spv1.5
void main() {}
END
BUFFER vertices DATA_TYPE vec2<float> DATA 0 0 1 0 0 1 END
BUFFER indices DATA_TYPE uint16 DATA 0 1 2 END
BUFFER numbers DATA_TYPE float SIZE 8 FILL 0
BUFFER others DATA_TYPE float SIZE 8 FILL 1
BUFFER image FORMAT R8G8B8A8_UNORM
BUFFER reference FORMAT R8G8B8A8_UNORM
PIPELINE compute compute
  ATTACH c
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
END
PIPELINE graphics graphics
  ATTACH v
  ATTACH f
  VERTEX_DATA vertices LOCATION 0
  INDEX_DATA indices
  BIND BUFFER image AS color LOCATION 0
END
";
