// Bounds of the store: keys and values, the memtable, the log, snapshots, the disk and backups.
// Several files share each of them, or a user meets it.

import { assert } from '../errors.js'
import { KiB, MiB } from '../units.js'
import { largeBytesMax, largePutsMax, programBytesMax } from './engine.js'

// Keys and values

/** Store key, bytes. LMDB with 4 KiB pages accepts 1,978, a PostgreSQL btree row 2,704. */
export const keyBytesMax = 1_900
assert(keyBytesMax < 1_978, 'a key must fit every store')
/**
 * Encoded primary key, bytes. A longer key is stored as a prefix and a SHA-256
 * (docs/design/transactions.md, rule 8).
 */
export const recordKeyBytesMax = 512
export const recordKeyPrefixBytes = 480
assert(recordKeyPrefixBytes + 32 === recordKeyBytesMax, 'prefix and SHA-256 fill a record key')
/**
 * Encoded fields of one index entry, bytes. Longer ones are shortened in the same way
 * (docs/design/transactions.md, rule 8).
 */
export const entryFieldsBytesMax = 1_300
assert(entryFieldsBytesMax + recordKeyBytesMax + 6 <= keyBytesMax, 'an entry must fit a key')
/** Larger values are staged in chunks, bytes (docs/design/transactions.md, rule 13). */
export const inlineValueBytesMax = 256 * KiB
export const chunkBytes = 128 * KiB

// Memtable and log

/** Bytes of one write group. */
export const groupBytesMax = 4 * MiB
/**
 * Memory of one memtable before it is frozen, and its age. A key that is written again within this
 * time is checkpointed once and read without the tables.
 */
export const memtableBytesMax = 32 * MiB
export const memtableMsMax = 5_000
/** Memory that a memtable allocates at a time, bytes; a larger change has its own allocation. */
export const memtableSlabBytes = 1 * MiB
/** Unsorted keys before they are sorted into the order: 2 to 4 ms of work. */
export const memtableTailKeysMax = 8_192
/** Bytes of a segment that are read at a time: all of a segment of the usual size. */
export const checkpointReadBytesMax = memtableBytesMax + 48 * MiB
/** With `interval`, the log is synced so long after the first unsynced write, milliseconds. */
export const logSyncMs = 100
/** Changes of one log record, bytes: a large change is one record. */
export const logRecordBytesMax = 72 * MiB
/** Bytes of a large change that are written to the log at once: about 3 ms. */
export const logPartBytes = 1 * MiB
assert(logRecordBytesMax > largeBytesMax + 32 * largePutsMax, 'a large change is one record')
assert(logRecordBytesMax > groupBytesMax + programBytesMax, 'a group is one record')
assert(checkpointReadBytesMax > logRecordBytesMax + KiB, 'a record is read in one piece')

// Snapshots

/** Age after which a snapshot read moves to a new snapshot, if it can: else SnapshotTooOld. */
export const snapshotMsMax = 5_000
/** Open snapshots of the tables: SnapshotTooOld. */
export const snapshotsMax = 64
/**
 * Snapshots that may live longer: their number, memtable memory and age. Above it SnapshotTooOld:
 * an old reader of the tables keeps their free pages from being reused.
 */
export const snapshotsKeptMax = 8
export const snapshotKeptBytesMax = 128 * MiB
export const snapshotKeptMsMax = 10 * 60_000
/**
 * Transactions: number in all, age (MongoDB: transactionLifetimeLimitSeconds), and savepoints of
 * one. Each holds a reader of the tables, which keeps their free pages from being reused.
 */
export const transactionsMax = 256
export const transactionMsMax = 60_000
export const transactionSavepointsMax = 1_000
/**
 * Different statements of one transaction: the rights and definitions of each are read again in the
 * turn of the commit, 5 to 10 µs each.
 */
export const transactionStatementsMax = 1_000

/**
 * Keys that are held for a session that has lost on them: time of one hold, least time between two
 * of one key and identity, and time after which losses are forgotten, milliseconds. Keys of one
 * try, and of all tries within that least time.
 */
export const heldKeysMs = 100
export const heldKeysAgainMs = 1_000
export const lossesKeptMs = 10_000
export const heldKeysOfTryMax = 1_000
export const heldKeysMax = 10_000
/**
 * What a long command has read is held after a run that others have spoilt: so many times as long
 * as its runs have taken so far, at least so many milliseconds, and at most so many in all.
 */
export const heldReadsRuns = 3
export const heldReadsMsMin = 2_000
/** Keys of one hold that other gateways are told. */
export const heldReadsKeysMax = 65_536
export const heldReadsMsMax = 10_000

// Disk and backups

/** Free disk space below which only removals run, else OutOfDiskSpace: a share, at most bytes. */
export const diskReserveShare = 0.05
export const diskReserveBytesMax = 1_024 * MiB
/** Least time between two scrubs of the tables when they are small, milliseconds. */
export const scrubRoundMsMin = 1_000
/** Backup: bytes of a block (at least one pair), and of one section of the file. */
export const backupBlockBytes = 1 * MiB
export const backupSectionBytesMax = 2 * programBytesMax
assert(backupSectionBytesMax > backupBlockBytes + programBytesMax, 'every put fits a section')
/** Default rate of a backup, bytes a second: it slows clients little. */
export const backupBytesPerSecond = 50_000_000
/** Longest rest behind a block of a backup, milliseconds: as long as the block took to make. */
export const backupRestMsMax = 1_000
/** Highest rate that a client may request, MB/s: BadValue. */
export const backupRateMax = 10_000
/**
 * A backup ends, and its file stays incomplete, if its client reads nothing for this long: it pins
 * a snapshot of the tables.
 */
export const backupStallMs = 60_000

// The change log

/** Age of its records, and time without a watcher after which nothing is recorded, milliseconds. */
export const changeRetentionMs = 24 * 60 * 60_000
/** Size of its records, bytes: older tokens get ChangeStreamHistoryLost. */
export const changeBytesMax = 1_024 * MiB

// Gateways of one store

/** Messages to the other gateways are gathered for this long, milliseconds. */
export const exchangeGatherMs = 5
/** Messages that wait to be sent, bytes: above it they are dropped. */
export const exchangeBytesMax = 64 * MiB
/** A gateway tells that it is there this often, and is forgotten after such a silence. */
export const exchangeHereMs = 5_000
export const exchangeSilentMs = 15_000
/** Keys of which a gateway asks the others to tell; for more it only looks again. */
export const wantedKeysMax = 10_000
/** A key is wanted for this long after its last waiting client, milliseconds. */
export const wantedKeysMs = 10_000
/** What clients wait for is looked at again this often, milliseconds. */
export const lookAgainMs = 1_000
