-- The first shape of the store. Until 0.1.0 is tagged this file is edited in place; after that it is
-- never touched again and a change is a new file.
--
-- Integers inside, names outside: the codes below are the ones in src/store/codes.rs, and a test
-- holds the two against each other. Times are UTC microseconds since 1970. Durations are microseconds.
-- A CHECK never says IN: for a list SQLite fills a temporary table at every row it writes.

-- Inputs and compared files, once each. A large content comes in several transactions: until the last one it is
-- not whole, nobody finds it, and the next start removes it.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    hash   BLOB NOT NULL CHECK (length(hash) = 32),
    bytes  INTEGER NOT NULL CHECK (bytes >= 0),
    coding INTEGER NOT NULL CHECK (coding BETWEEN 1 AND 2), -- 1 as it is, 2 zstd
    data   BLOB,                                      -- NULL: in content_chunks
    whole  INTEGER NOT NULL DEFAULT 1 CHECK (whole BETWEEN 0 AND 1)
) STRICT;
CREATE INDEX contents_in_parts ON contents (whole) WHERE whole = 0;

-- A whole content is found by the first 8 bytes of its BLAKE3 hash, as a number, and then compared in full: an
-- index of integers is half as large as one of hashes. Those that came last are only in the log, and the process
-- that writes has them in memory; they go to the index many at once, in order, because one by one each would change
-- a page of its own. Both may name contents that are gone.
CREATE TABLE hash_log (
    number  INTEGER PRIMARY KEY,
    entries BLOB NOT NULL -- for each content the prefix and the id, 8 bytes each, the lowest first
) STRICT;
CREATE TABLE hash_settling ( -- while they go, at most one row
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    row    INTEGER NOT NULL, -- the last one of the log that has some of them
    prefix INTEGER NOT NULL  -- those before this one went
) STRICT;
CREATE TABLE hash_index (
    prefix  INTEGER NOT NULL,
    content INTEGER NOT NULL,
    PRIMARY KEY (prefix, content)
) STRICT, WITHOUT ROWID;

-- The key of this table, of output_chunks and of game_blocks holds two numbers, as that of cases does. A key of
-- two columns would be an index, and to find a place in an index SQLite reads rows it passes as a whole, however
-- long they are.
CREATE TABLE content_chunks (
    id      INTEGER PRIMARY KEY, -- content * 2^32 + number
    content INTEGER GENERATED ALWAYS AS (id >> 32) REFERENCES contents (id),
    number  INTEGER GENERATED ALWAYS AS (id & 0xffffffff),
    coding  INTEGER NOT NULL CHECK (coding BETWEEN 1 AND 2),
    data    BLOB NOT NULL
) STRICT;

-- What playing one content by one simulator, rule set and version gave. Recomputable. The result of
-- many games comes in several transactions: until the last one `unfinished` is its id, so that it answers
-- nobody and stands in nobody's way, and the next start removes it. It goes in several, too: from the first
-- one on `unfinished` is its id below 0.
-- An output may be dropped to save room (coding 3): its hash and length stay, the result answers nobody, and
-- the next one who needs it plays the input again, which puts the output back.
CREATE TABLE results (
    id           INTEGER PRIMARY KEY,
    content      INTEGER NOT NULL REFERENCES contents (id),
    simulator    INTEGER NOT NULL CHECK (simulator >= 1), -- no upper end: a CHECK cannot be altered, and a new simulator must not rebuild the table
    rules        INTEGER NOT NULL CHECK (rules BETWEEN 1 AND 2),
    version      INTEGER NOT NULL,
    games        INTEGER NOT NULL CHECK (games >= 0),
    endless      INTEGER NOT NULL CHECK (endless BETWEEN 0 AND 1), -- its only game is endless: any emoticon is right
    output_hash  BLOB CHECK (length(output_hash) = 32),
    output_bytes INTEGER,
    coding       INTEGER NOT NULL CHECK (coding BETWEEN 1 AND 3), -- 1 as it is, 2 zstd, 3 dropped
    output       BLOB,          -- NULL: in output_chunks, dropped, or no output is claimed
    error        TEXT,          -- JSON: why no output is claimed
    warnings     TEXT,          -- JSON: what is odd about the input or its games
    unfinished   INTEGER NOT NULL DEFAULT 0,
    CHECK ((output_hash IS NULL) = (output_bytes IS NULL)),
    CHECK (unfinished > 0 OR (output_hash IS NULL) = (error IS NOT NULL)),
    UNIQUE (content, simulator, rules, version, unfinished)
) STRICT;
CREATE INDEX results_unfinished ON results (unfinished) WHERE unfinished > 0;

