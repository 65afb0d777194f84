// The table of aggregation stages, by name. Whatever depends on the name of a stage is a fact of
// its row (stage.ts).

import { bucketStage } from './groups/bucket.js'
import { bucketAutoStage } from './groups/bucket-auto.js'
import { groupStages } from './groups/group.js'
import { facetStage } from './joins/facet.js'
import { graphLookupStage } from './joins/graph-lookup.js'
import { lookupStage } from './joins/lookup.js'
import { unionStage } from './joins/union.js'
import { limitStages } from './limit.js'
import { projectStages } from './project.js'
import { redactStage } from './redact.js'
import { refusedStages } from './refused.js'
import { sortStages } from './sort.js'
import { sourceStages } from './source.js'
import type { StageRow } from './stage.js'
import { unwindStage } from './unwind.js'
import { densifyStage } from './windows/densify.js'
import { fillStage } from './windows/fill.js'
import { windowStage } from './windows/set-window-fields.js'
import { writeStages } from './write.js'

export const stages: ReadonlyMap<string, StageRow> = new Map(
  [
    ...limitStages,
    ...projectStages,
    ...groupStages,
    ...sortStages,
    bucketStage,
    bucketAutoStage,
    redactStage,
    windowStage,
    fillStage,
    densifyStage,
    unwindStage,
    lookupStage,
    graphLookupStage,
    unionStage,
    facetStage,
    ...sourceStages,
    ...writeStages,
    ...refusedStages,
  ].map((row) => [row.name, row]),
)

/** Every stage, for the reference. */
export const stageNames: readonly string[] = [...stages.keys()]
