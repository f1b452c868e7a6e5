//! `vigie capture`: a single search, printed as JSON.

use std::process::ExitCode;

use capture::browsing::{Pool, SearchRequest};
use clap::Args;
use serde::Serialize;
use vocabulary::{Device, Engine, Locale};

use super::CommandError;
use crate::terminal::say;
use crate::{browsing, stack};

/// A single search.
#[derive(Debug, Args)]
pub struct Capture {
    /// The words to search for
    term: String,
    /// The engine: google or bing
    #[arg(long, default_value_t = Engine::Google)]
    engine: Engine,
    /// The device: desktop, mobile or tablet
    #[arg(long, default_value_t = Device::Desktop)]
    device: Device,
    /// Language and country, as in fr_FR
    #[arg(long, default_value = "fr_FR")]
    locale: Locale,
}

/// What is printed about the captured page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Captured {
    final_url: String,
    status: u16,
    seconds: f64,
    #[serde(flatten)]
    read: capture::ReadPage,
}

/// Searches once, reads the page and prints what was read as JSON; fails when the page cannot be captured. Nothing is stored. As root it first
/// becomes the system user.
pub fn run(arguments: &Capture) -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    stack::unprivileged::hand_over(&settings.embedded.user, &settings.data)?;
    super::block_on(async {
        let pool = Pool::start(browsing::pool(&settings, 1)?).await?;
        let page = pool
            .capture(SearchRequest {
                engine: arguments.engine,
                device: arguments.device,
                term: arguments.term.clone(),
                locale: arguments.locale.clone(),
                location: None,
                screenshot: false,
                resources: false,
                deadline: None,
            })
            .await;
        pool.shutdown().await;
        let page = page?;
        let captured = Captured {
            final_url: page.final_url.to_string(),
            status: page.status,
            seconds: page.timings.read.as_secs_f64(),
            read: capture::read(&page.html, arguments.engine),
        };
        say(serde_json::to_string_pretty(&captured)?);
        Ok(ExitCode::SUCCESS)
    })
}
