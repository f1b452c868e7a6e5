//! The pool: hands out tabs, enforces deadlines, replaces browsers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use vocabulary::{Device, Engine};

use super::address::{AddressError, search_address};
use super::browser::Browser;
use super::consent::ConsentStore;
use super::device::DeviceProfile;
use super::egress::{Reach, egress};
use super::failure::{CaptureError, StartError};
use super::gate::Gate;
use super::job::Job;
use super::launcher::{BrowserHome, Launcher};
use super::open_page::{self, OpenPage, PictureRequests};
use super::page::CapturedPage;
use super::printing::{self, PageToPrint, PrintError};
use super::profile::Profile;
use super::request::SearchRequest;
use super::settings::{Sandbox, Settings};
use super::tab::Tab;
use super::work_folder::WorkFolder;

/// A tab that has not closed by then takes its whole browser with it.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// Next to the pools' folders, so that it outlives them.
const CONSENT_FILE: &str = "consent.json";
/// Pages between two checks of a browser's memory.
const MEMORY_CHECK_PAGES: u32 = 10;

/// Captures searches. Clones share the pool.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

/// What all clones of a pool share.
struct Inner {
    settings: Arc<Settings>,
    launcher: Launcher,
    permits: Arc<Semaphore>,
    gates: Vec<Arc<Gate>>,
    /// By whether their pages use proxies.
    browsers: Mutex<HashMap<bool, Arc<Browser>>>,
    consent: ConsentStore,
    captured: AtomicU64,
    failed: AtomicU64,
    started: AtomicU64,
}

/// State of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Browsers that can take jobs.
    pub browsers: Vec<BrowserHealth>,
    /// Tabs that could be used at once.
    pub tabs: usize,
    /// Tabs without a job.
    pub free_tabs: usize,
    /// Pages captured since the start.
    pub captured: u64,
    /// Captures that failed since the start.
    pub failed: u64,
    /// Browsers started since the start.
    pub browsers_started: u64,
}

/// State of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserHealth {
    /// Version of the program.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Pages it has loaded.
    pub pages: u32,
}

