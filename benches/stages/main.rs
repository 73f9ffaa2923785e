//! How long each stage of a case takes, by itself: playing, reading an input, taking in, storing, asking.
//!
//!     cargo bench --bench stages                # all of them, in less than a minute
//!     cargo bench --bench stages -- writer      # those whose path holds a word
//!
//! A change that is to make a stage cheaper is held against the table of the commit before it, made on the same
//! machine in the same hour. What commits goes to a real disk: below the target directory, not in `/tmp`,
//! which may be memory. The way as a whole, and instructions instead of seconds, are in the scripts beside this.

mod case;
mod commands;
mod comparing;
mod history;
mod inputs;
mod parsers;
mod place;
mod played;
mod program;
mod queries;
mod run;
mod simulators;
mod take_in;
mod writer;

fn main() {
    divan::main();
    // What is static is never dropped, and a store on disk would stay.
    history::forget();
}
