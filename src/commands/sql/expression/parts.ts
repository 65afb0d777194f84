// Works on large expressions part by part, so that a program pauses between the parts: what is made
// of a part is kept until the whole is made, which finds it.

import { turnUnits } from '../../../base/work/work-figures.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { operandsOf } from './expression-tree.js'

/** Nodes of an expression that is worked on at once: 0.1 ms, and 1 ms cold. */
const partNodes = 200
/** Work units of a node: 1 µs. */
const nodeUnits = 10
/** Errors of parts until the rest is left to who makes the whole, and throws the right one. */
const errorsMax = 20

export class Parts<T> {
  /** Nodes of the large expressions so far. */
  nodes = 0
  private readonly made = new Map<Expression, T>()
  private errors = 0

  /** What was made of an expression, if it is large or an operand of a large one. */
  of(expression: Expression): T | undefined {
    return this.made.get(expression)
  }

  /**
   * Calls `makeOne` for the operands of each large expression, then for the expression itself, and
   * returns what was made of these. `makeOne` asks `of` for every node first. Nothing is made of
   * small expressions, of parts with an error, and below a node that `isWhole`.
   */
  *make(
    tx: ReadTx,
    expressions: readonly Expression[],
    makeOne: (part: Expression) => T,
    isWhole: (part: Expression) => boolean = never,
  ): Program<T[]> {
    const found: T[] = []
    for (const expression of expressions) {
      if (!isLarge(expression)) continue
      yield* this.parted(tx, expression, makeOne, isWhole)
      const made = this.of(expression)
      if (made !== undefined) found.push(made)
    }
    return found
  }

  private *parted(
    tx: ReadTx,
    expression: Expression,
    makeOne: (part: Expression) => T,
    isWhole: (part: Expression) => boolean,
  ): Program<void> {
    if (isWhole(expression)) return
    const operands = operandsOf(expression)
    for (const operand of operands) {
      const nodes = nodesOf(operand, partNodes)
      if (nodes >= partNodes) yield* this.parted(tx, operand, makeOne, isWhole)
      else this.add(operand, makeOne)
      this.nodes += nodes
      if (this.errors > errorsMax) return
      yield* tx.pause(nodes * nodeUnits)
    }
    // A node with thousands of operands is made in a turn of its own: it counts before and after.
    const own = Math.min(operands.length * nodeUnits, turnUnits)
    yield* tx.pause(own)
    this.add(expression, makeOne)
    yield* tx.pause(own)
  }

  private add(part: Expression, makeOne: (part: Expression) => T): void {
    if (operandsOf(part).length === 0) return
    try {
      this.made.set(part, makeOne(part))
    } catch {
      this.errors++
    }
  }
}

function never(): boolean {
  return false
}

/** Whether an expression has more nodes than are worked on at once. */
export function isLarge(expression: Expression): boolean {
  return nodesOf(expression, partNodes) >= partNodes
}

/** Work units of what is made of a part; a large one counts as the nodes that are made at once. */
export function partUnits(expression: Expression): number {
  return nodesOf(expression, partNodes) * nodeUnits
}

/** Nodes of an expression, at most `most`. */
function nodesOf(expression: Expression, most: number): number {
  let nodes = 1
  for (const operand of operandsOf(expression)) {
    if (nodes >= most) break
    nodes += nodesOf(operand, most - nodes)
  }
  return nodes
}
