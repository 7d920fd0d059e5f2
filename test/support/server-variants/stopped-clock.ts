/** Preloaded: stops the server's clock, so that all requests fall into one rate limit window. */
const at = Number(process.env.TEST_STANDING_AT)
if (at > 0) Date.now = () => at

/** The environment that stops the clock of a server and of all its child processes. */
export const stoppedClockEnv = (): Record<string, string> => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  TEST_STANDING_AT: String(Date.now()),
})