CREATE TABLE output_chunks (
    id     INTEGER PRIMARY KEY, -- result * 2^32 + number
    result INTEGER GENERATED ALWAYS AS (id >> 32) REFERENCES results (id),
    number INTEGER GENERATED ALWAYS AS (id & 0xffffffff),
    coding INTEGER NOT NULL CHECK (coding BETWEEN 1 AND 2),
    data   BLOB NOT NULL
) STRICT;

-- The games of a result, numbered from 1, up to 256 to a row: one row for each would cost more to write than
-- the game to play. `games` is a JSON array with an element for each game, in order:
-- [ending, winner, length, [metrics], {lists}]. Ending: 1 ended, 2 endless, 3 undecided. Winner: a player's number,
-- from 1, or null. Length: rounds, rolls or plays, or null. Metrics: as the simulator lists them, without
-- noughts at the end. Lists: one number per character or player; left out if there are none.
CREATE TABLE game_blocks (
    id     INTEGER PRIMARY KEY, -- result * 2^32 + first
    result INTEGER GENERATED ALWAYS AS (id >> 32) REFERENCES results (id),
    first  INTEGER GENERATED ALWAYS AS (id & 0xffffffff) CHECK (first >= 1), -- the number of its first game
    games  TEXT NOT NULL
) STRICT;

-- What was handed over as one unit. The counters are kept by the transaction that ends a case.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- an id is never used again
    state       INTEGER NOT NULL CHECK (state BETWEEN 1 AND 5), -- 1 taking-in, 2 open, 3 done, 4 cancelled, 5 rejected
    label       TEXT,
    source      BLOB NOT NULL,   -- the absolute paths it came from, with NUL bytes between them
    asked       TEXT NOT NULL,   -- JSON: how it is to be taken in and played, for whoever goes on with it
    compare     INTEGER NOT NULL CHECK (compare BETWEEN 1 AND 3), -- 1 lines, 2 exact, 3 tokens
    of          INTEGER,         -- the run whose cases this one plays again; it may be gone
    listed      INTEGER NOT NULL DEFAULT 0,   -- how many cases its list has
    list_hash   BLOB CHECK (length(list_hash) = 32), -- what the list was when it was frozen
    about       TEXT,            -- JSON: what else was found besides cases
    class       INTEGER NOT NULL CHECK (class BETWEEN 1 AND 2), -- 1 high: somebody waits for it, 2 normal: it was dropped
    token       TEXT,            -- what the one who waits for it knows it by
    identity    BLOB CHECK (length(identity) = 32), -- of the files in the inbox: found again after a crash
    put_away    INTEGER NOT NULL DEFAULT 1 CHECK (put_away BETWEEN 0 AND 1), -- 0: still to be moved out of the inbox
    written_out INTEGER NOT NULL DEFAULT 1 CHECK (written_out BETWEEN 0 AND 1), -- 0: out/ is still to be written
    removing    INTEGER NOT NULL DEFAULT 0 CHECK (removing BETWEEN 0 AND 1), -- 1: it goes, piece by piece
    taken_in_us INTEGER NOT NULL,
    finished_us INTEGER,
    total       INTEGER NOT NULL DEFAULT 0,
    done        INTEGER NOT NULL DEFAULT 0,
    cached      INTEGER NOT NULL DEFAULT 0,
    ac          INTEGER NOT NULL DEFAULT 0,
    pe          INTEGER NOT NULL DEFAULT 0,
    wa          INTEGER NOT NULL DEFAULT 0,
    noref       INTEGER NOT NULL DEFAULT 0,
    badin       INTEGER NOT NULL DEFAULT 0,
    limits      INTEGER NOT NULL DEFAULT 0,
    crash       INTEGER NOT NULL DEFAULT 0,
    cancelled   INTEGER NOT NULL DEFAULT 0,
    parse_us    INTEGER NOT NULL DEFAULT 0, -- this and the next three: of all cases together
    play_us     INTEGER NOT NULL DEFAULT 0,
    compare_us  INTEGER NOT NULL DEFAULT 0,
    store_us    INTEGER NOT NULL DEFAULT 0,
    slowest     TEXT,            -- JSON: rank and microseconds of the five cases that took longest, without cached ones
    largest     TEXT,            -- JSON: rank and bytes of the five cases with the largest inputs
    CHECK ((state >= 3) = (finished_us IS NOT NULL)),
    CHECK (done = ac + pe + wa + noref + badin + limits + crash + cancelled),
    CHECK (done <= total)
) STRICT;
CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (state) WHERE state < 3;
CREATE INDEX runs_by_token ON runs (token) WHERE token IS NOT NULL;
CREATE INDEX runs_by_identity ON runs (identity) WHERE identity IS NOT NULL;
CREATE INDEX runs_to_put_away ON runs (put_away) WHERE put_away = 0;
CREATE INDEX runs_to_write_out ON runs (written_out) WHERE written_out = 0;
CREATE INDEX runs_to_remove ON runs (removing) WHERE removing = 1;

