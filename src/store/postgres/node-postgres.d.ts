// Types of node-postgres, which comes without: as much of it as the store and the tests use. They
// stand here because the published package is built from src alone.

declare module 'pg' {
  import type { Writable } from 'node:stream'

  export interface Field {
    readonly name: string
    readonly dataTypeID: number
    readonly format: string
  }
  export interface Result {
    readonly rows: readonly Readonly<Record<string, unknown>>[]
    readonly rowCount: number | null
    readonly command: string
    readonly fields: readonly Field[]
  }
  export interface Options {
    readonly connectionString?: string
    readonly host?: string
    readonly port?: number
    readonly user?: string
    readonly password?: string
    readonly database?: string
    readonly max?: number
    readonly application_name?: string
    readonly connectionTimeoutMillis?: number
    readonly keepAlive?: boolean
    readonly pipeline?: boolean
    readonly types?: { getTypeParser(type: number): (text: string) => unknown }
    readonly ssl?: { readonly ca?: Buffer; readonly rejectUnauthorized?: boolean }
  }
  export interface Query {
    readonly text: string
    readonly values?: readonly unknown[]
    readonly name?: string
    readonly rowMode?: 'array'
    readonly binary?: boolean
  }
  interface Notification {
    readonly processId: number
    readonly channel: string
    readonly payload?: string
  }
  export class Client {
    constructor(options: Options)
    /** Process id of the server's side. */
    readonly processID: number | null
    readonly connection: { readonly stream: Writable }
    connect(): Promise<void>
    query(query: string | Query, values?: readonly unknown[]): Promise<Result>
    end(): Promise<void>
    on(event: 'notice' | 'error', listener: (thrown: Error) => void): this
    on(event: 'end', listener: () => void): this
    on(event: 'notification', listener: (told: Notification) => void): this
  }
  export class Pool {
    constructor(options: Options)
    query(query: string | Query, values?: readonly unknown[]): Promise<Result>
    end(): Promise<void>
    on(event: 'error', listener: (thrown: Error) => void): this
  }
}
