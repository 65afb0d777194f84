// Explains a view whose source the caller may not read. Plans, counters and times could reveal
// hidden documents to repeated queries. So it states only that a view is read, and after a run the
// number of results, which a read of the view shows too.

import type { StagePlan } from '../../query/pipeline.js'
import type { Program, ReadTx } from '../../store/store.js'
import { type Document, numberValue } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { type ReadPlace, stagesOver } from '../collection/kinds/views.js'
import { openPipeline, type PipelineEnvironment } from '../sources/pipeline-source.js'
import type { Guarded } from '../types.js'
import { type ExplainTarget, exhaust } from './explain.js'

/** The request on a view. */
interface Viewed {
  readonly place: ReadPlace
  /** The reader's stages. */
  readonly stages: readonly StagePlan[]
}

/** `{explainVersion, queryPlanner, executionStats?}`; `target.name` is the view's. */
export function* explainClosed(
  tx: ReadTx & Guarded,
  { name, verbosity }: Pick<ExplainTarget, 'name' | 'verbosity'>,
  { place, stages }: Viewed,
  environment: PipelineEnvironment,
): Program<Document> {
  const whole = stagesOver(place, stages)
  const returned =
    verbosity === 'queryPlanner'
      ? undefined
      : yield* exhaust(tx, openPipeline(place.ns, whole, { ...environment, hint: undefined }))
  return writeDocument((out) => {
    out.string('explainVersion', '1').openDocument('queryPlanner').string('namespace', name)
    out.bool('indexFilterSet', false)
    out.openDocument('winningPlan').string('stage', 'VIEW').close()
    out.openArray('rejectedPlans').close().close()
    if (returned !== undefined) writeExecution(out, returned, verbosity === 'allPlansExecution')
  })
}

function writeExecution(out: DocumentWriter, returned: number, hasTrials: boolean): void {
  const count = numberValue(returned)
  out.openDocument('executionStats').bool('executionSuccess', true).value('nReturned', count)
  out.openDocument('executionStages').string('stage', 'VIEW').value('nReturned', count).close()
  if (hasTrials) out.openArray('allPlansExecution').close()
  out.close()
}
