// What work costs, in units of the work budget (work-budget.ts), and how many units may pass
// between two pauses. One unit is about 0.1 µs of processor time on the machine of
// docs/performance.md. `npm run test:long` compares the sums with the processor's clock.

/** A turn of a program gives way after so many units (4 ms), or sooner by the clock. */
export const turnUnits = 40_000
/**
 * What a program may spend beyond its turn where nothing can pause: inside one document or value,
 * 10 ms. More is refused.
 */
export const stretchUnits = 100_000
/** A write program ends its batch after so many units (5 ms), and is refused beyond the others. */
export const writeTurnUnits = 50_000
export const writeStretchUnits = 250_000
/** Reading and compiling of one request before its first program, 15 ms. */
export const requestUnits = 150_000

/** A point read, an index entry, a document that a loop goes through. */
export const entryUnits = 20
/** A collection's descriptor that a walk decodes, 5 µs. */
export const descriptorUnits = 50
/** A leaf that is hashed (keccak-256 over some 300 bytes), 20 µs. */
export const hashUnits = 200
/** Bytes of values that are read for the price of one unit. */
export const readBytesPerUnit = 205
/** The clock is looked at once in so many units: 0.13 ms. */
export const clockUnits = 1_280
/** Bytes that are compared, copied or searched natively for one unit. */
export const bytesPerUnit = 512
/** Characters that are gone through one by one in our own code for one unit. */
export const charsPerUnit = 32
/** A line of CLIENT LIST. */
export const clientLineUnits = 40
/** A word of a command, a member or a value of a reply that a loop goes through. */
export const wordUnits = 5
/** Bytes of strings that are counted, combined or summed up in our own code for one unit. */
export const bitBytesPerUnit = 64
/** Bytes of a dump that go into its checksum for one unit. */
export const crcBytesPerUnit = 24
/** Cells of a table of common lengths (LCS) for one unit. */
export const cellsPerUnit = 50
/** Bytes of an array or object whose elements are gone through for one unit. */
export const elementBytesPerUnit = 32
/** Characters that LIKE, or a pattern of the key-value protocol, compares for one unit. */
export const likeCharsPerUnit = 10
/** JSON that is parsed or written: each element or field, and bytes for one unit. */
export const jsonPieceUnits = 1.5
export const jsonBytesPerUnit = 64
/** A memory: each character of its text that is analysed. */
export const memoryCharUnits = 2.5
/** Postings that are written for one unit, and a memory that recall scores. */
export const postingsPerUnit = 3
export const scoredUnits = 1.25
/** Writing of a memory: each term, entity that may have to be made, edge, and the memory itself. */
export const memoryUnits = { term: 100, entity: 800, edge: 300, memory: 800 } as const
/** A hash, an insertion into a map, or a comparison of two values. */
export const compareUnits = 1
/** The table of a collation, 80 ms: where no thread has made it before. */
export const collationTableUnits = 800_000
/**
 * An operation of an update or delete that is read: less than it takes (0.4 µs), since a request of
 * 100,000 must be read in one go. One that came to so many units runs in the next turn.
 */
export const operationUnits = 1
export const longRequestUnits = 20_000
/** A path of an update, 2 µs cold: checked, split, and put into the tree of all paths. */
export const updatePathUnits = 20
/** A field of a projection that is compiled, and a condition of a filter. */
export const projectedFieldUnits = 16
export const conditionUnits = 4
/** An operand of an expression that is compiled, a variable of `let`, an index specification. */
export const compiledUnits = 4
export const letVariableUnits = 10
export const indexSpecUnits = 150
/** An element of a document or array that a loop steps over: 0.01 µs. */
export const elementUnits = 0.1
/** An element that is taken out as a value, tested or written: 0.1 µs. */
export const valueUnits = 1
