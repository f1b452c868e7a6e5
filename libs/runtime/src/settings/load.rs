//! Reads the layers and reports every fault at once.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::Settings;

/// The prefix of environment variables that are settings.
const PREFIX: &str = "VIGIE__";
/// `VIGIE__POSTGRES__URL_FILE=/run/secrets/url` reads the value of `VIGIE__POSTGRES__URL` from a file.
const FROM_FILE: &str = "_FILE";
/// A name is suggested for a mistyped one if two thirds of its letters are right.
const LEAST_SIMILARITY: f64 = 2.0 / 3.0;

/// The address of PostgreSQL behind a pooler.
const DIRECT: &str = "postgres.direct_url";

/// Everything that is wrong with the settings, one line each.
#[derive(Debug, Error)]
#[error("the settings cannot be used:\n  {}", .0.iter().map(SettingError::to_string).collect::<Vec<_>>().join("\n  "))]
pub struct SettingsError(pub Vec<SettingError>);

/// One thing that is wrong, and where.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SettingError {
    /// The settings file could not be read or is not TOML.
    #[error("{origin}: {reason}")]
    Unreadable {
        /// The file, or the variable that names it.
        origin: String,
        /// The message of the system or the parser.
        reason: String,
    },
    /// No setting has this name.
    #[error("{origin}: there is no setting '{key}'{}", .near.as_ref().map(|near| format!("; did you mean '{near}'?")).unwrap_or_default())]
    Unknown {
        /// The file or the variable.
        origin: String,
        /// The dotted name that was given.
        key: String,
        /// The setting whose name is closest, if one is close.
        near: Option<String>,
    },
    /// The value does not fit its setting.
    #[error("{origin}: the value of '{key}' cannot be used: {reason}")]
    Invalid {
        /// The file or the variable.
        origin: String,
        /// The dotted name of the setting.
        key: String,
        /// Why the value cannot be used.
        reason: String,
    },
}

/// The settings of this process in layers, of which later ones win: the defaults, the file that `VIGIE_SETTINGS` names, if any, and the environment.
///
/// # Errors
/// Every fault of [`load`], all at once.
pub fn from_environment() -> Result<Settings, SettingsError> {
    from_environment_over([])
}

/// The settings of this process like [`from_environment`], with `below` for variables such as `VIGIE__POSTGRES__URL` that the environment does not
/// set: those that a running stack has saved for other commands. They win over the file.
#[expect(clippy::disallowed_methods, reason = "the one origin that reads the environment")]
pub fn from_environment_over(below: impl IntoIterator<Item = (String, String)>) -> Result<Settings, SettingsError> {
    let file = std::env::var("VIGIE_SETTINGS").ok().filter(|path| !path.is_empty());
    load(
        file.as_deref().map(Path::new),
        below.into_iter().chain(std::env::vars()),
    )
}

