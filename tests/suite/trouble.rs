//! The daemon in trouble: full disks, lost threads, other people's files, and a lot of everything.

#![cfg(feature = "faults")]

mod daemon;
mod load;
mod people;
mod world;
