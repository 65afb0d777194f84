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
/** Reading and compiling of one request before its first program, 10 ms. */
export const requestUnits = 100_000

/** A point read, an index entry, a document that a loop goes through. */
export const entryUnits = 20
/** Bytes of values that are read for the price of one unit. */
export const readBytesPerUnit = 205
/** The clock is looked at once in so many units: 0.13 ms. */
export const clockUnits = 1_280
/** Bytes that are compared, copied or searched natively for one unit. */
export const bytesPerUnit = 512
/** Characters that are gone through one by one in our own code for one unit. */
export const charsPerUnit = 32
/** A hash, an insertion into a map, or a comparison of two values. */
export const compareUnits = 1
