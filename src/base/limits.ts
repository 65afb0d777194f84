// Every bound that a user can meet, and those that several files share, with the unit, the reason
// and the origin. A bound of the working of one file stands in that file. Units come last in the
// name.

import { assert } from './errors.js'
import { KiB, MiB } from './units.js'

/** Stored document, bytes. The reference server's maxBsonObjectSize. */
export const documentBytesMax = 16 * MiB
/**
 * Command document: a stored document and what surrounds it (reference server:
 * BSONObjMaxInternalSize).
 */
export const commandBytesMax = documentBytesMax + 16 * KiB
/** One wire message or HTTP body, bytes (reference server: maxMessageSizeBytes). */
export const messageBytesMax = 48_000_000
/** Kind 1 sections of one message (reference server: code 233). */
export const messageSequencesMax = 2
/** Before login a client has nothing large to say. */
export const anonymousMessageBytesMax = 16 * KiB
/** Operations of one write command (reference server: maxWriteBatchSize). */
export const writeBatchMax = 100_000
/** Nesting of BSON that the parser follows (reference server: 200, code 15). */
export const bsonDepthMax = 200
/** Nesting of what is stored; conforming clients stop here. */
export const documentDepthMax = 100
/** First batch of find and aggregate when the client names none (reference server). */
export const firstBatchDocuments = 101
/** Page of the HTTP routes: default and largest (docs/compatibility.md, "HTTP"). */
export const httpPageDefault = 100
export const httpPageMax = 10_000
/** Fields that a list of documents over HTTP is sorted by. */
export const pageSortFieldsMax = 8
/** Cursor of such a list: it has to fit a URL, whose request line and headers take 16 KiB. */
export const pageCursorCharsMax = 8 * KiB
/** Documents of one batch of an NDJSON stream: what is held while a slow client reads. */
export const streamBatchDocuments = 500

/** Time of one program in one tick, where its work (work-figures.ts) does not end it sooner. */
export const tickMsMax = 4
/**
 * A document that is too much work for one turn of a read is computed in a thread, for at most so
 * long, milliseconds; `maxTimeMS` ends it sooner. An aggregation over one document of 16 MiB takes
 * a second or two.
 */
export const heavyDocumentMsMax = 30_000
/** Heap and buffers of such a thread, bytes: a document, its answer, and what lies between them. */
export const heavyDocumentBytesMax = 512 * MiB
/** Entries of one scan step. */
export const scanEntriesMax = 1_000
/** Entries and tombstones that one step of a scan goes through, whatever it answers. */
export const scanStepMax = 2_000
/** Entries of a query's first step where a filter decides, and bytes that a step is sized for. */
export const scanFirstEntries = 100
export const scanBytesTarget = 4 * MiB
/** Answers that one batch of a $lookup remembers, bytes. */
export const lookupCacheBytesMax = 16 * MiB
/** Documents that one stage of a query hands to the next at a time. */
export const pullDocumentsMax = 500
/**
 * Looks at conditions that moving them towards the source of a pipeline, at conditions and indexes
 * that planning the branches of $or, and at conditions that comparing them with a partial index may
 * take: some 10 ms each. Beyond, conditions stay where they are, and the others serve.
 */
export const pipelineMovesMax = 100_000
export const planStepsMax = 200_000
export const implicationStepsMax = 50_000
/** Plans tried on the data, documents that each trial reads, and shapes whose winner is kept. */
export const plansTried = 4
export const planSampleDocuments = 64
export const planChoicesMax = 5_000
/** What one write program may hold (docs/design/transactions.md, rule 1). */
export const programPutsMax = 5_000
export const programBytesMax = 8 * MiB
/**
 * What one atomic change of several turns may hold: EXEC, MSET and commands of many members. Its
 * record of the log, with 15 bytes beside each key, is read in one piece.
 */
export const largePutsMax = 200_000
export const largeBytesMax = 64 * MiB
/** Documents changed by one program of a sweep (docs/design/transactions.md, rule 2). */
export const sweepDocumentsMax = 100
/** Bytes of documents after which a program of a sweep ends: half of programBytesMax and less. */
export const sweepBytesTarget = 2 * MiB
/** Programs and milliseconds of one write group. */
export const groupProgramsMax = 64
export const groupMsMax = 2
export const groupBytesMax = 4 * MiB
/**
 * Changes not yet in the tables: memory of one memtable before it is frozen, and its age. What is
 * written again within that time is checkpointed once, and read without the tables.
 */
export const memtableBytesMax = 32 * MiB
export const memtableMsMax = 5_000
/** Memory that a memtable takes at a time, bytes; a larger change has memory of its own. */
export const memtableSlabBytes = 1 * MiB
/** Slabs that are mapped at once: beyond the 32 MiB up to which glibc may use its common heap. */
export const memtableArenaSlabs = 33
assert(memtableArenaSlabs * memtableSlabBytes > 32 * MiB, 'an arena is mapped on its own')
/** Keys put in no order before they are sorted into it: 2 to 4 ms of work. */
export const memtableTailKeysMax = 8_192
/** Keys of one run of the order. */
export const memtableRunKeysMax = 512
/**
 * Bytes looked through for live values behind one group, beyond three times its own; at most, and
 * changes among them: some 2 ms of work.
 */
