// The memory account of the gateway that a test starts: the one that counted last.

import { ByteBudget } from '../../src/base/heap/byte-budget.js'

/** Watches what counts from now on; the returned function gives the account. */
export function watchBudget(): () => ByteBudget {
  let used: ByteBudget | undefined
  const { charge } = ByteBudget.prototype
  ByteBudget.prototype.charge = function (bytes) {
    used = this
    charge.call(this, bytes)
  }
  return () => {
    if (used === undefined) throw new Error('nothing has counted')
    return used
  }
}