-- What people call a run by, besides its label.
CREATE TABLE tags (
    run   INTEGER NOT NULL REFERENCES runs (id),
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tags_by_value ON tags (key, value, run);
CREATE UNIQUE INDEX tags_by_key ON tags (key, run);

-- What occurs among the cases of a run, so that a list of runs with it needs no walk over cases.
CREATE TABLE run_has (
    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 2), -- 1 a simulator, 2 a verdict
    code INTEGER NOT NULL,
    run  INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (kind, code, run)
) STRICT, WITHOUT ROWID;

-- When the runs of each 1,024 numbers were taken in. A clock may be set back, so an order by time is not
-- the order of runs: this says which numbers a time can have.
CREATE TABLE run_spans (
    span     INTEGER PRIMARY KEY, -- run >> 10
    first_us INTEGER NOT NULL,
    last_us  INTEGER NOT NULL
) STRICT;

-- One input of a run. Its state is the queue: there is no other. The key holds the run and the rank in
-- the run's natural order, from 1: a case is found, and a run's cases are walked, without an index.
CREATE TABLE cases (
    id         INTEGER PRIMARY KEY, -- run * 2^32 + rank
    run        INTEGER GENERATED ALWAYS AS (id >> 32) REFERENCES runs (id),
    rank       INTEGER GENERATED ALWAYS AS (id & 0xffffffff) CHECK (rank >= 1),
    name       BLOB NOT NULL,
    simulator  INTEGER CHECK (simulator >= 1), -- as in results
    rules      INTEGER CHECK (rules BETWEEN 1 AND 2),
    content    INTEGER REFERENCES contents (id),  -- NULL: could not be read
    compared   INTEGER REFERENCES contents (id),
    result     INTEGER REFERENCES results (id),
    state      INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3), -- 1 queued, 2 running, 3 done
    verdict    INTEGER CHECK (verdict BETWEEN 1 AND 8), -- AC PE WA NOREF BADIN LIMIT CRASH CANCELLED
    cached     INTEGER NOT NULL DEFAULT 0 CHECK (cached BETWEEN 0 AND 1),
    attempts   INTEGER NOT NULL DEFAULT 0,
    suspect    INTEGER NOT NULL DEFAULT 0 CHECK (suspect BETWEEN 0 AND 1), -- was running when its process died
    queued_us  INTEGER NOT NULL,
    wait_us    INTEGER,
    parse_us   INTEGER,
    play_us    INTEGER,
    compare_us INTEGER,
    store_us   INTEGER,
    difference TEXT, -- JSON
    error      TEXT, -- JSON
    CHECK ((state = 3) = (verdict IS NOT NULL)),
    CHECK (state = 3 OR (content IS NOT NULL AND simulator IS NOT NULL AND rules IS NOT NULL))
) STRICT;
CREATE INDEX cases_unfinished ON cases (state) WHERE state < 3;
CREATE INDEX cases_by_kind ON cases (simulator, verdict) WHERE state = 3;

