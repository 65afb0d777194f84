// validate: the engine's check of one collection, reported in MongoDB's form. It only reads, and
// runs while clients work.

import { fail } from '../../../base/errors.js'
import { bool, collection, ignored, withDefault } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { type NamespaceReport, type Problem, verifyNamespace } from '../../../engine/check/check.js'
import { timeIndexName } from '../../../engine/collection/kinds/capped-order.js'
import { idIndexName } from '../../../engine/index/index-spec.js'
import { numberValue } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { targetResource } from '../arguments.js'

/** A reply lists this many problems; the rest is only counted. */
const problemsToldMax = 100

export const validateRow = documentRow({
  name: 'validate',
  ...plain,
  roles: ['metadata'],
  grain: 'sweep',
  access: 'reader',
  target: collection,
  params: {
    full: ignored,
    repair: withDefault(bool, false),
    metadata: ignored,
    background: ignored,
    scandata: ignored,
    checkBSONConformance: ignored,
    enforceFastCount: ignored,
  },
  resources: targetResource('read'),
  help: 'Verifies the records, index entries and counts of a collection.',
  *run(call) {
    const { db, target, args } = call
    if (args.repair)
      throw fail('CommandNotSupported', 'validate does not repair; see `sigil check`')
    const report = yield* verifyNamespace(db, target)
    if (report === undefined) {
      const text = `Collection '${db}.${target}' does not exist to validate.`
      throw fail('NamespaceNotFound', text)
    }
    return reply((writer) => writeReport(writer, `${db}.${target}`, report))
  },
})

const notCompliant =
  "Detected one or more documents not compliant with the collection's schema. Check logs for log " +
  'id 5363500.'

function writeReport(writer: DocumentWriter, ns: string, report: NamespaceReport): void {
  const { problems, keysPerIndex, records, invalidRecords, refusedDocuments } = report
  writer.string('ns', ns).value('nInvalidDocuments', numberValue(invalidRecords))
  writer
    .value('nNonCompliantDocuments', numberValue(refusedDocuments))
    .value('nrecords', numberValue(records))
  const names = listedNames([...keysPerIndex.keys()])
  writer.int32('nIndexes', names.length).openDocument('keysPerIndex')
  for (const name of names) {
    writer.value(name, numberValue(keysPerIndex.get(name) ?? records))
  }
  writer.close().openDocument('indexDetails')
  for (const name of names) {
    const isSound = !problems.some(({ text }) => text.startsWith(`index ${name}:`))
    writer.openDocument(name).bool('valid', isSound).close()
  }
  writer
    .close()
    .bool('valid', problems.length === 0)
    .bool('repaired', false)
  writer.openArray('warnings')
  if (refusedDocuments > 0) writer.string('0', notCompliant)
  writer.close()
  writeTexts(writer, 'errors', problems)
  writeTexts(writer, 'extraIndexEntries', ofKind(problems, 'extraEntry'))
  writeTexts(writer, 'missingIndexEntries', ofKind(problems, 'missingEntry'))
  writeTexts(writer, 'corruptRecords', ofKind(problems, 'record'))
}

/** `_id_` first. A time series has no `_id_`, but an unlisted index on the time. */
function listedNames(kept: readonly string[]): readonly string[] {
  const others = kept.filter((name) => name !== idIndexName && name !== timeIndexName)
  return kept.includes(timeIndexName) ? others : [idIndexName, ...others]
}

function ofKind(problems: readonly Problem[], kind: Problem['kind']): Problem[] {
  return problems.filter((problem) => problem.kind === kind)
}

function writeTexts(writer: DocumentWriter, name: string, problems: readonly Problem[]): void {
  writer.openArray(name)
  for (const [index, { text }] of problems.slice(0, problemsToldMax).entries()) {
    writer.string(String(index), text)
  }
  if (problems.length > problemsToldMax) {
    writer.string(String(problemsToldMax), `${problems.length - problemsToldMax} more`)
  }
  writer.close()
}
