// Bounds of HTTP: requests, pages of the document routes, streams, and the Data API. The routes of
// graph memory have theirs in memory.ts, sign-in in identity.ts. Too large a body is always
// BSONObjectTooLarge (413).

import { KiB, MiB } from '../units.js'
import { documentBytesMax, messageBytesMax } from './documents.js'

// Requests

/** Request headers, bytes: 431. */
export const headerBytesMax = 16 * KiB
/** Time to receive the headers (408), and a body that is read whole: MaxTimeMSExpired. */
export const requestMsMax = 60_000
/**
 * Chunks of a body that is read whole, beyond which they have at least so many bytes on average:
 * BadValue. One packet may have ten thousand chunks of a byte, which Node hands on in one turn.
 */
export const shortChunksMax = 1_000
export const chunkBytesMin = 16
/** Idle time of a connection: more than a proxy's. */
export const keepAliveMs = 75_000
/** HTTP requests queued on one connection before Sigil stops reading from it. */
export const pipelinedRequestsMax = 100
/** A request that waits for memory fails after this time: ExceededTimeLimit. */
export const memoryWaitMsMax = 10_000
/** How long a browser caches the response to a preflight, seconds. */
export const preflightAgeSeconds = 600
/**
 * Addresses, and keys, whose HTTP requests are counted. The least recently used are forgotten
 * (docs/operations.md, "Limits of requests").
 */
export const addressesTrackedMax = 100_000
/** Characters of an Idempotency-Key: BadValue; how long its response is kept. */
export const idempotencyKeyCharsMax = 255
export const idempotencyMs = 86_400_000
/** Responses kept for one caller in a day, and their bytes, above which QuotaExceeded. */
export const idempotencyAnswersMax = 10_000
export const idempotencyBytesMax = 64 * MiB
/** Interval of the comments that keep an event stream open through proxies. */
export const eventStreamPingMs = 15_000
/** A stream of changes whose client reads nothing for so long is ended. */
export const eventStreamStallMs = 60_000
/** When a browser connects again after a stream has ended, milliseconds (`retry:`). */
export const eventStreamRetryMs = 1_000
/** Open streams of changes of one owner, operators apart: 429. A stream holds a cursor. */
export const changeStreamsMax = 100
/** Collections that one response of changes follows. */
export const changeFeedsMax = 32
/** Events that a stream of changes reads at once. */
export const changeStreamBatch = 100

// Pages of documents

/** Page of the HTTP routes: default and largest, BadValue (docs/compatibility.md, "HTTP"). */
export const httpPageDefault = 100
export const httpPageMax = 10_000
/** Sort fields of a list of documents: BadValue. */
export const pageSortFieldsMax = 8
/** Least `maxValueBytes` of a list of documents: BadValue. Numbers and ids stay whole. */
export const cutBytesMin = 64
/** Cursor of such a list: BadValue. It must fit a URL, and the headers take at most 16 KiB. */
export const pageCursorCharsMax = 8 * KiB

// Streams

/** Documents of one batch of an NDJSON stream, which stays in memory while a slow client reads. */
export const streamBatchDocuments = 500
/** NDJSON import: bytes, and bytes of a line: BSONObjectTooLarge. */
export const importStreamBytesMax = 1024 * MiB
export const importLineBytesMax = documentBytesMax
/** Time of an import: 408. Errors that its response lists; the others are counted. */
export const importStreamMsMax = 3_600_000
export const importErrorsMax = 100

// Data API

/** Documents of one response by default and at most: BadValue. */
export const dataApiLimitDefault = 1_000
export const dataApiLimitMax = 50_000
/** Bytes of one response as text: BSONObjectTooLarge. */
export const dataApiAnswerBytesMax = messageBytesMax

// Figures for a page

/** The history of metrics: length of a step in milliseconds, and steps kept (one hour). */
export const historyStepMs = 5_000
export const historySteps = 720
/** Slow commands kept in memory; older ones are only in the log. */
export const slowCommandsKept = 128
/** Documents of a schema's sample, and fields that it lists; beyond that it is truncated. */
export const schemaSampleMax = 1_000
export const schemaFieldsMax = 500

// Requests that another gateway passes on

/** Time to connect to the gateway that a request is for, milliseconds; then it counts as gone. */
export const forwardConnectMs = 2_000
/** How often it is looked whether that gateway is still there, while it has not answered. */
export const forwardLookMs = 5_000
/** Age of the signature under which a gateway names the sender. */
export const forwardSignatureMs = 60_000
