// How much process time each owner has used: wallets, the operator, and addresses before login.
// Time is counted in slices; a slice is work without a pause. When work waits, the owner with the
// least time is served first. (docs/design/fairness.md)

/** Owners with an account; those without debt are forgotten first. */
const ownerAccountsMax = 10_000
/** An owner's debt (time beyond its share) is remembered up to this bound, milliseconds. */
const ownerDebtMsMax = 1_000

export class Account {
  /** Decides whose turn it is: time used, measured from the point where the owner began to wait. */
  virtualMs = 0
  /** Time of all its slices. */
  spentMs = 0
  /** For measurements: receives the time that other owners used while a command of this one ran. */
  onServed: ((othersMs: number) => void) | undefined = undefined

  constructor(readonly owner: string) {}
}

export class Accounts {
  /** Time of all slices of all owners. */
  totalMs = 0
  /** Items waiting in all queues. */
  waiting = 0
  private readonly accounts = new Map<string, Account>()
  /** The virtual time of the owner served last; an owner that begins to wait starts here. */
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

  /** Counts a finished slice. */
  charge(account: Account, ms: number): void {
    account.spentMs += ms
    this.totalMs += ms
    const from = Math.max(account.virtualMs, this.virtualMs)
    account.virtualMs = Math.min(from + ms, this.virtualMs + ownerDebtMsMax)
    // Nothing waited for it, so no other owner is owed this time.
    if (this.waiting === 0) this.virtualMs = account.virtualMs
  }

  /** Milliseconds that all other owners used since the start. */
  othersMs(account: Account): number {
    return this.totalMs - account.spentMs
  }

  /** The owner begins to wait. */
  begin(account: Account): void {
    if (account.virtualMs < this.virtualMs) account.virtualMs = this.virtualMs
  }

  /** The owner's turn has come. */
  serve({ virtualMs }: Account): void {
    if (virtualMs > this.virtualMs) this.virtualMs = virtualMs
  }

  /** Forgets owners without debt; they start again from zero. */
  private forget(): void {
    for (const [owner, { virtualMs }] of this.accounts) {
      if (virtualMs <= this.virtualMs) this.accounts.delete(owner)
    }
    if (this.accounts.size >= ownerAccountsMax) this.accounts.clear()
  }
}
