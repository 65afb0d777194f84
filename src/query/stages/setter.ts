// Sets one dotted field of documents, as $addFields does: for the output of $lookup and the index
// of $unwind.

import { type Document, documentValue, type Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'
import { Env, type Expression, type Result } from '../expressions/operator.js'
import { ProjectionNode, ProjectionTree } from '../projection-tree.js'

/** Evaluates to the last value that was set. */
class Cell implements Expression {
  value: Result

  evaluate(): Result {
    return this.value
  }
}

export class FieldSetter {
  private readonly cell = new Cell()
  private readonly tree: ProjectionTree
  private readonly env: Env

  constructor(path: string, context: QueryContext) {
    const root = new ProjectionNode()
    root.add(path, { kind: 'computed', expression: this.cell })
    this.tree = new ProjectionTree('exclusion', root)
    const empty = documentValue(Uint8Array.of(5, 0, 0, 0, 0))
    this.env = new Env(empty, new Map(), context.now, context.collation)
  }

  set(document: Document, value: Value): Document {
    this.cell.value = value
    return this.tree.apply(document, this.env)
  }
}
