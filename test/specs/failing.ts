// The one table of tests that would run and fail, with the reason. The runner holds that each
// still fails, and how: the day one works, its row has to go. docs/compatibility.md tells users.

export interface FailingRow {
  /** Folder and file without its ending. */
  readonly file: string
  /** Descriptions of the tests; all that would run where it is missing. */
  readonly tests?: readonly string[]
  /** Of Sigil's refusal; missing where the driver fails the test whatever the server does. */
  readonly code?: number
  readonly because: string
}

const driver: readonly FailingRow[] = [
  {
    file: 'crud/bypassDocumentValidation',
    tests: [
      'Aggregate with $out passes bypassDocumentValidation: false',
      'BulkWrite passes bypassDocumentValidation: false',
      'FindOneAndReplace passes bypassDocumentValidation: false',
      'FindOneAndUpdate passes bypassDocumentValidation: false',
      'InsertMany passes bypassDocumentValidation: false',
    ],
    because: 'the driver sends this option only where it is true',
  },
  {
    file: 'crud/create-null-ids',
    tests: [
      'inserting _id with type null via insertOne',
      'inserting _id with type null via insertMany',
      'inserting _id with type null via bulkWrite',
    ],
    because: 'the driver takes an _id of null for a missing one and makes its own',
  },
]

export const failing: readonly FailingRow[] = driver