-- What happened, for people. A line belongs to a case, or, with rank 0, to the run itself.
CREATE TABLE logs (
    number  INTEGER PRIMARY KEY,
    id      INTEGER NOT NULL, -- run * 2^32 + rank
    at_us   INTEGER NOT NULL,
    level   INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3), -- 1 info, 2 warning, 3 error
    message TEXT NOT NULL
) STRICT;
CREATE INDEX logs_by_id ON logs (id);

-- How much there is, kept by the transaction that changes it: nobody counts rows.
CREATE TABLE totals (
    what  INTEGER PRIMARY KEY CHECK (what BETWEEN 1 AND 4), -- 1 runs, 2 cases, 3 contents, 4 results
    count INTEGER NOT NULL CHECK (count >= 0)
) STRICT;
INSERT INTO totals VALUES (1, 0), (2, 0), (3, 0), (4, 0);

-- Cases that are done. A code of 0: not known. With those that were removed it is how many there ever were,
-- which never falls, so that monitoring can see how it grows.
CREATE TABLE case_counts (
    simulator INTEGER NOT NULL,
    rules     INTEGER NOT NULL,
    verdict   INTEGER NOT NULL CHECK (verdict BETWEEN 1 AND 8),
    cases     INTEGER NOT NULL CHECK (cases >= 0),
    cached    INTEGER NOT NULL CHECK (cached >= 0),
    removed        INTEGER NOT NULL DEFAULT 0 CHECK (removed >= 0),
    removed_cached INTEGER NOT NULL DEFAULT 0 CHECK (removed_cached >= 0),
    PRIMARY KEY (simulator, rules, verdict)
) STRICT, WITHOUT ROWID;

-- Games of finished results, each once however many cases its result answers.
CREATE TABLE game_counts (
    simulator INTEGER NOT NULL,
    rules     INTEGER NOT NULL,
    ending    INTEGER NOT NULL CHECK (ending BETWEEN 1 AND 3),
    winner    INTEGER NOT NULL, -- 0: none
    games     INTEGER NOT NULL CHECK (games >= 0),
    PRIMARY KEY (simulator, rules, ending, winner)
) STRICT, WITHOUT ROWID;

-- How often a value occurs: of 1 the time a case that was not cached was played, in microseconds, 2 the
-- length of a game. Values are kept to three digits, so that there are few.
CREATE TABLE value_counts (
    simulator INTEGER NOT NULL,
    rules     INTEGER NOT NULL,
    what      INTEGER NOT NULL CHECK (what BETWEEN 1 AND 2),
    value     INTEGER NOT NULL,
    count     INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (simulator, rules, what, value)
) STRICT, WITHOUT ROWID;

-- What other processes ask of the one that holds the lock, with its answers.
CREATE TABLE requests (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    token  TEXT NOT NULL UNIQUE, -- the name of the file that asked
    kind   TEXT NOT NULL,
    args   TEXT NOT NULL,
    uid    INTEGER NOT NULL,
    state  INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3), -- 1 asked, 2 done, 3 refused
    answer TEXT
) STRICT;

-- What the process that holds the lock says of itself, at most one row.
CREATE TABLE daemon (
    instance INTEGER PRIMARY KEY CHECK (instance = 1),
    pid      INTEGER NOT NULL,
    beat_us  INTEGER NOT NULL,
    paused   INTEGER NOT NULL CHECK (paused BETWEEN 0 AND 1), -- survives the process
    body     TEXT NOT NULL -- JSON
) STRICT;