export const memtableCleanBytes = 32 * KiB
export const memtableCleanBytesMax = 4 * MiB
export const memtableCleanChangesMax = 8_192
/** Of a segment, what is read at a time: all of one of the usual size. */
export const checkpointReadBytesMax = memtableBytesMax + 48 * MiB
/** `interval` syncs the log so long after the first write that is not, milliseconds. */
export const logSyncMs = 100
/** One record of the log, the bytes of its changes: a large change is one. */
export const logRecordBytesMax = 72 * MiB
/** Bytes of a large change that are written to the log in one go: some 3 ms. */
export const logPartBytes = 1 * MiB
assert(logRecordBytesMax > largeBytesMax + 32 * largePutsMax, 'a large change is one record')
assert(logRecordBytesMax > groupBytesMax + programBytesMax, 'a group is one record')
assert(checkpointReadBytesMax > logRecordBytesMax + KiB, 'a record is read in one piece')
/** Free space below which only removals are taken: the smaller of a share and bytes. */
export const diskReserveShare = 0.05
export const diskReserveBytesMax = 1_024 * MiB
/** A process at rest collects garbage: how often it looks, what share of work is rest, from when */
export const restMs = 2_000
export const restBusyShare = 0.05
export const restGarbageBytes = 16 * MiB
/** Runs of one write program before WriteConflict is answered. */
export const programRunsMax = 16
/**
 * Searches of one update or findAndModify whose choice kept changing before WriteConflict. In each
 * round at least one of those that search succeeds, so only thousands of clients reach it; the
 * time limit of the command comes first.
 */
export const modifyRunsMax = 10_000
/**
 * Snapshot reads: age and number. So many of them may take longer, while none holds more memory of
 * memtables than that; a reader of the tables keeps their file from using its free pages again.
 */
export const snapshotMsMax = 5_000
export const snapshotsMax = 64
export const snapshotsKeptMax = 8
export const snapshotKeptBytesMax = 128 * MiB
export const snapshotKeptMsMax = 10 * 60_000

/** Store key, bytes. LMDB with 4 KiB pages takes 1,978, a PostgreSQL btree row 2,704. */
export const keyBytesMax = 1_900
assert(keyBytesMax < 1_978, 'a key must fit every store')
/**
 * Encoded primary key, bytes; longer ones keep a prefix and a SHA-256
 * (docs/design/transactions.md, rule 8).
 */
export const recordKeyBytesMax = 512
export const recordKeyPrefixBytes = 480
assert(recordKeyPrefixBytes + 32 === recordKeyBytesMax, 'prefix and SHA-256 fill a record key')
/**
 * Encoded fields of one index entry, bytes; the same scheme beyond
 * (docs/design/transactions.md, rule 8).
 */
export const entryFieldsBytesMax = 1_300
assert(entryFieldsBytesMax + recordKeyBytesMax + 6 <= keyBytesMax, 'an entry must fit a key')

/** Values above this are staged in chunks, bytes (docs/design/transactions.md, rule 13). */
export const inlineValueBytesMax = 256 * KiB
export const chunkBytes = 128 * KiB

/** Indexes of a collection, fields of an index (reference server). */
export const indexesMax = 64
export const indexFieldsMax = 32
/**
 * Entries of one document in a wildcard index: one program puts them (reference server: 100,000).
 */
export const wildcardEntriesMax = programPutsMax - 100
/** Paths with arrays that a wildcard index tells apart, in all and in bytes of UTF-8. */
export const wildcardArrayPathsMax = 32
export const wildcardArrayPathsBytesMax = KiB
/** Age of documents in a TTL index, seconds (reference server: an int32). */
export const expireAfterSecondsMax = 2_147_483_647
/** `db.collection`, bytes of UTF-8 (reference server); database name alone. */
export const namespaceBytesMax = 255
export const databaseNameBytesMax = 63
/** Array positions that an update may fill with null (reference server: code 34). */
export const arrayBackfillMax = 1_500_000

/** Memory of one sort or group without spilling, bytes (reference server). */
export const blockingBytesMax = 100 * MiB
/**
 * Bytes on disk that sorts and groups of one command may take beyond that, and of all commands
 * together: temporary files share the disk with the store.
 */
export const spillBytesMax = 4 * 1_024 * MiB
export const spillBytesOfAllMax = 16 * 1_024 * MiB
/** Of one wallet, or of the operator: others keep room. */
export const spillBytesOfOwnerMax = 8 * 1_024 * MiB
/** Documents that one $densify makes (reference server). */
export const densifyDocumentsMax = 500_000
/** Values of one distinct reply, bytes (reference server: code 17217). */
export const distinctBytesMax = 16 * MiB
/** Bytes of documents in one reply batch (reference server). */
export const batchBytesMax = 16 * MiB
/**
 * Bytes of a capped collection: at least, in steps of, at most (reference server); its documents
 * (reference server).
 */
export const cappedBytesMin = 4_096
export const cappedBytesStep = 256
export const cappedBytesMax = 2 ** 50
export const cappedDocumentsMax = 2 ** 31 - 1
/** Span and rounding of a time-series collection's buckets, seconds: a year (reference server). */
export const seriesSpanSecondsMax = 31_536_000
/** A command that currentOp shows whole; a longer one is told by its shape. */
export const shownCommandBytesMax = 16_384
/** Measurements and bytes of one bucket that `system.buckets.<name>` shows (reference server). */
export const bucketMeasurementsMax = 1_000
export const bucketBytesMax = 128_000
/** Buckets that a read packs at once, by number and bytes: interleaved series each have one. */
export const openBucketsMax = 256
export const openBucketsBytesMax = 1_048_576
/** Records and entries that one insert takes from a capped collection to make room in it. */
export const cappedEvictionsMax = programPutsMax / 2
/**
 * How long a getMore waits for a document unless it says (reference server), and how many may wait.
 */
