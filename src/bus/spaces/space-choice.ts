// The default space of a caller: the home of a wallet, the server's space for others. If the folder
// has that rule, it is the shared space for all. All protocols use this choice.
// (docs/rights.md, "Spaces")

import { fail } from '../../base/errors.js'
import { homeOf } from '../../engine/collection/catalog/homes.js'
import { checkDatabaseName, requireWritableName } from '../../engine/collection/catalog/names.js'
import { type Identity, walletOf } from '../../identity/identity.js'

/** The meaning of SHARED_SPACES: homes, or one space for all with that mode. */
export type SpaceRule = 'own' | 'shared' | 'private' | 'public'

export class SpaceChoice {
  constructor(
    /** Setting DATABASE. */
    readonly main: string,
    readonly rule: SpaceRule,
  ) {}

  /** The space of a caller that names none. */
  defaultOf(identity: Identity): string {
    if (identity.kind === 'user') return identity.database
    const address = walletOf(identity)
    return address === undefined || this.rule !== 'own' ? this.main : homeOf(address)
  }

  /** The named space, or the caller's default. Throws InvalidNamespace for an invalid name. */
  of(identity: Identity, named: string | undefined): string {
    if (named === undefined || named === this.main) return named ?? this.defaultOf(identity)
    return requireSpaceName(named)
  }

  /**
   * Throws Unauthorized if a wallet would share a collection in the main database. It must use its
   * home, whose name shows the owner.
   */
  requireMaySet(identity: Identity, db: string, mode: string | undefined, before: string): void {
    const address = walletOf(identity)
    if (address === undefined || mode !== 'shared' || before === 'shared') return
    if (this.rule !== 'own' || db !== this.main) return
    const text = `in database ${db} only the operator sets mode 'shared': use ${homeOf(address)}`
    throw fail('Unauthorized', `${text}, which is your own`, { reason: 'HOME' })
  }
}

/** The name, if a space can have it. Throws InvalidNamespace. */
export function requireSpaceName(db: string): string {
  checkDatabaseName(db)
  requireWritableName(db, 'kv0')
  return db
}
