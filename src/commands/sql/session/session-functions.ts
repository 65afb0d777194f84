// Functions about the session and the catalog, which clients call first after connecting. (captured
// from psql, Grafana and drivers; docs/sql.md, "Catalog")

import { equalBytes } from '../../../base/bytes/bytes.js'
import { offsetInUtf8 } from '../../../base/bytes/code-points.js'
import { Needle } from '../../../base/bytes/text-search.js'
import type { SessionChannels } from '../../../bus/session.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import { integerOf } from '../../../value/numbers.js'
import {
  bsonType,
  doubleValue,
  falseValue,
  int32Value,
  stringOf,
  stringValue,
  trueValue,
  type Value,
} from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'
import { typeWords } from '../catalog/catalog-types.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { countOf } from '../expression/functions/document-functions.js'
import { countAt, textOf, utf8Of } from '../expression/functions/function-row.js'
import { elementsSpent } from '../expression/texts/text-cost.js'
import { textForm } from '../expression/texts/text-form.js'
import type { SqlValue } from '../expression/truth.js'
import { functionFacts, functionTable } from '../typing/function-facts.js'
import { sessionSettings } from './session-setting-values.js'

/** The user and the connection. */
export interface SessionFacts {
  readonly user: string
  readonly database: string
  /** Version of Sigil's package. */
  readonly version: string
  /** Number of the connection. */
  readonly connection: number
  /** Of a session on the SQL port. */
  readonly channels: SessionChannels | undefined
  /** The values of settings, on the SQL port. */
  readonly settingOf: ((name: string) => string | undefined) | undefined
}

interface SessionRow {
  readonly arity: readonly [least: number, most: number]
  /** It has an effect, so it is not evaluated before there is a row. */
  readonly isVolatile: boolean
  /** Arguments may be NULL. */
  readonly run: (args: readonly SqlValue[], session: SessionFacts) => SqlValue
}

const none: SessionRow['run'] = () => undefined
const yes: SessionRow['run'] = () => trueValue
const no: SessionRow['run'] = () => falseValue
const user: SessionRow['run'] = (_args, session) => stringValue(session.user)
const database: SessionRow['run'] = (_args, session) => stringValue(session.database)

/** Wraps a function so that a NULL argument gives NULL. */
function strict(
  run: (args: readonly Value[], session: SessionFacts) => SqlValue,
): SessionRow['run'] {
  return (args, session) => {
    const given = args.filter((arg) => arg !== undefined)
    return given.length < args.length ? undefined : run(given, session)
  }
}

type Row = readonly [
  names: string,
  arity: SessionRow['arity'],
  run: SessionRow['run'],
  isVolatile?: boolean,
]

