//! `vigie mail-catcher`: catches mails, as a part of `vigie up`.

use std::net::SocketAddr;
use std::process::ExitCode;

use ::mail_catcher::{Catcher, Settings};

use super::CommandError;

/// Accepts mails and shows them on a page, each on its configured port, until a signal ends it; delivers none.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    super::block_on(async {
        let stop = runtime::shutdown::on_signals()?;
        let on = |port| SocketAddr::from((settings.embedded.mail_address, port));
        let catcher = Catcher::bind(Settings {
            mail: on(settings.embedded.mail_port),
            page: on(settings.embedded.mail_page_port),
        })
        .await?;
        catcher.serve(stop.cancelled_owned()).await?;
        Ok(ExitCode::SUCCESS)
    })
}
