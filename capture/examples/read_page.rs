//! Reads saved pages and prints one line of JSON each: `cargo run --release --example read_page -- FILE…`

use std::path::Path;

fn main() -> std::io::Result<()> {
    for file in std::env::args().skip(1) {
        let line = capture::read_saved_page(Path::new(&file))?;
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(())
}
