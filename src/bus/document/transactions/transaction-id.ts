// The id of a transaction outside of the document wire: the UUID of its session, and its number. So
// a client of HTTP and a driver can name the same transaction. (docs/http.md, "Transactions")

import type { NamedTransaction } from '../../session.js'

const pattern =
  /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\.(\d{1,15})$/i

/** `5ae5ba4f-9d8b-4cf4-8f5c-1c7e7c6e2f11.1`. */
export function transactionId({ sessionId, number }: NamedTransaction): string {
  const hex = Buffer.from(sessionId).toString('hex')
  return `${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}.${number}`
}

/** Undefined for another text. */
export function readTransactionId(text: string): NamedTransaction | undefined {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const sessionId = Buffer.from(found.slice(1, 6).join(''), 'hex')
  return { sessionId, number: Number(found[6]) }
}
