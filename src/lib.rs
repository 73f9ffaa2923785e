//! simdrop evaluates deterministic game simulators in batches and remembers every result.

pub mod compare;
pub mod domain;
pub mod engine;
pub mod ingest;
pub mod sim;
pub mod store;
