// One text for one JSON value (RFC 8785, JCS): what is hashed must not depend on the order in which
// the fields were written. Numbers and strings are as ECMAScript writes them, which is what the
// RFC asks for; what JSON cannot say is refused and never written as something else.

import { fail } from '../../../base/errors.js'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A field that is undefined is as if it were not there. */
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

const loneSurrogate = /\p{Surrogate}/u

/** Throws BadValue for lone surrogates, numbers that are not finite, and what is no JSON. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'string') return stringText(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') return objectText(value)
  throw fail('BadValue', `a ${typeof value} is no JSON value`)
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value)
  throw fail('BadValue', `JSON has no number ${value}`)
}

function stringText(value: string): string {
  if (!loneSurrogate.test(value)) return JSON.stringify(value)
  throw fail('BadValue', 'a text has half of a surrogate pair')
}

/** Names in the order of their UTF-16 code units, which is that of `sort`. */
function objectText(object: JsonObject): string {
  const fields: string[] = []
  for (const name of Object.keys(object).sort()) {
    const value = object[name]
    if (value !== undefined) fields.push(`${stringText(name)}:${canonicalJson(value)}`)
  }
  return `{${fields.join(',')}}`
}

/** As Array.isArray, which does not know of read-only lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
