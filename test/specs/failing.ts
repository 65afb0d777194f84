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

const commandNotSupported = 115

const collationFiles = [
  'aggregate',
  'bulkWrite',
  'count',
  'deleteMany',
  'deleteOne',
  'distinct',
  'find',
  'findOneAndDelete',
  'findOneAndReplace',
  'findOneAndUpdate',
  'replaceOne',
  'updateMany',
  'updateOne',
]

const collations: readonly FailingRow[] = collationFiles.map((name) => ({
  file: `crud/${name}-collation`,
  code: commandNotSupported,
  because: 'collations other than simple are not there yet',
}))

const refused: readonly FailingRow[] = [
  ...collations,
  {
    file: 'crud/estimatedDocumentCount',
    tests: ['estimatedDocumentCount works correctly on views'],
    code: commandNotSupported,
    because: 'views are not there yet',
  },
  {
    file: 'crud/findOneAndUpdate-errorResponse',
    tests: ['findOneAndUpdate document validation errInfo is accessible'],
    code: commandNotSupported,
    because: 'validators, and collMod that sets them, are not there yet',
  },
  {
    file: 'collection-management/clustered-indexes',
    code: commandNotSupported,
    because: 'clusteredIndex is not there: every collection is in the order of _id anyway',
  },
  {
    file: 'collection-management/createCollection-pre_and_post_images',
    code: commandNotSupported,
    because: 'images of documents belong to change streams, which are not there yet',
  },
  {
    file: 'collection-management/modifyCollection-pre_and_post_images',
    code: commandNotSupported,
    because: 'images of documents belong to change streams, which are not there yet',
  },
  {
    file: 'collection-management/modifyCollection-errorResponse',
    code: commandNotSupported,
    because: 'collMod with prepareUnique is not there yet',
  },
  {
    file: 'collection-management/timeseries-collection',
    code: commandNotSupported,
    because: 'time-series collections are not there yet',
  },
]

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

export const failing: readonly FailingRow[] = [...refused, ...driver]
