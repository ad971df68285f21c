//! What the program itself finds wrong, for people. (What the libraries find, they
//! explain themselves.) The list of rules in the documentation is made from this file, too.

use spirvkit::diagnostics::kinds;

kinds! {
    /// All kinds of diagnostics that the program makes.
    pub static KINDS;

    READ = "io.read", Io {
        text: "A file or a directory can't be read.",
        advice: "See whether the path is right, and whether you may read it. Standard input is `-`.",
    }
    WRITE = "io.write", Io {
        text: "A file can't be written.",
        advice: "See whether its directory is there, whether you may write to it, and whether the disk is full.",
    }
    BINARY_MODULE = "text.binary-module", InvalidText {
        text: "Where assembly text is wanted, there is a binary module.",
        advice: "`spv dis` turns it into text.",
    }
    NOT_UTF8 = "text.not-utf8", InvalidText {
        text: "The text holds a byte that isn't UTF-8. (Such bytes do no harm in comments.)",
        advice: "Save the text as UTF-8. If it is a damaged binary module, `spv dis --lenient` shows it.",
    }
    NOT_UTF16 = "text.not-utf16", InvalidText {
        text: "The text is in UTF-16, but holds half of a character.",
        advice: "Save the text as UTF-8.",
    }
    CONVERTED = "binary.converted", InvalidBinary {
        text: "The file was a binary module until something converted it as if it were text. Windows PowerShell does that \
               to what `>` writes to a file.",
        advice: "Make the module again, and name its file with `-o`.",
    }
    BAD_DIGIT = "hex.bad-digit", InvalidText {
        text: "A module as digits holds something that is not a number, or not of the base that the first number has.",
        advice: "Leave only numbers, with white space or commas between them, or with the code around an array of them.",
    }
    ODD_DIGITS = "hex.odd-digits", InvalidText {
        text: "A run of bytes, as `xxd -p` writes them, has an odd number of digits, but two make a byte.",
        advice: "See whether a digit is missing, or one too many.",
    }
    ODD_SIZE = "hex.odd-size", InvalidText {
        text: "A module as digits ends within a word: it is made of words of four bytes.",
        advice: "See whether the text is all of a module.",
    }
    WRONG_OFFSET = "hex.wrong-offset", InvalidText {
        text: "In a dump with offsets, a line's offset is not the number of bytes before it, so lines are missing or in the \
               wrong order, or too many are left out with `*`.",
        advice: "Dump the whole module again; `hexdump -v` and `od -v` leave nothing out.",
    }
    OPEN_ARRAY = "hex.open-array", InvalidText {
        text: "The text ends within an array.",
        advice: "See whether the text is all of a file.",
    }
    SEVERAL_MODULES = "hex.several-modules", InvalidText {
        text: "The text has more than one array that holds a module.",
        advice: "Put each into a file of its own.",
    }
    MIXED_PREFIXES = "hex.mixed-prefixes", InvalidText {
        text: "In a module as digits, some numbers have a prefix (`0x` or `x`), and others have none or another.",
        advice: "Write all numbers with the same prefix, or all without.",
    }
    TOO_LONG = "hex.too-long", InvalidText {
        text: "In a module as digits, a number is too high, or has too many digits, for what the first number is: a byte or a \
               word.",
        advice: "See whether two numbers have run into each other.",
    }
    WRONG_HEX_MAGIC = "hex.wrong-magic", InvalidText {
        text: "The digits don't start with the magic number of SPIR-V, 07230203.",
        advice: "See whether the text is all of a module, and nothing else.",
    }
    OPAQUE_INSTRUCTION = "transform.opaque-instruction", InvalidBinary {
        text: "An instruction can't be decoded, so nobody can tell which of its words are ids.",
        advice: "If it is newer than this program, the module can't be changed in this way.",
    }
    NO_CONSTANT = "transform.no-such-constant", InvalidId {
        text: "No module has the specialization constant that an option names.",
        advice: "`spv specialize --list` shows the constants of a module.",
    }
    BAD_CONSTANT_VALUE = "transform.bad-constant-value", InvalidValue {
        text: "A specialization constant can't have the value that is asked for, or contradicting ones are.",
        advice: "`spv specialize --list` shows the types of the constants. Give true or false for a bool, and for a number one that fits.",
    }
    UNDEFINED_OPERATION = "transform.undefined-operation", InvalidValue {
        text: "An operation on specialization constants has no defined result for their values, such as a division by 0, or is \
               none that can be computed. It has the result that implementations commonly give, or stays as it is.",
        advice: "See whether the values are those that you mean.",
    }
    SPLIT_TOO_LARGE = "split.too-large", InvalidData {
        text: "The module has very many entry points that use most of it, so a module for each would be out of proportion.",
        advice: "Take out those that are needed with `--entry-point`.",
    }
    NO_ENTRY_POINT = "split.no-entry-point", InvalidLookup {
        text: "The module has no entry point, or none with this name and execution model.",
        advice: "`spv split --list` shows the entry points of a module.",
    }
    AMBIGUOUS_NAME = "split.ambiguous-name", InvalidLookup {
        text: "Several entry points have this name.",
        advice: "Say with `--model` which execution model it has.",
    }
    NOT_CONVERTED = "debug.convert", InvalidData {
        text: "The module's debug information can't be written in the other instruction set.",
        advice: "See what the message says; `spv strip --debug-info` removes it.",
    }
    LOSS = "debug.convert-loss", InvalidData {
        text: "The other instruction set can't say something that the module's debug information says. It is left out, or said in \
               another way.",
        advice: "`--every-loss` shows each place.",
    }
    NO_GRAPHVIZ = "cfg.no-image", Io {
        text: "Graphviz's program `dot`, which draws images, is not installed, or failed.",
        advice: "Install Graphviz, or have a page drawn, which needs nothing else: `spv cfg MODULE -o FILE.html`.",
    }
    NO_DWARF = "debug.dwarf", InvalidData {
        text: "The module's debug information can't be written as DWARF.",
        advice: "See what the message says.",
    }
    NOT_FOUND = "lookup.not-found", InvalidLookup {
        text: "The module has no such id, function, structure, instruction, file or line, or nothing of the sort that is asked for; \
               or there is no such rule.",
        advice: "Ids are accepted by their numbers and as `spv dis` shows them. `spv debug dump`, `spv debug sources` and `spv \
                 debug scopes` show what debug information there is.",
    }
    AMBIGUOUS = "lookup.ambiguous", InvalidLookup {
        text: "Several things in the module have the name that is asked for.",
        advice: "Write it as `spv dis` shows it, with the percent sign; lines with their file in front.",
    }
    USAGE = "cli.usage", Usage {
        text: "The command line is wrong.",
        advice: "`spv help`, or `--help` after a command, shows what it takes.",
    }
}
