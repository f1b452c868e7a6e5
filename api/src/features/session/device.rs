//! What a session is recognised by: the browser and the system, read off what the program says of itself.

/// A program and what it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name, where it is a known one.
    pub(super) program: Option<&'static str>,
    /// The system, where it is a known one.
    pub(super) system: Option<&'static str>,
    /// Whether it is a phone or a tablet.
    pub(super) handheld: bool,
}

/// Marks of programs. Browsers name those they descend from, too: the first mark found counts.
const PROGRAMS: [(&str, &str); 14] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex Browser"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
    ("curl/", "curl"),
    ("python-", "Python"),
    ("PostmanRuntime/", "Postman"),
];

/// Marks of systems, and whether it is held in the hand. The first one found counts.
const SYSTEMS: [(&str, &str, bool); 7] = [
    ("iPhone", "iOS", true),
    ("iPad", "iPadOS", true),
    ("Android", "Android", true),
    ("Windows", "Windows", false),
    ("Mac OS X", "macOS", false),
    ("CrOS", "ChromeOS", false),
    ("Linux", "Linux", false),
];

impl Device {
    /// Reads a `User-Agent` by the first mark of each table that it contains: program and system are `None` where no known mark is in it, and without
    /// a known system the device does not count as handheld.
    pub(super) fn from_user_agent(user_agent: &str) -> Self {
        let program = PROGRAMS.iter().find(|(mark, _)| user_agent.contains(mark));
        let system = SYSTEMS.iter().find(|(mark, ..)| user_agent.contains(mark));
        Self {
            program: program.map(|(_, name)| *name),
            system: system.map(|(_, name, _)| *name),
            handheld: system.is_some_and(|(.., handheld)| *handheld),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_browsers_are_recognised() {
        for (text, program, system, handheld) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                Some("Edge"),
                Some("Windows"),
                false,
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
                Some("Safari"),
                Some("macOS"),
                false,
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
                Some("Chrome"),
                Some("iOS"),
                true,
            ),
            (
                "Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0",
                Some("Firefox"),
                Some("Android"),
                true,
            ),
            ("curl/8.14.1", Some("curl"), None, false),
            ("something else", None, None, false),
            ("", None, None, false),
        ] {
            let expected = Device {
                program,
                system,
                handheld,
            };
            assert_eq!(Device::from_user_agent(text), expected, "{text}");
        }
    }
}
