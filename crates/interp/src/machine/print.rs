//! What invocations print.

use spirvkit_eval::Scalar;

use super::Shared;
use super::control::{Active, Gang};
use crate::program::{Print, Printed};

/// What stands at the end of output that was cut off.
const CUT: &str = "\n[more was printed]\n";

impl<const W: usize> Gang<W> {
    pub(crate) fn print(&mut self, shared: &mut Shared<'_>, active: &Active<W>, print: &Print) {
        for lane in active.lanes() {
            if shared.printed.len() >= shared.max_printed {
                return;
            }
            let mut text = String::new();
            for part in &print.parts {
                match part {
                    Printed::Text(part) => text.push_str(part),
                    Printed::Value(spec, components) => {
                        let components = components.iter();
                        let scalars: Vec<Scalar> = components
                            .map(|&(ty, columns)| self.scalar(ty, columns, lane))
                            .collect();
                        spec.write(&mut text, &scalars);
                    }
                }
            }
            let room = shared.max_printed - shared.printed.len();
            match text.len() <= room {
                true => shared.printed.push_str(&text),
                false => {
                    let end = (0..=room).rev().find(|&end| text.is_char_boundary(end));
                    shared.printed.push_str(&text[..end.unwrap_or(0)]);
                    shared.printed.push_str(CUT);
                    // Nothing more has room.
                    shared.max_printed = 0;
                }
            }
        }
    }
}
