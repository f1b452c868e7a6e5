//! Makes a tab look like its profile.

use headless_chrome::protocol::cdp::Browser::{
    PermissionDescriptor, PermissionSetting, ResetPermissions, SetPermission,
};
use headless_chrome::protocol::cdp::Emulation::{
    SetDeviceMetricsOverride, SetFocusEmulationEnabled, SetGeolocationOverride, SetLocaleOverride, SetTimezoneOverride,
    SetTouchEmulationEnabled, SetUserAgentOverride,
};
use headless_chrome::protocol::cdp::Network::{Headers, SetExtraHTTPHeaders};
use vocabulary::{Engine, Locale};

use super::device::DeviceProfile;
use super::places::{City, city};
use super::profile::Profile;
use super::tab::Tab;
use super::wire::WireError;

/// Simultaneous touches that a touch screen reports.
const TOUCH_POINTS: u32 = 5;
/// In metres; what a telephone in a city reports.
const POSITION_ACCURACY: f64 = 50.0;
/// In metres: how far around a city's centre Bing may assume the searcher.
const LOCATION_RADIUS: u32 = 1_000;

/// Makes a tab report the profile's device, language, time zone and position, and be focused, as a Chrome of `chrome_version` (`156.0.8078.79`)
/// would. Bing gets the position in a header, too.
pub(super) async fn emulate(tab: &Tab, profile: &Profile, chrome_version: &str) -> Result<(), WireError> {
    let device = DeviceProfile::for_device(profile.device);
    tokio::try_join!(
        tab.call(SetUserAgentOverride {
            user_agent: device.user_agent(chrome_version),
            accept_language: Some(accepted_languages(&profile.locale)),
            platform: Some(device.platform.to_owned()),
            user_agent_metadata: Some(device.hints(chrome_version)),
        }),
        tab.call(set_screen_call(device)),
        tab.call(SetTouchEmulationEnabled {
            enabled: device.touch,
            max_touch_points: device.touch.then_some(TOUCH_POINTS),
        }),
        tab.call(SetLocaleOverride {
            locale: Some(profile.locale.to_string())
        }),
        tab.call(SetTimezoneOverride {
            timezone_id: time_zone_of(profile).to_owned()
        }),
        tab.call(SetFocusEmulationEnabled { enabled: true }),
        set_position(tab, profile),
        set_position_header(tab, profile),
    )?;
    Ok(())
}

/// Sets the header `X-Search-Location` for all requests of the tab: Bing has no parameter for the searcher's position and reads it there. Does
/// nothing for other engines or without known coordinates.
async fn set_position_header(tab: &Tab, profile: &Profile) -> Result<(), WireError> {
    let Some((latitude, longitude)) = coordinates(profile).filter(|_| profile.engine == Engine::Bing) else {
        return Ok(());
    };
    let position = format!("lat:{latitude:.4};long:{longitude:.4};re:{LOCATION_RADIUS}");
    let headers = Headers(Some(serde_json::json!({ "X-Search-Location": position })));
    tab.call(SetExtraHTTPHeaders { headers }).await?;
    Ok(())
}

/// Builds the call that sets the screen and viewport to a device's size.
fn set_screen_call(device: &DeviceProfile) -> SetDeviceMetricsOverride {
    SetDeviceMetricsOverride {
        width: device.width,
        height: device.height,
        device_scale_factor: device.scale,
        mobile: device.touch,
        scale: None,
        screen_width: Some(device.width),
        screen_height: Some(device.height),
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    }
}

/// Languages without weights; Chromium adds those.
fn accepted_languages(locale: &Locale) -> String {
    format!("{}-{},{}", locale.language(), locale.country(), locale.language())
}

/// Looks up the city that the profile's location begins with; `None` without a location, or when the city is unknown.
fn known_city(profile: &Profile) -> Option<City> {
    city(profile.locale.country(), &profile.location.as_ref()?.canonical_name)
}

/// Returns the IANA time zone: the location's own, else that of its city, else that of the locale's country.
fn time_zone_of(profile: &Profile) -> &str {
    let chosen = profile
        .location
        .as_ref()
        .and_then(|location| location.time_zone.as_deref());
    chosen
        .or_else(|| known_city(profile)?.time_zone)
        .unwrap_or_else(|| vocabulary::time_zone_of(profile.locale.country()))
}

/// Returns degrees north and east: the location's own, else those of its city; `None` without a location, or when neither is known.
fn coordinates(profile: &Profile) -> Option<(f64, f64)> {
    let chosen = profile.location.as_ref()?.coordinates;
    chosen.or_else(|| Some(known_city(profile)?.coordinates))
}

/// Lets pages read the location's position when it is known; otherwise takes back all permissions of the context, so that requests for it are
/// refused.
async fn set_position(tab: &Tab, profile: &Profile) -> Result<(), WireError> {
    let context = Some(tab.context().to_owned());
    let Some((latitude, longitude)) = coordinates(profile) else {
        tab.browser_call(ResetPermissions {
            browser_context_id: context,
        })
        .await?;
        return Ok(());
    };
    let permission = PermissionDescriptor {
        name: "geolocation".to_owned(),
        sysex: None,
        user_visible_only: None,
        allow_without_sanitization: None,
        allow_without_gesture: None,
        pan_tilt_zoom: None,
    };
    tokio::try_join!(
        tab.browser_call(SetPermission {
            permission,
            setting: PermissionSetting::Granted,
            origin: None,
            embedding_origin: None,
            browser_context_id: context,
        }),
        tab.call(SetGeolocationOverride {
            latitude: Some(latitude),
            longitude: Some(longitude),
            accuracy: Some(POSITION_ACCURACY),
            altitude: None,
            altitude_accuracy: None,
            heading: None,
            speed: None,
        }),
    )?;
    Ok(())
}
