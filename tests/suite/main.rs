//! Every test that drives simdrop from outside, in one binary.

mod mtj;
mod stellar_connect;
mod text;
mod thunder_bluff;
mod vectors;
