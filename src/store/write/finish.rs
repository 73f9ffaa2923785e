//! Ending cases: results, games, final states and counters.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::take_in::end_run;
use super::{Ended, Finished, NewResult, ResultKey, Statements, Yield, add_log, json};
use crate::domain::{CaseError, CaseState, ContentHash, ResultId, RunId, TimestampUs};
use crate::store::codes::Code;
use crate::store::content::{add_chunks, length};
use crate::store::counts::Counts;
use crate::store::stream::Kept;
use crate::store::{Packed, StoreError};

/// Ends cases of a run; whether that was the end of the run.
pub(super) fn finish(
    db: &Connection,
    run: RunId,
    cases: Vec<Finished>,
    clock: fn() -> TimestampUs,
) -> Result<bool, StoreError> {
    let mut ended = Ended::default();
    let mut statements = Statements::new(db);
    for case in cases {
        finish_case(&mut statements, case, &mut ended)?;
    }
    ended.count(db, run)?;
    end_run(db, run, clock())
}

/// Ends a case, if it is running.
fn finish_case(
    db: &mut Statements<'_>,
    mut case: Finished,
    ended: &mut Ended,
) -> Result<(), StoreError> {
    let cached = matches!(case.result, Yield::Known(_));
    let begun = std::time::Instant::now();
    let result = match &case.result {
        Yield::Nothing => None,
        Yield::Known(result) | Yield::Stored(result) => Some(*result),
        Yield::New(result) => match add_result(db, case.key, result, &mut ended.counts)? {
            Ok(result) => Some(result),
            Err(error) => {
                case.crash(error);
                None
            }
        },
    };
    case.timings.store_us = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
    let changed = db
        .of("UPDATE cases SET state = ?2, verdict = ?3, result = ?4, cached = ?5, wait_us = ?6,
                 parse_us = ?7, play_us = ?8, compare_us = ?9, store_us = ?10, difference = ?11,
                 error = ?12
             WHERE id = ?1 AND state = ?13")?
        .execute(params![
            case.id.key(),
            Code(CaseState::Done),
            Code(case.verdict),
            result.map(|id| id.0),
            cached,
            case.timings.wait_us,
            case.timings.parse_us,
            case.timings.play_us,
            case.timings.compare_us,
            case.timings.store_us,
            case.difference.as_ref().map(json),
            case.error.as_ref().map(json),
            Code(CaseState::Running),
        ])?;
    if changed == 0 {
        return Ok(());
    }
    ended.add(case.key.into(), case.verdict, cached);
    ended.add_work(case.id.rank, case.timings, cached);
    if result.is_some() && !cached {
        ended.counts.add_time(case.key.into(), case.timings.play_us, 1);
    }
    add_log(db, case.id, &case.log)
}

/// Adds a result, or finds the one that is there by now; the inner error is that it is another one.
fn add_result(
    db: &mut Statements<'_>,
    key: ResultKey,
    result: &NewResult,
    counts: &mut Counts,
) -> Result<Result<ResultId, CaseError>, StoreError> {
    let ResultKey { content, simulator, rules, version } = key;
    let (coding, data) = result.output.as_ref().map(Packed::row_part).unzip();
    let statement = db.of(
        "INSERT INTO results (content, simulator, rules, version, games, endless, output_hash,
             output_bytes, coding, output, error, warnings)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ifnull(?9, 1), ?10, ?11, ?12)
         ON CONFLICT DO NOTHING",
    )?;
    let added = statement.execute(params![
        content.0,
        Code(simulator),
        Code(rules),
        version,
        length(result.games.len()),
        result.games.is_endless(),
        result.output.as_ref().map(|output| output.hash().0),
        result.output.as_ref().map(|output| length(output.bytes())),
        coding,
        data.flatten(),
        result.error.as_ref().map(json),
        (!result.warnings.is_empty()).then(|| json(&result.warnings)),
    ])?;
    if added == 0 {
        let hash = result.output.as_ref().map(Packed::hash);
        let known = same_key(db, key, hash)?.ok_or(StoreError::Stopped)?;
        if let (Ok(id), Some(output)) = (&known, &result.output) {
            put_output(db, *id, output)?;
        }
        return Ok(known);
    }
    let id = ResultId(db.last_id());
    result.games.add(db, id, 1)?;
    counts.add(result.games.counts());
    counts.results += 1;
    let chunks = result.output.as_ref().map_or(&[][..], Packed::chunks);
    add_chunks(db, Kept::Output(id), 0, chunks)?;
    Ok(Ok(id))
}

/// Stores the output of a result once more: it may have been dropped, or be damaged.
fn put_output(db: &mut Statements<'_>, id: ResultId, output: &Packed) -> Result<(), StoreError> {
    let (coding, data) = output.row_part();
    db.of("UPDATE results SET coding = ?2, output = ?3 WHERE id = ?1")?
        .execute(params![id.0, coding, data])?;
    db.of(Kept::Output(id).delete())?.execute([id.0])?;
    add_chunks(db, Kept::Output(id), 0, output.chunks())
}

/// The finished result with a key; the inner error is that it has another output than this one.
pub(super) fn same_key(
    db: &mut Statements<'_>,
    key: ResultKey,
    output: Option<ContentHash>,
) -> Result<Option<Result<ResultId, CaseError>>, StoreError> {
    let sql = "SELECT id, output_hash IS ?5 FROM results
               WHERE content = ?1 AND simulator = ?2 AND rules = ?3 AND version = ?4
                   AND unfinished = 0";
    let (simulator, rules) = (Code(key.simulator), Code(key.rules));
    let hash = output.map(|hash| hash.0);
    let values = params![key.content.0, simulator, rules, key.version, hash];
    let columns = |row: &Row<'_>| Ok((ResultId(row.get(0)?), row.get(1)?));
    let found = db.of(sql)?.query_row(values, columns).optional()?;
    Ok(found.map(|(id, same)| if same { Ok(id) } else { Err(CaseError::diverged()) }))
}
