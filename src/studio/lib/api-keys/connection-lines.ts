// Lines to connect with a key that the server has not seen: one that the wallet's signature gives
// again, or that the wallet itself has put on the chain.

import { askJson } from '../api.js'

export type Connection = Readonly<Record<'user' | 'wire' | 'redis' | 'sql' | 'http', string>>

/** As the server gives them with a key that it makes. */
export async function connectionOf(user: string, apiKey: string): Promise<Connection> {
  interface Protocols {
    readonly protocols: readonly { readonly name: string; readonly port: number | null }[]
  }
  const { protocols } = await askJson<Protocols>('GET', '/api/v1/protocols')
  const isSafe = location.protocol === 'https:'
  const placeOf = (name: string) => {
    const port = protocols.find((one) => one.name === name)?.port ?? 0
    return `${encodeURIComponent(user)}:${apiKey}@${location.hostname}:${port}`
  }
  return {
    user,
    wire: `mongosh "mongodb://${placeOf('wire')}/${isSafe ? '?tls=true' : ''}"`,
    redis: `redis-cli -u ${isSafe ? 'rediss' : 'redis'}://${placeOf('redis')}`,
    sql: `psql "postgresql://${placeOf('sql')}/${isSafe ? '?sslmode=require' : ''}"`,
    http: `curl -H "Authorization: Bearer ${apiKey}" ${location.origin}/api/v1/collections`,
  }
}
