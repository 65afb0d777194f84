// The lines that an edit removes and adds, by the longest common sequence of lines. What is alike
// at both ends is set aside first, so a small edit of a long document is cheap.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Above this product of line counts the whole middle counts as changed. */
const cellsMax = 4_000_000

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  const shorter = Math.min(old.length, now.length) - head
  while (tail < shorter && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same', text }) as const)
  return [
    ...same(old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const removed = (text: string) => ({ kind: 'removed', text }) as const
  const added = (text: string) => ({ kind: 'added', text }) as const
  if (old.length * now.length > cellsMax) return [...old.map(removed), ...now.map(added)]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      common[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < old.length || column < now.length) {
    const [gone = '', come = ''] = [old[row], now[column]]
    if (row < old.length && column < now.length && gone === come) {
      lines.push({ kind: 'same', text: gone })
      row++
      column++
    } else if (
      column >= now.length ||
      (row < old.length && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(removed(gone))
      row++
    } else {
      lines.push(added(come))
      column++
    }
  }
  return lines
}
