//! What can be wrong with assembly text and with binary modules, for people.

use spirvkit_diagnostics::kinds;

kinds! {
    /// All kinds of diagnostics that assembling and disassembling give.
    pub static KINDS;

    EXPECTED_INSTRUCTION = "text.expected-instruction", InvalidText {
        text: "Where an instruction should start, there is neither an opcode name nor a result id followed by `=`.",
        advice: "Start each instruction with its opcode name, such as `OpCapability`, or with `%id =` and the name. \
                 Comments start with `;`.",
        example: "Capability Shader\n",
    }
    SURPLUS_OPERAND = "text.surplus-operand", InvalidText {
        text: "An instruction is followed by something that is neither one of its operands nor the start of another \
               instruction.",
        advice: "Remove what follows, or check in the grammar which operands the instruction has.",
        example: "OpMemoryModel Logical GLSL450 Simple\n",
    }
    EXPECTED_OPCODE = "text.expected-opcode", InvalidText {
        text: "After `%id =`, there is no opcode name.",
        advice: "Write the instruction whose result the id is.",
        example: "%void = %type\n",
    }
    EXPECTED_EQUALS = "text.expected-equals", InvalidText {
        text: "An id that starts a line isn't followed by `=` and an opcode name.",
        advice: "Write `%id = OpName…` for an instruction with a result. If the id is an operand of the previous \
                 instruction, that one has too many operands.",
        example: "%void OpTypeVoid\n",
    }
    STRAY_EQUALS = "text.stray-equals", InvalidText {
        text: "An `=` appears somewhere other than between a result id and an opcode name.",
        advice: "Write `%id =` before the opcode name.",
        example: "=\n",
    }
    UNKNOWN_OPCODE = "text.unknown-opcode", InvalidLookup {
        text: "A name that looks like an opcode name is not in the grammar.",
        advice: "Check whether it is misspelt. An instruction that is newer than this program can be written as \
                 `OpUnknown(opcode, word count)` followed by its operands.",
        example: "%void = OpTypeVoyd\n",
    }
    WRONG_VERSION = "text.wrong-version", WrongVersion {
        text: "The version of SPIR-V that `--target-env` selects doesn't have the instruction.",
        advice: "Assemble for an environment whose version of SPIR-V has it.",
    }
    MISSING_RESULT = "text.missing-result", InvalidText {
        text: "An instruction that has a result is written without `%id =`.",
        advice: "Write `%id =` before it, even if nothing uses the result.",
        example: "OpTypeVoid\n",
    }
    UNWANTED_RESULT = "text.unwanted-result", InvalidText {
        text: "An instruction that has no result is written with `%id =`.",
        advice: "Remove `%id =`.",
        example: "%shader = OpCapability Shader\n",
    }
    BAD_ID = "text.bad-id", InvalidText {
        text: "A `%` is followed by something other than letters, digits and underscores.",
        advice: "Give the id a name made of these, or a number.",
        example: "OpDecorate %my-type Block\n",
    }
    MISSING_OPERAND = "text.missing-operand", InvalidText {
        text: "An instruction has fewer operands than it needs.",
        advice: "Add the operand that the message names.",
        example: "OpMemoryModel Logical\n",
    }
    EXPECTED_ID = "text.expected-id", InvalidText {
        text: "An operand that must be an id is something else.",
        advice: "Write the id with its `%`. A constant needs an instruction of its own, whose result is the operand.",
        example: "%pair = OpTypeVector float 2\n",
    }
    OTHER_LANGUAGE = "text.other-language", InvalidText {
        text: "The text contains no SPIR-V instruction, but looks like another language, such as GLSL, HLSL or WGSL.",
        advice: "Compile it first, as the message says, and use the resulting module.",
        example: "#version 450\nvoid main() {}\n",
    }
    UNDEFINED_ID = "text.undefined-id", InvalidId {
        text: "An id is used, but nothing in the text defines it. This is a warning: the module can be written, but isn't \
               valid.",
        advice: "Check whether the id is misspelt, or whether an instruction is missing.",
        example: "%vector = OpTypeVector %float 2\n",
    }
    OPEN_STRING = "text.open-string", InvalidText {
        text: "A string has no closing quotation mark.",
        advice: "Close it. Within a string, a quotation mark is written `\\\"`.",
        example: "OpExtension \"SPV_KHR_16bit_storage\n",
    }
    NUL_IN_STRING = "text.nul-in-string", InvalidText {
        text: "A string contains the character NUL, which would terminate it in the module.",
        advice: "Remove the character.",
    }
    EXPECTED_STRING = "text.expected-string", InvalidText {
        text: "An operand that must be a string is something else.",
        advice: "Put the string in double quotes.",
        example: "OpExtension SPV_KHR_16bit_storage\n",
    }
    BAD_NUMBER = "text.bad-number", InvalidText {
        text: "An operand that must be a number is something else, or a number in the wrong form.",
        advice: "Write an integer in decimal or with `0x`, and a floating-point number in decimal or as `0x1.8p3`.",
        example: "%float = OpTypeFloat wide\n",
    }
    NEGATIVE_NUMBER = "text.negative-number", InvalidValue {
        text: "A number is negative where the type or the operand is unsigned.",
        advice: "Write the number without a sign, or declare a signed type.",
        example: "%uint = OpTypeInt 32 0\n%c = OpConstant %uint -1\n",
    }
    NUMBER_OUT_OF_RANGE = "text.number-out-of-range", InvalidValue {
        text: "A number doesn't fit in its type.",
        advice: "Write a number that fits, or declare a wider type.",
        example: "%int = OpTypeInt 32 1\n%c = OpConstant %int 5000000000\n",
    }
    UNTYPED_LITERAL = "text.untyped-literal", InvalidText {
        text: "A literal can't be read because its type is unknown: it isn't a number of at most 64 bits, or is \
               defined only later.",
        advice: "Define the type before it is used, with `OpTypeInt` or `OpTypeFloat`.",
        example: "%c = OpConstant %float 1\n%float = OpTypeFloat 32\n",
    }
    BAD_SELECTOR = "text.bad-selector", InvalidText {
        text: "The literals of an `OpSwitch` can't be read because its selector isn't an integer that is defined \
               before it.",
        advice: "Define the selector, with an integer type, before the switch.",
        example: "OpSwitch %selector %default 1 %one\n",
    }
    UNKNOWN_ENUMERANT = "text.unknown-enumerant", InvalidLookup {
        text: "A name is not one of the operand's values.",
        advice: "Check whether it is misspelt. A value that is newer than this program can be written as a number \
                 with `!` before it.",
        example: "OpCapability Shadr\n",
    }
    NOT_AN_IMPORT = "text.not-an-import", InvalidText {
        text: "The set of an extended instruction isn't the result of an `OpExtInstImport` before it.",
        advice: "Import the set before its instructions are used.",
        example: "%void = OpTypeVoid\n%a = OpExtInst %void %glsl Sqrt %b\n",
    }
    UNKNOWN_EXT_INST = "text.unknown-ext-inst", InvalidLookup {
        text: "An extended instruction set has no instruction with this name, or its instructions have only numbers.",
        advice: "Check that the name is spelt correctly and the right set is imported, or write the instruction's \
                 number.",
        example: "%glsl = OpExtInstImport \"GLSL.std.450\"\n%float = OpTypeFloat 32\n\
                  %a = OpExtInst %float %glsl Sqroot %b\n",
    }
    UNKNOWN_SPEC_CONSTANT_OP = "text.unknown-spec-constant-op", InvalidLookup {
        text: "The operation of an `OpSpecConstantOp` isn't an opcode name without its `Op`.",
        advice: "Write `IAdd`, for example, rather than `OpIAdd` or `+`.",
        example: "%int = OpTypeInt 32 1\n%c = OpSpecConstantOp %int Plus %a %b\n",
    }
    NESTED_SPEC_CONSTANT_OP = "text.nested-spec-constant-op", InvalidText {
        text: "The operation of an `OpSpecConstantOp` is another `OpSpecConstantOp`.",
        advice: "Make the inner one an instruction of its own, and use its result as an operand.",
        example: "%int = OpTypeInt 32 1\n%c = OpSpecConstantOp %int SpecConstantOp IAdd %a %b\n",
    }
    TOO_MANY_TEXT_ERRORS = "text.too-many-errors", InvalidText {
        text: "The text has more errors than `--max-errors` allows, or than can be shown for a text of its size.",
        advice: "Fix the errors that are shown, or use a higher number; 0 means no limit.",
    }
    BAD_HEADER_COMMENT = "text.bad-header-comment", InvalidText {
        text: "A comment at the top that gives a value of the header, such as `; Version: 1.3`, can't be read, so it \
               is ignored.",
        advice: "Write it as `spv dis` does, or assemble with `--no-header-comments`.",
        example: "; SPIR-V\n; Version: new\n",
    }
    BAD_FLOAT_TYPE = "text.bad-float-type", InvalidText {
        text: "An `OpTypeFloat` has an encoding that is unknown, or that doesn't exist for its width.",
        advice: "Use the width that belongs to the encoding, such as 16 for `BFloat16KHR`.",
        example: "%float = OpTypeFloat 32 BFloat16KHR\n",
    }
    REDEFINITION = "text.redefinition", InvalidId {
        text: "Two instructions have the same result id.",
        advice: "Give one of them another id.",
        example: "%type = OpTypeVoid\n%type = OpTypeBool\n",
    }
    BAD_IMMEDIATE = "text.bad-immediate", InvalidText {
        text: "A `!` isn't followed by an unsigned 32-bit integer.",
        advice: "Write the word as a number: `!42` or `!0x2a`.",
        example: "OpCapability !Shader\n",
    }
    BAD_RAW_OPERAND = "text.bad-raw-operand", InvalidText {
        text: "After a `!` word, the operands of an instruction aren't checked against the grammar, so names have no meaning \
               there.",
        advice: "Write a 32-bit number, a string, an id or another `!` word.",
        example: "OpMemoryModel !0 GLSL450\n",
    }
    BAD_UNKNOWN_OPCODE = "text.bad-unknown-opcode", InvalidText {
        text: "An `OpUnknown` doesn't have the form `OpUnknown(opcode, word count)`, or its operands don't match the \
               word count.",
        advice: "Count the word with the opcode, too: an instruction with two operands of one word each has 3 words.",
        example: "OpUnknown(100, 3) 1\n",
    }
    INSTRUCTION_TOO_LONG = "text.instruction-too-long", InvalidText {
        text: "An instruction would have more than 65,535 words.",
        advice: "Split its content among several instructions, such as `OpSourceContinued` for a long source.",
    }

    TRUNCATED = "binary.truncated", InvalidBinary {
        text: "The file ends within the header, within a word or within an instruction.",
        advice: "Check whether the file is complete. If only its last instruction is cut short, `spv dis --lenient` \
                 shows the others.",
    }
    WRONG_MAGIC = "binary.wrong-magic", InvalidBinary {
        text: "The file doesn't start with the SPIR-V magic number, 0x07230203, in either byte order.",
        advice: "Check whether it is the right file. If it is assembly text, `spv as` converts it to a module.",
    }
    MALFORMED_VERSION = "binary.malformed-version", InvalidBinary {
        text: "The header's second word isn't a version: its highest and its lowest byte must be 0.",
        advice: "Check whether the file is damaged.",
    }
    BAD_BOUND = "binary.bad-bound", InvalidBinary {
        text: "The header's id bound is 0 or above the limit.",
        advice: "`spv compact-ids` renumbers the ids of a module without gaps.",
    }
    LOW_BOUND = "binary.low-bound", InvalidBinary {
        text: "An id is not less than the header's id bound.",
        advice: "The id bound must be greater than all ids. The text from `spv dis` keeps the wrong bound only with \
                 `--lenient`.",
    }
    UNKNOWN_VERSION = "binary.unknown-version", InvalidBinary {
        text: "The major version in the header is not 1, so the meaning of the module is unknown.",
        advice: "`spv dis --lenient` disassembles it as if it were of version 1.",
    }
    ZERO_WORD_COUNT = "binary.zero-word-count", InvalidBinary {
        text: "An instruction has a word count of 0, so the start of the next one is unknown.",
        advice: "Check whether the file is damaged. `spv dis --lenient` shows the rest word by word.",
    }
    UNKNOWN_BINARY_OPCODE = "binary.unknown-opcode", InvalidBinary {
        text: "An instruction has an opcode that is not in the grammar.",
        advice: "If it is newer than this program, `spv dis --handle-unknown-opcodes` or `--lenient` shows it as \
                 `OpUnknown`.",
    }
    MISSING_BINARY_OPERAND = "binary.missing-operand", InvalidBinary {
        text: "An instruction has fewer words than its operands need.",
        advice: "`spv dis --lenient` shows what is there.",
    }
    SURPLUS_WORDS = "binary.surplus-words", InvalidBinary {
        text: "An instruction has more words than its operands need.",
        advice: "`spv dis --lenient` shows them as numbers.",
    }
    ZERO_ID = "binary.zero-id", InvalidId {
        text: "An operand that must be an id is 0.",
        advice: "`spv dis --lenient` shows it as a number.",
    }
    REDEFINED = "binary.redefined", InvalidId {
        text: "Two instructions have the same result id.",
        advice: "`spv dis --lenient` shows the second as `OpUnknown`.",
    }
    OTHER_FORMAT = "binary.other-format", InvalidBinary {
        text: "The file is not a module, but starts like a file in another format, such as a DXIL container, an ELF \
               file or an archive.",
        advice: "Extract the module from the file, or compile the shader to SPIR-V instead.",
    }
    UNKNOWN_VALUE = "binary.unknown-enumerant", InvalidBinary {
        text: "An operand has a value that is not in its enumeration.",
        advice: "If it is newer than this program, `spv dis --lenient` shows it as a number.",
    }
    UNKNOWN_BIT = "binary.unknown-bit", InvalidBinary {
        text: "An operand that is a mask has a bit that is not in its enumeration.",
        advice: "If it is newer than this program, `spv dis --lenient` shows it as a number.",
    }
    UNKNOWN_EXT_INST_NUMBER = "binary.unknown-ext-inst", InvalidBinary {
        text: "An extended instruction set has no instruction with this number.",
        advice: "If it is newer than this program, `spv dis --lenient` shows it as a number.",
    }
    NOT_AN_IMPORTED_SET = "binary.not-an-import", InvalidId {
        text: "The set of an extended instruction isn't the result of an `OpExtInstImport` before it.",
        advice: "`spv dis --lenient` shows the instruction's words.",
    }
    UNKNOWN_SPEC_CONSTANT_OPCODE = "binary.unknown-spec-constant-op", InvalidBinary {
        text: "The operation of an `OpSpecConstantOp` is an opcode that is not in the grammar.",
        advice: "`spv dis --lenient` shows it as a number.",
    }
    UNDEFINED_TYPE = "binary.undefined-type", InvalidId {
        text: "A literal can't be read because its type isn't defined before it.",
        advice: "`spv dis --lenient` shows the literal's words.",
    }
    NOT_A_NUMBER_TYPE = "binary.not-a-number-type", InvalidId {
        text: "A literal can't be read because its type isn't a number of at most 64 bits.",
        advice: "`spv dis --lenient` shows the literal's words.",
    }
    BAD_BINARY_SELECTOR = "binary.bad-selector", InvalidId {
        text: "The literals of an `OpSwitch` can't be read because its selector isn't an integer that is defined \
               before it.",
        advice: "`spv dis --lenient` shows the words.",
    }
    UNTERMINATED_STRING = "binary.unterminated-string", InvalidBinary {
        text: "A string isn't terminated by a zero byte before the instruction ends.",
        advice: "`spv dis --lenient` shows the words.",
    }
    BAD_UTF8 = "binary.bad-utf8", InvalidBinary {
        text: "A string isn't UTF-8.",
        advice: "`spv dis --lenient` shows the words.",
    }
    STRING_PADDING = "binary.string-padding", InvalidBinary {
        text: "The bytes after a string's terminating zero are not all zero. Text doesn't show them.",
        advice: "`spv dis --lenient` writes them as numbers, so that the text assembles to the same words.",
    }
    NUMBER_PADDING = "binary.number-padding", InvalidBinary {
        text: "The unused high bits of a narrow number are not what they must be: zero, or for a signed integer copies \
               of the sign. Text doesn't show them.",
        advice: "`spv dis --lenient` writes them as numbers, so that the text assembles to the same words.",
    }
    LONG_NAMES = "binary.long-names", InvalidBinary {
        text: "Names are so long, and used so often, that the text would be out of proportion to the module. The \
               shortest names are kept; other ids are shown as numbers.",
        advice: "The text assembles to the same module. `spv dis --raw-id` shows numbers for all ids.",
    }
    TOO_MANY_BINARY_ERRORS = "binary.too-many-errors", InvalidBinary {
        text: "The module has more errors than `--max-errors` allows.",
        advice: "Use a higher number (0 means no limit), or use `--lenient`.",
    }
    MALFORMED = "binary.malformed", InvalidBinary {
        text: "The module can't be decoded.",
        advice: "`spv dis --lenient` shows what is there.",
    }
}
