// Where replies may differ from the reference server's, as data: each with the commands it holds
// for, what is still asked of both replies, and the reason. docs/compatibility.md tells users of
// those that they can notice. All other replies have to be the reference server's to the byte.

import type { RespReply } from './resp-client.js'

interface Exemption {
  readonly title: string
  /** In capitals, as the first words of the line; `errors`: the refusals of any command. */
  readonly commands: readonly string[] | 'errors'
  readonly reason: string
  /** Whether two replies that differ are still as good as one. */
  readonly isAlike: (mine: RespReply, wanted: RespReply, line: readonly string[]) => boolean
}

const exemptions: readonly Exemption[] = [
  {
    title: 'order of what has none',
    commands: [
      ...['SMEMBERS', 'SINTER', 'SUNION', 'SDIFF', 'SPOP', 'HKEYS', 'HVALS', 'KEYS'],
      ...['CONFIG GET', 'COMMAND LIST', 'PUBSUB CHANNELS'],
    ],
    reason: 'the peer answers in the order of a hash table with a seed of its own for each start',
    isAlike: (mine, wanted) => same(sorted(mine), sorted(wanted)),
  },
  {
    title: 'order of fields',
    commands: ['HGETALL'],
    reason: 'as above; a field stays beside its value',
    isAlike: (mine, wanted) => same(sortedPairs(mine), sortedPairs(wanted)),
  },
  {
    title: 'order of a page',
    commands: ['SCAN', 'HSCAN', 'SSCAN', 'ZSCAN'],
    reason: 'as above: pages that hold everything are compared, and the cursor behind them',
    isAlike: (mine, wanted) => same(deepSorted(mine), deepSorted(wanted)),
  },
  {
    title: 'ties of a sort',
    commands: ['SORT', 'SORT_RO'],
    reason:
      'equal weights stay in the order in which the peer walks a set or a sorted set: that of its ' +
      'hash table. A cut by LIMIT may then take others of them',
    isAlike: (mine, wanted, line) =>
      hasTies(line) &&
      (hasWord(line, 'LIMIT') || hasWord(line, 'GET')
        ? count(mine) === count(wanted)
        : same(sorted(mine), sorted(wanted))),
  },
  {
    title: 'random picks',
    commands: ['SRANDMEMBER', 'HRANDFIELD', 'ZRANDMEMBER', 'RANDOMKEY'],
    reason: 'each server throws its own dice: the kind of the reply and its count are compared',
    isAlike: (mine, wanted) => same(shape(mine), shape(wanted)),
  },
  {
    title: 'times that are left',
    commands: ['TTL', 'PTTL'],
    reason: 'two commands never arrive at the same millisecond',
    isAlike: (mine, wanted, [name]) => isNear(mine, wanted, name === 'TTL' ? 2 : 5_000),
  },
  {
    title: 'times',
    commands: ['EXPIRETIME', 'PEXPIRETIME'],
    reason: 'as above, of times that were given as a span',
    isAlike: (mine, wanted, [name]) => isNear(mine, wanted, name === 'PEXPIRETIME' ? 5_000 : 5),
  },
  {
    title: 'keys that are due',
    commands: ['DBSIZE'],
    reason: 'the peer counts a key until it is swept or read',
    isAlike: (mine, wanted) => difference(wanted, mine) > 0 && difference(wanted, mine) < 4,
  },
  {
    title: 'encodings that are remembered',
    commands: ['OBJECT ENCODING'],
    reason:
      'the peer keeps the structure that a longer or larger value, APPEND, or SORT of a sorted set ' +
      'has once made; here the name follows from the value alone, and no document tells its past',
    isAlike: (mine, wanted) => isLaterEncoding(String(mine).slice(1), String(wanted).slice(1)),
  },
  {
    title: 'shared numbers',
    commands: ['OBJECT REFCOUNT'],
    reason: 'as above: whether a small number is the one object for all keys depends on its past',
    isAlike: (mine, wanted) => [mine, wanted].every((each) => isCount(each)),
  },
  {
    title: 'sums beyond 15 digits',
    commands: ['INCRBYFLOAT', 'HINCRBYFLOAT'],
    reason: 'exact decimals here, 80-bit floating point there',
    isAlike: (mine, wanted) => isNearlyEqual(String(mine).slice(1), String(wanted).slice(1)),
  },
  {
    title: 'sizes and uses of a key',
    commands: ['OBJECT IDLETIME', 'OBJECT FREQ', 'MEMORY USAGE'],
    reason: 'bytes of another layout; when a key was last used is not kept',
    isAlike: (mine, wanted) => isInteger(mine) && isInteger(wanted),
  },
  {
    title: 'clients and their numbers',
    commands: [
      ...['CLIENT ID', 'CLIENT LIST', 'CLIENT INFO', 'TIME', 'LASTSAVE', 'INFO', 'SLOWLOG GET'],
    ],
    reason: 'ids, ports, ages, versions of another program: only the kind of the reply is compared',
    isAlike: (mine, wanted) => kind(mine) === kind(wanted),
  },
  {
    title: 'the number of a connection',
    commands: ['HELLO'],
    reason: 'as above; everything else that HELLO answers is the same',
    isAlike: (mine, wanted) => same(withoutId(mine), withoutId(wanted)),
  },
  {
    title: 'letters that are cut',
    commands: 'errors',
    reason: 'the peer cuts what it echoes of an unknown command amid a letter; here it is one text',
    isAlike: (mine, wanted) => {
      const [before = '', after] = String(mine).split(replacement)
      return after !== undefined && String(wanted).startsWith(before)
    },
  },
  {
    title: 'the table of commands',
    commands: ['COMMAND', 'COMMAND COUNT', 'COMMAND DOCS'],
    reason: 'streams, scripts and clusters are not there; the rows that are there have own tests',
    isAlike: (mine, wanted) => kind(mine) === kind(wanted),
  },
]

