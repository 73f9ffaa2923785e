//! From a tracing event to a line.

use std::fmt::{Debug, Write};
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::line::Line;
use super::queue::Queue;
use super::{Form, TOLD, write_directly};

/// Where lines go.
pub(super) enum Sink {
    /// To standard error, now.
    Direct(Form),
    /// To the thread that writes them.
    Queue(Arc<Queue>),
}

/// Makes a line of each event. The spans around it say what run and case it is about.
pub(super) struct Layer {
    sink: Sink,
}

impl Layer {
    pub(super) const fn new(sink: Sink) -> Self {
        Self { sink }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> tracing_subscriber::Layer<S> for Layer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut said = Said::default();
        attributes.record(&mut said);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(said);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(around) = span.extensions().get::<Said>() {
                said.run = said.run.or_else(|| around.run.clone());
                said.case = said.case.or_else(|| around.case.clone());
            }
        }
        let metadata = event.metadata();
        let line = Line {
            is_told: metadata.target() == TOLD,
            class: said.class.map_or_else(|| metadata.name().into(), Into::into),
            run: said.run,
            case: said.case,
            ..Line::new(*metadata.level(), said.message)
        };
        match &self.sink {
            Sink::Direct(form) => write_directly(&line.directly(*form)),
            Sink::Queue(queue) => queue.offer(line),
        }
    }
}

/// What fields say.
#[derive(Debug, Default)]
struct Said {
    message: String,
    run: Option<String>,
    case: Option<String>,
    class: Option<String>,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => _ = write!(self.message, "{value:?}"),
            "run" => self.run = Some(format!("{value:?}")),
            "case" => self.case = Some(format!("{value:?}")),
            "class" => self.class = Some(format!("{value:?}")),
            name => _ = write!(self.message, " {name}={value:?}"),
        }
    }
}
