//! `spv man`: manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;

use crate::exit::Ending;
use crate::output::write_file;
use crate::report::{self, Messages, Reporter};

/// Print the manual page of spv, or write those of all commands
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Write spv.1 and a page for each command, such as spv-debug-lookup.1, to this
    /// directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  spv man | man -l -
  spv man --dir ~/.local/share/man/man1

Exit codes:
  0  success
  1  a page could not be written
  2  the command line is wrong";

/// Writes the pages of a command line.
pub(crate) fn run(arguments: &Arguments, definition: clap::Command) -> Ending {
    let mut command = definition.disable_help_subcommand(true);
    command.build();
    let Some(directory) = &arguments.dir else {
        let mut out = Vec::new();
        return match page(&command).render(&mut out) {
            Ok(()) => report::print(&out),
            Err(_) => Ending::Failure,
        };
    };
    match write_pages(&command, directory) {
        Ok(()) => Ending::Success,
        Err(error) => {
            let mut messages = Messages::new(Reporter::plain());
            messages.add_write_error(&directory.display().to_string(), &error);
            messages.print();
            Ending::Failure
        }
    }
}

fn write_pages(command: &clap::Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut left = vec![command];
    while let Some(command) = left.pop() {
        let page = page(command);
        let mut out = Vec::new();
        page.render(&mut out)?;
        write_file(&directory.join(page.get_filename()), &out)?;
        let commands = command.get_subcommands();
        left.extend(commands.filter(|command| !command.is_hide_set()));
    }
    Ok(())
}

/// The page of a command, with the version in its footer.
fn page(command: &clap::Command) -> Man {
    let source = concat!("spv ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source)
}
