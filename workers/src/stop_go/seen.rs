//! What a capture says of the lanes of its term.

use capture::ReadPage;
use chrono::{DateTime, Utc};
use postgres::captures::Capture;
use postgres::stop_go::lanes::{self, LaneMember};
use postgres::stop_go::readings::{self, StoredReading};
use postgres::{brands, partners};
use stop_go::live;
use stop_go::{JudgedPage, PageFacts, Settings, judge};
use vocabulary::{AdKind, BrandId, CaptureId, Device, Engine, Officials, Partners, SystemScope, TermId, Verdict};

use super::StopGo;
use crate::Error;

/// Partners of a brand at most.
const MOST_PARTNERS: i64 = 500;

const SCOPE: SystemScope = SystemScope::new("reading captures of lanes");

/// A page of a Google term, as far as lanes need it.
#[derive(Clone, Debug)]
pub struct SeenPage {
    capture: CaptureId,
    term: TermId,
    device: Device,
    at: DateTime<Utc>,
    is_valid: bool,
    text_ads: Vec<String>,
    shopping_ads: Vec<String>,
    first_organic: Option<String>,
}

impl SeenPage {
    /// What lanes need of a page, with all its ads, whatever its term saves; `None` for another engine than Google, and for a term that is gone.
    pub fn new(capture: &Capture, read: &ReadPage) -> Option<Self> {
        let term = capture.term_id.filter(|_| capture.engine == Engine::Google)?;
        let hosts = |kind: AdKind| {
            let ads = read.ads.iter().filter(move |ad| ad.kind == kind);
            ads.filter_map(|ad| ad.domain.as_ref().map(ToString::to_string))
                .collect()
        };
        let is_named = read.ads.iter().all(|ad| ad.kind != AdKind::Text || ad.domain.is_some());
        Some(Self {
            capture: capture.id,
            term,
            device: capture.device,
            at: capture.taken_at,
            is_valid: read.verdict_to_store() == Verdict::Results && is_named,
            text_ads: hosts(AdKind::Text),
            shopping_ads: hosts(AdKind::Shopping),
            first_organic: read.organic.first().map(|result| result.domain.to_string()),
        })
    }

    /// A page that cannot be read any more, which says nothing; `None` as for [`SeenPage::new`].
    pub fn unreadable(capture: &Capture) -> Option<Self> {
        let term = capture.term_id.filter(|_| capture.engine == Engine::Google)?;
        Some(Self {
            capture: capture.id,
            term,
            device: capture.device,
            at: capture.taken_at,
            is_valid: false,
            text_ads: Vec::new(),
            shopping_ads: Vec::new(),
            first_organic: None,
        })
    }

    /// Stores what this page says of each lane of its term, and decides on these at `now`, in the transaction of the caller. A page that was stored before
    /// changes nothing.
    pub async fn record(
        &self,
        connection: &mut postgres::Connection,
        stop_go: &StopGo,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let noted = self.note(&mut *connection).await?;
        for (lane, error) in live::decide_all(&mut *connection, &noted, stop_go.switches(), now).await? {
            tracing::error!(lane, %error, "a lane cannot be decided on");
        }
        Ok(())
    }

    /// Stores what this page says of each lane of its term, and returns the lanes for which it was not stored before.
    pub async fn note(&self, connection: &mut postgres::Connection) -> Result<Vec<i32>, Error> {
        let mut noted = Vec::new();
        let of_term = lanes::of_term(&mut *connection, &SCOPE, self.term).await?;
        for of_lane in of_term.chunk_by(|(one, _), (next, _)| one == next) {
            let Some((lane, _)) = of_lane.first() else { continue };
            let members = lanes::members(&mut *connection, &SCOPE, *lane).await?;
            let mut judged = Vec::new();
            for (_, brand) in of_lane {
                judged.extend(self.judged(&mut *connection, *brand, &members).await?);
            }
            let Some(reading) = self.reading(&judged) else { continue };
            if !readings::add(&mut *connection, &SCOPE, *lane, &reading).await? {
                continue;
            }
            metrics::counter!("vigie_lane_readings_total", "verdict" => reading.verdict.clone()).increment(1);
            noted.push(*lane);
        }
        Ok(noted)
    }

    /// What the page says for one brand; `None` if its settings cannot be read.
    async fn judged(
        &self,
        connection: &mut postgres::Connection,
        brand: BrandId,
        members: &[LaneMember],
    ) -> Result<Option<JudgedPage>, Error> {
        let stored = members.iter().find(|member| member.brand == brand);
        let Some(settings) = stored
            .map_or(Ok(Settings::default()), |member| live::settings_of(&member.settings))
            .ok()
        else {
            return Ok(None);
        };
        let officials = brands::official_domains(&mut *connection, &SCOPE, &[brand]).await?;
        let officials: Officials = officials.into_iter().map(|(_, domain)| domain).collect();
        let of_brand = partners::of_brand(&mut *connection, &SCOPE, brand, MOST_PARTNERS).await?;
        let day = self.at.date_naive();
        let lasting = of_brand.into_iter().filter(|partner| partner.facts.terms.last_on(day));
        let partners: Partners = lasting
            .map(|partner| (partner.facts.domain, partner.facts.terms))
            .collect();
        let text_ads: Vec<&str> = self.text_ads.iter().map(String::as_str).collect();
        let shopping_ads: Vec<&str> = self.shopping_ads.iter().map(String::as_str).collect();
        let page = PageFacts {
            is_valid: self.is_valid,
            text_ads: &text_ads,
            shopping_ads: &shopping_ads,
            first_organic: self.first_organic.as_deref(),
        };
        let is_partner = |host: &str| partners.of_host(host).is_some();
        Ok(Some(judge(page, &officials, is_partner, &settings)))
    }

    /// The reading of what the page says for each brand: a stop needs all of them to agree.
    fn reading(&self, judged: &[JudgedPage]) -> Option<StoredReading> {
        let verdict = live::worst(judged.iter().map(|judged| judged.verdict))?;
        let mut rivals: Vec<String> = judged.iter().flat_map(|judged| judged.rivals.clone()).collect();
        let mut partners: Vec<String> = judged.iter().flat_map(|judged| judged.partners.clone()).collect();
        for hosts in [&mut rivals, &mut partners] {
            hosts.sort_unstable();
            hosts.dedup();
        }
        let known: Option<Vec<bool>> = judged.iter().map(|judged| judged.organic_first).collect();
        Some(StoredReading {
            capture: self.capture,
            term: self.term,
            device: self.device,
            at: self.at,
            verdict: verdict.to_string(),
            rivals,
            partners,
            organic_first: known.map(|known| known.into_iter().all(|official| official)),
            own_ad: judged.iter().any(|judged| judged.own_ad),
        })
    }
}
