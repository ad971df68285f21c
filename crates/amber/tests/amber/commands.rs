//! What AmberScript does and expects, in the data model.

use spirvkit_amber::{
    Action, Area, Command, Comparator, DebugStep, Expect, Invocation, Likeness, Number, Tolerance,
    Topology, Unit, Work,
};

use super::{PIPELINES, amber};

fn commands(text: &str) -> Vec<Action> {
    let script = amber(&format!("{PIPELINES}{text}"));
    script.commands.into_iter().map(|it| it.action).collect()
}

fn command(text: &str) -> Action {
    let [action] = <[Action; 1]>::try_from(commands(text)).expect("one command");
    action
}

fn work(text: &str) -> Work {
    match command(text) {
        Action::Run(run) => run.work,
        other => panic!("{other:?}"),
    }
}

fn expect(text: &str) -> Expect {
    match command(text) {
        Action::Expect(expect) => expect,
        other => panic!("{other:?}"),
    }
}

#[test]
fn runs() {
    assert_eq!(work("RUN compute 1 2 3"), Work::Compute([1, 2, 3]));
    let area = Area {
        unit: Unit::Pixel,
        position: [1.0, 2.0],
        size: [3.0, 4.0],
    };
    let is_patch = false;
    assert_eq!(
        work("RUN graphics DRAW_RECT POS 1 2 SIZE 3 4"),
        Work::Rectangle { area, is_patch }
    );
    let cells = [5, 6];
    assert_eq!(
        work("RUN graphics DRAW_GRID POS 1 2 SIZE 3 4 CELLS 5 6"),
        Work::Grid { area, cells }
    );
    let plain = Work::Array {
        topology: Topology::TriangleList,
        is_indexed: false,
        first: 0,
        count: None,
        first_instance: 0,
        instances: 1,
    };
    assert_eq!(work("RUN graphics DRAW_ARRAY AS triangle_list"), plain);
    let full = Work::Array {
        topology: Topology::LineStripWithAdjacency,
        is_indexed: true,
        first: 1,
        count: Some(2),
        first_instance: 3,
        instances: 4,
    };
    let line = "RUN graphics DRAW_ARRAY AS LINE_STRIP_WITH_ADJACENCY INDEXED START_IDX 1 COUNT 2 START_INSTANCE 3 INSTANCE_COUNT 4";
    assert_eq!(work(line), full);
    let Action::Run(run) = command("RUN TIMED_EXECUTION compute 1 1 1") else {
        panic!("a run");
    };
    assert!(run.is_timed);
}

