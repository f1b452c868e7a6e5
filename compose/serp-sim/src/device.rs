//! The devices that pages are laid out for.

use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use serde::{Deserialize, Serialize};

/// The device a page is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A desktop or laptop computer.
    Desktop,
    /// A mobile phone.
    Mobile,
    /// A tablet: the desktop layout without a side column, with ads of its own.
    Tablet,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Desktop => "desktop",
            Self::Mobile => "mobile",
            Self::Tablet => "tablet",
        })
    }
}

impl Device {
    /// Recognises the device by client hints and user agent, as the engines do: a tablet says so or is an Android without `Mobile`; everything
    /// unknown is a desktop.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let agent = header(USER_AGENT.as_str());
        let android_tablet = agent.contains("Android") && !agent.contains("Mobile");
        if header("sec-ch-ua-form-factors").contains("Tablet")
            || agent.contains("iPad")
            || agent.contains("Tablet")
            || android_tablet
        {
            Self::Tablet
        } else if agent.contains("Mobi") || agent.contains("iPhone") || header("sec-ch-ua-mobile") == "?1" {
            Self::Mobile
        } else {
            Self::Desktop
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(agent: &str) -> Device {
        Device::from_headers(&HeaderMap::from_iter([(USER_AGENT, agent.parse().unwrap())]))
    }

    #[test]
    fn recognises_devices_by_their_user_agent() {
        assert_eq!(
            device("Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36"),
            Device::Desktop
        );
        assert_eq!(
            device("Mozilla/5.0 (Linux; Android 10; K) Chrome/156.0 Mobile Safari/537.36"),
            Device::Mobile
        );
        assert_eq!(
            device("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148"),
            Device::Mobile
        );
        assert_eq!(
            device("Mozilla/5.0 (Linux; Android 10; K) Chrome/156.0 Safari/537.36"),
            Device::Tablet
        );
        assert_eq!(
            device("Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Mobile/15E148"),
            Device::Tablet
        );
    }
}
