//! The simulated engines without their server: the pages of the newest days, and earlier advertisers.

use std::net::{Ipv4Addr, SocketAddr};

use capture::browsing::{CapturedPage, EngineAddress, Resource, Timings, search_address};
use chrono::{DateTime, Utc};
use postgres::terms::TermToCapture;
use serp_sim::InProcessEngine;
use url::Url;
use vocabulary::Device;

use super::DemoError;

/// Pages sampled to learn who advertises on a term.
const SAMPLES: i32 = 4;
/// Addresses name the simulated engines as browsers do; nothing is sent to this one.
const NOWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// What the simulated engines show at any time: the same pages that browsers get.
pub(super) struct Market(InProcessEngine);

impl Market {
    /// Loads the simulated engines; starts no server.
    pub(super) fn open() -> Result<Self, DemoError> {
        Ok(Self(InProcessEngine::new(&serp_sim::Settings::default())?))
    }

    /// Makes the result page for a term at an instant, with its resources, as if a browser had received it; it has no screenshot, no timings and no
    /// browser version.
    pub(super) fn page(
        &self,
        term: &TermToCapture,
        device: Device,
        at: DateTime<Utc>,
    ) -> Result<CapturedPage, DemoError> {
        let address = simulator_address(term, device)?;
        let response = self.0.answer(&address, simulated_device(device), at)?;
        let resources = response.files.into_iter().map(|file| Resource {
            url: file.url,
            mime: file.mime.to_owned(),
            bytes: file.bytes.to_vec(),
        });
        Ok(CapturedPage {
            html: response.html,
            final_url: address,
            status: 200,
            headers: response.headers,
            resources: resources.collect(),
            screenshot: None,
            timings: Timings::default(),
            consent_answered: false,
            browser_version: String::new(),
        })
    }

    /// Lists domains that advertise on a term between two instants, sorted and each once: those on [`SAMPLES`] pages spread over that time; others
    /// may be missing.
    pub(super) fn advertisers(
        &self,
        term: &TermToCapture,
        device: Device,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<Vec<String>, DemoError> {
        let address = simulator_address(term, device)?;
        let mut domains = Vec::new();
        for look in 0..SAMPLES {
            let at = from + (until - from) / SAMPLES * look;
            domains.extend(self.0.advertisers(&address, simulated_device(device), at)?);
        }
        domains.sort_unstable();
        domains.dedup();
        Ok(domains)
    }
}

/// Builds the address at which the simulated engine is searched for a term.
fn simulator_address(term: &TermToCapture, device: Device) -> Result<Url, DemoError> {
    let engine = EngineAddress::simulator(term.engine, NOWHERE);
    Ok(search_address(&engine, &workers::search_for(term, device))?)
}

/// Returns the simulator's word for a device.
const fn simulated_device(device: Device) -> serp_sim::Device {
    match device {
        Device::Desktop => serp_sim::Device::Desktop,
        Device::Mobile => serp_sim::Device::Mobile,
        Device::Tablet => serp_sim::Device::Tablet,
    }
}
