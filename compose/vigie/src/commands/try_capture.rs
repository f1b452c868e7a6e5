//! `vigie try-capture`: a single search by hand, in words.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use vocabulary::{Device, Engine};

use super::CommandError;
use crate::probe::{Grade, Probe, locale};
use crate::terminal::say;
use crate::{browsing, stack};

/// A single search.
#[derive(Debug, Args)]
pub struct TryCapture {
    /// The words to search for
    term: String,
    /// The engine: google or bing
    #[arg(long, default_value_t = Engine::Google, value_parser = engine)]
    engine: Engine,
    /// The device: desktop, mobile or tablet
    #[arg(long, default_value_t = Device::Desktop, value_parser = device)]
    device: Device,
    /// The country to search from, two letters
    #[arg(long, default_value = "FR", value_parser = country)]
    country: String,
    /// The language of the page, two or three letters; that most people of the country read by default
    #[arg(long, value_parser = language)]
    language: Option<String>,
    /// The folder for the page, its copy and its picture; by default one of this search in the data folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print what was read as JSON instead, and write nothing
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Captured<'a> {
    final_url: String,
    status: u16,
    seconds: f64,
    #[serde(flatten)]
    read: &'a capture::ReadPage,
}

/// Searches once and says what came of it; the exit code is 1 unless a result page was read without doubt. Nothing is stored but the files of the page. As
/// root it first becomes the system user.
pub fn run(arguments: &TryCapture) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    stack::unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    let probe = Probe {
        term: arguments.term.clone(),
        engine: arguments.engine,
        device: arguments.device,
        locale: locale(&arguments.country, arguments.language.as_deref())?,
    };
    let probed = super::block_on(async { Ok(probe.search(browsing::pool(&settings, 1)?, !arguments.json).await?) })?;
    let code = match probed.grade() {
        Grade::Good => ExitCode::SUCCESS,
        Grade::Doubtful | Grade::Bad => ExitCode::FAILURE,
    };
    if arguments.json {
        let answer = probed.outcome?;
        say(serde_json::to_string_pretty(&Captured {
            final_url: answer.page.final_url.to_string(),
            status: answer.page.status,
            seconds: answer.page.timings.read.as_secs_f64(),
            read: &answer.read,
        })?);
        return Ok(code);
    }
    probed.account(&probe).iter().for_each(say);
    if let Ok(answer) = &probed.outcome {
        let folder = arguments.out.clone().unwrap_or_else(|| {
            let now = runtime::Clock::system().now().format("%Y%m%d-%H%M%S");
            settings.data.join("tries").join(format!("{now}-{}", probe.engine))
        });
        for (what, path) in answer.write(&folder)? {
            say(format!("The {what}: {}", path.display()));
        }
    }
    Ok(code)
}

fn engine(text: &str) -> Result<Engine, String> {
    text.parse().map_err(|_| "it is google or bing".to_owned())
}

fn device(text: &str) -> Result<Device, String> {
    text.parse().map_err(|_| "it is desktop, mobile or tablet".to_owned())
}

fn language(text: &str) -> Result<String, String> {
    let is_code = (2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code
        .then(|| text.to_ascii_lowercase())
        .ok_or_else(|| "it is a code of two or three letters, as in fr".to_owned())
}

/// Reads two letters.
fn country(text: &str) -> Result<String, String> {
    let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code
        .then(|| text.to_ascii_uppercase())
        .ok_or_else(|| "it is a code of two letters, as in FR".to_owned())
}
