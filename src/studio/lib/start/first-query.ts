// A first query in each language, with the addresses and ports of this server. What is copied names
// the key by a variable of the shell, and contains none.

import { quoteSh } from '../show-as/quote.js'
import { showAs } from '../show-as/show.js'

export const starts = ['mongosh', 'redis-cli', 'psql', 'curl', 'Node', 'Python', 'Go'] as const

export type Start = (typeof starts)[number]

export interface Server {
  /** Of the page, without a path. */
  readonly url: string
  readonly host: string
  /** Of the protocols that are open. */
  readonly ports: Readonly<Record<string, number | undefined>>
  /** Where documents are. */
  readonly database: string
}

interface Caller {
  readonly user: string
  /** The variable with its key or password. */
  readonly secret: string
}

interface Sample {
  readonly collection: string
  readonly key: string
}

interface FirstQuery {
  /** Lines of a shell that say where Sigil is. */
  readonly setup: string
  readonly query: string
  readonly note: string | undefined
}

const filter = '{"genres": "sea"}'

const packages: Readonly<Partial<Record<Start, string>>> = {
  Node: 'Save it as first.mjs. It needs: npm install mongodb',
  Python: 'Save it as first.py. It needs: pip install pymongo',
  Go: 'Save it as main.go. It needs: go get go.mongodb.org/mongo-driver/v2/mongo',
}

/** Undefined while the protocol of the language is switched off. */
export function firstQuery(
  start: Start,
  { server, caller, sample }: { server: Server; caller: Caller; sample: Sample },
): FirstQuery | undefined {
  const port = server.ports[protocolOf(start)]
  if (port === undefined && start !== 'curl') return undefined
  const ask = `read -rs ${caller.secret} && export ${caller.secret}  # then paste the key`
  const address = addressOf(start, { server, caller, port: port ?? 0 })
  const setup = [ask, ...address].join('\n')
  return { setup, query: queryOf(start, server, sample), note: packages[start] }
}

function protocolOf(start: Start): string {
  if (start === 'redis-cli') return 'redis'
  return start === 'psql' ? 'sql' : 'wire'
}

interface Address {
  readonly server: Server
  readonly caller: Caller
  readonly port: number
}

function addressOf(start: Start, { server, caller, port }: Address): readonly string[] {
  const at = `${caller.user}:$${caller.secret}@${server.host}:${port}`
  const { database } = server
  switch (start) {
    case 'curl':
      return []
    case 'redis-cli':
      return [`export SIGIL_REDIS_URL="redis://${at}"`]
    case 'psql':
      return [`export SIGIL_SQL_URL="postgresql://${at}/${database}"`]
    case 'Go':
      return [`export SIGIL_URI="mongodb://${at}/${database}" SIGIL_DATABASE=${database}`]
    default:
      return [`export SIGIL_URI="mongodb://${at}/${database}"`]
  }
}

function queryOf(start: Start, { url }: Server, { collection, key }: Sample): string {
  if (start === 'redis-cli') return `redis-cli -u "$SIGIL_REDIS_URL" HGETALL ${quoteSh(key)}`
  const query = { kind: 'find', collection, filter, sort: '', limit: 25, fields: '' } as const
  if (start === 'psql') {
    const select = `SELECT title, year FROM ${collection} WHERE year < 1820`
    return `psql "$SIGIL_SQL_URL" -c ${quoteSh(select)}`
  }
  const shown = showAs(start, query, { url })
  const text = 'text' in shown ? shown.text : ''
  return start === 'mongosh' ? `mongosh "$SIGIL_URI" --eval ${quoteSh(text)}` : text
}
