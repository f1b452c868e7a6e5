//! The simulated engines.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The engine that is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Google's web search.
    Google,
    /// Microsoft Bing's web search.
    Bing,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Google => "google",
            Self::Bing => "bing",
        })
    }
}
