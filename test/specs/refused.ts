// Tests that Sigil does not pass yet because it refuses a feature, and says so. The runner holds
// that each still ends in an error of the server: the day one works, its row has to go.

export interface RefusedRow {
  /** Folder and file without its ending. */
  readonly file: string
  /** Descriptions of tests; all that would run where there are none. */
  readonly tests?: readonly string[]
  readonly because: string
}

export const refused: readonly RefusedRow[] = []
