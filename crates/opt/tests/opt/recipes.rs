//! Recipes, their passes, and what each ability does by itself.

use spirvkit_ir::Module;
use spirvkit_opt::classic::{ROWS, State};
use spirvkit_opt::{
    Abilities, Bisection, Changed, Context, Options, Pass, PassError, Recipe, RunError, Watch,
    bisect, optimize,
};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

use crate::frame::module;

/// A module with something for each ability.
fn everything() -> String {
    module(
        "",
        "%unused_type = OpTypeVector %int 2
%unused_constant = OpConstant %int 77
%unused = OpVariable %own_float Private
%takes = OpTypeFunction %float %float
",
        "%x = OpVariable %to_float Function
%once = OpLoad %float %a
OpStore %p %once
%again = OpLoad %float %p
OpStore %x %again
%held = OpLoad %float %x
%same1 = OpFAdd %float %held %held
%same2 = OpFAdd %float %held %held
%simple = OpFMul %float %same1 %f1
%dead = OpFSub %float %same2 %f2
OpStore %o %f2
OpStore %o %simple
%called = OpFunctionCall %float %callee %same2
%into = OpAccessChain %in_data %data %0 %0
OpStore %into %called
OpSelectionMerge %behind None
OpBranchConditional %true %yes %behind
%yes = OpLabel
OpBranch %behind
%behind = OpLabel
%condition = OpFOrdLessThan %bool %once %f1
OpSelectionMerge %merge None
OpBranchConditional %condition %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%chosen = OpPhi %float %f1 %behind %f2 %then
%second = OpAccessChain %in_data %data %0 %1
OpStore %second %chosen
OpBranch %last
%last = OpLabel
OpReturn
OpFunctionEnd
%callee = OpFunction %float None %takes
%parameter = OpFunctionParameter %float
%callee_entry = OpLabel
%doubled = OpFAdd %float %parameter %parameter
OpReturnValue %doubled
OpFunctionEnd
%never = OpFunction %float None %takes
%never_parameter = OpFunctionParameter %float
%never_entry = OpLabel
OpReturnValue %never_parameter",
    )
}

#[track_caller]
fn valid(words: &[u32]) {
    let report = validate(words, &Default::default());
    assert!(
        report.is_valid(),
        "{:#?}\n{}",
        report.diagnostics(),
        text(words)
    );
}

fn with(abilities: Abilities) -> Vec<u32> {
    let before = words(&everything());
    valid(&before);
    let recipe = |name: &str| Recipe::parse(name).unwrap();
    // Only what is in both is done.
    let options = Options::default().abilities(abilities);
    let name = "eliminate-dead-code-aggressive";
    let _ = recipe(name);
    let after = optimize(&before, &options).unwrap().words;
    valid(&after);
    after
}

fn count(words: &[u32], what: &str) -> usize {
    text(words)
        .lines()
        .filter(|line| line.contains(what))
        .count()
}

