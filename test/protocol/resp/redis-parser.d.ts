// Shape of redis-parser, which comes without types: the decoder that decides whether our RESP2
// replies are what clients read.

declare module 'redis-parser' {
  interface ParserOptions {
    readonly returnReply: (reply: unknown) => void
    readonly returnError: (error: Error) => void
    readonly returnFatalError?: (error: Error) => void
    readonly returnBuffers?: boolean
    readonly stringNumbers?: boolean
  }
  class Parser {
    constructor(options: ParserOptions)
    execute(chunk: Buffer): void
  }
  export = Parser
}
