// How rules are written. The generator of the matcher and the proofs read them with this.

use std::fmt;

/// What a rule rewrites, or makes of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// Any value: a name that begins with a small letter.
    Variable(String),
    /// A constant with the same bits in all components: a name of one capital letter.
    Constant(String),
    Literal(Literal),
    /// An operation, which may have a name: `y:(UConvert x)`.
    Operation {
        name: Option<String>,
        head: Head,
        operands: Vec<Term>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    /// Also of Booleans, as 0 and 1.
    Integer(i64),
    Float(f64),
    /// The least signed integer.
    Least,
    /// The greatest signed integer.
    Greatest,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Head {
    /// An opcode, without its `Op`.
    Core(String),
    /// An instruction of `GLSL.std.450`, written with `glsl.` in front.
    Glsl(String),
}

/// What conditions say of constants, types and uses, beside operations on constants with a
/// Boolean result.
pub(crate) const TESTS: [&str; 4] = ["wider", "same-width", "reciprocal", "once"];

/// What a rule doesn't hold with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unless {
    /// Denormal numbers flushed to zero.
    Flush,
    /// Rounding up or down.
    Directed,
}

/// What the operation that is replaced must permit.
pub(crate) const PERMISSIONS: [&str; 6] = ["nnan", "ninf", "nsz", "arcp", "contract", "reassoc"];

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The name of its file without the extension, and its line there.
    pub(crate) class: String,
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) pattern: Term,
    pub(crate) conditions: Vec<Term>,
    pub(crate) unless: Vec<Unless>,
    pub(crate) needs: Vec<String>,
    pub(crate) replacement: Term,
}

/// The rules of a file.
pub(crate) fn rules(class: &str, text: &str) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let rule = rule(class, index + 1, line);
        rules.push(rule.map_err(|error| format!("{class}.rules:{}: {error}", index + 1))?);
    }
    Ok(rules)
}

fn rule(class: &str, line: usize, text: &str) -> Result<Rule, String> {
    let (left, right) = text.split_once("=>").ok_or("there is no `=>`")?;
    let mut left = Tokens::new(left);
    let pattern = left.term()?;
    let mut rule = Rule {
        class: class.to_owned(),
        line,
        text: text.to_owned(),
        pattern,
        conditions: Vec::new(),
        unless: Vec::new(),
        needs: Vec::new(),
        replacement: Tokens::new(right).only_term()?,
    };
    while let Some(word) = left.next() {
        match word {
            "if" => rule.conditions.push(left.term()?),
            "unless" => rule.unless.push(match left.next() {
                Some("flush") => Unless::Flush,
                Some("directed") => Unless::Directed,
                other => return Err(format!("`unless` {other:?}")),
            }),
            "needs" => {
                let permission = left.next().unwrap_or_default();
                if !PERMISSIONS.contains(&permission) {
                    return Err(format!("there is no permission `{permission}`"));
                }
                rule.needs.push(permission.to_owned());
            }
            _ => return Err(format!("`{word}` is none of `if`, `unless`, `needs`, `=>`")),
        }
    }
    Ok(rule)
}

struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    fn new(rest: &'t str) -> Self {
        Self { rest }
    }

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start();
        let length = match rest.find(|c: char| c.is_whitespace() || "():".contains(c)) {
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        let (token, rest) = rest.split_at(length);
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }

    fn only_term(mut self) -> Result<Term, String> {
        let term = self.term()?;
        match self.next() {
            None => Ok(term),
            Some(word) => Err(format!("`{word}` behind the replacement")),
        }
    }

    fn term(&mut self) -> Result<Term, String> {
        let token = self.next().ok_or("a term is missing")?;
        if token == "(" {
            return self.operation(None);
        }
        if self.rest.starts_with(":(") {
            self.rest = &self.rest[2..];
            return self.operation(Some(token.to_owned()));
        }
        atom(token)
    }

    fn operation(&mut self, name: Option<String>) -> Result<Term, String> {
        let head = self.next().ok_or("an operation is missing")?;
        let head = match head.strip_prefix("glsl.") {
            Some(head) => Head::Glsl(head.to_owned()),
            None => Head::Core(head.to_owned()),
        };
        let mut operands = Vec::new();
        loop {
            if self.rest.trim_start().starts_with(')') {
                self.next();
                return Ok(Term::Operation {
                    name,
                    head,
                    operands,
                });
            }
            operands.push(self.term()?);
        }
    }
}

fn atom(token: &str) -> Result<Term, String> {
    let literal = match token {
        "true" => Some(Literal::Integer(1)),
        "false" => Some(Literal::Integer(0)),
        "LEAST" => Some(Literal::Least),
        "GREATEST" => Some(Literal::Greatest),
        _ if token.contains('.') => token.parse().ok().map(Literal::Float),
        _ => token.parse().ok().map(Literal::Integer),
    };
    if let Some(literal) = literal {
        return Ok(Term::Literal(literal));
    }
    let is_name = token.chars().all(|c| c.is_ascii_alphanumeric());
    match token.chars().next() {
        Some(first) if is_name && first.is_ascii_lowercase() => {
            Ok(Term::Variable(token.to_owned()))
        }
        Some('A'..='Z') if token.len() == 1 => Ok(Term::Constant(token.to_owned())),
        _ => Err(format!("`{token}` is no term")),
    }
}

