//! The command line Chromium is started with.

use super::egress::resolver_rules;
use super::settings::{Sandbox, Settings};

/// Held for every browser. Nothing here changes what a page shows.
const FLAGS: [&str; 35] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    // No request but those of captured pages.
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
    // What would go around the resolver's rules.
    // Pages have their proxy from their context: what the browser does on its own account never uses one.
    "--no-proxy-server",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No prompts, no sound, no keyring.
    "--deny-permission-prompts",
    "--disable-notifications",
    // A page of another tab would be watched by nobody.
    "--block-new-web-contents",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    // Tabs work side by side, none of them in the background.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-gpu",
    // The pages of a context follow each other in one process, whose start is a quarter of the cost of a small page. Contexts
    // never share one.
    "--renderer-process-limit=1",
    "--hide-scrollbars",
];

/// Features that keep a page alive or speak to the network after its job, or cost without changing what is read. Frames of
/// other sites stay in the page's process, so that its events tell of them: no host but the engine's is there to protect.
const DISABLED_FEATURES: &str = "--disable-features=BackForwardCache,MemoryCacheStrongReference,Prerender2,\
     AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,\
     GlobalMediaControls,InterestFeedContentSuggestions,IsolateOrigins,site-per-process,MediaRouter,OptimizationHints,\
     Translate,TranslateUI,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,DestroyProfileOnBrowserClose,HttpsUpgrades,\
     PaintHolding,PersistentHistograms,BackgroundTracing";

/// The arguments for a browser whose pages use proxies or do not, all but its folder.
pub(super) fn flags(settings: &Settings, proxied: bool) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
    flags.push(DISABLED_FEATURES.to_owned());
    flags.push(format!("--host-resolver-rules={}", resolver_rules(settings, proxied)));
    if settings.sandbox == Sandbox::Off {
        flags.push("--no-sandbox".to_owned());
    }
    flags
}
