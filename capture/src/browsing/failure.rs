//! How starting and capturing fail.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use vocabulary::CaptureFailure;

use super::address::AddressError;
use super::page::CapturedPage;
use super::wire::WireError;

/// Why a pool could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The sandbox does not run as root.
    #[error(
        "Chromium's sandbox refuses to run as root: run the workers as an unprivileged user, or set \
         VIGIE__CAPTURE__SANDBOX=off to capture without a sandbox"
    )]
    SandboxAsRoot,
    /// The system refuses what the sandbox needs.
    #[error(
        "this system refuses the user namespaces Chromium's sandbox needs: allow them \
         (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), \
         or set VIGIE__CAPTURE__SANDBOX=off to capture without a sandbox"
    )]
    SandboxRefused,
    /// The program does not exist.
    #[error(
        "cannot run Chromium: {0}; install it (Debian: apt-get install chromium) or set VIGIE__CAPTURE__CHROMIUM to its path"
    )]
    NoChromium(String),
    /// The programs that start the browser could not be run.
    #[error("cannot start a browser: {0}; it is started with setpriv (util-linux) and sh, which must be installed")]
    Launch(std::io::Error),
    /// The browser ended or stayed silent.
    #[error("{program} did not answer: {output}")]
    Silent {
        /// The program that was run.
        program: PathBuf,
        /// The end of what it wrote to its error output.
        output: String,
    },
    /// The work folder cannot be used.
    #[error("cannot use the work folder {folder}: {source}")]
    WorkFolder {
        /// The path that was tried.
        folder: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The host's socket cannot be listened on.
    #[error("cannot listen on {socket}: {source}; its folder must be there, and no other host may use it")]
    HostSocket {
        /// The path that was tried.
        socket: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A setting has an unusable value.
    #[error("{0}")]
    Setting(String),
}

/// Why a page was not captured. Later captures are not affected.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The page was not complete in time.
    #[error("the page was not complete within {0:?}")]
    Timeout(Duration),
    /// The engine could not be reached or closed the connection.
    #[error("the engine could not be reached: {0}")]
    Network(String),
    /// The page is over the size limit.
    #[error("the page is over {limit} bytes")]
    TooLarge {
        /// The limit that was exceeded.
        limit: u64,
    },
    /// The page keeps redirecting.
    #[error("the page redirects more than {limit} times")]
    Redirects {
        /// The limit that was exceeded.
        limit: u32,
    },
    /// The engine answered with an HTTP error and no page.
    #[error("the engine answered HTTP {0} without a page")]
    HttpError(u16),
    /// The search ended on a host that is not the engine's.
    #[error("the search ended on {}, which is not the engine's", .0.final_url)]
    Strayed(Box<CapturedPage>),
    /// The connection ended before the page was complete. What was received is shown, but is no answer.
    #[error("the page broke off before its end")]
    Cut(Box<CapturedPage>),
    /// The engine asked for consent again right after it was given.
    #[error("the engine asks for consent again after it was given")]
    Consent(Box<CapturedPage>),
    /// The browser failed.
    #[error("the browser failed: {0}")]
    Browser(String),
    /// The browser could not be started.
    #[error("the browser could not be started: {0}")]
    Start(#[from] StartError),
    /// The request has no address to search at.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The pool was shut down.
    #[error("the browsers are being shut down")]
    ShuttingDown,
}

impl CaptureError {
    /// The reason that the ledger records for the error; several errors share one, and a bad address or shutting down counts as a failure of the
    /// browser.
    pub fn failure(&self) -> CaptureFailure {
        match self {
            Self::Timeout(_) => CaptureFailure::Timeout,
            Self::Network(_) | Self::Strayed(_) | Self::Cut(_) => CaptureFailure::Network,
            Self::TooLarge { .. } => CaptureFailure::TooLarge,
            Self::Redirects { .. } => CaptureFailure::Redirects,
            Self::HttpError(_) => CaptureFailure::HttpError,
            Self::Consent(_) => CaptureFailure::Consent,
            Self::Browser(_) | Self::Start(_) | Self::Address(_) | Self::ShuttingDown => CaptureFailure::Browser,
        }
    }

    /// Returns the page that was received but is no answer, always with its picture; `None` when no page was received.
    pub fn into_page(self) -> Option<CapturedPage> {
        match self {
            Self::Strayed(page) | Self::Cut(page) | Self::Consent(page) => Some(*page),
            _ => None,
        }
    }

    /// Returns whether the tab can load another page after this error; otherwise it is closed and its browser retired.
    pub(super) fn leaves_the_tab_usable(&self) -> bool {
        matches!(
            self,
            Self::Network(_)
                | Self::HttpError(_)
                | Self::Strayed(_)
                | Self::Cut(_)
                | Self::Consent(_)
                | Self::Address(_)
        )
    }
}

impl From<WireError> for CaptureError {
    /// Any failure of the connection to the browser counts as [`Self::Browser`], with its text.
    fn from(error: WireError) -> Self {
        Self::Browser(error.to_string())
    }
}
