//! Columns, CSV, terminals, completions and manual pages.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use super::with_runs;
use crate::harness::{Place, Ran, thunder};

/// What a program of the system says of a file; `None` if there is no such program.
fn told_by(program: &str, args: &[&str], file: &std::path::Path) -> Option<String> {
    let output = Command::new(program).args(args).arg(file).output().ok()?;
    Some(Ran::from(output).exits(0).stdout)
}

const PYTHON: &str = r#"
import base64, csv, json, sys
for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")):
    number = lambda key, scale=1: round(float(row[key]) * scale) if row[key] else None
    name = base64.b64decode(row["name_b64"]) if row["name_b64"] else row["name"].encode()
    print(json.dumps([int(row["run"]), int(row["rank"]), row["name"], row["verdict"],
        row["cached"] == "true", number("games"), number("input_bytes"), number("play_seconds", 1e6),
        number("line"), list(name)], ensure_ascii=False, separators=(",", ":")))
"#;

const JQ: &str = r#".[] | [.run, .rank, .name, .verdict, .cached, .games, .input.bytes,
    (if .timings then .timings.play * 1000000 | round else null end), .difference.line]"#;

// F6
#[test]
fn csv_read_by_python_and_json_read_by_jq_have_equal_numbers() {
    let place = Place::new();
    let names: [&[u8]; 6] =
        [b"1", b"a,b", b"say \"x\"", b"two\nlines", b"bad\xff", "你好".as_bytes()];
    for (name, seed) in names.iter().zip(1..) {
        place.file(OsStr::from_bytes(&[b"data/", *name, b".in"].concat()), thunder(seed));
    }
    place.file("data/1.ans", "x\n").file("data/3.in", "3 3 3\n");
    place.simdrop(["run", "data"]).exits(1);
    place.file("cases.csv", place.simdrop(["list", "cases", "-o", "csv"]).exits(0).stdout);
    place.file("cases.json", place.simdrop(["list", "cases", "--json"]).exits(0).stdout);
    let python = told_by("python3", &["-c", PYTHON], &place.path("cases.csv"));
    let jq = told_by("jq", &["-c", JQ], &place.path("cases.json"));
    let (Some(python), Some(jq)) = (python, jq) else {
        eprintln!("SKIPPED: there is no python3 or no jq");
        return;
    };
    let (numbers, bytes): (Vec<&str>, Vec<&str>) =
        python.lines().map(|line| line.rsplit_once(",[").expect("a list of bytes")).unzip();
    let numbers: Vec<String> = numbers.iter().map(|line| format!("{line}]")).collect();
    assert_eq!(numbers, jq.lines().collect::<Vec<_>>());
    assert!(bytes.contains(&"98,97,100,255]]"), "{bytes:?}");
}

#[test]
fn columns_are_those_asked_for_and_an_unknown_one_is_2() {
    let place = with_runs();
    let table = place.simdrop(["list", "--columns", "label,run,tags", "--limit", "1"]).exits(0);
    assert_eq!(table.stdout, "LABEL   RUN  TAGS\nweek 4    3  -\n\n1 of 3 runs; more: --after 3\n");
    let csv = place.simdrop(["list", "--columns", "run,tags,time", "-o", "csv", "run:1"]).exits(0);
    assert!(
        csv.stdout.starts_with("run,tags,seconds\r\n1,\"{\"\"by\"\":\"\"ann\"\"}\",0."),
        "{csv:?}"
    );
    place.simdrop(["list", "--columns", "lable"]).exits(2).complains("did you mean label?");
    place.simdrop(["list", "--columns", "run", "--json"]).exits(2).complains("JSON has all");
}

#[test]
fn games_have_their_numbers_as_columns_where_one_simulator_is_meant() {
    let place = with_runs();
    let header = |args: &[&str]| {
        let all = ["list", "games", "--limit", "3"].iter().chain(args);
        place.simdrop(all).exits(0).stdout.lines().next().unwrap_or_default().to_owned()
    };
    for args in [&[][..], &["sim:thunder-bluff"]] {
        let header = header(args);
        assert!(header.contains("ROLLS  ALICE  BOB") && !header.contains("METRICS"), "{header}");
    }
    place.file("other/1.in", include_str!("../../../examples/mtj/two.in"));
    place.simdrop(["run", "other"]).exits(0);
    assert!(header(&[]).ends_with("LENGTH  METRICS"));
    assert!(header(&["sim:mtj"]).contains("PLAYS  LEADS"));
    let csv = place.simdrop(["list", "games", "-o", "csv", "--limit", "1"]).exits(0).stdout;
    assert!(
        csv.starts_with("run,rank,name,name_b64,game,simulator,ending,winner,length,"),
        "{csv}"
    );
    assert!(csv.contains(",alice-total-hp,") && csv.contains(",winner-favour"), "{csv}");
}

