// A store as one of several gateways has it: its programs know their gateway, and a gateway can be
// taken for gone at once, as after a pause that is longer than its heartbeat may miss.

import { randomUUID } from 'node:crypto'
import { PassingTx } from '../../src/store/passing-tx.js'
import type {
  Awaitable,
  Gateways,
  HeldState,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../../src/store/store.js'

/** The names of gateways that are there. */
const living = new Set<string>()

export class NamedGateway implements Store {
  private name = newName()
  readonly gateways: Gateways

  constructor(private readonly inner: Store) {
    const named = () => this.name
    this.gateways = {
      get self() {
        return named()
      },
      isGone: async (name) => !living.has(name),
      number: 1,
      announce: async () => undefined,
      addressOf: async () => undefined,
    }
  }

  /** Others take it for gone; it goes on under the same name until `rename`. */
  expire(): void {
    living.delete(this.name)
  }

  /** It has noticed. */
  rename(): void {
    this.name = newName()
  }

  get ownsData(): boolean {
    return this.inner.ownsData === true
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.inner.read(program, options)
  }

  write<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    return this.inner.write((tx) => program(new NamedTx(tx, this.name)))
  }

  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges): Promise<T> {
    return this.inner.writeLarge((tx) => program(new NamedTx(tx, this.name)), large)
  }

  hold(): Awaitable<HeldState> {
    return this.inner.hold()
  }

  stats(): StoreStats {
    return this.inner.stats()
  }

  async close(): Promise<void> {
    this.expire()
    await this.inner.close()
  }
}

class NamedTx extends PassingTx {
  constructor(
    inner: Tx,
    private readonly name: string,
  ) {
    super(inner)
  }

  override get gateway(): string {
    return this.name
  }
}

function newName(): string {
  const name = randomUUID()
  living.add(name)
  return name
}
