// Whether others come in between: turns of the loop are counted, which no machine makes slower.

/** How often others had their turn while it ran. */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0
  let isDone = false
  const other = (): void => {
    turns++
    if (!isDone) setImmediate(other)
  }
  setImmediate(other)
  await work()
  isDone = true
  return turns
}
