//! What a stop saves, as a range (decision D197).

use serde::{Deserialize, Serialize};

/// Impressions that a base needs.
const LEAST_IMPRESSIONS: u64 = 100;
/// Hours of a month: 365 days of 24 hours over 12.
const HOURS_OF_A_MONTH: f64 = 730.0;

/// One day of a lane's figures. Its stopped share is that of the day of the source that its figures come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneDay {
    /// Clicks on ads.
    pub ad_clicks: u64,
    /// Cost of these clicks, in the customer's currency.
    pub cost: f64,
    /// Impressions in Search Console.
    pub impressions: u64,
    /// The share of the day in which the lane was stopped with its own ad absent, 0 to 1, without time in which a rival was seen.
    pub stopped_share: f64,
}

/// What a lane is expected to do on a day on which it is not stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// Ad clicks per impression in Search Console.
    pub ctr: f64,
    /// Price of a click: the mean of the lowest third of the days.
    pub cpc: f64,
    /// Days it is made of.
    pub days: u32,
}

impl Base {
    /// The base of the last 14 days that were not stopped; `None` with too few impressions, or without a paid click.
    pub fn of_days(days: &[LaneDay]) -> Option<Self> {
        let clicks: u64 = days.iter().map(|day| day.ad_clicks).sum();
        let impressions: u64 = days.iter().map(|day| day.impressions).sum();
        let paid = days.iter().filter(|day| day.ad_clicks > 0);
        let mut prices: Vec<f64> = paid.map(|day| day.cost / as_float(day.ad_clicks)).collect();
        if impressions < LEAST_IMPRESSIONS || prices.is_empty() {
            return None;
        }
        prices.sort_unstable_by(f64::total_cmp);
        prices.truncate(prices.len().div_ceil(3));
        Some(Self {
            ctr: as_float(clicks) / as_float(impressions),
            cpc: prices.iter().sum::<f64>() / as_float(prices.len() as u64),
            days: u32::try_from(days.len()).unwrap_or(u32::MAX),
        })
    }
}

/// What clicks that were not paid for cost otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    /// The share of saved clicks that do not come by the organic result: the least.
    pub least_loss: f64,
    /// The most of them.
    pub most_loss: f64,
    /// What a click is worth; `None` if nobody said.
    pub value_per_click: Option<f64>,
}

impl Default for Rates {
    /// 1 to 4 % of clicks are lost where nobody else advertises (Simonov, Nosko, Rao, Marketing Science 2018).
    fn default() -> Self {
        Self {
            least_loss: 0.01,
            most_loss: 0.04,
            value_per_click: None,
        }
    }
}

/// The saving of one lane on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DaySaving {
    /// Clicks that were not paid for.
    pub clicks: f64,
    /// What they would have cost.
    pub gross: f64,
    /// Clicks that did not come at all, at most.
    pub lost_clicks: f64,
    /// The saving less the value of lost clicks, at least.
    pub net_low: f64,
    /// The same, at most.
    pub net_high: f64,
}

impl DaySaving {
    fn of_clicks(clicks: f64, cpc: f64, rates: &Rates) -> Self {
        let clicks = clicks.max(0.0);
        let gross = (clicks * cpc).max(0.0);
        let value = rates.value_per_click.unwrap_or(0.0);
        Self {
            clicks,
            gross,
            lost_clicks: clicks * rates.most_loss,
            net_low: gross - clicks * rates.most_loss * value,
            net_high: gross - clicks * rates.least_loss * value,
        }
    }
}

/// The saving of a day by the figures of Google.
pub fn saving_of_day(base: &Base, day: &LaneDay, rates: &Rates) -> DaySaving {
    let clicks = as_float(day.impressions) * day.stopped_share.clamp(0.0, 1.0) * base.ctr;
    DaySaving::of_clicks(clicks, base.cpc, rates)
}

/// What somebody typed of a term, in place of Google's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedAverages {
    /// Click rate of the ads in percent.
    pub ctr_percent: f64,
    /// Price of a click.
    pub cpc: f64,
    /// Searches a month.
    pub monthly_searches: f64,
}

/// The saving of stopped hours by typed averages: an estimate.
pub fn typed_saving(averages: &TypedAverages, stopped_hours: f64, rates: &Rates) -> DaySaving {
    let clicks = averages.ctr_percent / 100.0 * averages.monthly_searches / HOURS_OF_A_MONTH * stopped_hours.max(0.0);
    DaySaving::of_clicks(clicks, averages.cpc, rates)
}

/// Counts of clicks and impressions are far below the 52 bits that a float holds exactly.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn as_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(ad_clicks: u64, cost: f64) -> LaneDay {
        LaneDay {
            ad_clicks,
            cost,
            impressions: 100,
            stopped_share: 0.0,
        }
    }

    #[test]
    fn the_base_takes_the_lowest_third_of_prices() {
        let base = Base::of_days(&[day(10, 10.0), day(10, 20.0), day(10, 30.0), day(0, 0.0)]).unwrap();
        assert_eq!((base.ctr, base.cpc, base.days), (0.075, 1.0, 4));
        assert_eq!(
            Base::of_days(&[LaneDay {
                impressions: 99,
                ..day(10, 1.0)
            }]),
            None
        );
        assert_eq!(Base::of_days(&[day(0, 0.0), day(0, 0.0)]), None, "no paid day");
    }

    #[test]
    fn a_saving_is_a_range_that_lost_clicks_lower() {
        let base = Base {
            ctr: 0.1,
            cpc: 0.5,
            days: 14,
        };
        let stopped = LaneDay {
            impressions: 1_000,
            stopped_share: 0.5,
            ..LaneDay::default()
        };
        let rates = Rates {
            value_per_click: Some(2.0),
            ..Rates::default()
        };
        let saving = saving_of_day(&base, &stopped, &rates);
        assert!((saving.gross - 25.0).abs() < 1e-9);
        assert!((saving.net_low - 21.0).abs() < 1e-9);
        assert!((saving.net_high - 24.0).abs() < 1e-9);
        assert_eq!(saving_of_day(&base, &LaneDay::default(), &rates), DaySaving::default());
    }

    #[test]
    fn typed_percentages_are_percentages() {
        let typed = TypedAverages {
            ctr_percent: 5.0,
            cpc: 1.0,
            monthly_searches: 7_300.0,
        };
        let saving = typed_saving(&typed, 10.0, &Rates::default());
        assert!((saving.clicks - 5.0).abs() < 1e-9);
    }
}
