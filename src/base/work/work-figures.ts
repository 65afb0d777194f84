// What work costs, in units of the work budget (work-budget.ts), and how many units may pass
// between two pauses. One unit is about 0.1 µs of processor time on the machine of
// docs/performance.md. `npm run test:long` compares the sums with the processor's clock.

/** A turn of a program pauses after this many units (4 ms), or sooner by the clock. */
export const turnUnits = 40_000
/**
 * Units that a program may spend past its turn where it cannot pause, inside one document or value
 * (10 ms). More is refused, or computed in a thread.
 */
export const stretchUnits = 100_000
/**
 * The same for one document whose work a thread can do instead (5 ms). Beside a load of 11 a unit
 * costs twice its time, so that a whole stretch and its turn took 25 ms.
 */
export const apartUnits = 50_000
/** A write program ends its batch after the first (5 ms), and is refused after both together. */
export const writeTurnUnits = 50_000
export const writeStretchUnits = 250_000
/** Parsing and compiling of one request before its first program, 12 ms. */
export const requestUnits = 120_000

/** A point read, an index entry, or a document in a loop. */
export const entryUnits = 20
/** A collection descriptor that a walk decodes, 5 µs. */
export const descriptorUnits = 50
/** One leaf hash (keccak-256 over about 300 bytes), 20 µs. */
export const hashUnits = 200
/** Bytes of values that one unit reads. */
export const readBytesPerUnit = 205
/** The clock is read once in this many units: 0.13 ms. */
export const clockUnits = 1_280
/** Bytes that native code compares, copies or searches for one unit. */
export const bytesPerUnit = 512
/** Bytes of a large new buffer for one unit: the kernel hands out each page, 0.7 ms for a MiB. */
export const freshBytesPerUnit = 136
/** Bytes of a text beyond ASCII that native code decodes or encodes for one unit. */
export const wideBytesPerUnit = 64
/** Characters that JavaScript code scans one by one for one unit. */
export const charsPerUnit = 32
/** Bytes of a text that a set of characters knows, for one unit: within ASCII, and beyond. */
export const setBytesPerUnit = 56
export const slowSetBytesPerUnit = 8
/** A key-value command in a program, beside its keys and words. */
export const commandUnits = 10
/** A line of CLIENT LIST. */
export const clientLineUnits = 40
/** A word of a command, a member, or a value of a reply in a loop. */
export const wordUnits = 5
/** Bytes of strings that JavaScript code counts, combines or sums for one unit. */
export const bitBytesPerUnit = 64
/** Bytes of a dump's checksum for one unit. */
export const crcBytesPerUnit = 24
/** Cells of an LCS table for one unit. */
export const cellsPerUnit = 50
/** Bytes of an array or object whose elements a loop scans, for one unit. */
export const elementBytesPerUnit = 32
/**
 * A pattern that is compiled to an automaton, 50 µs; each item and character of its source, and
 * each instruction of its program.
 */
export const regexUnits = 500
export const regexItemUnits = 60
export const regexCharUnits = 10
export const regexInstructionUnits = 25
/**
 * A table of Unicode (`\p{L}`) in it, 0.1 to 0.3 ms. The first match cuts the ranges of each
 * instruction: a character of a class is one, a table some hundreds.
 */
export const regexTableUnits = {
  alone: 1_000,
  ignoringCase: 3_000,
  inClass: 3_000,
  instruction: 300,
  range: 0.4,
} as const
/** A pattern that is translated, and each of its characters. */
export const regexTranslationUnits = { pattern: 100, char: 3 } as const
/**
 * A pattern is compiled before its first text only if this much of the stretch is left: the rest of
 * the command needs some, too.
 */
export const regexReserveUnits = 90_000
/** Characters that LIKE, or a Redis pattern, compares for one unit. */
export const likeCharsPerUnit = 10
/** JSON that is parsed or written: each element or field, and bytes for one unit. */
export const jsonPieceUnits = 1.5
export const jsonBytesPerUnit = 64
/** A memory: each analysed character of its text. */
export const memoryCharUnits = 2.5
/** Postings written for one unit, and a memory that recall scores. */
export const postingsPerUnit = 3
export const scoredUnits = 1.25
/**
 * Writing of a memory: each term, each entity that may be created, each edge, the memory itself.
 */
export const memoryUnits = { term: 100, entity: 800, edge: 300, memory: 800 } as const
/** A hash, an insertion into a map, or a comparison of two values. */
export const compareUnits = 1
/** A collation's weight table, 80 ms, if no thread has made it yet. */
export const collationTableUnits = 800_000
/** An operation of an update or delete in a long list, which is parsed in turns: 0.4 µs. */
export const parsedOperationUnits = 4
/**
 * The same in a short list, which is parsed with its command: below the real cost, since none of
 * them is refused. A request of the second figure runs in the next turn.
 */
export const operationUnits = 1
export const longRequestUnits = 20_000
/** A path of an update, 2 µs cold: it is checked, split and added to the tree of paths. */
export const updatePathUnits = 20
/** A compiled field of a projection, and a condition of a filter. */
export const projectedFieldUnits = 16
export const conditionUnits = 4
/** A compiled operand of an expression, a variable of `let`, an index specification. */
export const compiledUnits = 4
export const letVariableUnits = 10
/** A field of an object in an expression, beside its compiled value. */
export const objectFieldUnits = 3
export const indexSpecUnits = 150
/** An element of a document or array that a loop skips: 0.01 µs. */
export const elementUnits = 0.1
/** An element that is read as a value, tested or written: 0.1 µs. */
export const valueUnits = 1
/** An element that an update replaces or adds, an object or array that it makes. */
export const replacedUnits = 2
export const madeUnits = 5
/** An element that is wrapped in a document of its own, to be tested by a filter. */
export const wrappedUnits = 3
/** An operation on decimals. */
export const decimalUnits = 10
/** Merging of one path below an element of an array with others. */
export const mergedPathUnits = 5
/** A token of an SQL statement that is read in turns, 0.5 to 1 µs; split off alone. */
export const sqlTokenUnits = 8
export const sqlSplitTokenUnits = 4
