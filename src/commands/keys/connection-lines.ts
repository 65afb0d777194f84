// Lines to copy that show how to sign in with a new key on each protocol. A key that the server has
// not seen is shown as a placeholder.

import type { ServerPlaces } from '../../bus/services.js'
import type { WalletKey } from '../../identity/keys/wallet-keys.js'
import { userNameOf } from '../../identity/sign-in/credentials.js'
import type { DocumentWriter } from '../../value/writer.js'

const placeholder = 'API_KEY'

/** Writes `{user, wire, redis, sql, http}` as a field of the open document. */
export function writeConnection(
  writer: DocumentWriter,
  name: string,
  { key, apiKey = placeholder }: { readonly key: WalletKey; readonly apiKey?: string | undefined },
  { host, http, isTls, ports, database: main }: ServerPlaces,
  /** The wallet's own space; by default the main space. */
  database = main,
): void {
  const user = userNameOf(key)
  const credentials = `${encodeURIComponent(user)}:${apiKey}`
  const query = isTls ? '?tls=true' : ''
  const wire = `mongodb://${credentials}@${host}:${ports.wire}/${database}${query}`
  const redis = `${isTls ? 'rediss' : 'redis'}://${credentials}@${host}:${ports.redis}`
  const mode = isTls ? '?sslmode=require' : ''
  const sql = `postgresql://${credentials}@${host}:${ports.sql}/${database}${mode}`
  writer.openDocument(name).string('user', user)
  writer.string('wire', `mongosh "${wire}"`)
  writer.string('redis', `redis-cli -u ${redis}`)
  writer.string('sql', `psql "${sql}"`)
  const named = database === main ? '' : `-H "x-sigil-database: ${database}" `
  const curl = `curl -H "Authorization: Bearer ${apiKey}" ${named}`
  writer.string('http', `${curl}${http}/api/v1/collections`)
  writer.close()
}
