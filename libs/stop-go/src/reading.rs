//! What one capture says of a lane, and what the captures of a lane say together.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use vocabulary::{CaptureId, Officials};

use crate::Settings;
use crate::lane::Source;

/// What one capture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ReadingVerdict {
    /// Nobody else advertises, and the first organic result is official.
    Clean,
    /// Somebody else advertises.
    Rival,
    /// Nobody else advertises, but the organic place is lost or unknown, or only others' shopping ads are there.
    Unsure,
    /// It says nothing: no result page, a doubtful one, or a wrong place.
    Invalid,
}

/// What was read off the page of a capture, as far as lanes need it.
#[derive(Clone, Copy, Debug)]
pub struct PageFacts<'a> {
    /// Whether the page is a result page without doubts.
    pub is_valid: bool,
    /// Hosts of its text ads.
    pub text_ads: &'a [&'a str],
    /// Hosts of its shopping ads.
    pub shopping_ads: &'a [&'a str],
    /// Host of the first organic result; `None` if none was read.
    pub first_organic: Option<&'a str>,
}

/// What a capture says of a lane, with what it was judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedPage {
    /// What it says.
    pub verdict: ReadingVerdict,
    /// Hosts that advertise and are neither official nor partners, in alphabetical order.
    pub rivals: Vec<String>,
    /// Hosts of partners that advertise, in alphabetical order.
    pub partners: Vec<String>,
    /// Whether the first organic result is official; `None` if none was read.
    pub organic_first: Option<bool>,
    /// Whether an official domain has a text ad.
    pub own_ad: bool,
}

/// Judges a page: who is a rival is a matter of the official domains, the partners that are authorised and the settings of the brand.
pub fn judge(
    page: PageFacts<'_>,
    officials: &Officials,
    is_partner: impl Fn(&str) -> bool,
    settings: &Settings,
) -> JudgedPage {
    let (mut rivals, mut partners, mut others_shopping) = (Vec::new(), Vec::new(), false);
    let mut own_ad = false;
    let text = page.text_ads.iter().map(|host| (*host, true));
    let shopping = page.shopping_ads.iter().map(|host| (*host, false));
    for (host, is_text) in text.chain(shopping) {
        if officials.cover(host) {
            own_ad |= is_text;
        } else if is_partner(host) {
            partners.push(host.to_owned());
            if is_text && settings.partner_counts {
                rivals.push(host.to_owned());
            }
        } else if is_text || settings.shopping_counts {
            rivals.push(host.to_owned());
        } else {
            others_shopping = true;
        }
    }
    for hosts in [&mut rivals, &mut partners] {
        hosts.sort_unstable();
        hosts.dedup();
    }
    let organic_first = page.first_organic.map(|host| officials.cover(host));
    let verdict = if !page.is_valid {
        // What is there is there, whatever else is doubtful.
        if rivals.is_empty() {
            ReadingVerdict::Invalid
        } else {
            ReadingVerdict::Rival
        }
    } else if !rivals.is_empty() {
        ReadingVerdict::Rival
    } else if organic_first == Some(true) && !others_shopping {
        ReadingVerdict::Clean
    } else {
        ReadingVerdict::Unsure
    };
    JudgedPage {
        verdict,
        rivals,
        partners,
        organic_first,
        own_ad,
    }
}

/// One capture of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Where it was captured.
    pub source: u32,
    /// When its page was received.
    pub at: DateTime<Utc>,
    /// What it says.
    pub verdict: ReadingVerdict,
    /// The capture that says so.
    pub capture: CaptureId,
}

/// The captures of a lane, summed up by source. A capture that is not newer than the newest of its source changes nothing, so that one may be added
/// twice and late ones cannot undo newer ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings(Vec<SourceReadings>);

/// The captures of one source, summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SourceReadings {
    source: u32,
    newest: DateTime<Utc>,
    last_valid: Option<(DateTime<Utc>, ReadingVerdict)>,
    /// How many valid captures of the last verdict came one after the other, and when the first of them did.
    streak: (u16, DateTime<Utc>),
}

/// What the captures of all sources of a lane say at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Whether the last valid capture of a source has a rival.
    pub rival: bool,
    /// The most doubtful captures in a row.
    pub unsure: u16,
    /// Whether a source has no valid capture that is recent enough.
    pub stale: bool,
    /// Whether every source is clean long and often enough.
    pub clean: bool,
}

impl Readings {
    /// Adds a capture.
    pub fn push(&mut self, reading: &Reading) {
        let Some(known) = self.0.iter_mut().find(|known| known.source == reading.source) else {
            let is_valid = reading.verdict != ReadingVerdict::Invalid;
            self.0.push(SourceReadings {
                source: reading.source,
                newest: reading.at,
                last_valid: is_valid.then_some((reading.at, reading.verdict)),
                streak: (u16::from(is_valid), reading.at),
            });
            return;
        };
        if reading.at <= known.newest {
            return;
        }
        known.newest = reading.at;
        if reading.verdict == ReadingVerdict::Invalid {
            return;
        }
        if known.last_valid.is_some_and(|(_, last)| last == reading.verdict) {
            known.streak.0 = known.streak.0.saturating_add(1);
        } else {
            known.streak = (1, reading.at);
        }
        known.last_valid = Some((reading.at, reading.verdict));
    }

