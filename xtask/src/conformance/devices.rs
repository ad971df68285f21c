//! What real modules need of devices: exactly what `Requirements` says, and any device answers.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use spirvkit::validate::device_needs;
use spirvkit::vulkan::{Device, Need, Requirements};
use spirvkit::words_from_bytes;

use super::corpus::{collect, load};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively.
    folder: PathBuf,
    /// Files with devices, in the format of Vulkan's profiles, or folders of such files.
    #[arg(long = "device", value_name = "PATH")]
    devices: Vec<PathBuf>,
    /// How many failures to show.
    #[arg(long, default_value_t = 10)]
    show: usize,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut devices: Vec<Device> = Device::profiles()
        .filter_map(|it| Device::profile(it.0))
        .collect();
    for path in &arguments.devices {
        for file in json_files(path)? {
            let text = fs::read_to_string(&file)?;
            let read = Device::from_json(&text);
            devices.extend(read.map_err(|error| format!("{}: {error}", file.display()))?);
        }
    }
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    let results: Vec<_> = files.par_iter().map(|file| check(file, &devices)).collect();
    let mut accepted = vec![0; devices.len()];
    let (mut checked, mut unreadable, mut failures) = (0, 0, Vec::new());
    for (file, result) in files.iter().zip(results) {
        match result {
            None => unreadable += 1,
            Some(Ok(taken)) => {
                checked += 1;
                for (count, is_taken) in accepted.iter_mut().zip(taken) {
                    *count += usize::from(is_taken);
                }
            }
            Some(Err(why)) => failures.push(format!("{}: {why}", file.display())),
        }
    }
    for failure in failures.iter().take(arguments.show) {
        println!("{failure}");
    }
    for (device, count) in devices.iter().zip(accepted) {
        println!("{}: takes {count} of {checked} modules", device.name());
    }
    println!(
        "{checked} passed, {} failed, {unreadable} unreadable",
        failures.len()
    );
    match failures.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} modules need something else than is said",
            failures.len()
        )
        .into()),
    }
}

fn json_files(path: &Path) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Which devices take a module, if it can be read; an error if what it requires isn't exact.
fn check(file: &Path, devices: &[Device]) -> Option<Result<Vec<bool>, String>> {
    let (words, _) = words_from_bytes(&load(file).ok()?).ok()?;
    let needs = device_needs(&words).ok()?;
    let takes = |device: &Device| needs.iter().all(|need| need.is_met_by(device));
    let exact = exact(&needs);
    Some(exact.map(|()| devices.iter().map(takes).collect()))
}

/// Whether a device with what a module requires takes it, and none with less.
fn exact(needs: &[Need]) -> Result<(), String> {
    let required = Requirements::of_needs(needs.to_vec());
    let device = &required.device;
    let takes = |device: &Device| {
        let mut left = needs.iter().filter(|need| !need.is_met_by(device));
        left.all(|need| required.unmet.contains(need))
    };
    if !takes(device) {
        return Err("what is required is not enough".to_owned());
    }
    let without = |what: &str, change: &dyn Fn(&mut Device)| {
        let mut less = device.clone();
        change(&mut less);
        match takes(&less) {
            true => Err(format!("{what} is not necessary")),
            false => Ok(()),
        }
    };
    for feature in device.features() {
        without(feature.name(), &|device| device.remove_feature(feature))?;
    }
    for name in device.extensions() {
        without(name, &|device| device.remove_extension(name))?;
    }
    for (limit, _) in device.limits() {
        without(limit.name(), &|device| device.remove_limit(limit))?;
    }
    for (structure, list) in device.lists() {
        for index in 0..list.len() {
            without(structure, &|device| device.remove_entry(structure, index))?;
        }
    }
    match device.version() {
        (1, minor @ 1..) => without("the version", &|device| device.set_version((1, minor - 1))),
        _ => Ok(()),
    }
}
