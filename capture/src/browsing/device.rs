//! What each device reports about itself and its screen.

use headless_chrome::protocol::cdp::Emulation::{UserAgentBrandVersion, UserAgentMetadata};
use vocabulary::Device;

/// A device as a page sees it.
pub(super) struct DeviceProfile {
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// Screen pixels per CSS pixel.
    pub scale: f64,
    /// Whether the viewport is that of a mobile browser (`<meta name=viewport>`, overlay scroll bars, touch).
    pub touch: bool,
    /// The value of `navigator.platform`.
    pub platform: &'static str,
    system: &'static str,
    user_agent_suffix: &'static str,
    hint_platform: &'static str,
    hint_platform_version: &'static str,
    architecture: &'static str,
    bitness: &'static str,
    model: &'static str,
    form_factor: &'static str,
}

const DESKTOP: DeviceProfile = DeviceProfile {
    width: 1366,
    height: 900,
    scale: 1.0,
    touch: false,
    platform: "Win32",
    system: "Windows NT 10.0; Win64; x64",
    user_agent_suffix: "Safari/537.36",
    hint_platform: "Windows",
    hint_platform_version: "15.0.0",
    architecture: "x86",
    bitness: "64",
    model: "",
    form_factor: "Desktop",
};

const MOBILE: DeviceProfile = DeviceProfile {
    width: 412,
    height: 915,
    scale: 2.0,
    touch: true,
    platform: "Linux armv81",
    system: "Linux; Android 10; K",
    user_agent_suffix: "Mobile Safari/537.36",
    hint_platform: "Android",
    hint_platform_version: "14.0.0",
    architecture: "",
    bitness: "",
    model: "Pixel 8",
    form_factor: "Mobile",
};

const TABLET: DeviceProfile = DeviceProfile {
    width: 800,
    height: 1280,
    scale: 2.0,
    touch: true,
    platform: "Linux armv81",
    system: "Linux; Android 10; K",
    user_agent_suffix: "Safari/537.36",
    hint_platform: "Android",
    hint_platform_version: "14.0.0",
    architecture: "",
    bitness: "",
    model: "Pixel Tablet",
    form_factor: "Tablet",
};

impl DeviceProfile {
    /// Returns what a device reports about itself: a desktop on Windows, or a phone or tablet with Android.
    pub fn for_device(device: Device) -> &'static Self {
        match device {
            Device::Desktop => &DESKTOP,
            Device::Mobile => &MOBILE,
            Device::Tablet => &TABLET,
        }
    }

    /// The user agent of a Chrome of this version on the device, in Chrome's reduced form.
    pub fn user_agent(&self, chrome_version: &str) -> String {
        let (system, suffix, major) = (self.system, self.user_agent_suffix, major_version(chrome_version));
        format!("Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 {suffix}")
    }

    /// Builds the client hints that match the user agent. Unlike that, they name the full `chrome_version` (`156.0.8078.79`), besides its major
    /// number.
    pub fn hints(&self, chrome_version: &str) -> UserAgentMetadata {
        UserAgentMetadata {
            brands: Some(client_hint_brands(major_version(chrome_version))),
            full_version_list: Some(client_hint_brands(chrome_version)),
            full_version: Some(chrome_version.to_owned()),
            platform: self.hint_platform.to_owned(),
            platform_version: self.hint_platform_version.to_owned(),
            architecture: self.architecture.to_owned(),
            model: self.model.to_owned(),
            mobile: self.form_factor == "Mobile",
            bitness: Some(self.bitness.to_owned()),
            wow_64: Some(false),
            form_factors: Some(vec![self.form_factor.to_owned()]),
        }
    }
}

/// Returns the version up to its first dot: `156` of `156.0.8078.79`.
fn major_version(chrome_version: &str) -> &str {
    chrome_version.split('.').next().unwrap_or(chrome_version)
}

/// Lists the brands that Chrome claims in its client hints, with a full or a major version; Chrome's made-up brand has a version of the same form.
fn client_hint_brands(version: &str) -> Vec<UserAgentBrandVersion> {
    let unknown = if version.contains('.') { "24.0.0.0" } else { "24" };
    [
        ("Chromium", version),
        ("Google Chrome", version),
        ("Not/A)Brand", unknown),
    ]
    .map(|(brand, version)| UserAgentBrandVersion {
        brand: brand.to_owned(),
        version: version.to_owned(),
    })
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_telephone_says_mobile() {
        for (device, mobile) in [
            (Device::Desktop, false),
            (Device::Mobile, true),
            (Device::Tablet, false),
        ] {
            let profile = DeviceProfile::for_device(device);
            assert_eq!(profile.user_agent("156.0.1.2").contains("Mobile"), mobile);
            assert_eq!(profile.hints("156.0.1.2").mobile, mobile);
        }
    }

    #[test]
    fn the_user_agent_names_the_running_version_in_its_reduced_form() {
        let agent = DeviceProfile::for_device(Device::Desktop).user_agent("156.0.8078.79");
        assert!(agent.contains("Chrome/156.0.0.0 "), "{agent}");
        assert!(!agent.contains("Headless"));
    }
}
