// The documents of the benches of queries: about 300 bytes, with fields of few and of many values,
// the same in every run.

export interface Row {
  readonly _id: number
  readonly n: number
  readonly group: number
  readonly name: string
  readonly text: string
}

/** `n` is spread so that its order is not that of `_id`. */
export function rowOf(id: number): Row {
  const n = Math.imul(id, 2_654_435_761) >>> 0
  return { _id: id, n, group: id % 1_000, name: `name ${n}`, text: 'x'.repeat(200) }
}
