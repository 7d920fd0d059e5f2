/** A server whose clock stands still, so that all requests fall into one rate limit window. */
const at = Number(process.env.TEST_CLOCK)
Date.now = () => at
await import('../../../src/main.ts')
