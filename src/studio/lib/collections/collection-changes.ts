// Creates, changes, renames and drops collections, with what is typed as Extended JSON sent as it
// is. (docs/http.md, "Creating and changing a collection")

import { ask, askJson } from '../api.js'
import { editable } from '../ejson.js'
import { type CollectionPlace, routeOf } from './collection-place.js'

export const levels = ['strict', 'moderate', 'off'] as const
export const actions = ['error', 'warn'] as const

/** The rules of a validator as they are typed. */
export interface Validation {
  /** Empty: none. */
  readonly validator: string
  readonly level: string
  readonly action: string
}

/** What is typed for a new collection; empty: not given. */
interface NewCollection {
  readonly name: string
  readonly isCapped: boolean
  readonly sizeBytes: string
  readonly documentsMax: string
  readonly validation: Validation
}

const ejson = 'application/ejson'
const headers = { accept: ejson, 'content-type': ejson }

export async function createCollection(
  database: string,
  { name, isCapped, sizeBytes, documentsMax, validation }: NewCollection,
): Promise<void> {
  const rules = validation.validator.trim() === '' ? [] : partsOf(validation)
  const capped = isCapped ? ['"capped":true', `"size":${wholeNumber(sizeBytes, 'size')}`] : []
  const most =
    isCapped && documentsMax.trim() !== ''
      ? [`"max":${wholeNumber(documentsMax, 'number of documents')}`]
      : []
  const body = `{${[...capped, ...most, ...rules].join(',')}}`
  await ask('POST', routeOf({ name, database }, 'create'), { body, headers })
}

export async function setValidation(at: CollectionPlace, validation: Validation): Promise<void> {
  const body = `{${partsOf(validation).join(',')}}`
  await ask('POST', routeOf(at, 'validator'), { body, headers })
}

/** The text of the validator goes as it is, so every type in it is kept. */
function partsOf({ validator, level, action }: Validation): readonly string[] {
  const text = validator.trim() === '' ? '{}' : validator
  JSON.parse(text)
  return [
    `"validator":${text}`,
    `"validationLevel":${JSON.stringify(level)}`,
    `"validationAction":${JSON.stringify(action)}`,
  ]
}

function wholeNumber(text: string, what: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number) && number > 0) return number
  throw new Error(`The ${what} must be a whole number above 0.`)
}

export async function validationOf(
  at: CollectionPlace,
  signal: AbortSignal,
): Promise<Validation & { readonly may: readonly string[] }> {
  const answer = await ask('GET', routeOf(at, 'stats'), { headers: { accept: ejson }, signal })
  const stats = (await answer.json()) as {
    readonly validator?: object
    readonly validationLevel?: string
    readonly validationAction?: string
    readonly may: readonly string[]
  }
  const { validator, validationLevel: level = 'strict', validationAction: action = 'error' } = stats
  const text = validator === undefined ? '' : editable(JSON.stringify(validator))
  return { validator: text, level, action, may: stats.may }
}

export async function renameCollection(at: CollectionPlace, to: string): Promise<void> {
  await askJson('POST', routeOf(at, 'rename'), { to })
}

export async function dropCollection(at: CollectionPlace, release: boolean): Promise<void> {
  await askJson('POST', routeOf(at, 'drop'), { release })
}
