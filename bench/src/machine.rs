//! What the measurements ran on, and with what.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, thread};

/// The versions of all packages, as they were compiled.
const LOCK_FILE: &str = include_str!("../../Cargo.lock");

pub(crate) fn processor() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "model name");
    model.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

pub(crate) fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let version = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    version.map_or("unknown".to_owned(), |version| version.trim().to_owned())
}

/// The version of a package that this program was compiled with.
pub(crate) fn version_of(package: &str) -> &'static str {
    let name = format!("name = \"{package}\"");
    let mut lines = LOCK_FILE.lines().skip_while(|line| *line != name);
    let version = lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \""));
    version.map_or("unknown", |version| version.trim_end_matches('"'))
}

/// Today's date in UTC, as year, month and day.
pub(crate) fn date() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let (year, month, day) = date_of((now.as_secs() / 86_400) as i64);
    format!("{year}-{month:02}-{day:02}")
}

/// The date so many days after 1970-01-01, in the Gregorian calendar. Years are
/// counted from March here, so that the leap day is the last of its year.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
        assert_eq!(date_of(20_453), (2025, 12, 31));
    }

    #[test]
    fn versions() {
        assert_eq!(version_of("spirvkit"), env!("CARGO_PKG_VERSION"));
        assert_eq!(version_of("no-such-package"), "unknown");
    }
}
