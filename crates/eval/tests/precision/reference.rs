//! Functions with more digits than any format has, by another library than the one that is
//! tested, and by series.

use std::sync::OnceLock;

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// A number of as many digits as needed.
pub(crate) type Big = FBig<HalfEven, 2>;

/// The number, to compute with in so many bits.
pub(crate) fn big(number: f64, bits: usize) -> Big {
    let exact = Big::try_from(number).expect("a finite number");
    exact.with_precision(bits).value()
}

fn bits(x: &Big) -> usize {
    x.precision()
}

pub(crate) fn pi(x: &Big) -> Big {
    Big::pi(bits(x))
}

fn one(x: &Big) -> Big {
    big(1.0, bits(x))
}

pub(crate) fn abs(x: &Big) -> Big {
    if is_negative(x) {
        -x.clone()
    } else {
        x.clone()
    }
}

pub(crate) fn is_negative(x: &Big) -> bool {
    *x < Big::ZERO
}

pub(crate) fn is_integer(x: &Big) -> bool {
    x.floor() == *x
}

pub(crate) fn is_odd(x: &Big) -> bool {
    is_integer(x) && !is_integer(&(x.clone() >> 1))
}

/// A power; of negative numbers, whole ones.
pub(crate) fn pow(x: &Big, y: &Big) -> Big {
    let power = abs(x).powf(y);
    if is_negative(x) && is_odd(y) {
        -power
    } else {
        power
    }
}

/// A root; of negative numbers, odd ones.
pub(crate) fn root(x: &Big, n: &Big) -> Big {
    let root = abs(x).powf(&(one(x) / n));
    if is_negative(x) { -root } else { root }
}

/// `2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (2n+1)!!`, in which nothing cancels.
pub(crate) fn erf(x: &Big) -> Big {
    let square = x.clone() * x;
    let mut term = x.clone();
    let mut sum = term.clone();
    let least = bits(x) as isize + 8;
    for n in 1.. {
        term = term * &square * Big::from(2) / Big::from(2 * n + 1);
        sum += &term;
        if abs(&term) <= abs(&sum) >> least {
            break;
        }
    }
    sum * (-square).exp() * Big::from(2) / pi(x).sqrt()
}

/// 1 less the error function, with as many bits more as cancel.
pub(crate) fn erfc(x: &Big) -> Big {
    let lost = (x.to_f64().value().powi(2) * 1.5) as usize + 16;
    let precise = x.clone().with_precision(bits(x) + lost).value();
    (one(&precise) - erf(&precise))
        .with_precision(bits(x))
        .value()
}

/// The Bernoulli numbers of even index from 2 on over their index and the one before, which
/// are the coefficients of Stirling's series.
fn stirling() -> &'static [Big] {
    const COUNT: usize = 40;
    const BITS: usize = 512;
    static SERIES: OnceLock<Vec<Big>> = OnceLock::new();
    SERIES.get_or_init(|| {
        // The tangent numbers by Knuth and Buckholtz, which are integers.
        let mut tangents = vec![big(1.0, BITS); COUNT + 1];
        for k in 2..=COUNT {
            tangents[k] = tangents[k - 1].clone() * Big::from(k as u32 - 1);
        }
        for k in 2..=COUNT {
            for j in k..=COUNT {
                let before = tangents[j - 1].clone() * Big::from((j - k) as u32);
                tangents[j] = before + tangents[j].clone() * Big::from((j - k + 2) as u32);
            }
        }
        let series = (1..=COUNT).map(|n| {
            let four = big(1.0, BITS) << (2 * n as isize);
            let bernoulli = tangents[n].clone() * Big::from(2 * n as u32)
                / (four.clone() * (four - big(1.0, BITS)));
            let coefficient = bernoulli / Big::from(2 * n as u32 * (2 * n as u32 - 1));
            if n % 2 == 0 {
                -coefficient
            } else {
                coefficient
            }
        });
        series.collect()
    })
}

/// The gamma function of a number above 0 by Stirling's series, far enough to the right.
fn positive_gamma(x: &Big) -> Big {
    let (mut z, mut product) = (x.clone(), one(x));
    while z < Big::from(45) {
        product *= &z;
        z += one(x);
    }
    let half = one(x) >> 1;
    let mut log = (z.clone() - half) * z.ln() - &z + (pi(x) << 1).ln() / Big::from(2);
    let inverse = one(x) / &z;
    let square = inverse.clone() * &inverse;
    let mut power = inverse;
    for coefficient in stirling() {
        log += power.clone() * coefficient;
        power *= &square;
    }
    log.exp() / product
}

/// The gamma function, of what is no pole.
pub(crate) fn gamma(x: &Big) -> Big {
    match is_negative(x) {
        false => positive_gamma(x),
        true => pi(x) / (x.sin_pi() * positive_gamma(&(one(x) - x))),
    }
}

/// The logarithm of the gamma function's magnitude.
pub(crate) fn lgamma(x: &Big) -> Big {
    abs(&gamma(x)).ln()
}

#[test]
fn known_values() {
    let near = |found: Big, expected: &str| {
        let expected: f64 = expected.parse().unwrap();
        assert_eq!(found.to_f64().value(), expected);
    };
    let x = |number: f64| big(number, 160);
    // From tables.
    near(
        erf(&x(0.5)),
        "0.520499877813046537682746653891964528736451575757963700058805",
    );
    near(
        erfc(&x(0.5)),
        "0.479500122186953462317253346108035471263548424242036299941194",
    );
    near(
        erfc(&x(10.0)),
        "2.08848758376254475700078629495778861156081811932116372701221e-45",
    );
    near(
        gamma(&x(0.5)),
        "1.772453850905516027298167483341145182797549456122387128213807",
    );
    near(gamma(&x(5.0)), "24");
    near(
        gamma(&x(-1.5)),
        "2.363271801207354703064223311121526910396732608163182837618410",
    );
    near(
        lgamma(&x(100.0)),
        "359.1342053695753987760440104602869096126",
    );
}
