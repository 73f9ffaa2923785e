//! A log that is followed while its run is under way.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::{Daemon, thunder, wait_until};

#[test]
fn a_log_is_followed_until_the_run_is_over() {
    let mut daemon = Daemon::up();
    daemon.simdrop(&["pause"]).exits(0);
    daemon.drop_folder("two", &[("1.in", &thunder(1)), ("2.in", &thunder(2))]);
    wait_until("it is taken in", || daemon.ask("SELECT count(*) FROM runs WHERE state = 2") == 1);
    let mut command = daemon.place.command(["show", "1", "--log", "-f"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a child");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut seen = String::new();
    lines.read_line(&mut seen).expect("the first line comes before the end");
    assert!(seen.contains("2 cases listed"), "{seen}");
    daemon.simdrop(&["resume"]).exits(0);
    lines.read_to_string(&mut seen).expect("the rest");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    let mut each: Vec<&str> = seen.lines().collect();
    each.sort_unstable();
    assert!(each.windows(2).all(|pair| pair[0] != pair[1]), "no line comes twice: {seen}");
    for case in ["1/1", "1/2"] {
        let line = format!("info     {case}  NOREF, played 1 game by thunder-bluff");
        assert_eq!(seen.matches(&line).count(), 1, "{seen}");
    }
    daemon.stop();
}
