//! The smallest device that a module needs.

use spirvkit_analysis::ModuleIndex;

use crate::device::{Device, version_named};
use crate::needs::{Listed, Need, Wanted, needs, total};
use crate::tables::{Enable, Feature, Limit};
use crate::value::Value;

/// What a device must have at least, so that a module may be used with it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Requirements {
    /// A device with exactly that: its version of Vulkan, features, extensions, and the limits
    /// that are above what all devices of the version have. Without any of it, the module isn't
    /// accepted. Where there was a choice, it is one of several that are as small.
    pub device: Device,
    /// What no device has.
    pub unmet: Vec<Need>,
    /// What a device can have.
    needs: Vec<Need>,
}

/// The newest versions of Vulkan.
const VERSIONS: [(u32, u32); 5] = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)];

impl Requirements {
    /// What [`needs`] says of a module.
    pub fn of(m: &ModuleIndex<'_>) -> Self {
        Self::of_needs(needs(m))
    }

    /// What meets needs, such as those that `spirvkit-validate` knows of a module beside these.
    pub fn of_needs(needs: Vec<Need>) -> Self {
        let (unmet, mut needs): (Vec<Need>, Vec<Need>) = needs.into_iter().partition(is_impossible);
        // What leaves no choice comes first.
        needs.sort_by_key(|need| match &need.wanted {
            Wanted::OneOf(all) => all.len(),
            // An entry that says more may be one that others ask for, too.
            Wanted::Listed(all) => {
                let members = all.first().map_or(0, |it| it.members.len());
                usize::MAX - 1 - members
            }
            _ => usize::MAX,
        });
        let mut device = Device::new("the smallest device", VERSIONS[0]);
        for need in &needs {
            if !is_certain(&need.wanted, &device) {
                add(&need.wanted, &mut device);
            }
        }
        prune(&needs, &mut device);
        Self {
            device,
            unmet,
            needs,
        }
    }

    /// The profiles that are built in and have all of it.
    pub fn profiles(&self) -> Vec<&'static str> {
        let fits = |name: &&str| {
            let device = Device::profile(name);
            self.unmet.is_empty() && device.is_some_and(|device| accepts(&self.needs, &device))
        };
        let names = Device::profiles().map(|it| it.0);
        names.filter(fits).collect()
    }
}

fn is_impossible(need: &Need) -> bool {
    matches!(&need.wanted, Wanted::OneOf(all) if all.is_empty())
}

fn accepts(needs: &[Need], device: &Device) -> bool {
    needs.iter().all(|need| need.is_met_by(device))
}

/// Whether a device has what is wanted, rather than that it isn't known.
fn is_certain(wanted: &Wanted, device: &Device) -> bool {
    let is_known = |all: &[Listed]| all.iter().any(|it| device.list(it.structure).is_some());
    match wanted {
        Wanted::Listed(all) if !is_known(all) => false,
        Wanted::Either(all) => all.iter().any(|it| is_certain(it, device)),
        _ => wanted.is_met_by(device),
    }
}

/// Adds to a device what meets a need.
fn add(wanted: &Wanted, device: &mut Device) {
    match wanted {
        Wanted::OneOf(all) => {
            let cheapest = all.iter().min_by_key(|enable| cost(**enable, device));
            if let Some(&enable) = cheapest {
                add_enable(enable, device);
            }
        }
        &Wanted::Reach {
            limit,
            dimension,
            value,
        } => {
            let old = device.limit(limit);
            let new = match old {
                Some(Value::Each(mut all)) => {
                    if let Some(slot) = all.get_mut(dimension) {
                        *slot = value;
                    }
                    Value::Each(all)
                }
                _ => Value::Number(value),
            };
            device.set_limit(limit, new);
        }
        Wanted::Total { limit, terms } => {
            let value = total(terms, device) as f64;
            device.set_limit(*limit, Value::Number(value));
        }
        Wanted::Multiple { limit, value } => {
            let old = device.limit(*limit).and_then(|it| it.number(0));
            let divisor = common_divisor(old.unwrap_or(0.0) as u64, *value);
            device.set_limit(*limit, Value::Number(divisor as f64));
        }
        // What nobody tells is met: it was told otherwise, for another need.
        Wanted::Told { property, values } => {
            let value = match (*values, device.limit(*property)) {
                (["VK_TRUE"], _) => Value::Bool(true),
                (values, Some(Value::Names(mut all))) => {
                    all.extend(values.first().map(|&it| it.to_owned()));
                    Value::Names(all)
                }
                (values, _) => {
                    Value::Names(values.iter().take(1).map(|&it| it.to_owned()).collect())
                }
            };
            device.set_limit(*property, value);
        }
        Wanted::Listed(all) => {
            if let Some(first) = all.first() {
                device.add_entry(first.structure, first.entry());
            }
        }
        // It was asked whether one of them is there.
        Wanted::Either(all) => {
            if let Some(last) = all.last() {
                add(last, device);
            }
        }
    }
}

