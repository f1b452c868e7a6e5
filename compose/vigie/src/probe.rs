//! One search by hand: what the engine answered, and what was read off it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use capture::browsing::{self, CaptureError, CapturedPage, Pool, SearchRequest};
use capture::{PageFile, ReadPage, read_and_copy};
use vocabulary::{AdKind, Device, Engine, Locale, LocaleError, Verdict};

/// Ads that are named one by one.
const MOST_NAMED: usize = 20;
/// Letters of a title.
const LONGEST_TITLE: usize = 70;

/// A search to be made once.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What a person would type.
    pub term: String,
    /// Where it is searched.
    pub engine: Engine,
    /// What the browser poses as.
    pub device: Device,
    /// The language of the page and the country searched from.
    pub locale: Locale,
}

/// What a search came to.
#[derive(Debug)]
pub struct Probed {
    /// The proxy it went through, without its password, or `direct`.
    pub route: String,
    /// How long it took.
    pub took: Duration,
    /// The page with what was read off it and its viewing copy, or why there is none.
    pub outcome: Result<Box<ProbedPage>, CaptureError>,
}

/// A page that was received.
#[derive(Debug)]
pub struct ProbedPage {
    /// As the browser had it.
    pub page: CapturedPage,
    /// What was read off it.
    pub read: ReadPage,
    /// Its viewing copy.
    pub view: String,
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// A result page that was read without doubt.
    Good,
    /// A result page, and ads may be missing from what was read.
    Doubtful,
    /// No result page.
    Bad,
}

impl Probe {
    /// Searches once with a browser of its own; never again, whatever comes of it.
    ///
    /// # Errors
    /// Where no browser starts. What the engine does is no error.
    pub async fn search(
        &self,
        settings: browsing::Settings,
        with_picture: bool,
    ) -> Result<Probed, browsing::StartError> {
        let pool = Pool::start(settings).await?;
        let route = pool.route(self.engine, self.locale.country());
        let began = std::time::Instant::now();
        let page = pool
            .capture(SearchRequest {
                engine: self.engine,
                device: self.device,
                term: self.term.clone(),
                locale: self.locale.clone(),
                location: None,
                screenshot: with_picture,
                resources: with_picture,
                deadline: None,
            })
            .await;
        let took = began.elapsed();
        pool.shutdown().await;
        // A page of another host, or one without its end, says why the search failed.
        let outcome = page.map(|page| Box::new(ProbedPage::read(page, self.engine)));
        Ok(Probed { route, took, outcome })
    }
}

impl ProbedPage {
    fn read(page: CapturedPage, engine: Engine) -> Self {
        let files: Vec<PageFile<'_>> = page
            .resources
            .iter()
            .map(|resource| PageFile {
                url: &resource.url,
                mime: &resource.mime,
                bytes: &resource.bytes,
            })
            .collect();
        let (read, view) = read_and_copy(&page.html, engine, &page.final_url, &files);
        Self { page, read, view }
    }

    /// Writes the page, its viewing copy and its picture into a folder, which is made where it is missing. Returns the paths.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<Vec<(&'static str, PathBuf)>> {
        std::fs::create_dir_all(folder)?;
        let mut written = Vec::new();
        let mut write = |what, name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes)?;
            written.push((what, path));
            io::Result::Ok(())
        };
        write("page as it was received", "page.html", self.page.html.as_bytes())?;
        write("copy to look at", "view.html", self.view.as_bytes())?;
        if let Some(picture) = &self.page.screenshot {
            write("picture", "picture.png", picture)?;
        }
        Ok(written)
    }

    /// What the page is, in words.
    fn kind(&self) -> &'static str {
        match self.read.verdict_to_store() {
            Verdict::Results => "a result page",
            Verdict::Doubtful => "a result page of which some ads may not have been read",
            Verdict::Captcha => "a captcha: the engine takes this address for a machine",
            Verdict::Consent => "a question for consent to cookies that could not be answered",
            Verdict::Blocked => "a refusal: the engine does not serve this address",
            Verdict::Shell => "an empty page whose scripts did not run",
            Verdict::HttpError => "an error page",
        }
    }
}

impl Probed {
    /// How good the answer is.
    pub fn grade(&self) -> Grade {
        let Ok(answer) = &self.outcome else { return Grade::Bad };
        match answer.read.verdict_to_store() {
            Verdict::Results => Grade::Good,
            Verdict::Doubtful => Grade::Doubtful,
            _ => Grade::Bad,
        }
    }

