//! What is kept as a number, and what must hold among rows.

use rusqlite::{Params, Row};

use super::{CheckPart, CheckStep, FLAWS_MOST, Flaw, Remedy, See};
use crate::store::StoreError;
use crate::store::read::Reader;

/// So many runs are looked at in one read.
const RUNS: i64 = 1_000;

/// What is wrong among the runs after ?1 up to ?2: where, and what.
const OF_RUNS: [&str; 3] = [
    "SELECT 'run ' || r.id, 'its counters are not what its cases say'
     FROM runs r LEFT JOIN cases c ON c.id BETWEEN r.id << 32 AND (r.id << 32) | 0xffffffff
     WHERE r.id > ?1 AND r.id <= ?2
     GROUP BY r.id
     HAVING r.total != count(c.id) OR r.done != ifnull(sum(c.state = 3), 0)
         OR r.cached != ifnull(sum(c.cached AND c.state = 3), 0)
         OR r.ac != ifnull(sum(c.verdict = 1), 0) OR r.pe != ifnull(sum(c.verdict = 2), 0)
         OR r.wa != ifnull(sum(c.verdict = 3), 0) OR r.noref != ifnull(sum(c.verdict = 4), 0)
         OR r.badin != ifnull(sum(c.verdict = 5), 0) OR r.limits != ifnull(sum(c.verdict = 6), 0)
         OR r.crash != ifnull(sum(c.verdict = 7), 0)
         OR r.cancelled != ifnull(sum(c.verdict = 8), 0)
         OR r.state >= 3 AND r.done != r.total",
    "WITH occurs (kind, code, run) AS (
         SELECT 1, simulator, id >> 32 FROM cases
             WHERE id > (?1 + 1) << 32 AND id < (?2 + 1) << 32 AND simulator IS NOT NULL
         UNION SELECT 2, verdict, id >> 32 FROM cases
             WHERE id > (?1 + 1) << 32 AND id < (?2 + 1) << 32 AND state = 3),
     noted (kind, code, run) AS (SELECT kind, code, run FROM run_has WHERE run > ?1 AND run <= ?2)
     SELECT DISTINCT 'run ' || run, 'what occurs in it is not what its cases say'
     FROM (SELECT * FROM (SELECT * FROM occurs EXCEPT SELECT * FROM noted)
           UNION ALL SELECT * FROM (SELECT * FROM noted EXCEPT SELECT * FROM occurs))
     WHERE run NOT IN (SELECT id FROM runs WHERE removing = 1)",
    "SELECT 'run ' || id, 'it was taken in at another time than its span says'
     FROM runs LEFT JOIN run_spans ON span = id >> 10
     WHERE id > ?1 AND id <= ?2
         AND (taken_in_us BETWEEN first_us AND last_us) IS NOT TRUE",
];

/// What is wrong in the store as a whole.
const OF_ALL: [&str; 10] = [
    "SELECT 'totals', 'there are ' || n || ' runs, and ' || count || ' are counted'
     FROM totals, (SELECT count(*) n FROM runs) WHERE what = 1 AND count != n",
    "SELECT 'totals', 'there are ' || n || ' cases, and ' || count || ' are counted'
     FROM totals, (SELECT count(*) n FROM cases) WHERE what = 2 AND count != n",
    "SELECT 'totals', 'there are ' || n || ' contents, and ' || count || ' are counted'
     FROM totals, (SELECT count(*) n FROM contents WHERE whole = 1) WHERE what = 3 AND count != n",
    "SELECT 'contents', 'there are ' || n || ', and only ' || found || ' can be found by their hash'
     FROM (SELECT (SELECT count(*) FROM contents WHERE whole = 1) n,
         (SELECT ifnull(sum(length(entries)), 0) / 16 FROM hash_log)
         + (SELECT count(*) FROM hash_index) found) WHERE n > found",
    "SELECT 'totals', 'there are ' || n || ' results, and ' || count || ' are counted'
     FROM totals, (SELECT count(*) n FROM results WHERE unfinished <= 0)
     WHERE what = 4 AND count != n",
    "SELECT 'content ' || content, 'a chunk is missing'
     FROM content_chunks GROUP BY content HAVING count(*) != max(number) + 1 LIMIT 100",
    "SELECT 'the output of result ' || result, 'a chunk is missing'
     FROM output_chunks GROUP BY result HAVING count(*) != max(number) + 1 LIMIT 100",
    "SELECT 'result ' || r.id, 'it has not as many games as it says'
     FROM results r WHERE r.unfinished = 0
         AND r.games != (SELECT ifnull(sum(json_array_length(games)), 0) FROM game_blocks b
             WHERE b.id >= r.id << 32 AND b.id < (r.id + 1) << 32 AND json_valid(games)) LIMIT 100",
    "SELECT 'case ' || (id >> 32) || '/' || (id & 0xffffffff), 'done without a result or a reason'
     FROM cases WHERE state = 3 AND result IS NULL AND error IS NULL AND verdict != 8 LIMIT 100",
    "SELECT 'case ' || (c.id >> 32) || '/' || (c.id & 0xffffffff), 'nothing was played, and it has games'
     FROM cases c JOIN results r ON r.id = c.result
     WHERE c.state = 3 AND c.verdict IN (5, 7, 8) AND r.games > 0 LIMIT 100",
];

impl Reader {
    pub(super) fn check_counters(&self, see: See<'_>) -> Result<(), StoreError> {
        let sql = "SELECT ifnull(max(id), 0) FROM runs";
        let newest: i64 = self.db.query_row(sql, [], |row| row.get(0))?;
        let steps = u64::try_from(newest / RUNS + 1).unwrap_or(0) + OF_ALL.len() as u64;
        let mut done = 0;
        for after in (0..=newest).step_by(usize::try_from(RUNS).unwrap_or(1)) {
            see(CheckStep::At(CheckPart::Counters, done, steps));
            for sql in OF_RUNS {
                self.ask(sql, [after, after + RUNS], see)?;
            }
            done += 1;
        }
        self.check_sums(see)?;
        for sql in OF_ALL {
            see(CheckStep::At(CheckPart::Counters, done, steps));
            self.ask(sql, [], see)?;
            done += 1;
        }
        Ok(())
    }

    /// The counters over all cases and games.
    fn check_sums(&self, see: See<'_>) -> Result<(), StoreError> {
        // One read, so that what is counted is what the counters tell of.
        let read = self.db.unchecked_transaction()?;
        for table in self.miscounted(|| ())? {
            let problem = "it is not what the rows say".to_owned();
            see(CheckStep::Found(Flaw::new(table.to_owned(), problem, Remedy::Report)));
        }
        Ok(read.finish()?)
    }

    /// Tells of what a question finds.
    fn ask(&self, sql: &str, values: impl Params, see: See<'_>) -> Result<(), StoreError> {
        let flaw = |row: &Row<'_>| Ok(Flaw::new(row.get(0)?, row.get(1)?, Remedy::Report));
        let found = self.walk_all(sql, values, flaw)?;
        let most = usize::try_from(FLAWS_MOST).unwrap_or(usize::MAX);
        found.into_iter().take(most).for_each(|flaw| see(CheckStep::Found(flaw)));
        Ok(())
    }
}
