//! A local simulator of Google and Bing: a web server whose result pages have the structure of real ones of several years, with fictional
//! advertisers. The ads of each page are known (its truth), and pages fail on request in the ways real ones do.
//!
//! A page is a function of the seed, the search (words, localization, device) and the instant: nothing is stored, so the truth of any
//! page is available at any time. Addresses:
//!
//! | Address | Answers |
//! | --- | --- |
//! | `/google/search?q=&hl=&gl=&uule=&num=` | a result page of Google |
//! | `/bing/search?q=&cc=&setlang=&mkt=` | a result page of Bing |
//! | `…&gen=google-2019` | that page in the layout of a [`Generation`] |
//! | `…&fault=captcha` | that page with a fault; a word `fault-captcha` in the query does the same |
//! | `/truth?<the same>&engine=&device=&at=` | what a faultless reader reads off that page |
//! | `POST /volumes` | how often words are searched in a month |
//! | `/served?since=` | the last 10,000 result pages served, each with the address of its truth |
//! | `/clicks` | how often an ad was clicked |
//! | `GET`, `POST`, `DELETE /control/fault` | orders that make searches fail |
//!
//! Document order, by which `realPosition` counts, is that of the real pages: a shopping unit above the results comes
//! before the text ads of the top; the side column comes last, and in it the shopping unit before the text ads.

mod advertisers;
mod answer;
mod auction;
mod consent;
mod copywriting;
mod creative;
mod device;
mod draw;
mod engine;
mod failing;
mod faults;
mod generation;
mod images;
mod in_process;
mod labels;
mod ledger;
mod links;
mod localization;
mod money;
mod occasion;
mod organic;
mod render;
mod response;
mod results;
mod search;
mod server;
mod styles;
mod truth;
mod volumes;
mod world;

pub use advertisers::owner_of;
pub use device::Device;
pub use engine::Engine;
pub use generation::{GENERATIONS, Generation, UnknownGenerationError};
pub use in_process::{InProcessEngine, ResponseFile, ResultResponse};
pub use server::{Error, Settings, Simulator};
