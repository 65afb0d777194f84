// The kinds of settings: how a row of the settings table reads its text, and how it refuses one.
// Each kind documents its own bounds, so that a row says only what is special about it.

import { fail } from './errors.js'

export interface SettingRow<T> {
  readonly doc: string
  /** The default as text, for the documentation. */
  readonly shows: string
  readonly secret: boolean
  /** A secret value without what is secret in it; absent if all of it is. */
  readonly shown?: (value: string) => string
  readonly parse: (text: string | undefined) => T
}

export function text(fallback: string, doc: string): SettingRow<string> {
  return { doc, shows: fallback, secret: false, parse: (given) => given ?? fallback }
}

export function optional(doc: string): SettingRow<string | undefined> {
  return { doc, shows: '', secret: false, parse: (given) => given }
}

export function secret(doc: string): SettingRow<string | undefined> {
  return { doc, shows: '', secret: true, parse: (given) => given }
}

/** An address that may contain a password. */
export function address(fallback: string, doc: string): SettingRow<string> {
  return { ...text(fallback, doc), secret: true, shown: withoutPassword }
}

/** As messages show an address. */
export function withoutPassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^:/@]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***')
}

export function secretList(doc: string): SettingRow<readonly string[]> {
  return { ...list(doc), secret: true }
}

export function list(doc: string): SettingRow<readonly string[]> {
  const parse = (given: string | undefined) =>
    (given ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  return { doc, shows: '', secret: false, parse }
}

export function choice<const T extends readonly string[]>(
  values: T,
  fallback: T[number],
  doc: string,
): SettingRow<T[number]> {
  const parse = (given: string | undefined): T[number] => {
    const found = values.find((value) => value === (given ?? fallback))
    if (found === undefined) throw fail('InvalidOptions', `must be one of ${values.join(', ')}`)
    return found
  }
  return { doc: `${doc} One of ${values.join(', ')}.`, shows: fallback, secret: false, parse }
}

/** What hello says that the server is. */
export type Topology = 'router' | 'standalone' | `replica-set:${string}`

const setPrefix = 'replica-set:'

function isSetName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name)
}

export function topology(fallback: Topology, doc: string): SettingRow<Topology> {
  const parse = (given: string | undefined): Topology => {
    const value = given ?? fallback
    if (value === 'standalone' || value === 'router') return value
    const name = value.startsWith(setPrefix) ? value.slice(setPrefix.length) : ''
    if (isSetName(name)) return `${setPrefix}${name}`
    throw fail('InvalidOptions', `must be router, standalone or ${setPrefix}<name>`)
  }
  return { doc, shows: fallback, secret: false, parse }
}

export function flag(doc: string): SettingRow<boolean> {
  const parse = (given: string | undefined): boolean => {
    if (given === undefined || given === '0' || given === 'false') return false
    if (given === '1' || given === 'true') return true
    throw fail('InvalidOptions', 'must be 1 or 0')
  }
  return { doc, shows: '0', secret: false, parse }
}

/** A whole number with bounds; `explicit` does not contain it while the default applies. */
export function whole(
  fallback: number,
  least: number,
  most: number,
  doc: string,
): SettingRow<number> {
  const parse = (given: string | undefined): number => {
    if (given === undefined) return fallback
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(number >= least && number <= most)) {
      throw fail('InvalidOptions', `must be a whole number from ${least} to ${most}`)
    }
    return number
  }
  return { doc, shows: String(fallback), secret: false, parse }
}

/** A bound for each wallet. */
export function quota(fallback: number, doc: string): SettingRow<number> {
  return whole(fallback, 0, 1_000_000_000, `${doc} 0: no bound.`)
}

/** An amount of ether as wei: exact, unlike a number. */
export function ether(fallback: string, doc: string): SettingRow<bigint> {
  const parse = (given: string | undefined): bigint => {
    const match = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(given ?? fallback)
    if (match === null) throw fail('InvalidOptions', 'must be an amount of ether such as 0.05')
    return BigInt(match[1] ?? '0') * 10n ** 18n + BigInt((match[2] ?? '').padEnd(18, '0'))
  }
  return { doc, shows: fallback, secret: false, parse }
}

/** At most `max` in `windowMs`. */
export function rate(
  fallback: string,
  doc: string,
): SettingRow<{ readonly max: number; readonly windowMs: number }> {
  const parse = (given: string | undefined) => {
    const [, max = '', seconds = ''] = /^(\d{1,7})\/(\d{1,4})s$/.exec(given ?? fallback) ?? []
    if (Number(max) < 1 || Number(seconds) < 1) {
      throw fail('InvalidOptions', 'must be a number of requests and a time, such as 100/10s')
    }
    return { max: Number(max), windowMs: Number(seconds) * 1_000 }
  }
  return { doc, shows: fallback, secret: false, parse }
}

const units: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 1_024,
  MIB: 1_048_576,
  GIB: 1_073_741_824,
}

export function size(fallback: string, doc: string): SettingRow<number> {
  const parse = (given: string | undefined): number => {
    const match = /^(\d+) ?(B|[KMG]i?B)$/i.exec(given ?? fallback)
    if (match === null) throw fail('InvalidOptions', 'must be a size such as 256 MB')
    return Number(match[1]) * (units[(match[2] ?? 'B').toUpperCase()] ?? 1)
  }
  return { doc, shows: fallback, secret: false, parse }
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A time from one second to 365 days, milliseconds. */
export function duration(fallback: string, doc: string): SettingRow<number> {
  const parse = (given: string | undefined): number => {
    const match = /^(\d{1,8}) ?([smhd])$/.exec(given ?? fallback)
    const ms = Number(match?.[1]) * (unitsMs[match?.[2] ?? ''] ?? 0)
    if (ms >= 1_000 && ms <= 365 * 86_400_000) return ms
    throw fail('InvalidOptions', 'must be a time from 1s to 365d, such as 24h')
  }
  return { doc, shows: fallback, secret: false, parse }
}

export const port = (fallback: number, what: string): SettingRow<number> =>
  whole(fallback, 0, 65_535, `Port of ${what}; 0 takes a free one.`)
