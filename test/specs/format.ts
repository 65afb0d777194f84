// The unified test format of the public driver specifications, as far as the folders that we run
// use it. Whatever a file holds beyond that stops its test: nothing is passed over in silence.

import { BSON } from 'mongodb'

export type Fields = Readonly<Record<string, unknown>>

export interface Requirement {
  readonly minServerVersion?: string
  readonly maxServerVersion?: string
  readonly topologies?: readonly string[]
  readonly serverParameters?: Fields
  readonly auth?: boolean
  readonly authMechanism?: string
  readonly serverless?: 'require' | 'forbid' | 'allow'
  readonly csfle?: boolean
}

/** One key: the kind of entity. Its fields are those of that kind. */
export type EntitySpec = Readonly<Record<string, Fields>>

export interface CollectionData {
  readonly collectionName: string
  readonly databaseName: string
  readonly documents: readonly Fields[]
}

export interface Operation {
  readonly object: string
  readonly name: string
  readonly arguments?: Fields
  readonly expectResult?: unknown
  readonly expectError?: Fields
  readonly saveResultAsEntity?: string
  readonly ignoreResultAndError?: boolean
}

export interface ExpectedEvents {
  readonly client: string
  readonly eventType?: string
  readonly ignoreExtraEvents?: boolean
  readonly events: readonly Readonly<Record<string, Fields>>[]
}

export interface SpecTest {
  readonly description: string
  readonly runOnRequirements?: readonly Requirement[]
  readonly skipReason?: string
  readonly operations: readonly Operation[]
  readonly expectEvents?: readonly ExpectedEvents[]
  readonly outcome?: readonly CollectionData[]
}

export interface SpecFile {
  readonly description: string
  readonly schemaVersion: string
  readonly runOnRequirements?: readonly Requirement[]
  readonly createEntities?: readonly EntitySpec[]
  readonly initialData?: readonly CollectionData[]
  readonly tests: readonly SpecTest[]
}

const fileKeys = [
  'description',
  'schemaVersion',
  'runOnRequirements',
  'createEntities',
  'initialData',
  'tests',
  '_yamlAnchors',
]
const testKeys = [
  'description',
  'runOnRequirements',
  'skipReason',
  'operations',
  'expectEvents',
  'outcome',
]
const operationKeys = [
  'object',
  'name',
  'arguments',
  'expectResult',
  'expectError',
  'saveResultAsEntity',
  'ignoreResultAndError',
]
const dataKeys = ['collectionName', 'databaseName', 'documents']

/** Reads parsed JSON, its EJSON wrappers included. Throws on a part that the runner lacks. */
export function readSpecFile(content: unknown): SpecFile {
  // The cast rests on the format's own schema, which the files were checked with.
  const file = BSON.EJSON.deserialize(content as Fields, { relaxed: true }) as unknown as SpecFile
  requireKnown(file, fileKeys, 'file')
  for (const data of file.initialData ?? []) requireKnown(data, dataKeys, 'initialData')
  for (const test of file.tests) {
    requireKnown(test, testKeys, 'test')
    for (const operation of test.operations) requireKnown(operation, operationKeys, 'operation')
    for (const data of test.outcome ?? []) requireKnown(data, dataKeys, 'outcome')
  }
  return file
}

/** Refuses names that the runner does not know. */
export function requireKnown(part: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(part)) {
    if (!known.includes(name)) throw new Error(`the runner knows no ${name} in ${where}`)
  }
}
