// $redact: an expression decides for each object, from the outside in: keep it whole, omit it, or
// descend into it ($$KEEP, $$PRUNE, $$DESCEND). `$field` refers to the current object.

import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import { equalValues } from '../../value/compare.js'
import { Elements } from '../../value/elements.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  stringValue,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import {
  type Env,
  type Expression,
  location,
  type Result,
  valueText,
} from '../expressions/operator.js'
import { MapTransform, recipeOf, type StageRow } from './stage.js'
import { plainStage } from './stage-facts.js'

/** Work units of an object, beside its expression: it is decided about and written, 1 µs. */
const objectUnits = 10

/** The values of the variables; an expression may also return these strings. */
const keep = stringValue('keep')
const prune = stringValue('prune')
const descend = stringValue('descend')

class Redaction {
  constructor(
    private readonly expression: Expression,
    private readonly env: Env,
    /** The slot of $$CURRENT. */
    private readonly current: number,
  ) {}

  of(document: Document): Document | undefined {
    this.env.root = documentValue(document)
    const redacted = this.object(this.env.root)
    return redacted === undefined ? undefined : documentOf(redacted)
  }

  private object(value: Value): Result {
    const { env } = this
    env.step()
    work.spend(objectUnits)
    env.slots[this.current] = value
    const decision = this.expression.evaluate(env)
    if (decision !== undefined) {
      if (equalValues(decision, keep)) return value
      if (equalValues(decision, prune)) return undefined
      if (equalValues(decision, descend)) return this.contents(value)
    }
    throw location(
      17053,
      "$redact's expression should not return anything aside from the variables $$KEEP, " +
        `$$DESCEND, and $$PRUNE, but returned ${valueText(decision)}`,
    )
  }

  /** An object or array with the kept parts of its objects. */
  private contents(value: Value): Value {
    const isArray = value.type === bsonType.array
    const writer = new DocumentWriter(isArray)
    const elements = new Elements(value.bytes, value.start)
    while (elements.next()) {
      work.spend(valueUnits)
      const inner = elements.value()
      const left = this.value(inner)
      if (left === undefined) continue
      if (isArray) writer.push(left)
      else if (left === inner) writer.element(value.bytes, elements.start, elements.valueEnd)
      else writer.value(elements.copiedName(), left)
    }
    return writer.finishValue()
  }

  private value(value: Value): Result {
    if (value.type === bsonType.object) return this.object(value)
    return value.type === bsonType.array ? this.contents(value) : value
  }
}

export const redactStage: StageRow = {
  ...plainStage,
  within: ['facet', 'union', 'view', 'changeStream'],
  name: '$redact',
  compile: (spec, compiler) => {
    const { scope, slots } = compiler.scope.bind(['CURRENT', 'KEEP', 'PRUNE', 'DESCEND'])
    const [current, ...decisions] = slots as [number, number, number, number]
    const expression = scope.compile(spec)
    const create = (): MapTransform => {
      const env = compiler.environment()
      for (const [i, value] of [keep, prune, descend].entries()) {
        env.slots[decisions[i] as number] = value
      }
      const redaction = new Redaction(expression, env, current)
      const map = (document: Document) => redaction.of(document)
      return new MapTransform(map, recipeOf('$redact', spec, compiler.context))
    }
    return [{ kind: 'transform', name: '$redact', spec, create }]
  },
}
