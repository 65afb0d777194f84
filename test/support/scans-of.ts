import type { ReadTx, Store, Tx } from '../../src/store/store.js'

/** Counts the scans of write programs. */
export function scansOf(store: Store): () => number {
  let scans = 0
  const write = store.write.bind(store)
  store.write = (program, account) =>
    write((tx) => {
      const scanOwn = tx.scanOwn.bind(tx)
      ;(tx as { scanOwn: Tx['scanOwn'] }).scanOwn = (range, limit) => {
        scans++
        return scanOwn(range, limit)
      }
      return program(tx)
    }, account)
  return () => scans
}

/** Counts the scans of read programs, as which long writes are prepared. */
export function scansOfReads(store: Store): () => number {
  let scans = 0
  const read = store.read.bind(store)
  const known = new WeakSet<ReadTx>()
  store.read = (program, ...options) =>
    read(
      (tx) => {
        if (known.has(tx)) return program(tx)
        known.add(tx)
        const scan = tx.scan.bind(tx)
        ;(tx as { scan: ReadTx['scan'] }).scan = (range, limit) => {
          scans++
          return scan(range, limit)
        }
        return program(tx)
      },
      ...options,
    )
  return () => scans
}
