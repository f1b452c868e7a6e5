//! The server: its settings, lifetime and routes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use runtime::Clock;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::faults::{FaultOrder, FaultOrders};
use crate::ledger::ServedPages;
use crate::render::Renderer;
use crate::search::Parameters;
use crate::world::World;
use crate::{answer, consent, images, styles, volumes};

/// How long open connections, such as pages that never finish, may go on at shutdown.
const GRACE: Duration = Duration::from_secs(1);

/// Settings of a simulator.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Seed of all randomness: the same seed gives the same pages.
    pub seed: u64,
    /// How often the ads of a query change.
    pub rotation: Duration,
    /// Bytes of inert script in each result page, so that pages are as large as real ones.
    pub weight: usize,
    /// The system's clock, except in tests.
    pub clock: Clock,
}

impl Default for Settings {
    /// A free loopback port, seed 1, ads that change every hour, 120 kB of script in each page, the system's clock.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            seed: 1,
            rotation: Duration::from_hours(1),
            weight: 120_000,
            clock: Clock::system(),
        }
    }
}

impl Settings {
    pub(crate) fn rotation_millis(&self) -> i64 {
        i64::try_from(self.rotation.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Why the simulator cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is in use or does not belong to this machine.
    #[error("cannot listen on {address}: {source}; choose a free port, or port 0 to take any")]
    Listen {
        /// The address of the settings.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The address is not that of a search on either engine.
    #[error("{0} is no address of a search: its path is /google/search or /bing/search")]
    NoSearch(String),
    /// A template is wrong.
    #[error("a page template is wrong: {0}")]
    Template(#[from] minijinja::Error),
    /// The server's socket failed.
    #[error("the server failed: {0}")]
    Serve(#[from] std::io::Error),
}

/// A simulator that has bound its address and is ready to serve.
pub struct Simulator {
    listener: TcpListener,
    address: SocketAddr,
    world: Arc<World>,
}

impl Simulator {
    /// Binds the address of the settings; answers nothing until [`Simulator::serve`]. Fails for an address that cannot be used or a wrong template.
    pub async fn bind(settings: Settings) -> Result<Self, Error> {
        let listen = |source| Error::Listen {
            address: settings.listen,
            source,
        };
        let listener = TcpListener::bind(settings.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let world = World {
            seed: settings.seed,
            rotation_millis: settings.rotation_millis(),
            clock: settings.clock,
            renderer: Renderer::new(settings.weight)?,
            orders: FaultOrders::default(),
            ledger: ServedPages::default(),
            stop: CancellationToken::new(),
        };
        Ok(Self {
            listener,
            address,
            world: Arc::new(world),
        })
    }

    /// The address it listens on, with the port it was given.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` completes, or until the server fails, which is the only error; open connections then have `GRACE` to finish, and are
    /// cut after it.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let stop = self.world.stop.clone();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            shutdown.await;
            stop.cancel();
        });
        let overtime = self.world.stop.clone();
        let serving = axum::serve(self.listener, router(self.world))
            .with_graceful_shutdown(stopped)
            .into_future();
        tokio::select! {
            served = serving => served?,
            () = async { overtime.cancelled().await; tokio::time::sleep(GRACE).await } => (),
        }
        Ok(())
    }
}

/// Builds the routes of the server: the engines' pages and what they load, the truth, the records and the orders.
fn router(world: Arc<World>) -> Router {
    let mut router = Router::new()
        .route("/google/search", get(answer::google))
        .route("/bing/search", get(answer::bing))
        .route("/google/consent/ml", get(consent::wall))
        .route("/google/consent/save", post(consent::save))
        .route("/google/sorry/index", get(answer::sorry))
        .route("/images/{kind}/{name}", get(images::image))
        .route("/styles/{engine}", get(styles::sheet))
        .route("/truth", get(answer::truth))
        .route("/volumes", post(volumes::volumes))
        .route("/served", get(served))
        .route("/clicks", get(clicks))
        .route(
            "/control/fault",
            get(list_faults).post(order_fault).delete(clear_faults),
        )
        .route("/livez", get(async || "ok"));
    for path in ["/google", "/google/"] {
        router = router.route(path, get(answer::google_home));
    }
    for path in ["/bing", "/bing/"] {
        router = router.route(path, get(answer::bing_home));
    }
    for path in ["/google/aclk", "/google/pagead/aclk", "/google/url"] {
        router = router.route(path, get(answer::google_redirect));
    }
    for path in ["/bing/aclk", "/bing/aclick"] {
        router = router.route(path, get(answer::bing_redirect));
    }
    router.with_state(world)
}

/// `GET /served`: the pages served since the instant `since`, or all that are kept, oldest first; 400 when that is no instant.
async fn served(State(world): State<Arc<World>>, RawQuery(query): RawQuery) -> Response {
    let parameters = Parameters::from_query(query.as_deref().unwrap_or_default());
    match parameters.instant("since") {
        Ok(since) => Json(world.ledger.served_since(since)).into_response(),
        Err(message) => (StatusCode::BAD_REQUEST, message).into_response(),
    }
}

async fn clicks(State(world): State<Arc<World>>) -> impl IntoResponse {
    Json(world.ledger.clicks())
}

async fn list_faults(State(world): State<Arc<World>>) -> impl IntoResponse {
    Json(world.orders.list())
}

/// `POST /control/fault`: adds an order; answers with the number of orders in force.
async fn order_fault(State(world): State<Arc<World>>, Json(order): Json<FaultOrder>) -> impl IntoResponse {
    tracing::info!(fault = %order.fault, engine = ?order.engine, "searches are to fail");
    world.orders.add(order);
    (
        StatusCode::CREATED,
        Json(json!({ "orders": world.orders.list().len() })),
    )
}

async fn clear_faults(State(world): State<Arc<World>>) -> impl IntoResponse {
    world.orders.clear();
    StatusCode::NO_CONTENT
}
