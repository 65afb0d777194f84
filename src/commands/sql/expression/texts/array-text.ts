// PostgreSQL's text form of an array, `{a,"b c",NULL}`: used for paths of `#>` and for arrays from
// clients. Only one dimension is supported.

import { sqlBytesMax, sqlListMax } from '../../../../base/limits/sql.js'
import { nullValue, stringValue, type Value } from '../../../../value/value.js'
import { writeArray } from '../../../../value/writer.js'
import { evaluationError, evaluationState, withDetail } from '../evaluation-error.js'

const shownCharsMax = 60

/** An array of texts. Throws 22P02. */
export function parseArrayText(text: string): Value {
  const malformed = () => malformedArray(text)
  if (text.length > sqlBytesMax) throw malformed()
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length < 2) throw malformed()
  const inner = trimmed.slice(1, -1)
  const elements: Value[] = []
  if (inner.trim() === '') return writeArray(elements)
  const item = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^",{}\\\s](?:[^",{}\\]*[^",{}\\\s])?))\s*(,|$)/y
  for (let isLast = false; !isLast; ) {
    const match = item.exec(inner)
    if (match === null || elements.length >= sqlListMax) throw malformed()
    const [, quoted, bare = '', end] = match
    if (quoted !== undefined) elements.push(stringValue(quoted.replace(/\\([\s\S])/g, '$1')))
    else elements.push(bare.toLowerCase() === 'null' ? nullValue : stringValue(bare))
    isLast = end === ''
  }
  return writeArray(elements)
}

function malformedArray(text: string): Error {
  const shown = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
  const error = evaluationError(evaluationState.badText, `malformed array literal: "${shown}"`)
  if (text.trimStart().startsWith('{')) return error
  return withDetail(error, 'Array value must start with "{" or dimension information.')
}
