//! Chromium: whether it is there, and whether it starts with its sandbox.

use capture::browsing::Pool;
use runtime::Settings;

use super::Finding;
use crate::browsing;

const PART: &str = "Chromium";
const SANDBOX: &str = "Chromium's sandbox";

/// Checks that Chromium is installed and runs, and, only then, that it starts with the sandbox that the settings ask for; returns one finding or two.
/// Takes seconds.
pub async fn chromium(settings: &Settings) -> Vec<Finding> {
    let mut pool = match browsing::pool(settings, 1) {
        Ok(pool) => pool,
        Err(error) => return vec![Finding::bad(PART, error.to_string(), "make install")],
    };
    let version = tokio::process::Command::new(&pool.chromium)
        .arg("--version")
        .output()
        .await;
    let found = match version {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Ok(output) => {
            let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let found = format!("{} does not start: {reason}", pool.chromium.display());
            return vec![Finding::bad(
                PART,
                found,
                "install it again, or name another with VIGIE__CAPTURE__CHROMIUM",
            )];
        }
        Err(error) => {
            let found = format!("{}: {error}", pool.chromium.display());
            return vec![Finding::bad(PART, found, "correct VIGIE__CAPTURE__CHROMIUM")];
        }
    };
    let found = Finding::good(PART, format!("{found}, {}", pool.chromium.display()));
    pool.work_folder = std::env::temp_dir().join(format!("vigie-doctor-{}", std::process::id()));
    vec![found, try_browser(pool, settings.capture.sandbox.is_on()).await]
}

/// Starts a browser in the way captures do, and ends it; removes its work folder.
async fn try_browser(pool: capture::browsing::Settings, sandbox: bool) -> Finding {
    let folder = pool.work_folder.clone();
    let finding = match Pool::start(pool).await {
        Ok(pool) => {
            pool.shutdown().await;
            if sandbox {
                Finding::good(SANDBOX, "works")
            } else {
                Finding::doubtful(
                    SANDBOX,
                    "switched off: captured pages run with the rights of the workers",
                    "allow user namespaces and unset VIGIE__CAPTURE__SANDBOX",
                )
            }
        }
        Err(error) => Finding::bad(
            SANDBOX,
            error.to_string(),
            "mend what is named above; until then no captures are taken",
        ),
    };
    let _already_gone = std::fs::remove_dir_all(folder);
    finding
}
