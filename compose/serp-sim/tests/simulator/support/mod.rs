//! A simulator on a free port, a browser's requests, and a reader.

pub mod reader;

use std::net::SocketAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{HOST, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use runtime::Clock;
use serde_json::Value;
use serp_sim::{Settings, Simulator};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub const DESKTOP: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36";
pub const MOBILE: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36";
pub const TABLET: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36";

/// A running simulator whose clock is set by hand.
pub struct Stand {
    pub address: SocketAddr,
    pub clock: Clock,
    pub client: Client,
    stop: CancellationToken,
    pub served: JoinHandle<Result<(), serp_sim::Error>>,
}

impl Stand {
    /// A simulator with this seed, its clock at the same instant in every run.
    pub async fn of_seed(seed: u64) -> Self {
        let start: DateTime<Utc> = "2026-03-02T10:30:00Z".parse().unwrap();
        let clock = Clock::by_hand(start);
        let settings = Settings {
            seed,
            weight: 0,
            clock: clock.clone(),
            ..Settings::default()
        };
        let simulator = Simulator::bind(settings).await.unwrap();
        let address = simulator.address();
        let stop = CancellationToken::new();
        let served = tokio::spawn(simulator.serve(stop.clone().cancelled_owned()));
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .build()
            .unwrap();
        Self {
            address,
            clock,
            client,
            stop,
            served,
        }
    }

    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Requests a path as a browser that knows the simulator as `serp.test`.
    pub async fn get(&self, path: &str, agent: &str) -> Response {
        let request = self.client.get(format!("http://{}{path}", self.address));
        request
            .header(HOST, "serp.test")
            .header(USER_AGENT, agent)
            .send()
            .await
            .unwrap()
    }

    pub async fn page(&self, path: &str, agent: &str) -> String {
        let response = self.get(path, agent).await;
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    }

    pub async fn json(&self, path: &str) -> Value {
        let response = self.get(path, DESKTOP).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    /// The truth of the last served page, from the address in the record of served pages.
    pub async fn truth_of_last(&self) -> Value {
        let served = self.json("/served").await;
        let truth = served.as_array().unwrap().last().unwrap()["truth"]
            .as_str()
            .unwrap()
            .to_owned();
        self.json(&truth).await
    }

    pub async fn order_fault(&self, order: Value) -> u16 {
        let request = self
            .client
            .post(format!("http://{}/control/fault", self.address))
            .json(&order);
        request.send().await.unwrap().status().as_u16()
    }
}
