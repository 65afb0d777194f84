// Replays the events of change streams, as canonical EJSON, into the state that they tell of.

// biome-ignore lint/suspicious/noExplicitAny: events and documents of any shape
type Plain = any

/** Documents by collection and key. */
export class ReplayedState {
  readonly collections = new Map<string, Map<string, Plain>>()

  apply(event: Plain): void {
    const { operationType: type, ns, documentKey, to } = event
    const key = JSON.stringify(documentKey?._id)
    const documents = this.of(ns.coll)
    switch (type) {
      case 'insert':
        if (documents.has(key)) throw new Error(`${key} was inserted twice into ${ns.coll}`)
        documents.set(key, event.fullDocument)
        return
      case 'replace':
        documents.set(key, event.fullDocument)
        return
      case 'update':
        documents.set(key, updated(documents.get(key), event.updateDescription))
        return
      case 'delete':
        if (!documents.delete(key)) throw new Error(`${key} was deleted twice from ${ns.coll}`)
        return
      case 'drop':
        this.collections.delete(ns.coll)
        return
      case 'rename':
        this.collections.delete(ns.coll)
        this.collections.set(to.coll, documents)
        return
      default:
        throw new Error(`an unexpected event: ${type}`)
    }
  }

  of(name: string): Map<string, Plain> {
    const found = this.collections.get(name) ?? new Map<string, Plain>()
    this.collections.set(name, found)
    return found
  }
}

/** In the order of the server: cuts, removals, then new values. */
export function updated(before: Plain, description: Plain): Plain {
  const after = structuredClone(before)
  const at = (path: string) => {
    const parts = path.split('.')
    const last = parts.pop() as string
    return { holder: parts.reduce((inner, name) => inner[name], after), last }
  }
  for (const { field, newSize } of description.truncatedArrays) {
    const { holder, last } = at(field)
    holder[last].length = Number(newSize.$numberInt ?? newSize)
  }
  for (const path of description.removedFields) delete at(path).holder[at(path).last]
  for (const [path, value] of Object.entries(description.updatedFields)) {
    const { holder, last } = at(path)
    holder[last] = value
  }
  return after
}
