//! What goes wrong on purpose, by the simulator `faults`.

#[cfg(not(feature = "faults"))]
#[test]
fn the_suite_needs_the_feature_faults() {
    panic!("run: cargo test --features faults");
}

#[cfg(feature = "faults")]
mod on_purpose {
    use simdrop::domain::SimulatorId;
    use simdrop::sim;

    use crate::harness::{Place, thunder};

    #[test]
    fn the_faults_are_a_simulator_like_any_other() {
        let place = Place::new();
        place.file("fine.in", "0 7\n").file("many.in", "9 3\n").file("sleep.in", "2 3\n");
        assert_eq!(place.simdrop(["sim", "faults", "fine.in"]).exits(0).stdout, "ok 7\n");
        assert_eq!(place.simdrop(["sim", "faults", "many.in"]).exits(0).stdout, "g\ng\ng\n");
        place.simdrop(["sim", "faults", "sleep.in"]).exits(0);
        let trace = ["sim", "faults", "fine.in", "--trace", "jsonl"];
        place.simdrop(trace).exits(0).says(r#""event":"fault","fault":"fine","number":7}"#);
        for wrong in ["10 0\n", "9 0\n", "0 -1\n", "0\n", "0 1 2\n"] {
            assert!(sim::read(wrong.as_bytes(), Some(SimulatorId::Faults)).is_err(), "{wrong:?}");
        }
        let read = sim::read(b"9 3\n", None).expect("a fault");
        assert_eq!((read.input.simulator(), read.input.games()), (SimulatorId::Faults, 3));
        assert_eq!(read.input.to_string(), "9 3\n");
    }

    #[test]
    fn a_panic_is_crash_with_its_message_and_the_others_are_played() {
        let place = Place::new();
        place.file("data/1.in", thunder(1)).file("data/2.in", "3 42\n").file("data/3.in", "0 5\n");
        place.file("data/3.ans", "ok 5\n");
        place.simdrop(["run", "data"]).exits(1).says("2  CRASH  fault 42");
        let run = place.json(["show", "latest", "--json"]);
        let counts = ["NOREF", "CRASH", "AC"].map(|name| run["verdicts"][name].as_u64());
        assert_eq!(counts, [Some(1); 3], "{run}");
        let case = place.json(["show", "latest/2", "--json"]);
        assert_eq!(case["error"]["code"], "panic", "{case}");
        assert!(case["output"].is_null(), "{case}");
    }

    #[test]
    fn a_value_that_leaves_its_range_is_badin_without_an_output() {
        let place = Place::new();
        place.file("data/1.in", "1 3\n").file("data/2.in", "0 5\n");
        place
            .simdrop(["run", "data"])
            .exits(1)
            .says("1  BADIN  game 1: the fault 3 leaves 64 bits");
        place.simdrop(["show", "latest/1", "--output"]).exits(3);
        place.simdrop(["show", "latest/2", "--output"]).exits(0).says("ok 5\n");
    }

    #[test]
    fn games_in_many_slices_come_out_in_order() {
        let place = Place::new();
        place.file("data/1.in", "9 10000\n").file("data/1.ans", "g\n".repeat(10_000));
        place.simdrop(["run", "data", "--jobs", "2"]).exits(0);
        assert_eq!(place.json(["show", "latest/1", "--json"])["games"], 10_000);
    }

    #[test]
    fn an_armed_crash_point_that_nothing_reaches_changes_nothing() {
        let place = Place::new();
        place.file("fine.in", "0 7\n");
        let mut command = place.command(["sim", "faults", "fine.in"]);
        command.env("SIMDROP_CRASH_POINT", "no-such-place:3");
        assert!(command.output().expect("the program starts").status.success());
    }
}
