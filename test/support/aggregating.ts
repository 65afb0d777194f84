// Pipelines on a test collection as the aggregate command runs them, pulled in small batches.

import { openPipeline, type PipelineEnvironment } from '../../src/engine/sources/pipeline-source.js'
import { compilePipeline } from '../../src/query/pipeline.js'
import { valueFrom } from '../../src/value/literal.js'
import { toObject } from './literal.js'
import { type Answer, context, type ReadingRoom } from './reading.js'

type Plain = Readonly<Record<string, unknown>>

export const environment: PipelineEnvironment = { db: 'main', context }

export async function aggregate(
  room: ReadingRoom,
  pipeline: readonly Plain[],
  given: Partial<PipelineEnvironment> = {},
  batch = 3,
): Promise<Answer> {
  const stages = compilePipeline(valueFrom(pipeline), context)
  const source = openPipeline(await room.find(), stages, { ...environment, ...given })
  const documents: Record<string, unknown>[] = []
  while (!source.drained) {
    documents.push(...(await room.pull(source, batch)).map(toObject))
  }
  return { documents, counters: source.counters }
}

export async function results(
  room: ReadingRoom,
  ...pipeline: readonly Plain[]
): Promise<Record<string, unknown>[]> {
  return (await aggregate(room, pipeline)).documents
}
