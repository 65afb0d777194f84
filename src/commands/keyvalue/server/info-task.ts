// INFO: the state and figures of the process, in sections. One read counts the databases, and only
// those that the caller may read.

import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { type Reply, verbatim } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { liveCount } from '../../../engine/keyspace/keys/count.js'
import { timedKeys } from '../../../engine/keyspace/keys/timed-keys.js'
import { askedOf } from '../../../identity/rights/allow.js'
import type { Program, ReadTx } from '../../../store/store.js'
import {
  type DatabaseFigures,
  databaseIndexes,
  furtherSections,
  sectionNames,
  sections,
} from './info-sections.js'

const info: KeyValueRow = {
  name: 'info',
  grows: 'nothing',
  arity: -1,
  flags: ['loading', 'stale'],
  categories: ['dangerous'],
  summary: 'Returns information and statistics of the server.',
  since: '1.0.0',
  group: 'server',
  complexity: 'O(1), and O(n) with n keys that have a time, up to a bound',
  syntax: '[section ...]',
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
  grain: 'task',
  async run(call): Promise<Reply> {
    const wanted = wantedOf(call)
    if (call.session.identity.kind !== 'operator') {
      for (const name of sectionNames) if (!isOpen(name)) wanted.delete(name)
    }
    const databases = wanted.has('keyspace') ? await countDatabases(call) : []
    const texts = sectionNames
      .filter((name) => wanted.has(name))
      .map((name) => `${(sections[name]?.(call, databases) ?? []).join('\r\n')}\r\n`)
    return verbatim(texts.join('\r\n'))
  },
}

/** Sections that reveal nothing about other clients; the rest is for the operator. */
function isOpen(section: string): boolean {
  return openSections.has(section)
}

const openSections: ReadonlySet<string> = new Set([
  ...['server', 'persistence', 'replication', 'modules', 'cluster', 'keyspace'],
])

/** The sections that the words select; unknown words select none. */
function wantedOf(call: KeyValueCall): Set<string> {
  const wanted = new Set<string>()
  const names = call.count === 1 ? ['default'] : call.argsFrom(1).map((word) => word.text())
  for (const name of names.map((each) => each.toLowerCase())) {
    if (name === 'all' || name === 'everything' || name === 'default') {
      for (const each of sectionNames) {
        if (name !== 'default' || !furtherSections.has(each)) wanted.add(each)
      }
    } else wanted.add(name)
  }
  return wanted
}

async function countDatabases(call: KeyValueCall): Promise<readonly DatabaseFigures[]> {
  const { store } = call.services
  return store.read((tx) => count(tx, call), { snapshot: true })
}

function* count(tx: ReadTx, { services, session, now }: KeyValueCall): Program<DatabaseFigures[]> {
  const found: DatabaseFigures[] = []
  const timed = yield* timedKeys(tx, now)
  const { space } = session.place
  for (const index of databaseIndexes) {
    const ns = yield* space.place(index).find(tx)
    if (ns === undefined) continue
    if (!services.allow(session.current, 'read', ns.access, askedOf(ns))) continue
    const keys = yield* liveCount(tx, ns, now)
    const { count: expires, leftMs } = timed.get(ns.id) ?? { count: 0, leftMs: 0 }
    const averageMs = expires === 0 ? 0 : Math.round(leftMs / expires)
    found.push({ index, keys, expires, averageMs })
  }
  return found
}

export const infoRows: readonly KeyValueRow[] = [info]
