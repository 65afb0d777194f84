// Checks a list-append history, as Elle does: lists are read whole, so their reads tell the order of
// all appends, and what each transaction has seen tells what must come before what. Snapshot isolation
// is asked of all transactions, serializability of those that wanted it. Ends come before later
// begins: among all transactions, or only among the single steps on each list.

import { type Dependency, findCycle, type GraphNode } from './dependency-graph.js'
import type { Anomaly, Finding, HistoryTransaction } from './history.js'
import { readsOf, type SeenLists } from './seen-lists.js'

interface Writer {
  readonly by: number
  /** Whether it is the last that its transaction appended to this list. */
  readonly isLast: boolean
}

/** Among which transactions an end comes before each later begin. */
export type Timed = 'all' | 'each list'

const never = Number.POSITIVE_INFINITY
const untimed: GraphNode = { isStrict: false, began: never, ended: never }

class ListAppendCheck {
  readonly findings: Finding[] = []
  private readonly writers = new Map<number, Writer>()
  private readonly seen: SeenLists[]
  /** The longest read of each list. */
  private readonly orders = new Map<string, readonly number[]>()
  private readonly committed: boolean[]

  constructor(
    private readonly transactions: readonly HistoryTransaction[],
    private readonly timed: Timed,
  ) {
    this.seen = transactions.map((one, at) =>
      readsOf(one, (anomaly, text) => this.find(anomaly, `transaction ${at} ${text}`)),
    )
    this.noteWriters()
    this.committed = this.committedOnes()
    this.orderLists()
  }

  run(): void {
    this.checkOrders()
    this.checkDirty()
    this.checkLostWrites()
    this.checkLostUpdates()
    const nodes = this.transactions.map(({ level, outcome, began, ended }, at) => {
      const isCommitted = this.committed[at] === true
      // An unknown one may have taken effect at any time after its begin.
      const end = outcome === 'unknown' && isCommitted ? Number.POSITIVE_INFINITY : ended
      return { isStrict: isCommitted && level === 'serializable', began, ended: end }
    })
    const dependencies = this.dependencies()
    const cycles = [
      findCycle(nodes, dependencies, this.timed === 'all'),
      ...(this.timed === 'all' ? [] : this.cyclesOfLists(nodes, dependencies)),
    ]
    for (const cycle of cycles) if (cycle !== undefined) this.find(cycle.anomaly, cycle.text)
  }

  /** Each list by itself is linearizable. */
  private cyclesOfLists(
    nodes: readonly GraphNode[],
    dependencies: readonly Dependency[],
  ): (Finding | undefined)[] {
    return [...this.orders.keys()].map((list) => {
      const ofList = nodes.map((node, at): GraphNode => {
        const [step, ...more] = this.transactions[at]?.steps ?? []
        return step?.list === list && more.every((one) => one.list === list) ? node : untimed
      })
      const among = dependencies.filter((one) => one.list === list)
      return findCycle(ofList, among)
    })
  }

  private find(anomaly: Anomaly, text: string): void {
    this.findings.push({ anomaly, text })
  }

  private noteWriters(): void {
    for (const [by, { steps }] of this.transactions.entries()) {
      const last = new Map<string, number>()
      for (const step of steps) if (step.kind === 'append') last.set(step.list, step.value)
      for (const step of steps) {
        if (step.kind !== 'append') continue
        this.writers.set(step.value, { by, isLast: last.get(step.list) === step.value })
      }
    }
  }

  /** Unknown ones count as committed if another transaction has seen anything of them. */
  private committedOnes(): boolean[] {
    const visible = new Set<number>()
    for (const [at, { reads }] of this.seen.entries()) {
      if (this.transactions[at]?.outcome !== 'committed') continue
      for (const values of reads.values()) {
        for (const value of values) visible.add(this.writers.get(value)?.by ?? -1)
      }
    }
    return this.transactions.map(({ outcome }, at) => {
      return outcome === 'committed' || (outcome === 'unknown' && visible.has(at))
    })
  }

  private orderLists(): void {
    for (const [at, { reads }] of this.seen.entries()) {
      if (this.committed[at] !== true) continue
      for (const [list, values] of reads) {
        if (values.length > (this.orders.get(list)?.length ?? 0)) this.orders.set(list, values)
      }
    }
  }

