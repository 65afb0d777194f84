// The protocols that can be switched on and off, for commands and listeners. One table holds their
// names, so that no place can omit one.

/** The names that clients and settings use. */
export const switchedProtocols = ['wire', 'redis', 'sql'] as const
export type SwitchedProtocol = (typeof switchedProtocols)[number]

export interface ProtocolEntry {
  readonly name: SwitchedProtocol
  readonly enabled: boolean
  /** Undefined while it is disabled. */
  readonly port: number | undefined
}

export interface ProtocolSwitches {
  list(): readonly ProtocolEntry[]
  isEnabled(name: SwitchedProtocol): boolean
  /**
   * Opens or closes the listener and stores the choice for restarts. Rejects with HostUnreachable
   * if the port is not available.
   */
  set(name: SwitchedProtocol, isEnabled: boolean): Promise<void>
}

export function isSwitched(name: string): name is SwitchedProtocol {
  return (switchedProtocols as readonly string[]).includes(name)
}
