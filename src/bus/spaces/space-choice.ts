// The space of a caller that names none: for a wallet its home, for others the space of the server;
// the shared space for all if the folder has that rule. One place decides it for all protocols.
// (docs/rights.md, "Spaces")

import { fail } from '../../base/errors.js'
import { homeOf } from '../../engine/collection/catalog/homes.js'
import { checkDatabaseName, requireWritableName } from '../../engine/collection/catalog/names.js'
import { type Identity, walletOf } from '../../identity/identity.js'

/** What setting SHARED_SPACES comes to: homes, or one space for all, of that mode. */
export type SpaceRule = 'own' | 'shared' | 'private' | 'public'

export class SpaceChoice {
  constructor(
    /** Setting DATABASE. */
    readonly main: string,
    readonly rule: SpaceRule,
  ) {}

  /** The space of who names none. */
  defaultOf(identity: Identity): string {
    if (identity.kind === 'user') return identity.database
    const address = walletOf(identity)
    return address === undefined || this.rule !== 'own' ? this.main : homeOf(address)
  }

  /** The space that is named, or the caller's. Throws InvalidNamespace for what can be none. */
  of(identity: Identity, named: string | undefined): string {
    if (named === undefined || named === this.main) return named ?? this.defaultOf(identity)
    return requireSpaceName(named)
  }

  /**
   * Throws Unauthorized where a wallet would share what lies in the database of all: it has a home,
   * whose name says whose it is.
   */
  requireMaySet(identity: Identity, db: string, mode: string | undefined, before: string): void {
    const address = walletOf(identity)
    if (address === undefined || mode !== 'shared' || before === 'shared') return
    if (this.rule !== 'own' || db !== this.main) return
    const text = `in database ${db} only the operator sets mode 'shared': use ${homeOf(address)}`
    throw fail('Unauthorized', `${text}, which is your own`, { reason: 'HOME' })
  }
}

/** The name, if it can be one of a space. Throws InvalidNamespace. */
export function requireSpaceName(db: string): string {
  checkDatabaseName(db)
  requireWritableName(db, 'kv0')
  return db
}
