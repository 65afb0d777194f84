// How much of the process' time each owner has had: wallets, the operator, and addresses without a
// name. Time is counted in slices, each the work that nothing interrupted. Where work waits, owners
// are served by it. (docs/design/fairness.md)

/** Owners whose time is known apart from others'; those that owe nothing are forgotten first. */
const ownerAccountsMax = 10_000
/** What an owner has had beyond its share is remembered up to here, milliseconds. */
const ownerDebtMsMax = 1_000

export class Account {
  /** What decides whose turn it is: the time it has had, from where it began to wait. */
  virtualMs = 0
  /** All of its slices. */
  spentMs = 0
  /** Told, where one is measured, of what other owners had while a command of it was there. */
  onServed: ((othersMs: number) => void) | undefined = undefined

  constructor(readonly owner: string) {}
}

export class Accounts {
  /** All slices of all owners. */
  totalMs = 0
  /** What waits in all queues. */
  waiting = 0
  private readonly accounts = new Map<string, Account>()
  /** The virtual time of the one that was served last: who begins to wait begins here. */
  private virtualMs = 0
  private last = new Account('')

  of(owner: string): Account {
    const { last, accounts } = this
    if (last.owner === owner) return last
    let account = accounts.get(owner)
    if (account === undefined) {
      if (accounts.size >= ownerAccountsMax) this.forget()
      account = new Account(owner)
      accounts.set(owner, account)
    }
    this.last = account
    return account
  }

  /** A slice has ended. */
  charge(account: Account, ms: number): void {
    account.spentMs += ms
    this.totalMs += ms
    const from = Math.max(account.virtualMs, this.virtualMs)
    account.virtualMs = Math.min(from + ms, this.virtualMs + ownerDebtMsMax)
    // Nothing waited for it: no other owner is owed its time.
    if (this.waiting === 0) this.virtualMs = account.virtualMs
  }

  /** Milliseconds that owners but this one have had since the start. */
  othersMs(account: Account): number {
    return this.totalMs - account.spentMs
  }

  /** It begins to wait. */
  begin(account: Account): void {
    if (account.virtualMs < this.virtualMs) account.virtualMs = this.virtualMs
  }

  /** Its turn has come. */
  serve({ virtualMs }: Account): void {
    if (virtualMs > this.virtualMs) this.virtualMs = virtualMs
  }

  /** Those that owe nothing begin anew when they come again. */
  private forget(): void {
    for (const [owner, { virtualMs }] of this.accounts) {
      if (virtualMs <= this.virtualMs) this.accounts.delete(owner)
    }
    if (this.accounts.size >= ownerAccountsMax) this.accounts.clear()
  }
}