#[test]
fn clears_and_copies() {
    let all = commands(
        "CLEAR_COLOR graphics 255 0 51 255\nCLEAR_DEPTH graphics 0.5\nCLEAR_STENCIL graphics 9\nCLEAR graphics\nCOPY numbers TO others",
    );
    let [
        Action::ClearColor(pipeline, color),
        Action::ClearDepth(_, depth),
        Action::ClearStencil(_, stencil),
        Action::Clear(_),
        Action::Copy { from, to },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((pipeline.index(), color), (1, &[1.0, 0.0, 0.2, 1.0]));
    assert_eq!((*depth, *stencil), (0.5, 9));
    assert_eq!((from.index(), to.index()), (2, 3));
}

#[test]
fn expected_values() {
    for (word, comparator) in [
        ("EQ", Comparator::Equal),
        ("NE", Comparator::NotEqual),
        ("LT", Comparator::Less),
        ("LE", Comparator::LessOrEqual),
        ("GT", Comparator::Greater),
        ("GE", Comparator::GreaterOrEqual),
    ] {
        let Expect::Values {
            values,
            comparator: is,
            tolerances,
        } = expect(&format!("EXPECT numbers IDX 4 {word} 1 -2.5"))
        else {
            panic!("values");
        };
        assert_eq!(
            (is, values.offset, values.buffer.index()),
            (comparator, 4, 2)
        );
        assert_eq!(values.numbers, [Number::from(1), Number::Float(-2.5)]);
        assert!(tolerances.is_empty());
    }
    let Expect::Values { tolerances, .. } = expect("EXPECT numbers IDX 0 TOLERANCE 0.5 2% EQ 1")
    else {
        panic!("values");
    };
    assert_eq!(
        tolerances,
        [Tolerance::Absolute(0.5), Tolerance::Percent(2.0)]
    );
}

#[test]
fn expected_colors_and_buffers() {
    let Expect::Color {
        area,
        color,
        tolerances,
        ..
    } = expect("EXPECT image IDX 1 2 SIZE 3 4 EQ_RGBA 255 0 51 102 TOLERANCE 51 0 0 1%")
    else {
        panic!("a color");
    };
    let expected = Area {
        unit: Unit::Pixel,
        position: [1.0, 2.0],
        size: [3.0, 4.0],
    };
    assert_eq!((area, color), (Some(expected), vec![1.0, 0.0, 0.2, 0.4]));
    assert_eq!(
        tolerances[0],
        Tolerance::Absolute(0.2),
        "in the unit of the color"
    );
    assert_eq!(tolerances[3], Tolerance::Percent(1.0));
    let Expect::Color {
        color, tolerances, ..
    } = expect("EXPECT image IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3")
    else {
        panic!("a color");
    };
    assert_eq!((color.len(), tolerances.len()), (3, 0));

    for (line, likeness) in [
        ("image EQ_BUFFER reference", Likeness::Equal),
        (
            "numbers RMSE_BUFFER others TOLERANCE 0.5",
            Likeness::RootMeanSquareError(0.5),
        ),
        (
            "image EQ_HISTOGRAM_EMD_BUFFER reference TOLERANCE 0.005",
            Likeness::HistogramDistance(0.005),
        ),
    ] {
        let Expect::Buffers { likeness: is, .. } = expect(&format!("EXPECT {line}")) else {
            panic!("buffers");
        };
        assert_eq!(is, likeness);
    }
}

#[test]
fn repeats_nest() {
    let Action::Repeat { count, commands } =
        command("REPEAT 2\n  CLEAR graphics\n  REPEAT 3\n    RUN compute 1 1 1\n  END\nEND")
    else {
        panic!("a repetition");
    };
    let [
        Command {
            action: Action::Clear(_),
            ..
        },
        Command { action: inner, .. },
    ] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(count, 2);
    assert!(matches!(inner, Action::Repeat { count: 3, commands } if commands.len() == 1));
}

#[test]
fn debugged_runs() {
    let Action::Debug(run, threads) = command(
        "\
DEBUG compute 1 2 3
  THREAD GLOBAL_INVOCATION_ID 4 5 6
    STEP_IN
    STEP_OVER
    STEP_OUT
    EXPECT LOCATION \"a.hlsl\" 7 \"  x = \\\"y\\\";\"
    EXPECT LOCATION \"a.hlsl\" 8
    EXPECT LOCAL \"x.y\" EQ 1.5
    EXPECT CALLSTACK
      \"main\" \"a.hlsl\" 7
      \"C\" \"a.hlsl\"
    END
    CONTINUE
  END
  THREAD VERTEX_INDEX 1
  END
  THREAD FRAGMENT_WINDOW_SPACE_POSITION 2 3
  END
END",
    ) else {
        panic!("a debugged run");
    };
    assert_eq!(run.work, Work::Compute([1, 2, 3]));
    let invocations: Vec<Invocation> = threads.iter().map(|it| it.invocation).collect();
    let expected = [
        Invocation::Compute([4, 5, 6]),
        Invocation::Vertex(1),
        Invocation::Fragment([2, 3]),
    ];
    assert_eq!(invocations, expected);
    let steps = &threads[0].steps;
    let text = |step: &DebugStep| match step {
        DebugStep::ExpectLocation { line, text, .. } => (*line, text.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(&steps[3]), (7, Some("  x = \"y\";".to_owned())));
    assert_eq!(text(&steps[4]), (8, None));
    assert!(matches!(&steps[5], DebugStep::ExpectLocal { value, .. } if value == "1.5"));
    let DebugStep::ExpectCallstack(frames) = &steps[6] else {
        panic!("{steps:?}");
    };
    let lines: Vec<_> = frames
        .iter()
        .map(|it| (it.function.as_str(), it.line))
        .collect();
    assert_eq!(lines, [("main", Some(7)), ("C", None)]);
    assert_eq!(steps.len(), 8);
}

/// Who reports a failed command shows it.
#[test]
fn commands_have_their_places() {
    let text = format!("#!amber\n{PIPELINES}  RUN compute 1 1 1  # once\n");
    let script = super::read(&text);
    let span = script.commands[0].span;
    assert_eq!(&text[span.start..span.end], "RUN compute 1 1 1");
}
