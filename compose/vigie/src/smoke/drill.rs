//! The restore drill: a stack is backed up and lost, and its backup is restored in another folder.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::Client;
use url::Url;

use super::term::{self, CompanyUser};
use super::{Outcome, REQUEST_TIMEOUT, SmokeError, Views, borrowed, bucket_settings, requests};
use crate::trial::{TrialStack, data_folder, without_settings};

const SECRETS: &str = "VIGIE__SECRETS__KEYS";

/// What the restored stack shows, and how long it took.
#[derive(Debug)]
pub struct Drill {
    captures: (usize, usize),
    views: (Views, Views),
    /// From the beginning of the backup to the loss of the stack: what came in between would be lost.
    recovery_point: Duration,
    /// From the beginning of the restore until the API shows the views again.
    recovery_time: Duration,
}

impl Drill {
    /// Whether the restored stack shows the captures and views of the lost one.
    pub fn agrees(&self) -> bool {
        self.captures.0 == self.captures.1 && self.views.0 == self.views.1
    }

    /// Returns the closing line: captures and views that the restored stack lacks or has too many, and the seconds of both times.
    pub fn line(&self) -> String {
        let sum = |views: &Views| views.values().sum::<u64>();
        format!(
            "drill: captures wrong {}, views wrong {}, recovery point {:.1} s, recovery time {:.1} s",
            self.captures.0.abs_diff(self.captures.1),
            sum(&self.views.0).abs_diff(sum(&self.views.1)),
            self.recovery_point.as_secs_f64(),
            self.recovery_time.as_secs_f64()
        )
    }
}

/// Backs up the stack, encrypted, stops it, restores the backup in another folder, checks the evidence there, and compares what `reader` sees with
/// what the lost stack showed. The folder of the restored stack is kept if they differ.
pub async fn run(
    stack: TrialStack,
    reader: &CompanyUser,
    before: &Outcome,
    s3: Option<&Url>,
) -> Result<Drill, SmokeError> {
    term::disable(&stack).await?;
    let program = std::env::current_exe()?;
    let (backups, data) = (tempfile::tempdir()?, data_folder()?);
    let secrets = stack.setting(SECRETS, "the key of stored credentials")?.to_owned();
    // As root, the commands become the system user, who has to read it.
    let key_folder = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o755))
        .tempdir()?;
    let key = key_folder.path().join("backups.key");
    std::fs::write(&key, crate::random::key()?)?;

    let backing_up = Instant::now();
    let lost = bucket_settings(s3, "lost");
    vigie(&program, "backup", stack.data(), &borrowed(&lost), backups.path(), &key).await?;
    stack.stop().await?;
    let recovery_point = backing_up.elapsed();

    let restoring = Instant::now();
    let restored_files = bucket_settings(s3, "restored");
    let mut settings = borrowed(&restored_files);
    settings.push((SECRETS, secrets.as_str()));
    vigie(&program, "restore", data.path(), &settings, backups.path(), &key).await?;
    let mut restored = TrialStack::start_in(data, &program, &settings).await?;
    let (captures, views) = figures(&restored, reader).await?;
    let drill = Drill {
        captures: (captures, before.captures),
        views: (views, before.views.clone()),
        recovery_point,
        recovery_time: restoring.elapsed(),
    };
    let status = without_settings(&program)
        .args(["evidence", "verify"])
        .env("VIGIE__DATA", restored.data())
        .envs(borrowed(&restored_files))
        .status()
        .await?;
    if !drill.agrees() || !status.success() {
        restored.keep_folder();
    }
    restored.stop().await?;
    ended_well("evidence verify", status)?;
    Ok(drill)
}

/// What the API of a stack shows the reader: captures and views.
async fn figures(stack: &TrialStack, reader: &CompanyUser) -> Result<(usize, Views), SmokeError> {
    let client = Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).build()?;
    let api = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let token = requests::sign_in(&client, &api, reader).await?;
    let captures = requests::captures(&client, &api, &token).await?;
    Ok((captures, requests::views(&client, &api, &token).await?))
}

/// Runs `vigie backup` or `vigie restore` on a data folder.
async fn vigie(
    program: &Path,
    command: &'static str,
    data: &Path,
    settings: &[(&str, &str)],
    backups: &Path,
    key: &Path,
) -> Result<(), SmokeError> {
    let status = without_settings(program)
        .arg(command)
        .arg(backups)
        .arg("--key-file")
        .arg(key)
        .env("VIGIE__DATA", data)
        .envs(settings.iter().copied())
        .status()
        .await?;
    ended_well(command, status)
}

fn ended_well(command: &'static str, status: std::process::ExitStatus) -> Result<(), SmokeError> {
    if status.success() {
        return Ok(());
    }
    Err(SmokeError::Command {
        command,
        how: status.to_string(),
    })
}