/// The greatest number of which both are multiples.
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// How much more a device would have: nothing, a feature, an extension, or a later version.
fn cost(enable: Enable, device: &Device) -> u32 {
    let bringing = |requires: &[&str]| match requires.is_empty()
        || requires.iter().any(|it| device.brings(it))
    {
        true => 0,
        false if requires.iter().any(|it| version_named(it).is_none()) => 2,
        false => 4,
    };
    match enable {
        Enable::Version(..) => 4,
        Enable::Extension(_) => 2,
        Enable::Without(_) | Enable::Lacking { .. } => 0,
        Enable::Feature { feature, requires } => {
            u32::from(!device.has(Feature(feature))) + bringing(requires)
        }
        Enable::Property { requires, .. } => 1 + bringing(requires),
    }
}

fn add_enable(enable: Enable, device: &mut Device) {
    match enable {
        Enable::Version(major, minor) => device.set_version((major, minor).max(device.version())),
        Enable::Extension(name) => device.set_extension(name),
        Enable::Without(name) => device.remove_extension(name),
        Enable::Lacking { feature } => device.remove_feature(Feature(feature)),
        Enable::Feature { feature, requires } => {
            bring(requires, device);
            device.set_feature(Feature(feature));
        }
        Enable::Property {
            limit,
            value,
            requires,
        } => {
            bring(requires, device);
            let limit = Limit(limit);
            let new = match (value, device.limit(limit)) {
                ("VK_TRUE", _) => Value::Bool(true),
                (name, Some(Value::Names(mut all))) => {
                    all.push(name.to_owned());
                    Value::Names(all)
                }
                (name, _) => Value::Names(vec![name.to_owned()]),
            };
            device.set_limit(limit, new);
        }
    }
}

/// Adds an extension, or else a version, of these that bring something.
fn bring(requires: &[&'static str], device: &mut Device) {
    if requires.is_empty() || requires.iter().any(|it| device.brings(it)) {
        return;
    }
    let extension = requires.iter().find(|it| version_named(it).is_none());
    match (extension, requires.iter().find_map(|it| version_named(it))) {
        (Some(name), _) => device.set_extension(*name),
        (None, Some(version)) => device.set_version(version.max(device.version())),
        (None, None) => {}
    }
}

/// Takes away what turned out to be unnecessary.
fn prune(needs: &[Need], device: &mut Device) {
    for version in VERSIONS {
        let lower = |device: &mut Device| device.set_version(version.min(device.version()));
        if reduce(needs, device, lower) {
            break;
        }
    }
    for feature in device.features().collect::<Vec<Feature>>() {
        reduce(needs, device, |device| device.remove_feature(feature));
    }
    let extensions: Vec<String> = device.extensions().map(str::to_owned).collect();
    for name in extensions {
        reduce(needs, device, |device| device.remove_extension(&name));
    }
    let lists = device.lists();
    let lists: Vec<(String, usize)> = lists
        .map(|(name, list)| (name.to_owned(), list.len()))
        .collect();
    for (structure, count) in lists {
        for index in (0..count).rev() {
            reduce(needs, device, |device| {
                device.remove_entry(&structure, index)
            });
        }
    }
    for limit in device.limits().map(|it| it.0).collect::<Vec<Limit>>() {
        reduce(needs, device, |device| device.remove_limit(limit));
    }
}

/// Makes a device have less, unless it would have too little; whether it was enough.
fn reduce(needs: &[Need], device: &mut Device, change: impl FnOnce(&mut Device)) -> bool {
    let mut less = device.clone();
    change(&mut less);
    let is_enough = accepts(needs, &less);
    if is_enough {
        *device = less;
    }
    is_enough
}
