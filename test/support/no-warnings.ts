// Warnings about listeners as failures: under hostile clients a leak shows first as a
// MaxListenersExceededWarning.

interface Ending {
  teardown(end: () => unknown): unknown
}

/** Until it ends, such a warning of the process fails the test. */
export function failOnListenerLeaks(t: Ending): void {
  const warned: string[] = []
  const note = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') warned.push(String(warning.stack))
  }
  process.on('warning', note)
  t.teardown(() => {
    process.off('warning', note)
    if (warned.length > 0) throw new Error(warned.join('\n'))
  })
}
