// Sessions of signed-in wallets. The row is the session: a cookie without a row is invalid. So
// logout ends a stolen cookie too, and a wallet's epoch ends all of its sessions. A session lasts
// at most 24 hours. (docs/sign-in.md, "The routes")

import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { assert } from '../../base/errors.js'
import { sessionMs } from '../../base/limits/identity.js'
import type { Log } from '../../base/log.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { type Document, numberValue, stringOf } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { bytesOfAddress } from '../address.js'
import { putExpiring, removeExpiring, sweepExpired } from './expiring-rows.js'

/** Interval of the sweep for expired sessions and nonces. */
const sessionSweepMs = 10_000
/** Sessions and nonces that one program of a sweep removes. */
const sessionsSweptAtOnce = 200

export const sessionKind = 0x20
const epochKind = 0x22
const sidBytes = 16

export interface SessionRow {
  /** EIP-55. */
  readonly address: string
  readonly chainId: number
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** 22 characters, 128 bits: identifies a browser before and after sign-in. */
export function makeSid(random: Random): string {
  return Buffer.from(random.bytes(sidBytes)).toString('base64url')
}

/** The session, unless it was ended; the caller compares `expires` with its time. */
export function* readSession(tx: ReadTx, sid: string): Program<SessionRow | undefined> {
  const stored = yield* tx.get(sessionKey(sid))
  if (stored === undefined) return undefined
  const row = decode(stored)
  return row.epoch === (yield* readEpoch(tx, row.address)) ? row : undefined
}

/** Starts a session under a new id. */
export function* startSession(
  tx: Tx,
  sid: string,
  { address, chainId, now }: { address: string; chainId: number; now: number },
): Program<void> {
  const epoch = yield* readEpoch(tx, address)
  const expires = now + sessionMs
  const row = writeDocument((writer) => {
    writer.string('address', address).value('chainId', numberValue(chainId))
    writer.value('expires', numberValue(expires)).value('epoch', numberValue(epoch))
  })
  putExpiring(tx, sessionKey(sid), row, expires)
}

/** Ends one session; does nothing if it does not exist. */
export function* endSession(tx: Tx, sid: string): Program<void> {
  const stored = yield* tx.get(sessionKey(sid))
  if (stored !== undefined) removeExpiring(tx, sessionKey(sid), decode(stored).expires)
}

/** Ends every session of a wallet. */
export function* endSessionsOf(tx: Tx, address: string): Program<void> {
  const next = (yield* readEpoch(tx, address)) + 1
  tx.put(
    epochKey(address),
    writeDocument((writer) => {
      writer.value('epoch', numberValue(next))
    }),
  )
}

/** Removes expired sessions and nonces in order; no reader waits for it. */
export class SessionSweeper {
  private timer: NodeJS.Timeout | undefined
  private sweeping: Promise<void> | undefined

  constructor(private readonly options: { store: Store; clock: Clock; log: Log }) {}

  start(): void {
    this.timer = setInterval(() => {
      this.sweeping ??= this.sweep().finally(() => {
        this.sweeping = undefined
      })
    }, sessionSweepMs).unref()
  }

  /** Resolves when nothing expired is left. */
  async sweep(): Promise<void> {
    const { store, clock, log } = this.options
    try {
      for (let swept = sessionsSweptAtOnce; swept === sessionsSweptAtOnce; ) {
        swept = await store.write((tx) => sweepExpired(tx, clock.now(), sessionsSweptAtOnce))
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'ended sessions were not removed; it will be tried again')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.sweeping
  }
}

function* readEpoch(tx: ReadTx, address: string): Program<number> {
  const stored = yield* tx.get(epochKey(address))
  return stored === undefined ? 0 : numberIn(stored, 'epoch')
}

function decode(row: Document): SessionRow & { readonly epoch: number } {
  const address = field(row, 'address')
  assert(address !== undefined, 'a session row has its fields')
  return {
    address: stringOf(address),
    chainId: numberIn(row, 'chainId'),
    expires: numberIn(row, 'expires'),
    epoch: numberIn(row, 'epoch'),
  }
}

function numberIn(row: Document, name: string): number {
  const value = field(row, name)
  assert(value !== undefined, 'a session row has its fields')
  return numberOf(value)
}

function sessionKey(sid: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, sessionKind), utf8(sid))
}

function epochKey(address: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, epochKind), bytesOfAddress(address))
}