export const awaitDataMs = 1_000
export const awaitingCursorsMax = 10_000
/**
 * Idle cursors are closed after this (reference server), and a wallet may hold so many unless told.
 */
export const cursorIdleMs = 10 * 60_000
export const cursorsPerOwnerMax = 1_000
/** Idle logical sessions (reference server: logicalSessionTimeoutMinutes). */
export const sessionIdleMinutes = 30

/**
 * SCRAM: iterations, which the contract fixes too (docs/contracts.md), salt and nonce bytes,
 * lifetime of a conversation, tries.
 */
export const scramIterations = 4_096
/**
 * Bytes of a word or payload that signs in. What is longer is no key or step of a login of ours: it
 * is refused without being decoded or hashed, which takes 25 ms of 15 MB.
 */
export const credentialBytesMax = 16 * KiB
/** Of a service user's password, which people choose: what the document database uses. */
export const userScramIterations = 15_000
export const scramNonceBytes = 24
export const conversationMsMax = 30_000
/** Service users in all: usersInfo answers them in one reply. */
export const usersMax = 1_000
/** Of a service user's name, bytes: it stands in logs and in every line of currentOp. */
export const userNameBytesMax = 128
/** Of `customData` of a service user, bytes: usersMax of them fit into one reply. */
export const userCustomDataBytesMax = 4_096
/** Of a service user's password on a network, characters: a SCRAM exchange can be tried offline. */
export const userPasswordCharsMin = 12
export const authFailuresPerConnectionMax = 5
/** Active keys of a wallet, on-chain and issued together (docs/keys.md). */
export const walletKeysMax = 10
/** Label of a key, characters. */
export const keyLabelCharsMax = 100
/** Requests a minute that a key can be given. */
export const keyRateLimitMax = 1_000_000
/** Keys whose owner is known and whose proof was made, and keys known to have no owner. */
export const provenKeysMax = 100_000
export const unknownKeysMax = 10_000
/**
 * Failed logins that are answered at once: of an address, and of an address with an account; then
 * the answer waits, first so long and twice as long each time, up to a bound, milliseconds.
 */
export const loginFailuresFreeOfAddress = 20
export const loginFailuresFreeOfAccount = 3
export const loginDelayMs = 100
export const loginDelayMsMax = 10_000
/**
 * Wrong keys of one address that are compared with the operator's, in so many milliseconds, on all
 * listeners together: enough for typing errors, and 29,000 a day are no way to guess a key.
 */
export const wrongKeysMax = 20
export const wrongKeysMs = 60_000
/** Failures are forgotten after so long without another, milliseconds. */
export const loginFailuresMs = 15 * 60_000
/** On-chain keys of a wallet that a listing looks at, newest first. */
export const listedKeysMax = 1_000
/**
 * Sockets that have not logged in: how many on a listener, how many of them of one address (IPv6:
 * of one /64), and how long they may stay silent. Beyond, a newcomer takes the place of the oldest.
 */
export const anonymousSocketsMax = 1_000
export const anonymousSocketsOfAddressMax = anonymousSocketsMax / 2
export const anonymousIdleMs = 60_000
/**
 * Addresses, and keys, whose HTTP requests are counted: the others are forgotten, last used first
 * (docs/operations.md, "Limits of requests").
 */
export const addressesTrackedMax = 100_000
/** How long a browser keeps the answer to a preflight, seconds. */
export const preflightAgeSeconds = 600
/** Time in which an address may make so many homes as HOMES_PER_HOUR says, milliseconds. */
export const homesWindowMs = 3_600_000
/** A sign-in message, bytes, before anything of it is read. */
export const signInMessageBytesMax = 4 * KiB
/** Body of a request before authentication, bytes: message and signature as JSON. */
export const signInBodyBytesMax = 64 * KiB
/** Its nonce: characters that we make and that we take, lifetime, and how many a browser holds. */
export const nonceChars = 22
export const nonceCharsMin = 8
export const nonceCharsMax = 64
export const nonceMs = 5 * 60_000
export const noncesPerSessionMax = 5
/** Clocks of a wallet's machine and ours may differ so much; a message is older than it may be. */
export const signInSkewMs = 60_000
export const signInAgeMsMax = 10 * 60_000
/** Hex digits of a signature: contract wallets' may carry many, with what deploys the wallet. */
export const signatureBytesMax = 16 * KiB
/** Gas of a call into a client's contract: 0.2 s of our own EVM. */
export const signatureGasLocal = 1_500_000
export const signatureGasRemote = 5_000_000
/** A session ends so long after its sign-in, whatever is done with it (docs/sign-in.md). */
export const sessionMs = 24 * 60 * 60_000
/** Longest session cookie that is looked at, characters; ours have about 250. */
export const sessionCookieCharsMax = 1_024
/** Keys, and roles, that a restore prints one by one. */
export const rightsListedMax = 20
/** Characters of an Idempotency-Key, and how long an answer is kept under one. */
export const idempotencyKeyCharsMax = 255
export const idempotencyMs = 86_400_000
/** Answers that are kept for one caller in a day, and the bytes of them after which none is. */
export const idempotencyAnswersMax = 10_000
export const idempotencyBytesMax = 64 * MiB
/** A day, milliseconds. */
export const dayMs = 86_400_000
/** Days that it is kept for, and that one may ask for. */
export const keyUseDaysMax = 400
/** Days of the overview, and of a key unless told. */
export const keyUseDays = 7
/** Keys that an overview lists: those that are used most. */
export const keyUseListedMax = 1_000
/** What a driver says of itself in hello and currentOp shows, bytes; drivers stay below 512. */
export const clientMetadataBytesMax = 4 * KiB
/** Sockets of the document wire; each costs about 20 KiB beside its requests. */
export const wireConnectionsMax = 10_000
/** Messages above this wait for room in the memory budget, bytes; smaller ones only count. */
export const smallMessageBytesMax = 64 * KiB
/** MEMORY_BUDGET where a part is used without settings, bytes. */
export const memoryBudgetBytes = 256 * 1_000_000
/** Where memory is short, a client that takes nothing of its replies is closed after so long. */
export const pressedStallMs = 3_000
/** A request over HTTP that waits for memory is refused after so long. */
export const memoryWaitMsMax = 10_000
/** Requests over HTTP that wait behind others of their connection before it is not read further. */
export const pipelinedRequestsMax = 100
/** Replies of one pipeline that are made before the client has taken some of them, bytes. */
export const pipelineReplyBytes = 1 * MiB
/** A large message that stops arriving, or a closing socket whose last reply is not read. */
export const messageStallMs = 30_000
/**
 * Unread replies beyond the backlog hold memory of others: then the socket is closed.
 */
