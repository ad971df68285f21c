//! `spv man`: manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;

use crate::cli;
use crate::exit::Ending;
use crate::output::write_file;
use crate::report::{self, Messages, Reporter};

/// Print the manual page, or write those of all subcommands
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Write spv.1 and a page for each subcommand into this directory
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

pub(crate) fn run(arguments: &Arguments) -> Ending {
    let mut command = cli::definition().disable_help_subcommand(true);
    command.build();
    let Some(directory) = &arguments.dir else {
        let mut page = Vec::new();
        return match Man::new(command).render(&mut page) {
            Ok(()) => report::print(&page),
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
    for command in std::iter::once(command).chain(command.get_subcommands()) {
        let man = Man::new(command.clone());
        let mut page = Vec::new();
        man.render(&mut page)?;
        write_file(&directory.join(man.get_filename()), &page)?;
    }
    Ok(())
}
