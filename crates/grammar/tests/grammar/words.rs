//! What stands in a module's header and operands as a word: versions, generators,
//! environments and masks.

use std::collections::HashMap;

use spirvkit_grammar::{
    Capability, Decoration, Enumeration, Generator, ImageOperands, LoopControl, MemoryAccess, Op,
    OperandKind, TargetEnv, Version,
};

#[test]
fn versions_read_and_write_their_word() {
    for (version, word, text) in [
        (Version::V1_0, 0x0001_0000, "1.0"),
        (Version::V1_3, 0x0001_0300, "1.3"),
        (Version::V1_6, 0x0001_0600, "1.6"),
        (Version::new(0, 0), 0, "0.0"),
        (Version::new(255, 255), 0x00ff_ff00, "255.255"),
    ] {
        assert_eq!(version.to_word(), word);
        assert_eq!(Version::from_word(word), Some(version));
        assert_eq!(version.to_string(), text);
    }
}

#[test]
fn a_version_word_with_outer_bytes_is_malformed() {
    for word in [
        0x0101_0000,
        0x8001_0600,
        0x0001_0001,
        0x0001_06ff,
        u32::MAX,
        1,
    ] {
        assert_eq!(Version::from_word(word), None, "{word:#x}");
    }
}

#[test]
fn versions_are_ordered_by_age() {
    let versions = [
        Version::V1_0,
        Version::V1_1,
        Version::V1_2,
        Version::V1_3,
        Version::V1_4,
        Version::V1_5,
        Version::V1_6,
        Version::new(1, 10),
        Version::new(2, 0),
    ];
    assert!(versions.is_sorted_by(|a, b| a < b));
}

#[test]
fn generators_split_their_word() {
    let generator = Generator(0x0008_000b);
    assert_eq!((generator.tool(), generator.version()), (8, 11));
    assert_eq!(Generator::new(8, 11), generator);
    assert_eq!(
        generator.name(),
        Some("Khronos Glslang Reference Front End")
    );
    assert_eq!(
        generator.to_string(),
        "Khronos Glslang Reference Front End; 11"
    );
    assert_eq!(Generator(0).to_string(), "Khronos; 0");
    assert_eq!(Generator(0xffff_0001).to_string(), "Unknown(65535); 1");
    assert_eq!(Generator(u32::MAX).to_string(), "Unknown(65535); 65535");
}

#[test]
fn every_generator_is_read_back_from_its_text() {
    let mut texts = HashMap::new();
    for tool in 0..=u16::MAX {
        for version in [0, 1, u16::MAX] {
            let generator = Generator::new(tool, version);
            let text = generator.to_string();
            assert_eq!(text.parse(), Ok(generator), "{text}");
            assert_eq!(
                texts.insert(text, generator),
                None,
                "two generators have one text"
            );
        }
    }
}

#[test]
fn a_name_registered_twice_stands_for_the_first_tool() {
    assert_eq!(Generator::tool_by_name("ARM"), Some(5));
    assert_eq!(Generator::new(5, 2).to_string(), "ARM; 2");
    let second = (6..=u16::MAX)
        .find(|&tool| Generator::new(tool, 0).name() == Some("ARM"))
        .unwrap();
    assert_eq!(
        Generator::new(second, 2).to_string(),
        format!("ARM({second}); 2")
    );
}

#[test]
fn texts_that_are_no_generator_are_refused() {
    for text in [
        "",
        ";",
        "Khronos",
        "Khronos;",
        "Khronos; x",
        "Khronos; -1",
        "Khronos; 65536",
        "khronos; 0",
        "Unknown(65536); 0",
        "Unknown(-1); 0",
        "Unknown(); 0",
        "Unknown; 0",
        "Unknown(1; 0",
    ] {
        assert!(text.parse::<Generator>().is_err(), "{text:?}");
    }
    assert_eq!("Khronos;7".parse(), Ok(Generator(7)));
    assert_eq!("  Khronos ;  7 ".parse(), Ok(Generator(7)));
}

