// Checks reserved names: each record is valid, and no collection has the name, since creating one
// removes the reservation.

import { concatBytes } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { validateDocument } from '../../value/validate.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { decodeAccess } from '../collection/catalog/descriptors.js'
import { type Reserved, scanReserved } from '../collection/catalog/reservations.js'
import { messageOf, oneState } from './check-steps.js'

/** Describes invalid reservations. */
export function* checkReserved(): Sweep<string[]> {
  const texts: string[] = []
  let start: Uint8Array | undefined
  for (;;) {
    const from = start
    const page = yield* readPhase((tx) => checkPage(tx, from), oneState)
    texts.push(...page.texts)
    if (page.last === undefined) return texts
    start = concatBytes(page.last, Uint8Array.of(0))
  }
}

interface Page {
  readonly texts: readonly string[]
  /** The last key, if more may follow. */
  readonly last: Uint8Array | undefined
}

function* checkPage(tx: ReadTx, start: Uint8Array | undefined): Program<Page> {
  const texts: string[] = []
  const found = yield* scanReserved(tx, start)
  for (const reserved of found) {
    const name = `${reserved.db}.${reserved.name}`
    const damage = damageOf(reserved)
    if (damage !== undefined) texts.push(`the reservation of ${name}: ${damage}`)
    if ((yield* findNamespace(tx, reserved.db, reserved.name)) !== undefined) {
      texts.push(`the name ${name} is reserved, and a collection has it`)
    }
  }
  const last = found.length < scanEntriesMax ? undefined : found.at(-1)?.key
  return { texts, last }
}

function damageOf({ value }: Reserved): string | undefined {
  try {
    validateDocument(value)
    decodeAccess(value)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
