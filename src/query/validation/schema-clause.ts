// $jsonSchema as a clause of a validator: the keywords that a document failed, in MongoDB's order.
// Source: doc_validation_error.cpp of the MongoDB server.

import { bsonType, type Document, documentValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { compileSchema } from '../schema/json-schema.js'
import type { Clause } from './clause.js'
import { writeAnnotations } from './finding.js'
import type { Report } from './report.js'
import { compileFindings } from './schema-findings.js'

/** The clause of a schema that already compiled without errors. */
export function compileSchemaClause(schema: Value): Clause {
  const test = compileSchema(schema)
  const findings = compileFindings(schema, true)
  return {
    matches: (document) => test(documentValue(document)),
    tell: (document, isInverted, report) =>
      report.finished(tell(schema, isInverted ? undefined : findings, document, report)),
  }
}

function tell(
  schema: Value,
  findings: ReturnType<typeof compileFindings> | undefined,
  document: Document,
  report: Report,
): Document {
  return writeDocument((out) => {
    out.string('operatorName', '$jsonSchema')
    if (findings === undefined) {
      out.string('reason', 'schema matched')
      return
    }
    if (schema.type === bsonType.object) writeAnnotations(out, schema)
    out.openArray('schemaRulesNotSatisfied')
    for (const finding of findings(documentValue(document), report)) out.pushDocument(finding)
    out.close()
  })
}
