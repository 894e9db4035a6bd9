//! Bodies of requests: not too long, and not too slow.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::fault::{Code, Fault};

const MOST_BYTES: usize = 1 << 20;
const MOST_TIME: Duration = Duration::from_secs(30);

/// Reads the body of a request before anything is done with it.
pub async fn bounded(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(MOST_TIME, Limited::new(body, MOST_BYTES).collect());
    let fault = match read.await {
        Ok(Ok(read)) => {
            let request = Request::from_parts(parts, Body::from(read.to_bytes()));
            return next.run(request).await;
        }
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("a body has at most {MOST_BYTES} bytes");
            Fault::new(StatusCode::PAYLOAD_TOO_LARGE, Code::TooLong, message)
        }
        Ok(Err(_)) => Fault::question("the body does not end"),
        Err(_) => {
            Fault::new(StatusCode::REQUEST_TIMEOUT, Code::Question, "the body takes too long")
        }
    };
    fault.into_response()
}
