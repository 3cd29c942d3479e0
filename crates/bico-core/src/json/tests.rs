use super::*;
use proptest::prelude::*;

const FILE: Kind = Kind {
    name: "file",
    mend: "write it anew",
    fault: |text| {
        text.contains('!')
            .then(|| "an exclamation mark".to_string())
    },
};

fn fault<T: FromJson>(text: &str) -> String {
    let document = Document::parse(&FILE, "a.json".as_ref(), text);
    let read = document.and_then(|document| document.root().read::<T>());
    read.err().unwrap().to_string()
}

crate::json_enum! {
    #[derive(Debug, Clone, PartialEq)]
    enum Shape {
        Point,
        Circle(radius: f64),
        Box { width: u32, height: Option<u32> },
    }
}

crate::json_struct! {
    #[derive(Debug, Clone, PartialEq)]
    struct Drawing {
        name: String,
        shapes: Vec<Shape>,
        done: Result<bool, String>,
    }
}

fn drawing() -> Drawing {
    Drawing {
        name: "a \"house\"\n".into(),
        shapes: vec![
            Shape::Point,
            Shape::Circle(0.1),
            Shape::Box {
                width: u32::MAX,
                height: None,
            },
        ],
        done: Err("no".into()),
    }
}

#[test]
fn what_is_written_is_read() {
    let json = drawing().to_json();
    let compact = r#"{"name":"a \"house\"\n","shapes":["Point",["Circle",0.1],["Box",4294967295,null]],"done":["error","no"]}"#;
    assert_eq!(json.compact(), compact);
    assert_eq!(read::<Drawing>(compact).unwrap(), drawing());
    assert_eq!(read::<Drawing>(&json.to_text()).unwrap(), drawing());
}

#[test]
fn layouts() {
    let json = Json::object(vec![
        ("b", [1_u32, 2].to_json()),
        ("a", Json::List(vec![[1_u32, 2].to_json().in_one_line()])),
        ("c", Json::Object(Vec::new())),
        (
            "d",
            Json::object(vec![("x", Json::List(vec![Json::Null]))]).in_one_line(),
        ),
    ])
    .with_sorted_keys();
    assert_eq!(
        json.to_text(),
        "{\n  \"a\": [\n    [1, 2]\n  ],\n  \"b\": [\n    1,\n    2\n  ],\n  \"c\": {},\n  \"d\": {\"x\": [null]}\n}"
    );
    assert_eq!(
        json.compact(),
        r#"{"a":[[1,2]],"b":[1,2],"c":{},"d":{"x":[null]}}"#
    );
}

#[test]
fn faults_have_their_places() {
    for (text, says) in [
        (
            "",
            "error: the file is empty\n  --> a.json\n  = help: write it anew",
        ),
        (
            "[1,",
            "error: the file ends in the middle\n  --> a.json:1:4\n",
        ),
        (
            "[] []",
            "error: this is not JSON: text cannot contain more than one JSON value",
        ),
        (
            "[1] // one",
            "error: comments do not belong into a file: they would be lost",
        ),
        (
            "{}",
            "error: the field `name` of the file is missing\n  --> a.json:1:1",
        ),
        ("[]", "error: the file must be an object, not a list"),
        (
            "{\"name\": \"\",\n\"name\": \"\"}",
            "error: `name` stands here twice\n  --> a.json:2:1\n  = help: the first stands in line 1",
        ),
        (
            "{\"name\":\n  \"Hm!\"}",
            "error: `name` holds an exclamation mark\n  --> a.json:2:3",
        ),
        (
            "{\"name\": \"\", \"shapes\": [], \"done\": [\"ok\", true], \"x\": 1}",
            "error: unknown field `x` of the file\n  --> a.json:1:50\n  = help: known are name, shapes, done",
        ),
    ] {
        let found = fault::<Drawing>(text);
        assert!(found.starts_with(says), "{found}\n{says}");
    }
}

#[test]
fn what_is_no_json_is_found_at_its_place() {
    for (text, says) in [
        (
            "[1, \"é",
            "error: the file ends in the middle\n  --> a.json:1:7\n",
        ),
        (
            "[1,\n 2,\n]",
            "error: a comma before the end of a list\n  --> a.json:2:3\n",
        ),
        (
            "[1,\n -Infinity]",
            "error: numbers must be finite\n  --> a.json:2:2\n",
        ),
        (
            "[1\n2]",
            "error: this is not JSON: expected comma\n  --> a.json:1:3\n",
        ),
        (
            "[01]",
            "error: this is not JSON: expected comma\n  --> a.json:1:3\n",
        ),
        (
            "[1.]",
            "error: this is not JSON: expected digit\n  --> a.json:1:4\n",
        ),
        (
            "[trux]",
            "error: this is not JSON: unexpected word\n  --> a.json:1:2\n",
        ),
        (
            ", 1",
            "error: this is not JSON: expected a value\n  --> a.json:1:1\n",
        ),
        (
            "{\"a\" 1}",
            "error: this is not JSON: expected colon after the name of an object property\n  --> a.json:1:6\n",
        ),
        (
            "{1: 1}",
            "error: this is not JSON: expected string for object property\n  --> a.json:1:2\n",
        ),
        (
            "[\"\\q\"]",
            "error: this is not JSON: invalid escape\n  --> a.json:1:3\n",
        ),
        (
            "[\"\\u00g0\"]",
            "error: this is not JSON: expected four hex digits\n  --> a.json:1:7\n",
        ),
        (
            "[\"\\ud800\"]",
            "error: this is not JSON: half of a character's escape\n  --> a.json:1:3\n",
        ),
    ] {
        let found = fault::<Drawing>(text);
        assert!(found.starts_with(says), "{found}\n{says}");
    }
}

