// MongoDB's collation document: its options, its checks with their texts, and its full form in
// listIndexes and explain. Options that Intl.Collator does not support are refused by name. Source:
// MongoDB manual, Collation; the reference server's collator factory.

import { fail, type GatewayError } from '../../base/errors.js'
import { field, fieldsOf } from '../elements.js'
import { numberOf } from '../numbers.js'
import { shellText } from '../shell.js'
import { boolOf, bsonType, type Document, documentValue, stringOf, type Value } from '../value.js'
import { writeDocument } from '../writer.js'

/** ICU version in MongoDB's collation documents. */
const version = '57.1'

export interface CollationOptions {
  readonly locale: string
  /** The locale in Intl's spelling. */
  readonly tag: string
  readonly caseFirst: 'off' | 'upper' | 'lower'
  readonly strength: number
  readonly numericOrdering: boolean
  /** `alternate: 'shifted'`. */
  readonly isShifted: boolean
  readonly normalization: boolean
  readonly backwards: boolean
}

const fields: ReadonlySet<string> = new Set([
  'locale',
  'caseLevel',
  'caseFirst',
  'strength',
  'numericOrdering',
  'alternate',
  'maxVariable',
  'normalization',
  'backwards',
  'version',
])

/**
 * Parses a collation; undefined means simple. Throws MongoDB's errors, and BadValue for what Intl
 * does not support.
 */
export function readCollation(spec: Document): CollationOptions | undefined {
  for (const [name] of fieldsOf(documentValue(spec))) {
    if (fields.has(name)) continue
    throw fail('Location40415', `BSON field 'collation.${name}' is an unknown field.`)
  }
  const locale = text(spec, 'locale')
  if (locale === undefined) {
    const reason = "BSON field 'collation.locale' is missing but a required field"
    throw fail('Location40414', reason)
  }
  if (locale === 'simple') {
    if ([...fieldsOf(documentValue(spec))].length === 1) return undefined
    const what = 'If locale=simple, no other fields should be present in'
    throw fail('FailedToParse', `${what}: ${shown(spec)}`)
  }
  const tag = tagOf(locale, spec)
  const own = new Intl.Collator(tag).resolvedOptions()
  const caseFirst = choice(spec, 'caseFirst', ['upper', 'lower', 'off'])
  const alternate = choice(spec, 'alternate', ['non-ignorable', 'shifted'])
  const isCanadian = /^fr-CA\b/.test(tag)
  const options: CollationOptions = {
    locale,
    tag,
    caseFirst: caseFirst ?? ownCaseFirst(own.caseFirst),
    strength: strengthOf(spec),
    numericOrdering: truth(spec, 'numericOrdering') ?? false,
    isShifted: alternate === undefined ? own.ignorePunctuation : alternate === 'shifted',
    normalization: truth(spec, 'normalization') ?? false,
    backwards: truth(spec, 'backwards') ?? isCanadian,
  }
  checkVersion(spec)
  checkTogether(options, spec)
  refuseUnserved(options, spec, own.ignorePunctuation, isCanadian)
  return options
}

function ownCaseFirst(given: string): CollationOptions['caseFirst'] {
  return given === 'upper' || given === 'lower' ? given : 'off'
}

/** The full form that MongoDB reports, including defaults. */
export function specOf(options: CollationOptions): Document {
  const { locale, caseFirst, strength, numericOrdering, isShifted } = options
  return writeDocument((out) => {
    out.string('locale', locale).bool('caseLevel', false).string('caseFirst', caseFirst)
    out.int32('strength', strength).bool('numericOrdering', numericOrdering)
    out.string('alternate', isShifted ? 'shifted' : 'non-ignorable').string('maxVariable', 'punct')
    out.bool('normalization', options.normalization).bool('backwards', options.backwards)
    out.string('version', version)
  })
}

/** MongoDB's collation names in Intl's spelling; others are the same. */
const collationNames: Readonly<Record<string, string>> = {
  dictionary: 'dict',
  phonebook: 'phonebk',
  traditional: 'trad',
}

