//! Chromium's command line.

use super::egress::{Reach, resolver_rules};
use super::settings::{Sandbox, Settings};

/// Flags of every browser. None of them changes what a page shows.
const FLAGS: [&str; 35] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    // No requests except those of captured pages.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--no-pings",
    "--dns-prefetch-disable",
    "--metrics-recording-only",
    "--disable-breakpad",
    "--disable-crash-reporter",
    // What would bypass the resolver rules. Pages get their proxy from their context; what the browser does by itself never uses one.
    "--no-proxy-server",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No prompts, no sound, no keyring.
    "--deny-permission-prompts",
    "--disable-notifications",
    // Nothing would watch a page in another tab.
    "--block-new-web-contents",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    // Tabs work side by side; none is in the background.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-gpu",
    // The pages of a context share one process, one after another: starting one costs a quarter of a small page. Contexts never share one.
    "--renderer-process-limit=1",
    "--hide-scrollbars",
];

/// Features that keep a page alive or use the network after its job, or cost time without changing what is read. Frames of other sites stay
/// in the page's process so that its events cover them; only the engine's hosts are reachable, so there is no site to isolate.
const DISABLED_FEATURES: &str = "--disable-features=BackForwardCache,MemoryCacheStrongReference,Prerender2,\
     AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,\
     GlobalMediaControls,InterestFeedContentSuggestions,IsolateOrigins,site-per-process,MediaRouter,OptimizationHints,\
     Translate,TranslateUI,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,DestroyProfileOnBrowserClose,HttpsUpgrades,\
     PaintHolding,PersistentHistograms,BackgroundTracing";

/// Builds the command line of a browser, without the program and its data folder.
pub(super) fn flags(settings: &Settings, reach: Reach<'_>) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
    flags.push(DISABLED_FEATURES.to_owned());
    flags.push(format!("--host-resolver-rules={}", resolver_rules(settings, reach)));
    if settings.sandbox == Sandbox::Off {
        flags.push("--no-sandbox".to_owned());
    }
    flags
}
