//! `vigie migrate`: brings the schemas of both stores up to date.

use std::process::ExitCode;

use api::dashboards;
use runtime::sealing::Keys;

use super::CommandError;
use crate::connections;
use crate::terminal::say;

/// Migrates the schemas of the queue and of Postgres, encrypts stored credentials that are in plain or under an older key, then migrates ClickHouse;
/// prints how many migrations ClickHouse took. The first failure ends it; what was done before stays.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings_of_stack()?;
    super::block_on(async {
        let postgres = connections::postgres(&settings, "vigie migrate")?;
        let direct = connections::postgres_direct(&settings, &postgres, "vigie migrate")?;
        let analytics = connections::analytics(&settings)?;
        schedules::migrate(direct.pool()).await?;
        postgres::migrate(&direct).await?;
        if settings.postgres.direct_url.is_some() {
            postgres::set_role_limits(&postgres).await?;
        }
        let keys = Keys::read(settings.secrets.keys.as_ref()).map_err(dashboards::DashboardsError::from)?;
        dashboards::seal_stored(&postgres, &keys).await?;
        let applied = analytics::migrate::run(&analytics).await?;
        say(format!(
            "PostgreSQL is up to date; ClickHouse is up to date ({} applied now)",
            applied.len()
        ));
        Ok(ExitCode::SUCCESS)
    })
}
