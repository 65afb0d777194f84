// One key: its members as rows, read by pages; and the transaction that writes an edit, which first
// looks whether the edited members are as they were.

import { askJson } from './api.js'
import {
  type Change,
  columnsOf,
  type Kind,
  kinds,
  type Member,
  type Reply,
  type Word,
} from './key-change.js'
import { runCommand } from './keyspace.js'

export interface OpenKey {
  readonly key: Word
  readonly kind: Kind
  /** How many members there are, or bytes of a string. */
  readonly length: number
  /** Milliseconds; undefined without an expiry. */
  readonly ttlMs: number | undefined
  readonly bytes: number
  readonly members: readonly Member[]
  /** From where on more members are read; undefined at the end. */
  readonly next: string | undefined
}

type Command = readonly (Word | number)[]

/** Above this a value is shown in part, and not edited. */
export const stringBytesMax = 256 * 1024
const membersAtOnce = 100

const lengths = { string: 'STRLEN', hash: 'HLEN', list: 'LLEN', set: 'SCARD', zset: 'ZCARD' }

/** Undefined if the key has gone. */
export async function openKey(
  database: number,
  key: Word,
  signal: AbortSignal,
): Promise<OpenKey | undefined> {
  const run = (...command: Command) => runCommand(database, command, { signal })
  const type = await run('TYPE', key)
  const kind = kinds.find((one) => one === type)
  if (kind === undefined) return undefined
  const [length, ttl, bytes, page] = await Promise.all([
    run(lengths[kind], key),
    run('PTTL', key),
    run('MEMORY', 'USAGE', key),
    readMembers(database, { key, kind, from: '0' }, signal),
  ])
  const ttlMs = Number(ttl) < 0 ? undefined : Number(ttl)
  return { key, kind, length: Number(length), ttlMs, bytes: Number(bytes), ...page }
}

/** A page of members, from a cursor or an index. */
export async function readMembers(
  database: number,
  { key, kind, from }: { key: Word; kind: Kind; from: string },
  signal?: AbortSignal,
): Promise<Pick<OpenKey, 'members' | 'next'>> {
  const options = signal === undefined ? {} : { signal }
  const run = (...command: Command) => runCommand(database, command, options)
  if (kind === 'string') {
    const value = (await run('GETRANGE', key, 0, stringBytesMax - 1)) as Word
    return { members: [memberOf(0, [value])], next: undefined }
  }
  if (kind === 'list' || kind === 'zset') {
    const start = Number(from)
    const end = start + membersAtOnce - 1
    const found =
      kind === 'list'
        ? await run('LRANGE', key, start, end)
        : await run('ZRANGE', key, start, end, 'WITHSCORES')
    const members = membersIn(found, kind, start)
    return { members, next: members.length < membersAtOnce ? undefined : String(end + 1) }
  }
  const scan = kind === 'hash' ? 'HSCAN' : 'SSCAN'
  const [next, found] = (await run(scan, key, from, 'COUNT', membersAtOnce)) as [string, Reply]
  const members = membersIn(found, kind, 0)
  return { members, next: String(next) === '0' ? undefined : String(next) }
}

function membersIn(reply: Reply, kind: Kind, start: number): readonly Member[] {
  const words = reply as readonly Word[]
  const width = columnsOf[kind].length
  return Array.from({ length: words.length / width }, (_, index) =>
    memberOf(start + index, words.slice(index * width, (index + 1) * width)),
  )
}

function memberOf(id: number, words: readonly Word[]): Member {
  return { id, before: words, now: words, isGone: false }
}

/** All of it, or nothing if another client has changed the members meanwhile. */
export async function applyChange(database: number, { guards, commands }: Change): Promise<void> {
  const begun = await askJson<{ id: string }>('POST', '/api/v1/transactions', {})
  const path = `/api/v1/transactions/${begun.id}`
  const run = (command: Command) => runCommand(database, command, { transaction: begun.id })
  try {
    for (const [command, expected] of guards) {
      const found = await run(command)
      if (JSON.stringify(found) === JSON.stringify(expected)) continue
      throw new Error('The key was changed or removed meanwhile. Nothing was written.')
    }
    for (const command of commands) await run(command)
  } catch (error) {
    // One that the server has ended already cannot be aborted.
    await askJson('POST', `${path}/abort`, {}).catch(() => undefined)
    throw error
  }
  await askJson('POST', `${path}/commit`, {})
}
