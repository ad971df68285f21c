//! What versions, capabilities and extensions need (the sections "Versions and Formats",
//! "Capabilities", "Extensions").

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::{Capability, Op, Version};

use super::{Need, Wanted, feature};
use crate::tables::{Enable, capability_enables, extension_enables};

/// The first version of Vulkan that takes each version of SPIR-V, or an extension that does.
const VERSIONS: &[(Version, &[Enable])] = &[
    (Version::V1_3, &[Enable::Version(1, 1)]),
    (
        Version::V1_4,
        &[Enable::Version(1, 2), Enable::Extension("VK_KHR_spirv_1_4")],
    ),
    (Version::V1_5, &[Enable::Version(1, 2)]),
    (Version::V1_6, &[Enable::Version(1, 3)]),
];

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    let version = m.header.version;
    if version > Version::V1_0 {
        let known = VERSIONS.iter().find(|(last, _)| version <= *last);
        all.push(Need {
            offset: 0,
            vuid: "VUID-VkShaderModuleCreateInfo-pCode-08737",
            what: format!("SPIR-V {version}"),
            wanted: Wanted::OneOf(known.map_or(Vec::new(), |known| known.1.to_vec())),
        });
    }
    for inst in m.all_instructions() {
        match inst.op() {
            Op::Capability => capability(inst.offset(), inst.arg(0), all),
            // All of them stand before it.
            Op::MemoryModel => break,
            _ => {}
        }
    }
    for (inst, name) in &m.extensions {
        let enables = extension_enables(name);
        all.push(Need {
            offset: inst.offset(),
            vuid: match enables {
                Some(_) => "VUID-VkShaderModuleCreateInfo-pCode-08742",
                None => "VUID-VkShaderModuleCreateInfo-pCode-08741",
            },
            what: format!("the extension `{name}`"),
            wanted: Wanted::OneOf(enables.unwrap_or_default().to_vec()),
        });
    }
}

fn capability(offset: u32, number: u32, all: &mut Vec<Need>) {
    let capability = Capability(number);
    let enables = capability_enables(number);
    all.push(Need {
        offset,
        vuid: match enables {
            Some(_) => "VUID-VkShaderModuleCreateInfo-pCode-08740",
            None => "VUID-VkShaderModuleCreateInfo-pCode-08739",
        },
        what: format!("the capability `{capability}`"),
        wanted: Wanted::OneOf(enables.unwrap_or_default().to_vec()),
    });
    if capability == Capability::InterpolationFunction {
        let mut wanted = feature("shaderSampleRateInterpolationFunctions");
        if let Wanted::OneOf(all) = &mut wanted {
            all.push(Enable::Without("VK_KHR_portability_subset"));
        }
        all.push(Need {
            offset,
            vuid: "VUID-RuntimeSpirv-shaderSampleRateInterpolationFunctions-06325",
            what: format!("the capability `{capability}`"),
            wanted,
        });
    }
}