/// What is seen of a command on a terminal of so many columns.
fn on_a_terminal(place: &Place, columns: usize, args: &str) -> Option<String> {
    let line = format!("stty cols {columns}; '{}' {args}", env!("CARGO_BIN_EXE_simdrop"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    command.env_clear().env("SIMDROP_STATE", place.state()).env("HOME", place.path(""));
    command.env("PATH", "/usr/bin:/bin").env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
    let ran = Ran::from(command.output().ok()?).exits(0);
    Some(ran.stdout.replace('\r', ""))
}

#[test]
fn tables_fit_the_terminal_and_nothing_is_cut_in_a_pipe() {
    let place = Place::new();
    let name = "long/".repeat(30);
    place.file(format!("data/{name}1.in"), thunder(1));
    place.simdrop(["run", "data"]).exits(0);
    place.simdrop(["list", "cases"]).says(&format!("{name}1"));
    for columns in [50, 80, 200] {
        for args in ["list", "list cases", "list games"] {
            let Some(shown) = on_a_terminal(&place, columns, args) else {
                eprintln!("SKIPPED: there is no `script`, so there is no terminal");
                return;
            };
            let widest = shown.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(columns), "{columns}: {shown}");
            assert!(shown.contains("\n\n1 "), "{columns}: {shown}");
            assert!(columns == 200 || shown.contains('…'), "{columns}: {shown}");
        }
    }
}

/// How many cases there are in a list that is long.
const MANY: u32 = 100_000;

// F4
#[test]
fn a_list_of_everything_is_streamed_in_little_memory() {
    let place = Place::new();
    place.file("data/1.in", thunder(1));
    place.simdrop(["run", "data"]).exits(0);
    let db = rusqlite::Connection::open(place.state().join("store.db")).expect("a store");
    let more = format!(
        "WITH RECURSIVE n (k) AS (SELECT 2 UNION ALL SELECT k + 1 FROM n WHERE k < {MANY})
         INSERT INTO cases (id, name, simulator, rules, content, result, state, verdict, queued_us)
         SELECT (1 << 32) + k, CAST('case ' || k AS BLOB), simulator, rules, content, result, state,
             verdict, queued_us FROM n, cases WHERE id = (1 << 32) + 1"
    );
    db.execute_batch(&more).expect("more cases");
    drop(db);
    for form in ["csv", "table"] {
        let mut command = place.command(["list", "cases", "--limit", "0", "-o", form]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a child");
        let mut out = child.stdout.take().expect("an output");
        let status = format!("/proc/{}/status", child.id());
        let (mut lines, mut peak_kib, mut part) = (0, 0, vec![0; 1 << 20]);
        loop {
            let read = out.read(&mut part).expect("a part");
            lines += part[..read].iter().filter(|byte| **byte == b'\n').count();
            let status = fs::read_to_string(&status).unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok());
            peak_kib = peak_kib.max(peak.unwrap_or(0));
            if read == 0 {
                break;
            }
        }
        assert!(child.wait().expect("an end").success());
        assert!(lines >= MANY as usize, "{form}: {lines} lines");
        assert!(peak_kib > 0 && peak_kib < 50 << 10, "{form}: {peak_kib} KiB");
    }
}

#[test]
fn completions_and_manual_pages_are_made_for_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.simdrop(["completions", shell]).exits(0).stdout;
        assert!(script.contains("verdict") && script.contains("rerun"), "{shell}");
    }
    place.file("simdrop.bash", place.simdrop(["completions", "bash"]).stdout);
    if told_by("bash", &["-n"], &place.path("simdrop.bash")).is_none() {
        eprintln!("SKIPPED: there is no bash");
    }
    place.simdrop(["completions", "nonsense"]).exits(2);
    fs::create_dir(place.path("man")).expect("a folder");
    place.simdrop(["man", "man"]).exits(0);
    let page = fs::read_to_string(place.path("man/simdrop-list.1")).expect("a page");
    assert!(page.contains("QUERY"), "{page}");
    assert!(place.path("man/simdrop.1").exists() && !place.path("man/simdrop-man.1").exists());
    place.simdrop(["man", "nowhere"]).exits(3).complains("nowhere");
    let help = place.simdrop(["--help"]).exits(0).stdout;
    assert!(!help.contains("completions"), "{help}");
}

// F2
#[test]
fn no_command_that_reads_the_store_waits_for_standard_input() {
    let place = with_runs();
    for args in
        [&["list"][..], &["list", "cases", "verdict:WA"], &["show", "1"], &["list", "-o", "csv"]]
    {
        let mut command = place.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a child");
        // It stays open while the command runs.
        let input = child.stdin.take();
        assert!(child.wait().expect("an end").success(), "{args:?}");
        drop(input);
    }
}
