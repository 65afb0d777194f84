// The validator of a collection: which documents it accepts, and how it handles others. It is read
// from the options once for each descriptor version, and compiled for the first document to check.
// Source: MongoDB manual, Schema Validation.

import { LRUCache } from 'lru-cache'
import { mapKey } from '../../base/bytes/bytes.js'
import { fail, GatewayError } from '../../base/errors.js'
import { isTooMuchWork, work } from '../../base/work/work-budget.js'
import { compileFilter, type Filter } from '../../query/filter.js'
import type { Clause } from '../../query/validation/clause.js'
import { clauseOf } from '../../query/validation/clauses.js'
import { explainFailure } from '../../query/validation/explain.js'
import type { Tx } from '../../store/store.js'
import type { Collation } from '../../value/collation/collation.js'
import { field, fieldsOf } from '../../value/elements.js'
import { bsonType, type Document, documentOf, documentValue, stringOf } from '../../value/value.js'
import { collationOf } from '../index/index-options.js'
import type { Guarded, Namespace, Validation, Validator } from '../types.js'

/** Compiled validators that are cached, by the bytes of their rules. */
const validatorsBytesMax = 64 * 1024 * 1024

export const validationLevels = ['off', 'strict', 'moderate'] as const
export const validationActions = ['error', 'warn'] as const

/** Decodes an options document; empty if documents are not validated. */
export function validationOf(options: Document): { readonly validation?: Validation } {
  const rules = field(options, 'validator')
  if (rules?.type !== bsonType.object || fieldsOf(rules).next().done === true) return {}
  const level = textOf(options, 'validationLevel')
  if (level === 'off') return {}
  return {
    validation: {
      isModerate: level === 'moderate',
      onlyWarns: textOf(options, 'validationAction') === 'warn',
      validator: validatorOf(documentOf(rules), collationOf(options)),
    },
  }
}

function textOf(options: Document, name: string): string | undefined {
  const value = field(options, name)
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

/** Keyed by their bytes, so a descriptor that is decoded again shares its validator. */
const validators = new LRUCache<string, Rules>({
  maxSize: validatorsBytesMax,
  // The compiled form takes about four times the bytes.
  sizeCalculation: (_rules, key) => key.length * 4 + 1_000,
})

function validatorOf(rules: Document, collation: Collation | undefined): Validator {
  const key = `${collation?.id ?? ''}\0${mapKey(rules)}`
  const known = validators.get(key)
  if (known !== undefined) return known
  const validator = new Rules(rules.slice(), collation)
  validators.set(key, validator)
  return validator
}

const contextAt = (now: number, collation?: Collation) => ({
  now,
  collation,
  variables: new Map(),
  objectId: () => new Uint8Array(12),
})

class Rules implements Validator {
  private readonly readsTime: boolean
  private filter: Filter | undefined
  private clause: Clause | undefined
  private at = 0

  constructor(
    private readonly rules: Document,
    private readonly collation: Collation | undefined,
  ) {
    this.readsTime = Buffer.from(rules.buffer, rules.byteOffset, rules.length).includes('$$NOW')
  }

  /** A document for which the rules fail to compute does not pass. */
  takes(document: Document, now: number): boolean {
    this.turnTo(now)
    this.filter ??= compileFilter(this.rules, contextAt(now, this.collation))
    try {
      return this.filter.matches(document)
    } catch (thrown) {
      if (thrown instanceof GatewayError && !isTooMuchWork(thrown)) return false
      throw thrown
    }
  }

  explain(document: Document, now: number): Document {
    this.turnTo(now)
    this.clause ??= clauseOf(documentValue(this.rules), contextAt(now, this.collation))
    return explainFailure(this.clause, document)
  }

  private turnTo(now: number): void {
    if (!this.readsTime || now === this.at) return
    this.at = now
    this.filter = undefined
    this.clause = undefined
  }
}

/**
 * Throws DocumentValidationFailure with errInfo if the collection refuses the document; `before` is
 * the document it replaces. Only for collections with a validator.
 */
export function checkDocument(
  tx: Partial<Tx> & Guarded,
  ns: Namespace,
  validation: Validation,
  document: Document,
  before?: Document,
): void {
  if (tx.bypassesValidation === true) return
  const { validator, isModerate, onlyWarns } = validation
  const now = tx.now ?? 0
  const { spent } = work
  if (validator.takes(document, now)) return
  if (before !== undefined && isModerate && !validator.takes(before, now)) return
  if (onlyWarns) {
    tx.noteInvalid?.(ns)
    return
  }
  const error = failure(() => validator.explain(document, now))
  // Computes a long explanation here: the reply could not give turns to other owners.
  if (work.spent > spent) void error.extra.errInfo
  throw error
}

/** The explanation is computed on demand: of a thousand failures few may be read. */
function failure(explain: () => Document): GatewayError {
  let told: Document | undefined
  return fail('DocumentValidationFailure', 'Document failed validation', {
    get errInfo() {
      told ??= explain()
      return told
    },
  })
}

const noValidator: readonly (readonly [name: string, text: string])[] = [
  ['$where', '$where is not allowed in this context'],
  ['$text', '$text is not allowed in this context'],
  ['$near', '$geoNear, $near, and $nearSphere are not allowed in this context'],
  ['$nearSphere', '$geoNear, $near, and $nearSphere are not allowed in this context'],
  ['$geoNear', '$geoNear, $near, and $nearSphere are not allowed in this context'],
]

/** Throws the errors of a validator's rules: forbidden or invalid operators. */
export function requireValidator(rules: Document): void {
  const refused = new Map(noValidator)
  const look = (document: Document): void => {
    for (const [name, value] of fieldsOf(documentValue(document))) {
      const text = refused.get(name)
      if (text !== undefined) throw fail('BadValue', text)
      // Names inside these are field names of the client.
      if (name === '$jsonSchema' || name === '$expr' || name === '$eq') continue
      if (value.type === bsonType.object || value.type === bsonType.array) look(documentOf(value))
    }
  }
  look(rules)
  compileFilter(rules, contextAt(0))
}

/** Whether a write must consider more than the record: indexes, a validator, the change log. */
export function hasRules({ indexes, validation, recorded }: Namespace): boolean {
  return indexes.length > 0 || validation !== undefined || recorded === true
}