#[test]
fn environments_have_the_newest_version_that_they_take() {
    let expected = [
        ("spv1.0", Version::V1_0),
        ("spv1.1", Version::V1_1),
        ("spv1.2", Version::V1_2),
        ("spv1.3", Version::V1_3),
        ("spv1.4", Version::V1_4),
        ("spv1.5", Version::V1_5),
        ("spv1.6", Version::V1_6),
        ("vulkan1.0", Version::V1_0),
        ("vulkan1.1", Version::V1_3),
        ("vulkan1.1spv1.4", Version::V1_4),
        ("vulkan1.2", Version::V1_5),
        ("vulkan1.3", Version::V1_6),
        ("vulkan1.4", Version::V1_6),
        ("opencl1.2", Version::V1_0),
        ("opencl1.2embedded", Version::V1_0),
        ("opencl2.0", Version::V1_0),
        ("opencl2.0embedded", Version::V1_0),
        ("opencl2.1", Version::V1_0),
        ("opencl2.1embedded", Version::V1_0),
        ("opencl2.2", Version::V1_2),
        ("opencl2.2embedded", Version::V1_2),
        ("opengl4.0", Version::V1_0),
        ("opengl4.1", Version::V1_0),
        ("opengl4.2", Version::V1_0),
        ("opengl4.3", Version::V1_0),
        ("opengl4.5", Version::V1_0),
    ];
    for (name, version) in expected {
        let environment: TargetEnv = name.parse().unwrap();
        assert_eq!(environment.version(), version, "{name}");
        assert_eq!(environment.name(), name);
        assert_eq!(environment.to_string(), name);
    }
    assert_eq!(TargetEnv::all().count(), expected.len());
    assert_eq!(TargetEnv::default().name(), "spv1.6");
    assert_eq!(TargetEnv::default().version(), Version::V1_6);
    for name in [
        "",
        "spv1.7",
        "SPV1.0",
        "vulkan",
        "vulkan1.3 ",
        "universal1.0",
    ] {
        assert!(name.parse::<TargetEnv>().is_err(), "{name:?}");
    }
}

#[test]
fn values_show_their_names_or_numbers() {
    assert_eq!(Capability::Shader.to_string(), "Shader");
    assert_eq!(format!("{:?}", Capability::Shader), "Shader");
    assert_eq!(Capability(60_000).to_string(), "Capability(60000)");
    assert_eq!(Decoration(u32::MAX).to_string(), "Decoration(4294967295)");
    assert_eq!(Op(65_535).to_string(), "Op(65535)");
    assert_eq!(Op::Load.to_string(), "OpLoad");
    assert_eq!(Capability(60_000).info().map(|info| info.name()), None);
    assert_eq!(Capability(60_000).name(), None);
}

#[test]
fn masks_show_the_names_of_their_bits_from_the_lowest_up() {
    assert_eq!(MemoryAccess(0).to_string(), "None");
    assert_eq!(MemoryAccess(1).to_string(), "Volatile");
    assert_eq!(MemoryAccess(3).to_string(), "Volatile|Aligned");
    assert_eq!(
        (MemoryAccess::Aligned | MemoryAccess::Volatile).to_string(),
        "Volatile|Aligned"
    );
    assert_eq!(ImageOperands(0x7).to_string(), "Bias|Lod|Grad");
    assert_eq!(
        LoopControl(0x13).to_string(),
        "Unroll|DontUnroll|MinIterations"
    );
    // An unassigned bit leaves the whole a number.
    assert_eq!(
        MemoryAccess(0x4000_0001).to_string(),
        "MemoryAccess(1073741825)"
    );
}

#[test]
fn masks_contain_their_bits() {
    let both = MemoryAccess::Volatile | MemoryAccess::Aligned;
    assert!(both.contains(MemoryAccess::Aligned));
    assert!(both.contains(both));
    assert!(both.contains(MemoryAccess(0)));
    assert!(!MemoryAccess::Aligned.contains(both));
    assert!(!both.contains(MemoryAccess::Nontemporal));
}

#[test]
fn enumerations_convert_from_names_and_values() {
    assert_eq!(Capability::from_name("Shader"), Some(Capability::Shader));
    assert_eq!(Capability::from_name("shader"), None);
    assert_eq!(Capability::from_value(1), Capability::Shader);
    assert_eq!(Capability::Shader.value(), 1);
    assert_eq!(<Capability as Enumeration>::KIND, OperandKind::Capability);
}
