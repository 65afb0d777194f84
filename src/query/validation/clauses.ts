// A validator as its original clauses, to report which ones a document failed and why. The compiled
// filter cannot report that, because it is flattened for speed.

import { GatewayError } from '../../base/errors.js'
import { isTooMuchWork } from '../../base/work/work-budget.js'
import { elementsOf, fieldsOf } from '../../value/elements.js'
import {
  bsonType,
  type Document,
  documentValue,
  falseValue,
  type Value,
} from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import type { QueryContext } from '../context.js'
import { compileExpression, envOf, scopeOf } from '../expression.js'
import { isFieldOperator } from '../filter/parse.js'
import { compileFilter } from '../filter.js'
import type { Clause } from './clause.js'
import { leafRows, writeLeaf } from './leaves.js'
import type { Report } from './report.js'
import { compileSchemaClause } from './schema-clause.js'

/** The clause of a whole filter, which already compiled without errors. */
export function clauseOf(filter: Value, context: QueryContext): Clause {
  const clauses: Clause[] = []
  for (const [name, operand] of fieldsOf(filter)) {
    if (name.startsWith('$')) {
      const clause = topClause(name, operand, context)
      if (clause !== undefined) clauses.push(clause)
    } else clauses.push(...fieldClauses(name, operand, context))
  }
  return both(clauses)
}

/** A single clause needs no conjunction. */
function both(clauses: readonly Clause[]): Clause {
  const [only] = clauses
  return only !== undefined && clauses.length === 1 ? only : listClause('$and', clauses)
}

function topClause(name: string, operand: Value, context: QueryContext): Clause | undefined {
  switch (name) {
    case '$comment':
      return undefined
    case '$and':
    case '$or':
    case '$nor': {
      const clauses = elementsOf(operand).map((each) => clauseOf(each, context))
      return listClause(name, clauses)
    }
    case '$jsonSchema':
      return compileSchemaClause(operand)
    case '$expr':
    case '$sampleRate':
      return expressionClause(name, operand, context)
    default:
      return constantClause(ruleOf(name, operand), name, context)
  }
}

function fieldClauses(path: string, operand: Value, context: QueryContext): Clause[] {
  if (operand.type === bsonType.regex) {
    return [leafClause('$regex', path, operand, ruleOf(path, operand), context)]
  }
  if (!isFieldOperator(operand)) {
    return [leafClause('$eq', path, operand, ruleOf(path, operand), context)]
  }
  const clauses: Clause[] = []
  for (const [name, inner] of fieldsOf(operand)) {
    if (name === '$options') continue
    if (name === '$not') clauses.push(notClause(both(fieldClauses(path, inner, context))))
    else {
      const whole = name === '$regex' ? operand : documentValue(ruleOf(name, inner))
      clauses.push(leafClause(name, path, inner, ruleOf(path, whole), context))
    }
  }
  return clauses
}

function ruleOf(name: string, value: Value): Document {
  return writeDocument((out) => out.value(name, value))
}

const listTests: Readonly<Record<string, (clauses: readonly Clause[], d: Document) => boolean>> = {
  $and: (clauses, document) => clauses.every((clause) => clause.matches(document)),
  $or: (clauses, document) => clauses.some((clause) => clause.matches(document)),
  $nor: (clauses, document) => !clauses.some((clause) => clause.matches(document)),
}

/** Reports the clauses that are to blame: for $nor those that match. */
function listClause(name: '$and' | '$or' | '$nor', clauses: readonly Clause[]): Clause {
  return {
    matches: (document) => listTests[name]?.(clauses, document) === true,
    tell: (document, isInverted, report) => {
      const blamesMatches = name === '$nor' ? !isInverted : isInverted
      return told(report, name, (out) => {
        out.openArray(blamesMatches ? 'clausesSatisfied' : 'clausesNotSatisfied')
        for (const [index, clause] of clauses.entries()) {
          if (!isToBlame(clause, document, blamesMatches)) continue
          out.pushOpenDocument().int32('index', index)
          out.document('details', clause.tell(document, blamesMatches, report)).close()
        }
        out.close()
      })
    },
  }
}

/** A clause that cannot be evaluated is always to blame. */
function isToBlame(clause: Clause, document: Document, blamesMatches: boolean): boolean {
  try {
    return clause.matches(document) === blamesMatches
  } catch (thrown) {
    if (thrown instanceof GatewayError && !isTooMuchWork(thrown)) return true
    throw thrown
  }
}

function notClause(clause: Clause): Clause {
  return {
    matches: (document) => !clause.matches(document),
    tell: (document, isInverted, report) =>
      told(report, '$not', (out) =>
        out.document('details', clause.tell(document, !isInverted, report)),
      ),
  }
}

function leafClause(
  name: string,
  path: string,
  operand: Value,
  rule: Document,
  context: QueryContext,
): Clause {
  const row = leafRows.get(name)
  const isEmptyAll = name === '$all' && elementsOf(operand).length === 0
  if (row === undefined || isEmptyAll) return constantClause(rule, name, context)
  const filter = compileFilter(rule, context)
  const negates = row.negates?.(operand) === true
  return {
    matches: (document) => filter.matches(document),
    tell: (document, isInverted, report) =>
      told(report, name, (out) => {
        report.specifiedAs(out, rule)
        writeLeaf(out, row, document, path, isInverted !== negates, report)
      }),
  }
}

/** A clause with the same result for every document. */
function constantClause(rule: Document, name: string, context: QueryContext): Clause {
  const filter = compileFilter(rule, context)
  return {
    matches: (document) => filter.matches(document),
    tell: (_document, isInverted, report) =>
      told(report, name, (out) => {
        report.specifiedAs(out, rule)
        out.string('reason', `expression always evaluates to ${isInverted}`)
      }),
  }
}

function expressionClause(name: string, operand: Value, context: QueryContext): Clause {
  const rule = ruleOf(name, operand)
  const filter = compileFilter(rule, context)
  const result = name === '$expr' ? resultOf(operand, context) : undefined
  return {
    matches: (document) => filter.matches(document),
    tell: (document, isInverted, report) =>
      told(report, name, (out) => {
        report.specifiedAs(out, rule)
        try {
          const value = result?.(document)
          const did = isInverted ? 'did' : 'did not'
          out.string('reason', `expression ${did} match`)
          if (result === undefined) out.bool('expressionResult', isInverted)
          else if (value !== undefined) report.value(out, 'expressionResult', value)
        } catch (thrown) {
          if (!(thrown instanceof GatewayError)) throw thrown
          out.string('reason', 'failed to evaluate aggregation expression')
          out.openDocument('details').int32('code', thrown.code)
          out.string('codeName', thrown.codeName).string('errmsg', thrown.message).close()
        }
      }),
  }
}

function resultOf(
  operand: Value,
  context: QueryContext,
): (document: Document) => Value | undefined {
  const expression = compileExpression(operand, scopeOf(context))
  const environment = envOf(falseValue, context)
  return (document) => {
    environment.root = documentValue(document)
    return expression.evaluate(environment)
  }
}

function told(report: Report, name: string, fill: (out: DocumentWriter) => void): Document {
  return report.finished(
    writeDocument((out) => {
      out.string('operatorName', name)
      fill(out)
    }),
  )
}
