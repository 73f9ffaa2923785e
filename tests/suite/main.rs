//! Every test that drives simdrop from outside, in one binary.

mod answers;
mod check;
mod cli;
mod compare;
mod config;
mod diff;
mod faults;
mod gallery;
mod harness;
mod house;
mod ingest;
mod lint;
mod mtj;
mod rows_cli;
mod rows_pool;
mod rows_reading;
mod rows_store;
mod run;
mod sim;
mod stellar_connect;
mod stop;
mod store;
mod text;
mod thunder_bluff;
mod trace;
mod vectors;
