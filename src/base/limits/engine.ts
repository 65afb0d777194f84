// Bounds of the work of one turn, program or sweep that several parts of the engine and its callers
// share. They keep a turn short whatever one client asks. A bound of one file is in that file.

import { KiB, MiB } from '../units.js'

// Turns and steps

/** Time of one program in one tick, unless its work budget (work-figures.ts) ends it sooner. */
export const tickMsMax = 4
/** Entries of one scan step. */
export const scanEntriesMax = 1_000
/** Entries and tombstones that one step of a scan reads, whatever it returns. */
export const scanStepMax = 2_000
/** Entries of the first step of a filtered query, and the bytes for which later steps are sized. */
export const scanFirstEntries = 100
export const scanBytesTarget = 4 * MiB
/** The same while memory is short. */
export const scanBytesWhenShort = 512 * KiB
/** Documents that one query stage passes to the next at a time. */
export const pullDocumentsMax = 500
/** The same while memory is short: what is read beside others' replies stays small. */
export const pullWhenShortMax = 8
/** Bytes of a batch's first documents: until they are read, it is not known how much to count. */
export const firstPullBytes = 128 * KiB
/** Documents that a transform emits in one bounded step. */
export const stepDocumentsMax = 500
/** Documents that DESCRIBE, and the catalogue of SQL, sample for the columns of a collection. */
export const showSampleDocuments = 100
/** Bytes of these documents: the last one may exceed it. */
export const showSampleBytes = 4 * MiB
/** Cached weight tables of collations: 5 MB and 80 ms each. */
export const collationTablesMax = 16
/** Larger JSON texts and values are converted in a thread: here they would take 5 ms. */
export const jsonInThreadBytes = 128 * KiB

// Programs and sweeps

/** Puts and bytes of a write program (docs/design/transactions.md, rule 1): TransactionTooLarge. */
export const programPutsMax = 5_000
export const programBytesMax = 8 * MiB
/**
 * Puts and bytes of one atomic change over several turns: EXEC, MSET, commands of many members:
 * TransactionTooLarge. Its log record, with 15 bytes beside each key, is read in one piece.
 */
export const largePutsMax = 200_000
export const largeBytesMax = 64 * MiB
/** Documents changed by one program of a sweep (docs/design/transactions.md, rule 2). */
export const sweepDocumentsMax = 100
/** Documents of an insert that are prepared at once: one program, or several, stores them. */
export const insertedAtOnceMax = 1_000
/** Bytes of documents that end a program of a sweep: less than half of programBytesMax. */
export const sweepBytesTarget = 2 * MiB
/** Runs of one program before it fails with WriteConflict. */
export const programRunsMax = 16
/** Runs of a command that stages large values, one in each: WriteConflict. */
export const stagingRunsMax = sweepDocumentsMax + programRunsMax
/** As programReadsMax, for a command that a read prepares: TransactionTooLarge. */
export const optimisticReadsMax = 1_500_000
/** Keys that others change while a command is prepared; above it, it restarts. About 50 MB. */
export const preparedChangesMax = 400_000
/**
 * Changed members of the large containers that a command reads; above it, the command reads all of
 * them again. Other containers that change meanwhile; above it, no further one is followed.
 */
export const followedChangesMax = 40_000
export const unfollowedContainersMax = 10_000
/**
 * Records, and about how many bytes, of one background step (docs/design/transactions.md, rule 14).
 */
export const backgroundRecordsMax = 50
export const backgroundBytesTarget = 512 * KiB

// Time

/** A day, milliseconds. */
export const dayMs = 86_400_000
/** Longest delay of one timer in Node; a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1
/** Garbage collection, and a checkpoint's scrub, count this long without work as rest. */
export const restMs = 2_000