#[test]
fn each_ability_does_its_own_and_nothing_else() {
    let before = words(&everything());
    // The ability, what there are fewer of with it, and what there are as many of.
    let cases: [(Abilities, &str, &[&str]); 14] = [
        (
            Abilities::INLINE,
            "OpFunctionCall",
            &["OpFSub", "OpSelectionMerge"],
        ),
        (Abilities::LOCALIZE, "OpVariable %_ptr_Private", &["OpFSub"]),
        (
            Abilities::PROMOTE,
            "OpVariable %_ptr_Function",
            &["OpFAdd", "OpFMul", "OpFSub"],
        ),
        (
            Abilities::MERGE,
            "OpFAdd",
            &["OpFMul", "OpFSub", "OpStore", "OpVariable"],
        ),
        (
            Abilities::SIMPLIFY,
            "OpFMul",
            &["OpFAdd", "OpFSub", "OpStore", "OpVariable"],
        ),
        (
            Abilities::FORWARD,
            "OpLoad",
            &["OpFAdd", "OpStore", "OpVariable"],
        ),
        (
            Abilities::DEAD_STORES,
            "OpStore",
            &["OpFAdd", "OpFMul", "OpLoad"],
        ),
        (
            Abilities::DEAD_CODE,
            "OpFSub",
            &["OpFMul", "OpFunction ", "OpVariable %_ptr_Private"],
        ),
        (
            Abilities::CUT_BRANCHES,
            "OpSelectionMerge",
            &["OpFSub", "OpStore"],
        ),
        (Abilities::SELECT, "OpPhi", &["OpFSub", "OpStore"]),
        (
            Abilities::JOIN,
            "OpLabel",
            &["OpFSub", "OpPhi", "OpSelectionMerge"],
        ),
        (
            Abilities::DEAD_FUNCTIONS,
            "OpFunction ",
            &["OpFSub", "OpVariable", "OpType"],
        ),
        (
            Abilities::DEAD_VARIABLES,
            "OpVariable",
            &["OpFunction ", "OpConstant", "OpType"],
        ),
        (
            Abilities::DEAD_CONSTANTS,
            "OpConstant",
            &["OpVariable", "OpFunction ", "OpType"],
        ),
    ];
    for (ability, gone, kept) in cases {
        let after = with(ability);
        let counts = |what: &str| (count(&before, what), count(&after, what));
        let (had, has) = counts(gone);
        assert!(has < had, "{ability}: {gone}\n{}", text(&after));
        for what in kept {
            let (had, has) = counts(what);
            assert_eq!(had, has, "{ability}: {what}\n{}", text(&after));
        }
    }
    let after = with(Abilities::DEAD_DECLARATIONS);
    assert!(count(&after, "OpTypeVector %int 2") < count(&before, "OpTypeVector %int 2"));
    let nothing = with(Abilities::NONE);
    for what in [
        "OpFunction ",
        "OpVariable",
        "OpConstant",
        "OpType",
        "OpFAdd",
        "OpLabel",
    ] {
        assert_eq!(count(&before, what), count(&nothing, what), "{what}");
    }
}

#[test]
fn all_abilities_have_names() {
    assert_eq!(Abilities::EACH.len(), 19);
    let all = Abilities::EACH
        .iter()
        .fold(Abilities::NONE, |all, &(it, _)| all | it);
    assert_eq!(all, Abilities::ALL);
    assert_eq!(
        (Abilities::ALL - Abilities::INLINE)
            .to_string()
            .split(", ")
            .count(),
        18
    );
}

#[test]
fn every_pass_leaves_a_valid_module_valid() {
    let before = words(&everything());
    for row in ROWS {
        let argument = match row.name {
            "modify-maximal-reconvergence" => "=add",
            "set-spec-const-default-value" => "=1:2",
            "switch-descriptorset" => "=0:3",
            "convert-to-sampled-image" => "=0:9",
            "struct-packing" => continue,
            _ if row.argument.is_some() && !row.argument_is_optional() => "=4",
            _ => "",
        };
        let flag = format!("--{}{argument}", row.name);
        let recipe = Recipe::parse(&flag).unwrap();
        let after = recipe.run(&before, &Options::default());
        let after = after
            .unwrap_or_else(|error| panic!("{flag}: {error}"))
            .words;
        valid(&after);
        if row.state() == State::Nothing {
            assert_eq!(after, before, "{flag}");
        }
    }
    for recipe in [
        Recipe::size(),
        Recipe::performance(),
        Recipe::legalize_hlsl(),
    ] {
        valid(&recipe.run(&before, &Options::default()).unwrap().words);
    }
    assert_eq!(Recipe::legalize_hlsl().len(), 6);
}

#[test]
fn names_are_sorted_and_once_there() {
    for pair in ROWS.windows(2) {
        assert!(pair[0].name < pair[1].name, "{}", pair[1].name);
    }
}

#[test]
fn lists_are_read_with_comments_commas_and_quotes() {
    let names = |text: &str| {
        let recipe = Recipe::parse(text);
        recipe.map(|it| {
            it.passes()
                .map(|pass| pass.name().to_owned())
                .collect::<Vec<_>>()
        })
    };
    let expected = ["merge-blocks", "size", "set-spec-const-default-value"];
    let text = "--merge-blocks, -Os # --ccp\n\"set-spec-const-default-value=1:2 3:4\"";
    assert_eq!(names(text).unwrap(), expected);
    assert_eq!(names("# nothing").unwrap(), [""; 0]);
    let error = |text| names(text).unwrap_err().to_string();
    assert_eq!(error("--merge"), "there is no pass `--merge`");
    assert_eq!(
        error("merge-blocks=1"),
        "`merge-blocks`: it takes no argument"
    );
    assert_eq!(
        error("switch-descriptorset"),
        "`switch-descriptorset`: it needs an argument: FROM:TO"
    );
    assert_eq!(
        error("reduce-load-size=x"),
        "`reduce-load-size`: `x` is no ratio"
    );
}

