// What an edit of a key's members comes to: the commands that write what the user has touched, and
// the questions that tell whether another client has changed the same meanwhile.

/** Text, or bytes that are none, as the server writes them. */
export type Word = string | { readonly $binary: string }
export type Reply = Word | number | null | readonly Reply[]

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

type Command = readonly (Word | number)[]

/** A command, and what it answers while no other client has changed the key. */
type Guard = readonly [command: Command, expected: Reply]

export interface Change {
  readonly guards: readonly Guard[]
  readonly commands: readonly Command[]
}

interface KeyOfKind {
  readonly key: Word
  readonly kind: Kind
}

/**
 * Only what the user has touched. What goes is removed first, so that names can change places.
 * `mark` stands for removed elements of a list, and no element is equal to it.
 */
export function changeOf(of: KeyOfKind, members: readonly Member[], mark: string): Change {
  const { key, kind } = of
  const changed = members.filter(isChanged)
  const old = new Set(
    changed.flatMap(({ before }) => (before === undefined ? [] : [textOf(before)])),
  )
  const guards = changed.flatMap((one) => [
    ...guardOfOld(of, one),
    ...(isNamed(one) && !old.has(textOf(one.now)) ? guardOfNew(of, one) : []),
  ])
  const hasRemoved = kind === 'list' && changed.some(({ isGone }) => isGone)
  const removing: Command[] = hasRemoved ? [['LREM', key, 0, mark]] : []
  return {
    guards,
    commands: [
      ...changed.flatMap((one) => removalOf(of, one)),
      ...changed.flatMap((one) => additionOf(of, one, mark)),
      ...removing,
    ],
  }
}

function isChanged({ before, now, isGone }: Member): boolean {
  if (before === undefined) return !isGone
  return isGone || JSON.stringify(before) !== JSON.stringify(now)
}

/** Whether it has a name that it did not have. */
function isNamed({ before, now, isGone }: Member): boolean {
  return !isGone && (before === undefined || textOf(before) !== textOf(now))
}

/** Of the first word: the field or the member. */
function textOf(words: readonly Word[]): string {
  return JSON.stringify(words[0])
}

function guardOfOld({ key, kind }: KeyOfKind, { id, before }: Member): readonly Guard[] {
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

/** A new field or member writes over none that was not read. */
function guardOfNew({ key, kind }: KeyOfKind, { now }: Member): readonly Guard[] {
  const [first = ''] = now
  if (kind === 'hash') return [[['HGET', key, first], null]]
  return kind === 'zset' ? [[['ZSCORE', key, first], null]] : []
}

function removalOf({ key, kind }: KeyOfKind, { before, now, isGone }: Member): readonly Command[] {
  const [old] = before ?? []
  if (old === undefined || kind === 'string' || kind === 'list') return []
  if (!isGone && JSON.stringify(old) === textOf(now)) return []
  return [[{ hash: 'HDEL', set: 'SREM', zset: 'ZREM' }[kind], key, old]]
}

function additionOf(
  { key, kind }: KeyOfKind,
  { id, before, now, isGone }: Member,
  mark: string,
): readonly Command[] {
  const [first = '', second = ''] = now
  if (kind === 'list' && before !== undefined) return [['LSET', key, id, isGone ? mark : first]]
  if (isGone) return []
  const additions: Readonly<Record<Kind, Command>> = {
    string: ['SET', key, first, 'KEEPTTL'],
    hash: ['HSET', key, first, second],
    list: ['RPUSH', key, first],
    set: ['SADD', key, first],
    zset: ['ZADD', key, second, first],
  }
  return [additions[kind]]
}
