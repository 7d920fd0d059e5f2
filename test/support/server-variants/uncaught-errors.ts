/** A server in which signals cause an unhandled rejection or an uncaught exception. */
process.on('SIGUSR2', () => void Promise.reject(new Error('unforeseen rejection')))
process.on('SIGHUP', () => {
  throw new Error('unforeseen error')
})
await import('../../../src/main.ts')
