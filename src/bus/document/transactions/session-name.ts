// The name of an owner's logical session, as the tables of sessions use it. Sessions of two owners
// may have the same id, and know nothing of each other.

export interface SessionName {
  readonly owner: string
  readonly lsid: string | undefined
}

export function nameOf({ owner, lsid }: SessionName): string {
  return `${lsid} ${owner}`
}
