// The settings of one session, for SET, SHOW and the start-up packet. Few have an effect. Settings
// that would promise unsupported behaviour are refused; the others are kept and shown, since
// drivers set them at the start.

import { fail, type GatewayError } from '../../base/errors.js'
import { sqlSettingCharsMax, sqlSettingsMax } from '../../base/limits/sql.js'
import { sessionSettings } from '../../commands/sql/session/session-setting-values.js'
import { boolOf, isolationOf, onOff } from './transaction-modes.js'

/** Settings reported at the start of a session, in PostgreSQL's order and spelling. */
const reported = [
  ...['in_hot_standby', 'integer_datetimes', 'TimeZone', 'IntervalStyle', 'is_superuser'],
  ...['application_name', 'default_transaction_read_only', 'standard_conforming_strings'],
  ...['session_authorization', 'client_encoding', 'server_version', 'server_encoding'],
  'DateStyle',
] as const

const initial: Readonly<Record<string, string>> = {
  ...sessionSettings,
  session_authorization: '',
}

/** The name in PostgreSQL's spelling. */
export function spellingOf(name: string): string {
  return reported.find((each) => each.toLowerCase() === name) ?? name
}

const fixed = new Set([
  ...['in_hot_standby', 'integer_datetimes', 'is_superuser', 'lc_collate', 'lc_ctype'],
  ...['max_identifier_length', 'server_encoding', 'server_version', 'server_version_num'],
])
const utf8Names = /^(?:utf8|unicode|sqlascii|auto|default)$/i
const durationForm = /^(\d{1,10}) ?(us|ms|s|min|h|d)?$/
const msOf: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export class SessionSettings {
  /** Replaced by each change, so that a transaction can return to it. */
  private values: ReadonlyMap<string, string>
  /** Values of SET LOCAL, to return to when the transaction ends. */
  private locals = new Map<string, string | undefined>()
  /** Values at the start of the session. */
  private starts: ReadonlyMap<string, string> = new Map()
  /** For each statement, milliseconds; 0 for none. */
  statementTimeoutMs = 0

  constructor(user: string, version: string) {
    const values = new Map(Object.entries(initial))
    values.set('session_authorization', user)
    values.set('server_version', `${sessionSettings.server_version} (Sigil ${version})`)
    this.values = values
  }

  /** All values, for `restore`. */
  get state(): ReadonlyMap<string, string> {
    return this.values
  }

  /** Returns to an earlier state; returns the values to report. */
  restore(state: ReadonlyMap<string, string>): (readonly [name: string, value: string])[] {
    const before = this.values
    if (before === state) return []
    this.values = state
    const timeout = state.get('statement_timeout') ?? '0'
    this.statementTimeoutMs = durationOf('statement_timeout', timeout)
    return [...this.statuses()].filter(([name, value]) => before.get(name.toLowerCase()) !== value)
  }

  /** SET LOCAL: until `endLocals`. Returns and throws as `set`. */
  setLocal(
    name: string,
    given: readonly string[],
  ): readonly [name: string, value: string] | undefined {
    const before = this.values.get(name)
    const told = this.set(name, given, true)
    if (!this.locals.has(name)) this.locals.set(name, before)
    return told
  }

  /** A transaction ends: returns the values to report. */
  endLocals(): (readonly [name: string, value: string])[] {
    if (this.locals.size === 0) return []
    const values = new Map(this.values)
    for (const [name, value] of this.locals) {
      // A setting with a dot stays known, as in PostgreSQL.
      values.set(name, value ?? '')
    }
    this.locals.clear()
    return this.restore(values)
  }

  /** Names and values reported at the start of the session. */
  *statuses(): Generator<readonly [name: string, value: string]> {
    for (const name of reported) yield [name, this.values.get(name.toLowerCase()) ?? '']
  }

  /** Undefined for an unknown setting. */
  valueOf(name: string): string | undefined {
    return this.values.get(name)
  }

  /** Throws 42704 for an unknown setting. */
  show(name: string): string {
    const value = this.values.get(name)
    if (value === undefined) throw unknown(name)
    return value
  }

  /**
   * Sets one; returns the value to report, as for every reported setting. Throws 42704, 22023 for
   * an invalid value, 0A000, 55P02 for a read-only setting.
   */
  set(
    name: string,
    given: readonly string[],
    isLocal = false,
  ): readonly [name: string, value: string] | undefined {
    if (name === 'role' || name === 'session_authorization') {
      throw refused(`SET ${name.toUpperCase()} is not supported`, '0A000')
    }
    if (fixed.has(name)) throw refused(`parameter "${name}" cannot be changed`, '55P02')
    const isOwn = name.includes('.')
    if (name.length > sqlSettingCharsMax) throw refused('the name is too long', '42622')
    if (!isOwn && !this.values.has(name)) throw unknown(name)
    const value = this.meant(name, given)
    if (isOwn && !this.values.has(name) && this.values.size >= sqlSettingsMax) {
      throw refused(`a session keeps at most ${sqlSettingsMax} settings`, '53400')
    }
    if (!isLocal) this.locals.delete(name)
    this.values = new Map(this.values).set(name, value)
    const shown = reported.find((each) => each.toLowerCase() === name)
    return shown === undefined ? undefined : [shown, value]
  }

  /** The start is complete: RESET returns to these values. */
  begun(): void {
    this.starts = new Map(this.values)
  }

  /**
   * Resets one setting, or all, to the values at the start; returns the values to report. Throws
   * 42704 for an unknown setting, 55P02 for a read-only one.
   */
  reset(name: string | undefined): (readonly [name: string, value: string])[] {
    if (name !== undefined) {
      if (name === 'role' || name === 'session_authorization') return []
      if (fixed.has(name)) throw refused(`parameter "${name}" cannot be changed`, '55P02')
      if (!this.values.has(name)) throw unknown(name)
    }
    const told: (readonly [string, string])[] = []
    for (const key of name === undefined ? [...this.values.keys()] : [name]) {
      const start = this.starts.get(key)
      if (start === this.values.get(key)) continue
      if (start === undefined) {
        const values = new Map(this.values)
        values.delete(key)
        this.values = values
        continue
      }
      const changed = this.set(key, [start])
      if (changed !== undefined) told.push(changed)
    }
    return told
  }

  /** Whether the client wants messages of this severity. */
  wants(severity: 'WARNING' | 'NOTICE'): boolean {
    const least = this.values.get('client_min_messages')?.toLowerCase() ?? ''
    const quiet = severity === 'NOTICE' ? ['warning', 'error', 'fatal', 'panic'] : ['error']
    return !quiet.includes(least)
  }

  /** A setting of the start-up packet: an unneeded one must not fail the client. */
  begin(name: string, value: string): void {
    if (name === 'user' || name === 'database' || name === 'options') return
    const lower = name.toLowerCase()
    if (fixed.has(lower) || lower === 'session_authorization' || lower === 'timezone') return
    if (this.values.has(lower) || lower.includes('.')) this.set(lower, [value])
  }

  private meant(name: string, given: readonly string[]): string {
    const text = given.join(', ').slice(0, sqlSettingCharsMax)
    const isDefault = given.length === 1 && text.toLowerCase() === 'default'
    const value = isDefault ? (this.starts.get(name) ?? initial[name] ?? '') : text
    switch (name) {
      case 'client_encoding':
        // Only letters and digits count, as in PostgreSQL: asyncpg sends quotes.
        if (!utf8Names.test(value.replace(/[^a-z\d]/gi, '')))
          throw invalid(name, value, 'Only UTF8 is served.')
        return 'UTF8'
      case 'standard_conforming_strings':
        if (!boolOf(name, value)) throw invalid(name, value)
        return 'on'
      case 'datestyle':
        // Times always have this style.
        if (!/iso/i.test(value)) throw invalid(name, value, 'Only the style ISO is served.')
        return 'ISO, MDY'
      case 'timezone':
        if (given.length === 1 && !isZone(value)) throw invalid('TimeZone', value)
        // Times are shown in UTC with their offset: correct for any client time zone.
        return 'UTC'
      case 'default_transaction_isolation':
        return isolationOf(name, value)
      case 'default_transaction_read_only':
      case 'default_transaction_deferrable':
        return onOff(boolOf(name, value))
      case 'client_min_messages':
      case 'intervalstyle':
      case 'bytea_output':
        return choiceOf(name, value)
      case 'extra_float_digits':
        return digitsOf(name, value)
      case 'lock_timeout':
        durationOf(name, value)
        return value
      case 'statement_timeout':
        this.statementTimeoutMs = durationOf(name, value)
        return value
      default:
        return value
    }
  }
}

