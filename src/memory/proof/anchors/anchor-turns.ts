// Selects graphs fairly when a transaction has no room for all: owners take turns, and so do the
// graphs of one owner, the least recently served first. A wallet with many graphs, or a graph with
// many batches, gets only room that others leave.

import { LRUCache } from 'lru-cache'

/** Owners and graphs whose last turn is remembered. */
const anchorTurnsKept = 10_000

export interface Waiter {
  /** Name of the graph. */
  readonly name: string
  readonly owner: string | null
}

export class Turns {
  /**
   * Turn in which an owner or a graph was last served, or first seen: new ones get no earlier turn.
   */
  private readonly places = new LRUCache<string, number>({ max: anchorTurnsKept })
  private turn = 0

  inOrder<G extends Waiter>(graphs: readonly G[]): G[] {
    const byOwner = new Map<string, G[]>()
    for (const graph of graphs) {
      const owner = ownerOf(graph)
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), graph])
    }
    const owners = [...byOwner].sort(([a], [b]) => this.placeOf(a) - this.placeOf(b))
    const lines = owners.map(([, own]) => {
      return own.sort((a, b) => this.placeOf(graphOf(a)) - this.placeOf(graphOf(b)))
    })
    const longest = Math.max(0, ...lines.map((line) => line.length))
    return Array.from({ length: longest }, (_, i) => {
      return lines.flatMap((line) => line.slice(i, i + 1))
    }).flat()
  }

  /** Records that these were served in one turn. */
  served(graphs: readonly Waiter[]): void {
    this.turn++
    for (const graph of graphs) {
      this.places.set(ownerOf(graph), this.turn)
      this.places.set(graphOf(graph), this.turn)
    }
  }

  private placeOf(name: string): number {
    const place = this.places.get(name) ?? this.turn
    this.places.set(name, place)
    return place
  }
}

/** An unowned graph counts as its own owner. */
function ownerOf({ name, owner }: Waiter): string {
  return owner ?? graphOf({ name })
}

function graphOf({ name }: Pick<Waiter, 'name'>): string {
  return `graph ${name}`
}

/** How many of each list fit in `room`, taking one of each list in turn. */
export function sharesOf(lengths: readonly number[], room: number): number[] {
  const shares = lengths.map(() => 0)
  for (let left = room; left > 0; ) {
    const before = left
    for (const [i, length] of lengths.entries()) {
      const share = shares[i] ?? 0
      if (left === 0 || share === length) continue
      shares[i] = share + 1
      left--
    }
    if (left === before) break
  }
  return shares
}
