//! Measures the drift sentinel on saved pages: `measure_sentinel FOLDER` (with folders `google` and `bing` in it).
//!
//! Good pages are read as they are; a doubt about one is a false alarm. Then each name that the reader's tables anchor on is changed: on the
//! whole page, on the second half of its places, and all names at once. A page of which other ads are read then is misread; it is caught when
//! it is doubtful or no result page at all.

#![allow(clippy::print_stdout, reason = "a tool that prints")]

#[path = "../tests/reading/mutate.rs"]
mod mutate;

use std::collections::BTreeSet;
use std::path::Path;

use capture::{ReadPage, decode, read};
use mutate::{Changes, anchors, mutate};
use scraper::Html;
use vocabulary::{Engine, Verdict};

#[derive(Default)]
struct Tally {
    misread: usize,
    caught: usize,
    read_all_the_same: usize,
}

impl Tally {
    fn add(&mut self, before: &ReadPage, after: &ReadPage) {
        let titles = |read: &ReadPage| read.ads.iter().map(|ad| ad.title.clone()).collect::<Vec<_>>();
        if titles(before) == titles(after) {
            self.read_all_the_same += 1;
            return;
        }
        self.misread += 1;
        self.caught += usize::from(after.judged() != Verdict::Results);
    }

    fn print(&self, name: &str) {
        #[allow(clippy::cast_precision_loss, reason = "counts are small")]
        let share = 100.0 * self.caught as f64 / self.misread.max(1) as f64;
        println!(
            "{name:34} misread {:5}  caught {:5} ({share:.1} %)  read all the same {:5}",
            self.misread, self.caught, self.read_all_the_same
        );
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("measure_sentinel FOLDER");
    let (mut good, mut flagged) = (0, 0);
    let (mut one, mut half, mut all) = (Tally::default(), Tally::default(), Tally::default());
    for engine in [Engine::Google, Engine::Bing] {
        let names = anchors(&borrowed(&texts(
            Path::new("capture/src/reading/tables").join(engine.to_string()),
        )));
        for page in texts(Path::new(&folder).join(engine.to_string())) {
            let before = read(&page, engine);
            if before.verdict != Verdict::Results {
                continue;
            }
            good += 1;
            if before.judged() != Verdict::Results {
                flagged += 1;
                println!("flagged: {:?} {:?}", before.doubts, before.traces);
            }
            if before.ads.is_empty() {
                continue;
            }
            let changed = |renamed: BTreeSet<String>, renamed_after| {
                let changes = Changes {
                    renamed,
                    renamed_after,
                    ..Changes::default()
                };
                read(&mutate(&page, &changes), engine)
            };
            for name in &names {
                let name = BTreeSet::from([name.clone()]);
                let places = occurrences(&page, &name);
                if places > 0 {
                    one.add(&before, &changed(name.clone(), 0));
                }
                if places > 1 {
                    half.add(&before, &changed(name, places / 2));
                }
            }
            all.add(&before, &changed(names.clone(), 0));
        }
    }
    println!("good pages {good}, flagged {flagged}");
    one.print("one name changed");
    half.print("one name changed on half its places");
    all.print("all names changed");
}

fn texts(folder: impl AsRef<Path>) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    let text = |file| decode(&std::fs::read(file).expect("the file can be read"), None);
    files.into_iter().map(text).collect()
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// How often any of the names stands on a page as a class, id or attribute.
fn occurrences(page: &str, names: &BTreeSet<String>) -> usize {
    let html = Html::parse_document(page);
    let elements = html
        .tree
        .root()
        .descendants()
        .filter_map(|node| node.value().as_element());
    elements
        .map(|element| {
            let listed = |text: &str| {
                text.split_ascii_whitespace()
                    .filter(|word| names.contains(*word))
                    .count()
            };
            let attributes = element.attrs().map(|(name, value)| {
                usize::from(names.contains(name))
                    + if matches!(name, "class" | "id") {
                        listed(value)
                    } else {
                        0
                    }
            });
            attributes.sum::<usize>()
        })
        .sum()
}
