//! What the program itself finds wrong, for people. (What the libraries find, they
//! explain themselves.) The list of rules in the documentation is made from this file, too.

use spirvkit::diagnostics::kinds;

kinds! {
    /// All kinds of diagnostics that the program makes.
    pub static KINDS;

    READ = "io.read", Io {
        text: "A file or a directory can't be read.",
        advice: "Check that the path is right and that you have permission to read it. Standard input is `-`.",
    }
    WRITE = "io.write", Io {
        text: "A file can't be written.",
        advice: "Check that the directory exists, that you have permission to write to it, and that the disk is not \
                 full.",
    }
    BINARY_MODULE = "text.binary-module", InvalidText {
        text: "The input should be assembly text, but is a binary module.",
        advice: "`spv dis` converts it to text.",
    }
    NOT_UTF8 = "text.not-utf8", InvalidText {
        text: "The text contains a byte that isn't UTF-8. (In comments, such bytes are ignored.)",
        advice: "Save the text as UTF-8. If it is a damaged binary module, `spv dis --lenient` shows it.",
    }
    NOT_UTF16 = "text.not-utf16", InvalidText {
        text: "The text is in UTF-16, but contains half of a surrogate pair.",
        advice: "Save the text as UTF-8.",
    }
    CONVERTED = "binary.converted", InvalidBinary {
        text: "The file was a binary module, but a program converted it as if it were text. Windows PowerShell does \
               so when it writes to a file with `>`.",
        advice: "Create the module again, and write it with `-o` instead of `>`.",
    }
    BAD_DIGIT = "hex.bad-digit", InvalidText {
        text: "A module written as digits contains something other than a number, or a number in a different base \
               than the first.",
        advice: "Leave only numbers, separated by white space or commas, or code around a single array of them.",
    }
    ODD_DIGITS = "hex.odd-digits", InvalidText {
        text: "A run of bytes, as `xxd -p` writes them, has an odd number of digits, but a byte has two.",
        advice: "Check whether a digit is missing or surplus.",
    }
    ODD_SIZE = "hex.odd-size", InvalidText {
        text: "A module written as digits ends within a word: it must consist of words of four bytes.",
        advice: "Check whether the text is the whole module.",
    }
    WRONG_OFFSET = "hex.wrong-offset", InvalidText {
        text: "In a dump with offsets, a line's offset is not the number of bytes before it: lines are missing or in \
               the wrong order, or a `*` replaces too many.",
        advice: "Dump the whole module again; `hexdump -v` and `od -v` leave nothing out.",
    }
    OPEN_ARRAY = "hex.open-array", InvalidText {
        text: "The text ends within an array.",
        advice: "Check whether the text is the whole file.",
    }
    SEVERAL_MODULES = "hex.several-modules", InvalidText {
        text: "The text has more than one array that contains a module.",
        advice: "Put each into a file of its own.",
    }
    MIXED_PREFIXES = "hex.mixed-prefixes", InvalidText {
        text: "In a module written as digits, some numbers have a prefix (`0x` or `x`), and others have none or \
               another.",
        advice: "Write all numbers with the same prefix, or all without.",
    }
    TOO_LONG = "hex.too-long", InvalidText {
        text: "In a module written as digits, a number is too large, or has too many digits, for the unit that the \
               first number's size determines: a byte or a word.",
        advice: "Check whether the space between two numbers is missing.",
    }
    WRONG_HEX_MAGIC = "hex.wrong-magic", InvalidText {
        text: "The digits don't start with the SPIR-V magic number, 07230203.",
        advice: "Check whether the text is the whole module, and nothing else.",
    }
    OPAQUE_INSTRUCTION = "transform.opaque-instruction", InvalidBinary {
        text: "An instruction can't be decoded, so it is unknown which of its words are ids.",
        advice: "If it is newer than this program, the module can't be changed in this way.",
    }
    OPT_INVALID = "opt.invalid-result", InvalidData {
        text: "The optimizer has made an invalid module of a valid one: an error of the program.",
        advice: "Report it, with the module. Without `--validate`, the result is written all the same.",
    }
    OPT_PASS = "opt.pass", InvalidData {
        text: "A pass of the optimizer can't do what it was asked for with this module, or what it made was refused.",
        advice: "Leave the pass out, or give it what it needs. `spv opt --list-passes` says what each does.",
    }
    OPT_BISECT = "opt.bisect", Io {
        text: "The command that tells whether a module is right can't be run.",
        advice: "Check that the program exists and may be run. It gets the module's path as its last argument.",
    }
    NO_CONSTANT = "transform.no-such-constant", InvalidId {
        text: "No module has the specialization constant that an option names.",
        advice: "`spv specialize --list` shows the constants of a module.",
    }
    BAD_DATA = "run.data", InvalidValue {
        text: "What a buffer is to hold, or what is to be shown of it, doesn't fit what the module declares, or can't be read.",
        advice: "`spv info` shows the buffers of a module with the types and offsets of their members.",
    }
    INCOMPLETE = "run.incomplete", InvalidValue {
        text: "Exploration ended before all executions that the memory model allows were seen, so that something that is asked for is not known.",
        advice: "Explore fewer invocations, with fewer accesses to memory that several of them use, or raise `--max-looks`.",
    }
    BAD_CONSTANT_VALUE = "transform.bad-constant-value", InvalidValue {
        text: "A specialization constant can't have the requested value, or different values are requested for it.",
        advice: "`spv specialize --list` shows the types of the constants. Use true or false for a bool, and a number \
                 that fits for a number.",
    }
    UNDEFINED_OPERATION = "transform.undefined-operation", InvalidValue {
        text: "An operation on specialization constants has no defined result for their values, such as a division by \
               0, or can't be computed. It is replaced by the result that implementations commonly give, or left \
               unchanged.",
        advice: "Check that the values are correct.",
    }
    SPLIT_TOO_LARGE = "split.too-large", InvalidData {
        text: "The module has very many entry points that each use most of it, so the total size of the split modules \
               would be out of proportion.",
        advice: "Split off only the entry points that are needed, with `--entry-point`.",
    }
    NO_ENTRY_POINT = "split.no-entry-point", InvalidLookup {
        text: "The module has no entry points, or none with this name and execution model.",
        advice: "`spv split --list` shows the entry points of a module.",
    }
    AMBIGUOUS_NAME = "split.ambiguous-name", InvalidLookup {
        text: "Several entry points have this name.",
        advice: "Choose one with `--model`.",
    }
    NOT_CONVERTED = "debug.convert", InvalidData {
        text: "The module's debug information can't be written in the other instruction set.",
        advice: "The message gives the reason; `spv strip --debug-info` removes debug information.",
    }
    LOSS = "debug.convert-loss", InvalidData {
        text: "The other instruction set can't represent something in the module's debug information. It is left out \
               or approximated.",
        advice: "`--every-loss` shows each place.",
    }
    NO_GRAPHVIZ = "cfg.no-image", Io {
        text: "Graphviz's program `dot`, which draws images, is not installed, or failed.",
        advice: "Install Graphviz, or write an HTML page, which needs no other program: `spv cfg MODULE -o \
                 FILE.html`.",
    }
    NO_DWARF = "debug.dwarf", InvalidData {
        text: "The module's debug information can't be written as DWARF.",
        advice: "The message gives the reason.",
    }
    NOT_FOUND = "lookup.not-found", InvalidLookup {
        text: "The module has no such id, function, structure, instruction, file or line, or nothing of the requested \
               kind; or there is no such rule.",
        advice: "Ids are accepted as numbers and as `spv dis` shows them. `spv debug dump`, `spv debug sources` and \
                 `spv debug scopes` show the module's debug information.",
    }
    AMBIGUOUS = "lookup.ambiguous", InvalidLookup {
        text: "Several things in the module have the requested name.",
        advice: "Write it as `spv dis` shows it, with the percent sign; for a line, add its file.",
    }
    USAGE = "cli.usage", Usage {
        text: "The command line is wrong.",
        advice: "`spv help`, or `--help` after a command, shows the usage.",
    }
}
