//! Devices in JSON.
#![cfg(feature = "json")]

use spirvkit_vulkan::{Device, Feature, Limit, Value};

#[test]
fn a_report_is_read() {
    let text = r#"{
        "profiles": {
            "base": {"api-version": "1.1.0", "capabilities": ["a"]},
            "more": {"api-version": "1.3.204", "profiles": ["base"], "capabilities": [["a", "c"], "b"]}
        },
        "capabilities": {
            "a": {
                "extensions": {"VK_EXT_mesh_shader": 1},
                "features": {
                    "VkPhysicalDeviceMeshShaderFeaturesEXT": {"meshShader": true, "taskShader": false},
                    "VkPhysicalDeviceNobodyKnows": {"meshShader": true}
                },
                "properties": {"VkPhysicalDeviceProperties": {"limits": {"maxComputeWorkGroupSize": [8, 4, 2]}}}
            },
            "b": {
                "features": {"VkPhysicalDeviceMeshShaderFeaturesNV": {"taskShader": true}},
                "properties": {"VkPhysicalDeviceVulkan12Properties": {"shaderDenormPreserveFloat32": true}}
            },
            "c": {"features": {"VkPhysicalDeviceFeatures": {"geometryShader": true}}}
        }
    }"#;
    let devices = Device::from_json(text).unwrap();
    let [base, more] = &devices[..] else {
        panic!("{devices:?}");
    };
    assert_eq!((base.name(), base.version()), ("base", (1, 1)));
    assert_eq!(more.version(), (1, 3));
    let features: Vec<&str> = base.features().map(Feature::name).collect();
    assert_eq!(features, ["meshShader"]);
    let features: Vec<&str> = more.features().map(Feature::name).collect();
    assert_eq!(
        features,
        [
            "VkPhysicalDeviceMeshShaderFeaturesNV::taskShader",
            "meshShader"
        ]
    );
    assert!(more.has_extension("VK_EXT_mesh_shader"));
    let limit = more
        .limit(Limit::named("maxComputeWorkGroupSize").unwrap())
        .unwrap();
    assert_eq!(
        [0, 1, 2].map(|it| limit.number(it)),
        [Some(8.0), Some(4.0), Some(2.0)]
    );
    let property = more.limit(Limit::named("shaderDenormPreserveFloat32").unwrap());
    assert!(property.unwrap().contains("VK_TRUE"));
}

#[test]
fn what_is_no_profile_is_refused() {
    for (text, what) in [
        ("", "no JSON"),
        ("[]", "`profiles`"),
        (r#"{"profiles": {}}"#, "empty"),
        (r#"{"profiles": {"a": {}}}"#, "api-version"),
        (
            r#"{"profiles": {"a": {"api-version": "1.0.0", "capabilities": ["b"]}}}"#,
            "capabilities `b`",
        ),
    ] {
        let error = Device::from_json(text).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn profiles_that_are_built_in_have_what_they_say() {
    assert_eq!(Device::profiles().count(), 9);
    let device = Device::profile("VP_KHR_roadmap_2024").unwrap();
    assert_eq!(device.version(), (1, 3));
    // Of the profile that it is built on.
    assert!(device.has(Feature::named("fullDrawIndexUint32").unwrap()));
    assert!(device.has_extension("VK_KHR_shader_float_controls2"));
    assert!(Device::profile("VP_KHR_roadmap_2023").is_none());
}

#[test]
fn profiles_that_refer_to_each_other_count_once() {
    // Each of thirty names the next a thousand times, and the last names the first.
    let profile = |index: usize| {
        let next = vec![format!("\"p{}\"", (index + 1) % 30); 1_000].join(", ");
        format!(
            r#""p{index}": {{"api-version": "1.0.0", "profiles": [{next}], "capabilities": ["a"]}}"#
        )
    };
    let profiles: Vec<String> = (0..30).map(profile).collect();
    let text = format!(
        r#"{{"profiles": {{{}}}, "capabilities": {{"a": {{"extensions": {{"VK_KHR_spirv_1_4": 1}}}}}}}}"#,
        profiles.join(", ")
    );
    let devices = Device::from_json(&text).unwrap();
    assert_eq!(devices.len(), 30);
    assert!(
        devices
            .iter()
            .all(|it| it.has_extension("VK_KHR_spirv_1_4"))
    );
}

#[test]
fn extents_and_lists_are_read() {
    let text = r#"{
        "profiles": {"one": {"api-version": "1.3.0", "capabilities": ["a"]}},
        "capabilities": {"a": {"properties": {
            "VkPhysicalDeviceImageProcessingPropertiesQCOM": {
                "maxBoxFilterBlockSize": {"height": 8, "width": 4}
            },
            "VkCooperativeVectorPropertiesNV": [
                {"inputType": "VK_COMPONENT_TYPE_FLOAT16_KHR", "transpose": true},
                {"inputType": "VK_COMPONENT_TYPE_FLOAT32_KHR", "transpose": false}
            ]
        }}}
    }"#;
    let [device] = &Device::from_json(text).unwrap()[..] else {
        panic!("one device");
    };
    let size = device.limit(Limit::named("maxBoxFilterBlockSize").unwrap());
    assert_eq!(size, Some(Value::Each(vec![4.0, 8.0])));
    let list = device.list("VkCooperativeVectorPropertiesNV").unwrap();
    let transposes: Vec<&Value> = list.iter().map(|entry| &entry["transpose"]).collect();
    assert_eq!(transposes, [&Value::Bool(true), &Value::Bool(false)]);
    assert_eq!(device.list("VkCooperativeMatrixPropertiesKHR"), None);
}
