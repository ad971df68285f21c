//! `--device`, `--enable`, `--limit`.

use serde_json::json;

use super::objects;
use crate::common::Dir;

/// A shader of 16 × 16 invocations with 64-bit integers.
const WIDE: &str = "\
; SPIR-V
; Version: 1.3
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 16 16 1
%void = OpTypeVoid
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
";

/// A report of a device of this name, with 64-bit integers or not.
fn report(name: &str, has_int64: bool) -> String {
    let report = json!({
        "profiles": {name: {"api-version": "1.1.0", "capabilities": ["device"]}},
        "capabilities": {"device": {
            "features": {"VkPhysicalDeviceFeatures": {"shaderInt64": has_int64, "geometryShader": true}},
            "properties": {"VkPhysicalDeviceProperties": {"limits": {
                "maxComputeWorkGroupInvocations": 256,
                "maxComputeWorkGroupSize": [256, 256, 64]
            }}}
        }}
    });
    report.to_string()
}

fn devices() -> Dir {
    let dir = Dir::new();
    dir.write("a.spvasm", WIDE);
    dir.module("a.spv", WIDE);
    dir.write("devices/narrow.json", report("narrow", false));
    dir.write("devices/wide.json", report("wide", true));
    dir
}

#[test]
fn a_device_takes_a_module_or_not() {
    let dir = devices();
    for module in ["a.spv", "a.spvasm"] {
        let ran = dir.spv(&["val", "--device", "devices/wide.json", module]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        let ran = dir.spv(&["val", "--device", "devices/narrow.json", module]);
        assert_eq!(ran.code, 1);
        assert!(
            ran.stderr.contains("error[device.capability]"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("`shaderInt64`"), "{}", ran.stderr);
        assert!(ran.stderr.contains("`narrow`"), "{}", ran.stderr);
    }
}

#[test]
fn a_profile_has_what_every_device_of_its_version_has() {
    let dir = devices();
    let ran = dir.spv(&["val", "--device", "VP_ANDROID_15_requirements", "a.spv"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains("`maxComputeWorkGroupInvocations` of at least 256"),
        "{}",
        ran.stderr
    );
    dir.spv(&["val", "--device", "VP_KHR_roadmap_2023", "a.spv"])
        .fails(2, "VP_KHR_roadmap_2024");
}

#[test]
fn several_devices_are_a_matrix() {
    let dir = devices();
    let ran = dir.spv(&["val", "--device", "devices", "a.spv"]);
    let text = std::str::from_utf8(&ran.stdout).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(lines[0], "a.spv");
    assert_eq!(lines[1], "narrow  no");
    assert!(
        lines[2].starts_with("the capability `Int64` needs"),
        "{text}"
    );
    assert_eq!(lines[3], "wide    yes");
    assert_eq!(ran.code, 1);
    let ran = dir.spv(&["val", "--device", "devices", "--format", "json", "a.spvasm"]);
    let objects = objects(std::str::from_utf8(&ran.stdout).unwrap());
    let devices = &objects[0]["devices"];
    assert_eq!(devices[0]["accepted"], false);
    assert_eq!(
        devices[0]["lacks"][0]["vuid"],
        "VUID-VkShaderModuleCreateInfo-pCode-08740"
    );
    assert_eq!(
        devices[1],
        json!({"name": "wide", "accepted": true, "lacks": []})
    );
}

#[test]
fn only_what_is_enabled_counts() {
    let dir = devices();
    let with = |names: &str| {
        let arguments = [
            "val",
            "--device",
            "devices/wide.json",
            "--enable",
            names,
            "a.spv",
        ];
        dir.spv(&arguments)
    };
    assert_eq!(with("shaderInt64,geometryShader").code, 0);
    assert_eq!(with("geometryShader").code, 1);
    with("shaderFloat64").fails(2, "doesn't have `shaderFloat64`");
    with("geometryShadr").fails(2, "did you mean `geometryShader`?");
}

#[test]
fn limits_of_ones_own_count_with_a_device_or_without() {
    let dir = devices();
    let with = |limit: &str| dir.spv(&["val", "--limit", limit, "a.spv"]);
    assert_eq!(with("maxComputeWorkGroupInvocations=256").code, 0);
    let ran = with("maxComputeWorkGroupInvocations=255");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error[device.limit]"), "{}", ran.stderr);
    assert_eq!(with("maxComputeWorkGroupSize=16,15,1").code, 1);
    with("maxComputeWorkGroupInvocation=1").fails(2, "did you mean");
    with("maxComputeWorkGroupInvocations").fails(2, "NAME=NUMBER");
    let ran = dir.spv(&[
        "val",
        "--device",
        "devices/wide.json",
        "--limit=maxComputeWorkGroupInvocations=128",
        "a.spv",
    ]);
    assert_eq!(ran.code, 1);
}

#[test]
fn devices_are_of_vulkan() {
    let dir = devices();
    let arguments = [
        "val",
        "--target-env",
        "spv1.3",
        "--device",
        "devices/wide.json",
        "a.spv",
    ];
    dir.spv(&arguments).fails(2, "devices are of Vulkan");
    dir.write("none.json", "{}");
    dir.spv(&["val", "--device", "none.json", "a.spv"])
        .fails(2, "`profiles`");
}

#[test]
fn the_least_that_a_device_must_have_is_told() {
    let dir = devices();
    let ran = dir.spv(&["info", "--requires", "a.spv"]);
    for line in [
        "Vulkan      1.1",
        "feature     shaderInt64 (VkPhysicalDeviceFeatures)",
    ] {
        assert!(ran.text().contains(line), "{}", ran.text());
    }
    let ran = dir.spv(&["info", "--requires", "--format", "json", "a.spv"]);
    let object = &objects(ran.text())[0];
    assert_eq!(object["version"], "1.1");
    assert_eq!(
        object["features"],
        json!({"VkPhysicalDeviceFeatures": ["shaderInt64"]})
    );
    assert_eq!(object["properties"]["maxComputeWorkGroupInvocations"], 256);
    let profiles = object["profiles"].as_array().unwrap();
    assert!(
        profiles.contains(&json!("VP_ANDROID_17_requirements")),
        "{object}"
    );
}

#[test]
fn entries_of_lists_are_required() {
    let dir = Dir::new();
    dir.module(
        "a.spv",
        "OpCapability Shader
         OpCapability CooperativeMatrixKHR
         OpMemoryModel Logical GLSL450
         %u32 = OpTypeInt 32 0
         %f16 = OpTypeFloat 16
         %0 = OpConstant %u32 0
         %3 = OpConstant %u32 3
         %8 = OpConstant %u32 8
         %a = OpTypeCooperativeMatrixKHR %f16 %3 %8 %8 %0",
    );
    let ran = dir.spv(&["info", "--requires", "--format", "json", "a.spv"]);
    let object = &objects(ran.text())[0];
    let entry = json!({
        "MSize": 8,
        "KSize": 8,
        "AType": "VK_COMPONENT_TYPE_FLOAT16_KHR",
        "scope": "VK_SCOPE_SUBGROUP_KHR"
    });
    assert_eq!(
        object["lists"],
        json!({"VkCooperativeMatrixPropertiesKHR": [entry]})
    );
    let ran = dir.spv(&["info", "--requires", "a.spv"]);
    let line =
        "entry       VkCooperativeMatrixPropertiesKHR (AType: \"VK_COMPONENT_TYPE_FLOAT16_KHR\"";
    assert!(ran.text().contains(line), "{}", ran.text());
}
