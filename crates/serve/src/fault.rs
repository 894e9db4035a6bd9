//! Why a request has no answer.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use onca_answer::AnswerError;
use onca_query::LensError;
use onca_sql_client::SqlFailure;
use onca_store::StoreError;
use onca_views::ViewError;
use serde::Serialize;

/// The kind of a failure, by its stable name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ErrorCode"))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The question is not understood, or makes no sense.
    Question,
    /// What is seen has nothing of what is asked about.
    Nothing,
    /// The lens is not understood, or makes no sense.
    Lens,
    /// The token is missing or wrong.
    Token,
    /// The request is for somebody else.
    Host,
    /// The request comes from the page of somebody else.
    Origin,
    /// There is such a thing, but it cannot be asked so.
    Method,
    /// There is no such thing.
    NotFound,
    /// The trace is not ready.
    NotReady,
    /// The body is too long.
    TooLong,
    /// There is too much to do.
    Busy,
    /// The program is at fault.
    Fault,
    /// A limit stopped it.
    Limit,
    /// The program that answers SQL is not there.
    NoSql,
}

/// Why a request has no answer.
#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    code: Code,
    message: String,
    id: Option<String>,
}

impl Fault {
    /// A failure of some kind.
    pub fn new(status: StatusCode, code: Code, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), id: None }
    }

    /// The question is not understood.
    pub fn question(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::Question, message)
    }

    /// The question makes no sense for this trace.
    pub fn senseless(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, Code::Question, message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, Code::NotFound, message)
    }

    /// A limit stopped it.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, Code::Limit, message)
    }

    /// There is too much to do.
    pub fn busy() -> Self {
        let message = "there is too much to do; ask again in a moment";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, message)
    }

    /// The program is at fault. What happened is said on standard error, under a number that the
    /// answer has too: messages of faults may tell of files.
    pub fn ours(what: &str) -> Self {
        let id = crate::guard::random_hex::<4>().unwrap_or_else(|_| "-".to_owned());
        // What went wrong may have names of a trace in it.
        eprintln!("error: fault {id}: {}", onca_model::printable(what.as_bytes()));
        let message = format!("the program failed; it says more under {id}");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { id: Some(id), ..Self::new(status, Code::Fault, message) }
    }

    /// Would the token have helped?
    pub fn lacks_token(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// For people in front of a browser. Its messages are our own words, never those of a trace.
    pub fn into_page(self) -> Response {
        let Self { status, message, .. } = self;
        let page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Onca</title>\n\
             <h1>This page is for people with its token</h1>\n<p>The server says: {message}.</p>\n\
             <p>Whoever started <code>onca view</code> has the whole address in the terminal, or \
             under <b>Share</b> in the page. A token is good for as long as that command runs.</p>\n"
        );
        (status, Html(page)).into_response()
    }

    /// What the answer to a request without a body of ours says, such as one of the router's.
    pub fn of_status(status: StatusCode) -> Self {
        let (code, message) = match status {
            StatusCode::NOT_FOUND => (Code::NotFound, "there is no such thing"),
            StatusCode::METHOD_NOT_ALLOWED => (Code::Method, "this cannot be asked so"),
            StatusCode::PAYLOAD_TOO_LARGE => (Code::TooLong, "the body is too long"),
            status if status.is_server_error() => return Self::ours(status.as_str()),
            _ => (Code::Question, "the request is not understood"),
        };
        Self::new(status, code, message)
    }
}

/// Why a request has no answer: `onca-error/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ErrorAnswer"))]
pub struct ErrorJson<'a> {
    schema: &'static str,
    /// The kind of the failure; it is stable.
    code: Code,
    /// For people.
    message: &'a str,
    /// The number under which the server prints more about a fault; else `null`.
    id: Option<&'a str>,
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let body = ErrorJson {
            schema: "onca-error/1",
            code: self.code,
            message: &self.message,
            id: self.id.as_deref(),
        };
        let mut response = (self.status, Json(body)).into_response();
        if self.code == Code::Busy || self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<LensError> for Fault {
    fn from(error: LensError) -> Self {
        match error {
            LensError::Store(error) => error.into(),
            LensError::Malformed(_) => {
                Self::new(StatusCode::BAD_REQUEST, Code::Lens, error.to_string())
            }
            LensError::Unfit { .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, Code::Lens, error.to_string())
            }
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::ours(&error.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            // Nobody waits for this answer.
            StoreError::Stopped => Self::busy(),
            error => Self::ours(&error.to_string()),
        }
    }
}

impl From<AnswerError> for Fault {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Lens(error) => error.into(),
            AnswerError::TooLarge(why) => Self::limit(why),
            AnswerError::Question(why) => Self::senseless(why),
        }
    }
}

impl From<ViewError> for Fault {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Answer(error) => error.into(),
            ViewError::Lens(error) => error.into(),
            ViewError::Nothing(why) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, Code::Nothing, why)
            }
        }
    }
}

impl From<SqlFailure> for Fault {
    fn from(failure: SqlFailure) -> Self {
        match failure {
            SqlFailure::NoProgram(why) => Self::new(StatusCode::NOT_IMPLEMENTED, Code::NoSql, why),
            SqlFailure::Invalid(why) => Self::question(why),
            SqlFailure::Limit(why) => Self::limit(why),
            SqlFailure::Ended(why) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Fault, why)
            }
            SqlFailure::Fault(why) => Self::ours(&why),
        }
    }
}
