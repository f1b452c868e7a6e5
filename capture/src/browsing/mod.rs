//! A search goes in, a captured page comes out.
//!
//! A [`Pool`] keeps one Chromium per kind of egress (the machine's own, or proxies) and as many tabs in it as [`Settings::tabs`] says. A
//! tab has its own browser context and is reused; between jobs it gets a new page and loses all state except the consent cookies of the
//! profile (engine, device, locale). Whatever a page does, [`Pool::capture`] returns within the deadline.
//!
//! The protocol's types come from `headless_chrome`. Its blocking connection is not used: its reader holds the socket's lock for 100 ms at
//! a time (104 ms a call measured), a call to a hung page never returns, and the death of the browser goes unnoticed. [`wire`] uses a pipe
//! instead, which also leaves no debugging port open on the machine.

mod address;
mod browser;
mod clearing;
mod consent;
mod device;
mod egress;
mod emulation;
mod failure;
mod flags;
mod gate;
mod host;
mod job;
mod launcher;
mod loading;
mod open_page;
mod page;
mod places;
mod pool;
mod printing;
mod process;
mod profile;
mod relay;
mod request;
mod resources;
mod screenshot;
mod settings;
mod tab;
mod targets;
mod uule;
mod watch;
mod wire;
mod work_folder;

pub use address::{AddressError, search_address};
pub use failure::{CaptureError, StartError};
pub use host::{BrowserHost, HostSettings};
pub use open_page::OpenPage;
pub use page::{CapturedPage, RESOURCE_BYTES, RESOURCES_BYTES, Resource, Timings};
pub use places::canonical_name;
pub use pool::{BrowserHealth, Health, Pool};
pub use printing::{PageToPrint, PrintError};
pub use request::{SearchLocation, SearchRequest};
pub use settings::{EngineAddress, HostPattern, Limits, Proxy, Sandbox, Settings};