const rows: readonly Row[] = [
  ['version', [0, 0], (_args, { version }) => stringValue(versionText(version))],
  ['current_user session_user current_role', [0, 0], user],
  ['current_database current_catalog', [0, 0], database],
  ['current_schema', [0, 0], () => stringValue('public')],
  ['current_schemas', [1, 1], currentSchemas],
  ['current_setting', [1, 2], strict(currentSetting)],
  // The listener sets it before the statement runs; other protocols have no settings.
  [
    'set_config',
    [3, 3],
    ([, value]) => (value === undefined ? stringValue('') : stringValue(textForm(value))),
  ],
  ['pg_backend_pid', [0, 0], (_args, { connection }) => int32Value(connection)],
  ['pg_notify', [2, 2], notify, true],
  [
    'pg_notification_queue_usage',
    [0, 0],
    (_args, { channels }) => doubleValue(channels?.usage ?? 0),
  ],
  ['pg_get_userbyid', [1, 1], strict(([owner]) => stringValue(ownerText(owner)))],
  ['pg_type_is_visible pg_function_is_visible', [1, 1], yes],
  // These need the collections, so catalog-functions.ts replaces them in a statement on the
  // catalog.
  ['pg_table_is_visible', [1, 1], none],
  ['has_table_privilege has_schema_privilege has_database_privilege', [2, 3], none],
  ['has_any_column_privilege', [2, 3], none],
  ['has_column_privilege', [3, 4], none],
  ['pg_relation_is_publishable pg_is_other_temp_schema', [1, 1], no],
  ['pg_is_in_recovery', [0, 0], no],
  // asyncpg sends it before it returns a connection to its pool; Sigil has no such locks.
  ['pg_advisory_unlock_all', [0, 0], none],
  ['pg_get_expr', [2, 3], none],
  ['pg_get_viewdef pg_get_serial_sequence', [1, 2], none],
  ['pg_get_statisticsobjdef_columns pg_get_partkeydef pg_get_ruledef', [1, 2], none],
  ['obj_description col_description shobj_description', [1, 2], none],
  ['format_type', [2, 2], formatType],
  ['pg_encoding_to_char', [1, 1], strict(() => stringValue('UTF8'))],
  ['quote_ident', [1, 1], strict((args) => stringValue(quotedName(textOf(args, 0))))],
  ['quote_literal', [1, 1], strict((args) => stringValue(quotedText(textForm(args[0] as Value))))],
  ['parse_ident', [1, 2], strict((args) => textsOf(namesIn(textOf(args, 0))))],
  ['string_to_array', [2, 3], stringToArray],
  ['array_to_string', [2, 3], arrayToString],
  ['array_upper', [2, 2], strict((args) => upperOf(args))],
  ['array_lower', [2, 2], strict((args) => (upperOf(args) === undefined ? undefined : one))],
]

const one = int32Value(1)

const functions = functionTable(
  rows.map(
    ([names, arity, run, isVolatile = false]) => [names, { arity, run, isVolatile }] as const,
  ),
)

/** The function of this name with this number of arguments. */
export function sessionFunction(name: string, count: number): SessionRow | undefined {
  const row = functions.get(name)
  return row !== undefined && count >= row.arity[0] && count <= row.arity[1] ? row : undefined
}

/**
 * `pg_get_indexdef(i.indexrelid, …)` as `i.indexdef`, because virtual tables hold definitions;
 * undefined for any other call.
 */
export function definitionColumn(
  call: Extract<Expression, { kind: 'call' }>,
): Extract<Expression, { kind: 'column' }> | undefined {
  const { column } = functionFacts(call.name)
  const [first] = call.args
  if (column === undefined || first?.kind !== 'column') return undefined
  return { kind: 'column', at: call.at, path: [...first.path.slice(0, -1), column] }
}

function versionText(version: string): string {
  return `PostgreSQL ${sessionSettings.server_version} (Sigil ${version})`
}

/** Throws 22023, 42501 and the bounds of notifications. */
function notify([channel, payload]: readonly SqlValue[], { channels }: SessionFacts): SqlValue {
  if (channels === undefined) {
    const message = 'pg_notify is about a session, which only the SQL port has'
    throw evaluationError(evaluationState.featureNotSupported, message)
  }
  const [name, text] = [channel, payload].map((each) => (each === undefined ? '' : textForm(each)))
  channels.notify(name ?? '', text ?? '')
  return stringValue('')
}

function currentSchemas([withImplicit]: readonly SqlValue[]): SqlValue {
  const isWhole = withImplicit !== undefined && textForm(withImplicit) === 'true'
  return textsOf(isWhole ? ['pg_catalog', 'public'] : ['public'])
}

function currentSetting(args: readonly Value[], session: SessionFacts): SqlValue {
  const name = textOf(args, 0).toLowerCase()
  const { settingOf } = session
  const value = settingOf === undefined ? initialOf(name, session) : settingOf(name)
  if (value !== undefined) return stringValue(value)
  const isLenient = args[1] !== undefined && textForm(args[1]) === 'true'
  if (isLenient) return undefined
  const message = `unrecognized configuration parameter "${name}"`
  throw evaluationError(evaluationState.undefinedType, message)
}