-- What other programs read: words instead of codes, times in UTC as text beside the microseconds, names as
-- text beside the bytes. Columns are only ever added; a test holds words and metrics against the program's.
CREATE VIEW v_runs AS
SELECT
    id AS run,
    label,
    CASE state WHEN 1 THEN 'taking-in' WHEN 2 THEN 'open' WHEN 3 THEN 'done' WHEN 4 THEN 'cancelled'
        WHEN 5 THEN 'rejected' END AS state,
    CAST(CASE instr(source, x'00') WHEN 0 THEN source
        ELSE substr(source, 1, instr(source, x'00') - 1) END AS TEXT) AS source, -- the first path
    source AS sources_blob, -- all of them, with NUL bytes between them
    CASE compare WHEN 1 THEN 'lines' WHEN 2 THEN 'exact' WHEN 3 THEN 'tokens' END AS compare,
    CASE class WHEN 1 THEN 'high' WHEN 2 THEN 'normal' END AS class,
    of AS of_run,
    strftime('%Y-%m-%dT%H:%M:%S', taken_in_us / 1000000, 'unixepoch')
        || printf('.%06dZ', taken_in_us % 1000000) AS taken_in_at,
    taken_in_us,
    strftime('%Y-%m-%dT%H:%M:%S', finished_us / 1000000, 'unixepoch')
        || printf('.%06dZ', finished_us % 1000000) AS finished_at,
    finished_us,
    total AS cases, done, cached, ac, pe, wa, noref, badin, limits, crash, cancelled,
    (SELECT json_group_object(key, value) FROM tags WHERE tags.run = runs.id) AS tags
FROM runs;

-- `id` is run * 2^32 + rank: a bound on it finds the cases of a run without a walk over all.
CREATE VIEW v_cases AS
SELECT
    c.id,
    c.run,
    c.rank,
    CAST(c.name AS TEXT) AS name,
    c.name AS name_blob,
    CASE c.simulator WHEN 1 THEN 'stellar-connect' WHEN 2 THEN 'thunder-bluff' WHEN 3 THEN 'mtj' END
        AS simulator,
    CASE c.rules WHEN 1 THEN 'judge' WHEN 2 THEN 'statement' END AS rules,
    r.version,
    CASE c.state WHEN 1 THEN 'queued' WHEN 2 THEN 'running' WHEN 3 THEN 'done' END AS state,
    CASE c.verdict WHEN 1 THEN 'AC' WHEN 2 THEN 'PE' WHEN 3 THEN 'WA' WHEN 4 THEN 'NOREF'
        WHEN 5 THEN 'BADIN' WHEN 6 THEN 'LIMIT' WHEN 7 THEN 'CRASH' WHEN 8 THEN 'CANCELLED' END AS verdict,
    c.cached,
    c.attempts,
    c.suspect,
    c.result,
    r.games,
    lower(hex(i.hash)) AS input_hash,
    i.bytes AS input_bytes,
    lower(hex(r.output_hash)) AS output_hash,
    r.output_bytes,
    strftime('%Y-%m-%dT%H:%M:%S', c.queued_us / 1000000, 'unixepoch')
        || printf('.%06dZ', c.queued_us % 1000000) AS queued_at,
    c.queued_us, c.wait_us, c.parse_us, c.play_us, c.compare_us, c.store_us,
    c.difference,
    ifnull(c.error, r.error) AS error,
    r.warnings
FROM cases c LEFT JOIN contents i ON i.id = c.content LEFT JOIN results r ON r.id = c.result;

-- The games of all results, a row for each.
CREATE VIEW games AS
SELECT
    r.id AS result,
    first + key AS number,
    value ->> '$[0]' AS ending,
    value ->> '$[1]' AS winner,
    value ->> '$[2]' AS length,
    ifnull(value ->> '$[3][0]', 0) AS m1,
    ifnull(value ->> '$[3][1]', 0) AS m2,
    ifnull(value ->> '$[3][2]', 0) AS m3,
    ifnull(value ->> '$[3][3]', 0) AS m4,
    ifnull(value ->> '$[3][4]', 0) AS m5,
    ifnull(value ->> '$[3][5]', 0) AS m6,
    ifnull(value ->> '$[3][6]', 0) AS m7,
    ifnull(value ->> '$[3][7]', 0) AS m8,
    ifnull(value ->> '$[3][8]', 0) AS m9,
    ifnull(value ->> '$[3][9]', 0) AS m10,
    ifnull(value ->> '$[3][10]', 0) AS m11,
    ifnull(value ->> '$[3][11]', 0) AS m12,
    value -> '$[4]' AS lists
