// What this browser has seen of graphs: the key of each on the chain, and the highest sequence of
// its roots. A server, or an old store that was restored, cannot change them. (docs/memory.md,
// "Pins")

export interface Seen {
  /** Null if the graph does not exist. */
  readonly graphKey: string | null
  /** Of the newest root on the chain; null if it was not asked for. */
  readonly sequence: number | null
  readonly root: string | null
}

interface Pin {
  readonly graphKey: string
  readonly sequence: number
  readonly root: string | null
}

interface GraphPlace {
  /** The database; empty for the caller's own where that has no name. */
  readonly space: string
  readonly graph: string
}

/** The browser's storage of this page. */
export interface PinStorage {
  getItem(name: string): string | null
  setItem(name: string, text: string): void
}

const storageName = 'sigil-studio-pins'

export class Pins {
  constructor(private readonly storage: PinStorage) {}

  /** What changed or went back, in words; undefined if nothing did, or at the first sight. */
  warning(place: GraphPlace, { graphKey, sequence, root }: Seen): string | undefined {
    const pin = this.read()[nameOf(place)]
    if (pin === undefined) return undefined
    if (graphKey !== pin.graphKey) {
      return `The key of the graph on the chain is ${graphKey ?? 'gone'}, and was ${pin.graphKey}.`
    }
    if (sequence === null) return undefined
    if (sequence < pin.sequence) {
      return `The newest root on the chain is number ${sequence}, and was ${pin.sequence}.`
    }
    const isOther = pin.root !== null && root !== null && root !== pin.root
    if (sequence === pin.sequence && isOther) {
      return `Root number ${sequence} on the chain is ${root}, and was ${pin.root}.`
    }
    return undefined
  }

  /** Keeps what is seen; a sequence that was not asked for stays. */
  keep(place: GraphPlace, { graphKey, sequence, root }: Seen): void {
    if (graphKey === null) return
    const pins = this.read()
    const before = pins[nameOf(place)]
    const known = before?.graphKey === graphKey ? before : { sequence: 0, root: null }
    const newest = sequence === null ? known : { sequence, root }
    const pin: Pin = { graphKey, sequence: newest.sequence, root: newest.root }
    this.storage.setItem(storageName, JSON.stringify({ ...pins, [nameOf(place)]: pin }))
  }

  /** What is no pin is left out: another page of this origin may have written it. */
  private read(): Readonly<Record<string, Pin>> {
    try {
      const kept: unknown = JSON.parse(this.storage.getItem(storageName) ?? '{}')
      if (typeof kept !== 'object' || kept === null) return {}
      return Object.fromEntries(Object.entries(kept).filter(([, pin]) => isPin(pin)))
    } catch {
      return {}
    }
  }
}

/** Neither part contains a space. */
function nameOf({ space, graph }: GraphPlace): string {
  return `${space} ${graph}`
}

function isPin(value: unknown): value is Pin {
  if (typeof value !== 'object' || value === null) return false
  const { graphKey, sequence, root } = value as Readonly<Record<string, unknown>>
  const isRoot = root === null || typeof root === 'string'
  return typeof graphKey === 'string' && Number.isSafeInteger(sequence) && isRoot
}
