// First stages that make documents instead of taking them: statistics, sessions, operations, which
// the engine and the commands answer, and $documents, whose documents stand in the pipeline.

import { fail, type GatewayError } from '../../base/errors.js'
import { elementsOf } from '../../value/elements.js'
import { bsonType, documentOf, type Value } from '../../value/value.js'
import { location, typeName } from '../expressions/operator.js'
import type { SourceKind, StageRow } from './stage.js'

function source(
  kind: SourceKind,
  refuse: (found: string) => GatewayError,
  isEmpty = false,
): StageRow {
  const name = `$${kind}`
  return {
    name,
    place: 'first',
    compile: (spec) => {
      const hasFields = spec.type === bsonType.object && spec.bytes[spec.start + 4] !== 0
      if (spec.type !== bsonType.object || (isEmpty && hasFields)) throw refuse(typeName(spec))
      return [{ kind, name, spec }]
    },
  }
}

export const sourceStages: readonly StageRow[] = [
  source('collStats', (found) =>
    location(5447000, `$collStats must take a nested object but found: ${found}`),
  ),
  source(
    'indexStats',
    () => location(28803, 'The $indexStats stage specification must be an empty object'),
    true,
  ),
  source('currentOp', (found) =>
    fail('FailedToParse', `$currentOp options must be specified in an object, but found: ${found}`),
  ),
  source('listLocalSessions', (found) =>
    fail('TypeMismatch', `$listLocalSessions options must be an object, but found: ${found}`),
  ),
  source('listSessions', (found) =>
    fail('TypeMismatch', `$listSessions options must be an object, but found: ${found}`),
  ),
  {
    name: '$documents',
    place: 'first',
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