/** Without a session on the SQL port the settings have their initial values. */
function initialOf(name: string, session: SessionFacts): string | undefined {
  if (name === 'session_authorization') return session.user
  return Object.hasOwn(sessionSettings, name)
    ? (sessionSettings as Readonly<Record<string, string>>)[name]
    : undefined
}

/** The virtual tables store owners by name. */
function ownerText(owner: Value | undefined): string {
  return owner === undefined ? '' : textForm(owner)
}

/** The long name of the type with this OID, with its length if it has one. */
export function formatType([oid, modifier]: readonly SqlValue[]): SqlValue {
  if (oid === undefined) return undefined
  return stringValue(typeWords(oidOf(oid), integerIn(modifier) ?? -1) ?? '???')
}

export function integerIn(value: SqlValue): number | undefined {
  return value?.isNumber === true ? integerOf(value) : undefined
}

/** 0 for what is no OID. */
export function oidOf(value: SqlValue): number {
  if (value?.type === bsonType.string && /^\d+$/.test(stringOf(value))) {
    return Number(stringOf(value))
  }
  return integerIn(value) ?? 0
}

/** As an identifier in a statement: quoted only if needed, because names keep their case. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** `a."b.c"` as its two names. */
function namesIn(text: string): string[] {
  const names: string[] = []
  const part = /\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(\.|$)/uy
  for (let isOver = false; !isOver; ) {
    const found = part.exec(text)
    if (found === null) {
      const message = `string is not a valid identifier: "${text}"`
      throw evaluationError(evaluationState.badArgument, message)
    }
    const [, quoted, plain, end] = found
    names.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    isOver = end === ''
  }
  return names
}

function textsOf(texts: readonly string[]): Value {
  return writeArray(texts.map((text) => stringValue(text)))
}

/**
 * The fields of a text between separators: without one, its characters. Fields that equal the third
 * text are NULL.
 */
function stringToArray(args: readonly SqlValue[]): SqlValue {
  const [whole, separator, forNull] = args
  if (whole === undefined) return undefined
  const text = utf8Of([whole], 0)
  const missing = forNull === undefined ? undefined : utf8Of([forNull], 0)
  const writer = new DocumentWriter(true)
  const push = (from: number, to: number): void => {
    const mayBeMissing = missing?.length === to - from
    if (mayBeMissing && equalBytes(missing, text.subarray(from, to))) writer.pushNull()
    else writer.pushText(text, from, to)
  }
  if (separator === undefined) {
    for (let at = 0, next = 0; at < text.length; at = next) {
      next = offsetInUtf8(text, 1, at)
      push(at, next)
    }
  } else if (text.length > 0) {
    const by = new Needle(utf8Of([separator], 0))
    const { length } = by.units
    let from = 0
    for (let at = length === 0 ? -1 : by.indexIn(text, 0, text.length); at >= 0; ) {
      push(from, at)
      from = at + length
      at = by.indexIn(text, from, text.length)
    }
    push(from, text.length)
  }
  return writer.finishValue()
}

function upperOf(args: readonly Value[]): Value | undefined {
  const [array] = args
  if (array?.type !== bsonType.array || countAt(args, 1) !== 1) return undefined
  const count = countOf(array)
  return count === 0 ? undefined : int32Value(count)
}

function arrayToString([array, separator, forNull]: readonly SqlValue[]): SqlValue {
  if (array === undefined || separator === undefined) return undefined
  if (array.type !== bsonType.array) return undefined
  const instead = forNull === undefined ? undefined : textForm(forNull)
  const texts = elementsSpent(array).flatMap((element) => {
    if (!element.isNullish) return [textForm(element)]
    return instead === undefined ? [] : [instead]
  })
  return stringValue(texts.join(stringOf(separator)))
}
