//! The thread that writes, and the bounded queue before it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use tracing::Level;

use super::Form;
use super::line::Line;
use super::repeats::{EVERY, Repeats};

/// Where the system's journal listens.
const JOURNAL: &str = "/run/systemd/journal/socket";

/// How many lines may wait.
const LINES_MOST: usize = 4_096;

/// How long the end of the program waits for whoever reads.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many lines nobody got.
pub(super) static LOST: AtomicU64 = AtomicU64::new(0);

enum Message {
    Line(Line),
    /// All that waits is to be written, and this be told of it.
    End(SyncSender<()>),
}

/// Lines on their way to the thread that writes them.
#[derive(Debug)]
pub(super) struct Queue(SyncSender<Message>);

impl Queue {
    pub(super) fn start(form: Form) -> io::Result<Arc<Self>> {
        let (lines, inbox) = mpsc::sync_channel(LINES_MOST);
        let pen = Pen::new(form)?;
        thread::Builder::new().name("log".to_owned()).spawn(move || pen.write_all(&inbox))?;
        Ok(Arc::new(Self(lines)))
    }

    /// Never waits: what does not fit is lost, and counted.
    pub(super) fn offer(&self, line: Line) {
        if self.0.try_send(Message::Line(line)).is_err() {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything is written, for as long as patience lasts.
    pub(super) fn close(&self) {
        let until = Instant::now() + PATIENCE;
        let (written, heard) = mpsc::sync_channel(1);
        let mut end = Message::End(written);
        while let Err(TrySendError::Full(again)) = self.0.try_send(end) {
            if Instant::now() >= until {
                return;
            }
            end = again;
            thread::park_timeout(PATIENCE / 100);
        }
        let _ = heard.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// Writes lines.
struct Pen {
    form: Form,
    to: To,
    repeats: Repeats,
    /// How many lost lines were told of.
    told: u64,
}

enum To {
    /// Not through the lock that others may hold who write there.
    Stderr(File),
    /// Connected to nobody, so that a journal that is started anew is found.
    Journal(UnixDatagram),
}

impl Pen {
    fn new(form: Form) -> io::Result<Self> {
        let to = match form {
            Form::Journal => To::Journal(UnixDatagram::unbound()?),
            _ => To::Stderr(io::stderr().as_fd().try_clone_to_owned()?.into()),
        };
        Ok(Self { form, to, repeats: Repeats::default(), told: 0 })
    }

    fn write_all(mut self, inbox: &Receiver<Message>) {
        loop {
            let wait = self.repeats.next().map(|at| at.saturating_duration_since(Instant::now()));
            match inbox.recv_timeout(wait.unwrap_or(EVERY)) {
                Ok(Message::Line(line)) => {
                    if let Some(line) = self.repeats.pass(line, Instant::now()) {
                        self.write(&line);
                    }
                }
                Ok(Message::End(written)) => {
                    self.write_due(Instant::now() + EVERY);
                    let _ = written.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.write_due(Instant::now());
            self.tell_lost();
        }
    }

    fn write_due(&mut self, now: Instant) {
        for line in self.repeats.due(now) {
            self.write(&line);
        }
    }

    fn write(&mut self, line: &Line) {
        if self.put(line).is_err() {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Says how many lines were lost since that was last said.
    fn tell_lost(&mut self) {
        let lost = LOST.load(Ordering::Relaxed);
        let since = lost - self.told;
        if since > 0 {
            let message = format!("{since} lines of the log were lost: nobody read them in time");
            if self.put(&Line::new(Level::WARN, message)).is_ok() {
                self.told = lost;
            }
        }
    }

    fn put(&mut self, line: &Line) -> io::Result<()> {
        let bytes = line.write(self.form);
        match &mut self.to {
            To::Stderr(file) => file.write_all(&bytes),
            To::Journal(socket) => socket.send_to(&bytes, JOURNAL).map(drop),
        }
    }
}
