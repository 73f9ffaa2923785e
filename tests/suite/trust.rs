//! What people drop is not trusted: it leads nowhere else, it drives no terminal, and it can spend only so much.

mod caps;
mod escapes;
mod swaps;
