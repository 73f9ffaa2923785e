//! Bytes that need not be in memory.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// The bytes of an input, of a compared file or of an output.
#[derive(Debug, Clone)]
pub enum Body {
    /// In memory.
    Bytes(Vec<u8>),
    /// Kept elsewhere, too large to be held at once.
    Stream(Arc<dyn Stream>),
}

/// Bytes that are kept elsewhere and read from the start as often as needed.
pub trait Stream: fmt::Debug + Send + Sync {
    /// How many bytes there are.
    fn bytes(&self) -> u64;

    /// Starts reading them.
    ///
    /// # Errors
    /// What keeps them cannot be read.
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>>;
}

impl Body {
    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Stream(stream) => stream.bytes(),
        }
    }

    /// How many bytes are in memory.
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Stream(_) => 0,
        }
    }

    /// Starts reading.
    ///
    /// # Errors
    /// As [`Stream::open`].
    pub fn open(&self) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(match self {
            Self::Bytes(bytes) => Box::new(&bytes[..]),
            Self::Stream(stream) => Box::new(BufReader::with_capacity(64 << 10, stream.open()?)),
        })
    }

    /// All bytes, in memory.
    ///
    /// # Errors
    /// What keeps them cannot be read, or there is no memory for them.
    pub fn into_bytes(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Stream(stream) => {
                let mut bytes = Vec::new();
                let room = usize::try_from(stream.bytes()).map_err(io::Error::other)?;
                bytes.try_reserve_exact(room).map_err(io::Error::other)?;
                stream.open()?.read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}