export const replyStallMs = 5 * 60_000
/** Silence after which TCP asks whether the other side is still there (reference server: 120 s). */
export const tcpKeepAliveMs = 60_000
/** A graceful stop waits this long for commands in flight. */
export const shutdownMsMax = 4_000
/** A socket whose unsent replies pass this is not read from until it drains, bytes. */
export const socketBacklogBytesMax = 1 * MiB
/** Pieces of a filter, pipeline or update: depth of nesting, and stages. */
export const expressionDepthMax = 100
export const pipelineStagesMax = 1_000
/** Pipelines inside pipelines (reference server: 20, code 232). */
export const subPipelineDepthMax = 20
/** A value that an expression makes, bytes: joins in a loop would double it without end. */
export const expressionBytesMax = 64 * MiB
/** Documents that a transform emits in one bounded step. */
export const stepDocumentsMax = 500
/** Regular expression source, characters (reference server: 32,764). */
export const regexCharsMax = 32_764
/**
 * HTTP: request headers, bytes; time to receive headers, and a body that is read whole; keep-alive
 * above a proxy's idle time.
 */
export const headerBytesMax = 16 * KiB
export const requestMsMax = 60_000
/** An NDJSON import over HTTP: bytes, time, a line as long as a document, errors that are told. */
export const importStreamBytesMax = 1024 * MiB
export const importStreamMsMax = 3_600_000
export const importLineBytesMax = documentBytesMax
export const importErrorsMax = 100
/** Data API: documents of one answer, unless given and at most; what they take as text, bytes. */
export const dataApiLimitDefault = 1_000
export const dataApiLimitMax = 50_000
export const dataApiBatchDocuments = 1_000
export const dataApiAnswerBytesMax = messageBytesMax
/** What is parsed and put into one command of an import: documents, bytes of lines. */
export const importStreamDocuments = 1_000
export const importStreamBatchBytes = 4 * MiB
export const keepAliveMs = 75_000
/** Requests of an import under way at once: one is parsed while another is written. */
export const importRequestsMax = 3
/**
 * Background work at a time: records, and about so many bytes of them
 * (docs/design/transactions.md, rule 14).
 */
export const backgroundRecordsMax = 50
export const backgroundBytesTarget = 512 * KiB
/** One index specification, bytes: all of a collection's must fit its descriptor. */
export const indexSpecBytesMax = 2 * KiB
assert(indexesMax * indexSpecBytesMax < inlineValueBytesMax, 'a descriptor is one record')
/** An operator's key of fewer characters is warned about, and refused on a network. */
export const operatorKeyCharsMin = 32
/**
 * Between looks for documents whose time has come: half of what the reference server's users
 * expect.
 */
export const documentExpirySweepMs = 30_000
/** Text of a decimal, characters: 34 digits and the zeros that an exponent of 6,176 may need. */
export const decimalCharsMax = 16_384
/**
 * RESP: one argument, bytes; announced as proto-max-bulk-len (docs/compatibility.md, "Key-value").
 */
export const respBulkBytesMax = documentBytesMax - KiB
/**
 * Arguments of one command. The reference server's cap up to 6.2; 7.0 takes 2^31 - 1, whose offsets
 * alone would be 16 GiB.
 */
export const respArgumentsMax = 1_024 * 1_024
/**
 * All arguments of one command, bytes (reference server: client-query-buffer-limit, 1 GiB for
 * everything).
 */
export const respRequestBytesMax = 64 * MiB
assert(respRequestBytesMax > respBulkBytesMax, 'the longest argument fits a command')
/**
 * A longer argument is passed over unread, and its command refused, up to here (reference server's
 * bound).
 */
export const respPassedBytesMax = 512 * MiB
/**
 * An inline command or a length without an end of line, bytes (reference server:
 * PROTO_INLINE_MAX_SIZE).
 */
export const respLineBytesMax = 64 * KiB
/** Before login (reference server): arguments of a command, bytes of an argument. */
export const anonymousRespArgumentsMax = 10
export const anonymousRespBulkBytesMax = 16 * KiB
/**
 * Replies are gathered in blocks of this size, bytes (reference server: PROTO_REPLY_CHUNK_BYTES).
 */
