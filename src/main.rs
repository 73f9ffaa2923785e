//! The `simdrop` program.

use simdrop::exit::Exit;

fn main() -> Exit {
    simdrop::cli::run(std::env::args_os())
}
