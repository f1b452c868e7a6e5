//! What the digest of an alert says to one recipient, and to the person who tries it.

use analytics::filter::{Condition as AdCondition, Filters};
use analytics::reports::domains::{self, DomainsQuery, Sort as DomainSort};
use analytics::reports::page::{Direction, Page};
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use chrono_tz::Tz;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use postgres::Pool;
use postgres::actions::list::{self, ActionRow, ActionsQuery, Sort};
use postgres::actions::{Condition, DateField};
use postgres::alerts::{self, AlertText, DigestOrder, Hit};
use postgres::mails::DigestPeriod;
use serde::Serialize;
use url::Url;
use vocabulary::{ActionId, ActionStatus, BrandId, Language, MailKind, Scope, SystemScope, UserId, plain_line};

use crate::letter::render;
use crate::template::{TemplateError, TemplatePart, check};

const SCOPE: SystemScope = SystemScope::new("writing digests of alerts");

/// The name of the product in mails.
const PRODUCT: &str = "Vigie";
/// Cases named in a digest; the others are counted.
const MOST_CASES: i64 = 20;
const MOST_DOMAINS: u32 = 10;
const DATE_FORMAT: &str = "%d/%m/%Y %H:%M";

/// Why a digest cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// Postgres, which has the alerts and cases.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse, which has the ads.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The texts of the mail.
    #[error("its text is wrong: {0}")]
    Text(#[from] minijinja::Error),
}

/// What digests are made from.
#[derive(Clone)]
pub struct DigestStores {
    /// The store of alerts and cases.
    pub postgres: Pool,
    /// The store of ads.
    pub analytics: analytics::Client,
    /// The time zone of dates.
    pub zone: Tz,
}

/// The figures of a digest, in the scope of its recipient.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Digest {
    brand: String,
    from: String,
    to: String,
    /// The subject that the alert has.
    subject: Option<String>,
    /// The name of the sender that the alert has.
    #[serde(skip)]
    pub from_name: Option<String>,
    /// The address that answers go to.
    #[serde(skip)]
    pub reply_to: Option<String>,
    /// The text that the alert chose; without it, that of the product.
    #[serde(skip)]
    text: Option<AlertText>,
    /// The cases in which something happened; `None` in the digest of a schedule.
    hits: Option<CaseExcerpt>,
    opened: CaseExcerpt,
    reappeared: CaseExcerpt,
    statuses: Vec<StatusLine>,
    domains: Vec<DomainLine>,
    /// The report of the last month, where the alert has it sent along.
    pub report: Option<MonthlyReport>,
}

/// The report that goes with a digest.
#[derive(Clone, Debug, Serialize)]
pub struct MonthlyReport {
    /// The brand that it is about.
    #[serde(skip)]
    pub brand: BrandId,
    /// The first day of its month.
    #[serde(skip)]
    pub first_day: NaiveDate,
    /// The month as mails name it.
    month: String,
    /// The address of its page on this site.
    link: String,
}

/// Some of the cases of a list, and how many it has.
#[derive(Clone, Debug, Default, Serialize)]
struct CaseExcerpt {
    count: u64,
    cases: Vec<CaseLine>,
    more: u64,
}

#[derive(Clone, Debug, Serialize)]
struct CaseLine {
    #[serde(skip)]
    id: ActionId,
    domain: String,
    place: String,
    link: String,
    /// The page that the advertiser was found on.
    evidence: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct StatusLine {
    name: String,
    count: u64,
}

#[derive(Clone, Debug, Serialize)]
struct DomainLine {
    domain: String,
    views: u64,
}

/// What a digest is about: all that happened in a time, the events of an alert, or some cases.
#[derive(Clone, Debug)]
enum Report {
    Period,
    Hits(Vec<Hit>),
    Cases(Condition),
}

/// The subject and the text of a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestMail {
    /// Its subject, on one line.
    pub subject: String,
    /// Its plain text.
    pub body: String,
}