/// Reads the settings in layers. Later ones win: defaults, the TOML file, then variables whose name begins with `VIGIE__`; all others are ignored. Of
/// variables with the same name the last one counts; one whose name ends in `_FILE` wins over the one without.
///
/// # Errors
/// All faults together: files that cannot be read, a settings file that is not TOML, unknown names, and values that do not fit.
pub fn load(
    file: Option<&Path>,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<Settings, SettingsError> {
    let mut faults = Vec::new();
    let mut given = Vec::new();
    if let Some(path) = file {
        match parse_file(path) {
            Ok(values) => collect_leaves(&path.display().to_string(), "", values, &mut given),
            Err(fault) => faults.push(fault),
        }
    }
    let sorted: BTreeMap<String, String> = variables
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect();
    for (name, text) in sorted {
        match from_variable(name, text) {
            Ok(leaf) => given.push(leaf),
            Err(fault) => faults.push(fault),
        }
    }

    let direct = given
        .iter()
        .rfind(|leaf| leaf.key == DIRECT)
        .map(|leaf| leaf.origin.clone());
    let mut settings = Defaults::new();
    for leaf in given {
        if let Err(fault) = settings.set(leaf) {
            faults.push(fault);
        }
    }
    if let Some(origin) = direct.filter(|_| settings.value.postgres.url.is_none()) {
        faults.push(SettingError::Invalid {
            origin,
            key: DIRECT.to_owned(),
            reason: "postgres.url, the address of the pooler, is not set".to_owned(),
        });
    }
    if faults.is_empty() {
        Ok(settings.value)
    } else {
        Err(SettingsError(faults))
    }
}

/// One given value, with the file or variable that it comes from and the dotted name of its setting.
struct Leaf {
    origin: String,
    key: String,
    /// What the value may mean, likeliest first: a variable may hold a string, a number or a list.
    readings: Vec<Value>,
}

/// The content of the settings file. A file that is missing or not TOML is an error.
fn parse_file(path: &Path) -> Result<Value, SettingError> {
    let unreadable = |reason: String| SettingError::Unreadable {
        origin: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    toml::from_str::<Value>(&text).map_err(|error| unreadable(error.to_string()))
}

/// Adds to `into` every value within nested tables, under its dotted name, which begins with `prefix`. Lists count as one value.
fn collect_leaves(origin: &str, prefix: &str, value: Value, into: &mut Vec<Leaf>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let key = if prefix.is_empty() {
                    name
                } else {
                    format!("{prefix}.{name}")
                };
                collect_leaves(origin, &key, member, into);
            }
        }
        other => into.push(Leaf {
            origin: origin.to_owned(),
            key: prefix.to_owned(),
            readings: vec![other],
        }),
    }
}

/// The setting `section.key` that a variable `VIGIE__SECTION__KEY` gives: its text as a string, and as TOML if it is some. With a name that ends in
/// `_FILE`, the text is the content of that file without white space at the end; a file that cannot be read is an error.
fn from_variable(name: String, text: String) -> Result<Leaf, SettingError> {
    let key = name[PREFIX.len()..].to_lowercase().replace("__", ".");
    let (key, text) = match name.strip_suffix(FROM_FILE) {
        Some(_) => {
            let text = std::fs::read_to_string(&text).map_err(|error| SettingError::Unreadable {
                origin: name.clone(),
                reason: format!("{text}: {error}"),
            })?;
            (
                key[..key.len() - FROM_FILE.len()].to_owned(),
                text.trim_end().to_owned(),
            )
        }
        None => (key, text),
    };
    let mut readings = vec![Value::String(text.clone())];
    if let Ok(Value::Object(mut table)) = toml::from_str::<Value>(&format!("value = {text}"))
        && let Some(value) = table.remove("value")
    {
        readings.push(value);
    }
    Ok(Leaf {
        origin: name,
        key,
        readings,
    })
}

/// The settings set so far over the defaults, with the names that can be set.
struct Defaults {
    names: Vec<String>,
    tree: Value,
    value: Settings,
}

impl Defaults {
    /// The defaults, as values and as a tree, and the names of all settings, such as `api.listen`.
    fn new() -> Self {
        let value = Settings::default();
        let tree = serde_json::to_value(&value).unwrap_or_default();
        let mut all = Vec::new();
        collect_leaves("", "", tree.clone(), &mut all);
        Self {
            names: all.into_iter().map(|leaf| leaf.key).collect(),
            tree,
            value,
        }
    }

    /// Sets one value, in the first of its readings that fits. An unknown name or a value that does not fit is an error and changes nothing.
    fn set(&mut self, leaf: Leaf) -> Result<(), SettingError> {
        if !self.names.contains(&leaf.key) {
            let near = nearest_name(&leaf.key, &self.names);
            return Err(SettingError::Unknown {
                origin: leaf.origin,
                key: leaf.key,
                near,
            });
        }
        let mut reason = String::new();
        for reading in leaf.readings {
            let mut tree = self.tree.clone();
            if let Some(node) = tree.pointer_mut(&format!("/{}", leaf.key.replace('.', "/"))) {
                *node = reading;
            }
            match Settings::deserialize(&tree) {
                Ok(value) => {
                    self.value = value;
                    self.tree = tree;
                    return Ok(());
                }
                Err(error) => reason = error.to_string(),
            }
        }
        Err(SettingError::Invalid {
            origin: leaf.origin,
            key: leaf.key,
            reason,
        })
    }
}

