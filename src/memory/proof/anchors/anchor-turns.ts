// Who is served next where a transaction has no room for all: owners one after the other, and each
// one's graphs alike, the one that was served longest ago first. A wallet with many graphs, or a
// graph with many batches, so takes room that others leave and no more.

import { LRUCache } from 'lru-cache'

/** Owners and graphs of whom it is known when they had their turn. */
const anchorTurnsKept = 10_000

export interface Waiter {
  /** Of a graph. */
  readonly name: string
  readonly owner: string | null
}

export class Turns {
  /** Turn in which an owner or a graph was served, or first seen: newcomers are no earlier. */
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

  /** These were served, in one turn. */
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

/** How many of each list fit in `room`, one of each list after the other. */
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
