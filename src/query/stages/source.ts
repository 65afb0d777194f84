// First stages that create documents: statistics, sessions and operations, from the engine and the
// commands, and $documents, whose documents are in the pipeline.

import { fail, type GatewayError } from '../../base/errors.js'
import { elementsOf, fieldsOf } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { bsonType, documentOf, type Value } from '../../value/value.js'
import { location, typeName } from '../expressions/operator.js'
import type { SourceKind, StageRow } from './stage.js'
import { notOfTarget, sourceStage } from './stage-facts.js'

/** The facts that differ among these stages. */
type SourceFacts = Pick<StageRow, 'over' | 'isStable' | 'readConcern' | 'isOfCollection'>

/** Figures of a collection. */
const ofCollection = { ...sourceStage, isOfCollection: true }
/** Facts of the server. */
const ofServer = { ...sourceStage, isStable: false, readConcern: 'local' } as const

function source(
  kind: SourceKind,
  facts: SourceFacts,
  refuse: (found: string) => GatewayError,
  isEmpty = false,
): StageRow {
  const name = `$${kind}`
  const { over } = facts
  return {
    ...sourceStage,
    ...facts,
    name,
    compile: (spec, { depth }) => {
      const hasFields = spec.type === bsonType.object && spec.bytes[spec.start + 4] !== 0
      if (spec.type !== bsonType.object || (isEmpty && hasFields)) throw refuse(typeName(spec))
      if (depth > 0 && over !== 'collection') throw notOfTarget(over, name)
      return [{ kind, name, spec }]
    },
  }
}

/** It reveals values of other users' queries, so it is not allowed in nested pipelines. */
const planCacheStats: StageRow = {
  ...ofServer,
  isOfCollection: true,
  within: ['union'],
  name: '$planCacheStats',
  compile: (spec, { depth }) => {
    const found = typeName(spec)
    if (spec.type !== bsonType.object) {
      throw fail('FailedToParse', `$planCacheStats value must be an object. Found: ${found}`)
    }
    if (spec.bytes[spec.start + 4] !== 0) {
      const text = `$planCacheStats parameters object must be empty. Found: ${found}`
      throw fail('FailedToParse', text)
    }
    if (depth > 0) {
      throw location(51047, '$planCacheStats is not allowed within a sub-pipeline')
    }
    return [{ kind: 'planCacheStats', name: '$planCacheStats', spec }]
  },
}

/** Known by name, to refuse it with the true reason: there are no geo indexes. */
const geoNear: StageRow = {
  ...ofCollection,
  name: '$geoNear',
  compile: (spec) => {
    if (spec.type !== bsonType.object) {
      const text = '$geoNear must take a nested object but found: '
      throw location(10065, `${text}$geoNear: ${shellText(spec)}`)
    }
    const fields = new Map(fieldsOf(spec))
    if (!fields.has('near')) throw location(5860400, "$geoNear requires a 'near' argument")
    const distance = fields.get('distanceField')
    if (distance !== undefined && distance.type !== bsonType.string) {
      const text = '$geoNear requires that the distanceField option is a String'
      throw location(16606, text)
    }
    if (distance === undefined) {
      throw location(16605, '$geoNear requires a distanceField option as a String')
    }
    return [{ kind: 'geoNear', name: '$geoNear', spec }]
  },
}

export const sourceStages: readonly StageRow[] = [
  source('collStats', ofCollection, (found) =>
    location(5447000, `$collStats must take a nested object but found: ${found}`),
  ),
  source(
    'indexStats',
    { ...ofCollection, isStable: false },
    () => location(28803, 'The $indexStats stage specification must be an empty object'),
    true,
  ),
  planCacheStats,
  geoNear,
  source('currentOp', { ...ofServer, over: 'admin' }, (found) => {
    const text = `$currentOp options must be specified in an object, but found: ${found}`
    return fail('FailedToParse', text)
  }),
  source('listLocalSessions', { ...ofServer, over: 'database' }, (found) =>
    fail('TypeMismatch', `$listLocalSessions options must be an object, but found: ${found}`),
  ),
  source('listSessions', { ...ofServer, over: 'sessions', readConcern: 'all' }, (found) =>
    fail('TypeMismatch', `$listSessions options must be an object, but found: ${found}`),
  ),
  {
    ...sourceStage,
    over: 'database',
    name: '$documents',
    compile: (spec, { scope, environment }) => {
      const list = scope.compile(spec).evaluate(environment())
      const refused = 'an array is expected'
      if (list?.type !== bsonType.array) throw location(5858203, refused)
      const documents = elementsOf(list).map((element: Value) => {
        if (element.type !== bsonType.object) {
          throw location(40228, `$documents must be an array of objects, not ${typeName(element)}`)
        }
        return documentOf(element)
      })
      return [{ kind: 'documents', name: '$documents', spec, documents }]
    },
  },
]
