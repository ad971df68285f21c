//! The module's header (specification, section 2.3). What keeps it from being
//! read at all is reported before anything else.

use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::rules::generated::{header, limit};

/// The words of the header that the findings are about.
const VERSION_WORD: u32 = 1;
const BOUND_WORD: u32 = 3;

pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if m.version > m.env.version {
        let message = format!(
            "the module's version of SPIR-V is {}, but {} accepts versions up to {}",
            m.version, m.env.target, m.env.version
        );
        reporter.add(Finding::new(&header::VERSION, VERSION_WORD, message));
    }
    let limit = m.options.limits.id_bound;
    if m.header.bound > limit {
        let message = format!(
            "the id bound is {}, but the limit is {limit}",
            m.header.bound
        );
        reporter.add(Finding::new(&limit::ID_BOUND, BOUND_WORD, message));
    }
}