    /// When the last valid capture of a source was; `None` without one.
    pub fn last_valid(&self, source: u32) -> Option<DateTime<Utc>> {
        self.summed(source).and_then(|known| known.last_valid).map(|(at, _)| at)
    }

    /// The first of the clean captures in a row of a source, if its last valid capture is clean.
    pub fn clean_since(&self, source: u32) -> Option<DateTime<Utc>> {
        let known = self.summed(source)?;
        let is_clean = known
            .last_valid
            .is_some_and(|(_, verdict)| verdict == ReadingVerdict::Clean);
        is_clean.then_some(known.streak.1)
    }

    /// What the captures of these sources say; a source that is not among them says nothing.
    pub(crate) fn finding(&self, sources: &[Source], now: DateTime<Utc>, settings: &Settings) -> Finding {
        let mut finding = Finding {
            rival: false,
            unsure: 0,
            // Nothing is known of what nobody looks at.
            stale: sources.is_empty(),
            clean: !sources.is_empty(),
        };
        for source in sources {
            let last = self
                .summed(source.id)
                .and_then(|known| Some((known, known.last_valid?)));
            let Some((known, (at, verdict))) = last else {
                finding.stale = true;
                finding.clean = false;
                continue;
            };
            finding.stale |= now - at > settings.stale_after(source.interval);
            match verdict {
                ReadingVerdict::Rival => finding.rival = true,
                ReadingVerdict::Unsure => finding.unsure = finding.unsure.max(known.streak.0),
                ReadingVerdict::Clean | ReadingVerdict::Invalid => {}
            }
            let (count, since) = known.streak;
            finding.clean &=
                verdict == ReadingVerdict::Clean && count >= settings.stop_after && at - since >= settings.stop_span();
        }
        finding.clean &= !finding.stale;
        finding
    }

    /// The first time at which a source is stale, if no other capture comes; `None` while a source has no valid capture at all.
    pub(crate) fn stale_at(&self, sources: &[Source], settings: &Settings) -> Option<DateTime<Utc>> {
        let times = sources.iter().map(|source| {
            let last = self.last_valid(source.id)?;
            Some(last + settings.stale_after(source.interval) + TimeDelta::microseconds(1))
        });
        times.collect::<Option<Vec<_>>>()?.into_iter().min()
    }

    fn summed(&self, source: u32) -> Option<&SourceReadings> {
        self.0.iter().find(|known| known.source == source)
    }
}

impl<'a> FromIterator<&'a Reading> for Readings {
    /// Sums up captures in their order.
    fn from_iter<I: IntoIterator<Item = &'a Reading>>(readings: I) -> Self {
        let mut all = Self::default();
        for reading in readings {
            all.push(reading);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(page: PageFacts<'_>, settings: &Settings) -> ReadingVerdict {
        let officials = Officials::from_iter(["brand.example"]);
        judge(page, &officials, |host| host == "partner.example", settings).verdict
    }

    const PAGE: PageFacts<'_> = PageFacts {
        is_valid: true,
        text_ads: &[],
        shopping_ads: &[],
        first_organic: Some("shop.brand.example"),
    };

    #[test]
    fn clean_is_nobody_else_and_organic_first() {
        let settings = Settings::default();
        assert_eq!(verdict(PAGE, &settings), ReadingVerdict::Clean);
        assert_eq!(
            verdict(
                PageFacts {
                    text_ads: &["brand.example"],
                    ..PAGE
                },
                &settings
            ),
            ReadingVerdict::Clean
        );
        assert_eq!(
            verdict(
                PageFacts {
                    first_organic: None,
                    ..PAGE
                },
                &settings
            ),
            ReadingVerdict::Unsure
        );
        let lost = PageFacts {
            first_organic: Some("other.example"),
            ..PAGE
        };
        assert_eq!(verdict(lost, &settings), ReadingVerdict::Unsure);
        assert_eq!(
            verdict(
                PageFacts {
                    is_valid: false,
                    ..PAGE
                },
                &settings
            ),
            ReadingVerdict::Invalid
        );
    }

    #[test]
    fn a_rival_counts_whatever_else_is_doubtful() {
        let settings = Settings::default();
        let rival = PageFacts {
            text_ads: &["brand.example", "rival.example"],
            ..PAGE
        };
        assert_eq!(verdict(rival, &settings), ReadingVerdict::Rival);
        assert_eq!(
            verdict(
                PageFacts {
                    is_valid: false,
                    ..rival
                },
                &settings
            ),
            ReadingVerdict::Rival
        );
    }

    #[test]
    fn shopping_ads_and_partners_count_where_the_brand_says_so() {
        let settings = Settings::default();
        let shopping = PageFacts {
            shopping_ads: &["rival.example"],
            ..PAGE
        };
        let partner = PageFacts {
            text_ads: &["partner.example"],
            ..PAGE
        };
        assert_eq!(verdict(shopping, &settings), ReadingVerdict::Unsure);
        assert_eq!(verdict(partner, &settings), ReadingVerdict::Clean);
        let strict = Settings {
            shopping_counts: true,
            partner_counts: true,
            ..settings
        };
        assert_eq!(verdict(shopping, &strict), ReadingVerdict::Rival);
        assert_eq!(verdict(partner, &strict), ReadingVerdict::Rival);
    }
}
