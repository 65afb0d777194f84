// The switches of the protocols with a separate port: which are enabled, stored over restarts, and
// opened or closed at run time. HTTP has no switch, because it serves the switches.

import { fail } from '../base/errors.js'
import type { Log } from '../base/log.js'
import type { ProtocolEntry, ProtocolSwitches, SwitchedProtocol } from '../bus/protocols.js'
import { switchedProtocols } from '../bus/protocols.js'
import type { ObservedStore } from '../engine/observed-store.js'
import type { Identity } from '../identity/identity.js'
import { keyClass } from '../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../store/store.js'

/** The parts of a listener that the switches use. */
interface SwitchedListener {
  readonly port: number
  closeSessions(matches: (identity: Identity) => boolean): void
  close(graceMs: number): Promise<void>
}

interface Switched {
  /** Opens on the port in the settings. */
  readonly open: () => Promise<SwitchedListener>
  /** Opens on its previous port. */
  readonly reopen: (port: number) => Promise<SwitchedListener>
  /** Tells clients why they are disconnected, as far as their protocol can. */
  readonly farewell?: (listener: SwitchedListener) => void
}

/** Time for running statements when their protocol is disabled, milliseconds. */
const graceMs = 5_000
const kind = 0x36
const disabled = Uint8Array.of(0)
const enabled = Uint8Array.of(1)

interface State {
  readonly switched: Switched
  listener: SwitchedListener | undefined
  /** Its last port. */
  port: number | undefined
  isEnabled: boolean
  /** The last operation on it: they run one after the other. */
  last: Promise<unknown>
  /** The previous listener, while it closes. */
  closing: Promise<void>
}

export class Protocols implements ProtocolSwitches {
  private readonly states = new Map<SwitchedProtocol, State>()
  private isClosed = false

  constructor(
    private readonly store: Store,
    private readonly log: Log,
  ) {}

  add(name: SwitchedProtocol, switched: Switched): void {
    this.states.set(name, {
      switched,
      listener: undefined,
      port: undefined,
      isEnabled: true,
      last: Promise.resolve(),
      closing: Promise.resolve(),
    })
  }

  /** Follows the switches that other gateways of the store set. */
  follow(store: ObservedStore): void {
    for (const name of this.states.keys()) {
      store.observeAnywhere(keyOf(name), () => void this.followOne(name))
    }
  }

  private followOne(name: SwitchedProtocol): Promise<void> {
    const state = this.stateOf(name)
    const done = state.last.then(async () => {
      if (this.isClosed) return
      const isEnabled = await this.store.read((tx) => readSwitch(tx, name))
      if (isEnabled === state.isEnabled) return
      await (isEnabled ? this.enable(name, false) : this.disable(name, false))
    })
    const over = done.catch((error: unknown) => {
      this.log.warn({ protocol: name, error: String(error) }, 'protocol could not be switched')
    })
    state.last = over
    return over
  }

  /** Opens it unless disabled; rejects with the first failure. */
  async start(name: SwitchedProtocol): Promise<void> {
    const state = this.stateOf(name)
    state.isEnabled = await this.store.read((tx) => readSwitch(tx, name))
    if (!state.isEnabled) return
    state.listener = await state.switched.open()
    state.port = state.listener.port
  }

  list(): readonly ProtocolEntry[] {
    return switchedProtocols.map((name) => {
      const { listener, isEnabled } = this.stateOf(name)
      return { name, enabled: isEnabled, port: isEnabled ? listener?.port : undefined }
    })
  }

  isEnabled(name: SwitchedProtocol): boolean {
    return this.stateOf(name).isEnabled
  }

  /** Whether it accepts connections. */
  isOpen(name: SwitchedProtocol): boolean {
    return this.stateOf(name).listener !== undefined
  }

  port(name: SwitchedProtocol): number {
    return this.stateOf(name).listener?.port ?? 0
  }

  set(name: SwitchedProtocol, isEnabled: boolean): Promise<void> {
    const state = this.stateOf(name)
    const done = state.last.then(() => (isEnabled ? this.enable(name) : this.disable(name)))
    state.last = done.catch(() => {})
    return done
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const { listener } of this.states.values()) listener?.closeSessions(matches)
  }

  /** The server stops: the switches no longer work. */
  async close(withinMs: number): Promise<void> {
    this.isClosed = true
    const states = [...this.states.values()]
    await Promise.all(
      states.map(async (state) => {
        await state.last
        await Promise.all([state.listener?.close(withinMs), state.closing])
      }),
    )
  }

  private async enable(name: SwitchedProtocol, keeps = true): Promise<void> {
    const state = this.stateOf(name)
    this.requireServing()
    if (state.listener === undefined) {
      await state.closing
      const { port, switched } = state
      try {
        state.listener = await (port === undefined ? switched.open() : switched.reopen(port))
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw fail('HostUnreachable', `${name} cannot be opened: ${reason}`)
      }
      state.port = state.listener.port
    }
    if (keeps) await this.keep(name, true)
    state.isEnabled = true
    this.log.info({ protocol: name, port: state.port }, 'protocol enabled')
  }

  /** Refuses new connections from now on; open ones may finish running statements. */
  private async disable(name: SwitchedProtocol, keeps = true): Promise<void> {
    const state = this.stateOf(name)
    this.requireServing()
    if (keeps) await this.keep(name, false)
    state.isEnabled = false
    const { listener } = state
    if (listener === undefined) return
    state.listener = undefined
    state.switched.farewell?.(listener)
    state.closing = listener.close(graceMs)
    this.log.info({ protocol: name }, 'protocol disabled')
  }

  private keep(name: SwitchedProtocol, isEnabled: boolean): Promise<void> {
    return this.store.write((tx) => writeSwitch(tx, name, isEnabled))
  }

  private requireServing(): void {
    if (this.isClosed) throw fail('ShutdownInProgress', 'The server is shutting down')
  }

  private stateOf(name: SwitchedProtocol): State {
    const state = this.states.get(name)
    if (state === undefined) throw fail('BadValue', `no such protocol: ${name}`)
    return state
  }
}

/** Enabled until it is switched off. */
function* readSwitch(tx: ReadTx, name: SwitchedProtocol): Program<boolean> {
  const value = yield* tx.get(keyOf(name))
  return value?.[0] !== disabled[0]
}

function* writeSwitch(tx: Tx, name: SwitchedProtocol, isEnabled: boolean): Program<void> {
  tx.put(keyOf(name), isEnabled ? enabled : disabled)
}

function keyOf(name: SwitchedProtocol): Uint8Array {
  return Uint8Array.of(keyClass.identity, kind, ...Buffer.from(name))
}
