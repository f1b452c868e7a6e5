//! The server of the simulator.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::{get, post};
use runtime::settings::Google;
use runtime::{Clock, Secret};
use thiserror::Error;
use tokio::net::TcpListener;
use url::Url;

use crate::shared::Shared;
use crate::world::{CLIENT_ID, CLIENT_SECRET, VERSION, World};
use crate::{ads, consent, console, control, tokens};

/// Why the simulator cannot run.
#[derive(Debug, Error)]
pub enum Error {
    /// An address is taken or not ours.
    #[error("the simulated Google cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The server broke down.
    #[error("the simulated Google failed: {0}")]
    Serve(#[from] std::io::Error),
}

/// A simulated Google that is bound to its address.
#[derive(Debug)]
pub struct Simulator {
    listener: TcpListener,
    router: Router,
}

impl Simulator {
    /// Binds an address. `domains` are those of the sites that the person with all rights has in Search Console.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(address: SocketAddr, domains: &[&str], clock: Clock) -> Result<Self, Error> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| Error::Listen { address, source })?;
        let shared = Shared::new(World::new(domains), clock);
        let router = Router::new()
            .route("/livez", get(async || "ok"))
            .route("/o/oauth2/v2/auth", get(consent::page).post(consent::answer))
            .route("/token", post(tokens::token))
            .route("/revoke", post(tokens::revoke))
            .route("/webmasters/v3/sites", get(console::sites))
            .route(
                "/webmasters/v3/sites/{site}/searchAnalytics/query",
                post(console::query),
            )
            .route("/control/faults", post(control::fault))
            .route("/control/reset", post(control::reset))
            .route("/control/journal", get(control::journal))
            .route("/control/lists", get(control::lists).post(control::edit))
            .fallback(ads::call)
            .with_state(shared);
        Ok(Self { listener, router })
    }

    /// Answers until `shutdown`.
    ///
    /// # Errors
    /// When the server breaks down.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        Ok(axum::serve(self.listener, self.router)
            .with_graceful_shutdown(shutdown)
            .await?)
    }

    /// Starts one on a free port of this machine, for a test; it ends with the test's runtime.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(domains: &[&str], clock: Clock) -> Result<Running, Error> {
        let simulator = Self::bind(SocketAddr::from(([127, 0, 0, 1], 0)), domains, clock).await?;
        let address = simulator.listener.local_addr()?;
        tokio::spawn(simulator.serve(std::future::pending()));
        Ok(Running { address })
    }
}

/// A simulator that runs.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
}

impl Running {
    /// Its base address.
    ///
    /// # Panics
    /// Never: an address of a socket makes a valid URL.
    pub fn url(&self) -> Url {
        let text = format!("http://{}", self.address);
        Url::parse(&text).unwrap_or_else(|error| unreachable!("{text}: {error}"))
    }

    /// The settings that point a client to it.
    ///
    /// # Panics
    /// Never: the paths are valid.
    pub fn settings(&self) -> Google {
        let base = self.url();
        Google {
            client_id: Some(CLIENT_ID.to_owned()),
            client_secret: Secret::new(CLIENT_SECRET.to_owned()),
            version: VERSION.to_owned(),
            ads_url: base.clone(),
            search_console_url: base.clone(),
            consent_url: base
                .join("/o/oauth2/v2/auth")
                .unwrap_or_else(|_| unreachable!("a constant path")),
            oauth_url: base,
            ..Google::default()
        }
    }
}
