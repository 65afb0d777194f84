// Completion of names in filters and documents: the fields of the collection's sample, the
// operators of queries, and the types of Extended JSON. Where a name stands decides which.

import type { Completion, CompletionContext, CompletionSource } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { EditorView } from '@codemirror/view'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { fieldsOf } from './sources.js'

const ofQuery = '$and $or $nor $expr $jsonSchema $comment'
const ofField =
  '$eq $ne $gt $gte $lt $lte $in $nin $exists $type $regex $options $not $all $elemMatch $size ' +
  '$mod $bitsAllSet $bitsAnySet $bitsAllClear $bitsAnyClear'
const ofValue =
  '$oid $date $numberInt $numberLong $numberDouble $numberDecimal $binary $uuid $timestamp ' +
  '$regularExpression $minKey $maxKey'

export type JsonKind = 'filter' | 'document'

export function jsonCompletion(
  kind: JsonKind,
  collection: CollectionPlace | undefined,
): CompletionSource {
  return async (context) => {
    const word = context.matchBefore(/"?[\w$.]*$/)
    if (word === null || (word.from === word.to && !context.explicit)) return null
    const outer = outerName(context, word.from)
    if (outer === undefined) return null
    const fields = collection === undefined ? [] : await fieldsOf(collection)
    const below = outer === '' || outer.startsWith('$') ? '' : `${outer}.`
    const named = fields
      .filter(({ path }) => path.startsWith(below))
      .map(({ path, types }) => ({ ...completion(path.slice(below.length), types), boost: 1 }))
    const own = kind === 'document' ? named.filter(({ label }) => !label.includes('.')) : named
    const operators = operatorsFor(kind, below).map((name) => completion(name, ''))
    return { from: word.from, options: [...own, ...operators], validFor: /^"?[\w$.]*$/ }
  }
}

function operatorsFor(kind: JsonKind, below: string): readonly string[] {
  const names = kind === 'document' ? ofValue : below === '' ? ofQuery : `${ofField} ${ofValue}`
  return names.split(' ')
}

/** The name whose value the object here is; empty for the outermost, undefined where none goes. */
function outerName(context: CompletionContext, at: number): string | undefined {
  const { state } = context
  let node = syntaxTree(state).resolveInner(at, 1)
  const isName = ['PropertyName', 'Object', '{', '}', '⚠', 'JsonText'].includes(node.name)
  const before = state
    .sliceDoc(Math.max(0, at - 200), at)
    .trimEnd()
    .at(-1)
  if (!isName && node.name !== 'String') return undefined
  if (before !== '{' && before !== ',') return undefined
  while (node.name !== 'Object' && node.parent !== null) node = node.parent
  if (node.name === 'Array') return undefined
  const { parent } = node
  if (parent?.name !== 'Property') return ''
  const name = parent.getChild('PropertyName')
  if (name === null) return ''
  return state.sliceDoc(name.from, name.to).replaceAll('"', '')
}

function completion(name: string, detail: string): Completion {
  // Quotes are part of what is replaced, so they are part of what is matched.
  return { label: `"${name}"`, displayLabel: name, sortText: name, detail, apply: applied }
}

/** In quotes and with a colon, whichever of them stand there already. */
function applied(view: EditorView, { label }: Completion, from: number, to: number): void {
  const end = view.state.sliceDoc(to, to + 1) === '"' ? to + 1 : to
  const hasColon = /^\s*:/.test(view.state.sliceDoc(end, end + 8))
  const insert = hasColon ? label : `${label}: `
  view.dispatch({
    changes: { from, to: end, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  })
}