export const respBlockBytes = 16 * KiB
/** Bulk strings from this size on are sent from where they lie: half a block saved, bytes. */
export const respReferenceBytesMin = 8 * KiB
assert(respReferenceBytesMin <= respBlockBytes, 'what is copied fits a block')
/** Values of a reply that are encoded in one go: a longer one is written in parts, one a turn. */
export const replyValuesAtOnce = 8_192
/** Backup: bytes of a block, and of one section of the file: a block is one pair at the least. */
export const backupBlockBytes = 1 * MiB
export const backupSectionBytesMax = 2 * programBytesMax
assert(backupSectionBytesMax > backupBlockBytes + programBytesMax, 'every put fits a section')
/** Bytes a second that a backup takes unless told otherwise, so that clients notice little. */
export const backupBytesPerSecond = 50_000_000
/** What a client may ask for, MB/s. */
export const backupRateMax = 10_000
/** A client that takes nothing of a backup for so long loses it: it pins a state of the tables. */
export const backupStallMs = 60_000
/** SELECT knows 0 to 15 (reference server's default). */
export const keyspacesMax = 16
/**
 * Name of a key, bytes: caches are keyed by whole addresses. In the store's key a long one is a
 * prefix and a SHA-256 (docs/design/transactions.md, rule 8); its record has all of it.
 */
export const keyNameBytesMax = 64 * KiB
/** Longer members keep this much of themselves in their key, and a SHA-256 behind it, bytes. */
export const memberKeyPrefixBytes = 992
export const memberKeyBytesMax = memberKeyPrefixBytes + 32
assert(memberKeyBytesMax + 32 <= keyBytesMax, 'a member and its score fit a key')
/** Commands of one connection that share a program; fewer while others wait for theirs. */
export const batchCommandsMax = 64
export const batchCommandsShared = 16
/**
 * Commands of several connections that share a program, their words, some milliseconds' work, and
 * words and bytes of one of them: larger ones go alone.
 */
export const sharedCommandsMax = 512
export const sharedWordsMax = 2_048
export const sharedCommandWordsMax = 64
export const sharedCommandBytesMax = 4 * KiB
assert(2 * sharedWordsMax < programPutsMax, 'what is shared is no large program')
/**
 * What one connection may queue between MULTI and EXEC, bytes: twice what EXEC can write, and with
 * it the longest command; each command is reckoned with so much beside its words.
 */
export const multiBytesMax = 2 * respRequestBytesMax
export const multiCommandBytes = 512
/** And all connections together: two of them may have queued all that one may. */
export const multiBytesTotalMax = 2 * multiBytesMax
assert(multiBytesMax >= 2 * programBytesMax, 'what EXEC can do can be queued')
/** Between looks for keys whose time has come. */
export const expirySweepMs = 100
/**
 * Unsent bytes of a subscriber (reference server: client-output-buffer-limit pubsub): at once, and
 * for how long how many.
 */
export const subscriberOutputBytesMax = 32 * MiB
export const subscriberBacklogBytesMax = 8 * MiB
export const subscriberBacklogMs = 60_000
assert(subscriberBacklogBytesMax > socketBacklogBytesMax, 'a slow client is first not read from')
/** Between comments that keep an event stream open through proxies. */
export const eventStreamPingMs = 15_000
/** Sockets of the key-value protocol (reference server: maxclients). */
export const respConnectionsMax = 10_000
/** Sockets of the PostgreSQL protocol. */
export const sqlConnectionsMax = 10_000
/** As programReadsMax, of a command that is prepared by a read. */
export const optimisticReadsMax = 1_500_000
/** Keys that others change while one is prepared: beyond, it is begun again. About 50 MB. */
export const preparedChangesMax = 400_000
/**
 * Places of a large sorted set that one record counts, and such records that one above them counts:
 * a rank reads half of each on the way.
 */
export const rankBlockMembersMax = 512
assert(rankBlockMembersMax < scanEntriesMax, 'a block is one step of a scan')
/**
 * Keys that are looked up in one trip: a read of more pauses in between. Fewer at first, and
 * behind a trip of so many bytes: records have up to inlineValueBytesMax, so a trip is 32 MiB.
 */
export const keysAtOnceMax = 512
export const largeKeysAtOnce = 128
/** Members in one page of keyMembers, those that one step reads, and bytes that end a page. */
export const keyMembersMax = 10_000
export const keyMembersAtOnce = 64
export const keyMembersBytesMax = 4 * MiB
/** Members of a sorted set that a range removes one by one, if it leaves few: else those move. */
export const removeAtOnceMax = 1_000
export const keptAtOnceMax = 1_500
/** Members that a command with a negative count picks at random, repetitions among them. */
export const randomPicksMax = 1_000_000
/** Members that a list takes away one by one at an end; more are left to the background. */
export const trimAtOnceMax = 256
/** Members of a list that one step reads: elements have up to inlineValueBytesMax bytes. */
export const listScanMembers = 200
assert(trimAtOnceMax * 4 < programPutsMax, 'a trim leaves room for its neighbours')
/**
 * Comparisons of one match of a pattern: so many, and so many for each byte of the subject. Only a
 * pattern made to cost gets there: one of 1,000 bytes takes 0.3 ms then.
 */
