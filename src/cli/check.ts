// `sigil check`: verifies a data folder: the log, the tables, then the invariants of the engine,
// and prints the problems. It opens the folder itself, so Sigil must be stopped.

import { systemClock } from '../base/clock.js'
import { toGatewayError } from '../base/errors.js'
import { silentLog } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import { checkStore } from '../engine/check/check.js'
import { ownerName } from '../engine/check/owner-name.js'
import { checkGraphs } from '../memory/check-graphs.js'
import { checkFolder, type FolderReport } from '../store/check-folder.js'
import { openStore } from '../store/open.js'
import { openReadOnlyStore } from '../store/read-only.js'
import type { Store } from '../store/store.js'
import { requireFolder } from './data-folder.js'
import { openProgress } from './progress.js'

/** Returns the exit code: 1 if there is a problem. */
export async function runCheck(settings: Settings): Promise<number> {
  const folder = requireFolder(settings)
  const report = folder === undefined ? undefined : await lookAt(folder)
  const below = report === undefined ? 0 : report.tables.found
  const inLog = report?.log.damage === undefined ? 0 : 1
  const problems = below + inLog + (await lookAbove(settings, report))
  say(problems === 0 ? 'Nothing is wrong.' : `${problems} problems.`)
  return problems === 0 ? 0 : 1
}

async function lookAt(folder: string): Promise<FolderReport> {
  let bar: ReturnType<typeof openProgress> | undefined
  let report: FolderReport
  try {
    report = await checkFolder(folder, (pairs, of) => {
      bar ??= openProgress(of, '{entries} entries', { entries: 0 })
      bar.update(pairs, { entries: pairs })
    })
  } finally {
    bar?.stop()
  }
  const { log, tables } = report
  const { segments, torn, damage } = log
  const last = segments.at(-1)
  const span = last === undefined ? 'nothing to apply' : `groups ${spanOf(report)} to apply`
  say(`log: ${span}, ${damage === undefined ? 'sound' : 'damaged'}`)
  if (torn !== undefined) {
    const place = `${torn.bytes} bytes from byte ${torn.at} of ${torn.path}`
    say(`log: ends torn: ${place} were never acknowledged as durable; the next start removes them`)
  }
  if (damage !== undefined) complain('log', damage.text)
  const outcome = tables.found === 0 ? 'sound' : `${tables.found} problems`
  say(`tables: ${tables.pairs} entries, up to group ${tables.applied.group}, ${outcome}`)
  return report
}

function spanOf({ log }: FolderReport): string {
  return `${log.segments[0]?.firstGroup} to ${log.lastGroup}`
}

/** Checks the invariants of the engine; resolves with the number of problems. */
async function lookAbove(settings: Settings, report: FolderReport | undefined): Promise<number> {
  const store = await openChecked(settings, report)
  if (store === undefined) return 0
  try {
    if (report !== undefined) await printDamages(report, store)
    const problems = await checkStore(store, (ns, records, found) => {
      const outcome = found === 0 ? 'sound' : `${found} problems`
      say(`${ns}: ${records} documents, ${outcome}`)
    })
    for (const { ns, kind, text } of problems) {
      complain(ns === '' ? 'store' : ns, `${kind}: ${text}`)
    }
    const ofGraphs = await checkGraphs(store)
    for (const { ns, text } of ofGraphs) complain(ns, `graph: ${text}`)
    return problems.length + ofGraphs.length
  } catch (thrown) {
    const { message, cause } = toGatewayError(thrown)
    complain('store', `could not be checked: ${cause instanceof Error ? cause.message : message}`)
    return 1
  } finally {
    await store.close()
  }
}

/** Undefined if the log is too damaged to open the store. */
async function openChecked(
  settings: Settings,
  report: FolderReport | undefined,
): Promise<Store | undefined> {
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  if (report?.log.damage === undefined) {
    try {
      const folder = report?.isReadOnly === true ? requireFolder(settings) : undefined
      if (folder !== undefined) return openReadOnlyStore(folder, systemClock)
      return await openStore(settings.STORE, options)
    } catch (error) {
      if (report !== undefined) await printDamages(report, undefined)
      throw error
    }
  }
  await printDamages(report, undefined)
  say('The store cannot be opened with this log, so documents and indexes were not checked.')
  return undefined
}

/** With the names of the collections, if the store is open. */
async function printDamages({ tables }: FolderReport, store: Store | undefined): Promise<void> {
  const { damages, found } = tables
  for (const { id, text } of damages) {
    const owner = id === 0 ? undefined : await ownerOf(store, id)
    complain('tables', owner === undefined ? text : `${text}, in ${owner}`)
  }
  if (found > damages.length) complain('tables', `and ${found - damages.length} more`)
}

async function ownerOf(store: Store | undefined, id: number): Promise<string | undefined> {
  try {
    return await store?.read((tx) => ownerName(tx, id))
  } catch {
    // The catalog itself may be damaged.
    return undefined
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function complain(where: string, text: string): void {
  process.stderr.write(`${where}: ${text}\n`)
}
