// Authorization of key-value commands, in the program that runs them. It checks the privileges of
// their rows, key patterns of service users, the limits of homes, and quotas.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { wasteBeside } from '../../../engine/background/waste.js'
import { payerOf } from '../../../engine/collection/catalog/descriptors.js'
import { usageKey } from '../../../engine/collection/counters.js'
import type { StagingNeeded } from '../../../engine/collection/staging.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { type InlineBounds, Work } from '../../../engine/keyspace/work.js'
import type { PreparedOptions } from '../../../engine/prepared-write.js'
import type { Namespace, Privilege } from '../../../engine/types.js'
import { accountOf, type Identity } from '../../../identity/identity.js'
import { type Allow, askedOf } from '../../../identity/rights/allow.js'
import { isRevocable, type RevocationCheck } from '../../../identity/rights/revocation-check.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Transaction } from '../../../store/transactions/transaction.js'
import { quotasOf } from '../../policy/bounds.js'
import type { Quotas } from '../../quota.js'
import type { HomeLimit } from '../../spaces/home-limit.js'
import { wayOutOfSpace } from '../../spaces/way-out.js'
import type { Command } from '../command.js'
import { requireKeys } from '../key-rights.js'
import { noKeyPermission } from '../refusals.js'
import type { RunningCall } from '../running-call.js'
import { type MakingHome, OpenPlaces } from './open-places.js'

export interface ProgramRightsOptions {
  readonly bounds: InlineBounds
  readonly allow: Allow
  /** Whether a wallet's login is still valid. */
  readonly revocation: RevocationCheck
  /** The limits of homes; no limits without it. */
  readonly homes?: HomeLimit
  /** Quotas of wallets; no limits without it. */
  readonly quotas?: Quotas | undefined
}

export class ProgramRights {
  constructor(private readonly options: ProgramRightsOptions) {}

  /** Checks a call's rights as its program would, and runs nothing. */
  *checkRevocation(tx: ReadTx, call: RunningCall, now: number): Program<void> {
    const { bounds, revocation } = this.options
    const { session } = call
    const { identity } = session
    if (isRevocable(identity)) session.current = yield* revocation.check(tx, identity, now)
    const places = new OpenPlaces(tx, now, new Work(bounds, false))
    this.authorize(call, yield* places.open(call.place))
    yield* this.openFurther(call, places)
  }

  /**
   * Throws QuotaExceeded if commands made an owner's data larger than its quota. The program is
   * then rolled back, and each of its commands runs again in its own program.
   */
  *requireSpace(tx: Tx, calls: readonly RunningCall[], places: OpenPlaces): Program<void> {
    const identity = calls[0]?.session.identity
    const quotas = identity && quotasOf(this.options.quotas, identity)
    if (quotas === undefined) return
    if (!calls.some(growsKeys)) return
    for (const key of places.usages()) {
      if (tx.added(key).bytes <= 0) continue
      quotas.requireDisk((yield* tx.count(key)).bytes, yield* wasteBeside(tx, key))
    }
  }

  /** Of a command that is prepared; `places` are those that its last runs have opened. */
  ofPrepared(
    calls: readonly RunningCall[],
    now: number,
    places: () => readonly OpenPlaces[],
  ): PreparedOptions {
    const identity = calls[0]?.session.identity
    if (identity === undefined) return {}
    const payer = accountOf(identity) ?? null
    const mayHold = (key: Bytes) => places().some((each) => each.isOf(key, payer))
    if (!isRevocable(identity)) return { mayHold }
    const admit = {
      before: (tx: Tx) => this.options.revocation.check(tx, identity, now),
      behind: (tx: Tx) => this.requireSpace(tx, calls, places()[0] as OpenPlaces),
    }
    return { admit, mayHold }
  }

  /** Checks the quota before staging: staged data takes disk space, used or not. */
  *requireStaging(
    tx: ReadTx,
    { session, place }: RunningCall,
    privileges: StagingNeeded,
  ): Program<void> {
    const quotas = quotasOf(this.options.quotas, session.identity)
    const ns = yield* place.find(tx)
    const payer = ns === undefined ? null : payerOf(ns.access)
    if (quotas === undefined || payer === null) return
    if (privileges.bytes === 0) return
    privileges.owner = payer
    const key = usageKey(payer)
    const waste = yield* wasteBeside(tx, key)
    quotas.requireWaste((yield* tx.count(key)).bytes, waste + privileges.bytes)
  }

  authorize(call: RunningCall, { ns }: Keyspace): void {
    const { privileges, row } = call.command
    this.require(call, ns, privileges)
    if (row.alsoRequires !== undefined) this.require(call, ns, row.alsoRequires(call))
    if (call.session.current.kind === 'user') requireKeys(call, call.session.current)
  }

  private require(call: RunningCall, ns: Namespace, privileges: readonly Privilege[]): void {
    this.requireOf(call.session.current, ns, privileges, call.command)
  }

  /** Throws NOPERM unless the identity has the privileges for the command there. */
  requireOf(
    current: Identity,
    ns: Namespace,
    privileges: readonly Privilege[],
    { facts }: Pick<Command, 'facts'>,
  ): void {
    const { allow } = this.options
    const asked = current.kind === 'user' ? askedOf(ns, facts.roles) : undefined
    for (let i = 0; i < privileges.length; i++) {
      if (allow(current, privileges[i] as Privilege, ns.access, asked)) continue
      throw noKeyPermission(wayOutOfSpace(current, ns.db, ns.access))
    }
  }

  *openFurther(call: RunningCall, places: OpenPlaces): Program<void> {
    const further: Keyspace[] = []
    const { space } = call.place
    for (const database of call.command.row.databases?.(call) ?? []) {
      const place = space.place(database)
      const ks = places.known(place) ?? (yield* places.open(place))
      this.authorize(call, ks)
      places.requireMade(ks)
      further[database] = ks
    }
    call.spaces = further
  }
}

/** The limits of homes for a caller; undefined for the operator, who has none. */
export function makingHomeOf(
  { homes }: ProgramRightsOptions,
  calls: readonly RunningCall[],
  transaction?: Pick<Transaction, 'whenAborted'>,
): MakingHome | undefined {
  const session = calls[0]?.session
  if (session === undefined || session.identity.kind === 'operator') return undefined
  return (home, count) => {
    const uncount = homes?.make(home, count, session.address)
    if (uncount !== undefined) transaction?.whenAborted(uncount)
  }
}

function growsKeys({ command, isRefused }: RunningCall): boolean {
  return !isRefused && command.facts.grows !== 'nothing'
}
