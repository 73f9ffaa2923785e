//! What the manual says to type is typed.
//!
//! Each page of `docs/` is a session: its `sh` blocks are run line by line, in a place that holds what such a
//! reader has: `data`, a folder of inputs and answers, and `outputs`, what people's programs printed for
//! it. A line that does not end with 0 says so, as `# exit 1`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Place, Ran};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// A place with `data` and `outputs`: alice has everything right, bob one thing wrong.
fn place() -> Place {
    let place = Place::new();
    copy(&Path::new(ROOT).join("examples"), &place.path("data"));
    for person in ["alice", "bob"] {
        let games = Path::new(ROOT).join("examples/thunder-bluff");
        for entry in fs::read_dir(games).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "ans") {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                let right = fs::read(&path).expect("an answer");
                place.file(format!("outputs/{person}/{name}.out"), right);
            }
        }
    }
    place.file("outputs/bob/one.out", "Alice: 0\n");
    place
}

/// The lines of a page's `sh` blocks, a line that ends in a backslash together with the next one.
fn commands(page: &str) -> Vec<String> {
    let (mut lines, mut inside, mut begun) = (Vec::new(), false, String::new());
    for line in page.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            text if inside && !text.is_empty() => match text.strip_suffix('\\') {
                Some(part) => begun.push_str(part),
                None => lines.push(std::mem::take(&mut begun) + text),
            },
            _ => {}
        }
    }
    lines
}

/// Types a line, and demands the exit code it promises; 0 if it promises none.
fn type_line(place: &Place, page: &str, line: &str) {
    let (text, promised) = line.split_once("# exit ").unwrap_or((line, "0"));
    let program = Path::new(env!("CARGO_BIN_EXE_simdrop")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command.args(["-c", text]).current_dir(place.path("")).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", program.display())).env("HOME", place.path(""));
    command.env("SIMDROP_STATE", place.state());
    let ran = Ran::of(&mut command);
    assert_eq!(
        ran.code.map(|code| code.to_string()).as_deref(),
        Some(promised.trim()),
        "{page}: {line}\n{ran:?}"
    );
}

#[test]
fn every_command_of_the_manual_ends_as_it_says() {
    let mut typed = 0;
    for entry in fs::read_dir(Path::new(ROOT).join("docs")).expect("the manual") {
        let path = entry.expect("a page").path();
        let page = fs::read_to_string(&path).expect("a page");
        let (place, name) = (place(), path.display().to_string());
        for line in commands(&page) {
            type_line(&place, &name, &line);
            typed += 1;
        }
    }
    assert!(typed > 0, "the manual has no commands");
}