/// The name most similar to a mistyped one, by the share of letters to change; `None` when none reaches [`LEAST_SIMILARITY`].
fn nearest_name(key: &str, names: &[String]) -> Option<String> {
    names
        .iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(key, name), name))
        .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        load(
            None,
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        )
    }

    #[test]
    fn the_environment_wins_over_the_defaults() {
        let settings = with(&[
            ("VIGIE__WORKERS__TICK_MILLIS", "1000"),
            ("VIGIE__CLICKHOUSE__PASSWORD", "1234"),
            ("VIGIE__ENGINES__GOOGLE__HOSTS", r#"["google.com"]"#),
            ("VIGIE__CAPTURE__SANDBOX", "off"),
            ("HOME", "/"),
        ])
        .unwrap();
        assert_eq!(settings.workers.tick_millis, 1000);
        assert_eq!(settings.clickhouse.password.expose(), "1234");
        assert_eq!(settings.engines.google.hosts, ["google.com"]);
        assert_eq!(settings.engines.google.base.as_str(), "http://serp.test/google");
        assert!(!settings.capture.sandbox.is_on());
    }

    #[test]
    fn a_country_has_a_proxy_of_its_own() {
        let set = |text| with(&[("VIGIE__ENGINES__GOOGLE__COUNTRY_PROXIES", text)]);
        let settings =
            set(r#"["fr=http://user:secret@proxy.example:3128", "DE=socks5://other.example:1080"]"#).unwrap();
        let proxies = &settings.engines.google.country_proxies;
        assert_eq!(proxies[0].country, "FR");
        assert_eq!(proxies[1].server.as_str(), "socks5://other.example:1080");
        let error = set(r#"["France=http://user:secret@proxy.example"]"#)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("FR=http://proxy.example:3128") && !error.contains("secret"),
            "{error}"
        );
    }

    #[test]
    fn every_fault_is_named_at_once_with_its_place() {
        let error = with(&[
            ("VIGIE__WORKERS__TICK_MILIS", "1000"),
            ("VIGIE__API__LISTEN", "nowhere"),
            ("VIGIE__TIME_ZONE", "Mars/Olympus"),
        ])
        .unwrap_err();
        assert_eq!(error.0.len(), 3);
        let text = error.to_string();
        assert!(text.contains("did you mean 'workers.tick_millis'?"), "{text}");
        assert!(
            text.contains("VIGIE__API__LISTEN") && text.contains("VIGIE__TIME_ZONE"),
            "{text}"
        );
    }

    #[test]
    fn a_server_behind_a_pooler_needs_the_pooler() {
        let direct = (
            "VIGIE__POSTGRES__DIRECT_URL",
            "postgres://vigie:secret@server.example/vigie",
        );
        let error = with(&[direct]).unwrap_err().to_string();
        assert!(
            error.contains("VIGIE__POSTGRES__DIRECT_URL") && error.contains("postgres.url"),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
        let pooler = ("VIGIE__POSTGRES__URL", "postgres://vigie@pooler.example/vigie");
        assert!(with(&[direct, pooler]).is_ok());
    }

    #[test]
    fn a_value_can_come_from_a_file() {
        let folder = std::env::temp_dir().join(format!("vigie-settings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("url");
        std::fs::write(&path, "redis://127.0.0.1:1\n").unwrap();
        let settings = with(&[("VIGIE__REDIS__URL_FILE", path.to_str().unwrap())]).unwrap();
        assert_eq!(settings.redis.url.unwrap().expose(), "redis://127.0.0.1:1");

        let toml = folder.join("vigie.toml");
        std::fs::write(&toml, "[workers]\nconcurrency = 4\n[nothing]\nhere = 1\n").unwrap();
        let error = load(Some(&toml), []).unwrap_err();
        assert!(
            matches!(&error.0[..], [SettingError::Unknown { key, near: None, .. }] if key == "nothing.here"),
            "{error}"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
