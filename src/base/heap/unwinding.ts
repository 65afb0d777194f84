// Thrown by a program that ends here and goes on otherwise: it waits, or runs again. The stack of
// an error keeps its frames, with the values that they have read, so this one has none.

export class Unwinding extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}