impl Digest {
    /// The mail of the digest as it is written to somebody of this name; `link` leads to the cases. In the text of the alert, if it has one that can be
    /// filled in, else in that of the product.
    pub fn write(&self, language: Language, name: &str, link: &Url) -> Result<DigestMail, DigestError> {
        if let Some(mail) = self.write_own(name, link) {
            return Ok(mail);
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let texts = texts::mail(language, MailKind::Alert);
        let values = context! { name, product => PRODUCT, link => link.as_str(), digest => Serde(self) };
        Ok(DigestMail {
            subject: environment.render_str(&texts.subject, &values)?,
            body: environment.render_str(&texts.body, &values)?,
        })
    }

    /// The mail in the text that the alert chose. `None` without one, and for one that cannot be filled in, which is logged.
    pub fn write_own(&self, name: &str, link: &Url) -> Option<DigestMail> {
        let text = self.text.as_ref()?;
        match self.fill((&text.subject, &text.body), name, link) {
            Ok(mail) => Some(mail),
            Err((_, error)) => {
                tracing::warn!(%error, "the text of an alert cannot be filled in");
                None
            }
        }
    }

    /// What the text that the alert chose is written in.
    pub fn language(&self) -> Option<Language> {
        self.text.as_ref().map(|text| text.language)
    }

    fn fill(
        &self,
        (subject, body): (&str, &str),
        name: &str,
        link: &Url,
    ) -> Result<DigestMail, (TemplatePart, TemplateError)> {
        check(subject, body)?;
        let values = context! { name, product => PRODUCT, link => link.as_str(), ..Value::from(Serde(self)) };
        let part = |source, part| render(source, &values).map_err(|error| (part, error));
        let own_subject = self
            .subject
            .as_ref()
            .map_or_else(|| part(subject, TemplatePart::Subject), |own| Ok(own.clone()))?;
        Ok(DigestMail {
            subject: plain_line(&own_subject),
            body: part(body, TemplatePart::Body)?.trim().to_owned(),
        })
    }

    /// A digest with something of everything, on which every part of a text is tried; `of_events` as one after an event.
    fn sample(of_events: bool) -> Self {
        let case = CaseLine {
            id: ActionId(1),
            domain: "shop.example".to_owned(),
            place: "FR, google".to_owned(),
            link: "https://vigie.example/action/1".to_owned(),
            evidence: Some("https://vigie.example/terms/capture/1".to_owned()),
        };
        let excerpt = CaseExcerpt {
            count: 2,
            cases: vec![case],
            more: 1,
        };
        Self {
            brand: "Northwind".to_owned(),
            from: "01/01/2026 08:00".to_owned(),
            to: "08/01/2026 08:00".to_owned(),
            hits: of_events.then(|| excerpt.clone()),
            opened: excerpt.clone(),
            reappeared: excerpt,
            statuses: vec![StatusLine {
                name: "new".to_owned(),
                count: 1,
            }],
            domains: vec![DomainLine {
                domain: "shop.example".to_owned(),
                views: 1,
            }],
            report: Some(MonthlyReport {
                brand: BrandId(1),
                first_day: NaiveDate::MIN,
                month: "12/2025".to_owned(),
                link: "https://vigie.example/report?month=2025-12&brand=1".to_owned(),
            }),
            ..Self::default()
        }
    }
}

/// Refuses a text of alerts that cannot be filled in, on a digest of a time or on one after an event.
pub fn check_alert_text(subject: &str, body: &str) -> Result<(), (TemplatePart, TemplateError)> {
    let Ok(link) = Url::parse("https://vigie.example/actions") else {
        return Ok(());
    };
    for of_events in [false, true] {
        Digest::sample(of_events).fill((subject, body), "Ann", &link)?;
    }
    Ok(())
}

impl DigestStores {
    /// The digest of an alert for a recipient. `None` when the alert is off, or the recipient may not have it any more: removed from it, gone from the
    /// company, or without its brand.
    pub async fn digest(
        &self,
        period: DigestPeriod,
        (user, language): (UserId, Language),
        site: &Url,
    ) -> Result<Option<Digest>, DigestError> {
        let Some(order) = alerts::order(&self.postgres, &SCOPE, period.alert, user).await? else {
            return Ok(None);
        };
        let scope = alerts::scope_of(&self.postgres, &SCOPE, user).await?;
        let Some(scope) = scope.filter(|scope| scope.sees_brand(order.brand)) else {
            return Ok(None);
        };
        let language = order.text.as_ref().map_or(language, |text| text.language);
        let report = if order.is_hook {
            Report::Hits(alerts::hits(&self.postgres, &SCOPE, period.alert, period.to).await?)
        } else {
            Report::Period
        };
        let reader = (&scope, language);
        self.about(order, report, (period.from, period.to), reader, site)
            .await
            .map(Some)
    }

