//! `vigie mail-catcher`: catches mails, as a part of `vigie up`.

use std::net::SocketAddr;
use std::process::ExitCode;

use ::mail_catcher::{Catcher, Settings, Webhook};

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
        let catcher = match webhook(&settings) {
            Some(webhook) => catcher.answering(webhook),
            None => catcher,
        };
        catcher.serve(stop.cancelled_owned()).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The webhook of the API on this machine; `None` without its secret, and where it speaks TLS, with a certificate for another name.
fn webhook(settings: &runtime::Settings) -> Option<Webhook> {
    let secret = settings
        .inbound
        .secret
        .clone()
        .filter(|secret| !secret.expose().is_empty())?;
    if settings.api.tls_key.is_some() {
        return None;
    }
    let mut address = settings.api.listen;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Some(Webhook {
        url: format!("http://{address}/api/Emails/inbound"),
        secret,
    })
}
