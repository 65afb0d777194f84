// Bounds of SQL: a statement, its execution, and the PostgreSQL protocol. Each says the SQLSTATE
// that a client gets above it.

import { KiB, MiB } from '../units.js'

// Statements

/** One SQL statement: bytes of its text, bytes of an INSERT, and words: 54001. */
export const sqlBytesMax = 256 * 1024
export const sqlInsertBytesMax = 1024 * 1024
export const sqlTokensMax = 100_000
/** Levels of parentheses, CASE, NOT and signs in an expression; operators of one chain: 54001. */
export const sqlDepthMax = 100
export const sqlChainMax = 1_000
/**
 * Items of a list in a statement (IN, arguments, columns), and rows of VALUES: 54001. Elements of
 * an array value, and rows of a function in FROM: 54000.
 */
export const sqlListMax = 10_000
export const sqlRowsMax = 10_000
/** Subqueries of one statement that are read on although they are refused, 0A000 beyond. */
export const sqlSubqueriesMax = 100
/** Values for placeholders: 54001. The PostgreSQL protocol counts them in 16 bits. */
export const sqlParametersMax = 32_767
/** Characters of a LIKE pattern: 54000. */
export const sqlPatternCharsMax = 1_000

// Execution

/**
 * Bytes of the rows of one table that a join without an index holds, also while its cursor is idle:
 * 53200.
 */
export const sqlJoinBytesMax = 32 * MiB
/** Values of one group that an ordered aggregate lists, bytes: 53200. To sort them costs most. */
export const sqlSortedListBytesMax = 4 * MiB

// The PostgreSQL protocol

/** One message, bytes: before login or only with names, and any other. The connection is closed. */
export const pgSmallMessageBytesMax = 10 * KiB
export const pgMessageBytesMax = 16 * MiB
/** Prepared statements of one connection, and its portals: 53400. */
export const pgPreparedMax = 1_000
/** Their bytes: 53400; the bytes of rows that wait in its portals: 53200. */
export const pgPreparedBytesMax = 32 * MiB
export const pgHeldBytesMax = 64 * MiB
/** Savepoints of a transaction, with the cursors recorded for them, 100 bytes each: 53400. */
export const pgSavepointsMax = 10_000
/**
 * Statements of a READ COMMITTED transaction that are kept so that they can be run again if another
 * client was faster, bytes of their commands, and runs: 40001 beyond.
 */
export const pgReplayStatementsMax = 200
export const pgReplayBytesMax = 64 * KiB
export const pgReplaysMax = 200
/** Bytes of the name of a channel: a longer one is cut by LISTEN, 22023 of pg_notify. */
export const pgChannelBytesMax = 63
/** Bytes of a notification's payload: 22023 (PostgreSQL: NOTIFY_PAYLOAD_MAX_LENGTH). */
export const pgPayloadBytesMax = 7_999
/** Different notifications of one transaction: 54000. */
export const pgNoticesMax = 10_000
/** Columns of a row: 54011 (PostgreSQL: MaxTupleAttributeNumber). The protocol counts to 32,767. */
export const pgColumnsMax = 1_664
/** Text of a number that is bound to a placeholder, characters: 22P02. */
export const pgScalarCharsMax = 16_384
/** Settings that one session keeps: 53400. Characters of a name: 42622; a value is cut. */
export const sqlSettingsMax = 200
export const sqlSettingCharsMax = 1_000
/** Statements of one message, and messages of one chunk, in one turn of the event loop. */
export const pgStatementsAtOnce = 32
/** A longer message is the last of its turn. */
export const pgLongMessageBytes = 256 * 1024
/** Rows that a listener requests from a cursor at once. */
export const pgBatchRows = 1_000
/** Bytes of them: to copy the 16 MiB of a reply takes a turn of 18 ms. */
export const pgBatchBytes = 4 * MiB
/** Bytes of rows that are encoded in one turn of the event loop: a few milliseconds. */
export const pgEncodedAtOnce = 256 * KiB
/** The same for their fields, and for the bytes read, those of fields without a column too. */
export const pgFieldsAtOnce = 8_000
export const pgReadAtOnce = 128 * KiB
/** Bytes of replies that are gathered before they are sent. */
export const pgAnswerBytes = 64 * KiB
