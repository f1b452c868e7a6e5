//! Chromium: whether it is there, and whether it starts with its sandbox.

use std::collections::BTreeMap;
use std::path::Path;

use capture::browsing::{Limits, Pool, Sandbox, Settings as PoolSettings};
use runtime::Settings;

use super::Finding;
use crate::programs;

const SANDBOX: &str = "Chromium's sandbox";

pub async fn chromium(settings: &Settings) -> Vec<Finding> {
    const PART: &str = "Chromium";
    let Some(program) = settings.capture.chromium.clone().or_else(programs::chrome) else {
        return vec![Finding::bad(
            PART,
            "no Chromium or Chrome on this machine",
            "apt-get install chromium (on Ubuntu: Google Chrome's .deb), or name it with VIGIE__CAPTURE__CHROMIUM",
        )];
    };
    let version = tokio::process::Command::new(&program).arg("--version").output().await;
    let found = match version {
        Ok(answer) if answer.status.success() => String::from_utf8_lossy(&answer.stdout).trim().to_owned(),
        Ok(answer) => {
            let reason = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
            return vec![Finding::bad(
                PART,
                format!("{} does not start: {reason}", program.display()),
                "install it again",
            )];
        }
        Err(error) => {
            return vec![Finding::bad(
                PART,
                format!("{}: {error}", program.display()),
                "correct VIGIE__CAPTURE__CHROMIUM",
            )];
        }
    };
    let sandbox = start(&program, settings.capture.sandbox.is_on()).await;
    vec![Finding::good(PART, format!("{found}, {}", program.display())), sandbox]
}

/// Starts it as captures do, and ends it.
async fn start(program: &Path, sandbox: bool) -> Finding {
    let folder = std::env::temp_dir().join(format!("vigie-doctor-{}", std::process::id()));
    let pool = Pool::start(PoolSettings {
        chromium: program.to_owned(),
        work_folder: folder.clone(),
        sandbox: if sandbox { Sandbox::On } else { Sandbox::Off },
        tabs: 1,
        limits: Limits::default(),
        engines: BTreeMap::new(),
        proxies: Vec::new(),
    })
    .await;
    let finding = match pool {
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
            "see above; without a sandbox: VIGIE__CAPTURE__SANDBOX=off",
        ),
    };
    let _already_gone = std::fs::remove_dir_all(folder);
    finding
}
