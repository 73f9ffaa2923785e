//! What the writer is handed: a run, its cases, and what they gave.

use simdrop::domain::{Body, CompareMode, LogLevel, SimulatorId, Verdict};
use simdrop::store::{
    Bytes, Claimed, Finished, GameBlocks, LogLine, NewCase, NewResult, NewRun, Packed, ResultKey,
    Taken, Timings, Yield,
};

use crate::played::Played;
use crate::run::NOW;

/// A run that nothing else is known of.
pub(crate) fn new_run() -> NewRun {
    NewRun {
        label: None,
        tags: Vec::new(),
        source: b"/data".to_vec(),
        asked: r#"{"origin":"folder"}"#.to_owned(),
        compare: CompareMode::Lines,
        listed: 0,
        list_hash: None,
        about: None,
        dropped: None,
        at: NOW,
    }
}

/// Cases of inputs of Thunder Bluff, each with its answer.
pub(crate) fn new_cases(inputs: impl Iterator<Item = Vec<u8>>) -> Vec<NewCase> {
    let ranks = 1_u32..;
    ranks.zip(inputs).map(|(rank, input)| new_case(rank, &input)).collect()
}

fn new_case(rank: u32, input: &[u8]) -> NewCase {
    let simulator = SimulatorId::ThunderBluff;
    let packed = |bytes: &[u8]| Bytes::Packed(Packed::new(bytes));
    let rules = simulator.rules_or_default(None);
    NewCase {
        rank,
        name: format!("data/{rank}").into_bytes(),
        compared: Some(packed(&Played::text(input, simulator).output)),
        taken: Taken::Queued { simulator, rules, input: packed(input) },
    }
}

/// What a claimed case gives: what is known, or else what playing it gives.
pub(crate) fn ended(case: Claimed) -> Finished {
    let Claimed { id, key, input, known, .. } = case;
    let result = match known {
        Some(known) => Yield::Known(known.result),
        None => Yield::New(Box::new(new_result(input, key))),
    };
    let message = "AC, played 1 game by thunder-bluff".to_owned();
    Finished {
        id,
        key,
        verdict: Verdict::Ac,
        result,
        difference: None,
        error: None,
        timings: Timings { play_us: 10, ..Timings::default() },
        log: vec![LogLine { at: NOW, level: LogLevel::Info, message }],
    }
}

fn new_result(input: Body, key: ResultKey) -> NewResult {
    let input = input.into_bytes().expect("an input");
    let Played { games, output } = Played::text(&input, key.simulator);
    let (games, output) = (GameBlocks::new(key, &games), Some(Packed::new(&output)));
    NewResult { games, output, error: None, warnings: Vec::new() }
}