/** The exemption under which two different replies are alike; undefined where there is none. */
export function exemptionFor(
  line: readonly string[],
  mine: RespReply,
  wanted: RespReply,
): Exemption | undefined {
  const [first = '', second = ''] = line.map((word) => word.toUpperCase())
  const isMeant = ({ commands }: Exemption) => {
    if (isError(mine) || isError(wanted)) {
      return commands === 'errors' && isError(mine) && isError(wanted)
    }
    return (
      commands !== 'errors' && (commands.includes(first) || commands.includes(`${first} ${second}`))
    )
  }
  return exemptions.find((each) => isMeant(each) && each.isAlike(mine, wanted, line))
}

/** The bytes of the sign for a letter that is none, a character each. */
const replacement = '\u00ef\u00bf\u00bd'

const isError = (reply: RespReply): boolean => typeof reply === 'string' && reply[0] === '-'

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The head of an aggregate, and its items in an order. */
function sorted(reply: RespReply): unknown {
  if (typeof reply === 'string') return reply
  const [head, ...items] = reply
  return [head, items.map((item) => JSON.stringify(item)).sort()]
}

function sortedPairs(reply: RespReply): unknown {
  if (typeof reply === 'string') return reply
  const [head, ...items] = reply
  const pairs: string[] = []
  for (let i = 0; i < items.length; i += 2) pairs.push(JSON.stringify(items.slice(i, i + 2)))
  return [head, pairs.sort()]
}

function deepSorted(reply: RespReply): unknown {
  if (typeof reply === 'string') return reply
  const [head, ...items] = reply
  return [head, items.map((item) => JSON.stringify(deepSorted(item))).sort()]
}

/** Strings by their type alone, aggregates with their counts. */
function shape(reply: RespReply): unknown {
  if (typeof reply === 'string') return reply === '$-1' ? reply : reply[0]
  const [head, ...items] = reply
  return [head, items.map((item) => kind(item))]
}

function kind(reply: RespReply): string {
  return String(typeof reply === 'string' ? reply[0] : reply[0]?.[0])
}

/** The number stands behind its name. */
function withoutId(reply: RespReply): unknown {
  if (typeof reply === 'string') return reply
  const at = reply.indexOf('$id')
  return reply.filter((_, i) => at < 0 || i !== at + 1)
}

function count(reply: RespReply): number {
  return typeof reply === 'string' ? -1 : reply.length
}

const isInteger = (reply: RespReply): reply is string =>
  typeof reply === 'string' && reply[0] === ':'

/** Of references: one, or the count that stands for all keys. */
function isCount(reply: RespReply): boolean {
  return reply === ':1' || reply === ':2147483647'
}

/** NaN where one of them is no integer. */
function difference(a: RespReply, b: RespReply): number {
  return isInteger(a) && isInteger(b) ? Number(a.slice(1)) - Number(b.slice(1)) : Number.NaN
}

/** Both are times, not the -1 and -2 that stand for none. */
function isNear(mine: RespReply, wanted: RespReply, distance: number): boolean {
  const isTime = mine[1] !== '-' && wanted[1] !== '-'
  return isTime && Math.abs(difference(mine, wanted)) <= distance
}

/** Whole numbers beyond what is exact agree in their length and their first digits. */
function isNearlyEqual(mine: string, wanted: string): boolean {
  const [a, b] = [Number(mine), Number(wanted)]
  if (Number.isFinite(b)) return Math.abs(a - b) <= Math.abs(b) * 1e-15
  return mine.length === wanted.length && mine.slice(0, 15) === wanted.slice(0, 15)
}

/**
 * Structures of the reference server, each with those that it may have been turned into for good.
 */
const later: Readonly<Record<string, readonly string[]>> = {
  listpack: ['skiplist', 'hashtable'],
  intset: ['hashtable'],
  embstr: ['raw'],
  int: ['raw', 'embstr'],
}

function isLaterEncoding(mine: string, wanted: string): boolean {
  return later[mine]?.includes(wanted) ?? false
}

function hasWord(line: readonly string[], word: string): boolean {
  return line.some((each) => each.toUpperCase() === word)
}

/** By texts that a pattern finds, or not sorted at all. */
function hasTies(line: readonly string[]): boolean {
  const by = line.findIndex((word) => word.toUpperCase() === 'BY')
  if (by < 0) return false
  return hasWord(line, 'ALPHA') || line[by + 1]?.includes('*') === false
}
