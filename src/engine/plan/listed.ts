// Lists that make their items when they are asked for. A membership may have a million values, and
// a plan of as many objects would take longer than a turn to make.

/** A list of items; an array is one. */
export interface Listed<T> {
  readonly length: number
  at(index: number): T | undefined
  slice(from: number, to: number): readonly T[]
}

/** Items that are made each time they are read. */
export class MadeList<T> implements Listed<T> {
  constructor(
    readonly length: number,
    private readonly make: (index: number) => T,
  ) {}

  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index
    return place >= 0 && place < this.length ? this.make(place) : undefined
  }

  slice(from: number, to: number): readonly T[] {
    const items: T[] = []
    for (let i = from; i < Math.min(to, this.length); i++) items.push(this.make(i))
    return items
  }
}