/** An offset, or an abbreviation with one. */
const offsetForm = /^(?:[a-z]+|<[^<>]+>)?[+-]?\d{1,3}(?:[.:,]|[a-z]|$)/i

/** Whether PostgreSQL would take it: a zone's name or an offset. */
function isZone(value: string): boolean {
  if (/^local$/i.test(value)) return true
  if (offsetForm.test(value)) return !(Math.abs(Number(value)) >= 168)
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined
  } catch {
    return false
  }
}

function durationOf(name: string, value: string): number {
  const [, digits, unit = 'ms'] = durationForm.exec(value) ?? []
  if (digits === undefined) throw invalid(name, value)
  return Math.min(Math.ceil(Number(digits) * (msOf[unit] ?? 1)), 2 ** 31 - 1)
}

const choices = new Map<string, string>([
  ['client_min_messages', 'debug5, debug4, debug3, debug2, debug1, log, notice, warning, error'],
  ['intervalstyle', 'postgres, postgres_verbose, sql_standard, iso_8601'],
  ['bytea_output', 'escape, hex'],
])

/** One of the named values, in lower case. */
function choiceOf(name: string, value: string): string {
  const listed = choices.get(name) ?? ''
  const lower = value.toLowerCase()
  if (listed.split(', ').includes(lower)) return lower
  throw invalid(name, value, `Available values: ${listed}.`)
}

/** A whole number from -15 to 3. */
function digitsOf(name: string, value: string): string {
  const digits = Number(value)
  if (value.trim() === '' || !Number.isInteger(digits)) throw invalid(name, value)
  if (digits >= -15 && digits <= 3) return String(digits)
  const text = `${digits} is outside the valid range for parameter "${name}" (-15 .. 3)`
  throw refused(text, '22023')
}

function unknown(name: string): GatewayError {
  return refused(`unrecognized configuration parameter "${name}"`, '42704')
}

function invalid(name: string, value: string, hint?: string): GatewayError {
  const text = `invalid value for parameter "${name}": "${value}"`
  return fail('BadValue', text, { sqlState: '22023', ...(hint === undefined ? {} : { hint }) })
}

function refused(message: string, sqlState: string): GatewayError {
  return fail('BadValue', message, { sqlState })
}
