// The pins of graphs that a user's command line has seen: graph keys on the chain and the highest
// sequence of their roots. A server, or a restored old store, cannot change them.
// (docs/memory.md, "Pins")

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail } from '../base/errors.js'
import { makeFolders } from '../base/folders.js'

export interface Seen {
  /** Null if the server sent none. */
  readonly graphKey: string | null
  /** Sequence of the newest root on the chain; null if it was not requested. */
  readonly sequence: number | null
  readonly root: string | null
}

/** Graphs with the same name in two spaces are different. */
interface GraphPlace {
  readonly origin: string
  /** The database; empty for the server's own, if the key's wallet has no home. */
  readonly space: string
  readonly graph: string
}

interface Pin {
  readonly graphKey: string
  readonly sequence: number
  readonly root: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** SIGIL_PINS, else a file in the user's configuration folder. */
export function pinsPath({ SIGIL_PINS, XDG_CONFIG_HOME }: Environment): string {
  if (SIGIL_PINS !== undefined && SIGIL_PINS !== '') return SIGIL_PINS
  const isGiven = XDG_CONFIG_HOME !== undefined && XDG_CONFIG_HOME !== ''
  const folder = isGiven ? XDG_CONFIG_HOME : join(homedir(), '.config')
  return join(folder, 'sigil', 'pins.json')
}

export class Pins {
  private readonly pins: Record<string, Pin>

  constructor(private readonly path: string) {
    this.pins = readPins(path)
  }

  /** Values that went back or changed; none for a graph that is seen for the first time. */
  compare(at: GraphPlace, { graphKey, sequence, root }: Seen): string[] {
    const pin = this.pins[nameOf(at)]
    if (pin === undefined) return []
    const { origin, space, graph } = at
    const where = `graph ${graph}${space === '' ? '' : ` of ${space}`} at ${origin}`
    if (graphKey !== pin.graphKey) {
      return [`${where}: the key on the chain is ${graphKey}, and was ${pin.graphKey}`]
    }
    if (sequence === null) return []
    if (sequence < pin.sequence) {
      return [`${where}: the newest root is number ${sequence}, and was ${pin.sequence}`]
    }
    if (sequence === pin.sequence && pin.root !== null && root !== null && root !== pin.root) {
      return [`${where}: root number ${sequence} is ${root}, and was ${pin.root}`]
    }
    return []
  }

  /** Stores the seen values; a sequence that was not requested stays. */
  keep(at: GraphPlace, { graphKey, sequence, root }: Seen): void {
    if (graphKey === null) return
    const name = nameOf(at)
    const before = this.pins[name]
    const isSame = before?.graphKey === graphKey
    const known = isSame ? before : { sequence: 0, root: null }
    const newest = sequence === null ? known : { sequence, root }
    this.pins[name] = { graphKey, sequence: newest.sequence, root: newest.root }
    this.write()
  }

  /** Writes a temporary file first, so that a crash leaves a complete file. */
  private write(): void {
    makeFolders(dirname(this.path))
    const beside = `${this.path}.new`
    const file = openSync(beside, 'w', 0o600)
    try {
      writeSync(file, `${JSON.stringify(this.pins, null, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, this.path)
  }
}

/** No origin ends with a slash, and no database name contains a space. */
function nameOf({ origin, space, graph }: GraphPlace): string {
  return `${origin}/${space} ${graph}`
}

/** Throws BadValue for another file: it must not be taken for an empty one. */
function readPins(path: string): Record<string, Pin> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
  const pins = parsed(text)
  if (pins === undefined) throw fail('BadValue', `${path} is no file of pins: mend or remove it`)
  return pins
}

function parsed(text: string): Record<string, Pin> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.values(value).every(isPin) ? (value as Record<string, Pin>) : undefined
  } catch {
    return undefined
  }
}

function isPin(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { graphKey, sequence, root } = value as Readonly<Record<string, unknown>>
  const isRoot = root === null || typeof root === 'string'
  return typeof graphKey === 'string' && Number.isSafeInteger(sequence) && isRoot
}
