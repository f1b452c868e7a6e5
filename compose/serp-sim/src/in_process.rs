//! The simulator without its server: the pages it would have served, for callers that need pages of the past, or many at once.

use chrono::{DateTime, Utc};
use url::Url;

use crate::auction::result_page;
use crate::device::Device;
use crate::engine::Engine;
use crate::render::Renderer;
use crate::results::ResultPage;
use crate::search::{Parameters, Search};
use crate::server::{Error, Settings};
use crate::{images, response, styles};

/// Answers searches without a network. The same settings give the same pages as a [`crate::Simulator`].
pub struct InProcessEngine {
    seed: u64,
    rotation_millis: i64,
    renderer: Renderer,
}

/// A result page as a browser would have received it.
#[derive(Clone, Debug)]
pub struct ResultResponse {
    /// The HTML document.
    pub html: String,
    /// The response headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Pictures and style sheets that the page may load.
    pub files: Vec<ResponseFile>,
}

/// A file that a page may load.
#[derive(Clone, Debug)]
pub struct ResponseFile {
    /// Its address, as the page names it.
    pub url: String,
    /// The media type, as in `image/webp`.
    pub mime: &'static str,
    /// Content of the file.
    pub bytes: &'static [u8],
}

impl InProcessEngine {
    /// Uses the seed, rotation and weight of the settings, not their address and clock. Fails only when a template is wrong.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            seed: settings.seed,
            rotation_millis: settings.rotation_millis(),
            renderer: Renderer::new(settings.weight)?,
        })
    }

    /// Returns the page at the address of a search (`http://serp.test/google/search?q=…`), for a device and an instant. Faults are ignored. Fails
    /// with [`Error::NoSearch`] for any other path.
    pub fn answer(&self, address: &Url, device: Device, at: DateTime<Utc>) -> Result<ResultResponse, Error> {
        let page = self.page(address, device, at)?;
        let origin = address.origin().ascii_serialization();
        let headers = response::PAGE_HEADERS.map(|(name, value)| (name.to_string(), value.to_owned()));
        Ok(ResultResponse {
            html: self.renderer.results(&page, &origin)?,
            headers: headers.into(),
            files: page_files(&page, &origin),
        })
    }

    /// Returns the domains that advertise on the page that [`InProcessEngine::answer`] returns, in text and shopping ads, sorted, each once. Fails
    /// with [`Error::NoSearch`] for any other path.
    pub fn advertisers(&self, address: &Url, device: Device, at: DateTime<Utc>) -> Result<Vec<String>, Error> {
        let page = self.page(address, device, at)?;
        let of_products = page.products.into_iter().map(|product| product.domain);
        let mut hosts: Vec<String> = page.ads.into_iter().map(|ad| ad.domain).chain(of_products).collect();
        hosts.sort_unstable();
        hosts.dedup();
        Ok(hosts)
    }

    /// Builds the content of the page at the address of a search. Fails with [`Error::NoSearch`] unless the path is `/google/search` or
    /// `/bing/search`.
    fn page(&self, address: &Url, device: Device, at: DateTime<Utc>) -> Result<ResultPage, Error> {
        let engine = match address.path() {
            "/google/search" => Engine::Google,
            "/bing/search" => Engine::Bing,
            _ => return Err(Error::NoSearch(address.to_string())),
        };
        let parameters = Parameters::from_query(address.query().unwrap_or_default());
        let search = Search::new(engine, device, &parameters, None);
        Ok(result_page(self.seed, self.rotation_millis, &search, at))
    }
}

/// Collects all files that the templates can name on a page: pictures of products, icons of sites, each once, and the style sheet.
fn page_files(page: &ResultPage, origin: &str) -> Vec<ResponseFile> {
    let favicon = |site: &str| format!("/images/favicon/{site}.svg");
    let sites = page.ads.iter().map(|ad| &ad.domain);
    let sites = sites.chain(page.organic.iter().map(|result| &result.domain));
    let mut paths: Vec<String> = sites.map(|site| favicon(site)).collect();
    paths.extend(page.products.iter().map(|product| product.image.clone()));
    paths.push(favicon("choice"));
    paths.sort_unstable();
    paths.dedup();
    let pictures = paths.into_iter().filter_map(|path| {
        let (kind, name) = path.strip_prefix("/images/")?.split_once('/')?;
        let (mime, bytes) = images::picture(kind, name);
        let url = format!("{origin}{path}");
        Some(ResponseFile { url, mime, bytes })
    });
    let sheet = ResponseFile {
        url: format!("{origin}/styles/{}.css", page.engine),
        mime: "text/css",
        bytes: styles::text().as_bytes(),
    };
    pictures.chain([sheet]).collect()
}