impl Pool {
    /// Starts a pool and its first browser, so that a machine that cannot capture reports it at once; other browsers start when they are needed.
    /// Fails without tabs, with an unusable proxy, or as root with a sandbox unless a host runs the browsers. Call it on a tokio runtime that lives
    /// as long as the pool.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if settings.tabs == 0 {
            return Err(StartError::Setting(
                "VIGIE__CAPTURE__TABS must be at least 1".to_owned(),
            ));
        }
        if settings.sandbox == Sandbox::On && settings.host.is_none() && nix::unistd::geteuid().is_root() {
            return Err(StartError::SandboxAsRoot);
        }
        let mut gates = Vec::with_capacity(settings.proxies.len());
        for proxy in &settings.proxies {
            gates.push(Arc::new(Gate::open(&settings, proxy).await?));
        }
        let folder_error = |source| StartError::WorkFolder {
            folder: settings.work_folder.clone(),
            source,
        };
        let home = match &settings.host {
            Some(socket) => {
                // What outlives a pool is kept there in either case.
                std::fs::create_dir_all(&settings.work_folder).map_err(folder_error)?;
                BrowserHome::Host(socket.clone())
            }
            None => BrowserHome::Here {
                program: settings.chromium.clone(),
                folder: WorkFolder::create(&settings.work_folder).map_err(folder_error)?,
            },
        };
        let launcher = Launcher::start(home).map_err(folder_error)?;
        let inner = Arc::new(Inner {
            launcher,
            permits: Arc::new(Semaphore::new(settings.tabs)),
            gates,
            browsers: Mutex::default(),
            consent: ConsentStore::read(settings.work_folder.join(CONSENT_FILE)),
            captured: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            started: AtomicU64::new(0),
            settings: Arc::new(settings),
        });
        if let Err(error) = inner.browser(false).await {
            inner.launcher.close().await;
            return Err(error);
        }
        Ok(Self { inner })
    }

    /// Captures a search. Waits for a free tab without a limit; the deadline (the request's, else [`super::Limits::deadline`]) starts then. The work
    /// continues to its end when the caller does not wait for it.
    pub async fn capture(&self, request: SearchRequest) -> Result<CapturedPage, CaptureError> {
        self.capture_and_hold(request).await.map(|(page, _)| page)
    }

    /// Captures as [`Pool::capture`] does and keeps the page open in its tab for as long as its [`OpenPage`] lives, at most [`OpenPage::LIMIT`].
    pub async fn capture_and_hold(&self, request: SearchRequest) -> Result<(CapturedPage, OpenPage), CaptureError> {
        let inner = Arc::clone(&self.inner);
        match tokio::spawn(async move { inner.capture(request).await }).await {
            Ok(captured) => captured,
            Err(panic) => Err(CaptureError::Browser(panic.to_string())),
        }
    }

    /// Prints a page of our own as PDF, in a browser that ends with it. Waits for a free tab without a limit; [`PrintError::LIMIT`] starts then.
    pub async fn print(&self, page: &PageToPrint) -> Result<Vec<u8>, PrintError> {
        let _permit = self
            .inner
            .permits
            .acquire()
            .await
            .map_err(|_| CaptureError::ShuttingDown)?;
        let printed = timeout(PrintError::LIMIT, async {
            let host = page.address.host_str().unwrap_or_default();
            let browser = Browser::start(&self.inner.settings, &self.inner.launcher, Reach::Host(host)).await;
            let browser = browser.map_err(CaptureError::from)?;
            printing::print(&browser, page, &self.inner.settings.limits).await
        });
        printed
            .await
            .unwrap_or(Err(PrintError::Page(CaptureError::Timeout(PrintError::LIMIT))))
    }

    /// Names the route of searches on this engine from this country: `direct`, or the proxy's host and port. What an engine thinks of one route says
    /// nothing about the others.
    pub fn route(&self, engine: Engine, country: &str) -> String {
        let proxy = egress(&self.inner.settings, engine, country).and_then(|index| self.inner.gates.get(index));
        proxy.map_or_else(|| "direct".to_owned(), |gate| gate.address().to_owned())
    }

    /// Returns the pool's state right now: its usable browsers (version, process id, pages so far), its tabs, and its counts since the start. Waits
    /// while a browser is being started.
    pub async fn health(&self) -> Health {
        let browsers = self.inner.browsers.lock().await;
        let usable = browsers.values().filter(|browser| browser.is_usable());
        Health {
            browsers: usable
                .map(|browser| BrowserHealth {
                    version: browser.version.clone(),
                    pid: browser.pid(),
                    pages: browser.pages(),
                })
                .collect(),
            tabs: self.inner.settings.tabs,
            free_tabs: self.inner.permits.available_permits(),
            captured: self.inner.captured.load(Ordering::Relaxed),
            failed: self.inner.failed.load(Ordering::Relaxed),
            browsers_started: self.inner.started.load(Ordering::Relaxed),
        }
    }

    /// Ends all browsers and removes the pool's folder. Running captures fail, later ones with [`CaptureError::ShuttingDown`].
    pub async fn shutdown(&self) {
        self.inner.permits.close();
        self.inner.launcher.close().await;
        self.inner.browsers.lock().await.clear();
    }
}

/// A tab after its job.
struct FinishedTab {
    tab: Tab,
    device: Device,
    /// Whether it may load the next page.
    usable: bool,
    /// Requests for a picture that may still come.
    picture_requests: Option<PictureRequests>,
}

impl Inner {
    /// Returns the usable browser for pages with or without proxies; starts one when there is none, while other callers wait.
    async fn browser(&self, proxied: bool) -> Result<Arc<Browser>, StartError> {
        let mut browsers = self.browsers.lock().await;
        if let Some(browser) = browsers.get(&proxied).filter(|browser| browser.is_usable()) {
            return Ok(Arc::clone(browser));
        }
        browsers.remove(&proxied);
        let reach = if proxied { Reach::Relays } else { Reach::Engines };
        let browser = Browser::start(&self.settings, &self.launcher, reach).await?;
        self.started.fetch_add(1, Ordering::Relaxed);
        browsers.insert(proxied, Arc::clone(&browser));
        Ok(browser)
    }