FROM results r CROSS JOIN game_blocks b ON b.id >= r.id << 32 AND b.id < (r.id + 1) << 32
    CROSS JOIN json_each(b.games);

-- Each game once, however many cases its result answers: `result` joins it to them. A metric that a
-- simulator does not have is NULL.
CREATE VIEW v_games AS
SELECT
    g.result,
    g.number AS game,
    CASE r.simulator WHEN 1 THEN 'stellar-connect' WHEN 2 THEN 'thunder-bluff' WHEN 3 THEN 'mtj' END
        AS simulator,
    CASE r.rules WHEN 1 THEN 'judge' WHEN 2 THEN 'statement' END AS rules,
    r.version,
    CASE g.ending WHEN 1 THEN 'ended' WHEN 2 THEN 'endless' WHEN 3 THEN 'undecided' END AS ending,
    CASE
        WHEN r.simulator IN (1, 2) AND g.winner = 1 THEN 'Alice'
        WHEN r.simulator IN (1, 2) AND g.winner = 2 THEN 'Bob'
        WHEN r.simulator = 2 AND g.winner = 3 THEN 'Carol'
        WHEN r.simulator = 2 AND g.winner = 4 THEN 'David'
        ELSE CAST(g.winner AS TEXT)
    END AS winner,
    g.winner AS winner_number,
    g.length,
    CASE r.simulator WHEN 1 THEN g.m1 END AS alice_total_hp,
    CASE r.simulator WHEN 1 THEN g.m2 END AS alice_survivors,
    CASE r.simulator WHEN 1 THEN g.m3 END AS alice_total_casts,
    CASE r.simulator WHEN 1 THEN g.m4 END AS alice_total_attacks,
    CASE r.simulator WHEN 1 THEN g.m5 END AS bob_total_hp,
    CASE r.simulator WHEN 1 THEN g.m6 END AS bob_survivors,
    CASE r.simulator WHEN 1 THEN g.m7 END AS bob_total_casts,
    CASE r.simulator WHEN 1 THEN g.m8 END AS bob_total_attacks,
    CASE r.simulator WHEN 2 THEN g.m1 END AS alice,
    CASE r.simulator WHEN 2 THEN g.m2 END AS bob,
    CASE r.simulator WHEN 2 THEN g.m3 END AS carol,
    CASE r.simulator WHEN 2 THEN g.m4 END AS david,
    CASE r.simulator WHEN 2 THEN g.m5 END AS battles,
    CASE r.simulator WHEN 2 THEN g.m6 END AS shot_down,
    CASE r.simulator WHEN 2 THEN g.m7 END AS launches,
    CASE r.simulator WHEN 2 THEN g.m8 END AS pity_launches,
    CASE r.simulator WHEN 2 THEN g.m9 END AS skips,
    CASE r.simulator WHEN 2 THEN g.m10 END AS moves,
    CASE r.simulator WHEN 2 THEN g.m11 END AS home,
    CASE r.simulator WHEN 2 THEN g.m12 END AS longest_streak,
    CASE r.simulator WHEN 3 THEN g.m1 END AS leads,
    CASE r.simulator WHEN 3 THEN g.m2 END AS lead_changes,
    CASE r.simulator WHEN 3 THEN g.m3 END AS passes,
    CASE r.simulator WHEN 3 THEN g.m4 END AS straights,
    CASE r.simulator WHEN 3 THEN g.m5 END AS groups,
    CASE r.simulator WHEN 3 THEN g.m6 END AS longest_straight,
    CASE r.simulator WHEN 3 THEN g.m7 END AS largest_group,
    CASE r.simulator WHEN 3 THEN g.m8 END AS longest_trick,
    CASE r.simulator WHEN 3 THEN g.m9 END AS largest_hand,
    CASE r.simulator WHEN 3 THEN g.m10 END AS winner_plays,
    CASE r.simulator WHEN 3 THEN g.m11 END AS winner_favour,
    g.lists
FROM games g JOIN results r ON r.id = g.result
WHERE r.unfinished = 0;
