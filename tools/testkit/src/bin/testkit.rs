//! Stops the stores that test runs of this user left running, at once instead of after their idle minute.

fn main() {
    testkit::stop();
}
