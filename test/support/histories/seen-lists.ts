// What a transaction has seen of the work of others: the first read of each list without its own
// appends. Later reads of the list must say the same, with what it has appended since.

import type { Anomaly, HistoryTransaction } from './history.js'

export interface SeenLists {
  /** What others had appended, by list. */
  readonly reads: ReadonlyMap<string, readonly number[]>
  /** Lists that it has appended to. */
  readonly appended: ReadonlySet<string>
}

export function readsOf(
  { steps }: HistoryTransaction,
  find: (anomaly: Anomaly, text: string) => void,
): SeenLists {
  const reads = new Map<string, readonly number[]>()
  const own = new Map<string, number[]>()
  for (const step of steps) {
    const { list } = step
    const mine = own.get(list) ?? []
    if (step.kind === 'append') {
      own.set(list, [...mine, step.value])
      continue
    }
    const { values } = step
    const others = values.slice(0, Math.max(values.length - mine.length, 0))
    if (values.slice(others.length).join() !== mine.join()) {
      find('internal', `read ${values} of list ${list} after it had appended ${mine}`)
      continue
    }
    const before = reads.get(list)
    if (before === undefined) reads.set(list, others)
    else if (before.join() !== others.join()) {
      find('non-repeatable-read', `read ${before} of list ${list}, then ${others}`)
    }
  }
  return { reads, appended: new Set(own.keys()) }
}
