//! Runs the program as its users do.

mod amber;
mod as_;
mod cfg;
mod change;
mod classic;
mod classic_opt;
mod common;
mod debug;
mod debug_products;
mod diff;
mod dis;
mod explain;
mod extract;
mod forms;
mod generated;
mod hex;
mod info;
#[cfg(unix)]
mod interrupt;
mod layers;
mod layout;
mod link;
mod many;
mod merge;
mod messages;
mod names;
mod opt;
mod opt_passes;
mod output;
mod products;
mod proportion;
#[cfg(unix)]
mod readme;
#[cfg(unix)]
mod replacing;
mod run;
mod run_data;
mod run_explore;
mod run_images;
mod run_pipes;
mod specialize;
mod split;
mod strip;
#[cfg(unix)]
mod terminal;
mod val;