export const globStepsBase = 10_000
export const globStepsPerByteMax = 64
/** The longest time that one timer of the platform can wait; beyond, it fires at once. */
export const timerMsMax = 2 ** 31 - 1
/** Bytes of a pattern that can match (reference server's tests have 100,000). */
export const globPatternBytesMax = 256 * KiB
/** Places of SCAN and its like that are remembered; few are longer than 100 bytes. */
export const scanCursorsMax = 10_000
export const scanCursorBytesMax = 64 * MiB
/** Keys that SORT looks up in one trip, and elements that it sorts without a pause. */
export const sortLookUpsAtOnce = 500
export const sortRunElements = 1_000
/** What the packed strings of one dump may become. */
export const dumpUnpackedBytesMax = 4 * respBulkBytesMax
/** Members of a large container that one program copies or builds, and their bytes. */
export const membersCopiedAtOnce = 500
export const membersCopiedBytes = programBytesMax / 4
/**
 * Bytes of a command's words that a line of MONITOR shows: a line of 16 MiB of unprintable bytes
 * would take seconds to make, and every command waits for it.
 */
export const monitorLineBytes = 16 * KiB
/** Entries of the slow log, whatever slowlog-max-len says: each has up to 4 KiB. */
export const slowLogEntriesMax = 10_000
/** Words of an entry, and bytes of a word (reference server). */
export const slowLogWordsMax = 32
export const slowLogBytesMax = 128
/** Local chain: gas of a block, of a transaction or an estimated deployment, of a call: 0.2 s. */
export const chainBlockGasMax = 15_000_000
export const chainTransactionGasMax = 6_000_000
export const chainCallGasMax = 3_000_000
/** Seconds that blocks in a row may run ahead of the wall clock; beyond, one block a second. */
export const chainAheadSecondsMax = 15
/** Transactions that wait for a block; of one sender; and how long for one before them. */
export const chainQueueMax = 1_024
export const chainQueueSenderMax = 64
export const chainGapMs = 5_000
/** A signed transaction, and the data of a call, bytes (geth). */
export const chainTransactionBytesMax = 128 * KiB
/** And of one that comes by POST /chain: a contract of 24 KiB with its arguments. */
export const chainForeignTransactionBytesMax = 32 * KiB
/**
 * What transactions that come by POST /chain may add to the chain's folder in so many milliseconds:
 * of one sender, of all, and of one sender once half of that is used. Gas writes at most a byte for
 * eight of it (data of logs).
 */
export const chainGrowthMs = 24 * 3_600_000
export const chainGrowthSenderBytesMax = 16 * MiB
export const chainGrowthBytesMax = 256 * MiB
export const chainGrowthLateBytesMax = MiB
export const chainGasPerByte = 8
/** Logs and blocks of one eth_getLogs; addresses, and topics at one place, that it names. */
export const chainLogsMax = 2_000
export const chainLogBlocksMax = 10_000
export const chainLogChoicesMax = 1_000
/** Blocks of one eth_feeHistory, and its percentiles (geth). */
export const chainFeeBlocksMax = 1_024
export const chainFeePercentilesMax = 100
/** Questions to the worker at once, and bodies of POST /chain among them. */
export const chainRequestsMax = 10_000
export const chainBodiesMax = 64
/** A body of POST /chain, requests of a batch, bytes of answers before the rest is refused. */
export const chainBodyBytesMax = 512 * KiB
export const chainBatchMax = 100
export const chainReplyBytesMax = 8 * MiB
/**
 * JSON-RPC of a chain: time for one answer, its bytes (it is parsed in one go: 20 ms), the longest
 * pause that a 429 asks for.
 */
export const rpcTimeoutMs = 4_000
export const rpcAnswerBytesMax = 4 * MiB
export const rpcPauseMsMax = 30_000
/** Endpoints of CHAIN_RPC_URL; how long slower ones are waited for once enough have answered. */
export const rpcEndpointsMax = 8
export const quorumGraceMs = 400
/** Between looks for a new block, and after how long without one the head is no longer known. */
export const headPollMs = 1_000
export const headAgeMsMax = 3_000
assert(headAgeMsMax >= 2 * headPollMs, 'one look may fail')
/** How long a request waits for the chain's first or next answer. */
export const chainWaitMs = 5_000
/**
 * Blocks that a chain may take back; the head goes no further backwards
 * (docs/chain.md, "What you trust").
 */
export const headRewindMax = 64
export const blockHashesKept = 2 * headRewindMax
/** Blocks of one eth_getLogs, at first and at most: providers cap them. */
export const logBlocksFirst = 10_000
export const logBlocksMax = 100_000
/** Blocks that are read again behind the head: a lagging node answers an empty range, no error. */
export const logOverlapBlocks = 8
assert(logOverlapBlocks < headRewindMax, 'what is read again can be taken back')
/** Gas of a sponsored transaction, in its simulation too: a hostile wallet may burn all of it. */
export const sponsoredGasMax = 400_000
/** The dearest act of an ordinary wallet takes 176,000: less is not believed of an estimate. */
export const sponsoredGasMin = 200_000
assert(sponsoredGasMin < sponsoredGasMax, 'a node may ask for more')
/** A signed act may lie so far ahead, seconds of chain time. */
export const deadlineSecondsMax = 3_600
/** How long a request waits for its transaction, and after how long the fee is raised. */
export const receiptMsMax = 60_000
export const feeBumpMs = 20_000
assert(feeBumpMs < receiptMsMax, 'a fee is raised while a client waits')
/** Sponsored transactions of one wallet a day, and such that wait for their block at once. */
export const sponsoredPerDayMax = 20
export const sponsoredPendingMax = 200

