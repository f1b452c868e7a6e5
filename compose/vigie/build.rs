//! Builds again when the web client was built again: new files in its folder are not seen otherwise.

fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
}
