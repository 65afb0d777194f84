// Bounds of the key-value protocol: requests and replies, keys and values, transactions,
// subscribers, and what the server keeps for SCAN, MONITOR and SLOWLOG. "Redis" is 7.0.15. Where
// Redis has the same bound, the error is that of Redis.

import { assert } from '../errors.js'
import { KiB, MiB } from '../units.js'
import { socketBacklogBytesMax } from './connections.js'
import { documentBytesMax } from './documents.js'
import { programBytesMax, programPutsMax, scanEntriesMax } from './engine.js'
import { keyBytesMax } from './store.js'

// Requests and replies

/**
 * One argument, bytes: `-ERR invalid bulk length`; announced as proto-max-bulk-len
 * (docs/compatibility.md, "Key-value").
 */
export const respBulkBytesMax = documentBytesMax - KiB
/**
 * Arguments of one command, `-ERR invalid multibulk length`: Redis' bound up to 6.2. Redis 7.0
 * accepts 2^31 - 1, whose offsets alone would take 16 GiB.
 */
export const respArgumentsMax = 1_024 * 1_024
/** All arguments of one command, bytes (Redis' client-query-buffer-limit: 1 GiB for everything). */
export const respRequestBytesMax = 64 * MiB
assert(respRequestBytesMax > respBulkBytesMax, 'the longest argument fits a command')
/**
 * A longer argument is skipped unread and its command refused, up to this length (Redis' bound).
 * Above it the connection is closed.
 */
export const respPassedBytesMax = 512 * MiB
/**
 * An inline command or a length without an end of line, bytes: the connection is closed (Redis:
 * PROTO_INLINE_MAX_SIZE).
 */
export const respLineBytesMax = 64 * KiB
/** Before login (Redis): arguments of a command, bytes of an argument. The connection is closed. */
export const anonymousRespArgumentsMax = 10
export const anonymousRespBulkBytesMax = 16 * KiB
/** Values of a reply that are encoded in one turn; a longer reply takes several. */
export const replyValuesAtOnce = 8_192

/** Keys that a connection may watch: EXEC looks at all in one turn. Redis has no bound. */
export const watchedKeysMax = 5_000
/** Channels or patterns of one SUBSCRIBE or UNSUBSCRIBE. Redis has no bound. */
export const subscribedAtOnceMax = 10_000

// Keys and values

/** SELECT accepts 0 to 15 (Redis' default): `-ERR DB index is out of range`. */
export const keyspacesMax = 16
/**
 * Name of a key, bytes: `-ERR key is too long`. Caches use the whole name. The store's key of a
 * long name is a prefix and a SHA-256 (docs/design/transactions.md, rule 8); the record has the
 * whole name.
 */
export const keyNameBytesMax = 64 * KiB
/** A longer member has this prefix and a SHA-256 in its store key, bytes. */
export const memberKeyPrefixBytes = 992
export const memberKeyBytesMax = memberKeyPrefixBytes + 32
assert(memberKeyBytesMax + 32 <= keyBytesMax, 'a member and its score fit a key')
/** Bytes of the strings of one dump, unpacked; above, Redis' error of long strings. */
export const dumpUnpackedBytesMax = 4 * respBulkBytesMax
/** Members that a negative count picks with repetitions: `-ERR value is out of range`. */
export const randomPicksMax = 1_000_000
/** Bytes of a pattern that can match (the tests of Redis have 100,000). */
export const globPatternBytesMax = 256 * KiB
/**
 * Comparisons of one pattern match: a base, and more for each byte of the subject. Only a hostile
 * pattern reaches it: one of 1,000 bytes then takes 0.3 ms. At the bound it does not match.
 */
export const globStepsBase = 10_000
export const globStepsPerByteMax = 64
/** Interval of the sweep for expired keys. */
export const expirySweepMs = 100

// Work of one step

/**
 * Members that one count record of a large sorted set covers, and the count records under one above
 * them: a rank reads half of each on its way down.
 */
export const rankBlockMembersMax = 512
assert(rankBlockMembersMax < scanEntriesMax, 'a block is one step of a scan')
/** Keys that are read in one step; a larger read pauses in between. */
export const keysAtOnceMax = 512
/** Members left that are few enough to be moved instead of removing the others one by one. */
export const keptAtOnceMax = 1_500
/** Members that a list removes one by one at an end; the background removes more. */
export const trimAtOnceMax = 256
assert(trimAtOnceMax * 4 < programPutsMax, 'a trim leaves room for its neighbours')
/** Members of a list that one step reads: each has up to inlineValueBytesMax bytes. */
export const listScanMembers = 200
/** Elements that SORT, or a reply by score, sorts without a pause. */
export const sortRunElements = 1_000
/** Members of a large container that one program copies or builds, and their bytes. */
export const membersCopiedAtOnce = 500
export const membersCopiedBytes = programBytesMax / 4
/** Commands of one connection that share a program. */
export const batchCommandsMax = 64

// Transactions

/**
 * What one connection may queue between MULTI and EXEC, bytes: the longest command, and twice what
 * EXEC can write. Each command counts a fixed size in addition to its words. The error is
 * `-ERR too much is queued in this transaction`.
 */
export const multiBytesMax = 2 * respRequestBytesMax
export const multiCommandBytes = 512
/** And of all connections together: two of them may reach their bound. */
export const multiBytesTotalMax = 2 * multiBytesMax
assert(multiBytesMax >= 2 * programBytesMax, 'what EXEC can do can be queued')

// Subscribers, SCAN, MONITOR and SLOWLOG

/**
 * Unsent bytes of a subscriber (Redis' client-output-buffer-limit pubsub): at once, and for a time.
 * Then its connection is closed.
 */
export const subscriberOutputBytesMax = 32 * MiB
export const subscriberBacklogBytesMax = 8 * MiB
export const subscriberBacklogMs = 60_000
assert(subscriberBacklogBytesMax > socketBacklogBytesMax, 'a slow client is first not read from')
/** Cursors of SCAN and its like that are kept, and their bytes; few are longer than 100 bytes. */
export const scanCursorsMax = 10_000
export const scanCursorBytesMax = 64 * MiB
/**
 * Bytes of a command in a line of MONITOR. A line of 16 MiB of unprintable bytes would take
 * seconds, and delay every command.
 */
export const monitorLineBytes = 16 * KiB
/** Entries of the slow log, whatever slowlog-max-len says: each has up to 4 KiB. */
export const slowLogEntriesMax = 10_000
/** Words of an entry, and bytes of a word (Redis). */
export const slowLogWordsMax = 32
export const slowLogBytesMax = 128
