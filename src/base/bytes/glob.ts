// Redis' patterns over bytes: `*`, `?`, `[a-c]`, `[^a]` and `\x`. Keys, channels and names are
// bytes, so characters do not matter here. A client chooses pattern and subject, so the work of one
// match grows only with the subject. (Redis 7.0, KEYS; stringmatchlen in its util.c)

import { globPatternBytesMax, globStepsBase, globStepsPerByteMax } from '../limits/key-value.js'
import { work } from '../work/work-budget.js'
import { likeCharsPerUnit } from '../work/work-figures.js'
import type { Bytes } from './bytes.js'
import type { Slice } from './slice.js'

const star = 0x2a
const question = 0x3f
const open = 0x5b
const close = 0x5d
const caret = 0x5e
const dash = 0x2d
const backslash = 0x5c

/** Matches one byte: that byte (0 to 255), any byte, or a set of bytes; `anyRun` is `*`. */
const anyByte = 256
const anyRun = 257
const setBase = 258

export class Glob {
  /** `*` alone: commands that walk over names match all of them, also the empty one. */
  readonly isAll: boolean
  /** The start of every match. */
  readonly prefix: Bytes
  private readonly steps: Uint32Array
  private readonly sets: readonly Uint8Array[]
  /** The least length of a match; the exact length if there is no `*`. */
  private readonly lengthMin: number
  private readonly hasRun: boolean
  private hasMatched = false

  /**
   * `ignoresCase` folds ASCII letters. A pattern is never malformed. Deviation: one of more than
   * globPatternBytesMax matches nothing.
   */
  constructor(
    pattern: Slice,
    private readonly ignoresCase = false,
  ) {
    const isTooLong = pattern.length > globPatternBytesMax
    const { steps, sets } = isTooLong ? nothing : compile(pattern, ignoresCase)
    this.isAll = pattern.length === 1 && pattern.bytes[pattern.start] === star
    this.steps = Uint32Array.from(steps)
    this.sets = sets
    const runs = steps.filter((step) => step === anyRun).length
    this.hasRun = runs > 0
    this.lengthMin = isTooLong ? Number.POSITIVE_INFINITY : steps.length - runs
    let literal = 0
    while (literal < steps.length && (steps[literal] as number) < anyByte) literal++
    this.prefix = Uint8Array.from(ignoresCase ? [] : steps.slice(0, literal))
  }

  /**
   * As Redis: an empty subject matches only the empty pattern, not even `*` (see isAll).
   * Deviation: after globStepsBase comparisons, and globStepsPerByteMax for each byte of the
   * subject, it does not match. Spends the comparisons from the work budget.
   */
  matches({ bytes, start, end }: Slice): boolean {
    return this.matchesBytes(bytes, start, end)
  }

  matchesBytes(bytes: Bytes, start = 0, end = bytes.length): boolean {
    const { steps, lengthMin, hasRun } = this
    const length = end - start
    if (length < lengthMin || (length > lengthMin && !hasRun)) return false
    if (length === 0) return steps.length === 0
    const left = globStepsBase + length * globStepsPerByteMax
    const used = left - this.match(bytes, start, end, left)
    work.spend(1 + used / likeCharsPerUnit)
    return this.hasMatched
  }

  /** Sets `hasMatched`; returns how many comparisons are left. */
  private match(bytes: Bytes, start: number, end: number, stepsMax: number): number {
    const { steps } = this
    let at = start
    let step = 0
    let left = stepsMax
    this.hasMatched = false
    // Where to continue if the part after the last `*` fails: earlier `*` need no other run.
    let retryStep = -1
    let retryAt = start
    while (at < end) {
      const wanted = step < steps.length ? (steps[step] as number) : -1
      if (wanted === anyRun) {
        retryStep = ++step
        retryAt = at
        if (step === steps.length) {
          this.hasMatched = true
          return left
        }
        continue
      }
      if (wanted >= 0 && this.takes(wanted, bytes[at] as number)) {
        at++
        step++
      } else {
        if (retryStep < 0) return left
        at = ++retryAt
        step = retryStep
      }
      if (--left === 0) return left
    }
    while (step < steps.length && steps[step] === anyRun) step++
    this.hasMatched = step === steps.length
    return left
  }

  private takes(wanted: number, byte: number): boolean {
    if (wanted < anyByte) return wanted === (this.ignoresCase ? lower(byte) : byte)
    return wanted === anyByte || (this.sets[wanted - setBase] as Uint8Array)[byte] === 1
  }
}

const nothing: Compiled = { steps: [], sets: [] }

interface Compiled {
  readonly steps: number[]
  readonly sets: Uint8Array[]
}

function compile({ bytes, start, end }: Slice, ignoresCase: boolean): Compiled {
  const steps: number[] = []
  const sets: Uint8Array[] = []
  let at = start
  while (at < end) {
    const byte = bytes[at] as number
    if (byte === star) {
      if (steps.at(-1) !== anyRun) steps.push(anyRun)
      at++
    } else if (byte === question) {
      steps.push(anyByte)
      at++
    } else if (byte === open) {
      const found = readSet(bytes, at + 1, end, ignoresCase)
      steps.push(setBase + sets.push(found.set) - 1)
      at = found.next
    } else {
      if (byte === backslash && at + 1 < end) at++
      const literal = bytes[at++] as number
      steps.push(ignoresCase ? lower(literal) : literal)
    }
  }
  return { steps, sets }
}

/** Reads from after `[` to after `]`, or to the end if it is not closed. */
function readSet(
  bytes: Bytes,
  from: number,
  end: number,
  ignoresCase: boolean,
): { set: Uint8Array; next: number } {
  const isNegated = from < end && bytes[from] === caret
  const set = new Uint8Array(256)
  let at = isNegated ? from + 1 : from
  while (at < end && bytes[at] !== close) {
    const byte = bytes[at] as number
    if (byte === backslash && at + 1 < end) {
      // Redis compares an escaped byte without folding its case.
      set[bytes[at + 1] as number] = 1
      at += 2
    } else if (at + 2 < end && bytes[at + 1] === dash) {
      addRange(set, byte, bytes[at + 2] as number, ignoresCase)
      at += 3
    } else {
      add(set, byte, ignoresCase)
      at++
    }
  }
  if (isNegated) for (let i = 0; i < set.length; i++) set[i] = 1 - (set[i] as number)
  return { set, next: Math.min(at + 1, end) }
}

/** Accepts either order. Bytes above 7f count as negative, as in Redis. */
function addRange(set: Uint8Array, a: number, b: number, ignoresCase: boolean): void {
  let first = Math.min(signed(a), signed(b))
  let last = Math.max(signed(a), signed(b))
  if (ignoresCase) {
    first = lower(first)
    last = lower(last)
  }
  for (let byte = 0; byte < 256; byte++) {
    const folded = ignoresCase ? lower(signed(byte)) : signed(byte)
    if (folded >= first && folded <= last) set[byte] = 1
  }
}

function add(set: Uint8Array, byte: number, ignoresCase: boolean): void {
  set[byte] = 1
  if (!ignoresCase) return
  for (let other = 0; other < 256; other++) if (lower(other) === lower(byte)) set[other] = 1
}

function signed(byte: number): number {
  return byte < 0x80 ? byte : byte - 0x100
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}
