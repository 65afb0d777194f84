// The lock of this page against changes by mistake: while it is on, requests that may change
// something are refused before they are sent. What is not known to read only is refused too.

import { signal } from '@preact/signals'

export const isReadOnly = signal(false)

/** Routes that read, or that end and open access, by POST. */
const reading = [
  /^\/api\/v1\/(?:auth|studio)\//,
  /^\/api\/v1\/collections\/[^/]+\/(?:find|findOne|count|distinct|explain|getMore)$/,
  /^\/api\/v1\/backup$/,
  /^\/api\/(?:graph\/nodes|verify|preview)$/,
  /^\/api\/(?:verify|preview|graph\/nodes)$/,
]

const commands = new Set(
  (
    'BITCOUNT BITFIELD_RO BITPOS COMMAND DBSIZE DUMP ECHO EXISTS EXPIRETIME GEODIST GEOHASH ' +
    'GEOPOS GEOSEARCH GET GETBIT GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET HRANDFIELD ' +
    'HSCAN HSTRLEN HVALS INFO KEYS LCS LINDEX LLEN LPOS LRANGE MEMORY MGET OBJECT PEXPIRETIME ' +
    'PFCOUNT PING PTTL PUBSUB RANDOMKEY SCAN SCARD SDIFF SINTER SINTERCARD SISMEMBER ' +
    'SMEMBERS SMISMEMBER SORT_RO SRANDMEMBER SSCAN STRLEN SUNION TIME TTL TYPE XINFO XLEN ' +
    'XPENDING XRANGE XREVRANGE ZCARD ZCOUNT ZDIFF ZINTER ZINTERCARD ZLEXCOUNT ZMSCORE ' +
    'ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREVRANGE ZREVRANGEBYLEX ' +
    'ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION'
  ).split(' '),
)

const statements = /^\s*(?:select|show|describe|explain|values|table|with)\b/i
/** Words of statements and functions that change something, wherever they stand. */
const changes =
  /\b(?:insert|update|delete|merge|into|create|drop|alter|truncate|nextval|setval|notify|pg_\w+)\b/i
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g

/** Whether a request may change something. `body` is its text. */
export function mayChange(method: string, path: string, body = ''): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  if (method !== 'POST') return true
  const [route = ''] = path.split('?', 1)
  if (route === '/api/v1/sql') return sqlMayChange(body)
  if (route === '/api/v1/redis') return commandMayChange(body)
  if (/^\/api\/v1\/collections\/[^/]+\/aggregate$/.test(route))
    return /"\$(?:out|merge)"/.test(body)
  return !reading.some((pattern) => pattern.test(route))
}

function sqlMayChange(body: string): boolean {
  const { query = '' } = JSON.parse(body) as { query?: string }
  return !statements.test(query) || changes.test(query.replace(quoted, "''"))
}

function commandMayChange(body: string): boolean {
  const { command = [] } = JSON.parse(body) as { command?: readonly unknown[] }
  return !commands.has(String(command[0]).toUpperCase())
}
