//! Outputs of several people.

use simdrop::ingest::{Origin, Person, people};

use super::zips::{self, zip};
use super::{folder, lines, listed, text, texts};
use crate::harness::{LIMITS, Place};

/// The inputs 1, 2 and a/3, and the people of a folder with these files.
fn people_of(names: &[&str]) -> (Place, Vec<Person>) {
    let (place, origin) = folder(&["1.in", "1.ans", "2.in", "a/3.in"]);
    for name in names {
        place.file(format!("outputs/{name}"), "text");
    }
    let outputs = Origin::Folder(place.path("outputs"));
    let people = people(&outputs, &listed(&origin), None, &LIMITS);
    (place, people.expect("people"))
}

fn names(people: &[Person]) -> Vec<String> {
    people.iter().map(|person| text(&person.name)).collect()
}

#[test]
fn files_beside_one_another_are_one_persons() {
    let (_place, people) = people_of(&["1.out", "2.ans", "a/3.txt", "notes.md"]);
    assert_eq!(names(&people), ["outputs"]);
    let expected = ["1: 1.in > 1.out", "2: 2.in > 2.ans", "a/3: a/3.in > a/3.txt"];
    assert_eq!(lines(&people[0].entries), expected);
    assert_eq!(texts(&people[0].unused), ["notes.md"]);
}

#[test]
fn folders_are_people_if_nothing_pairs_without_them() {
    let (_place, people) =
        people_of(&["bob/1.out", "bob/2.out", "alice/2", "alice/a/3.out", "eve/x"]);
    assert_eq!(names(&people), ["alice", "bob", "eve"]);
    let alice = ["1: 1.in > -", "2: 2.in > alice/2", "a/3: a/3.in > alice/a/3.out"];
    assert_eq!(lines(&people[0].entries), alice);
    assert_eq!(people[1].entries.iter().filter(|entry| entry.compared.is_some()).count(), 2);
    assert_eq!((texts(&people[2].unused), people[2].entries.len()), (vec!["x".to_owned()], 3));
    assert!(people.iter().all(|person| person.entries.iter().map(|entry| entry.rank).eq(1..=3)));
}

#[test]
fn a_zip_is_a_person_and_where_nothing_pairs_there_is_one_without_files() {
    let (place, origin) = folder(&["in/01.txt", "out/01.txt"]);
    let inputs = listed(&origin);
    for name in ["01.txt", "out/01.txt"] {
        let outputs = zips::origin(&place, &zip(&[(name, b"x"), ("x", b"x")]));
        let people = people(&outputs, &inputs, None, &LIMITS).expect("people");
        assert_eq!(names(&people), ["some"]);
        assert!(people[0].entries[0].compared.is_some(), "{name}");
    }
    let (_place, people) = people_of(&["x/y", "z"]);
    assert_eq!(names(&people), ["outputs"]);
    assert_eq!(texts(&people[0].unused), ["x/y", "z"]);
}