/**
 * Memories of one batch, and their documents' bytes: marking them is one program, which puts three
 * values each. Batches of one transaction, and its gas: a batch takes 80,000.
 */
export const anchorBatchMemories = 1_000
export const anchorBatchBytes = 4 * MiB
export const anchorsAtOnce = 20
export const anchorGasMax = 3_000_000
/** A graph is anchored when so many memories wait, or its oldest one for so long. */
export const anchorDueMemories = 256
export const anchorDueMs = 600_000
/**
 * On a chain that costs: between transactions, so that what is asked for goes together; and how
 * much of a day's budget may be spent as soon as the day begins, as milliseconds of that day.
 */
export const anchorPayMs = 60_000
export const anchorHeadStartMs = 10_800_000
/** Failed tries until an anchor is shown as failed; the pause after the first, then doubled. */
export const anchorAttemptsMax = 5
export const anchorRetryMs = 10_000
/** How long verify waits for the chain; it remembers what is confirmed so long, else shorter. */
export const verifyChainMs = 5_000
/** How long a verify of memories recomputes roots that it does not remember: a root takes 3 ms. */
export const verifyRootsMs = 5_000
export const verifyConfirmedMs = 60_000
export const verifyUnconfirmedMs = 5_000
export const verifyRootsKept = 10_000
/**
 * verifyGraph: anchors of a step, the longest range of blocks in which their events are asked for,
 * and how long it goes on asking.
 */
export const verifyAnchorsAtOnce = 200
export const verifyBlocksMax = 10_000
export const verifyGraphMs = 10_000

/**
 * Proofs: ids of one request; edges that the verdict on a memory looks at, for each of its ends;
 * leaves that speak of a graph itself (an operator moves it, rarely); anchors with their batches
 * that one step reads; memories of a step; leaves and documents of one request of a sweep.
 */
export const verifyIdsMax = 300
export const verifyEdgesMax = 100
export const graphLeavesMax = 1_000
export const verifyBatchesAtOnce = 10
export const verifyMemoriesAtOnce = 10
export const sweepEntriesMax = 5_000
/** Problems and late memories that one request of a sweep lists; more are counted. A cursor. */
export const sweepListedMax = 100
export const sweepCursorCharsMax = 4_096

/** Addresses on the whitelist: it is answered whole, in a reply of about 5 MB. */
export const whitelistAddressesMax = 100_000
/** Roles of one collection: they stand in its descriptor, which every command decodes. */
export const rolesMax = 1_000
/** Entries of the audit, the oldest of which go first, and characters of a text in one. */
export const auditEntriesMax = 100_000
export const auditTextMax = 256

/**
 * What a failed validation is told of: bytes in all, values of one path, levels (the reference
 * server's).
 */
export const validationErrorBytesMax = 12 * 1024 * 1024
export const consideredValuesMax = 10
export const validationErrorDepthMax = 200
/** One reply's explanations together, bytes: failures after that are told by their code alone. */
export const validationErrorsBytesMax = 8 * 1024 * 1024
/** Documents that keep an index from being unique: bytes of their ids that are told. */
export const violationsBytesMax = 8 * 1024 * 1024
/** Validators that are kept compiled, by the bytes of their rules. */
export const validatorsBytesMax = 64 * 1024 * 1024
/** Options of a collection, bytes: every command on it compares them with what it remembers. */
export const collectionOptionsBytesMax = 1024 * 1024
/**
 * Views that lie over one another (reference server: kMaxViewDepth), and bytes of what they amount
 * to.
 */
export const viewDepthMax = 20
/** Names that a view reads, those of the views among them included: each is looked up. */
export const viewSourcesMax = 1_000
export const viewPipelineBytesMax = 16 * 1024 * 1024

/** Collations kept by their documents; and their tables of weights, 5 MB and 80 ms each. */
export const collationsMax = 1_000
export const collationTablesMax = 16

/** One SQL statement: bytes of its text, of an INSERT's, and words. */
export const sqlBytesMax = 256 * 1024
export const sqlInsertBytesMax = 1024 * 1024
export const sqlTokensMax = 100_000
/** Levels of parentheses, CASE, NOT and signs in an expression; operators of one chain. */
export const sqlDepthMax = 100
export const sqlChainMax = 1_000
/** Items of a list in a statement (IN, arguments, columns), and rows of VALUES. */
export const sqlListMax = 10_000
export const sqlRowsMax = 10_000
/** Characters of a LIKE pattern. */
export const sqlPatternCharsMax = 1_000
/** Values that placeholders stand for (PostgreSQL's wire protocol counts them in 16 bits). */
export const sqlParametersMax = 32_767
/** Rows of one table that a join without an index holds, bytes; a cursor keeps them. */
export const sqlJoinBytesMax = 32 * MiB
/** Values of one group that an aggregate lists in an order, bytes: sorting them is one step. */
export const sqlSortedListBytesMax = 4 * MiB

/** Statements that are kept parsed, and bytes of their trees by estimate. */
export const sqlStatementsMax = 2_000
export const sqlStatementsBytesMax = 32 * MiB
/** Documents that DESCRIBE looks at for the columns of a collection. */
export const showSampleDocuments = 100

