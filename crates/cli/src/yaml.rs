//! YAML of what there is as JSON.
//!
//! What is to be written knows how to write itself as anything, but the code for each
//! form is made for each type. So only JSON is, and its values go over to YAML one by one.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

/// The same value as a document in YAML, without the end of its last line.
pub(crate) fn from_json(json: &[u8]) -> Result<String, String> {
    let mut text = String::from("---\n");
    let mut json = serde_json::Deserializer::from_slice(json);
    serde_saphyr::to_fmt_writer(&mut text, &Transcoded::new(&mut json))
        .map_err(|error| error.to_string())?;
    text.truncate(text.trim_end().len());
    Ok(text)
}

/// A value that is written while it is read, once.
struct Transcoded<D>(Cell<Option<D>>);

impl<D> Transcoded<D> {
    fn new(value: D) -> Self {
        Self(Cell::new(Some(value)))
    }
}

impl<'de, D: Deserializer<'de>> Serialize for Transcoded<D> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let value = self
            .0
            .take()
            .ok_or_else(|| S::Error::custom("read twice"))?;
        let written = value.deserialize_any(Written(out));
        written.map_err(S::Error::custom)
    }
}

/// Writes whatever it gets.
struct Written<S>(S);

impl<'de, S: Serializer> Visitor<'de> for Written<S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<S::Ok, E> {
        self.0.serialize_unit().map_err(E::custom)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<S::Ok, E> {
        self.0.serialize_bool(value).map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<S::Ok, E> {
        self.0.serialize_i64(value).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<S::Ok, E> {
        self.0.serialize_u64(value).map_err(E::custom)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<S::Ok, E> {
        self.0.serialize_f64(value).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<S::Ok, E> {
        self.0.serialize_str(value).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<S::Ok, A::Error> {
        let mut out = self.0.serialize_seq(None).map_err(A::Error::custom)?;
        while let Some(()) = values.next_element_seed(Element(&mut out))? {}
        out.end().map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<S::Ok, A::Error> {
        let mut out = self.0.serialize_map(None).map_err(A::Error::custom)?;
        while let Some(key) = entries.next_key::<String>()? {
            out.serialize_key(&key).map_err(A::Error::custom)?;
            entries.next_value_seed(Entry(&mut out))?;
        }
        out.end().map_err(A::Error::custom)
    }
}

/// Writes an element of a sequence.
struct Element<'s, S>(&'s mut S);

impl<'de, S: SerializeSeq> DeserializeSeed<'de> for Element<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        let written = self.0.serialize_element(&Transcoded::new(value));
        written.map_err(D::Error::custom)
    }
}

/// Writes the value of an entry of a map.
struct Entry<'s, S>(&'s mut S);

impl<'de, S: SerializeMap> DeserializeSeed<'de> for Entry<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        let written = self.0.serialize_value(&Transcoded::new(value));
        written.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::from_json;

    #[test]
    fn every_value_is_the_same_in_yaml() {
        let json = r#"{
            "none": null, "yes": true, "no": false, "integers": [0, -1, 18446744073709551615],
            "floats": [0.5, -1e300, 1.0], "texts": ["", "a", "no", "1", "é \u001b\n\"': #", "- a"],
            "nested": {"empty": {}, "list": [[], [[1, {"a": [2]}]]], "~": "~"}
        }"#;
        let yaml = from_json(json.as_bytes()).unwrap();
        assert!(yaml.starts_with("---\n") && !yaml.ends_with('\n'));
        let read: Value = yaml_serde::from_str(&yaml).unwrap();
        let expected: Value = serde_json::from_str(json).unwrap();
        assert_eq!(read, expected, "{yaml}");
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        assert!(from_json(b"{\"a\": [1, }").is_err());
    }
}
