// The kinds of stores that suites run on, and the setting of a run by hand: SIGIL_STORES=postgres
// runs them on these stores instead.

export type StoreKind = 'memory' | 'lmdb' | 'late' | 'gateways' | 'postgres' | 'shared'

const given = process.env.SIGIL_STORES

/** SIGIL_STORES, where it is set. */
export const givenStores =
  given === undefined ? undefined : (given.split(',') as readonly StoreKind[])

/** Whether whole gateways run on PostgreSQL too. */
export const isOnPostgres = givenStores?.includes('postgres') === true
