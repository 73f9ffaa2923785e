//! simdrop evaluates deterministic game simulators in batches and remembers every result.
//!
//! # The way of a case
//! [`ingest`] lists what people hand over, pairs files and reads them. [`service`] recognises the simulator and hands
//! each input to the [`store`], which keeps it by content and queues a case. The [`engine`] plays queued cases
//! on a pool of threads through [`sim`], and [`compare`] holds the outputs against the files that came with
//! them. What that gave goes back to the store in one transaction. [`cli`] is how people ask for all this,
//! and for what is in the store.
//!
//! A daemon does the same for what lands in an inbox: `ingest` notices and settles, `service` serves many runs
//! by class and in turn, and the row of a run says what is still to be put away and written out.
//!
//! # What holds everywhere
//! - The row is the job: a case's state is a column, and there is no other queue.
//! - Evaluated is what the store holds, never a file that may change.
//! - A result is a function of (input, simulator, rules, version), so a known one answers a repeated input.
//! - One thread of one process writes; whatever somebody was told has ended is on disk.
//!
//! # The rooms
//! [`domain`]: ids, hashes, verdicts, states. [`sim`]: the games. [`mod@compare`]: a file against an output.
//! [`config`]: settings. [`store`]: SQLite. [`ingest`]: files. [`engine`]: the pool. [`service`]: where they meet.
//! [`cli`]: commands. [`exit`]: exit codes. [`logging`]: what the program says of itself.

pub mod cli;
pub mod compare;
pub mod config;
pub mod domain;
pub mod engine;
pub mod exit;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod ingest;
pub mod logging;
pub mod service;
pub mod sim;
pub mod store;
