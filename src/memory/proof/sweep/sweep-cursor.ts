// The position of a sweep for its next request. A cursor is bound to the chain's newest root at the
// start of the sweep. It has only counts and positions, so a forged one deceives only its sender.

import { fail } from '../../../base/errors.js'
import { sweepCursorCharsMax } from '../../../base/limits/memory.js'
import { type WalkProblem, type WalkState, walkStart } from '../verdicts/chain-walk.js'
import type { SweepProblem } from './sweep-checks.js'

/** The parts of a sweep, in order. */
export const sweepParts = ['anchors', 'leaves', 'waiting', 'memories', 'edges', 'end'] as const
type SweepPart = (typeof sweepParts)[number]

export interface SweepState {
  /** Number and root of the chain's newest anchor at the start of the sweep; 0 and null: none. */
  sequence: number
  root: string | null
  /** The newest anchor with all leaves marked; empty: none. */
  newest: string
  part: SweepPart
  /** Id of the last processed document of the part. */
  after: string
  done: number
  /** Leaves listed by batches, and leaf records with a batch. */
  listed: number
  recorded: number
  unanchored: number
  late: number
  problems: number
  first: SweepProblem | null
  walk: WalkState
}

export function sweepStart(): SweepState {
  return {
    sequence: 0,
    root: null,
    newest: '',
    part: 'anchors',
    after: '',
    done: 0,
    listed: 0,
    recorded: 0,
    unanchored: 0,
    late: 0,
    problems: 0,
    first: null,
    walk: walkStart(),
  }
}

export function cursorOf(state: SweepState): string {
  return Buffer.from(JSON.stringify(state)).toString('base64url')
}

/** Throws BadValue for an invalid cursor. */
export function readCursor(text: string): SweepState {
  const given = text.length > sweepCursorCharsMax ? undefined : parsed(text)
  const state = given === undefined ? undefined : likeStart(given, sweepStart())
  if (state !== undefined && sweepParts.includes(state.part)) return state
  throw fail('BadValue', 'the cursor does not belong to a sweep')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown
  } catch {
    return undefined
  }
}

/** The fields of an initial state with correct types; undefined if one is wrong. */
function likeStart(given: unknown, start: SweepState): SweepState | undefined {
  const { walk, ...rest } = start
  const top = fieldsLike(given, rest)
  const inner = typeof given === 'object' && given !== null ? Reflect.get(given, 'walk') : undefined
  const walked = fieldsLike(inner, walk)
  if (top === undefined || walked === undefined) return undefined
  const version = walked.version === 1 ? 1 : 2
  const problem = walked.problem as WalkProblem | null
  return { ...top, walk: { ...walked, version, problem } } as SweepState
}

function fieldsLike<T extends object>(given: unknown, start: T): T | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const fields: Record<string, unknown> = {}
  for (const [name, like] of Object.entries(start)) {
    const value: unknown = Reflect.get(given, name)
    if (!isLike(value, like)) return undefined
    fields[name] = value
  }
  return fields as T
}

/** A field that starts as null is later a text or a number. */
function isLike(value: unknown, like: unknown): boolean {
  if (like === null) return value === null || typeof value === 'string' || isCount(value)
  return typeof like === 'number' ? isCount(value) : typeof value === typeof like
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
