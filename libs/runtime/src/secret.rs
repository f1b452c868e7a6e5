//! Values that must not be printed.

use serde::{Deserialize, Serialize, Serializer};

/// A password, a key, or an address that contains one. It is masked in logs, errors and printed settings.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

/// Shown in place of the value.
const MASK: &str = "********";

impl Secret {
    /// Wraps a value, which only [`Secret::expose`] returns.
    pub const fn new(value: String) -> Self {
        Self(value)
    }

    /// The value itself, for the call that needs it; never put it into a message.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0.is_empty() { "" } else { MASK })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_shows_its_value() {
        let secret = Secret::new("hunter2".to_owned());
        assert!(!format!("{secret:?}{}", serde_json::to_string(&secret).unwrap()).contains("hunter2"));
    }
}
