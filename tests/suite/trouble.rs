//! The daemon in trouble: full disks, lost threads, other people's files, and a lot of everything.

#![cfg(feature = "faults")]

pub(crate) mod daemon;
mod load;
mod people;
mod world;