#[test]
fn foreign_messages_are_no_panic() {
    for (text, says) in [
        ("\"Line\"", "`Line` is none of Point, Circle, Box"),
        ("\"Circle\"", "the message has too few parts"),
        ("[\"Point\", 1]", "the message has too many parts"),
        ("[]", "the message has too few parts"),
        ("7", "the message must be a list, not a number"),
        (
            "[\"Box\", -1, 2]",
            "the message must be a whole number from 0 to 4294967295",
        ),
        (
            "[\"Box\", 1.5, 2]",
            "the message must be a whole number from 0 to 4294967295",
        ),
        (
            "[\"Box\", 4294967296, 2]",
            "the message must be at most 4294967295",
        ),
        (
            "[\"Circle\", 1e999]",
            "the message is 1e999, which is too large",
        ),
        (
            "[\"Circle\", null]",
            "the message must be a number, not null",
        ),
        (
            &"[".repeat(1 << 20),
            "this is not JSON: maximum nesting depth exceeded",
        ),
    ] {
        assert_eq!(read::<Shape>(text).unwrap_err(), format!("line 1: {says}"));
    }
}

#[test]
fn whole_numbers_keep_all_bits() {
    assert_eq!(read::<u64>(&u64::MAX.to_string()), Ok(u64::MAX));
    assert_eq!(read::<i64>(&i64::MIN.to_string()), Ok(i64::MIN));
    assert!(read::<u64>("18446744073709551616").is_err());
    assert!(read::<i64>("1.0").is_err());
    assert_eq!(read::<[u32; 2]>("[1, 2]"), Ok([1, 2]));
    assert!(
        read::<[u32; 2]>("[1]")
            .unwrap_err()
            .contains("must hold 2 values, not 1")
    );
}

/// Whether it is what serde_json has read.
fn is(item: Item<'_>, value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null => item.null().is_ok(),
        Value::Bool(value) => item.boolean().is_ok_and(|read| read == *value),
        Value::Number(value) => item.number().is_ok_and(|read| Some(read) == value.as_f64()),
        Value::String(value) => item.text().is_ok_and(|read| read == value),
        Value::Array(values) => item.elements().is_ok_and(|read| {
            read.len() == values.len()
                && read
                    .iter()
                    .zip(values)
                    .all(|(item, value)| is(*item, value))
        }),
        Value::Object(values) => item.entries().is_ok_and(|read| {
            read.len() == values.len() && read.iter().all(|item| is(*item, &values[item.name()]))
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// Trails and files of earlier versions were written by that crate.
    #[test]
    fn numbers_are_written_as_by_serde_json(bits: u64, near in -30.0f64..30.0) {
        for number in [f64::from_bits(bits), near.exp(), -near.exp(), near.round(), 10f64.powi(near as i32), (bits >> 11) as f64 / 2f64.powi((bits & 15) as i32)] {
            let text = number.to_json().compact();
            prop_assert_eq!(&text, &serde_json::to_string(&number).unwrap());
            if number.is_finite() {
                prop_assert_eq!(read::<f64>(&text).unwrap().to_bits(), number.to_bits());
            }
        }
    }

    #[test]
    fn strings_are_written_as_by_serde_json(text in any::<String>(), low in 0u8..0x80) {
        let text = format!("{text}{}", char::from(low));
        let written = text.to_json().compact();
        prop_assert_eq!(&written, &serde_json::to_string(&text).unwrap());
        prop_assert_eq!(read::<String>(&written).unwrap(), text);
    }

    /// What is JSON, and what a value of it is, serde_json says: it only refuses control characters in strings, and
    /// counts depth and size of numbers otherwise.
    #[test]
    fn texts_are_json_as_for_serde_json(text in r#"([\[\]{}:, \n-]|"a"|"b":|"\\\\[bfnrtu/\\\\"x]?[0-9a-fD]{0,4}(\\\\uD[CDEFa]00)?"|[0-9]{1,2}|[.eE+]|true|null|fals|e){0,12}"#) {
        let ours = Document::parse(&Kind::MESSAGE, "".as_ref(), &text);
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match (&ours, &theirs) {
            (Ok(document), Ok(value)) => prop_assert!(is(document.root(), value), "{text}: {document:?} {value}"),
            (Err(error), Ok(_)) => prop_assert!(error.message.ends_with("stands here twice"), "{text}: {error}"),
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{text}: {error}"),
            (Err(ours), Err(theirs)) => {
                let early = theirs.is_eof() && !text.trim().is_empty();
                prop_assert!(!early || ours.message.ends_with("in the middle"), "{text}: {ours}; {theirs}");
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"\\\\a-z0-9.eE+ \n-]{0,60}") {
        let _ = read::<Drawing>(&text);
        let _ = read::<Vec<Shape>>(&text);
    }
}
