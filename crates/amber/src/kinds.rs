//! What can be wrong with scripts, for people.

use spirvkit_diagnostics::kinds;

kinds! {
    /// All kinds of errors that parsing and running scripts give.
    pub static KINDS;

    NOT_A_SCRIPT = "amber.not-a-script", InvalidText {
        text: "The text starts neither with `#!amber`, as AmberScript does, nor with a section of VkScript in brackets.",
        advice: "Write `#!amber` on the first line.",
        example: "SHADER vertex v PASSTHROUGH\n",
    }
    UNKNOWN_COMMAND = "amber.unknown-command", InvalidLookup {
        text: "A line starts with a word that is not a command here.",
        advice: "Check its spelling; commands are case-sensitive.",
        example: "#!amber\nSHADOW vertex v PASSTHROUGH\n",
    }
    UNEXPECTED = "amber.unexpected-token", InvalidText {
        text: "Something is missing in a command, or something else is in its place.",
        advice: "Write what the message expects.",
        example: "#!amber\nSHADER vertex\n",
    }
    UNKNOWN_WORD = "amber.unknown-word", InvalidLookup {
        text: "A word is not one of those that are allowed here.",
        advice: "Check its spelling.",
        example: "#!amber\nBUFFER b FORMAT R8G8B8A8_UNROM\n",
    }
    BAD_NUMBER = "amber.bad-number", InvalidValue {
        text: "What should be a number isn't one, or one of another kind.",
        advice: "Write integers in decimal or as `0x…`, and other numbers in decimal.",
        example: "#!amber\nBUFFER b DATA_TYPE int32 DATA 1.5 END\n",
    }
    OUT_OF_RANGE = "amber.out-of-range", InvalidValue {
        text: "A number is too large or too small for its purpose. Of values in buffers that don't fit, the lowest \
               bits are taken, with a warning.",
        advice: "Use one that the type or the command takes.",
        example: "#!amber\nSET ENGINE_DATA fence_timeout_ms -1\n",
    }
    UNKNOWN_NAME = "amber.unknown-name", InvalidLookup {
        text: "A name is used that nothing before it declares.",
        advice: "Declare it before it is used, or check its spelling.",
        example: "#!amber\nCLEAR my_pipeline\n",
    }
    DUPLICATE = "amber.duplicate", InvalidData {
        text: "Two things have the same name, or something is given twice.",
        advice: "Rename or remove one.",
        example: "#!amber\nSAMPLER s\nSAMPLER s\n",
    }
    OPEN_BLOCK = "amber.open-block", InvalidText {
        text: "A block isn't closed before the script ends.",
        advice: "Write `END` behind it.",
        example: "#!amber\nSHADER fragment f GLSL\nvoid main() {}\n",
    }
    MISMATCH = "amber.mismatch", InvalidData {
        text: "What is named exists, but can't be used here: a pipeline, a shader, a buffer or a type of another kind.",
        advice: "Name one of the right kind.",
        example: "#!amber\nSHADER compute c GLSL\nvoid main() {}\nEND\nPIPELINE graphics p\n  ATTACH c\nEND\n",
    }
    INCOMPLETE = "amber.incomplete", InvalidData {
        text: "Something required is missing.",
        advice: "Add what the message names.",
        example: "#!amber\nPIPELINE compute p\nEND\n",
    }
    WRONG_COUNT = "amber.wrong-count", InvalidData {
        text: "There are more or fewer values than the type takes.",
        advice: "Give whole elements, and as many as the size says.",
        example: "#!amber\nBUFFER b DATA_TYPE vec2<float> DATA 1 2 3 END\n",
    }
    LIMIT = "amber.limit", InvalidValue {
        text: "Something is larger or deeper than this library takes.",
        advice: "Make it smaller.",
    }
    BAD_FILE = "amber.bad-file", Io {
        text: "The file that a buffer is filled from can't be read, or doesn't fit the buffer.",
        advice: "The path is relative to the script.",
    }
    SHADER = "amber.shader", InvalidText {
        text: "A shader's text can't be made into a module: it isn't assembly text, or its compiler refuses it.",
        advice: "Correct what the message says, or use another compiler (`--glsl-compiler`).",
    }
    EXPECTATION = "amber.expectation", InvalidData {
        text: "A buffer doesn't hold what the script expects after its shaders have run.",
        advice: "Look for the mistake in the shader; `spv run` shows more of what it does.",
    }
    NEGATED = "amber.negated", InvalidData {
        text: "An expectation was changed, and should not be met then, but is.",
        advice: "Look at what it compares: nothing, or with too much tolerance.",
    }
    WRITE = "amber.write", InvalidData {
        text: "A command writes or copies more than a buffer has room for.",
        advice: "Make the buffer larger.",
    }
    SKIPPED = "amber.skipped", InvalidData {
        text: "The script was skipped, because something that it needs isn't supported or not installed.",
        advice: "`docs/execution.md` lists what is supported.",
    }
}
