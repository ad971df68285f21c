//! The ends of help texts that several commands have.

/// For the commands that change modules.
macro_rules! change_help {
    ($examples:literal) => {
        concat!(
            "\
Inputs are binary modules, modules as hexadecimal text, or assembly text; outputs
are binary modules in the byte order of the input. Directories are searched for
.spv and .spvasm files; each output has the same relative path in the directory
that -o names. Nothing is written for an input that has an error.

Examples:
",
            $examples,
            "

Exit codes:
  0  success
  1  an input has errors, or a file could not be read or written
  2  the command line is wrong"
        )
    };
}

/// For the commands that look at debug information.
macro_rules! look_help {
    ($examples:literal) => {
        concat!(
            "\
The module is binary, hexadecimal text, or assembly text.

Examples:
",
            $examples,
            "

Exit codes:
  0  success
  1  the module has errors or could not be read, or nothing was found
  2  the command line is wrong"
        )
    };
}

/// The same of those that take places in a module.
macro_rules! place_help {
    ($examples:literal) => {
        concat!(
            "\
The module is binary, hexadecimal text, or assembly text. A place in it is one of:
  0x1a4            an offset in bytes, as `spv dis --offsets` shows it; also
                   `byte 420` or `word 105`, as errors show it, or 0x1a4..0x1c0
  %57, %main, sum  an id, by its number or by its name, as `spv dis` shows it
  shader.comp:12   a line of a source file; with a column shader.comp:12:5
  12               the same, if only one file is possible; if no instruction
                   comes from that line, the id with this number

Examples:
",
            $examples,
            "

Exit codes:
  0  success
  1  the module has errors or could not be read, or nothing was found
  2  the command line is wrong"
        )
    };
}

pub(crate) use {change_help, look_help, place_help};
