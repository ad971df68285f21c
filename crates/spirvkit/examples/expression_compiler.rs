//! A back end: compiles an expression to a compute shader that replaces every number `x` of a
//! buffer by the expression's value, and prints the shader.
//!
//! ```text
//! cargo run -p spirvkit --example expression_compiler -- 'sqrt(x) * 0.5 + 1'
//! ```
//!
//! An expression has numbers, `x`, `+ - * /`, brackets, and functions of one argument.

use std::error::Error;

use spirvkit::binary::Id;
use spirvkit::grammar::{
    AddressingModel, BuiltIn, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
    MemoryModel, StorageClass, Version,
};
use spirvkit::ir::Module;
use spirvkit::ir::builder::Builder;

/// The functions, and what they are called in `GLSL.std.450`.
const FUNCTIONS: [(&str, &str); 5] = [
    ("sqrt", "Sqrt"),
    ("sin", "Sin"),
    ("cos", "Cos"),
    ("exp", "Exp"),
    ("abs", "FAbs"),
];

/// Compiles an expression to a whole shader.
pub fn compile(expression: &str) -> Result<Module, Box<dyn Error>> {
    let mut b = Builder::new(Version::V1_3);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let (void, float, uint) = (b.type_void(), b.type_float(32, None), b.type_int(32, 0));
    let vector = b.type_vector(uint, 3);

    // buffer { float numbers[]; };
    let numbers = b.type_runtime_array_with_stride(float, 4);
    let block = b.type_struct(&[numbers]);
    b.decorate(block, Decoration::Block, &[]);
    b.member_decorate(block, 0, Decoration::Offset, &[0]);
    let buffer = b.global(StorageClass::StorageBuffer, block);
    b.decorate(buffer, Decoration::DescriptorSet, &[0]);
    b.decorate(buffer, Decoration::Binding, &[0]);

    let invocation = b.global(StorageClass::Input, vector);
    let built_in = BuiltIn::GlobalInvocationId.0;
    b.decorate(invocation, Decoration::BuiltIn, &[built_in]);

    let mut result = Ok(());
    let main = b.function(void, FunctionControl::None, &[], |b, _| {
        let position = b.load(vector, invocation, None);
        let index = b.composite_extract(uint, position, &[0]);
        let (zero, pointer) = (
            b.constant_u32(0),
            b.type_pointer(StorageClass::StorageBuffer, float),
        );
        let number = b.access_chain(pointer, buffer, &[zero, index]);
        let x = b.load(float, number, None);
        result = Emitter::new(b, float, x)
            .expression(expression)
            .map(|value| b.store(number, value, None));
        b.return_();
    });
    result?;
    b.entry_point(ExecutionModel::GLCompute, main, "main", &[invocation]);
    b.execution_mode(main, ExecutionMode::LocalSize, &[64, 1, 1]);
    Ok(b.finish()?)
}

/// An operation whose right side is still to come.
#[derive(Clone, Copy)]
enum Pending {
    Operator(char),
    Function(&'static str),
    Bracket,
}

impl Pending {
    /// How strongly it binds; brackets hold until they are closed.
    fn strength(self) -> u32 {
        match self {
            Self::Bracket => 0,
            Self::Operator('+' | '-') => 1,
            Self::Operator(_) => 2,
            Self::Function(_) => 3,
        }
    }
}

/// Makes instructions while it reads, with two stacks instead of recursion.
struct Emitter<'b> {
    b: &'b mut Builder,
    float: Id,
    x: Id,
    values: Vec<Id>,
    pending: Vec<Pending>,
}

impl<'b> Emitter<'b> {
    fn new(b: &'b mut Builder, float: Id, x: Id) -> Self {
        Self {
            b,
            float,
            x,
            values: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The id of an expression's value.
    fn expression(mut self, text: &str) -> Result<Id, String> {
        let mut rest = text.trim_start();
        // Whether a value comes next, or an operator.
        let mut wants_value = true;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c.is_alphanumeric() || c == '.';
            let length = match is_part(first) {
                true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (token, behind) = rest.split_at(length);
            rest = behind.trim_start();
            wants_value = match wants_value {
                true => self.value(token)?,
                false => self.operator(token)?,
            };
        }
        self.finish(0)?;
        match (self.values.as_slice(), self.pending.is_empty(), wants_value) {
            (&[value], true, false) => Ok(value),
            _ => Err("the expression isn't finished".into()),
        }
    }

    /// Reads a value or what comes before one; returns whether a value has still to come.
    fn value(&mut self, token: &str) -> Result<bool, String> {
        if token == "(" {
            self.pending.push(Pending::Bracket);
            return Ok(true);
        }
        if let Some((_, name)) = FUNCTIONS.iter().find(|(name, _)| *name == token) {
            self.pending.push(Pending::Function(name));
            return Ok(true);
        }
        let value = match token {
            "x" => self.x,
            _ => match token.parse() {
                Ok(number) => self.b.constant_f32(number),
                Err(_) => return Err(format!("`{token}` is no value")),
            },
        };
        self.values.push(value);
        Ok(false)
    }

    /// Reads an operator or a bracket that closes; returns whether a value comes next.
    fn operator(&mut self, token: &str) -> Result<bool, String> {
        match token {
            "+" | "-" | "*" | "/" => {
                let next = token.chars().map(Pending::Operator);
                for next in next {
                    self.finish(next.strength())?;
                    self.pending.push(next);
                }
                Ok(true)
            }
            ")" => {
                self.finish(1)?;
                match self.pending.pop() {
                    Some(Pending::Bracket) => Ok(false),
                    _ => Err("a bracket was never opened".into()),
                }
            }
            _ => Err(format!("`{token}` is no operator")),
        }
    }

    /// Makes the instructions of what binds at least so strongly.
    fn finish(&mut self, strength: u32) -> Result<(), String> {
        while let Some(&last) = self.pending.last()
            && last.strength() >= strength.max(1)
        {
            self.pending.pop();
            let value = self.emit(last).ok_or("a value is missing")?;
            self.values.push(value);
        }
        Ok(())
    }

    fn emit(&mut self, operation: Pending) -> Option<Id> {
        let (b, float) = (&mut *self.b, self.float);
        let right = self.values.pop()?;
        let operator = match operation {
            Pending::Operator(operator) => operator,
            Pending::Function(name) => return Some(b.glsl(float, name, &[right])),
            Pending::Bracket => return None,
        };
        let left = self.values.pop()?;
        Some(match operator {
            '+' => b.f_add(float, left, right),
            '-' => b.f_sub(float, left, right),
            '*' => b.f_mul(float, left, right),
            _ => b.f_div(float, left, right),
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let expression = std::env::args().nth(1);
    let expression = expression.ok_or("usage: expression_compiler EXPRESSION")?;
    let words = compile(&expression)?.store();
    let text = spirvkit::disassemble(&words, &Default::default())?;
    print!("{}", text.text);
    Ok(())
}
