//! `--device`, `--enable` and `--limit`: what modules are meant to run on.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use spirvkit::TargetEnv;
use spirvkit::diagnostics::closest;
use spirvkit::vulkan::{Device, Feature, Limit, Value};

use crate::exit::UsageError;

/// The devices that modules are checked for.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Devices")]
pub(crate) struct DeviceArguments {
    /// Check what this Vulkan device has: a file with a profile or a report in the format of
    /// Vulkan's profiles, a directory of such files, or a built-in profile such as
    /// VP_KHR_roadmap_2024; can be given several times
    #[arg(long = "device", value_name = "FILE|PROFILE")]
    devices: Vec<PathBuf>,

    /// Of the devices' features and extensions, only these are turned on; by default all
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "devices")]
    enable: Vec<String>,

    /// Check against this limit, of the devices or, without any, of one's own; such as
    /// maxComputeWorkGroupInvocations=256, or maxComputeWorkGroupSize=64,64,1
    #[arg(long = "limit", value_name = "LIMIT=N")]
    limits: Vec<String>,
}

impl DeviceArguments {
    /// The devices, in the order in which they are given.
    pub(crate) fn devices(&self) -> Result<Vec<Device>, UsageError> {
        let mut devices = Vec::new();
        for name in &self.devices {
            devices.extend(named(name)?);
        }
        if !self.enable.is_empty() {
            let names = || self.enable.iter().map(String::as_str);
            if let Some(unknown) = names().find(|name| !is_known(name)) {
                return Err(UsageError(unknown_feature(unknown)));
            }
            for device in &mut devices {
                let enabled = device.with_only(names());
                *device = enabled.map_err(|error| {
                    UsageError(format!("`--enable`: {}: {error}", device.name()))
                })?;
            }
        }
        if devices.is_empty() && !self.limits.is_empty() {
            devices.push(Device::with_everything("--limit"));
        }
        for text in &self.limits {
            let (limit, value) = limit(text)?;
            for device in &mut devices {
                device.set_limit(limit, value.clone());
            }
        }
        Ok(devices)
    }
}

/// The environment to check for: one that is given, or that of the devices' newest version.
pub(crate) fn environment(
    given: Option<TargetEnv>,
    devices: &[Device],
) -> Result<TargetEnv, UsageError> {
    if let Some(env) = given {
        return match devices.is_empty() || env.name().starts_with("vulkan") {
            true => Ok(env),
            false => Err(UsageError(format!(
                "devices are of Vulkan, and `{env}` is another environment"
            ))),
        };
    }
    let Some(newest) = devices.iter().map(Device::version).max() else {
        return Ok(TargetEnv::default());
    };
    // The last one that is no newer; a list of limits has no version.
    let versions = TargetEnv::all().filter_map(|env| Some((env, vulkan_version(env)?)));
    let known = versions.filter(|(_, version)| *version <= newest).last();
    Ok(known.map_or(TargetEnv::default(), |known| known.0))
}

/// The version of Vulkan that an environment is of, without extensions.
fn vulkan_version(env: TargetEnv) -> Option<(u32, u32)> {
    let (major, minor) = env.name().strip_prefix("vulkan")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn is_known(name: &str) -> bool {
    name.starts_with("VK_") || Feature::named(name).is_some()
}

fn unknown_feature(name: &str) -> String {
    let like = closest(name, Feature::all().map(Feature::name));
    match like {
        Some(like) => format!("`--enable`: there is no feature `{name}`; did you mean `{like}`?"),
        None => format!("`--enable`: there is no feature `{name}`"),
    }
}

/// The devices of a file, those of the files in a directory, or a profile.
fn named(name: &Path) -> Result<Vec<Device>, UsageError> {
    if name.is_dir() {
        let failure = |error| UsageError(format!("{}: {error}", name.display()));
        let mut files = Vec::new();
        for entry in fs::read_dir(name).map_err(failure)? {
            let path = entry.map_err(failure)?.path();
            if path.extension().is_some_and(|it| it == "json") {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() {
            let message = format!("{}: there is no file *.json in it", name.display());
            return Err(UsageError(message));
        }
        let each: Result<Vec<_>, _> = files.iter().map(|path| read(path)).collect();
        return Ok(each?.concat());
    }
    if name.exists() {
        return read(name);
    }
    let profile = name.to_str().and_then(Device::profile);
    profile.map(|device| vec![device]).ok_or_else(|| {
        let all: Vec<&str> = Device::profiles().map(|it| it.0).collect();
        UsageError(format!(
            "there is neither a file nor a profile `{}`; the profiles are {}",
            name.display(),
            all.join(", ")
        ))
    })
}

fn read(path: &Path) -> Result<Vec<Device>, UsageError> {
    let text = fs::read_to_string(path)
        .map_err(|error| UsageError(format!("{}: {error}", path.display())))?;
    Device::from_json(&text).map_err(|error| UsageError(format!("{}: {error}", path.display())))
}

/// `NAME=N`, or `NAME=X,Y,Z`.
fn limit(text: &str) -> Result<(Limit, Value), UsageError> {
    let wrong = || UsageError(format!("`--limit {text}`: write it as NAME=NUMBER"));
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let Some(limit) = Limit::named(name) else {
        let like = closest(name, Limit::all().map(Limit::name));
        let like = like.map_or(String::new(), |like| format!("; did you mean `{like}`?"));
        return Err(UsageError(format!("there is no limit `{name}`{like}")));
    };
    let numbers: Result<Vec<f64>, _> = value.split(',').map(str::parse).collect();
    let value = match numbers.map_err(|_| wrong())?.as_slice() {
        [number] => Value::Number(*number),
        numbers => Value::Each(numbers.to_vec()),
    };
    Ok((limit, value))
}