    /// What came of it in one sentence.
    pub fn sentence(&self) -> String {
        match &self.outcome {
            Ok(answer) => format!(
                "{} after {:.1} s (HTTP {}), {}, {}, {}",
                answer.kind(),
                self.took.as_secs_f64(),
                answer.page.status,
                counted(count(&answer.read, AdKind::Text), "text ad"),
                counted(count(&answer.read, AdKind::Shopping), "shopping ad"),
                counted(answer.read.organic.len(), "organic result")
            ),
            Err(error) => format!("{error}, after {:.1} s", self.took.as_secs_f64()),
        }
    }

    /// What is to be done about it; `None` where it is good.
    pub fn cure(&self) -> Option<&'static str> {
        let Ok(answer) = &self.outcome else {
            return Some(match &self.outcome {
                Err(CaptureError::Network(_) | CaptureError::Timeout(_)) => {
                    "check the proxy, its password and that it reaches the engine; then the network of this machine"
                }
                Err(CaptureError::Browser(_) | CaptureError::Start(_)) => "run `vigie doctor`",
                _ => "look at the address with a browser through the same route",
            });
        };
        match answer.read.verdict_to_store() {
            Verdict::Results => None,
            Verdict::Doubtful => {
                Some("compare the copy with the page; `vigie read-page` reads it again after an update")
            }
            Verdict::Captcha | Verdict::Blocked => Some(
                "slow down (VIGIE__ENGINES__…__PER_MINUTE) or use another proxy (VIGIE__ENGINES__…__PROXY), one of homes or mobile networks",
            ),
            Verdict::Consent => Some("try another country; the page is kept for a report"),
            Verdict::Shell => Some("try again; if it stays so, the engine serves this browser nothing"),
            Verdict::HttpError => Some("try later; if it stays so, the engine refuses this route"),
        }
    }

    /// The whole account of it, line by line.
    pub fn account(&self, probe: &Probe) -> Vec<String> {
        let mut lines = vec![format!(
            "{} was asked for “{}” on a {} from {} in {}, {}.",
            name_of(probe.engine),
            probe.term,
            probe.device,
            probe.locale.country(),
            probe.locale.language(),
            if self.route == "direct" {
                "without a proxy".to_owned()
            } else {
                format!("through {}", self.route)
            }
        )];
        lines.push(format!("Answer: {}.", self.sentence()));
        if let Ok(answer) = &self.outcome {
            lines.push(format!("Address: {}", answer.page.final_url));
            lines.push(format!(
                "Place: {}",
                answer.read.place.as_deref().unwrap_or("the page names none")
            ));
            if answer.page.consent_answered {
                lines.push("Consent: asked for, and answered.".to_owned());
            }
            let doubts: Vec<String> = answer.read.doubts.iter().map(ToString::to_string).collect();
            lines.push(format!(
                "Doubts: {}",
                if doubts.is_empty() {
                    "none".to_owned()
                } else {
                    doubts.join(", ")
                }
            ));
            lines.extend(answer.read.ads.iter().take(MOST_NAMED).map(|ad| {
                let title: String = ad.title.chars().take(LONGEST_TITLE).collect();
                let kind = match ad.kind {
                    AdKind::Text => "text    ",
                    AdKind::Shopping => "shopping",
                };
                let domain = ad.domain.as_ref().map_or("no domain", |domain| domain.as_str());
                format!("  {kind} {:>2}: {domain}, {title}", ad.position)
            }));
            if answer.read.ads.len() > MOST_NAMED {
                lines.push(format!("  and {} more", answer.read.ads.len() - MOST_NAMED));
            }
        }
        lines.extend(self.cure().map(|cure| format!("To mend: {cure}.")));
        lines
    }
}

/// What people call an engine.
pub const fn name_of(engine: Engine) -> &'static str {
    match engine {
        Engine::Google => "Google",
        Engine::Bing => "Bing",
    }
}

/// A number of things, as in `1 text ad`.
fn counted(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

fn count(read: &ReadPage, kind: AdKind) -> usize {
    read.ads.iter().filter(|ad| ad.kind == kind).count()
}

/// The locale of a search from a country; without a language, that of most of its pages.
///
/// # Errors
/// Where one of them is no code.
pub fn locale(country: &str, language: Option<&str>) -> Result<Locale, LocaleError> {
    let language = language.unwrap_or_else(|| usual_language(country));
    format!("{language}_{country}").parse()
}

/// A language that pages are read in where none is named; English where several are as usual.
fn usual_language(country: &str) -> &'static str {
    match country {
        "FR" | "BE" | "LU" | "MC" => "fr",
        "DE" | "AT" | "CH" | "LI" => "de",
        "ES" | "MX" | "AR" | "CL" | "CO" | "PE" => "es",
        "IT" => "it",
        "NL" => "nl",
        "PT" | "BR" => "pt",
        "PL" => "pl",
        "SE" => "sv",
        "DK" => "da",
        "NO" => "nb",
        "FI" => "fi",
        "JP" => "ja",
        _ => "en",
    }
}
