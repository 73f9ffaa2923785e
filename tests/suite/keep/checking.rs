//! `store check` on stores that somebody has damaged.

use super::{folder, is_sound, open, with_a_run};
use crate::harness::{Place, Ran};

/// Does something to the store that nobody should, and checks it.
fn after(place: &Place, sql: &str) -> Ran {
    open(place).execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).expect(sql);
    place.simdrop(["store", "check"])
}

#[test]
fn a_sound_store_is_sound() {
    let place = folder(3);
    place.file("data/1.ans", "wrong\n").file("data/bad.in", "1 2 x\n");
    place.file("large/1.in", format!("{}\n", "7 ".repeat(1 << 20)));
    place.simdrop(["run", "data"]).exits(1);
    place.simdrop(["run", "large"]).exits(1);
    place.simdrop(["run", "data", "--fresh"]).exits(1);
    place.simdrop(["rerun", "1", "--verdict", "WA"]).exits(1);
    is_sound(&place);
    assert_eq!(place.simdrop(["store", "check", "--json"]).exits(0).stdout, "[]\n");
}

#[test]
fn bytes_that_are_not_those_of_their_hash_are_found() {
    let place = with_a_run(3);
    let ran = after(&place, "UPDATE contents SET data = x'31' WHERE id = 2").exits(7);
    ran.says("content 2, of case 1/2: it has 1 bytes").says("restore a backup").says("1 flaw");
    let ran = after(
        &place,
        "UPDATE results SET output = CAST(replace(CAST(output AS TEXT), 'A', 'B') AS BLOB)
         WHERE id = 3",
    );
    ran.exits(7).says("the output of result 3, of case 1/3: its bytes are not").says("rerun 1");
    let json = place.simdrop(["store", "check", "-o", "jsonl"]).exits(7).stdout;
    assert_eq!(json.lines().count(), 2);
    assert!(json.lines().all(|line| line.starts_with("{\"schema\":1,\"place\":")), "{json}");
}

#[test]
fn a_damaged_output_is_made_again_by_a_fresh_rerun() {
    let place = with_a_run(2);
    after(&place, "UPDATE results SET output = x'00' WHERE id = 1").exits(7);
    place.simdrop(["rerun", "1", "--verdict", "NOREF", "--fresh"]).exits(0);
    is_sound(&place);
}

#[test]
fn a_chunk_that_is_missing_is_found() {
    let place = folder(1);
    place.file("data/large.in", format!("{}\n", "7 ".repeat(3 << 20)));
    place.simdrop(["run", "data"]).exits(1);
    let ran = after(&place, "DELETE FROM content_chunks WHERE number = 2").exits(7);
    ran.says("content ").says("chunk 2 of").says("a chunk is missing");
}

#[test]
fn counters_that_are_not_what_the_rows_say_are_found() {
    for (sql, said) in [
        ("UPDATE runs SET noref = 1, wa = 1 WHERE id = 1", "run 1: its counters"),
        ("UPDATE totals SET count = 9 WHERE what = 2", "there are 2 cases, and 9 are counted"),
        ("UPDATE totals SET count = 9 WHERE what = 4", "there are 2 results, and 9 are counted"),
        ("DELETE FROM cases WHERE rank = 2", "run 1: its counters"),
        ("DELETE FROM game_blocks WHERE result = 1", "result 1: it has not as many games"),
        ("DELETE FROM contents WHERE id = 1", "names a row of contents that is not there"),
        ("UPDATE cases SET result = NULL WHERE rank = 1", "case 1/1: done without a result"),
        ("DELETE FROM run_has WHERE kind = 1", "run 1: what occurs in it"),
        ("INSERT INTO run_has VALUES (2, 7, 1)", "run 1: what occurs in it"),
        ("UPDATE run_spans SET last_us = first_us - 1", "run 1: it was taken in at another time"),
    ] {
        let place = with_a_run(2);
        after(&place, sql).exits(7).says(said);
    }
}

#[test]
fn a_check_beside_a_writer_finds_nothing() {
    let place = folder(500);
    let mut writer = place.command(["run", "data", "--fresh"]);
    let mut child = writer.stdout(std::process::Stdio::null()).spawn().expect("a run");
    crate::harness::wait_until("it has ended", || {
        let ran = place.simdrop(["store", "check"]);
        assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
        child.try_wait().expect("a child").is_some()
    });
}
