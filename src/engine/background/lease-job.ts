// The right to run a background job, where several gateways share a store: a record with the
// gateway that has it. Every program of the job reads the record, so a holder that was paused, and
// replaced meanwhile, commits nothing more. A store without other gateways needs no lease.
// (docs/design/many-gateways.md, "Leases")

import { type Bytes, concatBytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Awaitable, Gateways, Program, ProgramRunner, Store, Tx } from '../../store/store.js'

/** A record kind in the class that no command can name. */
const kind = 0x50

/** Another gateway has taken over; nothing of the program is done. */
export class LeaseLost extends Error {
  constructor() {
    super('another gateway runs this job now')
    this.name = 'LeaseLost'
  }
}

type LeasedStore = ProgramRunner & Pick<Store, 'gateways'>

export class Lease {
  /** Runs the programs of the job. They reject with LeaseLost if another gateway has the lease. */
  readonly runner: ProgramRunner
  private readonly keys: readonly Bytes[]
  private readonly gateways: Gateways | undefined

  /** All of `names`, or none. */
  constructor(
    private readonly store: LeasedStore,
    ...names: readonly string[]
  ) {
    this.gateways = store.gateways
    this.keys = names.map(leaseKey)
    this.runner = this.gateways === undefined ? store : this.guarded()
  }

  /** Runs a round of the job if this gateway has the lease or can take it; otherwise `idle`. */
  async round<T>(run: () => Awaitable<T>, idle: T): Promise<T> {
    if (this.gateways === undefined) return run()
    if (!(await this.hold())) return idle
    try {
      return await run()
    } catch (error) {
      if (error instanceof LeaseLost) return idle
      throw error
    }
  }

  /** Whether this gateway has it already. */
  async isOwn(): Promise<boolean> {
    const { gateways } = this
    if (gateways === undefined) return true
    const { keys, store } = this
    const holders = await store.read(function* (tx) {
      return yield* tx.getMany(keys)
    })
    return holders.every((holder) => holder !== undefined && textOf(holder) === gateways.self)
  }

  /** Takes the lease from gateways that are gone; false if another one has it. */
  async hold(): Promise<boolean> {
    const { gateways, store } = this
    if (gateways === undefined || (await this.isOwn())) return true
    const gone = new Set<string>()
    for (;;) {
      const other: string | undefined = await store.write((tx) => this.take(tx, gone))
      if (other === undefined) return true
      if (!(await gateways.isGone(other))) return false
      gone.add(other)
    }
  }

  /** Gives it to any other gateway. */
  async release(): Promise<void> {
    if (this.gateways !== undefined) await this.store.write((tx) => this.drop(tx))
  }

  /** Returns another holder, which may be gone; undefined once the lease is taken. */
  private *take(tx: Tx, gone: ReadonlySet<string>): Program<string | undefined> {
    const { gateway } = tx
    if (gateway === undefined) return undefined
    for (const holder of yield* tx.getMany(this.keys)) {
      const other: string = holder === undefined ? gateway : textOf(holder)
      if (other !== gateway && !gone.has(other)) return other
    }
    for (const key of this.keys) tx.put(key, utf8(gateway))
    return undefined
  }

  private *drop(tx: Tx): Program<void> {
    const holders = yield* tx.getMany(this.keys)
    for (const [index, key] of this.keys.entries()) {
      const holder = holders[index]
      if (holder !== undefined && textOf(holder) === tx.gateway) tx.remove(key)
    }
  }

  private *require(tx: Tx): Program<void> {
    for (const holder of yield* tx.getMany(this.keys)) {
      if (holder === undefined || textOf(holder) !== tx.gateway) throw new LeaseLost()
    }
  }

  private guarded(): ProgramRunner {
    const { store } = this
    const guard = <T>(program: (tx: Tx) => Program<T>) => {
      const require = (tx: Tx) => this.require(tx)
      return function* (tx: Tx): Program<T> {
        yield* require(tx)
        return yield* program(tx)
      }
    }
    return {
      read: store.read.bind(store),
      write: (program, account) => store.write(guard(program), account),
      writeLarge: (program, large, account) => store.writeLarge(guard(program), large, account),
    }
  }
}

/** Takes the lease of work that this program itself begins, if there are other gateways. */
export function beginLeased(tx: Tx, name: string): void {
  if (tx.gateway !== undefined) tx.put(leaseKey(name), utf8(tx.gateway))
}

function leaseKey(name: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, kind), utf8(name))
}