/** `fr_CA` is fr-CA, `de@collation=phonebook` de-u-co-phonebk. Throws BadValue for unknown ones. */
function tagOf(locale: string, spec: Document): string {
  if (locale === '') throw bad(`Field 'locale' cannot be the empty string in: ${shown(spec)}`)
  if (locale.includes('\0')) {
    throw bad(`Field 'locale' cannot contain null byte. Collation spec: ${shown(spec)}`)
  }
  const [, name = '', given] = /^([A-Za-z_0-9]+)(?:@collation=([a-z]+))?$/.exec(locale) ?? []
  const tag = name.replaceAll('_', '-')
  const valid = resolved(tag)
  if (valid !== undefined && valid === tag) {
    if (given === undefined || given === 'standard') return tag
    const kind = Object.hasOwn(collationNames, given) ? collationNames[given] : given
    const whole = `${tag}-u-co-${kind}`
    if (new Intl.Collator(whole).resolvedOptions().collation === kind) return whole
  }
  const hint = valid === undefined ? '' : `. Did you mean '${valid.replaceAll('-', '_')}'?`
  throw bad(`Field 'locale' is invalid in: ${shown(spec)}${hint}`)
}

function resolved(tag: string): string | undefined {
  try {
    if (Intl.Collator.supportedLocalesOf(tag).length === 0) return undefined
    return new Intl.Collator(tag).resolvedOptions().locale
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function strengthOf(spec: Document): number {
  const value = field(spec, 'strength')
  if (value === undefined) return 3
  if (!value.isNumber) throw wrongType('strength', value, "types '[long, int, decimal, double']")
  const strength = Math.trunc(numberOf(value))
  if (strength >= 1 && strength <= 5) return strength
  throw fail('FailedToParse', `Field 'strength' must be an integer 1 through 5. Got: ${strength}`)
}

function checkVersion(spec: Document): void {
  const given = text(spec, 'version')
  if (given === undefined || given === version) return
  throw fail(
    'IncompatibleCollationVersion',
    `Requested collation version ${given} but the only available collator version was ${version}` +
      `. Requested collation spec: ${shown(spec)}`,
  )
}

/** Refuses options that have no effect beside others, as MongoDB does. */
function checkTogether(options: CollationOptions, spec: Document): void {
  if (options.backwards && options.strength === 1) {
    throw bad(`'backwards' is invalid with 'strength' of 1 in: ${shown(spec)}`)
  }
  if (options.caseFirst === 'off' || options.strength > 2 || truth(spec, 'caseLevel') === true) {
    return
  }
  // A locale's own default has no effect below strength 3, and is not an error.
  if (field(spec, 'caseFirst') === undefined) return
  throw bad(
    "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2 in: " +
      shown(spec),
  )
}

function refuseUnserved(
  options: CollationOptions,
  spec: Document,
  isAlwaysShifted: boolean,
  isCanadian: boolean,
): void {
  const refuse = (what: string): GatewayError =>
    bad(`collation option ${what} is not supported in: ${shown(spec)}`)
  const maxVariable = choice(spec, 'maxVariable', ['punct', 'space'])
  if (options.strength > 3) throw refuse(`'strength' of ${options.strength}`)
  if (truth(spec, 'caseLevel') === true) throw refuse("'caseLevel'")
  if (maxVariable === 'space') throw refuse("'maxVariable' of 'space'")
  if (isAlwaysShifted && !options.isShifted) {
    throw refuse("'alternate' of 'non-ignorable' with this locale")
  }
  if (options.backwards !== isCanadian) {
    throw refuse(`'backwards' of ${options.backwards} with this locale`)
  }
}

function text(spec: Document, name: string): string | undefined {
  const value = field(spec, name)
  if (value === undefined) return undefined
  if (value.type !== bsonType.string) throw wrongType(name, value, "type 'string'")
  return stringOf(value)
}

function truth(spec: Document, name: string): boolean | undefined {
  const value = field(spec, name)
  if (value === undefined) return undefined
  if (value.type !== bsonType.bool) throw wrongType(name, value, "type 'bool'")
  return boolOf(value)
}

function choice<T extends string>(
  spec: Document,
  name: string,
  choices: readonly T[],
): T | undefined {
  const given = text(spec, name)
  if (given === undefined) return undefined
  const found = choices.find((one) => one === given)
  if (found !== undefined) return found
  throw bad(`Enumeration value '${given}' for field 'collation.${name}' is not a valid value.`)
}

function wrongType(name: string, value: Value, expected: string): GatewayError {
  const given = typeNames.get(value.type) ?? 'unknown'
  const where = `BSON field 'collation.${name}'`
  return fail('TypeMismatch', `${where} is the wrong type '${given}', expected ${expected}`)
}

const aliases: Readonly<Record<string, string>> = { int32: 'int', int64: 'long', binary: 'binData' }
const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(bsonType).map(([name, type]) => [
    type,
    Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : decimalAlias(name),
  ]),
)

function decimalAlias(name: string): string {
  return name === 'decimal128' ? 'decimal' : name
}

const bad = (reason: string): GatewayError => fail('BadValue', reason)
const shown = (spec: Document): string => shellText(documentValue(spec))
