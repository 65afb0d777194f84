// The rule of a folder about spaces. It is stored at the first start, so that a changed setting or
// a newer Sigil hides no keys. A folder from before this rule keeps its layout until
// `sigil spaces move`. (docs/rights.md, "Spaces")

import { textOf, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { Settings } from '../../base/settings.js'
import { findNamespace } from '../../engine/collection/catalog/catalog.js'
import { keyspaceName } from '../../engine/collection/catalog/homes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import type { SpaceRule } from './space-choice.js'
import { readMove } from './space-move.js'

const ruleKey = Uint8Array.of(keyClass.identity, 0x37)
const unfinishedMove =
  "'sigil spaces move' was interrupted: some keys and graphs are in homes. " +
  "Run 'sigil spaces move' again: it goes on where it was"
const rules: readonly SpaceRule[] = ['own', 'shared', 'private', 'public']

interface FolderRule {
  readonly rule: SpaceRule
  /** A note for each start, if the rule differs from the setting. */
  readonly note: string | undefined
}

/**
 * The rule of this folder; stored if a new folder has none. Throws InvalidOptions if a move has not
 * ended.
 */
export function openSpaceRule(
  store: Store,
  settings: Pick<Settings, 'SHARED_SPACES' | 'WHITELIST' | 'DATABASE'>,
): Promise<FolderRule> {
  const wanted = wantedRule(settings)
  return store.write(function* (tx) {
    if ((yield* readMove(tx)) !== undefined) throw fail('InvalidOptions', unfinishedMove)
    const written = yield* readRule(tx)
    if (written !== undefined) return { rule: written, note: noteOf(written, wanted) }
    const before = yield* findNamespace(tx, settings.DATABASE, keyspaceName(0))
    // The rule of an old folder is not stored: it is derived again at each start.
    if (before !== undefined) {
      const rule = before.access.mode
      return { rule, note: noteOf(rule, wanted) }
    }
    writeRule(tx, wanted)
    return { rule: wanted, note: undefined }
  })
}

/** Undefined in a folder that is older than stored rules. */
export function* readRule(tx: ReadTx): Program<SpaceRule | undefined> {
  const stored = yield* tx.get(ruleKey)
  if (stored === undefined) return undefined
  const text = textOf(stored)
  return rules.find((rule) => rule === text)
}

export function writeRule(tx: Tx, rule: SpaceRule): void {
  tx.put(ruleKey, utf8(rule))
}

/** The rule that the settings request for a new folder. */
export function wantedRule({
  SHARED_SPACES: given,
  WHITELIST,
}: Pick<Settings, 'SHARED_SPACES' | 'WHITELIST'>): SpaceRule {
  if (given !== 'auto') return given
  return WHITELIST === 'enforce' ? 'shared' : 'own'
}

function noteOf(rule: SpaceRule, wanted: SpaceRule): string | undefined {
  if (rule === wanted) return undefined
  const kept = `This folder keeps one space for all wallets, of mode '${rule}'`
  if (rule === 'own')
    return `Each wallet has a space of its own here: SHARED_SPACES=${wanted} is for a new folder.`
  return wanted === 'own'
    ? `${kept}. 'sigil spaces move' gives each wallet its own.`
    : `${kept}: SHARED_SPACES=${wanted} is for a new folder.`
}