    /// Waits for a free tab without a limit, captures, and counts the outcome; [`CaptureError::ShuttingDown`], which is not counted, once the pool is
    /// shut down.
    async fn capture(self: Arc<Self>, request: SearchRequest) -> Result<(CapturedPage, OpenPage), CaptureError> {
        let asked_at = Instant::now();
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| CaptureError::ShuttingDown)?;
        let captured = Arc::clone(&self).capture_with(request, asked_at, permit).await;
        match &captured {
            Ok(_) => &self.captured,
            Err(_) => &self.failed,
        }
        .fetch_add(1, Ordering::Relaxed);
        captured
    }

    /// Captures in a tab of the right browser within the deadline, which starts now. The permit is released once the tab is ready for the next job,
    /// after the result is returned.
    async fn capture_with(
        self: Arc<Self>,
        request: SearchRequest,
        asked_at: Instant,
        permit: OwnedSemaphorePermit,
    ) -> Result<(CapturedPage, OpenPage), CaptureError> {
        let limits = &self.settings.limits;
        let engine = self
            .settings
            .engines
            .get(&request.engine)
            .ok_or(AddressError::NoEngine(request.engine))?;
        let address = search_address(engine, &request)?;
        let profile = Profile::for_request(&request);
        let deadline = request.deadline.unwrap_or(limits.deadline);
        let until = Instant::now() + deadline;
        let late = |_| CaptureError::Timeout(deadline);

        let gate =
            egress(&self.settings, profile.engine, profile.locale.country()).and_then(|index| self.gates.get(index));
        let browser = timeout_at(until, self.browser(gate.is_some())).await.map_err(late)??;
        let opened = timeout_at(until, browser.tab(gate))
            .await
            .map_err(late)
            .and_then(|tab| Ok(tab?));
        let tab = match opened {
            Ok(tab) => tab,
            Err(error) => {
                // A half-opened tab stays in the browser.
                browser.retire();
                return Err(error);
            }
        };
        let job = Job {
            profile: &profile,
            engine,
            address: &address,
            limits,
            screenshot: request.screenshot,
            resources: request.resources,
            consent: &self.consent,
            browser_version: &browser.version,
            asked_at,
        };
        let captured = timeout_at(until, job.run(&tab)).await.map_err(late).flatten();
        if let Err(error) = &captured {
            tracing::info!(engine = %request.engine, device = %request.device, %error, "a capture failed");
        }
        let (open_page, picture_requests) = open_page::pair();
        let used = FinishedTab {
            tab,
            device: request.device,
            usable: captured.as_ref().err().is_none_or(CaptureError::leaves_the_tab_usable),
            picture_requests: captured.is_ok().then_some(picture_requests),
        };
        tokio::spawn(Arc::clone(&self).finish(browser, used, permit));
        captured.map(|page| (page, open_page))
    }

    /// Ends a job. While the tab is usable: serves the picture requests for its page, if any (a failure makes it unusable), and prepares it for the
    /// next job. Otherwise retires the browser and closes the tab. A browser that does not manage this within [`CLOSE_LIMIT`] is killed. Then adds
    /// one to the browser's pages, and releases the permit last.
    async fn finish(self: Arc<Self>, browser: Arc<Browser>, used: FinishedTab, permit: OwnedSemaphorePermit) {
        let FinishedTab {
            tab,
            device,
            usable,
            picture_requests,
        } = used;
        let usable = usable
            && match picture_requests {
                Some(picture_requests) => picture_requests.serve(&tab, DeviceProfile::for_device(device)).await,
                None => true,
            };
        if usable {
            if !matches!(timeout(CLOSE_LIMIT, browser.take_back(tab)).await, Ok(Ok(()))) {
                browser.kill();
            }
        } else {
            browser.retire();
            if !matches!(timeout(CLOSE_LIMIT, tab.close()).await, Ok(Ok(()))) {
                browser.kill();
            }
        }
        self.recycle(&browser).await;
        drop(permit);
    }

    /// Counts a page of the browser; retires it after [`super::Limits::recycle_after_pages`] or, checked every [`MEMORY_CHECK_PAGES`] pages, when its
    /// memory is over the limit. A browser that is no longer usable is dropped from the pool.
    async fn recycle(&self, browser: &Arc<Browser>) {
        let limits = &self.settings.limits;
        let pages = browser.count_page();
        if pages >= limits.recycle_after_pages {
            browser.retire();
        } else if pages.is_multiple_of(MEMORY_CHECK_PAGES)
            && let Ok(Ok(bytes)) = timeout(CLOSE_LIMIT, browser.memory_bytes()).await
            && bytes > limits.recycle_memory_bytes
        {
            tracing::info!(bytes, pages, "a browser has grown over the limit and is replaced");
            browser.retire();
        }
        if !browser.is_usable() {
            self.browsers
                .lock()
                .await
                .retain(|_, other| !Arc::ptr_eq(other, browser));
        }
    }
}