/// Counts what it sees, and fails if it is told to.
struct Own {
    fails: bool,
}

impl Pass for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn run(&self, module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
        match self.fails {
            true => Err(PassError::new("it doesn't want to")),
            false => {
                module.set_bound(module.header().bound + 1);
                Ok(Changed::Yes)
            }
        }
    }
}

#[derive(Default)]
struct Names(Vec<String>);

impl Watch for Names {
    fn before(&mut self, pass: &dyn Pass, _: &Module) -> Result<(), PassError> {
        self.0.push(format!("before {}", pass.name()));
        Ok(())
    }

    fn after(&mut self, pass: &dyn Pass, _: &Module, changed: Changed) -> Result<(), PassError> {
        self.0.push(format!("after {}: {changed:?}", pass.name()));
        Ok(())
    }
}

#[test]
fn own_passes_run_among_others_and_somebody_may_watch() {
    let before = words(&everything());
    let mut recipe = Recipe::parse("compact-ids").unwrap();
    recipe.push(Own { fails: false });
    let mut names = Names::default();
    let done = recipe
        .run_watched(&before, &Options::default(), &mut names)
        .unwrap();
    let compact = recipe.first(1).run(&before, &Options::default()).unwrap();
    assert_eq!(done.words[3], compact.words[3] + 1);
    assert_eq!(
        names.0,
        [
            "before compact-ids",
            "after compact-ids: Yes",
            "before own",
            "after own: Yes"
        ]
    );
    recipe.push(Own { fails: true });
    let error = recipe.run(&before, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "own: it doesn't want to");
    assert!(matches!(error, RunError::Pass { .. }));
}

#[test]
fn the_first_pass_and_the_first_change_that_break_something_are_found() {
    let before = words(&everything());
    let recipe =
        Recipe::parse("merge-blocks eliminate-dead-functions simplify-instructions compact-ids");
    let recipe = recipe.unwrap();
    let options = Options::default();
    let mut tries = 0;
    let found = bisect(&recipe, &before, &options, &mut |words| {
        tries += 1;
        count(words, "OpFMul") > 0
    });
    let Ok(Bisection::Found(culprit)) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        (culprit.number, &*culprit.pass),
        (2, "simplify-instructions")
    );
    assert_eq!(culprit.change, Some(1), "main is the first function");
    assert!(count(&culprit.before, "OpFMul") > 0 && count(&culprit.after, "OpFMul") == 0);
    assert!(tries <= 8, "{tries}");
    let never = bisect(&recipe, &before, &options, &mut |_| true);
    assert_eq!(never, Ok(Bisection::NeverFails));
    let before_all = bisect(&recipe, &before, &options, &mut |_| false);
    assert_eq!(before_all, Ok(Bisection::FailsBefore));
}

#[test]
fn remarks_say_what_was_done_and_what_was_not() {
    let options = Options::default().remarks(true);
    let remarks = optimize(&words(&everything()), &options).unwrap().remarks;
    let said: Vec<String> = remarks
        .iter()
        .map(|it| format!("{} {} {}", it.subject.name(), it.done, it.what))
        .collect();
    for expected in [
        "call true inlined",
        "variable true made values",
        "selection true made OpSelect, because it only chooses values",
        "selection true removed, because nothing needs what it does",
    ] {
        assert!(
            said.iter().any(|it| it == expected),
            "{expected}: {said:#?}"
        );
    }
    let none = optimize(&words(&everything()), &Options::default()).unwrap();
    assert_eq!(none.remarks, []);
}

#[test]
fn what_changes_results_is_known_by_name() {
    let changing = ROWS.iter().filter(|row| !row.keeps_results());
    assert_eq!(changing.count(), 15, "all of them are in the table");
}