    /// The digest that an alert would be for a reader who sees its brand; of one after an event, with the cases in which that happened in this time.
    pub async fn trial(
        &self,
        order: DigestOrder,
        hook: Option<&str>,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        reader: (&Scope, Language),
        site: &Url,
    ) -> Result<Digest, DigestError> {
        let report = hook.map_or(Report::Period, |hook| {
            Report::Cases(Condition::Between(date_of(hook), Some(from), Some(to)))
        });
        self.about(order, report, (from, to), reader, site).await
    }

    async fn about(
        &self,
        order: DigestOrder,
        report: Report,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        (scope, language): (&Scope, Language),
        site: &Url,
    ) -> Result<Digest, DigestError> {
        let local = |at: DateTime<Utc>| at.with_timezone(&self.zone).format(DATE_FORMAT).to_string();
        let mut digest = Digest {
            brand: plain_line(&order.brand_label),
            from: local(from),
            to: local(to),
            subject: order
                .subject
                .map(|subject| plain_line(&subject))
                .filter(|subject| !subject.is_empty()),
            from_name: order.from_name.map(|name| plain_line(&name)),
            reply_to: order.reply_to,
            text: order.text,
            report: order.with_report.then(|| self.last_month(order.brand, to, site)),
            ..Digest::default()
        };
        let of_brand = Condition::Brands(true, vec![order.brand]);
        let cases = async |condition| self.cases(scope, vec![of_brand.clone(), condition], site).await;
        match report {
            Report::Period => {}
            Report::Cases(condition) => {
                digest.hits = Some(cases(condition).await?);
                return Ok(digest);
            }
            Report::Hits(hits) => {
                let ids = hits.iter().map(|hit| hit.action).collect();
                let mut found = cases(Condition::Ids(true, ids)).await?;
                for case in &mut found.cases {
                    let capture = hits
                        .iter()
                        .find(|hit| hit.action == case.id)
                        .and_then(|hit| hit.capture);
                    case.evidence = capture.map(|capture| page(site, &["terms", "capture", &capture.0.to_string()]));
                }
                digest.hits = Some(found);
                return Ok(digest);
            }
        }
        let within = |field| Condition::Between(field, Some(from), Some(to));
        digest.opened = cases(within(DateField::CreatedDate)).await?;
        digest.reappeared = cases(within(DateField::ReappearanceDate)).await?;
        digest.statuses = self.statuses(scope, std::slice::from_ref(&of_brand), language).await?;
        let seen: Filters = [
            AdCondition::of_brands(&[order.brand]),
            AdCondition::seen_between(Some(from), Some(to)),
        ]
        .into_iter()
        .collect();
        digest.domains = self.domains(scope, seen).await?;
        Ok(digest)
    }

    /// The report of a brand on the month before `at`.
    fn last_month(&self, brand: BrandId, at: DateTime<Utc>, site: &Url) -> MonthlyReport {
        let today = at.with_timezone(&self.zone).date_naive();
        let this_month = today.with_day(1).unwrap_or(today);
        let first_day = this_month.checked_sub_months(Months::new(1)).unwrap_or(this_month);
        let page = page(site, &["report"]);
        MonthlyReport {
            brand,
            first_day,
            month: first_day.format("%m/%Y").to_string(),
            link: format!("{page}?month={}&brand={brand}", first_day.format("%Y-%m")),
        }
    }

    /// The cases under some conditions, the most viewed first.
    async fn cases(&self, scope: &Scope, conditions: Vec<Condition>, site: &Url) -> Result<CaseExcerpt, DigestError> {
        let counts = list::count(&self.postgres, scope, &conditions).await?;
        let query = ActionsQuery {
            conditions,
            sort: Sort::Priority,
            descending: true,
            limit: MOST_CASES,
            offset: 0,
        };
        let rows = list::page(&self.postgres, scope, &query, None).await?;
        let count: u64 = counts.values().sum();
        Ok(CaseExcerpt {
            count,
            more: count.saturating_sub(u64::try_from(rows.len()).unwrap_or(u64::MAX)),
            cases: rows.into_iter().map(|row| case_line(row, site)).collect(),
        })
    }

