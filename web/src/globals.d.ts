/** What `first.ts` asked for: the session, the trace and its first scene. */
declare var oncaStart: Promise<Response> | undefined;