/** One message of the PostgreSQL protocol: before login or of names alone, and any other, bytes. */
export const pgSmallMessageBytesMax = 10 * KiB
export const pgMessageBytesMax = 16 * MiB
/** Prepared statements of one connection, and portals. */
export const pgPreparedMax = 1_000
/** What they take of one connection, bytes, and rows that wait in portals of one. */
export const pgPreparedBytesMax = 32 * MiB
export const pgHeldBytesMax = 64 * MiB
/** Statements of one message, and messages of one chunk, between two turns of the event loop. */
export const pgStatementsAtOnce = 32
/** Savepoints of a transaction, with the cursors that are noted for them: 100 bytes each. */
export const pgSavepointsMax = 10_000
/** Columns of a row (PostgreSQL: MaxTupleAttributeNumber); the protocol counts to 32,767. */
export const pgColumnsMax = 1_664
/** Text of a number that stands for a placeholder, characters. */
export const pgScalarCharsMax = 16_384
/** Rows that a listener asks of a cursor at once, and rows that it encodes between two pauses. */
export const pgBatchRows = 1_000
export const pgRowsAtOnce = 500
/** Bytes of rows that are encoded in one turn of the event loop: a few milliseconds. */
export const pgEncodedAtOnce = 256 * KiB
/** Bytes of answers that are gathered before they are sent. */
export const pgAnswerBytes = 64 * KiB
/** Settings that one session keeps, and characters of the value of one. */
export const sqlSettingsMax = 200
export const sqlSettingCharsMax = 1_000

/** Distinct terms of one memory, UTF-16 units of a term, and parts of one identifier. */
export const termsMax = 512
export const termUnitsMax = 64
export const identifierPartsMax = 8
/** Characters of a question, of an entity's name in one, terms that are looked for, hops. */
export const questionCharsMax = 512
export const entityCharsMax = 256
export const questionTermsMax = 32
export const hopsMax = 10
export const hopsDefault = 1
/** Memories of one answer. */
export const recalledDefault = 20
export const recalledMax = 100
/**
 * Nodes of a context and of a snapshot; edges of one node that are read to find more nodes or the
 * edges between them, and edges of all of them; anchors shown.
 */
export const contextNodesMax = 300
export const fanOutMax = 1_000
export const contextEdgesMax = 10_000
export const snapshotAnchorsMax = 100
/** Edges of one node that are read at first, and at most in one step; nodes in one step. */
export const edgePageFirst = 16
export const edgePageMax = 256
export const nodesAtOnce = 20
/** Entities that a question names, and memories linked to one of them, that are looked at. */
export const questionEntitiesMax = 8
export const linkedMemoriesMax = 300

/** Graph memory over HTTP: bodies, and those of a batch (docs/memory.md, "Routes"). */
export const memoryBodyBytesMax = 1 * MiB
export const memoryBatchBodyBytesMax = 8 * MiB
/** Characters of a node's id in a request: no id is as long. */
export const memoryIdCharsMax = 128
/** JSON texts and values of more bytes are converted in a thread: here they would take 5 ms. */
export const jsonInThreadBytes = 128 * KiB
/** Of what was sent, characters that a refusal repeats, and characters of its whole text. */
export const memoryEchoCharsMax = 64
export const memoryMessageCharsMax = 300
/** MCP: a message's body, and the text of an answer, bytes. */
export const mcpBodyBytesMax = 1 * MiB
/** Elements and fields of a message, at any depth: the protocol's library checks them in one go. */
export const mcpPiecesMax = 10_000
export const mcpTextBytesMax = 16_000
/** Graphs that a client of MCP is told of as resources. */
export const mcpResourcesMax = 100
/** How long a program that loads a file waits at a limit of requests before it asks again. */
export const retryAfterSecondsMax = 60

/** Characters of a graph's name. */
export const graphNameCharsMax = 64
/** Characters (code points) of a memory, of a name, of a kind or type, of a part of a source. */
export const memoryCharsMax = 8_192
/** UTF-16 units of a memory in NFKC, which is what is analysed: its characters may be of two. */
export const memoryUnitsMax = 2 * memoryCharsMax
export const entityNameCharsMax = 256
export const entityKindCharsMax = 64
export const sourceCharsMax = 1_024
/** Of a normalised name and of a source's reference, UTF-8: they are fields of index entries. */
export const nameBytesMax = 1_024
assert(nameBytesMax + 32 < entryFieldsBytesMax, 'entries have whole names')
/** What a client may give with one memory. */
export const givenEntitiesMax = 32
export const givenAliasesMax = 16
export const givenKeywordsMax = 32
export const givenEdgesMax = 64
/** Entities that are found in a text beside those that were given, and names of one entity. */
export const extractedMax = 32
export const entityNamesMax = 64
/** Known names that begin with one word of a text: so many are compared. */
export const namesOfWordMax = 64
/** Entities that are compared with one text: reading them takes some 10 ms. */
export const namesOfTextMax = 500
/** Terms that a reply names as what a memory is about. */
export const keywordsShown = 12
/** Memories of one command. */
export const memoryBatchMax = 500
/**
 * Commands that are prepared at a time (preparedChangesMax): while there are as many, further
 * batches are written in one program each.
 */
export const memoryBatchesOptimisticMax = 4
/** Nodes of one graph. */
export const graphNodesMax = 1_000_000
/** Edges that one program removes, or moves: eight puts each and two leaves, some 10 ms. */
export const edgesPerProgram = 150
export const edgesMergedAtOnce = 50
assert(10 * edgesPerProgram < programPutsMax, 'what is moved fits a program')

/** Small tables are not gone through more often than this, milliseconds. */
export const scrubRoundMsMin = 1_000
