// The plan of a query as a tree of stages with their counts, from what explain answers. Fields that
// are not known here are left out.

type Fields = Readonly<Record<string, unknown>>

export interface Plan {
  readonly queryPlanner?: Fields
  readonly executionStats?: Fields
  /** Of a pipeline. */
  readonly stages?: readonly Fields[]
}

export interface PlanStage {
  readonly name: string
  /** A text for each count and name, in one order for all stages. */
  readonly facts: readonly string[]
  readonly inputs: readonly PlanStage[]
}

const shown: readonly (readonly [field: string, words: (value: string) => string])[] = [
  ['indexName', (value) => `index ${value}`],
  ['direction', (value) => value],
  ['nReturned', (value) => `${value} returned`],
  ['keysExamined', (value) => `${value} keys examined`],
  ['docsExamined', (value) => `${value} documents examined`],
  ['executionTimeMillisEstimate', (value) => `${value} ms`],
  ['indexBounds', (value) => `bounds ${value}`],
  ['sortPattern', (value) => `by ${value}`],
  ['filter', (value) => `filter ${value}`],
]

export function planTree({ queryPlanner, executionStats }: Plan): PlanStage | undefined {
  const ran = executionStats?.executionStages
  const root = isFields(ran) ? ran : queryPlanner?.winningPlan
  return isFields(root) ? stageOf(root) : undefined
}

function stageOf(fields: Fields): PlanStage {
  const { stage, inputStage, inputStages } = fields
  const inputs = Array.isArray(inputStages) ? inputStages : [inputStage]
  const facts = shown.flatMap(([name, words]) => {
    const value = fields[name]
    return value === undefined ? [] : [words(textOf(value))]
  })
  return { name: String(stage), facts, inputs: inputs.filter(isFields).map(stageOf) }
}

/** Totals of the whole query. */
export function planTotals({ executionStats }: Plan): string {
  if (executionStats === undefined) return ''
  const { nReturned, totalKeysExamined, totalDocsExamined, executionTimeMillis } = executionStats
  const [returned, keys, documents, ms] = [
    nReturned,
    totalKeysExamined,
    totalDocsExamined,
    executionTimeMillis,
  ].map(textOf)
  return `${returned} returned, ${keys} keys and ${documents} documents examined, ${ms} ms`
}

/** Whether a stage reads all documents of the collection. */
export function readsAll({ name, inputs }: PlanStage): boolean {
  return name === 'COLLSCAN' || inputs.some(readsAll)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
