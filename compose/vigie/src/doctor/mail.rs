//! Checks the mail server of the settings.

use runtime::Settings;
use workers::smtp::MailServer;

use super::Finding;

const PART: &str = "mail server";

/// Connects to the mail server of the settings and signs in, without sending a mail: bad if that fails, doubtful when none is set or mails come from
/// `localhost`. With `running`, when a private stack runs, its mail catcher is good whatever the sender.
pub async fn server(settings: &Settings, running: bool) -> Finding {
    let server = match MailServer::from_settings(&settings.smtp) {
        Ok(Some(server)) => server,
        // A private stack has a catcher; elsewhere mails wait.
        Ok(None) => {
            return Finding::doubtful(
                PART,
                "none is set: `vigie up` shows mails on a page of its own, elsewhere they wait",
                "set VIGIE__SMTP__HOST to send them",
            );
        }
        Err(error) => return Finding::bad(PART, error.to_string(), "correct VIGIE__SMTP__…"),
    };
    match server.check().await {
        Ok(()) if running && settings.smtp.port == Some(settings.embedded.mail_port) => Finding::good(
            PART,
            format!(
                "`vigie up` catches mails; see http://127.0.0.1:{}/",
                settings.embedded.mail_page_port
            ),
        ),
        Ok(()) if settings.smtp.from.ends_with("@localhost>") => Finding::doubtful(
            PART,
            format!(
                "{} answers, but mails come from {}",
                server.address(),
                settings.smtp.from
            ),
            "set VIGIE__SMTP__FROM to an address of yours",
        ),
        Ok(()) => Finding::good(PART, format!("{} answers", server.address())),
        Err(error) => Finding::bad(
            PART,
            error.to_string(),
            "start it, or correct VIGIE__SMTP__HOST, _PORT, _SECURITY, _USER and _PASSWORD",
        ),
    }
}
