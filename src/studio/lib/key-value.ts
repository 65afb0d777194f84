// One key: its members as rows, and the commands that make of the stored ones what the user has
// edited. They run in a transaction that first looks whether the edited members are as they were.

import { askJson } from './api.js'
import { type Reply, runCommand, type Word } from './keyspace.js'

export const kinds = ['string', 'hash', 'list', 'set', 'zset'] as const
export type Kind = (typeof kinds)[number]

/** The columns of a member. */
export const columnsOf: Readonly<Record<Kind, readonly string[]>> = {
  string: ['value'],
  hash: ['field', 'value'],
  list: ['element'],
  set: ['member'],
  zset: ['member', 'score'],
}

export interface Member {
  /** In the order in which they were read; of a list the index. */
  readonly id: number
  /** Missing for a new one. */
  readonly before?: readonly Word[]
  readonly now: readonly Word[]
  readonly isGone: boolean
}

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

/** A command, and what it answers as long as nobody else has changed the key. */
type Guard = readonly [command: Command, expected: Reply]

export interface Change {
  readonly guards: readonly Guard[]
  readonly commands: readonly Command[]
}

/** A mark of removed elements of a list, which no element is. */
type Mark = string

/** What an edit comes to: only what the user has touched. */
export function changeOf(
  { key, kind }: Pick<OpenKey, 'key' | 'kind'>,
  members: readonly Member[],
  mark: Mark,
): Change {
  const changed = members.filter(isChanged)
  const guards = changed.flatMap((one) => guardOf(key, kind, one))
  const commands = changed.flatMap((one) => commandsOf(key, kind, one, mark))
  const hasRemoved = kind === 'list' && changed.some(({ isGone }) => isGone)
  const removing: Command[] = hasRemoved ? [['LREM', key, 0, mark]] : []
  return { guards, commands: [...commands, ...removing] }
}

function isChanged({ before, now, isGone }: Member): boolean {
  if (before === undefined) return !isGone
  return isGone || JSON.stringify(before) !== JSON.stringify(now)
}

function guardOf(key: Word, kind: Kind, { id, before }: Member): readonly Guard[] {
  if (before === undefined) return []
  const [first = '', second = ''] = before
  const guards: Readonly<Record<Kind, Guard>> = {
    string: [['GET', key], first],
    hash: [['HGET', key, first], second],
    list: [['LINDEX', key, id], first],
    set: [['SISMEMBER', key, first], 1],
    zset: [['ZSCORE', key, first], second],
  }
  return [guards[kind]]
}

function commandsOf(
  key: Word,
  kind: Kind,
  { id, before, now, isGone }: Member,
  mark: Mark,
): readonly Command[] {
  const [old] = before ?? []
  const [first = '', second = ''] = now
  if (kind === 'string') return [['SET', key, first, 'KEEPTTL']]
  if (kind === 'list') {
    if (before === undefined) return [['RPUSH', key, first]]
    return [['LSET', key, id, isGone ? mark : first]]
  }
  const isMoved = old !== undefined && (isGone || JSON.stringify(old) !== JSON.stringify(first))
  const removal = { hash: 'HDEL', set: 'SREM', zset: 'ZREM' }[kind]
  const removing: Command[] = isMoved && old !== undefined ? [[removal, key, old]] : []
  if (isGone) return removing
  const additions: Readonly<Record<typeof kind, Command>> = {
    hash: ['HSET', key, first, second],
    set: ['SADD', key, first],
    zset: ['ZADD', key, second, first],
  }
  return [...removing, additions[kind]]
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
