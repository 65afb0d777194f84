// Canonical JSON (RFC 8785, JCS): a hash must not depend on the order of fields. Numbers and
// strings are written as in ECMAScript, as the RFC requires. A value that JSON cannot represent is
// refused.

import { fail } from '../../../base/errors.js'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** An undefined field counts as missing. */
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

const loneSurrogate = /\p{Surrogate}/u

/** Throws BadValue for lone surrogates, infinite numbers and NaN, and values outside JSON. */
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

/** Names sorted by UTF-16 code units, the order of `sort`. */
function objectText(object: JsonObject): string {
  const fields: string[] = []
  for (const name of Object.keys(object).sort()) {
    const value = object[name]
    if (value !== undefined) fields.push(`${stringText(name)}:${canonicalJson(value)}`)
  }
  return `{${fields.join(',')}}`
}

/** As Array.isArray, also for read-only lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