impl Term {
    /// What stands for a value or constant here.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Term::Variable(name) | Term::Constant(name) => Some(name),
            Term::Operation { name, .. } => name.as_deref(),
            Term::Literal(_) => None,
        }
    }

    /// Whether it is known without any instruction.
    pub(crate) fn is_constant(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Constant(_) | Term::Literal(_) => true,
            Term::Operation { head, operands, .. } => {
                is_width(head) || operands.iter().all(Term::is_constant)
            }
        }
    }
}

/// `(width x)`, the width of x's components.
pub(crate) fn is_width(head: &Head) -> bool {
    matches!(head, Head::Core(name) if name == "width")
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Head::Core(name) => f.write_str(name),
            Head::Glsl(name) => write!(f, "glsl.{name}"),
        }
    }
}

/// The classes of the result and the operands of operations: letters that are the same stand
/// for types of one width and number of components. `i` and `j` are integers, `f` and `g`
/// floating-point numbers, `b` and `c` Booleans, `a` and `e` anything. With `!`, operands of
/// the result's letter have the very same type, not only its width.
const SIGNATURES: &[(&str, &str)] = &[
    (
        "IAdd ISub IMul SDiv SRem SMod BitwiseAnd BitwiseOr BitwiseXor",
        "i=ii",
    ),
    ("UDiv UMod", "i=ii!"),
    ("SNegate Not", "i=i"),
    ("BitReverse", "i=i!"),
    (
        "ShiftLeftLogical ShiftRightLogical ShiftRightArithmetic",
        "i=ij",
    ),
    (
        "IEqual INotEqual ULessThan ULessThanEqual UGreaterThan UGreaterThanEqual SLessThan \
         SLessThanEqual SGreaterThan SGreaterThanEqual",
        "b=ii",
    ),
    ("LogicalNot", "b=b"),
    ("LogicalAnd LogicalOr LogicalEqual LogicalNotEqual", "b=bb"),
    ("Select", "a=baa!"),
    ("UConvert SConvert", "i=j"),
    ("FConvert", "f=g"),
    ("ConvertFToS ConvertFToU", "i=f"),
    ("ConvertSToF ConvertUToF", "f=i"),
    ("Bitcast", "a=e"),
    ("FNegate", "f=f"),
    ("QuantizeToF16", "f=f"),
    ("FAdd FSub FMul FDiv FRem FMod", "f=ff"),
    ("VectorTimesScalar", "f=fg"),
    (
        "FOrdEqual FUnordEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan \
         FOrdGreaterThan FUnordGreaterThan FOrdLessThanEqual FUnordLessThanEqual \
         FOrdGreaterThanEqual FUnordGreaterThanEqual Ordered Unordered LessOrGreater",
        "b=ff",
    ),
    ("IsNan IsInf IsFinite IsNormal SignBitSet", "b=f"),
    ("glsl.UMin glsl.UMax glsl.SMin glsl.SMax", "i=ii"),
    ("glsl.UClamp glsl.SClamp", "i=iii"),
    ("glsl.SAbs glsl.SSign", "i=i"),
    (
        "glsl.FMin glsl.FMax glsl.NMin glsl.NMax glsl.Step glsl.Pow",
        "f=ff",
    ),
    (
        "glsl.FClamp glsl.NClamp glsl.FMix glsl.Fma glsl.SmoothStep",
        "f=fff",
    ),
    (
        "glsl.FAbs glsl.FSign glsl.Floor glsl.Ceil glsl.Trunc glsl.RoundEven glsl.Fract \
         glsl.Sqrt glsl.InverseSqrt glsl.Exp2 glsl.Log2",
        "f=f",
    ),
];

/// What an operation takes and gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    pub(crate) result: char,
    pub(crate) operands: &'static str,
    /// Whether types are the same where classes are the result's.
    pub(crate) is_strict: bool,
}

pub(crate) fn signature(head: &Head) -> Result<Signature, String> {
    let name = head.to_string();
    let row = SIGNATURES
        .iter()
        .find(|(names, _)| names.split_whitespace().any(|each| each == name))
        .ok_or_else(|| format!("there is no operation `{name}`"))?;
    let bare = row.1.trim_end_matches('!');
    Ok(Signature {
        result: bare.chars().next().unwrap_or('a'),
        operands: &bare[2..],
        is_strict: bare.len() < row.1.len(),
    })
}

/// Operations whose first two operands may change places.
pub(crate) const COMMUTATIVE: &[&str] = &[
    "IAdd",
    "IMul",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "IEqual",
    "INotEqual",
    "LogicalAnd",
    "LogicalOr",
    "LogicalEqual",
    "LogicalNotEqual",
    "FAdd",
    "FMul",
    "FOrdEqual",
    "FUnordEqual",
    "FOrdNotEqual",
    "FUnordNotEqual",
    "Ordered",
    "Unordered",
    "LessOrGreater",
    "glsl.UMin",
    "glsl.UMax",
    "glsl.SMin",
    "glsl.SMax",
];
