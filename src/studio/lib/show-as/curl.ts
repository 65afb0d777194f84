// Queries as a line of a shell with curl. The texts of filters and documents go as they are, so
// nothing in them changes.

import type { Place, Query } from './query.js'
import { quoteSh } from './quote.js'

const key = '-H "x-api-key: $SIGIL_API_KEY"'
const typed = "-H 'accept: application/ejson'"
const sendsEjson = "-H 'content-type: application/ejson'"
const sendsJson = "-H 'content-type: application/json'"

export function curlOf(query: Query, { url }: Place): string {
  if (query.kind === 'sql') {
    const body = JSON.stringify({ query: query.text })
    return lines(`curl -s ${quoteSh(`${url}/api/v1/sql`)}`, key, sendsJson, data(body))
  }
  if (query.kind === 'command') {
    const body = JSON.stringify({ command: query.words })
    return lines(`curl -s ${quoteSh(`${url}/api/v1/redis`)}`, key, sendsJson, data(body))
  }
  const base = `${url}/api/v1/collections/${encodeURIComponent(query.collection)}`
  switch (query.kind) {
    case 'find': {
      const { filter, sort, fields, limit } = query
      const given = Object.entries({ filter, sort, fields, limit: String(limit) })
      const parts = given.filter(([, value]) => value !== '')
      const texts = parts.map(([name, value]) => `--data-urlencode ${quoteSh(`${name}=${value}`)}`)
      return lines(`curl -sG ${quoteSh(`${base}/docs`)}`, key, typed, ...texts)
    }
    case 'insert': {
      const body = data(`{"document": ${query.document}}`)
      return lines(`curl -s ${quoteSh(`${base}/insertOne`)}`, key, typed, sendsEjson, body)
    }
    case 'update': {
      const body = data(`{"$set": ${query.set}}`)
      return lines(`curl -s -X PATCH ${one(base, query)}`, key, typed, sendsEjson, body)
    }
    case 'replace':
      return lines(
        `curl -s -X PUT ${one(base, query)}`,
        key,
        typed,
        sendsEjson,
        data(query.document),
      )
    case 'delete':
      return lines(`curl -s -X DELETE ${one(base, query)}`, key)
  }
}

function one(base: string, { id }: { readonly id: unknown }): string {
  return quoteSh(`${base}/docs/${encodeURIComponent(JSON.stringify(id))}?id=ejson`)
}

function data(body: string): string {
  return `--data-raw ${quoteSh(body)}`
}

function lines(...parts: readonly string[]): string {
  return parts.join(' \\\n  ')
}
