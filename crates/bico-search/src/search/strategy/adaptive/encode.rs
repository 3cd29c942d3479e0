//! From the values of a config to the features of the model.

use crate::search::learn::{Feature, Scale};
use bico_core::{Lists, Value};
use std::collections::HashSet;

/// Makes the codes of one config.
#[derive(Debug)]
pub(super) struct Encoder {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    parameter: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Number {
        scale: Scale,
        form: Form,
    },
    /// Strings: each as far from any other.
    Name(Vec<Value>),
}

/// What is taken of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Itself.
    Plain,
    /// Its logarithm: sizes act by their ratios.
    Log,
    /// The logarithm of one more: sizes that may be zero.
    LogOneMore,
    /// How often two divides it: whole warps, whole vectors, aligned rows.
    Alignment,
}

/// Alignment beyond this (64 elements) makes no more difference.
const MOST_ALIGNED: u32 = 6;
/// From this ratio of largest to smallest on, ratios count and not differences.
const WIDE: f64 = 3.0;
/// Parameters with fewer values than this are told apart without their alignment.
const MANY: usize = 4;

impl Encoder {
    /// Looks at what each parameter is in these configs.
    pub(super) fn new(rows: &[Vec<Value>]) -> Encoder {
        let parameters = rows.first().map_or(0, Vec::len);
        let mut columns: Vec<Column> = Vec::new();
        let mut seen: Vec<Vec<u16>> = Vec::new();
        for parameter in 0..parameters {
            for kind in kinds(rows.iter().map(|row| row[parameter])) {
                let column = Column { parameter, kind };
                let codes: Vec<u16> = rows.iter().map(|row| column.code(row)).collect_vec();
                // What never changes says nothing; what follows from another says nothing more.
                let constant = codes.iter().all(|code| *code == codes[0]);
                if !constant && !seen.contains(&codes) {
                    seen.push(codes);
                    columns.push(column);
                }
            }
        }
        Encoder { columns }
    }

    pub(super) fn features(&self) -> Vec<Feature> {
        let columns = self.columns.iter();
        columns.map(|column| column.kind.feature()).collect_vec()
    }

    pub(super) fn codes(&self, values: &[Value]) -> Vec<u16> {
        let columns = self.columns.iter();
        columns.map(|column| column.code(values)).collect_vec()
    }
}

impl Column {
    fn code(&self, values: &[Value]) -> u16 {
        let value = values[self.parameter];
        match &self.kind {
            Kind::Number { scale, form } => {
                scale.code(number(value).map_or(f64::NAN, |x| form.of(x)))
            }
            Kind::Name(names) => {
                let place = names.iter().position(|name| *name == value);
                place.unwrap_or(names.len()) as u16
            }
        }
    }
}

impl Kind {
    fn feature(&self) -> Feature {
        match self {
            Kind::Number { scale, .. } => scale.feature(),
            // One more level, for names that come later.
            Kind::Name(names) => Feature {
                levels: (0..=names.len()).map(|level| level as f64).collect_vec(),
                ordered: false,
                codes: Vec::new(),
            },
        }
    }
}

impl Form {
    fn of(self, x: f64) -> f64 {
        match self {
            Form::Plain => x,
            Form::Log => x.log2(),
            Form::LogOneMore => (1.0 + x).log2(),
            Form::Alignment => f64::from((x as u64).trailing_zeros().min(MOST_ALIGNED)),
        }
    }
}

fn number(value: Value) -> Option<f64> {
    match value {
        Value::Int(v) => Some(v as f64),
        Value::Float(v) => Some(v),
        Value::Bool(v) => Some(f64::from(u8::from(v))),
        Value::Str(_) => None,
    }
}

/// The features of one parameter.
fn kinds(values: impl Iterator<Item = Value>) -> Vec<Kind> {
    // Values of one parameter print differently where they differ.
    let mut known = HashSet::new();
    let distinct = values.filter(|value| known.insert(value.to_string()));
    let distinct: Vec<Value> = distinct.collect();
    let numbers: Option<Vec<f64>> = distinct.iter().map(|value| number(*value)).collect();
    let Some(numbers) = numbers else {
        return vec![Kind::Name(distinct)];
    };
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let form = if low > 0.0 && high >= WIDE * low {
        Form::Log
    } else if low >= 0.0 && high >= WIDE {
        Form::LogOneMore
    } else {
        Form::Plain
    };
    let of = |form: Form| Kind::Number {
        scale: Feature::numbers(numbers.iter().map(|x| form.of(*x)).collect_vec()),
        form,
    };
    let mut kinds = vec![of(form)];
    let is_size = |x: &f64| *x >= 1.0 && x.fract() == 0.0 && *x < 1e15;
    let sizes = numbers.len() >= MANY && numbers.iter().all(is_size);
    if sizes && numbers.iter().any(|x| !(*x as u64).is_power_of_two()) {
        kinds.push(of(Form::Alignment));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Bool, Float, Int, Str};

    fn forms(values: &[Value]) -> Vec<Option<Form>> {
        let form = |kind: &Kind| match kind {
            Kind::Number { form, .. } => Some(*form),
            Kind::Name(_) => None,
        };
        kinds(values.iter().copied()).iter().map(form).collect()
    }

    #[test]
    fn sizes_count_by_their_ratio() {
        assert_eq!(forms(&[1, 2, 4, 8].map(Int)), [Some(Form::Log)]);
        assert_eq!(forms(&[0, 1, 2, 4].map(Int)), [Some(Form::LogOneMore)]);
        assert_eq!(forms(&[0, 1].map(Int)), [Some(Form::Plain)]);
        assert_eq!(forms(&[-4, 9].map(Int)), [Some(Form::Plain)]);
        assert_eq!(forms(&[0.5, 0.25].map(Float)), [Some(Form::Plain)]);
        assert_eq!(forms(&[true, false].map(Bool)), [Some(Form::Plain)]);
        assert_eq!(forms(&["a", "b"].map(Str)), [None]);
    }

    #[test]
    fn odd_sizes_have_an_alignment() {
        assert_eq!(
            forms(&[16, 32, 48, 64].map(Int)),
            [Some(Form::Log), Some(Form::Alignment)]
        );
        let [_, Kind::Number { scale, form }] = &kinds([16, 32, 48, 256].map(Int).into_iter())[..]
        else {
            panic!("two features");
        };
        let codes: Vec<u16> = [16.0, 32.0, 48.0, 256.0, 512.0]
            .map(|x| scale.code(form.of(x)))
            .into();
        assert_eq!(codes, [0, 1, 0, 2, 2]);
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        // The second is constant, the third follows from the first.
        let rows: Vec<Vec<Value>> = [1, 2, 4]
            .into_iter()
            .map(|a| {
                vec![
                    Int(a),
                    Int(7),
                    Int(10 * a),
                    Str(if a == 2 { "x" } else { "y" }),
                ]
            })
            .collect();
        let encoder = Encoder::new(&rows);
        assert_eq!(encoder.features().len(), 2);
        let codes: Vec<Vec<u16>> = rows.iter().map(|row| encoder.codes(row)).collect();
        assert_eq!(codes, [[0, 0], [1, 1], [2, 0]]);
        assert_eq!(
            encoder.codes(&[Int(5), Int(7), Int(30), Str("new")]),
            [2, 2]
        );
        assert!(Encoder::new(&[]).features().is_empty());
    }
}
