// The effects of stages, which their rows tell: for the optimizer and for reading only the needed
// fields.

import type { Effect } from './stages/effects.js'
import { Needs } from './stages/effects.js'
import type { StagePlan } from './stages/stage.js'
import { stages } from './stages/table.js'

/** A cache, because every stage that may move before this one asks for its effect. */
const known = new WeakMap<StagePlan, Effect>()

/** Undefined for a stage that combines or creates documents. */
export function effectOf(plan: StagePlan): Effect | undefined {
  const before = known.get(plan)
  if (before !== undefined) return before
  const effect = stages.get(plan.name)?.effect(plan)
  if (effect !== undefined) known.set(plan, effect)
  return effect
}

/** The top-level input fields that a pipeline reads; undefined if it may read all of them. */
export function neededFields(plans: readonly StagePlan[]): ReadonlySet<string> | undefined {
  const needs = new Needs()
  for (const plan of plans) {
    const isLast = addNeeds(plan, needs)
    if (isLast === undefined || needs.isAll) return undefined
    if (isLast) return needs.names
  }
  return undefined
}

/** Whether later stages no longer see the plan's input; undefined if it may read all fields. */
function addNeeds(plan: StagePlan, needs: Needs): boolean | undefined {
  if (plan.kind === 'match') needs.filter(plan.filter.tree)
  else if (plan.kind === 'sort') {
    for (const { path } of plan.sort.parts) needs.names.add(path.parts[0] ?? '')
  } else if (plan.kind !== 'limit' && plan.kind !== 'skip') {
    return stages.get(plan.name)?.needs(plan.spec, needs)
  }
  return false
}