    /// How many cases are in each status, in the order of a case's life.
    async fn statuses(
        &self,
        scope: &Scope,
        conditions: &[Condition],
        language: Language,
    ) -> Result<Vec<StatusLine>, DigestError> {
        let counts = list::count(&self.postgres, scope, conditions).await?;
        let name = |status: ActionStatus| texts::text(language, &format!("advertisers:status.{status}")).to_owned();
        let lines = counts.into_iter().map(|(status, count)| StatusLine {
            name: name(status),
            count,
        });
        Ok(lines.collect())
    }

    /// The domains that were seen most.
    async fn domains(&self, scope: &Scope, filters: Filters) -> Result<Vec<DomainLine>, DigestError> {
        let query = DomainsQuery {
            filters,
            sort: DomainSort::NbViews,
            direction: Direction::Desc,
            page: Page::Of {
                number: 1,
                size: MOST_DOMAINS,
            },
        };
        let page = domains::list(&self.analytics, scope, &query).await?;
        let lines = page.rows.into_iter().map(|row| DomainLine {
            domain: row.domain,
            views: row.nb_views,
        });
        Ok(lines.collect())
    }
}

/// The date that an event leaves on a case; for one without its own, that of its last status.
fn date_of(hook: &str) -> DateField {
    match hook {
        "action.new" => DateField::CreatedDate,
        "action.reappearance" => DateField::ReappearanceDate,
        "action.accepted" => DateField::AcceptedDate,
        "action.refused" => DateField::RefusedDate,
        _ => DateField::LastStatusDate,
    }
}

/// A case as a digest names it.
fn case_line(row: ActionRow, site: &Url) -> CaseLine {
    let place: Vec<String> = [row.country, row.engine].into_iter().flatten().collect();
    CaseLine {
        domain: plain_line(&row.domain.unwrap_or_default()),
        place: place.join(", "),
        link: page(site, &["action", &row.id.to_string()]),
        evidence: None,
        id: row.id,
    }
}

/// The address of a page of this site.
fn page(site: &Url, segments: &[&str]) -> String {
    let mut link = site.clone();
    if let Ok(mut path) = link.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    link.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_alerts_is_filled_in_with_figures_cases_and_events() {
        let good = "{{ name }}: {{ brand }} {{ from }} {{ to }} {{ product }} {{ link }}{% if hits %}{% for case in hits.cases %}{{ case.domain }} \
            {{ case.evidence }}{% endfor %}{% else %}{{ opened.count }}{% for case in opened.cases %}{{ case.place }}{% endfor %}{{ reappeared.more }}\
            {% for line in statuses %}{{ line.name }} {{ line.count }}{% endfor %}{% for line in domains %}{{ line.views }}{% endfor %}{% endif %}{% if report %}{{ report.month }} {{ report.link }}{% endif %}";
        assert_eq!(check_alert_text("{{ brand }}: {{ opened.count }}", good), Ok(()));
        let link = Url::parse("https://vigie.example/actions").unwrap();
        let filled = Digest::sample(true).fill(("{{ brand }}", good), "Ann", &link).unwrap();
        assert_eq!(filled.subject, "Northwind");
        assert!(
            filled
                .body
                .ends_with("shop.example https://vigie.example/terms/capture/112/2025 https://vigie.example/report?month=2025-12&brand=1"),
            "{}",
            filled.body
        );
        let digest = Digest {
            subject: Some("Mine".to_owned()),
            ..Digest::sample(false)
        };
        assert_eq!(digest.fill(("{{ brand }}", "x"), "Ann", &link).unwrap().subject, "Mine");
    }

    #[test]
    fn a_text_of_alerts_with_an_unknown_value_or_tag_is_refused_at_its_part() {
        for (subject, body, part) in [
            ("{{ domain }}", "x", TemplatePart::Subject),
            ("x", "{% if hits %}{{ hits.nothing }}{% endif %}", TemplatePart::Body),
            (
                "x",
                "{% if hits %}a{% else %}{{ nothing }}{% endif %}",
                TemplatePart::Body,
            ),
            ("x", "{% include 'other' %}", TemplatePart::Body),
            ("a\nb", "x", TemplatePart::Subject),
        ] {
            let refused = check_alert_text(subject, body);
            assert!(
                matches!(refused, Err((at, _)) if at == part),
                "{subject} {body}: {refused:?}"
            );
        }
    }
}
