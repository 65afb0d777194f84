// Bounds of graph memory: its requests, what a memory may have, what a question reads, anchors and
// proofs. A value above a bound is BadValue, unless another error or effect is named.

import { assert } from '../errors.js'
import { MiB } from '../units.js'
import { programPutsMax } from './engine.js'
import { entryFieldsBytesMax } from './store.js'

// Requests

/** Bytes of a body, and of a batch's: BSONObjectTooLarge (docs/memory.md, "Routes"). */
export const memoryBodyBytesMax = 1 * MiB
export const memoryBatchBodyBytesMax = 8 * MiB
/** Characters of a node's id in a request: every id is shorter. */
export const memoryIdCharsMax = 128
/** Characters of the input that an error repeats, and of the error's whole text. */
export const memoryEchoCharsMax = 64
export const memoryMessageCharsMax = 300
/** MCP: a message's body, bytes: BSONObjectTooLarge. */
export const mcpBodyBytesMax = 1 * MiB
/** Elements and fields of a message at any depth: the MCP library checks them at once. */
export const mcpPiecesMax = 10_000
/** The text of an MCP answer, bytes; it is shortened. */
export const mcpTextBytesMax = 16_000
/** Graphs that an MCP client sees as resources. */
export const mcpResourcesMax = 100
/** Characters of a graph's name. */
export const graphNameCharsMax = 64
/** Nodes of one graph: GraphLimit. */
export const graphNodesMax = 1_000_000

// A memory

/** Characters (code points) of a memory: MemoryTooLarge. */
export const memoryCharsMax = 8_192
/** UTF-16 units of a memory in NFKC: MemoryTooLarge. A character may take two. */
export const memoryUnitsMax = 2 * memoryCharsMax
/** Characters of a name, of a kind or type, of a part of a source. */
export const entityNameCharsMax = 256
export const entityKindCharsMax = 64
export const sourceCharsMax = 1_024
/** Normalised name and reference of a source, bytes of UTF-8: they are fields of index entries. */
export const nameBytesMax = 1_024
assert(nameBytesMax + 32 < entryFieldsBytesMax, 'entries have whole names')
/** Entities, aliases, keywords and edges that a client may send with one memory. */
export const givenEntitiesMax = 32
export const givenAliasesMax = 16
export const givenKeywordsMax = 32
export const givenEdgesMax = 64
/** Entities that are extracted from a text, beside those that the client sent. */
export const extractedMax = 32
/** Names of one entity: a merge that makes more is BadValue, later names are dropped. */
export const entityNamesMax = 64
/** Known names with the same first word that are compared with a text. */
export const namesOfWordMax = 64
/** Entities that are compared with one text: reading them takes about 10 ms. */
export const namesOfTextMax = 500
/** Distinct terms of one memory, UTF-16 units of a term, and parts of one identifier. */
export const termsMax = 512
export const termUnitsMax = 64
export const identifierPartsMax = 8
/** Terms that a reply lists as the keywords of a memory. */
export const keywordsShown = 12
/** Memories of one command. */
export const memoryBatchMax = 500
/**
 * Commands that are prepared at a time (preparedChangesMax). Above it, further batches are written
 * in one program each.
 */
export const memoryBatchesOptimisticMax = 4
/** Edges that one program removes or moves (eight puts and two leaves each): about 10 ms. */
export const edgesPerProgram = 150
assert(10 * edgesPerProgram < programPutsMax, 'what is moved fits a program')

// A question

/** Characters of a question and of an entity's name in one, and hops. */
export const questionCharsMax = 512
export const entityCharsMax = 256
export const hopsMax = 10
export const hopsDefault = 1
/** Terms of a question that are looked up; further ones are ignored. */
export const questionTermsMax = 32
/** Memories of one answer. */
export const recalledDefault = 20
export const recalledMax = 100
/** Entities of a question, and memories linked to one of them, that are read. */
export const questionEntitiesMax = 8
export const linkedMemoriesMax = 300
/** Entities that a search by the beginning of a name returns. */
export const entitiesFoundMax = 50
/** Nodes of a context and of a snapshot. */
export const contextNodesMax = 300
/** Edges of one node that are read to find more nodes, and of all nodes together. */
export const fanOutMax = 1_000
export const contextEdgesMax = 10_000
/** Anchors in a snapshot, the newest. */
export const snapshotAnchorsMax = 100
/** Characters of a memory's text in the short form of nodes. */
export const briefTextCharsMax = 120
/** Edges between nodes in their short form, the newest. */
export const briefEdgesMax = 1_000
/** Nodes that one step reads. */
export const nodesAtOnce = 20

// Anchors

/** Memories of one batch: one program marks them, with three puts each. */
export const anchorBatchMemories = 1_000
/** Batches of one transaction: each takes 80,000 gas. */
export const anchorsAtOnce = 20
/** A graph is anchored when this many memories wait, or the oldest has waited this long. */
export const anchorDueMemories = 256
export const anchorDueMs = 600_000
/** On a chain with fees: the pause between transactions, which combines requests. */
export const anchorPayMs = 60_000
/** Attempts before an anchor counts as failed. */
export const anchorAttemptsMax = 5

// Proofs

/** Ids of one request. */
export const verifyIdsMax = 300
/** How long verify waits for the chain; then the verdict says that the chain was not read. */
export const verifyChainMs = 5_000
/** Time after which verifyGraph stops requesting; its reply has a cursor. */
export const verifyGraphMs = 10_000
/** Roots that are kept, for a verdict and for the lateness of a sweep. */
export const verifyRootsKept = 10_000
/** Edges at each end of a memory that its verdict reads; leaves about the graph itself (rare). */
export const verifyEdgesMax = 100
export const graphLeavesMax = 1_000
/** Memories of one step. */
export const verifyMemoriesAtOnce = 10
/** Leaves and documents of one request of a sweep; problems and late memories that it lists. */
export const sweepEntriesMax = 5_000
export const sweepListedMax = 100
/** Characters of the cursor of a sweep. */
export const sweepCursorCharsMax = 4_096
