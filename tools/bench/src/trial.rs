//! The stack that is measured.

use std::path::{Path, PathBuf};

use vigie::trial::{TrialError, TrialStack};

const PROGRAM: &str = "vigie";

/// Starts a stack with the `vigie` binary in this one's folder, as a build leaves them.
pub async fn start() -> Result<TrialStack, TrialError> {
    start_with(&[]).await
}

/// Starts a stack as [`start`] does, with these settings, given by the names of their variables.
pub async fn start_with(settings: &[(&str, &str)]) -> Result<TrialStack, TrialError> {
    TrialStack::start_with(&sibling(&std::env::current_exe()?), settings).await
}

fn sibling(own: &Path) -> PathBuf {
    own.with_file_name(PROGRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_binary_is_named_with_the_command_that_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        let program = sibling(&folder.path().join("vigie-bench"));
        let said = TrialStack::start(&program).await.unwrap_err().to_string();
        assert!(
            said.contains(&program.display().to_string()) && said.contains("cargo build -p vigie"),
            "{said}"
        );
    }
}
