// Tests of transactions that would run and fail, with the reason: as failing.ts, for a server that
// says it is a router.

import type { FailingRow } from './failing.js'

const wtimeout = 'the driver adds a wtimeout to the write concern'
const twoRouters = 'it needs two routers over one store'
const noLocks = 'a transaction holds no locks: the first to commit wins'
const afterTime = 'the driver adds afterClusterTime to the read concern'
const closed = 'the driver sends no abortTransaction after its connection was closed'

export const failingTransactions: readonly FailingRow[] = [
  {
    file: 'transactions/delete',
    tests: ['collection writeConcern ignored for delete'],
    because: wtimeout,
  },
  {
    file: 'transactions/error-labels-errorLabels',
    tests: [
      'add RetryableWriteError and UnknownTransactionCommitResult labels to writeConcernError ShutdownInProgress',
    ],
    because: wtimeout,
  },
  {
    file: 'transactions/error-labels',
    tests: [
      'add UnknownTransactionCommitResult label to writeConcernError WriteConcernTimeout',
      'add UnknownTransactionCommitResult label to writeConcernError WriteConcernTimeout with wtimeout',
      'omit UnknownTransactionCommitResult label from writeConcernError UnsatisfiableWriteConcern',
      'omit UnknownTransactionCommitResult label from writeConcernError UnknownReplWriteConcern',
      'add UnknownTransactionCommitResult label to MaxTimeMSExpired',
      'add UnknownTransactionCommitResult label to writeConcernError MaxTimeMSExpired',
    ],
    because: wtimeout,
  },
  {
    file: 'transactions/errors',
    tests: ['write conflict commit', 'write conflict abort'],
    because: noLocks,
  },
  {
    file: 'transactions/findOneAndDelete',
    tests: ['collection writeConcern ignored for findOneAndDelete'],
    because: wtimeout,
  },
  {
    file: 'transactions/findOneAndReplace',
    tests: ['collection writeConcern ignored for findOneAndReplace'],
    because: wtimeout,
  },
  {
    file: 'transactions/findOneAndUpdate',
    tests: ['collection writeConcern ignored for findOneAndUpdate'],
    because: wtimeout,
  },
  {
    file: 'transactions/insert',
    tests: ['collection writeConcern ignored for insert'],
    because: wtimeout,
  },
  {
    file: 'transactions/mongos-recovery-token-errorLabels',
    tests: ['commitTransaction retry succeeds on new mongos'],
    because: wtimeout,
  },
  {
    file: 'transactions/mongos-recovery-token',
    tests: ['commitTransaction retry fails on new mongos'],
    because: twoRouters,
  },
  {
    file: 'transactions/pin-mongos',
    tests: ['unpin after transient error within a transaction and commit'],
    because: twoRouters,
  },
  {
    file: 'transactions/retryable-abort-errorLabels',
    tests: [
      'abortTransaction succeeds after WriteConcernError InterruptedAtShutdown',
      'abortTransaction succeeds after WriteConcernError InterruptedDueToReplStateChange',
      'abortTransaction succeeds after WriteConcernError PrimarySteppedDown',
      'abortTransaction succeeds after WriteConcernError ShutdownInProgress',
    ],
    because: wtimeout,
  },
  {
    file: 'transactions/retryable-abort',
    tests: ['abortTransaction does not retry after WriteConcernError Interrupted'],
    because: wtimeout,
  },
  {
    file: 'transactions/retryable-commit-errorLabels',
    tests: [
      'commitTransaction succeeds after WriteConcernError InterruptedAtShutdown',
      'commitTransaction succeeds after WriteConcernError InterruptedDueToReplStateChange',
      'commitTransaction succeeds after WriteConcernError PrimarySteppedDown',
      'commitTransaction succeeds after WriteConcernError ShutdownInProgress',
    ],
    because: wtimeout,
  },
  {
    file: 'transactions/retryable-commit',
    tests: ['commitTransaction is not retried after UnsatisfiableWriteConcern error'],
    because: wtimeout,
  },
  {
    file: 'transactions/transaction-options',
    tests: ['transaction options inherited from client'],
    because: afterTime,
  },
  {
    file: 'transactions/transaction-options',
    tests: [
      'transaction options inherited from defaultTransactionOptions',
      'startTransaction options override defaults',
      'defaultTransactionOptions override client options',
      'readConcern local in defaultTransactionOptions',
      'client writeConcern ignored for bulk',
    ],
    because: wtimeout,
  },
  {
    file: 'transactions/update',
    tests: ['collections writeConcern ignored for update'],
    because: wtimeout,
  },
  {
    file: 'transactions/write-concern',
    tests: ['commit with majority', 'abort with majority'],
    because: wtimeout,
  },
  {
    file: 'transactions-convenient-api/callback-retry',
    tests: ['callback succeeds after multiple connection errors'],
    because: closed,
  },
  {
    file: 'transactions-convenient-api/transaction-options',
    tests: [
      'withTransaction inherits transaction options from client',
      'withTransaction inherits transaction options from defaultTransactionOptions',
      'withTransaction explicit transaction options',
      'withTransaction explicit transaction options override defaultTransactionOptions',
      'withTransaction explicit transaction options override client options',
    ],
    because: wtimeout,
  },
]