  private checkOrders(): void {
    for (const [list, order] of this.orders) {
      const twice = order.find((value, at) => order.indexOf(value) !== at)
      if (twice !== undefined) this.find('duplicate', `list ${list} has ${twice} twice: ${order}`)
    }
    for (const [at, { reads }] of this.seen.entries()) {
      for (const [list, values] of reads) {
        const order = this.orders.get(list) ?? []
        const isBeginning = values.every((value, place) => order[place] === value)
        if (isBeginning) continue
        // What an aborted one alone has seen is dirty, not another order.
        if (this.committed[at] !== true && values.length > order.length) continue
        this.find('incompatible-order', `transaction ${at} read ${values} of ${list}: ${order}`)
      }
    }
  }

  private checkDirty(): void {
    for (const [at, { reads }] of this.seen.entries()) {
      for (const [list, values] of reads) {
        const read = `transaction ${at} read ${values} of list ${list}`
        for (const value of values) {
          const by = this.writers.get(value)?.by
          if (by === undefined) this.find('G1a', `${read}: nothing has appended ${value}`)
          else if (this.committed[by] !== true) {
            this.find('G1a', `${read}: transaction ${by} was not committed`)
          }
        }
        const last = this.writers.get(values.at(-1) ?? -1)
        if (last !== undefined && last.by !== at && !last.isLast) {
          this.find('G1b', `${read}: transaction ${last.by} has appended more`)
        }
      }
    }
  }

  private checkLostWrites(): void {
    const committedAppends = new Map<string, { value: number; ended: number }[]>()
    for (const { outcome, steps, ended } of this.transactions) {
      if (outcome !== 'committed') continue
      for (const step of steps) {
        if (step.kind !== 'append') continue
        const others = committedAppends.get(step.list) ?? []
        committedAppends.set(step.list, [...others, { value: step.value, ended }])
      }
    }
    for (const [list, appends] of committedAppends) {
      for (const [at, { reads }] of this.seen.entries()) {
        const values = reads.get(list)
        const { began = 0 } = this.transactions[at] ?? {}
        if (values === undefined) continue
        for (const { value, ended } of appends) {
          // What is in the order, but not in this read, is a cycle.
          if (ended > began || this.orders.get(list)?.includes(value)) continue
          this.find('lost-write', `transaction ${at} read ${values} of ${list}: ${value} is lost`)
        }
      }
    }
  }

  private checkLostUpdates(): void {
    const changed = new Map<string, number>()
    for (const [at, { reads, appended }] of this.seen.entries()) {
      if (this.committed[at] !== true) continue
      for (const list of appended) {
        const values = reads.get(list)
        if (values === undefined) continue
        const state = `${list} at length ${values.length}`
        const other = changed.get(state)
        changed.set(state, at)
        if (other === undefined) continue
        this.find('lost-update', `transactions ${other} and ${at} have appended to list ${state}`)
      }
    }
  }

  private dependencies(): Dependency[] {
    const found: Dependency[] = []
    const add = (
      kind: Dependency['kind'],
      ends: readonly [from: number | undefined, to: number | undefined],
      list: string,
    ) => {
      const [from, to] = ends
      if (from === undefined || to === undefined || from === to) return
      found.push({ kind, from, to, list })
    }
    const writer = (value: number | undefined) => {
      const by = this.writers.get(value ?? -1)?.by
      return by !== undefined && this.committed[by] === true ? by : undefined
    }
    for (const [list, order] of this.orders) {
      for (const [place, value] of order.entries()) {
        add('ww', [writer(value), writer(order[place + 1])], list)
      }
    }
    for (const [at, { reads }] of this.seen.entries()) {
      for (const [list, values] of reads) {
        const order = this.orders.get(list) ?? []
        add('wr', [writer(values.at(-1)), at], list)
        // The next of another: its own may stand right behind what it has read.
        const next = order.slice(values.length).find((value) => this.writers.get(value)?.by !== at)
        add('rw', [at, writer(next)], list)
      }
    }
    return found
  }
}

/** All that is wrong with a history; of its cycles one of the worst kind. */
export function checkListAppend(
  transactions: readonly HistoryTransaction[],
  timed: Timed = 'all',
): readonly Finding[] {
  const check = new ListAppendCheck(transactions, timed)
  check.run()
  return check.findings
}
